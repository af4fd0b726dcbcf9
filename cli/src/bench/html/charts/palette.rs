//! A colour for each provider, the same on all plots.

use plotters::style::RGBColor;

/// Told apart by most colour-blind readers, and seen on white and on black: Paul Tol's "bright" set.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0x44, 0x77, 0xAA),
    RGBColor(0xEE, 0x66, 0x77),
    RGBColor(0x22, 0x88, 0x33),
    RGBColor(0xAA, 0x33, 0x77),
    RGBColor(0xB8, 0x9B, 0x1F),
    RGBColor(0x33, 0xAA, 0xCC),
];

/// Hands out colours in the order in which names are met.
#[derive(Default)]
pub struct Palette {
    names: Vec<String>,
}

impl Palette {
    /// The colour of `name`.
    pub fn colour(&mut self, name: &str) -> RGBColor {
        let known = self.names.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        // After six they repeat: the marks and the tables still tell who is who.
        let colour = COLOURS.get(number % COLOURS.len());
        colour.copied().unwrap_or(RGBColor(0, 0, 0))
    }
}

/// As CSS writes it.
pub fn css(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_colour() {
        let mut palette = Palette::default();
        let first = palette.colour("a");
        assert_ne!(palette.colour("b"), first);
        assert_eq!(palette.colour("a"), first);
        assert_eq!(css(first), "#4477AA");
    }
}
