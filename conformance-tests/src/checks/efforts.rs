//! What a provider promises about length where a spec asks for an effort.

use compressor_api::{Direction, Effort};
use compressor_benches::data as measured;

use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::stop::{Stop, ensure};
use crate::target::{Target, written};

pub(super) static CHECKS: &[Check] = &[Check {
    name: "keeps-its-loss",
    group: Group::Specs,
    proves: "Units of an effort that is listed are together no longer than the software codec's at \
             the level, plus the loss that the spec allows.",
    proof: Proof::Operation {
        directions: &[Direction::Compress],
        cases: each_effort,
        run: keeps_its_loss,
    },
}];

/// The lengths of blocks that the promises of efforts are made for, in bytes; `Effort` says so.
const BLOCKS: [usize; 3] = [4 << 10, 16 << 10, 64 << 10];

/// Blocks of fewer bytes are promised nothing, by `Effort` as well.
const LEAST_BLOCK: usize = 1 << 10;

/// Bytes of content that are compressed block by block: the promise is about data as a whole.
const CONTENT: usize = 128 << 10;

/// Each effort that is listed, at each loss that makes a difference, in blocks that are taken then.
///
/// Never empty: whatever is not listed is a case that says so.
fn each_effort(target: &Target) -> Vec<Case> {
    let efforts = target.capabilities.efforts;
    let listed = { Effort::ALL.into_iter() }.filter(|effort| efforts.priority(*effort).is_some());
    let mut cases: Vec<Case> = listed
        .flat_map(|effort| {
            losses(target, effort)
                .into_iter()
                .map(move |loss| (effort, loss))
        })
        .flat_map(|(effort, max_loss)| {
            levels(target).into_iter().map(move |level| Case {
                level: Some(level),
                effort: Some(effort),
                max_loss,
                ..Case::new(Kind::Text, LEAST_BLOCK, target.options.seed)
            })
        })
        .flat_map(|case| in_blocks(target, &case))
        .collect();
    if cases.is_empty() {
        cases.push(Case::new(Kind::Text, LEAST_BLOCK, target.options.seed));
    }
    cases
}

/// The effort's own loss, and for `Speed`, which takes any, each that is listed.
fn losses(target: &Target, effort: Effort) -> Vec<Option<u8>> {
    let mut losses = vec![None];
    if effort == Effort::Speed {
        let rows = target.capabilities.efforts.losses().unwrap_or_default();
        losses.extend(rows.iter().map(|row| Some(row.percent)));
    }
    losses.sort_unstable();
    losses.dedup();
    losses
}

/// The default level, and both ends of what is listed.
fn levels(target: &Target) -> Vec<i32> {
    let listed = target.capabilities.levels;
    let mut levels = vec![target.default_level()];
    if !target.options.quick {
        levels.extend([listed.min(), listed.max()]);
    }
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// The case in blocks of each length that is taken under its effort, or nearly; as it is, if that is
/// none.
fn in_blocks(target: &Target, case: &Case) -> Vec<Case> {
    let most = match target.spec(case) {
        Ok(spec) => target.capabilities.for_effort(&spec).max_input,
        Err(_) => 0,
    };
    let mut blocks = BLOCKS.map(|block| block.min(most)).to_vec();
    blocks.dedup();
    blocks.retain(|block| *block >= LEAST_BLOCK.max(target.capabilities.min_input));
    if blocks.is_empty() {
        return vec![case.clone()];
    }
    let each_kind = |size| {
        [Kind::Text, Kind::Rows].map(|kind| Case {
            kind,
            size,
            ..case.clone()
        })
    };
    blocks.into_iter().flat_map(each_kind).collect()
}

fn keeps_its_loss(target: &Target, case: &Case) -> Result<(), Stop> {
    let Some(effort) = case.effort else {
        return Err(Stop::NotTried("lists no effort".into()));
    };
    target.lists(case)?;
    let spec = target.spec(case)?;
    let listed = target.capabilities.for_effort(&spec);
    let block = case.size;
    if block < LEAST_BLOCK || !(listed.min_input..=listed.max_input).contains(&block) {
        let why = format!("takes no block of 1 to 64 KiB with effort {effort}");
        return Err(Stop::NotTried(why));
    }
    let format = target.format;
    let software = target.subject.software(format).ok_or_else(|| {
        Stop::NotTried(format!(
            "no software codec for {format} to compare lengths with"
        ))
    })?;

    let content = content(case, CONTENT.next_multiple_of(block))?;
    let as_it_is = spec.clone().without_effort();
    let room = target.bound(case, block)?;
    let mut session = target.compress_session(case)?;
    let (mut made, mut right) = (0, 0);
    for src in content.chunks(block) {
        let called = target.compress(&mut *session, src, room)?;
        let unit = called.bytes()?;
        target.check_unit(case, src, unit)?;
        made += unit.len();
        right += written(software, &as_it_is, src)
            .map_err(|error| Stop::NotTried(format!("the software codec: {error}")))?
            .len();
    }
    let loss = spec.max_loss();
    ensure(made * 100 <= right * (100 + usize::from(loss)), || {
        let len = content.len();
        format!(
            "makes {made} bytes of {len} in blocks of {block} with effort {effort}, and the \
             software codec {right} at level {}: more than {loss} % longer",
            spec.level()
        )
    })
}

/// `len` bytes of the data that the promises are made on and measured with. Of the suite's own, which
/// have other words and other columns, nobody has promised anything.
fn content(case: &Case, len: usize) -> Result<Vec<u8>, Stop> {
    let kind = match case.kind {
        Kind::Text => measured::Kind::Text,
        Kind::Rows => measured::Kind::Rows,
        other => {
            let why = format!("nothing is promised about the length of {other}");
            return Err(Stop::NotTried(why));
        }
    };
    Ok(measured::generate(kind, case.seed, len).bytes)
}
