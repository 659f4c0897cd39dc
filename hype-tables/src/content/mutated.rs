//! Files that are damaged at random are read or refused, within the limits of what is read.

use std::io::{Cursor, Read as _, Write as _};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use hype_core::protocol::chance::{Stream, Streams};

use super::TableContent;
use crate::{ReadRecord, RecordReader};

#[path = "../../../tests/it/support/archives.rs"]
mod archives;
#[path = "../../../tests/it/support/proof.rs"]
mod proof;

/// The longest file that is tried, in bytes.
const LONGEST: usize = 1 << 14;
/// The most bytes that the text of such a file may have: the empty cells of a sheet are the most.
const MOST_TEXT: u64 = 1 << 27;
/// The longest time that a file may take.
const MOST_TIME: Duration = Duration::from_secs(20);

/// Bytes at the limits of numbers and signs that mean something to some reader.
const SIGNS: [&[u8]; 24] = [
    b"\0",
    b"\xff",
    b"\x7f",
    b"\x80",
    b"\"",
    b",",
    b";",
    b"\t",
    b"\n",
    b"\r\n",
    b"{",
    b"}",
    b"[",
    b"]",
    b"<",
    b"</row>",
    b"<row r=\"",
    b"99999999",
    b"XFD1048576",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"\x1f\x8b\x08\0",
    b"\xff\xff\xff\xff",
    b"-1e308",
];

const CSV: &str = "rater,model,item,value\nr1,\"a, \"\"b\"\"\",1,0.5\nr2;x,b,2,NaN\n\nr3,c,3,1e3\n";
const SHEET: &str = "<sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" t=\"inlineStr\"><is><t>b</t></is></c></row>\
                     <row r=\"3\"><c r=\"B3\"><v>0.1</v></c><c t=\"b\"><v>1</v></c></row></sheetData>";
const JSON: [&str; 4] = [
    "[{\"a\": 1, \"b\": \"x\\u00e9\"}, {\"b\": [1, {\"c\": null}]}]",
    "{\"a\": 1}\n{\"b\": \"y\"}\n",
    "{\"rows\": [{\"a\": 1}], \"n\": 2}",
    "{\"x\": {\"p\": 1}, \"y\": {\"p\": 2}}",
];

/// The parts of a workbook; the last is the sheet.
fn workbook(sheet: &str, shared: &str) -> Vec<u8> {
    archives::zip(&[
        ("xl/workbook.xml", "<workbook><sheets><sheet name=\"S\" r:id=\"r1\"/></sheets></workbook>"),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id=\"r1\" Target=\"s.xml\"/></Relationships>",
        ),
        ("xl/sharedStrings.xml", shared),
        ("xl/s.xml", sheet),
    ])
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Changes some bytes.
fn damaged(mut bytes: Vec<u8>, chance: &mut Stream) -> Vec<u8> {
    for _ in 0..=chance.below(6) {
        let at = chance.below(bytes.len() as u32 + 1) as usize;
        let end = (at + 1 + chance.below(24) as usize).min(bytes.len());
        match chance.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            1 => drop(bytes.splice(at.min(end)..end, [])),
            2 => bytes.truncate(at),
            3 => {
                let part = bytes[at.min(end)..end].repeat(1 + chance.below(40) as usize);
                bytes.splice(at..at, part);
            }
            4 if at < bytes.len() => bytes[at] = chance.below(256) as u8,
            _ => {
                let sign = SIGNS[chance.below(SIGNS.len() as u32) as usize];
                bytes.splice(at..at, sign.iter().copied());
            }
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// A file of some form, damaged outside or, so that its checksum fits, within.
fn file(chance: &mut Stream) -> Vec<u8> {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let json = JSON[chance.below(JSON.len() as u32) as usize];
    match chance.below(8) {
        0 => damaged(CSV.into(), chance),
        1 => damaged(json.into(), chance),
        2 => damaged(gzip(CSV.as_bytes()), chance),
        3 => gzip(&damaged(json.into(), chance)),
        4 => damaged(archives::zip(&[("t.csv", CSV)]), chance),
        5 => archives::zip(&[("t.json", &text(damaged(json.into(), chance)))]),
        6 => damaged(workbook(SHEET, "<sst><si><t>x</t></si></sst>"), chance),
        _ => {
            let shared = text(damaged(b"<sst><si><r><t>x</t></r></si></sst>".to_vec(), chance));
            workbook(&text(damaged(SHEET.into(), chance)), &shared)
        }
    }
}

/// Reads a file to its end; returns whether it is a table.
fn read(bytes: &[u8]) -> bool {
    let Ok(content) = TableContent::table(Box::new(Cursor::new(bytes.to_vec()))) else { return false };
    let mut text = Vec::new();
    let is_whole = content.text.take(MOST_TEXT + 1).read_to_end(&mut text).is_ok();
    assert!(text.len() as u64 <= MOST_TEXT, "a text of more than {MOST_TEXT} bytes from {bytes:?}");
    let length = text.len() as u64;
    let mut records = RecordReader::new(Box::new(Cursor::new(text)), b',', true).or_latin1();
    let mut count = 0_u64;
    while records.read().is_ok_and(|found| found != ReadRecord::End) {
        let cells = records.cells();
        assert!((0..cells.len()).all(|place| cells.trimmed(place).len() as u64 <= 4 * length), "{bytes:?}");
        count += 1;
        assert!(count <= length + 1, "more records than bytes from {bytes:?}");
    }
    is_whole
}

#[test]
fn damaged_files_are_read_or_refused_within_limits() {
    // A number of files or, in the proof, an hour of them.
    let (least, seconds) = proof::sized((2_000, 0), (0, 3_600));
    let mut chance = Streams::new(20_261_128).stream("damaged files");
    let begin = Instant::now();
    let (mut files, mut tables, mut slowest) = (0_u64, 0_u64, Duration::ZERO);
    while files < least || begin.elapsed().as_secs() < seconds {
        let bytes = file(&mut chance);
        let start = Instant::now();
        tables += u64::from(read(&bytes));
        let took = start.elapsed();
        assert!(took < MOST_TIME, "{took:?} for {bytes:?}");
        slowest = slowest.max(took);
        files += 1;
    }
    proof::row(&[
        "CSV, JSON, gzip, zip, XLSX",
        &files.to_string(),
        &tables.to_string(),
        &format!("{:.2}", slowest.as_secs_f64()),
    ]);
    assert!(5 * tables > files, "only {tables} of {files} files are tables");
}
