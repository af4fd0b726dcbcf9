//! Messages made from forms, as programs make them: fixed words, and values in their places.

use super::draw::Draw;
use super::number::decimal;

/// Writes `form` with a drawn value for each placeholder:
///
/// | placeholder | value |
/// | --- | --- |
/// | `{250}` | a number below 250 |
/// | `{d6}` | 6 decimal digits |
/// | `{x12}` | 12 hexadecimal digits |
/// | `{ip}`, `{method}`, `{money}`, `{path}`, `{status}`, `{us}` | one of that sort; `us` are microseconds |
pub(super) fn fill_in(form: &str, draw: &mut Draw) -> String {
    // Fixed words and placeholders take turns, and fixed words begin.
    let mut fixed = false;
    form.split(['{', '}'])
        .map(|part| {
            fixed = !fixed;
            if fixed {
                part.to_owned()
            } else {
                value(part, draw)
            }
        })
        .collect()
}

fn value(placeholder: &str, draw: &mut Draw) -> String {
    if let Ok(limit) = placeholder.parse() {
        return draw.below(limit).to_string();
    }
    if let Some(digits) = width(placeholder, 'd') {
        return (0..digits)
            .map(|_| draw.pick(b"0123456789"))
            .map(char::from)
            .collect();
    }
    if let Some(digits) = width(placeholder, 'x') {
        return (0..digits)
            .map(|_| draw.pick(b"0123456789abcdef"))
            .map(char::from)
            .collect();
    }
    match placeholder {
        "ip" => format!("10.42.{}.{}", draw.below(8), draw.below(256)),
        "method" => draw
            .pick(&["GET", "GET", "GET", "POST", "PUT", "DELETE"])
            .to_owned(),
        "money" => decimal(draw.between(199, 250_000), 2),
        "path" => {
            let resource = draw.pick(&["orders", "users", "items", "carts", "search", "invoices"]);
            format!("/api/v2/{resource}/{}", draw.below(1_000_000))
        }
        "status" => draw
            .pick(&[
                "200", "200", "200", "200", "201", "204", "304", "404", "503",
            ])
            .to_owned(),
        "us" => latency_us(draw).to_string(),
        // No such sort: left as it is, for the tests of the forms to find.
        _ => format!("{{{placeholder}}}"),
    }
}

/// `width("x12", 'x')` is 12.
fn width(placeholder: &str, letter: char) -> Option<u32> {
    placeholder.strip_prefix(letter)?.parse().ok()
}

/// From 64 µs to 1 s. The octave is drawn first, most often one of the middle, so the tail is long.
pub(super) fn latency_us(draw: &mut Draw) -> i32 {
    let octave = draw.between(0, 6) + draw.between(0, 7);
    draw.between(64 << octave, (128 << octave) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_words_stay_and_placeholders_go() {
        let mut draw = Draw::new("test", 0);
        assert_eq!(fill_in("as it was", &mut draw), "as it was");
        assert_eq!(fill_in("{1}, {1} and {1}", &mut draw), "0, 0 and 0");
    }

    #[test]
    fn digits_are_as_many_as_asked() {
        let mut draw = Draw::new("test", 0);
        let digits = fill_in("{d9}{x20}", &mut draw);
        assert_eq!(digits.len(), 29);
        assert!(
            digits.chars().take(9).all(|digit| digit.is_ascii_digit()),
            "{digits}"
        );
        assert!(
            digits.chars().all(|digit| digit.is_ascii_hexdigit()),
            "{digits}"
        );
    }

    #[test]
    fn latencies_stay_between_64_us_and_1_s() {
        let mut draw = Draw::new("test", 0);
        assert!((0..10_000).all(|_| (64..1_048_576).contains(&latency_us(&mut draw))));
    }
}
