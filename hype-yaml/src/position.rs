/// The number of characters between two stored offsets.
const STRIDE: usize = 64;

/// Turns character counts, as the parser gives them, into byte offsets.
///
/// Remembers the offset of every 64th character, so a look-up takes constant time.
pub(super) struct Offsets<'a> {
    text: &'a str,
    /// Empty if all characters are single bytes.
    strides: Vec<u32>,
}

impl<'a> Offsets<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let strides = if text.is_ascii() {
            Vec::new()
        } else {
            text.char_indices().step_by(STRIDE).map(|(offset, _)| narrow(offset)).collect()
        };
        Self { text, strides }
    }

    /// The offset of a character, or of the end of the text if there are fewer characters.
    pub(super) fn byte(&self, character: usize) -> usize {
        if self.strides.is_empty() {
            return character.min(self.text.len());
        }
        let Some(&start) = self.strides.get(character / STRIDE) else {
            return self.text.len();
        };
        let rest = &self.text[start as usize..];
        let within = rest.char_indices().nth(character % STRIDE).map_or(rest.len(), |(offset, _)| offset);
        start as usize + within
    }
}

/// The starts of the lines of a text, and the number of characters before each position.
///
/// Lines end with a line feed, a carriage return, or both.
pub(super) struct Lines {
    starts: Vec<u32>,
    /// The number of characters that start before each 64th byte; empty if all are single bytes.
    counts: Vec<u32>,
}

impl Lines {
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = (0..bytes.len())
            .filter(|&at| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n')));
        let starts = std::iter::once(0).chain(ends.map(|end| narrow(end + 1))).collect();
        let mut counts = Vec::new();
        if !text.is_ascii() {
            let mut count = 0;
            for block in bytes.chunks(STRIDE) {
                counts.push(narrow(count));
                count += characters(block);
            }
            counts.push(narrow(count));
        }
        Self { starts, counts }
    }

    /// Line and column of a byte, both from 1, the column in characters.
    pub(super) fn line_column(&self, text: &str, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start as usize <= offset);
        let start = self.starts[line - 1] as usize;
        let mark = usize::from(text[start..offset].starts_with('\u{FEFF}'));
        (line, self.count(text, offset) - self.count(text, start) - mark + 1)
    }

    /// The end of a byte's line, without the line break.
    pub(super) fn line_end(&self, text: &str, offset: usize) -> usize {
        let line = self.starts.partition_point(|&start| start as usize <= offset);
        let end = self.starts.get(line).map_or(text.len(), |&next| next as usize);
        let length = text[..end].trim_end_matches(['\n', '\r']).len();
        // Blank lines before the break belong to other lines.
        length.max(offset).min(end)
    }

    /// The number of characters that start before a byte.
    fn count(&self, text: &str, offset: usize) -> usize {
        let Some(&before) = self.counts.get(offset / STRIDE) else {
            return offset;
        };
        before as usize + characters(&text.as_bytes()[offset / STRIDE * STRIDE..offset])
    }
}

/// The number of UTF-8 characters that start in these bytes.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// Offsets fit, because a text of 4 GiB or more is refused earlier.
pub(super) fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Lines, Offsets};

    #[test]
    fn character_counts_become_byte_offsets() {
        let text: String = "aß字🦀".repeat(100);
        let offsets = Offsets::new(&text);
        for (count, (offset, _)) in text.char_indices().enumerate() {
            assert_eq!(offsets.byte(count), offset);
        }
        assert_eq!(offsets.byte(400), text.len());
        assert_eq!(offsets.byte(9999), text.len());
        assert_eq!(Offsets::new("abc").byte(2), 2);
        assert_eq!(Offsets::new("abc").byte(7), 3);
    }

    #[test]
    fn every_line_break_of_yaml_counts_once() {
        let text = "a\nb\r\nc\rß字x";
        let lines = Lines::new(text);
        let at = |offset| lines.line_column(text, offset);
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (2, 1));
        assert_eq!(at(5), (3, 1));
        assert_eq!(at(7), (4, 1));
        assert_eq!(at(text.len() - 1), (4, 3));
        assert_eq!(at(99), (4, 4));
        assert_eq!(at(8), (4, 1), "within a character");
    }

    #[test]
    fn columns_count_characters_in_long_lines() {
        let text = format!("{}\n{}", "a".repeat(70), "aß字🦀".repeat(100));
        let lines = Lines::new(&text);
        for (count, (offset, _)) in text[71..].char_indices().enumerate() {
            assert_eq!(lines.line_column(&text, 71 + offset), (2, count + 1));
        }
    }

    #[test]
    fn a_line_ends_before_its_break() {
        for (text, offset, end) in [
            ("ab\ncd", 0, 2),
            ("ab\r\ncd", 1, 2),
            ("ab\rcd", 0, 2),
            ("a\n\n\nb", 2, 2),
            ("ab", 1, 2),
            ("", 0, 0),
        ] {
            assert_eq!(Lines::new(text).line_end(text, offset), end, "{text:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let text = "\u{FEFF}ab";
        assert_eq!(Lines::new(text).line_column(text, 4), (1, 2));
        assert_eq!(Lines::new(text).line_column(text, 0), (1, 1));
    }
}
