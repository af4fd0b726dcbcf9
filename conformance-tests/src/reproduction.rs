use std::fmt;
use std::str::FromStr;

use compressor_api::{Direction, Effort, Format};

use crate::case::{Case, DictionaryChoice, Writer};
use crate::data::Kind;
use crate::hex;
use crate::stop::Fault;

/// Content up to this many bytes is printed, for those who do not have the suite's generators.
const PRINTED_CONTENT: usize = 64;

/// Units up to this many bytes are printed.
const PRINTED_UNIT: usize = 512;

/// One case of one check in one line, from which it can be run again alone.
///
/// ```text
/// check=bit-flips format=zlib direction=decompress data=text size=40 seed=1 writer=plain at=17
/// ```
///
/// What a line does not say is as the check has it by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reproduction {
    pub(crate) check: String,
    pub(crate) target: Option<(Format, Direction)>,
    pub(crate) case: Case,
}

impl Reproduction {
    /// The check that is run again.
    #[must_use]
    pub fn check(&self) -> &str {
        &self.check
    }

    /// Of a case, narrowed to where it failed.
    pub(crate) fn of(
        check: &str,
        target: Option<(Format, Direction)>,
        mut case: Case,
        fault: Option<&Fault>,
    ) -> Self {
        if let Some(fault) = fault {
            case.at = case.at.or(fault.at);
            case.room = case.room.or(fault.room);
            // A unit that was made from this content: shown only, unless there is a place in it
            // to look at.
            if case.at.is_none() && case.unit.is_none() {
                case.unit = fault.unit.clone().filter(|unit| unit.len() <= PRINTED_UNIT);
            }
        }
        if (1..=PRINTED_CONTENT).contains(&case.size) && case.hex.is_none() {
            case.hex = Some(case.content());
        }
        Self {
            check: check.to_owned(),
            target,
            case,
        }
    }
}

impl fmt::Display for Reproduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "check={}", self.check)?;
        let Some((format, direction)) = self.target else {
            return Ok(());
        };
        write!(f, " format={format} direction={direction}")?;
        let Case {
            level,
            effort,
            max_loss,
            window_log,
            dictionary,
            checksum,
            kind,
            size,
            seed,
            hex,
            writer,
            unit,
            room,
            at,
        } = &self.case;
        if let Some(level) = level {
            write!(f, " level={level}")?;
        }
        if let Some(effort) = effort {
            write!(f, " effort={effort}")?;
        }
        if let Some(percent) = max_loss {
            write!(f, " max-loss={percent}")?;
        }
        if let Some(window_log) = window_log {
            write!(f, " window-log={window_log}")?;
        }
        if let Some(dictionary) = dictionary {
            write!(f, " dictionary={}", dictionary.name())?;
        }
        if let Some(checksum) = checksum {
            write!(f, " checksum={checksum}")?;
        }
        write!(f, " data={kind} size={size} seed={seed}")?;
        if let Some(content) = hex {
            write!(f, " hex={}", hex::encode(content))?;
        }
        if direction == Direction::Decompress {
            write!(f, " writer={}", writer.name())?;
        }
        if let Some(room) = room {
            write!(f, " room={room}")?;
        }
        if let Some(at) = at {
            write!(f, " at={at}")?;
        }
        if let Some(unit) = unit {
            write!(f, " unit={}", hex::encode(unit))?;
        }
        Ok(())
    }
}

