//! What each fuzz target checks; the targets only name it.

use std::cell::RefCell;
use std::sync::Arc;

use compressor::{
    Compressor, DecompressSession, Engine, ErrorKind, Format, ProviderClass, Spec, inspect,
};

/// Largest output that is offered: enough for every path of the decoders, cheap to fill.
const MAX_OUTPUT: usize = 1 << 16;

thread_local! {
    static SESSIONS: RefCell<Vec<(Format, Vec<Box<dyn DecompressSession>>)>> = RefCell::default();
}

/// Decompresses `data` with every provider that reads the format. The first two bytes choose the
/// length of the output.
///
/// All must agree, on the content or on the kind of the error, and no byte that was in the output
/// before may come back as content.
pub fn decompress(format: Format, data: &[u8]) {
    let Some((len, unit)) = data.split_first_chunk::<2>() else {
        return;
    };
    let len = usize::from(u16::from_le_bytes(*len)).min(MAX_OUTPUT);
    SESSIONS.with_borrow_mut(|all| {
        let sessions = sessions(all, format);
        let mut agreed: Option<Result<Vec<u8>, ErrorKind>> = None;
        for session in sessions {
            let mut results = [0x00, 0xFF].map(|canary| {
                let mut out = vec![canary; len];
                let n = session
                    .decompress(unit, &mut out)
                    .map_err(|error| error.kind())?;
                assert!(n <= len, "{} says {n} of {len}", session.provider());
                out.truncate(n);
                Ok(out)
            });
            assert_eq!(
                results[0],
                results[1],
                "{} lets old bytes through",
                session.provider()
            );
            let result = std::mem::replace(&mut results[0], Ok(Vec::new()));
            match &agreed {
                None => agreed = Some(result),
                Some(agreed) => assert_eq!(&result, agreed, "{} differs", session.provider()),
            }
        }
    });
}

fn sessions(
    all: &mut Vec<(Format, Vec<Box<dyn DecompressSession>>)>,
    format: Format,
) -> &mut Vec<Box<dyn DecompressSession>> {
    if all.iter().all(|(known, _)| *known != format) {
        all.push((format, open_sessions(format)));
    }
    let found = all.iter_mut().find(|(known, _)| *known == format);
    &mut found.expect("pushed above").1
}

/// Software first, so that it is what the others are compared with.
fn open_sessions(format: Format) -> Vec<Box<dyn DecompressSession>> {
    let engine = Engine::new().expect("the linked providers fit together");
    let mut entries: Vec<_> = engine
        .registry()
        .entries()
        .filter(|entry| entry.formats.contains(&format))
        .collect();
    entries.sort_by_key(|entry| entry.class != ProviderClass::Software);
    entries
        .into_iter()
        .filter_map(|entry| engine.registry().open(entry.id.as_str()).ok())
        .filter_map(|factory| factory.compressor(&Spec::new(format)).ok())
        .filter_map(|compressor| compressor.decompress_session().ok())
        .collect()
}

/// Reads `data` as a header of every format.
pub fn inspect(data: &[u8]) {
    for format in Format::ALL {
        if let Ok(header) = inspect::header(format, data) {
            assert!(
                header.len <= data.len(),
                "{format}: a header longer than the unit"
            );
            if let (Some(declared), Some(times)) = (header.declared_len, format.max_expansion()) {
                assert!(
                    declared <= times * data.len() as u64,
                    "{format}: implausible"
                );
            }
        }
        let _ = inspect::needed_window(format, data, data.len());
    }
    let _ = inspect::lz4::content_len(data);
    let _ = inspect::snappy::content_len(data);
}

/// Compresses `data` with the engine's choice for the format and level that the first two bytes
/// name, and reads it back.
pub fn round_trip(data: &[u8]) {
    let Some((&[format, level], content)) = data.split_first_chunk::<2>() else {
        return;
    };
    let format = Format::ALL[usize::from(format) % Format::ALL.len()];
    // Levels that take long for their ratio are for benches.
    let levels = format.levels();
    let level = (i32::from(level) % 16 - 4).clamp(levels.min(), levels.max());
    let spec = Spec::new(format).with_level(level).expect("clamped");
    let engine = Engine::new().expect("the linked providers fit together");
    let compressor: Arc<_> = engine
        .compressor(&spec)
        .expect("software serves every level");
    let mut unit = vec![
        0;
        compressor
            .max_compressed_len(content.len())
            .expect("small enough")
    ];
    let n = compressor
        .compress_session()
        .and_then(|mut session| session.compress(content, &mut unit))
        .expect("the bound is enough");
    let mut back = vec![0xAA; content.len()];
    compressor
        .decompress_session()
        .and_then(|mut session| session.decompress_exact(&unit[..n], &mut back))
        .expect("what was written is readable");
    assert_eq!(back, content);
}
