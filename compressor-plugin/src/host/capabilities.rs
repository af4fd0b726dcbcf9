//! The capabilities of a plugin, as far as they can be true.

use std::num::NonZeroU32;

use compressor_api::{
    Capabilities, DictionarySupport, Direction, LevelRange, OutputNeed, Placement,
};

use super::error::Violation;
use crate::abi::{
    self, CP_DICTIONARIES_ANY, CP_DICTIONARIES_NONE, CP_OFFLOAD, CP_ON_CPU, CP_OUTPUT_BOUND,
    CP_OUTPUT_EXACT,
};
use crate::codes;

/// Checks a list. Of a plugin that is `newer` than this host, what the host has no word for is left
/// out: it could not be asked for.
pub(super) fn check(
    list: &[abi::Capabilities],
    formats: &[compressor_api::Format],
    newer: bool,
) -> Result<Vec<Capabilities>, Violation> {
    let mut checked: Vec<Capabilities> = Vec::with_capacity(list.len());
    for from in list {
        let Some(capabilities) = read(from)? else {
            if newer {
                continue;
            }
            return Err(Violation(format!(
                "lists what nobody has defined: {from:?}"
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

/// What a number means, if it means anything.
fn meaning<T: Copy>(number: u32, meanings: [(u32, T); 2]) -> Option<T> {
    meanings
        .iter()
        .find_map(|(known, meaning)| (*known == number).then_some(*meaning))
}
