use super::Kind;

/// A scalar by the YAML 1.2 core schema, except that a leading zero makes a string.
///
/// `017` is 17 in YAML 1.2 but 15 in YAML 1.1 and C, so the author has to choose explicitly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scalar<'a> {
    Null,
    Boolean(bool),
    /// `None` if the number does not fit into 128 bits.
    Integer(Option<i128>, &'a str),
    Float(f64),
    String(&'a str),
}

impl<'a> Scalar<'a> {
    pub(super) fn resolve(text: &'a str, plain: bool) -> Self {
        if !plain {
            return Self::String(text);
        }
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Self::Null,
            "true" | "True" | "TRUE" => Self::Boolean(true),
            "false" | "False" | "FALSE" => Self::Boolean(false),
            ".nan" | ".NaN" | ".NAN" => Self::Float(f64::NAN),
            _ => number(text).unwrap_or(Self::String(text)),
        }
    }

    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Boolean(_) => Kind::Boolean,
            Self::Integer(..) => Kind::Integer,
            Self::Float(_) => Kind::Float,
            Self::String(_) => Kind::String,
        }
    }
}

fn number(text: &str) -> Option<Scalar<'_>> {
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(text, digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(text, digits, 8);
    }
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Some(Scalar::Float(if negative { f64::NEG_INFINITY } else { f64::INFINITY }));
    }
    let whole = leading_digits(unsigned);
    if whole > 1 && unsigned.starts_with('0') {
        return None;
    }
    let mut rest = &unsigned[whole..];
    if whole > 0 && rest.is_empty() {
        return Some(Scalar::Integer(text.parse().ok(), text));
    }
    let mut fraction = 0;
    if let Some(after) = rest.strip_prefix('.') {
        fraction = leading_digits(after);
        rest = &after[fraction..];
    }
    if whole + fraction == 0 {
        return None;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if digits.is_empty() || leading_digits(digits) < digits.len() {
            return None;
        }
    } else if !rest.is_empty() {
        return None;
    }
    text.parse().ok().map(Scalar::Float)
}

fn radix<'a>(text: &'a str, digits: &str, radix: u32) -> Option<Scalar<'a>> {
    let valid = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    valid.then(|| Scalar::Integer(i128::from_str_radix(digits, radix).ok(), text))
}

fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::Scalar;

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        let integers = [("0", 0), ("-0", 0), ("12", 12), ("+7", 7), ("-3", -3), ("0x1F", 31), ("0o17", 15)];
        for (text, value) in integers {
            assert_eq!(Scalar::resolve(text, true), Scalar::Integer(Some(value), text), "{text}");
        }
        let floats = [
            ("1.", 1.0),
            (".5", 0.5),
            ("-.5", -0.5),
            ("0.25", 0.25),
            ("1e3", 1e3),
            ("6.02E+23", 6.02e23),
            ("1e-7", 1e-7),
            ("-.inf", f64::NEG_INFINITY),
            ("+.INF", f64::INFINITY),
        ];
        for (text, value) in floats {
            assert_eq!(Scalar::resolve(text, true), Scalar::Float(value), "{text}");
        }
        let strings = [
            "no", "yes", "on", "off", "y", "017", "00", "-01", "1_000", "0b1", "0x", "0xg", "0o8", "1:30",
            "+", "-", ".", "e5", "1e", "1e+", ".e1", "inf", "nan", "infinity", "-.nan", "1.2.3", "12 ms",
            "tRUE", "nULL", "٣", "0.5f", "+-1", "--1", "0x-1",
        ];
        for text in strings {
            assert_eq!(Scalar::resolve(text, true), Scalar::String(text), "{text}");
        }
        for text in ["", "~", "null", "12", "true"] {
            assert_eq!(Scalar::resolve(text, false), Scalar::String(text), "{text}");
        }
    }

    #[test]
    fn an_integer_past_128_bits_is_still_an_integer() {
        let text = "9".repeat(60);
        assert_eq!(Scalar::resolve(&text, true), Scalar::Integer(None, &text));
    }
}
