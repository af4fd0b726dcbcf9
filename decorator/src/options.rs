use compressor_api::OnFailure;

/// Which results of an accelerator are decoded in software and compared, byte by byte.
///
/// Whatever is chosen, an operation that a half-open breaker lets through is always verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verify {
    /// None.
    Never,
    /// A few.
    Sampled {
        /// The first so many of a format and level, counted over all sessions, and again after
        /// each recovery of the device.
        first: u32,
        /// Then one in so many, by chance, so that no period can dodge it; 0 for none. A device
        /// that verifies its own results is spared these.
        one_in: u32,
    },
    /// All.
    Always,
}

impl Verify {
    const DEFAULT: Self = Self::Sampled {
        first: 32,
        one_in: 1024,
    };
}

impl Default for Verify {
    /// The first 32, then one in 1,024.
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How far an accelerator is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {
    /// Which results are verified.
    pub verify: Verify,
    /// Whether known answers are exchanged with software before the accelerator is used:
    /// [`self_check`](crate::self_check).
    pub self_check: bool,
    /// What happens when an operation fails in the accelerator.
    ///
    /// With [`OnFailure::Fail`] the caller gets the accelerator's error, and an error while the
    /// breaker is open or the accelerator quarantined. What is not the accelerator's fault still
    /// goes to software: input outside its limits, no capacity, bad data.
    pub on_operation_error: OnFailure,
}

impl Options {
    /// Samples, self-checks, falls back.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            verify: Verify::DEFAULT,
            self_check: true,
            on_operation_error: OnFailure::Software,
        }
    }

    /// Says which results are verified.
    #[must_use]
    pub const fn verify(mut self, verify: Verify) -> Self {
        self.verify = verify;
        self
    }

    /// Takes accelerators without a self-check.
    #[must_use]
    pub const fn without_self_check(mut self) -> Self {
        self.self_check = false;
        self
    }

    /// Says what happens when an operation fails.
    #[must_use]
    pub const fn on_operation_error(mut self, on_failure: OnFailure) -> Self {
        self.on_operation_error = on_failure;
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}
