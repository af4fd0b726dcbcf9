//! Which QAT devices the kernel shows, without asking QATzip.
//!
//! For two things: the generation, which decides what a level means, and whether anything has
//! changed since QATzip found no device.

use std::fs;
use std::path::Path;

use qatzip_sys::{Generation, Model, VENDOR};

/// The level of its own at which a generation serves a level of QATzip's, 1 to 12.
///
/// From Intel's documentation of the devices; not measured on one.
pub(crate) const fn device_level(generation: Generation, level: u32) -> u32 {
    match generation {
        Generation::Fourth => match level {
            ..=5 => 1,
            6..=8 => 6,
            _ => 9,
        },
        Generation::Sixth => level,
        // Depths of search for 1 to 4; what is above is 4.
        _ if level > 4 => 4,
        _ => level,
    }
}

/// What was seen of devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hardware {
    /// PCI addresses with ids, and names in /dev, sorted.
    seen: Vec<String>,
    /// The least of the devices, which is what sessions may land on.
    pub(crate) generation: Option<Generation>,
}

impl Hardware {
    /// What is there now.
    pub(crate) fn look() -> Self {
        Self::look_under(Path::new("/"))
    }

    fn look_under(root: &Path) -> Self {
        let mut hardware = Self::default();
        for device in entries(&root.join("sys/bus/pci/devices")) {
            let id = |file| {
                let text = fs::read_to_string(device.join(file)).ok()?;
                u16::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
            };
            if id("vendor") != Some(VENDOR) {
                continue;
            }
            let Some((number, model)) = id("device").and_then(|id| Some((id, Model::of(id)?)))
            else {
                continue;
            };
            let known = hardware.generation.unwrap_or(model.generation);
            hardware.generation = Some(known.min(model.generation));
            hardware
                .seen
                .push(format!("{} {number:04x}", device.display()));
        }
        // What a process needs to get at them: the groups of virtual functions, or the older
        // drivers' memory.
        for node in entries(&root.join("dev/vfio")) {
            hardware.seen.push(node.display().to_string());
        }
        for node in ["dev/usdm_drv", "dev/qat_adf_ctl"] {
            let node = root.join(node);
            if node.exists() {
                hardware.seen.push(node.display().to_string());
            }
        }
        hardware.seen.sort();
        hardware
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Root(std::path::PathBuf);

    impl Root {
        fn new(name: &str) -> Self {
            let name = format!("provider-qat-{}-{name}", std::process::id());
            let root = std::env::temp_dir().join(name);
            fs::create_dir_all(&root).unwrap();
            Self(root)
        }

        fn device(&self, address: &str, vendor: &str, device: &str) {
            let folder = self.0.join("sys/bus/pci/devices").join(address);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("vendor"), format!("{vendor}\n")).unwrap();
            fs::write(folder.join("device"), format!("{device}\n")).unwrap();
        }
    }

    impl Drop for Root {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn nothing_is_seen_where_there_is_nothing() {
        let root = Root::new("nothing");
        assert_eq!(Hardware::look_under(&root.0), Hardware::default());
        root.device("0000:00:1f.0", "0x8086", "0x1234");
        root.device("0000:6b:00.0", "0x1b36", "0x4940");
        assert_eq!(Hardware::look_under(&root.0), Hardware::default());
    }

    #[test]
    fn the_oldest_device_decides_and_every_change_shows() {
        let root = Root::new("changes");
        root.device("0000:6b:00.1", "0x8086", "0x4941");
        let one = Hardware::look_under(&root.0);
        assert_eq!(one.generation, Some(Generation::Fourth));
        assert_eq!(one, Hardware::look_under(&root.0));

        root.device("0000:6c:00.0", "0x8086", "0x37c8");
        let two = Hardware::look_under(&root.0);
        assert_eq!(two.generation, Some(Generation::Second));
        assert_ne!(one, two);

        fs::create_dir_all(root.0.join("dev/vfio")).unwrap();
        fs::write(root.0.join("dev/vfio/17"), "").unwrap();
        let three = Hardware::look_under(&root.0);
        assert_ne!(two, three);
        fs::write(root.0.join("dev/usdm_drv"), "").unwrap();
        assert_ne!(three, Hardware::look_under(&root.0));
    }

    #[test]
    fn a_higher_level_is_never_served_by_a_lower_one() {
        for generation in [Generation::Second, Generation::Fourth, Generation::Sixth] {
            let levels: Vec<u32> = (1..=12)
                .map(|level| device_level(generation, level))
                .collect();
            assert!(levels.is_sorted(), "{generation:?} {levels:?}");
            assert_eq!(levels.first(), Some(&1));
        }
    }
}
