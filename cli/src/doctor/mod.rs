//! `compressor doctor`: why an Intel QAT device is, or is not, usable here.

mod checks;
mod host;
mod pci;
mod print;
mod process;
mod report;

use std::io::Write;
use std::path::PathBuf;

use compressor::ErrorKind;

use crate::failure::Failure;
use crate::plugins::PluginArgs;
use crate::table;

use checks::Provider;
use host::Host;
use report::Report;

/// Tell why an Intel QAT device is, or is not, usable here, with a remedy for each thing in its way.
///
/// Looks at the PCI bus, the kernel's driver, the rights of this process, and the libraries; then
/// opens the provider intel.qat and runs its self-test, as an engine would. Changes nothing. Run it as
/// the user, and with the limits, that the engine will have.
///
/// The exit status is 0 if QAT can be used and 1 if a check failed, as it does where there is no
/// device: software serves everything there, and nothing else is wrong with such a host.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Look at the files of another system, mounted or copied here, instead of this one's; its
    /// libraries are not loaded.
    #[arg(long, value_name = "DIR", default_value = "/")]
    root: PathBuf,
    #[command(flatten)]
    plugins: PluginArgs,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    if !args.root.is_dir() {
        let root = args.root.display();
        return Err(Failure::usage(format_args!("{root} is not a directory")));
    }
    let provider = if args.root.as_os_str() == "/" {
        Provider::of(&args.plugins.setup()?.engine()?)
    } else {
        Provider::NotAsked
    };
    let report = Report::of(&Host::at(&args.root), &provider);
    if args.json {
        table::print_json(&report, out)?;
    } else {
        print::print(&report, out)?;
    }
    // What was found comes before the error.
    out.flush().map_err(Failure::output)?;
    verdict(&report)
}

fn verdict(report: &Report) -> Result<(), Failure> {
    let failed = report.failed();
    if failed.is_empty() {
        return Ok(());
    }
    let failed = failed.join(", ");
    Err(if report.devices.is_empty() {
        Failure::check(format_args!("Absent: no QAT device (failed: {failed})"))
    } else {
        Failure::data(
            ErrorKind::Device,
            format_args!("QAT is not usable (failed: {failed})"),
        )
    })
}
