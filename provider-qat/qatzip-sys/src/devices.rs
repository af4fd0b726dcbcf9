//! Which QAT devices there are on a PCI bus.

/// The PCI vendor of all of them: Intel.
pub const VENDOR: u16 = 0x8086;

/// A kind of QAT device.
///
/// Numbers and names are those of the Linux kernel (`include/linux/pci_ids.h`,
/// `drivers/crypto/intel/qat`), and of DPDK for what Intel's own driver alone serves.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Model {
    /// What the drivers call it.
    pub name: &'static str,
    /// Device number of its physical function.
    pub pf: u16,
    /// Device number of its virtual functions.
    pub vf: u16,
    /// What it can do.
    pub generation: Generation,
    /// The kernel module for its physical function.
    pub module: &'static str,
    /// The name under which that module binds a device.
    pub driver: &'static str,
    /// Its firmware is this with `.bin` and with `_mmp.bin` after it.
    pub firmware: &'static str,
}

/// A generation of devices, as far as what they compress differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Generation {
    /// And the third: Deflate only.
    Second,
    /// Deflate, LZ4 and LZ4s.
    Fourth,
    /// Zstandard as well.
    Sixth,
}

impl Generation {
    /// Whether QATlib serves it, over VFIO and the kernel's own driver. What is older takes Intel's
    /// out-of-tree package, with other device nodes.
    #[must_use]
    pub const fn by_qatlib(self) -> bool {
        matches!(self, Self::Fourth | Self::Sixth)
    }
}

use Generation::{Fourth, Second, Sixth};

/// All of them.
#[rustfmt::skip]
pub static MODELS: [Model; 11] = [
    Model { name: "4xxx", pf: 0x4940, vf: 0x4941, generation: Fourth, module: "qat_4xxx", driver: "4xxx", firmware: "qat_4xxx" },
    Model { name: "401xx", pf: 0x4942, vf: 0x4943, generation: Fourth, module: "qat_4xxx", driver: "4xxx", firmware: "qat_4xxx" },
    Model { name: "402xx", pf: 0x4944, vf: 0x4945, generation: Fourth, module: "qat_4xxx", driver: "4xxx", firmware: "qat_402xx" },
    Model { name: "420xx", pf: 0x4946, vf: 0x4947, generation: Fourth, module: "qat_420xx", driver: "420xx", firmware: "qat_420xx" },
    Model { name: "6xxx", pf: 0x4948, vf: 0x4949, generation: Sixth, module: "qat_6xxx", driver: "6xxx", firmware: "qat_6xxx" },
    Model { name: "dh895xcc", pf: 0x0435, vf: 0x0443, generation: Second, module: "qat_dh895xcc", driver: "dh895xcc", firmware: "qat_895xcc" },
    Model { name: "c3xxx", pf: 0x19e2, vf: 0x19e3, generation: Second, module: "qat_c3xxx", driver: "c3xxx", firmware: "qat_c3xxx" },
    Model { name: "c62x", pf: 0x37c8, vf: 0x37c9, generation: Second, module: "qat_c62x", driver: "c6xx", firmware: "qat_c62x" },
    Model { name: "200xx", pf: 0x18ee, vf: 0x18ef, generation: Second, module: "qat_200xx", driver: "200xx", firmware: "qat_200xx" },
    Model { name: "c4xxx", pf: 0x18a0, vf: 0x18a1, generation: Second, module: "qat_c4xxx", driver: "c4xxx", firmware: "qat_c4xxx" },
    Model { name: "d15xx", pf: 0x6f54, vf: 0x6f55, generation: Second, module: "qat_d15xx", driver: "d15xx", firmware: "qat_d15xx" },
];

impl Model {
    /// The one with this device number, of a physical or a virtual function.
    #[must_use]
    pub fn of(device: u16) -> Option<&'static Self> {
        MODELS
            .iter()
            .find(|model| device == model.pf || device == model.vf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_number_is_listed_once_and_found() {
        let mut ids: Vec<u16> = MODELS.iter().flat_map(|m| [m.pf, m.vf]).collect();
        for id in &ids {
            let model = Model::of(*id).unwrap();
            assert!([model.pf, model.vf].contains(id));
        }
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
        assert_eq!(Model::of(0), None);
    }
}
