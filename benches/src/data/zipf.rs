//! Words under Zipf's law.

use super::draw::Draw;

/// Draws words so that the word of rank `r` comes up in proportion to `1 / (r + 6)`.
///
/// Zipf's law is `1 / r`; the shift (Mandelbrot's) takes from the few commonest words what they
/// would have too much of in a vocabulary of hundreds instead of tens of thousands.
pub(super) struct Zipf {
    words: Vec<&'static str>,
    /// For each word, the weights up to and with it.
    cumulative: Vec<u64>,
}

impl Zipf {
    /// The words of a list, separated by commas, from the commonest to the rarest.
    pub(super) fn new(list: &'static str) -> Self {
        let words: Vec<&str> = list.split(',').map(str::trim).collect();
        let cumulative = (7..)
            .zip(&words)
            .scan(0, |total, (rank, _)| {
                *total += 1_000_000 / rank;
                Some(*total)
            })
            .collect();
        Self { words, cumulative }
    }

    /// The next word under Zipf's law.
    pub(super) fn draw(&self, draw: &mut Draw) -> &'static str {
        let point = draw.below(self.cumulative.last().copied().unwrap_or(0));
        let rank = self.cumulative.partition_point(|&upto| upto <= point);
        self.words.get(rank).copied().unwrap_or_default()
    }

    /// A word, all as likely.
    pub(super) fn draw_evenly(&self, draw: &mut Draw) -> &'static str {
        draw.pick(&self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_come_first_and_rare_words_come_up() {
        let zipf = Zipf::new("a, b, c, d, e, f");
        let mut draw = Draw::new("test", 0);
        let drawn: Vec<&str> = (0..10_000).map(|_| zipf.draw(&mut draw)).collect();
        let counts =
            ["a", "b", "c", "d", "e", "f"].map(|word| drawn.iter().filter(|&&w| w == word).count());
        assert!(counts.is_sorted_by(|more, less| more > less), "{counts:?}");
        assert_eq!(counts.iter().sum::<usize>(), drawn.len());
        assert!(counts[5] > 1_000, "{counts:?}");
    }
}
