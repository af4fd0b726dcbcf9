//! The accelerated path with software behind it: gates, breaker, permits, verification, counters.
