//! The QAT devices on the PCI bus.

use qatzip_sys::{Model, VENDOR};
use serde::Serialize;

use super::host::Host;

const DEVICES: &str = "/sys/bus/pci/devices";

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
        if number("vendor")? != VENDOR {
            return None;
        }
        let id = number("device")?;
        let model = Model::of(id)?;
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
    fn services_are_words_and_not_parts_of_words() {
        let device = |services: Option<&str>| Device {
            address: "0000:6b:00.0".into(),
            model: Model::of(0x4940).unwrap(),
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
