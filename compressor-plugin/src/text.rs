//! Text on its way through the ABI.

use std::ffi::CString;

use crate::abi::MAX_TEXT;

/// `text` in one line that the ABI can carry: at most [`MAX_TEXT`] bytes, without NUL.
pub(crate) fn line(text: &str) -> CString {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let line: Vec<u8> = text
        .bytes()
        .take(end)
        .map(|byte| if byte.is_ascii_control() { b' ' } else { byte })
        .collect();
    // NUL is a control character, so there is none left to fail on.
    CString::new(line).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_and_stays_text() {
        assert_eq!(line("all\0of\nit").as_bytes(), b"all of it");
        for shift in 0..3 {
            let long = format!("{}{}", "x".repeat(shift), "\u{1f600}".repeat(100));
            let line = line(&long).into_string().unwrap();
            assert!(line.len() <= MAX_TEXT && line.len() > MAX_TEXT - 4);
            assert!(long.starts_with(&line));
        }
    }
}
