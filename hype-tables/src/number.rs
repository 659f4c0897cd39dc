//! Numbers in cells.

/// The digits that a whole number may have to be exact in double precision, whatever they are.
const EXACT_DIGITS: usize = 15;
/// The powers of ten by which such a number is divided, all of them exact.
const POWERS: [f64; EXACT_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Reads a finite number, written as Rust writes numbers.
#[must_use]
pub fn number_of(text: &str) -> Option<f64> {
    short_decimal(text.as_bytes()).or_else(|| text.parse().ok().filter(|value: &f64| value.is_finite()))
}

/// A decimal of few digits: a division of two exact numbers, which rounds once (Clinger 1990, "How to read floating
/// point numbers accurately").
#[inline]
pub(crate) fn short_decimal(text: &[u8]) -> Option<f64> {
    let (sign, digits) = match text {
        // Most answers are a single digit.
        [digit @ b'0'..=b'9'] => return Some(f64::from(digit - b'0')),
        [b'-', digits @ ..] => (-1.0, digits),
        digits => (1.0, digits),
    };
    // One more for the point.
    if digits.len() > EXACT_DIGITS + 1 {
        return None;
    }
    let (mut whole, mut count, mut point) = (0_i64, 0, None);
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            whole = 10 * whole + i64::from(digit);
            count += 1;
        } else if byte == b'.' && point.is_none() {
            point = Some(count);
        } else {
            return None;
        }
    }
    if !(1..=EXACT_DIGITS).contains(&count) {
        return None;
    }
    let decimals = point.map_or(0, |point| count - point);
    Some(sign * (whole as f64 / POWERS[decimals]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> Option<f64> {
        text.parse().ok().filter(|value: &f64| value.is_finite())
    }

    #[test]
    fn numbers_match_the_standard_library() {
        for text in [
            "",
            "-",
            ".",
            "-.",
            "0",
            "-0",
            "-0.0",
            "1.",
            ".5",
            "-.5",
            "1..2",
            "1.2.3",
            "+1",
            "--1",
            "1e3",
            "inf",
            "NaN",
            " 1",
            "123456789012345",
            "1234567890123456",
            "0.123456789012345",
            "9007199254740993",
            "1e309",
            "999999999999999.",
            "0.1",
            "0.3",
            "2.675",
            "1_0",
            "٣",
        ] {
            assert_eq!(number_of(text).map(f64::to_bits), parsed(text).map(f64::to_bits), "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_096))]

        #[test]
        fn random_decimals_match_the_standard_library(text in "-?[0-9]{0,9}\\.?[0-9]{0,9}(e-?[0-9]{1,2})?") {
            prop_assert_eq!(number_of(&text).map(f64::to_bits), parsed(&text).map(f64::to_bits));
        }
    }
}
