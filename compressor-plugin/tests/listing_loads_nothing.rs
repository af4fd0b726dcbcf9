//! Plugins with a manifest are listed, chosen among and passed over without loading any code.
//!
//! Alone in its process, for it counts what the process loads.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::fs;

use common::{Fixture, directory, mode};
use compressor_api::{Format, Policy, ProviderEntry, Registry, Spec, stored};
use compressor_plugin::{libraries_loaded, list, load, manifest};

#[test]
fn ten_plugins_with_manifests_cost_no_dlopen() {
    let plugins = directory("ten");
    for i in 0..10 {
        let name = format!("listed-{i}");
        if Fixture::new(&name).build_in(&plugins).is_none() {
            return;
        }
        let file = plugins.join(format!("lib{name}.toml"));
        let text = format!(
            "abi = 1\nid = \"{name}\"\ndescription = \"A fixture of the tests\"\n\
             formats = [\"none\"]\n"
        );
        fs::write(&file, text).unwrap();
        mode(&file, 0o644);
    }
    let entries = || -> Vec<&'static ProviderEntry> {
        list([&plugins])
            .into_iter()
            .collect::<Result<_, _>>()
            .unwrap()
    };
    let listed = entries();
    assert_eq!(listed.len(), 10);
    assert_eq!(libraries_loaded(), 0);

    let registry = |listed: &[&'static ProviderEntry]| {
        let software = Registry::builder().provider(&stored::PROVIDER);
        listed
            .iter()
            .fold(software, |b, entry| b.provider(entry))
            .build()
            .unwrap()
    };
    // Software alone is selected: nothing is loaded.
    let spec = Spec::new(Format::None);
    registry(&listed)
        .select(&spec, &Policy::software_only())
        .unwrap();
    assert_eq!(libraries_loaded(), 0);

    // One is selected: that one is loaded.
    let policy = Policy::default().prefer("listed-7");
    let selection = registry(&listed).select(&spec, &policy).unwrap();
    assert_eq!(selection.compress.unwrap().provider.as_str(), "listed-7");
    assert_eq!(libraries_loaded(), 1);

    // Once, however often it is listed, loaded and opened.
    assert!(std::ptr::eq(entries()[7], listed[7]));
    assert!(std::ptr::eq(
        load(plugins.join("liblisted-7.so")).unwrap(),
        listed[7]
    ));
    registry(&listed).open("listed-7").unwrap();
    assert_eq!(libraries_loaded(), 1);

    // The manifest that a loaded plugin should have is the one that was read.
    let text = fs::read_to_string(plugins.join("liblisted-7.toml")).unwrap();
    assert_eq!(manifest(listed[7]), format!("{text}priority = 0\n"));

    // Without a manifest there is no other way.
    fs::remove_file(plugins.join("liblisted-3.toml")).unwrap();
    assert_eq!(entries().len(), 10);
    assert_eq!(libraries_loaded(), 1, "it is known already");
    let bare = directory("bare");
    Fixture::new("bare").build_in(&bare).unwrap();
    assert_eq!(list([&bare]).len(), 1);
    assert_eq!(libraries_loaded(), 2);
}
