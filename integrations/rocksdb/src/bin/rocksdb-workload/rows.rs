//! The rows of the table: which one is next, and what is in it.

use compressor_benches::data::{Kind, generate};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Zipf};

/// Sensors of a machine.
const SENSORS: [&str; 16] = [
    "axis-load",
    "bearing-temp",
    "coolant-flow",
    "coolant-temp",
    "cycle-time",
    "door-state",
    "feed-rate",
    "hydraulic-pressure",
    "motor-current",
    "oil-level",
    "spindle-speed",
    "spindle-temp",
    "tool-wear",
    "torque",
    "vibration-x",
    "vibration-y",
];

/// Seconds between two rows of a partition.
const INTERVAL: u64 = 15;

/// The time of a partition's first row, in seconds since 1970.
const BEGIN: u64 = 1_750_000_000;

/// Text to cut the rows' texts from: enough that they do not repeat within a block.
const TEXT: usize = 4 << 20;

/// How partitions are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    Uniform,
    Zipf,
}

/// How long a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// 200 bytes.
    Small,
    /// 6 KB.
    Large,
}

impl Shape {
    const fn text_len(self) -> usize {
        match self {
            // With key, value and station.
            Self::Small => 162,
            Self::Large => 6_100,
        }
    }
}

/// What rows are made from.
#[derive(Debug)]
pub struct Rows {
    text: Vec<u8>,
    text_len: usize,
    partitions: u32,
    zipf: Option<Zipf<f64>>,
}

impl Rows {
    pub fn new(shape: Shape, draw: Draw, partitions: u32, seed: u64) -> Self {
        let kind = match shape {
            Shape::Small => Kind::Text,
            Shape::Large => Kind::WideRows,
        };
        let zipf = match draw {
            Draw::Uniform => None,
            // The exponent of YCSB's Zipfian generator.
            Draw::Zipf => Zipf::new(f64::from(partitions), 0.99).ok(),
        };
        Self {
            text: generate(kind, seed, TEXT).bytes,
            text_len: shape.text_len(),
            partitions,
            zipf,
        }
    }

    /// Draws a partition.
    pub fn partition(&self, rng: &mut ChaCha8Rng) -> u32 {
        match &self.zipf {
            None => rng.random_range(0..self.partitions),
            Some(zipf) => {
                let rank = zipf.sample(rng) as u64 - 1;
                // Popular partitions lie apart; a permutation where the factor, a prime, does not
                // divide the number of partitions.
                (rank * 2_654_435_761 % u64::from(self.partitions)) as u32
            }
        }
    }

    /// The key of a partition's `row`th row.
    pub fn key(&self, partition: u32, row: u32, key: &mut Vec<u8>) {
        let (machine, sensor) = (partition / 16, partition as usize % SENSORS.len());
        key.clear();
        key.extend_from_slice(&machine.to_be_bytes());
        key.extend_from_slice(SENSORS.get(sensor).copied().unwrap_or_default().as_bytes());
        key.push(0);
        key.extend_from_slice(&(BEGIN + u64::from(row) * INTERVAL).to_be_bytes());
    }

    /// What a row holds: a value, a station id and a text.
    pub fn value(&self, partition: u32, rng: &mut ChaCha8Rng, value: &mut Vec<u8>) {
        let reading = f64::from(partition % 97) + f64::from(rng.random_range(0..1_000_u32)) / 100.0;
        let at = rng.random_range(0..self.text.len() - self.text_len);
        value.clear();
        value.extend_from_slice(&reading.to_le_bytes());
        value.extend_from_slice(&(partition / 64).to_le_bytes());
        value.extend_from_slice(self.text.get(at..at + self.text_len).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn rows_are_as_long_as_they_are_said_to_be() {
        for (shape, len) in [(Shape::Small, 190..=210), (Shape::Large, 6_000..=6_200)] {
            let rows = Rows::new(shape, Draw::Uniform, 64, 1);
            let (mut key, mut value) = (Vec::new(), Vec::new());
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            for partition in 0..64 {
                rows.key(partition, 7, &mut key);
                rows.value(partition, &mut rng, &mut value);
                assert!(len.contains(&(key.len() + value.len())), "{shape:?}");
            }
        }
    }

    #[test]
    fn keys_differ_and_are_in_the_order_of_time() {
        let rows = Rows::new(Shape::Small, Draw::Uniform, 64, 1);
        let (mut key, mut seen) = (Vec::new(), HashSet::new());
        for partition in 0..64 {
            let mut last = Vec::new();
            for row in 0..50 {
                rows.key(partition, row, &mut key);
                assert!(key > last);
                last.clone_from(&key);
                assert!(seen.insert(key.clone()));
            }
        }
    }

    #[test]
    fn zipf_prefers_a_few_partitions_and_misses_none_that_exist() {
        let rows = Rows::new(Shape::Small, Draw::Zipf, 100, 1);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut drawn = [0_u32; 100];
        for _ in 0..20_000 {
            drawn[rows.partition(&mut rng) as usize] += 1;
        }
        let most = drawn.iter().max().unwrap();
        assert!(*most > 2_000, "{most}");
        assert!(drawn.iter().filter(|count| **count > 0).count() > 90);
    }
}
