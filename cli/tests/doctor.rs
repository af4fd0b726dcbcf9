//! `compressor doctor`, on systems that are made up of files.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;

use common::{assert_fails, run, text};
use serde_json::Value;
use tempfile::TempDir;

const PF: &str = "0000:6b:00.0";
const VF: &str = "0000:6b:00.1";

/// A root directory.
struct Root(TempDir);

impl Root {
    /// A host without a device.
    fn bare() -> Self {
        let root = Self(tempfile::tempdir().unwrap());
        root.file(
            "proc/cpuinfo",
            "processor\t: 0\nmodel name\t: A Processor\n",
        );
        root.file("proc/sys/kernel/osrelease", "6.8.0\n");
        root.dir("sys/bus/pci/devices");
        root.device("0000:00:1f.0", 0x8086, 0x7a30);
        root
    }

    /// A host on which everything is as it should be.
    fn good() -> Self {
        let root = Self::bare();
        root.device(PF, 0x8086, 0x4940);
        root.attribute(PF, "sriov_numvfs", "1");
        root.attribute(PF, "sriov_totalvfs", "16");
        root.attribute(PF, "qat/state", "up");
        root.attribute(PF, "qat/cfg_services", "sym;dc");
        root.bind(PF, "4xxx");
        root.vf();
        root.file("dev/vfio/vfio", "");
        root.file("dev/vfio/8", "");
        root.file("etc/group", "root:x:0:\nqat:x:115:db\n");
        root.user(1000, "115");
        root.memlock("16777216");
        root.file("run/qat/qatmgr.pid", "77\n");
        root.dir("proc/77");
        for (library, file) in [
            ("libqatzip.so.3", "libqatzip.so.3.1.3"),
            ("libqat.so.4", "libqat.so.4.4.0"),
            ("libusdm.so.0", "libusdm.so.0.4.0"),
        ] {
            root.file(&format!("usr/lib64/{file}"), "");
            root.link(&format!("usr/lib64/{library}"), file);
        }
        root.file(
            "var/lib/dpkg/status",
            "Package: libqatzip3\nStatus: install ok installed\nVersion: 1.3.1-2\n",
        );
        root
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn dir(&self, path: &str) {
        fs::create_dir_all(self.path(path)).unwrap();
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn link(&self, path: &str, target: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&path);
        symlink(target, path).unwrap();
    }

    fn remove(&self, path: &str) {
        let path = self.path(path);
        if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }

    fn device(&self, address: &str, vendor: u16, device: u16) {
        self.attribute(address, "vendor", &format!("0x{vendor:04x}\n"));
        self.attribute(address, "device", &format!("0x{device:04x}\n"));
    }

    fn vf(&self) {
        self.device(VF, 0x8086, 0x4941);
        self.bind(VF, "vfio-pci");
        self.link(
            &format!("sys/bus/pci/devices/{VF}/iommu_group"),
            "../../../../kernel/iommu_groups/8",
        );
        self.dir("sys/kernel/iommu_groups/8");
    }

    fn attribute(&self, address: &str, name: &str, value: &str) {
        self.file(&format!("sys/bus/pci/devices/{address}/{name}"), value);
    }

    fn bind(&self, address: &str, driver: &str) {
        self.link(
            &format!("sys/bus/pci/devices/{address}/driver"),
            &format!("../../../bus/pci/drivers/{driver}"),
        );
    }

    /// This process is another user than the owner of the files, unless `uid` is the owner's.
    fn user(&self, uid: u32, groups: &str) {
        self.file(
            "proc/self/status",
            &format!(
                "Uid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t900\t900\t900\t900\nGroups:\t{groups}\n"
            ),
        );
        for node in ["dev/vfio/vfio", "dev/vfio/8"] {
            self.mode(node, 0o666);
        }
    }

    fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn memlock(&self, soft: &str) {
        self.file(
            "proc/self/limits",
            &format!("Limit  Soft Limit  Hard Limit  Units\nMax locked memory  {soft}  unlimited  bytes\n"),
        );
    }

    fn doctor(&self, args: &[&str]) -> Output {
        doctor(self.0.path(), args)
    }

    /// A check by its name.
    fn check(&self, name: &str) -> Value {
        let output = self.doctor(&["--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap();
        checks.iter().find(|c| c["name"] == name).unwrap().clone()
    }

    #[track_caller]
    fn assert(&self, name: &str, state: &str, found: &str, remedy: &str) {
        let check = self.check(name);
        assert_eq!(check["state"], state, "{check}");
        assert!(check["found"].as_str().unwrap().contains(found), "{check}");
        let says = check["remedy"].as_str().unwrap_or_default();
        assert!(says.contains(remedy), "{check}");
        let due = state == "failed" || state == "warning";
        assert_eq!(check["remedy"].is_string(), due, "{check}");
    }
}

fn doctor(root: &Path, args: &[&str]) -> Output {
    let root = root.to_str().unwrap();
    run(&[&["doctor", "--root", root], args].concat())
}

#[test]
fn a_host_without_a_device_is_told_so_in_few_lines() {
    let output = Root::bare().doctor(&[]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!("doctor_no_device", text(&output.stdout));
    assert_eq!(
        text(&output.stderr),
        "Absent: no QAT device (failed: devices)\n"
    );
}

#[test]
fn a_host_that_is_in_order_passes() {
    let root = Root::good();
    let output = root.doctor(&[]);
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!("doctor_good", text(&output.stdout));
}

#[test]
fn all_that_is_in_the_way_is_told_at_once() {
    let root = Root::bare();
    root.device(PF, 0x8086, 0x4940);
    root.attribute(PF, "sriov_totalvfs", "16");
    root.attribute(PF, "qat/state", "down");
    root.attribute(PF, "qat/cfg_services", "sym;asym");
    root.file("proc/self/status", "Uid:\t7\t7\t7\t7\n");
    root.memlock("65536");
    let output = root.doctor(&[]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!("doctor_nothing_set_up", text(&output.stdout));
    assert_eq!(
        text(&output.stderr),
        "Device: QAT is not usable (failed: driver, firmware, services, iommu, vfs, vfio, group, \
         memlock)\n"
    );
}

#[test]
fn json_has_every_check_and_every_device() {
    let root = Root::good();
    let output = root.doctor(&["--json"]);
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["usable"], true);
    let names: Vec<&str> = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "cpu",
            "devices",
            "driver",
            "firmware",
            "services",
            "iommu",
            "vfs",
            "vfio",
            "group",
            "service",
            "memlock",
            "libraries",
            "probe",
            "self-test"
        ]
    );
    assert_eq!(
        report["devices"],
        serde_json::json!([
            {
                "address": PF, "model": "4xxx", "virtual_function": false, "driver": "4xxx",
                "iommu_group": null, "vfs": 1, "max_vfs": 16, "state": "up", "services": "sym;dc"
            },
            {
                "address": VF, "model": "4xxx", "virtual_function": true, "driver": "vfio-pci",
                "iommu_group": "8", "vfs": null, "max_vfs": null, "state": null, "services": null
            },
        ])
    );

    let bare: Value = serde_json::from_slice(&Root::bare().doctor(&["--json"]).stdout).unwrap();
    assert_eq!(bare["usable"], false);
    assert_eq!(bare["checks"].as_array().unwrap().len(), names.len());
    assert_eq!(bare["devices"], serde_json::json!([]));
}

#[test]
fn other_vendors_and_other_devices_are_none() {
    let root = Root::bare();
    root.device("0000:01:00.0", 0x10de, 0x4940);
    root.attribute("0000:02:00.0", "vendor", "0x8086");
    root.attribute("0000:03:00.0", "vendor", "rubbish");
    root.assert("devices", "failed", "none", "virtual function");
}

#[test]
fn an_older_generation_is_told_what_it_needs() {
    let root = Root::bare();
    root.device(PF, 0x8086, 0x37c8);
    root.assert("devices", "warning", "c62x: 1 device", "out-of-tree");
    root.assert("vfs", "skipped", "QATlib does not serve", "");
    root.assert(
        "libraries",
        "warning",
        "missing: libqatzip.so.3",
        "libqatzip3",
    );
}

#[test]
fn a_driver_that_is_not_bound_is_found() {
    let root = Root::good();
    root.remove(&format!("sys/bus/pci/devices/{PF}/driver"));
    root.assert("driver", "failed", "0 of 1 device", "modprobe qat_4xxx");
    root.bind(PF, "vfio-pci");
    root.assert("driver", "failed", "0 of 1 device", "is bound to vfio-pci");
    root.device("0000:70:00.0", 0x8086, 0x4944);
    root.bind("0000:70:00.0", "4xxx");
    root.assert("driver", "warning", "1 of 2 devices", PF);
}

#[test]
fn firmware_is_looked_for_where_the_device_is_not_up() {
    let root = Root::good();
    root.assert("firmware", "ok", "every device is up", "");
    root.attribute(PF, "qat/state", "down");
    root.assert("firmware", "failed", "qat_4xxx.bin", "linux-firmware");
    root.file("lib/firmware/qat_4xxx.bin.xz", "");
    root.assert(
        "firmware",
        "failed",
        "missing: qat_4xxx_mmp.bin",
        "linux-firmware",
    );
    root.file("lib/firmware/qat_4xxx_mmp.bin", "");
    root.assert("firmware", "warning", "1 device down", "echo up");
    root.remove(&format!("sys/bus/pci/devices/{PF}/qat/state"));
    root.assert("firmware", "ok", "installed", "");
}

#[test]
fn one_device_that_compresses_is_enough() {
    let root = Root::good();
    root.attribute(PF, "qat/cfg_services", "sym;asym");
    root.assert("services", "failed", "sym;asym", "ServicesEnabled=dc");
    root.device("0000:70:00.0", 0x8086, 0x4940);
    root.attribute("0000:70:00.0", "qat/cfg_services", "dc");
    root.assert("services", "ok", "1 of 2 devices", "");
    root.remove(&format!("sys/bus/pci/devices/{PF}/qat"));
    root.remove("sys/bus/pci/devices/0000:70:00.0/qat");
    root.assert("services", "warning", "does not show", "Linux 6.0");
}

#[test]
fn an_iommu_that_is_off_is_found() {
    let root = Root::good();
    root.remove("sys/kernel/iommu_groups");
    root.assert("iommu", "failed", "off", "intel_iommu=on");
    root.file(
        "sys/module/vfio/parameters/enable_unsafe_noiommu_mode",
        "Y\n",
    );
    root.assert("iommu", "warning", "noiommu", "virtual IOMMU");
}

#[test]
fn virtual_functions_must_be_there_and_bound() {
    let root = Root::good();
    root.remove(&format!("sys/bus/pci/devices/{VF}/driver"));
    root.assert(
        "vfs",
        "failed",
        "0 of 1 virtual function",
        "modprobe vfio-pci",
    );
    root.assert("vfio", "skipped", "no virtual function is bound", "");
    root.remove(&format!("sys/bus/pci/devices/{VF}"));
    root.assert("vfs", "failed", "up to 16", "sriov_numvfs");
    root.attribute(PF, "sriov_totalvfs", "0");
    root.assert("vfs", "failed", "up to 0", "SR-IOV");
}

#[test]
fn a_vm_with_virtual_functions_alone_needs_no_more() {
    let root = Root::good();
    root.remove(&format!("sys/bus/pci/devices/{PF}"));
    let output = root.doctor(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    for check in ["driver", "firmware", "services"] {
        root.assert(check, "skipped", "hypervisor", "");
    }
}

#[test]
fn nodes_that_this_process_may_not_use_are_found() {
    let root = Root::good();
    root.user(1000, "27");
    root.assert("group", "ok", "nor in need of it", "");
    root.mode("dev/vfio/8", 0o600);
    root.assert("vfio", "failed", "0 of 1 device node", "usermod -aG qat");
    root.assert("group", "failed", "not in the group", "usermod -aG qat");
    root.file("etc/group", "root:x:0:\nqatar:x:115:\n");
    root.assert("group", "failed", "no group qat", "groupadd");

    // Root, the owner and its group may.
    let node = root.path("dev/vfio/8").metadata().unwrap();
    root.file("proc/self/status", "Uid:\t0\t0\t0\t0\n");
    root.assert("vfio", "ok", "1 of 1", "");
    root.assert("group", "ok", "root", "");
    root.user(node.uid(), "");
    root.mode("dev/vfio/8", 0o600);
    root.assert("vfio", "ok", "1 of 1", "");
    root.user(node.uid() + 1, &node.gid().to_string());
    root.mode("dev/vfio/8", 0o660);
    root.assert("vfio", "ok", "1 of 1", "");
    root.mode("dev/vfio/vfio", 0o600);
    root.assert("vfio", "failed", "1 of 1", "chmod 0666");

    root.remove("dev/vfio/8");
    root.assert("vfio", "failed", "0 of 1", "give the container");
    root.remove("dev/vfio");
    root.assert("vfio", "failed", "no /dev/vfio/vfio", "modprobe vfio-pci");
}

#[test]
fn the_limit_for_locked_memory_is_that_of_a_function_a_device() {
    let root = Root::good();
    root.memlock("16777215");
    root.assert("memlock", "failed", "16383 KiB", "LimitMEMLOCK");
    root.memlock("unlimited");
    root.assert("memlock", "ok", "no limit", "");
    root.memlock("16777216");
    root.device("0000:70:00.0", 0x8086, 0x4940);
    root.assert(
        "memlock",
        "failed",
        "2 virtual functions take 32768 KiB",
        "limits.conf",
    );
}

#[test]
fn where_nothing_is_known_of_the_process_nothing_is_said_of_it() {
    for file in ["proc/self/status", "proc/self/limits"] {
        let root = Root::good();
        root.remove(file);
        for check in ["vfio", "group", "memlock"] {
            root.assert(check, "skipped", "/proc/self does not say", "");
        }
    }
}

#[test]
fn a_service_that_does_not_run_is_a_warning() {
    let root = Root::good();
    root.remove("proc/77");
    root.assert("service", "warning", "not installed", "qatlib-service");
    root.file("usr/lib/systemd/system/qat.service", "");
    root.assert(
        "service",
        "warning",
        "does not run",
        "systemctl enable --now qat",
    );
    assert_eq!(root.doctor(&[]).status.code(), Some(0));
}

#[test]
fn libraries_are_listed_with_their_versions() {
    let root = Root::good();
    root.assert("libraries", "ok", "libqatzip.so.3.1.3 (1.3.1-2)", "");
    root.remove("usr/lib64/libusdm.so.0");
    root.assert(
        "libraries",
        "warning",
        "missing: libusdm.so.0,",
        "libqatzip3",
    );
}

#[test]
fn what_is_in_a_file_cannot_move_the_terminal() {
    let root = Root::good();
    root.attribute(PF, "qat/cfg_services", "dc;\u{1b}[2J");
    let out = text(&root.doctor(&[]).stdout);
    assert!(!out.contains('\u{1b}') && out.contains("\\u{1b}"), "{out}");
}

#[test]
fn a_root_that_is_none_is_refused() {
    assert_fails(
        &run(&["doctor", "--root", "/no/such/directory"]),
        2,
        "InvalidArgument",
        "/no/such/directory",
    );
}

#[test]
fn this_host_is_told_about() {
    let output = run(&["doctor", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let status = i32::from(report["usable"] == false);
    assert_eq!(output.status.code(), Some(status));
    assert_eq!(output.stderr.is_empty(), status == 0);
}
