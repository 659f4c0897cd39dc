//! Lower-case hexadecimal digits, the form of digests, tokens and random names.

/// The digits of some bytes.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])).collect()
}

/// The bytes that the digits encode; `None` unless there are exactly two digits for each of `N`
/// bytes.
#[must_use]
pub fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N || !is_hex(text) {
        return None;
    }
    let value = |digit: u8| if digit <= b'9' { digit - b'0' } else { digit - b'a' + 10 };
    Some(std::array::from_fn(|index| value(digits[2 * index]) << 4 | value(digits[2 * index + 1])))
}

/// Whether a text consists of lower-case hexadecimal digits.
#[must_use]
pub fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_read_back_what_was_written() {
        let bytes = [0, 9, 10, 0x5f, 0xff];
        assert_eq!(to_hex(&bytes), "00090a5fff");
        assert_eq!(from_hex("00090a5fff"), Some(bytes));
        for bad in ["00090a5ff", "00090a5ffff", "00090A5FFF", "00090a5ffg", "00090a5f\u{e9}"] {
            assert_eq!(from_hex::<5>(bad), None, "{bad}");
        }
    }
}
