//! The QAT devices on the PCI bus.

use serde::Serialize;

use super::host::Host;

const DEVICES: &str = "/sys/bus/pci/devices";
const INTEL: u16 = 0x8086;

/// A kind of QAT device.
///
/// Numbers and names are those of the Linux kernel (`include/linux/pci_ids.h`,
/// `drivers/crypto/intel/qat`), and of DPDK for what Intel's own driver alone serves.
#[derive(Debug)]
pub struct Model {
    pub name: &'static str,
    /// Device numbers of its physical and its virtual function.
    pf: u16,
    vf: u16,
    /// The kernel module for its physical function, and the name under which that binds a device.
    pub module: &'static str,
    pub driver: &'static str,
    /// Its firmware is this with `.bin` and with `_mmp.bin` after it.
    pub firmware: &'static str,
    /// Whether QATlib serves it, over VFIO and the kernel's own driver: from the fourth generation
    /// on. What is older takes Intel's out-of-tree package, with other device nodes.
    pub by_qatlib: bool,
}

#[rustfmt::skip]
const MODELS: &[Model] = &[
    Model { name: "4xxx", pf: 0x4940, vf: 0x4941, module: "qat_4xxx", driver: "4xxx", firmware: "qat_4xxx", by_qatlib: true },
    Model { name: "401xx", pf: 0x4942, vf: 0x4943, module: "qat_4xxx", driver: "4xxx", firmware: "qat_4xxx", by_qatlib: true },
    Model { name: "402xx", pf: 0x4944, vf: 0x4945, module: "qat_4xxx", driver: "4xxx", firmware: "qat_402xx", by_qatlib: true },
    Model { name: "420xx", pf: 0x4946, vf: 0x4947, module: "qat_420xx", driver: "420xx", firmware: "qat_420xx", by_qatlib: true },
    Model { name: "6xxx", pf: 0x4948, vf: 0x4949, module: "qat_6xxx", driver: "6xxx", firmware: "qat_6xxx", by_qatlib: true },
    Model { name: "dh895xcc", pf: 0x0435, vf: 0x0443, module: "qat_dh895xcc", driver: "dh895xcc", firmware: "qat_895xcc", by_qatlib: false },
    Model { name: "c3xxx", pf: 0x19e2, vf: 0x19e3, module: "qat_c3xxx", driver: "c3xxx", firmware: "qat_c3xxx", by_qatlib: false },
    Model { name: "c62x", pf: 0x37c8, vf: 0x37c9, module: "qat_c62x", driver: "c6xx", firmware: "qat_c62x", by_qatlib: false },
    Model { name: "200xx", pf: 0x18ee, vf: 0x18ef, module: "qat_200xx", driver: "200xx", firmware: "qat_200xx", by_qatlib: false },
    Model { name: "c4xxx", pf: 0x18a0, vf: 0x18a1, module: "qat_c4xxx", driver: "c4xxx", firmware: "qat_c4xxx", by_qatlib: false },
    Model { name: "d15xx", pf: 0x6f54, vf: 0x6f55, module: "qat_d15xx", driver: "d15xx", firmware: "qat_d15xx", by_qatlib: false },
];

/// A device, or a part of one that a process or a virtual machine can have for itself.
#[derive(Debug, Serialize)]
pub struct Device {
    /// Where it is on the bus: domain, bus, device, function.
    pub address: String,
    #[serde(serialize_with = "name")]
    pub model: &'static Model,
    /// Whether it is a virtual function.
    pub virtual_function: bool,
    /// The driver that is bound to it.
    pub driver: Option<String>,
    /// The number of its IOMMU group.
    pub iommu_group: Option<String>,
    /// How many virtual functions it has, and could have.
    pub vfs: Option<u32>,
    pub max_vfs: Option<u32>,
    /// `up` or `down`.
    pub state: Option<String>,
    /// What it is configured for, as in `sym;dc`.
    pub services: Option<String>,
}

impl Device {
    /// All of them, by address.
    pub fn all(host: &Host) -> Vec<Self> {
        let names = host.names(DEVICES).into_iter();
        names.filter_map(|name| Self::at(host, name)).collect()
    }

    /// Whether it is configured to compress; `None` where that cannot be seen.
    pub fn compresses(&self) -> Option<bool> {
        let services = self.services.as_deref()?;
        let mut services = services.split([';', ',']).map(str::trim);
        Some(services.any(|service| matches!(service, "dc" | "dcc")))
    }

    fn at(host: &Host, address: String) -> Option<Self> {
        let attribute = |name: &str| host.text(&format!("{DEVICES}/{address}/{name}"));
        let number = |name| u16::from_str_radix(attribute(name)?.strip_prefix("0x")?, 16).ok();
        if number("vendor")? != INTEL {
            return None;
        }
        let id = number("device")?;
        let model = MODELS
            .iter()
            .find(|model| id == model.pf || id == model.vf)?;
        let link = |name| host.link(&format!("{DEVICES}/{address}/{name}"));
        let count = |name| attribute(name)?.parse().ok();
        Some(Self {
            model,
            virtual_function: id == model.vf,
            driver: link("driver"),
            iommu_group: link("iommu_group"),
            vfs: count("sriov_numvfs"),
            max_vfs: count("sriov_totalvfs"),
            state: attribute("qat/state"),
            services: attribute("qat/cfg_services"),
            address,
        })
    }
}

fn name<S: serde::Serializer>(model: &&Model, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(model.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_number_is_listed_once() {
        let mut ids: Vec<u16> = MODELS.iter().flat_map(|m| [m.pf, m.vf]).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }

    #[test]
    fn services_are_words_and_not_parts_of_words() {
        let device = |services: Option<&str>| Device {
            address: "0000:6b:00.0".into(),
            model: &MODELS[0],
            virtual_function: false,
            driver: None,
            iommu_group: None,
            vfs: None,
            max_vfs: None,
            state: None,
            services: services.map(str::to_owned),
        };
        for (services, compresses) in [
            (None, None),
            (Some(""), Some(false)),
            (Some("sym;asym"), Some(false)),
            (Some("dc"), Some(true)),
            (Some("sym;dc"), Some(true)),
            (Some("dc;asym"), Some(true)),
            (Some("dcc"), Some(true)),
            // Decompression alone is not what the provider offers.
            (Some("decomp"), Some(false)),
        ] {
            assert_eq!(device(services).compresses(), compresses, "{services:?}");
        }
    }
}
