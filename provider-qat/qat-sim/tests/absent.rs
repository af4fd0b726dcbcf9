//! A process without a device: of its own, for it stays so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use common::{Session, Sim};
use qat_sim::api;

#[test]
fn nothing_but_a_tear_down_is_called_without_a_device() {
    let sim = Sim::new("init=-101; misuse=fail");
    let mut session = Session::unset();
    // SAFETY: a live session, which nobody else has.
    let init = |session: &mut Session| unsafe { api::qzInit(&mut *session.0, 0) };
    assert_eq!(init(&mut session), -101);
    session.tear_down();
    assert_eq!(sim.counted(|c| c.misuses), 0);
    assert_eq!(init(&mut session), -2);
    assert_eq!(session.compress(&[0; 500], &mut [0; 500]), (-2, 0, 0));
    assert_eq!(sim.counted(|c| c.misuses), 2);
}
