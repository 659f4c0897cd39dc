//! Interprets bytes as a sequence of choices.

use serde_json::{Map, Value, json};

/// Choices read from bytes, one after another. When the bytes are used up, every choice is the first one.
pub(crate) struct Choices<'a> {
    rest: &'a [u8],
}

/// Texts that a log or an answer may depend on.
const TEXTS: [&str; 16] = [
    "",
    "real",
    "generated",
    "judgment",
    "answered",
    "opened",
    "finished",
    "left",
    "completed",
    "main",
    "qualification",
    "hype_time",
    "r1",
    "\u{0}",
    "\u{feff}größe",
    "0",
];

/// Numbers at the limits of integer types.
const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "0.5",
    "255",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "1e308",
    "5e-324",
    "-0.0",
];

impl<'a> Choices<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_used_up(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        first
    }

    /// A number below the bound; 0 if the bound is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let number = if bound > 256 {
            usize::from(self.byte()) << 8 | usize::from(self.byte())
        } else {
            self.byte().into()
        };
        number % bound.max(1)
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// One of some values.
    pub(crate) fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// Any number, mostly a small one.
    pub(crate) fn u64(&mut self) -> u64 {
        match self.byte() {
            small @ 0..=199 => small.into(),
            200..=229 => u64::from(self.byte()) << 8 | u64::from(self.byte()),
            230..=249 => (0..8).fold(0, |sum, _| sum << 8 | u64::from(self.byte())),
            250 => u64::from(u32::MAX),
            251 => u64::from(u32::MAX) + 1,
            252 => u64::MAX - 1,
            _ => u64::MAX,
        }
    }

    pub(crate) fn u32(&mut self) -> u32 {
        u32::try_from(self.u64()).unwrap_or(u32::MAX)
    }

    fn text(&mut self) -> String {
        match self.byte() {
            index @ 0..=199 => TEXTS[usize::from(index) % TEXTS.len()].into(),
            length => {
                let (text, rest) = self.rest.split_at(usize::from(length - 200).min(self.rest.len()));
                self.rest = rest;
                String::from_utf8_lossy(text).into_owned()
            }
        }
    }

    /// Any JSON, nested at most `depth` deep.
    pub(crate) fn json(&mut self, depth: u32) -> Value {
        match self.byte() % if depth == 0 { 6 } else { 8 } {
            0 => Value::Null,
            1 => Value::Bool(self.flag()),
            2 => json!(self.u64()),
            3 => serde_json::from_str(self.of(&NUMBERS)).unwrap_or_default(),
            4 => Value::String(self.text()),
            5 => {
                let judgment = self.of(&["real", "generated"]);
                // Alternative forms that serde accepts, besides valid answers.
                match self.below(4) {
                    0 => json!({ "judgment": { judgment: null } }),
                    1 => json!([judgment]),
                    _ => json!({ "judgment": judgment }),
                }
            }
            6 => (0..self.below(4)).map(|_| self.json(depth - 1)).collect(),
            _ => {
                let entries = (0..self.below(4)).map(|_| (self.text(), self.json(depth - 1)));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }
}
