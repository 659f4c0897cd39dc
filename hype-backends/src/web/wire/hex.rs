//! Lower-case hexadecimal digits, the form of everything secret or random on the wire.

/// The digits of some bytes.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])).collect()
}

/// The sixteen bytes of 32 digits.
pub(crate) fn decode(text: &str) -> Option<[u8; 16]> {
    let digits = text.as_bytes();
    if digits.len() != 32 || !is_hex(text) {
        return None;
    }
    let value = |digit: u8| if digit <= b'9' { digit - b'0' } else { digit - b'a' + 10 };
    Some(std::array::from_fn(|index| value(digits[2 * index]) << 4 | value(digits[2 * index + 1])))
}

/// Whether a text consists of such digits.
pub(crate) fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
