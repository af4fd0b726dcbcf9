//! What plugins say to the host's log: whenever they like, whatever they say.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::fmt::{self, Write};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use common::{Fixture, cargo_build};
use compressor_api::{Format, Params, Spec};
use compressor_plugin::load;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Level and fields of each event.
static EVENTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn events() -> Vec<String> {
    EVENTS.lock().unwrap().clone()
}

struct Collect;

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Collect {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(event.metadata().level().to_string());
        event.record(&mut fields);
        let panics = fields.0.contains("after close");
        EVENTS.lock().unwrap().push(fields.0);
        // A subscriber that panics must not unwind into the plugin.
        assert!(!panics, "the subscriber's own bug");
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn the_host_is_there_for_as_long_as_a_plugin_may_call_it() {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let foreseen = ["the subscriber's own bug", "the fixture panics"];
        let message = info.payload_as_str().unwrap_or_default();
        if !foreseen.iter().any(|start| message.starts_with(start)) {
            default_hook(info);
        }
    }));
    tracing::subscriber::set_global_default(Collect).unwrap();
    if let Some(library) = Fixture::of("logs", "logs.c").build() {
        let entry = load(&library).unwrap();
        let entered = format!("INFO message=entered plugin={}", library.display());
        assert_eq!(events(), [entered]);
        let factory = entry.opener.open(&Params::default()).unwrap();
        let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
        drop((factory, compressor));
        let the_end = format!("DEBUG message=the end plugin={}", library.display());
        for _ in 0..2_000 {
            if events().contains(&the_end) {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        // What is no text, and what comes from no host, is dropped: 100 lines are left.
        assert_eq!(events().len(), 102, "{:?}", events().last());
        assert_eq!(events().last(), Some(&the_end));
    }

    // A panic in a plugin of Rust reaches the log with its message, and the quarantine once.
    let library = cargo_build("--example", "fixture_rust", "libfixture_rust.so");
    let entry = load(&library).unwrap();
    let params = Params::parse(entry.params, [("panic_in", "compress")]).unwrap();
    let factory = entry.opener.open(&params).unwrap();
    let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
    let mut session = compressor.compress_session().unwrap();
    let before = events().len();
    for _ in 0..3 {
        session.compress(b"x", &mut [0]).unwrap_err();
    }
    let news = events().split_off(before);
    assert_eq!(news.len(), 2, "{news:?}");
    assert!(news[0].contains("ERROR message=panicked: the fixture panics in compress"));
    assert!(news[1].contains("plugin quarantined") && news[1].contains("compress panicked"));
}
