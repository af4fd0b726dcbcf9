//! The processor, the devices, and what makes the kernel drive them.

use super::counted;
use crate::doctor::host::Host;
use crate::doctor::pci::Device;
use crate::doctor::report::Check;

/// Where a VM or container sees nothing but virtual functions.
pub(super) const HOST_SIDE: &str =
    "only virtual functions are visible here: it is the hypervisor's part";

/// Where the kernel looks for firmware.
const FIRMWARE: [&str; 3] = [
    "/lib/firmware",
    "/lib/firmware/updates",
    "/usr/lib/firmware",
];

/// What the processor is: nothing depends on it, for devices are also cards.
pub fn cpu(host: &Host) -> Check {
    let info = host.text("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "model name").then(|| value.trim())
    });
    match model {
        Some(model) => Check::ok("cpu", model),
        None => Check::skipped("cpu", "/proc/cpuinfo names no processor"),
    }
}

/// What is on the bus.
pub fn devices(devices: &[Device]) -> Check {
    if devices.is_empty() {
        return Check::failed(
            "devices",
            "none on the PCI bus",
            "QAT comes with some Xeon processors from the fourth generation on, and on cards; where \
             it should be there, enable it in the firmware set-up, or pass a virtual function to this \
             VM or container",
        );
    }
    let mut models: Vec<(&str, usize, usize)> = Vec::new();
    for device in devices {
        let vf = usize::from(device.virtual_function);
        match models.iter_mut().find(|m| m.0 == device.model.name) {
            Some(model) => {
                model.1 += 1 - vf;
                model.2 += vf;
            }
            None => models.push((device.model.name, 1 - vf, vf)),
        }
    }
    let found = models.iter().map(|(name, pfs, vfs)| {
        let (pfs, vfs) = (counted(*pfs, "device"), counted(*vfs, "virtual function"));
        format!("{name}: {pfs}, {vfs}")
    });
    let found = found.collect::<Vec<_>>().join("; ");
    if devices
        .iter()
        .any(|device| device.model.generation.by_qatlib())
    {
        Check::ok("devices", found)
    } else {
        Check::warning(
            "devices",
            found,
            "QATlib serves the fourth generation (4xxx) and later; install Intel's out-of-tree driver \
             package for this one, with a QATzip that was built over it",
        )
    }
}

/// The driver of the physical functions.
pub fn driver(host: &Host, pfs: &[&Device]) -> Check {
    let Some(first) = pfs.first() else {
        return Check::skipped("driver", HOST_SIDE);
    };
    let bound = pfs
        .iter()
        .filter(|pf| pf.driver.as_deref() == Some(pf.model.driver));
    let bound = bound.count();
    let of = format!("{bound} of {} bound", counted(pfs.len(), "device"));
    let kernel = host.text("/proc/sys/kernel/osrelease");
    let kernel = kernel.unwrap_or_else(|| "unknown".into());
    let found = format!("{of} to the kernel's driver, kernel {kernel}");
    if bound == pfs.len() {
        return Check::ok("driver", found);
    }
    let module = first.model.module;
    let unbound = pfs
        .iter()
        .find(|pf| pf.driver.as_deref() != Some(pf.model.driver));
    let remedy = match unbound.and_then(|pf| Some((&pf.address, pf.driver.as_ref()?))) {
        Some((address, other)) => format!(
            "{address} is bound to {other}: unbind it, and bind it to {}",
            first.model.driver
        ),
        None => format!(
            "modprobe {module}, and see what `dmesg | grep qat` says; compression needs Linux 5.17 \
             or later"
        ),
    };
    if bound == 0 {
        Check::failed("driver", found, remedy)
    } else {
        Check::warning("driver", found, remedy)
    }
}

/// The firmware of the physical functions.
pub fn firmware(host: &Host, pfs: &[&Device]) -> Check {
    if pfs.is_empty() {
        return Check::skipped("firmware", HOST_SIDE);
    }
    if pfs.iter().all(|pf| pf.state.as_deref() == Some("up")) {
        return Check::ok("firmware", "loaded: every device is up");
    }
    let mut images: Vec<String> = pfs
        .iter()
        .map(|pf| pf.model.firmware)
        .flat_map(|name| [format!("{name}.bin"), format!("{name}_mmp.bin")])
        .collect();
    images.sort();
    images.dedup();
    let there = |image: &String| {
        let places = FIRMWARE.iter();
        let mut files = places.flat_map(|dir| ["", ".xz", ".zst"].map(|ext| (dir, ext)));
        files.any(|(dir, ext)| host.exists(&format!("{dir}/{image}{ext}")))
    };
    let missing: Vec<&str> = images
        .iter()
        .filter(|image| !there(image))
        .map(String::as_str)
        .collect();
    if missing.is_empty() {
        let down = pfs.iter().filter(|pf| pf.state.as_deref() == Some("down"));
        match down.count() {
            0 => Check::ok("firmware", format!("installed: {}", images.join(", "))),
            down => Check::warning(
                "firmware",
                format!("installed, but {} down", counted(down, "device")),
                "echo up > /sys/bus/pci/devices/ADDRESS/qat/state; `dmesg | grep qat` says why if it \
                 stays down",
            ),
        }
    } else {
        Check::failed(
            "firmware",
            format!("missing: {}", missing.join(", ")),
            "install the package linux-firmware (Debian: firmware-misc-nonfree or firmware-intel-misc), \
             then reload the driver",
        )
    }
}
