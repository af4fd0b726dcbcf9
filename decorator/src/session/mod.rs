//! Sessions that try the accelerator first.

mod attempt;
mod batch;
mod device;
mod fault;
mod op;
mod routed;
mod software;
mod spread;

use std::sync::Arc;

use compressor_api::{CompressSession, DecompressSession, Error, Job, ProviderId};

use self::attempt::Attempt;
use self::device::Device;
use self::op::{BatchOp, Compress, Decompress, DecompressExact, Op, Side};
pub(crate) use self::routed::Routed;
use self::software::{Scratch, Software};
pub(crate) use self::spread::Spread;
use crate::Reason;
use crate::accelerator::Accelerator;
use crate::counters::Tally;
use crate::dice::Dice;
use crate::lane::Lane;

/// A session of one lane.
pub(crate) struct Session<S: Side + ?Sized> {
    lane: Arc<Lane>,
    software: Software<S>,
    /// `None` until the lane has an accelerator.
    link: Option<Link<S>>,
}

struct Link<S: Side + ?Sized> {
    accelerator: Arc<Accelerator>,
    device: Device<S>,
}

impl<S: Side + ?Sized> Session<S> {
    /// With everything that can be made now: falling back later cannot fail for memory.
    ///
    /// # Errors
    ///
    /// What software says; what the accelerator says, if it may not be replaced.
    pub(crate) fn new(lane: Arc<Lane>) -> Result<Self, Error> {
        let software = Software {
            session: S::open(&*lane.software)?,
            checker: None,
            scratch: Scratch::default(),
            tally: Tally::new(lane.ledger.clone()),
            dice: Dice::new(),
        };
        let mut session = Self {
            lane,
            software,
            link: None,
        };
        if let Some(accelerator) = session.lane.accelerator.get().cloned() {
            session.link_to(accelerator)?;
        }
        Ok(session)
    }

    /// Puts the accelerator in front.
    #[cold]
    fn link_to(&mut self, accelerator: Arc<Accelerator>) -> Result<(), Error> {
        if self.software.checker.is_none() {
            self.software.checker = S::checker(&*self.lane.software)?;
        }
        let link = self.link.insert(Link {
            device: Device::new(&accelerator),
            accelerator,
        });
        let mut attempt = Attempt {
            accelerator: &link.accelerator,
            device: &mut link.device,
            software: &mut self.software,
        };
        attempt.open()
    }

    /// Software and, if there is one, the accelerator. One acquire load until there is.
    #[inline]
    fn attempt(&mut self) -> Result<Attempt<'_, S>, (Reason, &mut Software<S>)> {
        if self.link.is_none()
            && let Some(accelerator) = self.lane.accelerator.get().cloned()
        {
            // Software serves if this fails, and the next operation tries again.
            let _ = self.link_to(accelerator);
        }
        match &mut self.link {
            Some(link) => Ok(Attempt {
                accelerator: &link.accelerator,
                device: &mut link.device,
                software: &mut self.software,
            }),
            None => Err((self.lane.why_software(), &mut self.software)),
        }
    }

    #[inline]
    fn run<O: Op<Session = S>>(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        match self.attempt() {
            Ok(mut attempt) => attempt.run::<O>(src, dst),
            Err((reason, software)) => software.serve::<O>(reason, src, dst),
        }
    }

    fn run_many<O: BatchOp<Session = S>>(&mut self, jobs: &mut [Job<'_>]) {
        match self.attempt() {
            Ok(mut attempt) => attempt.run_many::<O>(jobs),
            Err((reason, software)) => {
                for job in jobs {
                    job.result = software.serve::<O>(reason, job.src, job.dst);
                }
            }
        }
    }
}

#[deny(clippy::missing_trait_methods)]
impl CompressSession for Session<dyn CompressSession> {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.run::<Compress>(src, dst)
    }

    fn compress_many(&mut self, jobs: &mut [Job<'_>]) {
        self.run_many::<Compress>(jobs);
    }
}

#[deny(clippy::missing_trait_methods)]
impl DecompressSession for Session<dyn DecompressSession> {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.run::<Decompress>(src, dst)
    }

    fn decompress_exact(&mut self, src: &[u8], dst: &mut [u8]) -> Result<(), Error> {
        self.run::<DecompressExact>(src, dst).map(|_| ())
    }

    fn decompress_many(&mut self, jobs: &mut [Job<'_>]) {
        self.run_many::<Decompress>(jobs);
    }

    fn provider(&self) -> ProviderId {
        self.software.session.provider()
    }
}
