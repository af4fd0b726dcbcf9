//! `compressor list`: the providers, what they can do, and who serves what.

mod print;
mod report;

use std::io::Write;

use crate::effort::EffortArgs;
use crate::failure::Failure;
use crate::plugins::PluginArgs;
use crate::table;

use report::Report;

/// List providers, their capabilities, and who serves each format.
///
/// Opens every provider, as an engine would when it first needs it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Say for each format and direction who was considered, and what came of it.
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    effort: EffortArgs,
    #[command(flatten)]
    plugins: PluginArgs,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let engine = args.plugins.setup()?.engine()?;
    let report = Report::of(&engine, &args.effort, args.explain)?;
    if args.json {
        table::print_json(&report, out)
    } else {
        print::print(&report, out)
    }
}

#[cfg(test)]
mod tests {
    use compressor::Engine;

    use super::*;
    use crate::absent;

    fn report() -> Report {
        let engine = Engine::builder()
            .provider(&absent::PROVIDER)
            .build()
            .unwrap();
        Report::of(&engine, &EffortArgs::default(), true).unwrap()
    }

    #[test]
    fn a_provider_that_is_not_there_is_listed_with_the_reason() {
        let report = serde_json::to_value(report()).unwrap();
        let provider = &report["providers"][0];
        assert_eq!(provider["id"], "example.absent");
        assert_eq!(
            (&provider["class"], &provider["priority"]),
            (&"accelerator".into(), &100.into())
        );
        assert_eq!(
            (&provider["state"], &provider["why"]),
            (&"Absent".into(), &"there is no /dev/example".into())
        );
        assert_eq!(provider["capabilities"], serde_json::json!([]));
        assert_eq!(provider["params"][0]["default"], "5ms");

        let zlib = &report["formats"][4];
        assert_eq!(zlib["compress"], "libdeflate");
        assert_eq!(
            zlib["considered"][0],
            serde_json::json!({
                "direction": "compress",
                "provider": "example.absent",
                "verdict": "Absent: there is no /dev/example",
            })
        );
    }

    #[test]
    fn tables_tell_it_too() {
        let mut out = Vec::new();
        print::print(&report(), &mut out).unwrap();
        // Columns are as wide as whatever else is in them.
        let out = String::from_utf8(out).unwrap();
        let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
        for line in [
            "| Absent: there is no /dev/example |",
            "| deadline | a time from 1µs to 1s, as in 250ms | 5ms |",
            "| zlib | compress | example.absent | Absent: there is no /dev/example |",
        ] {
            assert!(out.contains(line), "{line}\n{out}");
        }
    }
}