impl FromStr for Reproduction {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let mut check = None;
        let (mut format, mut direction) = (None, None);
        let mut case = Case::new(Kind::Zeros, 0, 1);
        for field in line.split_whitespace() {
            let (key, value) = field
                .split_once('=')
                .ok_or_else(|| format!("{field:?} is not key=value"))?;
            match key {
                "check" => check = Some(value.to_owned()),
                "format" => format = Some(value.parse::<Format>().map_err(|e| e.to_string())?),
                "direction" => direction = Some(named(&Direction::BOTH, Direction::name, value)?),
                "level" => case.level = Some(number(key, value)?),
                "effort" => case.effort = Some(named(&Effort::ALL, Effort::name, value)?),
                "max-loss" => case.max_loss = Some(number(key, value)?),
                "window-log" => case.window_log = Some(number(key, value)?),
                "dictionary" => {
                    let all = &DictionaryChoice::ALL;
                    case.dictionary = Some(named(all, DictionaryChoice::name, value)?);
                }
                "checksum" => case.checksum = Some(number(key, value)?),
                "data" => case.kind = value.parse()?,
                "size" => case.size = length(key, value)?,
                "seed" => case.seed = number(key, value)?,
                "hex" => case.hex = Some(bytes(value)?),
                "writer" => case.writer = named(&Writer::ALL, Writer::name, value)?,
                "room" => case.room = Some(length(key, value)?),
                "at" => case.at = Some(number(key, value)?),
                "unit" => case.unit = Some(bytes(value)?),
                _ => {
                    return Err(format!(
                        "unknown key {key:?}; there are check, format, direction, level, effort, \
                         max-loss, window-log, dictionary, checksum, data, size, seed, hex, writer, room, \
                         at, unit"
                    ));
                }
            }
        }
        let target = match (format, direction) {
            (Some(format), Some(direction)) => Some((format, direction)),
            (None, None) => None,
            _ => return Err("format and direction go together".into()),
        };
        Ok(Self {
            check: check.ok_or("says no check")?,
            target,
            case,
        })
    }
}

fn number<T: FromStr>(key: &str, value: &str) -> Result<T, String> {
    value
        .parse()
        .map_err(|_| format!("{key} cannot be {value:?}"))
}

/// The longest content or `dst` of a line, in bytes: 16 times what the suite itself tries.
const LONGEST: usize = 1 << 30;

fn length(key: &str, value: &str) -> Result<usize, String> {
    match number(key, value)? {
        len if len <= LONGEST => Ok(len),
        len => Err(format!("{key} cannot be {len}; it is {LONGEST} at most")),
    }
}

fn bytes(value: &str) -> Result<Vec<u8>, String> {
    hex::decode(value).ok_or_else(|| format!("{value:?} is not hexadecimal"))
}

fn named<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str, value: &str) -> Result<T, String> {
    let found = all.iter().copied().find(|one| name(*one) == value);
    found.ok_or_else(|| {
        let names: Vec<_> = all.iter().copied().map(name).collect();
        format!("{value:?} is none of {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_leads_back_to_the_case() {
        let case = Case {
            level: Some(-3),
            effort: Some(Effort::Speed),
            max_loss: Some(20),
            window_log: Some(12),
            dictionary: Some(DictionaryChoice::OtherTrained),
            checksum: Some(false),
            writer: Writer::Own,
            unit: Some(vec![0x78, 0x9C]),
            room: Some(7),
            at: Some(9),
            ..Case::new(Kind::Repeats(32_768), 5, 77)
        };
        let target = Some((Format::Zstd, Direction::Decompress));
        let reproduction = Reproduction::of("bit-flips", target, case, None);
        let line = reproduction.to_string();
        assert_eq!(line.parse(), Ok(reproduction), "{line}");
        assert!(
            line.contains("data=repeats-32768 size=5 seed=77 hex="),
            "{line}"
        );
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (line, named) in [
            ("format=zlib direction=compress", "no check"),
            ("check=x format=zlib", "go together"),
            ("check=x level=much", "level"),
            ("check=x effort=fast", "ratio, balanced, speed"),
            ("check=x colour=red", "window-log"),
            ("check=x format=zlip", "zlib"),
            ("check=x unit=7", "hexadecimal"),
            ("check", "key=value"),
            ("check=x size=1073741825", "1073741824 at most"),
            ("check=x room=18446744073709551615", "1073741824 at most"),
            ("check=x size=18446744073709551616", "size cannot be"),
        ] {
            let error = line.parse::<Reproduction>().unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }
}
