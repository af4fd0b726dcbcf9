//! The `text` set: prose in paragraphs.
//!
//! Stands for articles, messages, descriptions and whatever else people type. Like English novels, it
//! has short matches and many literals between them; it compresses a little better than they do, for
//! its vocabulary is smaller.

use super::Records;
use super::draw::Draw;
use super::prose::Prose;

/// Paragraphs, with an empty line after each.
pub(super) struct Text {
    prose: Prose,
}

impl Text {
    pub(super) fn new(draw: &mut Draw) -> Self {
        Self {
            prose: Prose::new(draw),
        }
    }
}

impl Records for Text {
    fn append_next(&mut self, draw: &mut Draw, out: &mut Vec<u8>) {
        self.prose.change_topic(draw);
        let mut paragraph = String::new();
        for _ in 0..3 + draw.below(6) {
            self.prose.sentence(draw, &mut paragraph);
            paragraph.push(' ');
        }
        out.extend_from_slice(paragraph.trim_end().as_bytes());
        out.extend_from_slice(b"\n\n");
    }
}
