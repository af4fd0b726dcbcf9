use serde::Serialize;

use crate::CompressionInfo;

/// What a pair's metadata tells about it; reads no chunk.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Inspected {
    /// The compressor class as the file names it.
    pub class: String,
    /// The compressor's options as the file has them.
    pub options: Vec<(String, String)>,
    /// The format of the chunks.
    pub format: &'static str,
    /// Bytes of content in each chunk but the last.
    pub chunk_len: u32,
    /// Chunks of this many bytes or more are stored raw; `None` for no such limit.
    pub max_compressed_len: Option<u32>,
    /// The ratio that limit stands for; 0 for none.
    pub min_compress_ratio: f64,
    /// Bytes of content.
    pub data_len: u64,
    /// Length of the data file.
    pub file_len: u64,
    /// Chunks.
    pub chunks: u64,
    /// Chunks that are stored raw.
    pub raw_chunks: u64,
    /// Length of the data file over bytes of content: smaller is better; 0 without content.
    pub ratio: f64,
    /// How well the chunks that have content compressed, raw ones included.
    pub histogram: Vec<Bucket>,
}

/// Chunks whose stored length over content length is in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Bucket {
    /// The least, in percent.
    pub from_percent: u32,
    /// The least that is too much; `None` in the last bucket.
    pub below_percent: Option<u32>,
    /// How many chunks.
    pub chunks: u64,
}

/// Tenths up to 100 %, and one bucket for all that did not shrink.
const BUCKETS: u32 = 11;

impl Inspected {
    /// Looks at the metadata of a pair.
    #[must_use]
    pub fn new(info: &CompressionInfo) -> Self {
        let mut histogram: Vec<_> = (0..BUCKETS)
            .map(|tenth| Bucket {
                from_percent: tenth * 10,
                below_percent: (tenth + 1 < BUCKETS).then_some((tenth + 1) * 10),
                chunks: 0,
            })
            .collect();
        let mut raw_chunks = 0;
        for chunk in info.chunks() {
            raw_chunks += u64::from(chunk.raw);
            let Some(tenth) = (chunk.stored_len * 10).checked_div(chunk.content_len) else {
                continue;
            };
            if let Some(bucket) = histogram.get_mut(tenth.min(BUCKETS as usize - 1)) {
                bucket.chunks += 1;
            }
        }
        let ratio = match info.data_len() {
            0 => 0.0,
            data_len => info.file_len() as f64 / data_len as f64,
        };
        let max = info.max_compressed_len();
        Self {
            class: info.class().into(),
            options: info.options().to_vec(),
            format: info.spec().format().name(),
            chunk_len: info.chunk_len(),
            max_compressed_len: (max <= info.chunk_len()).then_some(max),
            min_compress_ratio: info.min_compress_ratio(),
            data_len: info.data_len(),
            file_len: info.file_len(),
            chunks: info.chunk_count(),
            raw_chunks,
            ratio,
            histogram,
        }
    }
}
