//! Base64, as signatures are written.

/// The bytes of a text in Base64 (RFC 4648, section 4), with padding; `None` if it is none. Of texts that stand for the same bytes,
/// only the one that encoders write is accepted.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let (groups, rest) = text.as_bytes().as_chunks::<4>();
    if !rest.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(groups.len() * 3);
    for (index, group) in groups.iter().enumerate() {
        let padding = group.iter().rev().take_while(|&&byte| byte == b'=').count();
        if padding > 2 || (padding > 0 && index + 1 < groups.len()) {
            return None;
        }
        let mut bits = 0;
        for &letter in &group[..4 - padding] {
            bits = bits << 6 | value(letter)?;
        }
        bits <<= 6 * padding;
        let [_, decoded @ ..] = u32::to_be_bytes(bits);
        let (decoded, unused) = decoded.split_at(3 - padding);
        if unused.iter().any(|&byte| byte != 0) {
            return None;
        }
        bytes.extend_from_slice(decoded);
    }
    Some(bytes)
}

fn value(letter: u8) -> Option<u32> {
    Some(match letter {
        b'A'..=b'Z' => u32::from(letter - b'A'),
        b'a'..=b'z' => u32::from(letter - b'a') + 26,
        b'0'..=b'9' => u32::from(letter - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_standard() {
        let cases = [
            ("", Some("")),
            ("Zg==", Some("f")),
            ("Zm8=", Some("fo")),
            ("Zm9v", Some("foo")),
            ("Zm9vYg==", Some("foob")),
            ("Zm9vYmE=", Some("fooba")),
            ("Zm9vYmFy", Some("foobar")),
            ("Zg=", None),
            ("Zh==", None),
            ("Zg==Zg==", None),
            ("Z===", None),
            ("Zm9-", None),
            ("====", None),
        ];
        for (text, bytes) in cases {
            assert_eq!(from_base64(text), bytes.map(|bytes| bytes.as_bytes().to_vec()), "{text}");
        }
        assert_eq!(from_base64("+//+"), Some(vec![0xfb, 0xff, 0xfe]));
    }
}
