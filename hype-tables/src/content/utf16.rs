//! UTF-16 as UTF-8, as spreadsheets save "Unicode text".

use std::io::Read;

/// Which byte of a unit comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    /// The order of the bytes of a text in UTF-16, by its byte order mark or by zeros between letters.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0xff, 0xfe, ..] => Some(Self::Little),
            [0xfe, 0xff, ..] => Some(Self::Big),
            [first, 0, second, 0, ..] if *first != 0 && *second != 0 => Some(Self::Little),
            [0, first, 0, second, ..] if *first != 0 && *second != 0 => Some(Self::Big),
            _ => None,
        }
    }
}

/// A reader of UTF-16 as UTF-8; what is none becomes U+FFFD.
pub(super) struct Utf16<R> {
    input: R,
    order: Order,
    /// Bytes that are not decoded yet: less than a character, except while reading.
    bytes: Vec<u8>,
    text: Vec<u8>,
    at: usize,
}

impl<R: Read> Utf16<R> {
    pub(super) const fn new(input: R, order: Order) -> Self {
        Self { input, order, bytes: Vec::new(), text: Vec::new(), at: 0 }
    }

    /// Decodes the next bytes; nothing is decoded at the end.
    fn decode(&mut self) -> std::io::Result<()> {
        let has_ended = (&mut self.input).take(1 << 16).read_to_end(&mut self.bytes)? == 0;
        let unit = |pair: &[u8; 2]| match self.order {
            Order::Little => u16::from_le_bytes(*pair),
            Order::Big => u16::from_be_bytes(*pair),
        };
        let (pairs, odd) = self.bytes.as_chunks::<2>();
        let mut units: Vec<u16> = pairs.iter().map(unit).collect();
        let mut rest = odd.to_vec();
        if !has_ended && let Some(last) = units.pop_if(|unit| (0xd800..0xdc00).contains(unit)) {
            // The second half of a character follows.
            let pair = if self.order == Order::Little { last.to_le_bytes() } else { last.to_be_bytes() };
            rest = [&pair[..], odd].concat();
        }
        self.bytes = if has_ended { Vec::new() } else { rest };
        let text: String = char::decode_utf16(units).map(|letter| letter.unwrap_or('\u{fffd}')).collect();
        (self.text, self.at) = (text.into_bytes(), 0);
        Ok(())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.text.len() {
            self.decode()?;
        }
        let some = out.len().min(self.text.len() - self.at);
        out[..some].copy_from_slice(&self.text[self.at..self.at + some]);
        self.at += some;
        Ok(some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_are_read_with_and_without_a_mark() {
        let text = "a,ä\n𝄞,1".repeat(20_000);
        let units = || text.encode_utf16();
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        for (bytes, order) in [(little, Order::Little), (big, Order::Big)] {
            assert_eq!(Order::of(&bytes), Some(order));
            let mut read = String::new();
            Utf16::new(bytes.as_slice(), order).read_to_string(&mut read).unwrap();
            assert_eq!(read, text);
        }
        assert_eq!(Order::of(b"a,b\n"), None);
    }
}
