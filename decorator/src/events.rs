//! What the log hears: one event a change, none an operation.

use compressor_api::{Error, Selected};
use tracing::{debug, error, info, warn};

use crate::accelerator::Accelerator;
use crate::{Cause, Guard};

pub(crate) fn opened(guard: &Guard) {
    warn!(
        provider = guard.provider().as_str(),
        direction = guard.direction().name(),
        "accelerator fails, software serves: breaker opened"
    );
}

pub(crate) fn closed(guard: &Guard) {
    info!(
        provider = guard.provider().as_str(),
        direction = guard.direction().name(),
        "accelerator works again: breaker closed"
    );
}

pub(crate) fn quarantined(guard: &Guard, cause: Cause) {
    error!(
        provider = guard.provider().as_str(),
        direction = guard.direction().name(),
        cause = cause.name(),
        "accelerator quarantined, software serves until it is reset"
    );
}

pub(crate) fn reset(guard: &Guard) {
    info!(
        provider = guard.provider().as_str(),
        direction = guard.direction().name(),
        "accelerator reset"
    );
}

/// Not a change: what a process begins with is asked for, not reported.
pub(crate) fn began_with(accelerator: &Accelerator) {
    debug!(
        provider = accelerator.provider.as_str(),
        direction = accelerator.capabilities.direction.name(),
        format = accelerator.spec.format().name(),
        level = accelerator.spec.level(),
        "accelerator in place"
    );
}

pub(crate) fn attached(accelerator: &Accelerator) {
    info!(
        provider = accelerator.provider.as_str(),
        direction = accelerator.capabilities.direction.name(),
        format = accelerator.spec.format().name(),
        level = accelerator.spec.level(),
        "accelerator attached"
    );
}

pub(crate) fn failed_self_check(selected: &Selected, why: Error) {
    warn!(
        provider = selected.provider.as_str(),
        direction = selected.capabilities.direction.name(),
        format = selected.capabilities.format.name(),
        error = %why,
        "accelerator failed its self-check, software serves"
    );
}

pub(crate) fn switched_off(accelerator: &Accelerator) {
    warn!(
        provider = accelerator.provider.as_str(),
        direction = accelerator.capabilities.direction.name(),
        format = accelerator.spec.format().name(),
        level = accelerator.spec.level(),
        "accelerator refuses what it published, software serves this format and level"
    );
}

pub(crate) fn switched_on(accelerator: &Accelerator) {
    info!(
        provider = accelerator.provider.as_str(),
        direction = accelerator.capabilities.direction.name(),
        format = accelerator.spec.format().name(),
        level = accelerator.spec.level(),
        "accelerator serves this format and level again"
    );
}
