//! How a process gets at a device: virtual functions over VFIO.

use super::counted;
use crate::doctor::host::Host;
use crate::doctor::pci::Device;
use crate::doctor::process::Process;
use crate::doctor::report::{Check, State};

/// What QATlib's installation guide says that it locks for each virtual function, in bytes.
const LOCKED_PER_VF: u64 = 16 << 20;

/// Memory is reached through an IOMMU.
pub fn iommu(host: &Host) -> Check {
    let groups = host.names("/sys/kernel/iommu_groups").len();
    if groups > 0 {
        return Check::ok("iommu", format!("on, with {}", counted(groups, "group")));
    }
    let unsafe_mode = host.text("/sys/module/vfio/parameters/enable_unsafe_noiommu_mode");
    if unsafe_mode.as_deref() == Some("Y") {
        return Check::warning(
            "iommu",
            "off, and VFIO does without (noiommu)",
            "a device may then write anywhere in memory; give the VM a virtual IOMMU",
        );
    }
    Check::failed(
        "iommu",
        "off",
        "enable VT-d in the firmware set-up and boot Linux with intel_iommu=on (a VM needs a virtual \
         IOMMU)",
    )
}

/// There are virtual functions, for processes get no others.
pub fn vfs(pfs: &[&Device], vfs: &[&Device]) -> Check {
    let bound = vfs
        .iter()
        .filter(|vf| vf.driver.as_deref() == Some("vfio-pci"));
    let bound = bound.count();
    let found = format!(
        "{bound} of {} bound to vfio-pci",
        counted(vfs.len(), "virtual function")
    );
    if bound > 0 {
        return Check::ok("vfs", found);
    }
    if !vfs.is_empty() {
        return Check::failed(
            "vfs",
            found,
            "modprobe vfio-pci, then start the qat service, which binds them",
        );
    }
    let most = pfs.iter().filter_map(|pf| pf.max_vfs).max().unwrap_or(0);
    let remedy = if most == 0 {
        "enable SR-IOV and VT-d in the firmware set-up: the devices offer no virtual functions"
    } else {
        "start the qat service, which makes them; or echo N > sriov_numvfs under \
         /sys/bus/pci/devices/ADDRESS"
    };
    Check::failed("vfs", format!("none; up to {most} a device"), remedy)
}

/// The device nodes are there, and this process may use them.
pub fn vfio(host: &Host, process: &Process, vfs: &[&Device]) -> Check {
    let Some(container) = host.metadata("/dev/vfio/vfio") else {
        return Check::failed(
            "vfio",
            "there is no /dev/vfio/vfio",
            "modprobe vfio-pci; give a container /dev/vfio and everything in it that is a QAT \
             device's",
        );
    };
    let nodes: Vec<(&Device, String)> = vfs
        .iter()
        .filter(|vf| vf.driver.as_deref() == Some("vfio-pci"))
        .filter_map(|vf| Some((*vf, format!("/dev/vfio/{}", vf.iommu_group.as_ref()?))))
        .collect();
    if nodes.is_empty() {
        return Check::skipped("vfio", "no virtual function is bound to vfio-pci");
    }
    let files = nodes
        .iter()
        .filter_map(|(_, node)| Some((node, host.metadata(node)?)));
    let usable = files.clone().filter(|(_, file)| process.may_use(file));
    let usable = usable.count();
    let found = format!(
        "{usable} of {} can be read and written",
        counted(nodes.len(), "device node")
    );
    if usable > 0 && process.may_use(&container) {
        return Check::ok("vfio", found);
    }
    let remedy = match files.clone().next() {
        None => {
            "give the container the nodes /dev/vfio/N of the virtual functions' IOMMU groups".into()
        }
        Some(_) if usable > 0 => "make /dev/vfio/vfio readable and writable: chmod 0666".into(),
        Some((node, _)) => format!(
            "join the group that owns {node}, which the qat service makes qat: usermod -aG qat USER, \
             then log in again"
        ),
    };
    Check::failed("vfio", found, remedy)
}

/// The process is in the group that QATlib gives the nodes to.
pub fn group(host: &Host, process: &Process, vfio: &Check) -> Check {
    let groups = host.text("/etc/group").unwrap_or_default();
    let gid = groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.next() == Some("qat")).then(|| fields.nth(1)?.parse::<u32>().ok())?
    });
    match gid {
        _ if process.is_root() => Check::ok("group", "root needs none"),
        Some(gid) if process.is_in(gid) => Check::ok("group", "this process is in the group qat"),
        _ if vfio.state == State::Ok => {
            Check::ok("group", "not in the group qat, nor in need of it")
        }
        Some(_) => Check::failed(
            "group",
            "this process is not in the group qat",
            "usermod -aG qat USER, then log in again; for a service, SupplementaryGroups=qat in its \
             unit",
        ),
        None => Check::failed(
            "group",
            "there is no group qat",
            "install QATlib's service, which makes it; or groupadd qat, and restart the qat service",
        ),
    }
}

/// Enough memory may be locked.
pub fn memlock(process: &Process, pfs: &[&Device], vfs: &[&Device]) -> Check {
    // Unless told otherwise, QATlib's manager gives a process one virtual function of each device;
    // where only virtual functions are seen, it gives all.
    let functions = if pfs.is_empty() { vfs.len() } else { pfs.len() };
    let needed = LOCKED_PER_VF * functions.max(1) as u64;
    let verb = if functions > 1 { "take" } else { "takes" };
    let each = format!("{} {verb}", counted(functions.max(1), "virtual function"));
    match process.lockable() {
        None => Check::ok("memlock", "no limit"),
        Some(limit) if limit >= needed => {
            let (limit, needed) = (limit >> 10, needed >> 10);
            Check::ok(
                "memlock",
                format!("{limit} KiB; {each} {needed} KiB, and buffers more"),
            )
        }
        Some(limit) => {
            let (limit, needed) = (limit >> 10, needed >> 10);
            Check::failed(
                "memlock",
                format!("{limit} KiB; {each} {needed} KiB"),
                format!(
                    "`USER - memlock {}` in /etc/security/limits.conf, LimitMEMLOCK= in a service's \
                     unit, or --ulimit memlock= for a container",
                    4 * needed
                ),
            )
        }
    }
}
