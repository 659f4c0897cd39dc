//! Texts line by line, with any kind of line ending.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::fault::ImportError;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Opens a file, or standard input for `-`.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, ImportError> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(std::io::stdin()));
    }
    let file = File::open(path).map_err(ImportError::disk(path))?;
    // A folder can be opened, and fails only when it is read.
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(ImportError::disk(path)(std::io::ErrorKind::IsADirectory.into()));
    }
    Ok(Box::new(file))
}

/// The lines of a text, without their endings.
pub(super) struct Lines {
    input: BufReader<Box<dyn Read>>,
    bytes: Vec<u8>,
    number: u64,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        Ok(Self { input: BufReader::new(open(path)?), bytes: Vec::new(), number: 0 })
    }

    /// Reads the next line; the text is `None` if it is not UTF-8.
    pub(super) fn next_line(&mut self) -> std::io::Result<Option<(u64, Option<&str>)>> {
        self.bytes.clear();
        if self.input.read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let mut line = self.bytes.as_slice();
        line = line.strip_suffix(b"\n").unwrap_or(line);
        line = line.strip_suffix(b"\r").unwrap_or(line);
        if self.number == 1 {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        Ok(Some((self.number, std::str::from_utf8(line).ok())))
    }
}

/// A reader that ends every line with a line feed, including the last one, so that lines can be counted.
pub(super) struct LineFeeds<R> {
    input: R,
    /// A carriage return was read, but not yet the byte after it.
    held: bool,
    last: u8,
}

impl<R: BufRead> LineFeeds<R> {
    pub(super) const fn new(input: R) -> Self {
        Self { input, held: false, last: b'\n' }
    }
}

impl<R: BufRead> Read for LineFeeds<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let Some(first) = out.first_mut() else { return Ok(0) };
        loop {
            let found = self.input.fill_buf()?;
            let Some(&next) = found.first() else {
                let ended = self.last == b'\n' && !self.held;
                // A lone carriage return at the end ends the last line as well.
                (self.held, self.last) = (false, b'\n');
                *first = b'\n';
                return Ok(usize::from(!ended));
            };
            if self.held {
                self.held = false;
                if next != b'\n' {
                    (*first, self.last) = (b'\r', b'\r');
                    return Ok(1);
                }
            }
            if next == b'\r' {
                self.held = true;
                self.input.consume(1);
                continue;
            }
            let run = found.iter().position(|&byte| byte == b'\r').unwrap_or(found.len()).min(out.len());
            out[..run].copy_from_slice(&found[..run]);
            self.last = out[run - 1];
            self.input.consume(run);
            return Ok(run);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn through(text: &[u8], size: usize) -> Vec<u8> {
        let mut out = Vec::new();
        LineFeeds::new(BufReader::with_capacity(size, text)).read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn every_line_ends_with_a_line_feed_alone() {
        for (text, want) in [
            ("", ""),
            ("a", "a\n"),
            ("a\r\n", "a\n"),
            ("a\r\n\r\nb", "a\n\nb\n"),
            ("a\rb\n", "a\rb\n"),
            ("a\r\r\nb\r", "a\r\nb\n"),
        ] {
            for size in 1..5 {
                assert_eq!(through(text.as_bytes(), size), want.as_bytes(), "{text:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn buffers_of_any_size_give_the_same(text in "[ab\r\n]{0,40}", size in 1_usize..9) {
            let want = format!("{}\n", text.replace("\r\n", "\n"));
            let got = through(text.as_bytes(), size);
            prop_assert_eq!(&got, &through(text.as_bytes(), 64));
            if !text.is_empty() && !text.ends_with(['\n', '\r']) {
                prop_assert_eq!(got, want.as_bytes());
            }
        }
    }
}
