//! The checks, in the order in which they build on each other.

mod access;
mod hardware;
mod libraries;
mod provider;
mod service;

use super::host::Host;
use super::pci::Device;
use super::process::Process;
use super::report::Check;

pub use provider::Provider;

/// Checks of what only the kernel's driver and QATlib need, in order.
const IN_TREE: [&str; 9] = [
    "driver", "firmware", "services", "iommu", "vfs", "vfio", "group", "service", "memlock",
];

/// All checks.
pub fn all(host: &Host, devices: &[Device], provider: &Provider) -> Vec<Check> {
    let mut checks = vec![hardware::cpu(host), hardware::devices(devices)];
    let served: Vec<&Device> = devices
        .iter()
        .filter(|d| d.model.generation.by_qatlib())
        .collect();
    if devices.is_empty() {
        checks.extend(IN_TREE.map(|name| Check::skipped(name, "there is no device")));
        checks.push(Check::skipped("libraries", "there is no device"));
    } else if served.is_empty() {
        let why =
            "QATlib does not serve this device; Intel's own driver package brings its own checks";
        checks.extend(IN_TREE.map(|name| Check::skipped(name, why)));
        checks.push(libraries::libraries(host));
    } else {
        let process = Process::of(host);
        let (vfs, pfs): (Vec<&Device>, Vec<&Device>) = served
            .into_iter()
            .partition(|device| device.virtual_function);
        let [vfio, group, memlock] = match &process {
            Some(process) => {
                let vfio = access::vfio(host, process, &vfs);
                let group = access::group(host, process, &vfio);
                [vfio, group, access::memlock(process, &pfs, &vfs)]
            }
            None => ["vfio", "group", "memlock"].map(|name| {
                Check::skipped(name, "/proc/self does not say what this process may do")
            }),
        };
        checks.extend([
            hardware::driver(host, &pfs),
            hardware::firmware(host, &pfs),
            service::services(&pfs),
            access::iommu(host),
            access::vfs(&pfs, &vfs),
            vfio,
            group,
            service::service(host),
            memlock,
            libraries::libraries(host),
        ]);
    }
    checks.extend(provider.checks());
    checks
}

/// The same word for one and for several.
fn counted(n: usize, what: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {what}{s}")
}
