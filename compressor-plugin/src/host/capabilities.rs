//! The capabilities of a plugin, as far as they can be true.

use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use compressor_api::{
    Capabilities, DictionarySupport, Direction, Efforts, Format, LevelRange, Loss, OutputNeed,
    Placement,
};

use super::error::Violation;
use super::ffi::Listed;
use crate::abi::{
    self, CP_DICTIONARIES_ANY, CP_DICTIONARIES_NONE, CP_OFFLOAD, CP_ON_CPU, CP_OUTPUT_BOUND,
    CP_OUTPUT_EXACT,
};
use crate::codes;

/// Checks a list. Of a plugin that is `newer` than this host, what the host has no word for is left
/// out: it could not be asked for.
pub(super) fn check(
    list: &[Listed],
    formats: &[Format],
    newer: bool,
) -> Result<Vec<Capabilities>, Violation> {
    let mut checked: Vec<Capabilities> = Vec::with_capacity(list.len());
    for from in list {
        let Some(mut capabilities) = read(&from.item)? else {
            if newer {
                continue;
            }
            let abi::Capabilities {
                format,
                direction,
                dictionaries,
                output,
                placement,
                self_verified,
                ..
            } = from.item;
            return Err(Violation(format!(
                "lists what nobody has defined: format {format}, direction {direction}, \
                 dictionaries {dictionaries}, output {output}, placement {placement}, \
                 self_verified {self_verified}"
            )));
        };
        let (format, direction) = (capabilities.format, capabilities.direction);
        if !formats.contains(&format) {
            return Err(Violation(format!(
                "lists {format}, which is not one of the formats in its table"
            )));
        }
        if checked
            .iter()
            .any(|c| c.format == format && c.direction == direction)
        {
            return Err(Violation(format!("lists {format} {direction} twice")));
        }
        let contradicts = |what: String| Violation(format!("lists {format} {direction} {what}"));
        if direction == Direction::Compress {
            let efforts = efforts(from, format, newer).map_err(contradicts)?;
            capabilities = capabilities.with_efforts(efforts);
        } else if !(from.efforts.is_empty() && from.losses.is_empty()) {
            return Err(contradicts(
                "with efforts or losses, which are of compressing".into(),
            ));
        }
        checked.push(capabilities);
    }
    if checked.is_empty() {
        return Err(Violation::new("lists nothing that it can do"));
    }
    Ok(checked)
}

/// One entry; `None` if it uses a number that has no meaning.
fn read(from: &abi::Capabilities) -> Result<Option<Capabilities>, Violation> {
    let dictionaries = [
        (CP_DICTIONARIES_NONE, DictionarySupport::None),
        (CP_DICTIONARIES_ANY, DictionarySupport::Any),
    ];
    let outputs = [
        (CP_OUTPUT_EXACT, OutputNeed::Exact),
        (CP_OUTPUT_BOUND, OutputNeed::Bound),
    ];
    let placements = [
        (CP_ON_CPU, Placement::Cpu),
        (CP_OFFLOAD, Placement::Offload),
    ];
    let (
        Some(format),
        Some(direction),
        Some(dictionary),
        Some(output),
        Some(placement),
        Some(self_verified),
    ) = (
        codes::format(from.format),
        codes::direction(from.direction),
        meaning(from.dictionaries, dictionaries),
        meaning(from.output, outputs),
        meaning(from.placement, placements),
        meaning(from.self_verified, [(0, false), (1, true)]),
    )
    else {
        return Ok(None);
    };
    let contradicts = |what: String| Err(Violation(format!("lists {format} {direction} {what}")));
    let (min, max) = (from.min_input, from.max_input);
    if min > max {
        return contradicts(format!("for no input: from {min} to {max} bytes"));
    }
    let deflate = [Format::Zlib, Format::DeflateRaw, Format::Gzip];
    if from.window == 0 && deflate.contains(&format) {
        return contradicts("with a window of 0 bytes, which no Deflate stream has".into());
    }
    let mut capabilities = Capabilities::new(format, direction)
        .with_input(min, max)
        .with_max_output(from.max_output)
        .with_window(from.window)
        .with_dictionary(dictionary)
        .with_output(output)
        .with_placement(placement);
    if direction == Direction::Compress {
        let levels = LevelRange::new(from.min_level, from.max_level, from.default_level);
        let scale = format.levels();
        if !(levels.contains(from.default_level)
            && scale.contains(levels.min())
            && scale.contains(levels.max()))
        {
            return contradicts(format!(
                "with levels {levels}, default {}; the format has {scale}",
                from.default_level
            ));
        }
        capabilities = capabilities.with_levels(levels);
    }
    if let Some(in_flight) = NonZeroU32::new(from.in_flight) {
        capabilities = capabilities.with_in_flight(in_flight);
    }
    if self_verified {
        capabilities = capabilities.with_self_verified();
    }
    Ok(Some(capabilities))
}

/// The efforts of a capability that compresses, or what is wrong with them.
fn efforts(from: &Listed, format: Format, newer: bool) -> Result<Efforts, String> {
    let mut efforts = Efforts::NONE;
    for served in &from.efforts {
        let Some(effort) = codes::effort(served.effort) else {
            if newer {
                continue;
            }
            return Err(format!("with the unknown effort {}", served.effort));
        };
        if efforts.priority(effort).is_some() {
            return Err(format!("with the effort {effort} twice"));
        }
        let priority = i16::try_from(served.priority).map_err(|_| {
            format!(
                "with the effort {effort} at the priority {}",
                served.priority
            )
        })?;
        efforts = efforts.with(effort, priority);
    }
    if from.losses.is_empty() {
        return Ok(efforts);
    }
    if from.efforts.is_empty() {
        return Err("with losses, but without an effort".into());
    }
    let scale = format.levels();
    let mut losses = Vec::with_capacity(from.losses.len());
    for row in &from.losses {
        let percent = u8::try_from(row.percent).ok().filter(|p| *p <= 100);
        let percent = percent.ok_or_else(|| format!("with a loss of {} %", row.percent))?;
        if row.max_input == 0 {
            return Err("with a loss that holds for no input".into());
        }
        if !scale.contains(row.max_level) {
            return Err(format!(
                "with a loss up to level {}; the format has {scale}",
                row.max_level
            ));
        }
        losses.push(Loss::new(row.max_level, row.max_input, percent));
    }
    Ok(efforts.within(kept(losses)))
}

/// Losses for good, as capabilities want them. The same ones are leaked once, however often a plugin
/// is opened.
fn kept(losses: Vec<Loss>) -> &'static [Loss] {
    static KEPT: Mutex<Vec<&'static [Loss]>> = Mutex::new(Vec::new());
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.iter().find(|known| **known == losses) {
        return known;
    }
    let losses: &'static [Loss] = losses.leak();
    all.push(losses);
    losses
}

/// What a number means, if it means anything.
fn meaning<T: Copy>(number: u32, meanings: [(u32, T); 2]) -> Option<T> {
    meanings
        .iter()
        .find_map(|(known, meaning)| (*known == number).then_some(*meaning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_losses_are_leaked_once() {
        let losses = || vec![Loss::new(6, 4096, 7), Loss::new(9, 4096, 8)];
        assert!(std::ptr::eq(kept(losses()), kept(losses())));
        assert_eq!(kept(losses()), losses());
        assert_ne!(kept(vec![Loss::new(6, 4096, 8)]), losses());
    }
}
