//! The device: who may use it, how long it takes, and whether it is there.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use qatzip_sys as qz;

use crate::counters::{COUNTING, count};
use crate::fault::{Back, Fault, Kind, On};
use crate::script::{Malformed, Model, OnMisuse, Script};

/// The variable that holds the script until [`configure`] gives another one.
const VARIABLE: &str = "QAT_SIM";

static CURRENT: RwLock<Option<Arc<Device>>> = RwLock::new(None);

/// How often a device was lost: what was set up before does not work after it.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// The device as a script has it.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) model: Model,
    faults: Vec<Fault>,
    in_use: AtomicU32,
    /// When each engine is free.
    engines: Mutex<Vec<Instant>>,
    /// While it is gone: what calls return, and how long they do.
    lost: Mutex<Option<(i32, Until)>>,
    /// Whether [`lost`](Self::lost) holds something, without its lock.
    is_lost: AtomicU32,
}

#[derive(Clone, Copy, Debug)]
enum Until {
    Forever,
    Calls(u64),
    Time(Instant),
}

/// The device from now on; sessions that are set up go on with it.
pub(crate) fn configure(text: &str) -> Result<(), Malformed> {
    let device = Arc::new(Device::new(text.parse()?));
    *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Some(device);
    Ok(())
}

/// The device as it is configured, by the environment if not otherwise.
pub(crate) fn current() -> Arc<Device> {
    if let Some(device) = &*CURRENT.read().unwrap_or_else(PoisonError::into_inner) {
        return Arc::clone(device);
    }
    let mut current = CURRENT.write().unwrap_or_else(PoisonError::into_inner);
    let device = current.get_or_insert_with(|| {
        let text = std::env::var(VARIABLE).unwrap_or_default();
        let script = text.parse().unwrap_or_else(|malformed| {
            eprintln!("qat-sim (simulated device): {VARIABLE}: {malformed}; it has no effect");
            Script::default()
        });
        Arc::new(Device::new(script))
    });
    Arc::clone(device)
}

/// The number of times that a device was lost.
pub(crate) fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

impl Device {
    fn new(script: Script) -> Self {
        let Script { model, faults } = script;
        let engines = model.engines.min(model.instances) as usize;
        Self {
            engines: Mutex::new(vec![Instant::now(); engines]),
            model,
            faults,
            in_use: AtomicU32::new(0),
            lost: Mutex::new(None),
            is_lost: AtomicU32::new(0),
        }
    }

    /// The fault that strikes this call, if one does.
    pub(crate) fn fault(&self, call: On) -> Option<&Fault> {
        let fault = self.faults.iter().find(|fault| fault.strikes(call))?;
        count(&COUNTING.faults);
        if !fault.delay.is_zero() && !matches!(fault.kind, Kind::LateWrite(_)) {
            thread::sleep(fault.delay);
        }
        Some(fault)
    }

    /// A place on the device; `None` if every instance is in use, or its queue is full.
    pub(crate) fn admit(&self) -> Option<Place<'_>> {
        let place = Place(self);
        let others = self.in_use.fetch_add(1, Ordering::AcqRel);
        let waiting = self.model.engines.saturating_add(self.model.queue);
        if others < self.model.instances.min(waiting) {
            COUNTING.peak.fetch_max(others + 1, Ordering::Relaxed);
            return Some(place);
        }
        count(&COUNTING.busy);
        None
    }

    /// What this call returns since the device is gone, if it is.
    pub(crate) fn lost(&self) -> Option<i32> {
        if self.is_lost.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        let (code, until) = lost.as_mut()?;
        let gone = match until {
            Until::Forever => true,
            Until::Calls(calls) => {
                *calls = calls.saturating_sub(1);
                *calls > 0
            }
            Until::Time(back) => Instant::now() < *back,
        };
        let code = *code;
        if !gone {
            *lost = None;
            self.is_lost.store(0, Ordering::Relaxed);
        }
        gone.then_some(code)
    }

    /// The device goes away.
    pub(crate) fn lose(&self, code: i32, back: Back) {
        let until = match back {
            Back::Never => Until::Forever,
            // This call is not one of them.
            Back::Calls(calls) => Until::Calls(calls.saturating_add(1)),
            Back::Time(time) => Until::Time(Instant::now() + time),
        };
        *self.lost.lock().unwrap_or_else(PoisonError::into_inner) = Some((code, until));
        self.is_lost.store(1, Ordering::Relaxed);
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }

    /// The time at which the device is done with so many buffers, of so many bytes together, that
    /// it was given at `start`; `None` if it takes no time.
    pub(crate) fn done_at(&self, start: Instant, buffers: u32, bytes: usize) -> Option<Instant> {
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        let takes = self.model.service * buffers + self.model.per_kib * kib;
        if takes.is_zero() {
            return None;
        }
        let mut engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        let free = engines.iter_mut().min()?;
        *free = (*free).max(start) + takes;
        Some(*free)
    }

    /// A call that QATzip rules out.
    pub(crate) fn misuse(&self, what: &str) -> i32 {
        count(&COUNTING.misuses);
        eprintln!("qat-sim (simulated device): {what}");
        match self.model.misuse {
            OnMisuse::Abort => std::process::abort(),
            OnMisuse::Fail => qz::QZ_FAIL,
        }
    }
}

/// Waits until `time`, as QATzip does: without giving up the CPU, or asleep.
pub(crate) fn wait_until(time: Instant, busy: bool) {
    loop {
        let left = time.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        if busy {
            std::hint::spin_loop();
        } else {
            thread::sleep(left.min(Duration::from_millis(100)));
        }
    }
}

/// A place on the device, given back when dropped.
#[derive(Debug)]
pub(crate) struct Place<'a>(&'a Device);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.in_use.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(text: &str) -> Device {
        Device::new(text.parse().unwrap())
    }

    #[test]
    fn instances_are_limited_and_given_back() {
        let device = device("instances=2");
        let (first, second) = (device.admit(), device.admit());
        assert!(first.is_some() && second.is_some());
        assert!(device.admit().is_none());
        drop(first);
        assert!(device.admit().is_some());
    }

    #[test]
    fn a_queue_is_limited() {
        let device = device("instances=8; engines=1; queue=1");
        let places = [device.admit(), device.admit(), device.admit()];
        assert_eq!(places.map(|place| place.is_some()), [true, true, false]);
    }

    #[test]
    fn an_engine_serves_one_after_the_other() {
        assert_eq!(device("").done_at(Instant::now(), 9, 4096), None);
        let device = device("engines=2; service=10us; per-kib=1us");
        let start = Instant::now() + Duration::from_secs(1);
        let after = |bytes| device.done_at(start, 1, bytes).unwrap() - start;
        assert_eq!(after(4096), Duration::from_micros(14));
        assert_eq!(after(1), Duration::from_micros(11));
        // Waits for the engine that is free first.
        assert_eq!(after(0), Duration::from_micros(21));
    }

    #[test]
    fn a_lost_device_comes_back() {
        let device = device("");
        assert_eq!(device.lost(), None);
        let before = generation();
        device.lose(-2, Back::Calls(2));
        assert!(generation() > before);
        let gone = [(); 4].map(|()| device.lost());
        assert_eq!(gone, [Some(-2), Some(-2), None, None]);
        device.lose(-103, Back::Never);
        assert!((0..100).all(|_| device.lost() == Some(-103)));
        device.lose(-2, Back::Time(Duration::ZERO));
        assert_eq!(device.lost(), None);
    }
}
