//! Latin-1, as programs wrote text before UTF-8.

/// The characters of Windows-1252 for the bytes 0x80 to 0x9f; U+FFFD for those that have none.
const WINDOWS: &str = "€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ";

/// Text in Latin-1, or in Windows-1252; none if it has letters in UTF-8, which make it a damaged text in UTF-8.
pub(crate) fn latin1(bytes: &[u8]) -> Option<String> {
    let is_utf8 = bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    let letter = |&byte: &u8| match byte {
        0x80..=0x9f => WINDOWS.chars().nth(usize::from(byte - 0x80)).unwrap_or('\u{fffd}'),
        other => char::from(other),
    };
    (!is_utf8).then(|| bytes.iter().map(letter).collect())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use crate::{ReadRecord, RecordReader};

    #[test]
    fn text_that_is_not_utf8_is_latin1_unless_it_has_letters_in_utf8() {
        let read = |text: &[u8]| {
            let mut records = RecordReader::new(Box::new(Cursor::new(text.to_vec())), b',', true).or_latin1();
            let mut cells = Vec::new();
            loop {
                match records.read().unwrap() {
                    ReadRecord::End => return (cells, records.latin1_from()),
                    ReadRecord::NotText => cells.push(None),
                    ReadRecord::Record => cells.push(Some(records.cells().get(0).to_owned())),
                }
            }
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read(b"a\n\nZo\xe9 \x80\n"), (vec![some("a"), some("Zoé €")], Some(3)));
        assert_eq!(read("ä\n".as_bytes()), (vec![some("ä")], None));
        assert_eq!(read(b"\xc3\xa4\n\xe9\n"), (vec![some("ä"), None], None));
    }
}
