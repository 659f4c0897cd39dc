//! Files of Apache Parquet that are damaged at random are read or refused.

use std::io::Read as _;
use std::sync::Arc;
use std::time::Instant;

use hype_core::protocol::chance::Streams;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::as_text;

#[path = "../../../../tests/it/support/proof.rs"]
mod proof;

/// A file of three columns and some rows, whose pages are compressed.
fn written(compression: Compression) -> Vec<u8> {
    let schema =
        "message t { REQUIRED BINARY rater (UTF8); OPTIONAL BINARY model (UTF8); REQUIRED DOUBLE value; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut out = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut group = out.next_row_group().unwrap();
    let texts: Vec<ByteArray> = (0..40).map(|row| ByteArray::from(format!("r{row}").as_str())).collect();
    let levels: Vec<i16> = (0..40).map(|row| i16::from(row % 3 > 0)).collect();
    let mut place = 0;
    while let Some(mut column) = group.next_column().unwrap() {
        match place {
            0 => drop(column.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap()),
            1 => drop(column.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None).unwrap()),
            _ => drop(column.typed::<DoubleType>().write_batch(&[0.5; 40], None, None).unwrap()),
        }
        column.close().unwrap();
        place += 1;
    }
    group.close().unwrap();
    out.into_inner().unwrap()
}

#[test]
fn compressed_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let text = |name: &str, compression| {
        let path = folder.path().join(name);
        std::fs::write(&path, written(compression)).unwrap();
        let mut text = String::new();
        as_text(&path).unwrap().read_to_string(&mut text).unwrap();
        text
    };
    let plain = text("plain", Compression::UNCOMPRESSED);
    assert!(plain.starts_with("rater,model,value\nr0,,0.5\nr1,r0,0.5\n"), "{plain}");
    // The defaults of pandas and DuckDB, and of polars; and what they can write besides.
    for compression in [
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::GZIP(GzipLevel::default()),
        Compression::LZ4_RAW,
    ] {
        assert_eq!(text("compressed", compression), plain, "{compression}");
    }
}

#[test]
fn damaged_files_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let wholes = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())]
        .map(written);
    let (least, seconds) = proof::sized((300, 0), (0, 60));
    let mut chance = Streams::new(20_261_128).stream("damaged files");
    let (begin, mut files, mut tables, mut slowest) = (Instant::now(), 0_u32, 0_u32, 0.0_f64);
    while files < least || begin.elapsed().as_secs() < seconds {
        let mut bytes = wholes[files as usize % wholes.len()].clone();
        for _ in 0..chance.below(4) {
            let at = chance.below(bytes.len() as u32) as usize;
            match chance.below(3) {
                0 => bytes[at] = chance.below(256) as u8,
                1 => bytes[at] ^= 1 << chance.below(8),
                _ => drop(bytes.remove(at)),
            }
        }
        std::fs::write(&path, &bytes).unwrap();
        let start = Instant::now();
        let mut text = Vec::new();
        let is_whole = as_text(&path).is_ok_and(|read| read.take(1 << 27).read_to_end(&mut text).is_ok());
        assert!(text.len() < 1 << 27, "a text of more than {} bytes from {bytes:?}", 1 << 27);
        slowest = slowest.max(start.elapsed().as_secs_f64());
        (files, tables) = (files + 1, tables + u32::from(is_whole));
    }
    assert!(slowest < 20.0, "{slowest} s");
    proof::row(&["Parquet", &files.to_string(), &tables.to_string(), &format!("{slowest:.2}")]);
    assert!(10 * tables > files, "only {tables} of {files} files are tables");
}
