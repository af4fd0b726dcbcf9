//! Text on its way through the ABI.

use std::ffi::CString;

use crate::abi::MAX_TEXT;

/// Whether a terminal acts on it rather than showing it: a control character, an end of a line or of
/// a paragraph, or a change of the direction of text, which makes a line read as another one.
pub(crate) fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` in one line: what cannot be printed is a space.
pub(crate) fn printed(text: &str) -> String {
    text.chars()
        .map(|c| if is_unprintable(c) { ' ' } else { c })
        .collect()
}

/// `text` in one line that the ABI can carry: at most [`MAX_TEXT`] bytes, without NUL.
pub(crate) fn line(text: &str) -> CString {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // NUL is a control character, so there is none left to fail on.
    let line = printed(text.get(..end).unwrap_or_default());
    CString::new(line).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_and_stays_text() {
        assert_eq!(line("all\0of\nit\u{85}").as_bytes(), b"all of it ");
        for shift in 0..3 {
            let long = format!("{}{}", "x".repeat(shift), "\u{1f600}".repeat(100));
            let line = line(&long).into_string().unwrap();
            assert!(line.len() <= MAX_TEXT && line.len() > MAX_TEXT - 4);
            assert!(long.starts_with(&line));
        }
    }

    #[test]
    fn what_steers_a_terminal_cannot_be_printed_and_letters_can() {
        let steers =
            "\0\t\n\u{1b}\u{7f}\u{85}\u{9b}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}";
        for c in steers.chars() {
            assert!(is_unprintable(c), "{c:?}");
        }
        let shows = " a\u{a0}\u{e9}\u{5d0}\u{200f}\u{2027}\u{202f}\u{2065}\u{206a}\u{1f600}";
        for c in shows.chars() {
            assert!(!is_unprintable(c), "{c:?}");
        }
        assert_eq!(printed("a\u{1b}[2J\u{202e}b"), "a [2J b");
    }
}
