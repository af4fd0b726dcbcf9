//! Sentences.

use super::draw::Draw;
use super::words;
use super::zipf::Zipf;

/// Writes English-like sentences: words under Zipf's law, put together by a small grammar.
///
/// Words drawn one by one would have the right frequencies and nothing else. The grammar adds what
/// a compressor also finds in prose: function words between the others, phrases that come again,
/// and subjects that a passage stays with.
pub(super) struct Prose {
    nouns: Zipf,
    verbs: Zipf,
    adjectives: Zipf,
    adverbs: Zipf,
    determiners: Zipf,
    quantities: Zipf,
    prepositions: Zipf,
    pronouns: Zipf,
    names: Zipf,
    conjunctions: Zipf,
    subordinators: Zipf,
    openers: Zipf,
    reports: Zipf,
    states: Zipf,
    seemings: Zipf,
    /// Nouns that the passage is about.
    topic: [&'static str; 4],
    /// Who it is about.
    hero: &'static str,
}

impl Prose {
    /// A writer with a first topic.
    pub(super) fn new(draw: &mut Draw) -> Self {
        let mut prose = Self {
            nouns: Zipf::new(words::NOUNS),
            verbs: Zipf::new(words::VERBS),
            adjectives: Zipf::new(words::ADJECTIVES),
            adverbs: Zipf::new(words::ADVERBS),
            determiners: Zipf::new(words::DETERMINERS),
            quantities: Zipf::new(words::QUANTITIES),
            prepositions: Zipf::new(words::PREPOSITIONS),
            pronouns: Zipf::new(words::PRONOUNS),
            names: Zipf::new(words::NAMES),
            conjunctions: Zipf::new(words::CONJUNCTIONS),
            subordinators: Zipf::new(words::SUBORDINATORS),
            openers: Zipf::new(words::OPENERS),
            reports: Zipf::new(words::REPORTS),
            states: Zipf::new(words::STATES),
            seemings: Zipf::new(words::SEEMINGS),
            topic: [""; 4],
            hero: "",
        };
        prose.change_topic(draw);
        prose
    }

    /// Turns to other things and another person. Topics are drawn evenly, so that rare words have
    /// their passages.
    pub(super) fn change_topic(&mut self, draw: &mut Draw) {
        self.topic = std::array::from_fn(|_| self.nouns.draw_evenly(draw));
        self.hero = self.names.draw_evenly(draw);
    }

    /// Appends a sentence, from its capital to its full stop.
    pub(super) fn sentence(&self, draw: &mut Draw, out: &mut String) {
        let mut sentence = String::new();
        if draw.one_in(6) {
            sentence.push_str(self.openers.draw(draw));
            sentence.push_str(", ");
        }
        self.clause(draw, &mut sentence);
        while draw.one_in(3) {
            if draw.one_in(2) {
                sentence.push_str(", ");
                sentence.push_str(self.conjunctions.draw(draw));
            } else {
                sentence.push(' ');
                sentence.push_str(self.subordinators.draw(draw));
            }
            sentence.push(' ');
            self.clause(draw, &mut sentence);
        }
        let mut letters = sentence.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
        out.push_str(draw.pick(&[".", ".", ".", ".", ".", ".", ".", ".", "!", "?"]));
    }

    fn clause(&self, draw: &mut Draw, out: &mut String) {
        match draw.below(8) {
            0..3 => self.noun_phrase(draw, out),
            3..6 => out.push_str(self.pronouns.draw(draw)),
            6 => out.push_str(self.hero),
            _ => out.push_str(self.names.draw(draw)),
        }
        out.push(' ');
        match draw.below(8) {
            0 => {
                out.push_str(self.reports.draw(draw));
                out.push(' ');
                self.noun_phrase(draw, out);
                out.push(' ');
                out.push_str(self.states.draw(draw));
            }
            1 => {
                out.push_str(self.seemings.draw(draw));
                out.push(' ');
                out.push_str(self.adjectives.draw(draw));
            }
            _ => {
                out.push_str(self.verbs.draw(draw));
                out.push(' ');
                self.noun_phrase(draw, out);
            }
        }
        if draw.one_in(2) {
            out.push(' ');
            out.push_str(self.prepositions.draw(draw));
            out.push(' ');
            self.noun_phrase(draw, out);
        }
        if draw.one_in(4) {
            out.push(' ');
            out.push_str(self.adverbs.draw(draw));
        }
    }

    fn noun_phrase(&self, draw: &mut Draw, out: &mut String) {
        let adjective = match draw.below(5) {
            0..2 => self.adjectives.draw(draw),
            _ => "",
        };
        let noun = match draw.below(4) {
            0 => draw.pick(&self.topic),
            _ => self.nouns.draw(draw),
        };
        if draw.one_in(6) {
            let count = self.quantities.draw(draw);
            push_words(out, &[count, adjective, noun]);
            out.push('s');
            return;
        }
        let next = if adjective.is_empty() {
            noun
        } else {
            adjective
        };
        let determiner = match self.determiners.draw(draw) {
            "a" if next.starts_with(['a', 'e', 'i', 'o', 'u']) => "an",
            other => other,
        };
        push_words(out, &[determiner, adjective, noun]);
    }
}

/// Appends those of `words` that are not empty, with a space between two.
fn push_words(out: &mut String, words: &[&str]) {
    let mut space = "";
    for word in words.iter().filter(|word| !word.is_empty()) {
        out.push_str(space);
        out.push_str(word);
        space = " ";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_with_a_capital_and_end_with_a_stop() {
        let mut draw = Draw::new("test", 0);
        let prose = Prose::new(&mut draw);
        for _ in 0..1_000 {
            let mut sentence = String::new();
            prose.sentence(&mut draw, &mut sentence);
            assert!(
                sentence.starts_with(|first: char| first.is_ascii_uppercase()),
                "{sentence}"
            );
            assert!(sentence.ends_with(['.', '!', '?']), "{sentence}");
            assert!(
                !sentence.contains("  ") && !sentence.contains(" a a"),
                "{sentence}"
            );
        }
    }
}
