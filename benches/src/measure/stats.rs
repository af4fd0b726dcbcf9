//! What is quoted of many rounds.

/// The middle of a sample, and how sure that is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The median.
    pub value: f64,
    /// Lower end of the 95 % confidence interval.
    pub low: f64,
    /// Upper end of the 95 % confidence interval.
    pub high: f64,
}

impl Median {
    /// Of the values; `None` if there are none, or if one of them is not a number.
    ///
    /// The interval is the distribution-free one of order statistics: the values of the ranks
    /// n/2 ± 0.98·√n, which presumes nothing about the noise but that rounds do not influence each
    /// other.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        if sorted.iter().any(|value| value.is_nan()) {
            return None;
        }
        sorted.sort_by(f64::total_cmp);
        let len = sorted.len();
        let (below, above) = (sorted.get(len.checked_sub(1)? / 2)?, sorted.get(len / 2)?);
        let reach = (0.98 * (len as f64).sqrt()).ceil() as usize;
        Some(Self {
            value: f64::midpoint(*below, *above),
            low: *sorted.get((len / 2).saturating_sub(reach))?,
            high: *sorted.get((len / 2 + reach).min(len - 1))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_taken_whatever_the_order() {
        let middle = |values: &[f64]| Median::of(values.iter().copied()).unwrap().value;
        assert_eq!(middle(&[7.0]), 7.0);
        assert_eq!(middle(&[3.0, 1.0, 200.0]), 3.0);
        assert_eq!(middle(&[4.0, 1.0, 2.0, 100.0]), 3.0);
    }

    #[test]
    fn nothing_and_not_a_number_have_no_middle() {
        assert_eq!(Median::of([]), None);
        assert_eq!(Median::of([1.0, f64::NAN]), None);
    }

    #[test]
    fn the_interval_narrows_as_values_are_added() {
        let width = |len: u32| {
            let median = Median::of((0..len).map(|i| f64::from(i) / f64::from(len))).unwrap();
            assert!(median.low <= median.value && median.value <= median.high);
            median.high - median.low
        };
        assert!(width(1) == 0.0 && width(5) > width(100) && width(100) > 5.0 * width(10_000));
    }

    /// 95 % of the intervals around the median of 101 drawn values hold the true one, 0.5.
    #[test]
    fn the_interval_holds_the_true_median_as_often_as_it_says() {
        let mut state = 1_u64;
        let mut draw = || {
            // Knuth's MMIX generator; the high bits are good enough here.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let hits = (0..2000)
            .filter(|_| {
                let median = Median::of((0..101).map(|_| draw())).unwrap();
                median.low <= 0.5 && 0.5 <= median.high
            })
            .count();
        assert!((1880..=1980).contains(&hits), "{hits} of 2000");
    }
}
