//! The empty chunk that Cassandra may write at the end.

use std::fs;

use chunk_file::{Reader, ReaderOptions};

use crate::support::{CLASSES, ENGINE, made, open, params, read_all, rows};

#[test]
fn an_empty_chunk_after_the_last_full_one_is_read_over() {
    let content = rows(2048);
    for (class, unit) in [(0, &[0; 5][..]), (4, &[]), (6, &[])] {
        let (_dir, pair) = made(&params(CLASSES[class], 1, "0"), &content);
        let mut data = fs::read(pair.data()).unwrap();
        let mut info = fs::read(pair.info()).unwrap();
        info.extend((data.len() as u64).to_be_bytes());
        let count = info.len() - 3 * 8 - 1;
        info[count] += 1;
        data.extend(unit);
        data.extend(crc32fast::hash(unit).to_be_bytes());
        fs::write(pair.data(), &data).unwrap();
        fs::write(pair.info(), &info).unwrap();

        let reader = open(&pair);
        assert_eq!(reader.info().chunk_count(), 3);
        assert_eq!(read_all(&reader).unwrap(), content);
        assert_eq!(reader.verify(|_| ()).bad, []);
        // It must be whole: it could be content that the data length leaves out.
        crate::damage::flip(pair.data(), data.len() as u64 - 1, 1);
        let refused = Reader::open(&pair, &ENGINE, ReaderOptions::default());
        assert!(refused.is_err_and(|error| error.is_corruption()));
    }
}

#[test]
fn content_that_the_data_length_leaves_out_is_noticed() {
    // A chunk of zeros is about as short as an empty one.
    for class in [2, 4] {
        let (_dir, pair) = made(&params(CLASSES[class], 1, "0"), &[0; 2048]);
        let data_len_end = fs::metadata(pair.info()).unwrap().len() - 2 * 8 - 4;
        // 2,048 becomes 1,024.
        crate::damage::flip(pair.info(), data_len_end - 2, 0x08 ^ 0x04);
        let refused = Reader::open(&pair, &ENGINE, ReaderOptions::default());
        assert!(refused.is_err_and(|error| error.is_corruption()), "{class}");
    }
}
