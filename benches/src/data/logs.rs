//! The `logs` set: JSON log lines.
//!
//! Some services write to one stream, in order of time. A request runs through several of them, its
//! lines share a trace id, and the lines of the requests in flight are interleaved. What
//! compresses: field names, services, pods, message forms and the ids of requests in flight. What
//! does not: new ids, latencies, the numbers in messages.

use super::Records;
use super::draw::Draw;
use super::form::{fill_in, latency_us};
use super::moment::timestamp;
use super::number::decimal;

/// What is logged: level, service, and the form of the message. Common events stand here more than
/// once.
const EVENTS: &[&str] = &[
    "INFO gateway {method} {path} completed with {status} in {us} us",
    "INFO gateway {method} {path} completed with {status} in {us} us",
    "INFO gateway {method} {path} completed with {status} in {us} us",
    "DEBUG gateway route {path} resolved to upstream {ip}:8443",
    "INFO auth session of user {d7} refreshed, valid for {3600} s",
    "WARN auth token of user {d7} rejected: signed by unknown key {x12}",
    "INFO orders order {d7} accepted: {40} items from warehouse {24}",
    "INFO orders order {d7} accepted: {40} items from warehouse {24}",
    "DEBUG orders reserved stock for order {d7} on shelf {60}-{24}",
    "WARN orders order {d7} is short of {12} items, back-ordered",
    "INFO billing invoice {d7} sent, amount {money} EUR",
    "ERROR billing payment {d7} declined by acquirer: code {24}, retry in {3600} s",
    "DEBUG storage read {2000} rows from {24} tables, cache hits {2000}",
    "DEBUG storage read {2000} rows from {24} tables, cache hits {2000}",
    "INFO storage flushed memtable of {d8} bytes in {us} us",
    "INFO search query {x12} matched {9000} documents on {24} shards",
    "ERROR search shard {24} on {ip} did not answer within {5000} ms",
];

/// One line after the other.
pub(super) struct Logs {
    /// Since the beginning of 2025.
    time_us: u64,
    /// The random ends of the instances' names.
    pods: [u64; 6],
    in_flight: [Request; 6],
}

impl Logs {
    pub(super) fn new(draw: &mut Draw) -> Self {
        Self {
            time_us: 0,
            pods: std::array::from_fn(|_| draw.below(1 << 32)),
            in_flight: std::array::from_fn(|_| Request::new(draw)),
        }
    }
}

impl Records for Logs {
    fn append_next(&mut self, draw: &mut Draw, out: &mut Vec<u8>) {
        self.time_us += draw.below(8_000);
        self.in_flight.rotate_left(draw.below(6) as usize);
        let [request, ..] = &mut self.in_flight;
        let trace_id = request.next_line(draw);
        let mut event = draw.pick(EVENTS).splitn(3, ' ');
        let mut next = || event.next().unwrap_or_default();
        let (level, service, message) = (next(), next(), fill_in(next(), draw));
        let line = format!(
            "{{\"ts\":\"{}\",\"level\":\"{level}\",\"service\":\"{service}\",\
             \"pod\":\"{service}-{:08x}\",\"thread\":\"worker-{}\",\
             \"trace_id\":\"{trace_id}\",\"span_id\":\"{:016x}\",\"remote\":\"{}\",\
             \"msg\":\"{message}\",\"latency_ms\":{},\"bytes\":{}}}\n",
            timestamp(self.time_us / 1_000),
            draw.pick(&self.pods),
            draw.below(16),
            draw.word(),
            fill_in("{ip}:{60000}", draw),
            decimal(latency_us(draw), 3),
            draw.below(1 << 16),
        );
        out.extend_from_slice(line.as_bytes());
    }
}

/// A request on its way through the services.
struct Request {
    trace_id: String,
    lines_left: u64,
}

impl Request {
    fn new(draw: &mut Draw) -> Self {
        Self {
            trace_id: format!("{:016x}{:016x}", draw.word(), draw.word()),
            lines_left: 1 + draw.below(6),
        }
    }

    /// The trace id of the next line here. A finished request makes room for another.
    fn next_line(&mut self, draw: &mut Draw) -> &str {
        if self.lines_left == 0 {
            *self = Self::new(draw);
        }
        self.lines_left -= 1;
        &self.trace_id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> Vec<serde_json::Value> {
        let mut draw = Draw::new("test", 0);
        let mut logs = Logs::new(&mut draw);
        let mut bytes = Vec::new();
        for _ in 0..count {
            logs.append_next(&mut draw, &mut bytes);
        }
        bytes
            .split_inclusive(|&byte| byte == b'\n')
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect()
    }

    #[test]
    fn lines_are_json_in_order_of_time() {
        let lines = lines(2_000);
        assert_eq!(lines.len(), 2_000);
        assert!(lines.is_sorted_by_key(|line| line["ts"].as_str().unwrap()));
        for line in lines {
            assert!(line["latency_ms"].as_f64().unwrap() > 0.0, "{line}");
            assert!(
                !line["msg"].as_str().unwrap().contains(['{', '}']),
                "{line}"
            );
        }
    }

    #[test]
    fn requests_span_several_lines_and_interleave() {
        let lines = lines(2_000);
        let traces: Vec<&str> = lines
            .iter()
            .map(|line| line["trace_id"].as_str().unwrap())
            .collect();
        let changes = traces.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let mut distinct = traces.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert!(
            distinct.len() * 2 < traces.len(),
            "{} traces",
            distinct.len()
        );
        assert!(
            changes > distinct.len(),
            "{changes} changes among {} traces",
            distinct.len()
        );
    }
}
