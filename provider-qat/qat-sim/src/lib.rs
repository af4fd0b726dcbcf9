//! A QAT device that there is not: a shared library that exports what `provider-qat` uses of QATzip,
//! so that the provider can be tested, and its cost measured, where there is no device.
//!
//! `libqat_sim.so` is QATzip with API 2.5, `libqat_sim_2.so` of the package `qat-sim-2` with API 2.6;
//! the provider's parameter `library_path` names one. **No figure that comes of it is a figure of a
//! device**, and whoever shows one says that it is simulated: `qat_sim_label` tells the libraries
//! apart from QATzip, and the first `qzInit` of a process says so on standard error.
//!
//! # What the device is like
//!
//! A script in the variable `QAT_SIM`, read when the library is first called, or given to
//! `qat_sim_configure` at any time, as often as wanted. Statements end with `;` or with the line:
//!
//! | statement | what it sets | default |
//! | --- | --- | --- |
//! | `init=CODE` | what the first `qzInit` answers | `0` |
//! | `instances=N` | calls on the device at once; one more gets −103 | `16` |
//! | `engines=N` | of which it serves so many at once | all |
//! | `queue=N` | and so many wait inside; one more gets −103 | all |
//! | `service=TIME`, `per-kib=TIME` | what a buffer takes, and each KiB of it | `0ns` |
//! | `work=fast`, `work=stored` | compresses like fast software, or not at all, in next to no time | `fast` |
//! | `misuse=abort`, `misuse=fail` | what comes of calls that are ruled out | `abort` |
//! | `formats=NAMES` | what there are instances for: of `zlib`, `gzip`, `deflate-raw`, `lz4-frame`, `lz4-block`, `lz4s`, `zstd`, with commas between; anything else gets −103 | all |
//! | `fault KIND …` | what goes wrong | nothing |
//!
//! A TIME is a whole number with `ns`, `us`, `ms` or `s`. The bytes are those of the software codecs
//! of this workspace, or of simple ones of its own; a call returns no earlier than the modelled time
//! after it began, so that its real work hides behind that.
//!
//! # What goes wrong
//!
//! `fault KIND [on=CALLS] [nth=N | every=N | rate=SHARE] [times=N] [delay=TIME] [back=…]`: the first
//! fault that is due strikes. CALLS are of `init`, `setup`, `compress`, `decompress`, with commas
//! between; the last two, if left out. On `setup` only `code` and `delay` do something, on `init` also
//! `lost`; others are refused there. A rate draws the same calls in each run.
//!
//! | KIND | what happens |
//! | --- | --- |
//! | `code=CODE` | the call returns this |
//! | `delay` | it takes longer, and is right |
//! | `lost` | the device is gone until `back=Ncalls` or `back=TIME`: calls return −2, or `code=CODE`; sessions set up before return 100 for ever |
//! | `consumes-less`, `ok-with-zero`, `truncates` | success, and not all of it |
//! | `flips-bit`, `wrong-checksum`, `no-checksum` | success, and wrong bytes |
//! | `multi-stream`, `frame-for-block` | success, in another format |
//! | `scribbles` | the output is overwritten, then −2 |
//! | `silent-software` | success, done on the CPU: the session's totals do not move |
//! | `late-write` | −2, or `code=CODE`, and the output is overwritten after `delay`: QATzip 1.3.1 returns −2 for a request that it gives up |
//! | `zero-offset`, `far-offset`, `wrong-sum` | LZ4s whose matches are wrong |
//!
//! # Where it is strict
//!
//! The documented limits of devices and of QATzip hold, and where those allow what nobody should do,
//! this does not: it ends the process (`misuse=abort`) when
//!
//! - anything but a tear-down is called after `qzInit` found no device,
//! - a session is used whose set-up failed, that was torn down, that another thread or another
//!   process uses, or whose last call did not end well,
//! - a session is set up with a larger `hw_buff_sz` than the first of the process, by which QATzip
//!   sized the buffers that it pinned,
//! - a call is given a buffer that a late write is still to come to,
//! - raw Deflate is decompressed, or anything shorter than 20 bytes.
//!
//! After −103 a session's `hw_session_stat` is 13 for good, as in QATzip 1.3.1.
//!
//! LZ4 reaches back 32 KiB in both directions, and Zstandard is read with a window of 64 KiB at most. What is longer than `hw_buff_sz` becomes several
//! units, except in raw Deflate; what decompresses to more fails. Software is not there to fall back
//! to: a set-up that allows it gets −105. What QATzip does not give to a device fails as it does with
//! software switched off (`qatzip.c`: `qzDecompressCrcExt`, `isQATProcessable`): gzip members with
//! any flag, and LZ4 frames that do not have both the length and the checksum of their content — so
//! that LZ4 of others can be given to a device only as API 2.6 does it.

#![allow(non_snake_case, reason = "the exported names are QATzip's")]

pub mod api;
pub mod api_2_6;
mod codec;
mod counters;
mod device;
mod fault;
mod late;
mod script;
mod session;
mod setup;

pub use counters::{Counters, counters};
