use std::time::Duration;

/// How much is run, and how strictly.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// A part of the levels, sizes and kinds of data: seconds instead of minutes.
    pub quick: bool,
    /// Software that serves in place of the provider is a failure.
    pub must_accelerate: bool,
    /// What the data is made from.
    pub seed: u64,
    /// Names of checks or groups to run alone; empty for all.
    pub only: Vec<String>,
    /// How long one case may take before it is given up. Generous: a case is many calls, and on a
    /// busy host.
    pub deadline: Duration,
    /// How long a provider may answer `Busy` before that counts as refusing to serve.
    pub patience: Duration,
    /// Failures after which a check of one format and direction stops.
    pub max_failures: usize,
}

impl Options {
    /// A part of everything, within seconds.
    #[must_use]
    pub const fn quick() -> Self {
        Self {
            quick: true,
            must_accelerate: false,
            seed: 1,
            only: Vec::new(),
            deadline: Duration::from_secs(60),
            patience: Duration::from_secs(2),
            max_failures: 3,
        }
    }

    /// Everything.
    #[must_use]
    pub fn full() -> Self {
        Self {
            quick: false,
            deadline: Duration::from_secs(300),
            ..Self::quick()
        }
    }

    /// Quick, unless the variable `COMPRESSOR_CONFORMANCE` of the environment is `full`.
    #[must_use]
    pub fn from_env() -> Self {
        match std::env::var("COMPRESSOR_CONFORMANCE") {
            Ok(value) if value == "full" => Self::full(),
            _ => Self::quick(),
        }
    }

    /// Data from another seed.
    #[must_use]
    pub const fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Only the check or group of this name, and those named before.
    #[must_use]
    pub fn only(mut self, name: impl Into<String>) -> Self {
        self.only.push(name.into());
        self
    }

    /// Another deadline.
    #[must_use]
    pub const fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Another patience with `Busy`.
    #[must_use]
    pub const fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Software that serves in place of the provider is a failure.
    #[must_use]
    pub const fn must_accelerate(mut self) -> Self {
        self.must_accelerate = true;
        self
    }
}

impl Default for Options {
    /// [`quick`](Self::quick).
    fn default() -> Self {
        Self::quick()
    }
}
