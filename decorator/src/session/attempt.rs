//! One operation through the accelerator, and through software where that came to nothing.

use compressor_api::{Blame, Direction, Error, ErrorKind};

use super::device::Device;
use super::fault::{Charge, Fault};
use super::op::{Op, Side, Verified};
use super::software::Software;
use crate::accelerator::Accelerator;
use crate::breaker::Pass;
use crate::contain::contain;
use crate::{Cause, Reason, gate};

/// An accelerator in front of software, in one session.
pub(crate) struct Attempt<'a, S: Side + ?Sized> {
    pub accelerator: &'a Accelerator,
    pub device: &'a mut Device<S>,
    pub software: &'a mut Software<S>,
}

impl<S: Side + ?Sized> Attempt<'_, S> {
    /// Runs one operation.
    #[inline]
    pub fn run<O: Op<Session = S>>(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let accelerator = self.accelerator;
        let declared = match O::gate(accelerator, src, dst.len()) {
            Ok(declared) => declared,
            Err(reason) => return self.decline::<O>(reason, src, dst),
        };
        let mut pass = match accelerator.guard.admit_if_closed() {
            Some(pass) if self.device.is_clear(accelerator) => pass,
            _ => match self.device.admit(accelerator) {
                Ok(pass) => pass,
                Err(reason) => return self.decline::<O>(reason, src, dst),
            },
        };
        let permit = match accelerator.permit(1) {
            Ok(permit) => permit,
            Err(reason) => return self.decline::<O>(reason, src, dst),
        };
        let Some(session) = self.device.session() else {
            drop(permit);
            return self.open_and_run::<O>(&mut pass, declared, src, dst);
        };
        // One word comes back through the catching of panics, and the error beside it: a whole
        // `Result` would be copied there in pieces that the next load has to wait for.
        let mut error = None;
        let answer = contain(|| match O::run(session, src, dst) {
            Ok(n) => n,
            Err(why) => {
                error = Some(why);
                0
            }
        });
        drop(permit);
        match (answer, error) {
            (Some(n), None) => self.conclude::<O>(&mut pass, declared, n, src, dst),
            (Some(_), Some(error)) => self.excuse::<O>(&mut pass, error, src, dst),
            (None, _) => self.panicked::<O>(&mut pass, src, dst),
        }
    }

    /// As [`run`](Self::run), past the gates, without a session: makes one first.
    #[cold]
    fn open_and_run<O: Op<Session = S>>(
        &mut self,
        pass: &mut Pass<'_>,
        declared: Option<u64>,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let accelerator = self.accelerator;
        let permit = match accelerator.permit(1) {
            Ok(permit) => permit,
            Err(reason) => return self.decline::<O>(reason, src, dst),
        };
        if let Err(why) = self.device.open(accelerator) {
            drop(permit);
            let fault = self.not_opened(why);
            return self.redo::<O>(pass, fault, src, dst);
        }
        let session = self.device.session();
        let answer = session.and_then(|session| contain(|| O::run(session, src, dst)));
        drop(permit);
        self.settle::<O>(pass, declared, answer, src, dst)
    }

    /// Makes the accelerator's session, if the breaker is closed; otherwise the first operation
    /// that it lets through does.
    ///
    /// # Errors
    ///
    /// The accelerator's, if software may not stand in.
    pub fn open(&mut self) -> Result<(), Error> {
        let accelerator = self.accelerator;
        let Some(mut pass) = accelerator.guard.admit_if_closed() else {
            return Ok(());
        };
        let Err(why) = self.device.open(accelerator) else {
            return Ok(());
        };
        let fault = self.not_opened(why);
        self.charge(&mut pass, fault.charge);
        if self.may_not_replace(fault) {
            Err(fault.error)
        } else {
            Ok(())
        }
    }

    fn not_opened(&mut self, why: Option<Error>) -> Fault {
        let kind = why.map_or(ErrorKind::Panic, Error::kind);
        self.software.tally.error(kind);
        let accelerator = self.accelerator;
        let fault = match why {
            Some(error) => Fault::answered(accelerator.capabilities.direction, error),
            None => Fault::panicked(accelerator.provider),
        };
        self.device.lose(fault.is_forked());
        fault
    }

    /// Leaves the operation to software, without an attempt.
    #[cold]
    pub fn decline<O: Op<Session = S>>(
        &mut self,
        reason: Reason,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let broken = match reason {
            Reason::BreakerOpen | Reason::Quarantined => Some(ErrorKind::Device),
            Reason::Rejected => Some(ErrorKind::Unsupported),
            _ => None,
        };
        match broken {
            Some(kind) if self.accelerator.fails() => self.fail(self.accelerator.error(kind)),
            _ => self.software.serve::<O>(reason, src, dst),
        }
    }

    /// Makes of the accelerator's answer (`None`: it panicked) the operation's result.
    pub fn settle<O: Op<Session = S>>(
        &mut self,
        pass: &mut Pass<'_>,
        declared: Option<u64>,
        answer: Option<Result<usize, Error>>,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        match answer {
            Some(Ok(n)) => self.conclude::<O>(pass, declared, n, src, dst),
            Some(Err(error)) => self.excuse::<O>(pass, error, src, dst),
            None => self.panicked::<O>(pass, src, dst),
        }
    }

    /// The accelerator said OK.
    #[inline]
    fn conclude<O: Op<Session = S>>(
        &mut self,
        pass: &mut Pass<'_>,
        declared: Option<u64>,
        n: usize,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        match self.check::<O>(pass, declared, src, dst, n) {
            Ok(()) => {
                self.accept(pass, src.len(), n);
                Ok(n)
            }
            Err(fault) => self.redo::<O>(pass, fault, src, dst),
        }
    }

    /// The accelerator answered with an error.
    #[cold]
    fn excuse<O: Op<Session = S>>(
        &mut self,
        pass: &mut Pass<'_>,
        error: Error,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        self.software.tally.error(error.kind());
        if self.is_final::<O>(pass, error, src, dst.len()) {
            self.software.tally.accelerated(src.len(), 0);
            return Err(error);
        }
        let fault = Fault::answered(O::DIRECTION, error);
        self.redo::<O>(pass, fault, src, dst)
    }

    #[cold]
    fn panicked<O: Op<Session = S>>(
        &mut self,
        pass: &mut Pass<'_>,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        self.software.tally.error(ErrorKind::Panic);
        let fault = Fault::panicked(self.accelerator.provider);
        self.redo::<O>(pass, fault, src, dst)
    }

    /// Whether `n` can be, and if it is verified is, the right result. Data, not truth: nothing is
    /// sliced by it before it was compared.
    #[inline]
    pub fn check<O: Op<Session = S>>(
        &mut self,
        pass: &Pass<'_>,
        declared: Option<u64>,
        src: &[u8],
        dst: &[u8],
        n: usize,
    ) -> Result<(), Fault> {
        let accelerator = self.accelerator;
        let implausible = Fault::implausible(O::DIRECTION, accelerator.provider);
        let result = match dst.get(..n) {
            Some(result) if O::plausible(accelerator, declared, src, result) => result,
            _ => {
                self.software.tally.implausible();
                return Err(implausible);
            }
        };
        // Nothing, where the format does not say how much there is: easily said, quickly checked.
        if O::DIRECTION == Direction::Decompress
            && result.is_empty()
            && declared.is_none()
            && O::verify(self.software, src, result) != Verified::Same
        {
            self.software.tally.implausible();
            return Err(implausible);
        }
        if accelerator.verifies() {
            // Now, while content of this length is new: an operation that is drawn much later
            // would allocate in a session that its caller takes for warm.
            self.software.scratch.prepare(match O::DIRECTION {
                Direction::Compress => src.len(),
                Direction::Decompress => result.len(),
            });
        }
        if !accelerator.draws(pass, &mut self.software.dice) {
            return Ok(());
        }
        self.software.tally.verified();
        match O::verify(self.software, src, result) {
            Verified::Same => Ok(()),
            Verified::Different => Err(Fault::mismatch(O::DIRECTION, accelerator.provider)),
            Verified::Unknown => Err(Fault::unverified(accelerator.provider)),
        }
    }

    #[inline]
    pub fn accept(&mut self, pass: &mut Pass<'_>, bytes_in: usize, bytes_out: usize) {
        self.accelerator.guard.succeeded(pass);
        self.accelerator.served();
        self.device.served();
        self.software.tally.accelerated(bytes_in, bytes_out);
    }

    /// Whether the caller gets this error as it is: a unit that does not fit a `dst` which is too
    /// short to promise that it does. Where software promises it, or the operation is drawn for
    /// verification, software has the last word.
    #[cold]
    fn is_final<O: Op<Session = S>>(
        &mut self,
        pass: &Pass<'_>,
        error: Error,
        src: &[u8],
        dst_len: usize,
    ) -> bool {
        O::DIRECTION == Direction::Compress
            && error.kind() == ErrorKind::OutputTooSmall
            && self
                .accelerator
                .software
                .max_compressed_len(src.len())
                .is_none_or(|bound| dst_len < bound)
            && !self.accelerator.draws(pass, &mut self.software.dice)
    }

    /// Does a failed operation again in software, from byte 0, and charges who is to blame.
    #[cold]
    pub fn redo<O: Op<Session = S>>(
        &mut self,
        pass: &mut Pass<'_>,
        fault: Fault,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        if fault.loses_session() && self.device.session().is_some() {
            self.device.lose(fault.is_forked());
        }
        let fails = self.may_not_replace(fault);
        if !fault.if_software_can {
            self.charge(pass, fault.charge);
            return if fails {
                self.fail(fault.error)
            } else {
                self.software.serve::<O>(fault.reason, src, dst)
            };
        }

        let result = O::run(&mut self.software.session, src, dst);
        let reason = match result {
            Ok(n)
                if O::DIRECTION == Direction::Decompress
                    && (!gate::is_beyond_doubt(&self.accelerator.spec, src)
                        || (fault.called_corrupt
                            && gate::may_exceed_window(&self.accelerator.spec, src, n))) =>
            {
                Reason::BadInput
            }
            Ok(_) => {
                self.charge(pass, fault.charge);
                if fails {
                    return self.fail(fault.error);
                }
                fault.reason
            }
            Err(error) if error.kind().blame() == Blame::Data => Reason::BadInput,
            Err(_) => fault.reason,
        };
        self.software
            .tally
            .software(reason, src.len(), result.unwrap_or(0));
        result
    }

    /// Whether the caller gets the accelerator's error though software could do better.
    fn may_not_replace(&self, fault: Fault) -> bool {
        self.accelerator.fails() && fault.charge != Charge::Nothing
    }

    fn charge(&mut self, pass: &mut Pass<'_>, charge: Charge) {
        let accelerator = self.accelerator;
        match charge {
            Charge::Nothing => {}
            Charge::Failure(weight) => accelerator.guard.failed(pass, weight),
            Charge::Refusal => accelerator.refused(),
            Charge::Quarantine(cause) => {
                if cause == Cause::WrongBytes {
                    self.software.tally.mismatch();
                }
                accelerator.guard.quarantine(cause);
            }
        }
    }

    fn fail(&mut self, error: Error) -> Result<usize, Error> {
        self.software.tally.failed();
        Err(error)
    }
}
