//! Any bytes are read as a table of some form, or refused, within the limits of cells and of what archives unpack to.

use std::io::{Cursor, Read as _};

use hype_tables::{ReadRecord, RecordReader, TableContent};

/// The most bytes of the text of a table: the empty cells of a sheet are the most.
const MOST_TEXT: u64 = 1 << 27;

/// Unpacks the bytes and reads the records of their text with each separator.
///
/// # Panics
/// If a reader is at fault.
pub fn run(bytes: &[u8]) {
    let Ok(content) = TableContent::table(Box::new(Cursor::new(bytes.to_vec()))) else { return };
    let mut text = Vec::new();
    let _ = content.text.take(MOST_TEXT + 1).read_to_end(&mut text);
    assert!(text.len() as u64 <= MOST_TEXT, "a text of more than {MOST_TEXT} bytes");
    text.truncate(1 << 20);
    for (delimiter, quotes) in [(b',', true), (b'\t', false)] {
        let mut records = RecordReader::new(Box::new(Cursor::new(text.clone())), delimiter, quotes).or_latin1();
        let mut count = 0;
        while records.read().is_ok_and(|found| found != ReadRecord::End) {
            let cells = records.cells();
            assert!((0..cells.len()).all(|place| cells.trimmed(place).len() <= 4 * text.len()));
            count += 1;
            assert!(count <= text.len() + 1, "more records than bytes");
        }
    }
}
