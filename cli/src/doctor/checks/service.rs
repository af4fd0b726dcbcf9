//! What hands the devices to processes, and what for.

use super::counted;
use super::hardware::HOST_SIDE;
use crate::doctor::host::Host;
use crate::doctor::pci::Device;
use crate::doctor::report::Check;

const UNITS: [&str; 4] = [
    "/etc/systemd/system/qat.service",
    "/usr/local/lib/systemd/system/qat.service",
    "/usr/lib/systemd/system/qat.service",
    "/lib/systemd/system/qat.service",
];

/// The process ID of QATlib's resource manager, which the service runs.
const PID: &str = "/run/qat/qatmgr.pid";

/// QATlib's resource manager.
pub fn service(host: &Host) -> Check {
    let pid = host.text(PID).filter(|pid| pid.parse::<u32>().is_ok());
    if let Some(pid) = pid
        && host.exists(&format!("/proc/{pid}"))
    {
        return Check::ok("service", format!("qatmgr runs (process {pid})"));
    }
    if UNITS.iter().any(|unit| host.exists(unit)) {
        Check::warning(
            "service",
            "qat.service is installed and does not run",
            "systemctl enable --now qat, and `journalctl -u qat` if it stops; without it, processes \
             take whatever virtual functions they find",
        )
    } else {
        Check::warning(
            "service",
            "qat.service is not installed",
            "install QATlib's service (Debian and Ubuntu: qatlib-service, Fedora: qatlib-service); a \
             container does without, if virtual functions were given to it",
        )
    }
}

/// What the physical functions are configured for.
pub fn services(pfs: &[&Device]) -> Check {
    const NAME: &str = "services";
    if pfs.is_empty() {
        return Check::skipped(NAME, HOST_SIDE);
    }
    let known = pfs.iter().filter_map(|pf| pf.compresses());
    if known.clone().count() == 0 {
        return Check::warning(
            NAME,
            "the kernel does not show what the devices are configured for",
            "use Linux 6.0 or later, with its own driver; elsewhere every other device compresses",
        );
    }
    let serving = known.filter(|compresses| *compresses).count();
    let each = pfs.iter().map(|pf| {
        let services = pf.services.as_deref().unwrap_or("unknown");
        format!("{} {services}", pf.address)
    });
    let each = each.collect::<Vec<_>>().join(", ");
    let of = counted(pfs.len(), "device");
    let found = format!("{serving} of {of} compress (dc): {each}");
    if serving > 0 {
        return Check::ok(NAME, found);
    }
    Check::failed(
        NAME,
        found,
        "put ServicesEnabled=dc (or sym;dc) into /etc/sysconfig/qat (Debian: /etc/default/qat) and \
         systemctl restart qat; or by hand, for each device: echo down > qat/state, echo dc > \
         qat/cfg_services, echo up > qat/state under /sys/bus/pci/devices/ADDRESS",
    )
}
