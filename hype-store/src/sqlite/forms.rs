//! Compact entries: the JSON of an event as a form, which many events share, and values.
//!
//! The form is the text with a mark in place of each number and each string that is not a key. The values are the
//! numbers and strings, in order. Joining both gives the original text byte for byte.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::chain::{self, Form};

/// The mark of an integer from 0 to 2⁶⁴ − 1, stored in the values with seven bits per byte, lowest first.
const WHOLE: u8 = b'#';

/// The mark of any other number, stored in the values as the length of its text and the text.
const NUMBER: u8 = b'%';

/// The mark of a string, stored in the values as the length of the text between the quotes and the text.
const STRING: u8 = b'$';

/// The form id of events that are stored as plain text.
pub(super) const PLAIN: i64 = 0;

/// The maximum number of forms in a store. Events with further forms are stored as plain text, as answers whose keys
/// differ between raters would otherwise have a form each.
pub(super) const FORMS_AT_MOST: i64 = 4_096;

/// An event to append.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) form: Arc<KnownForm>,
    /// The id of the form, if it is known to be in the store.
    pub(super) id: Option<i64>,
    pub(super) values: Vec<u8>,
}

/// The text of a form with its hash.
#[derive(Debug)]
pub(super) struct KnownForm {
    pub(super) text: String,
    pub(super) hash: Form,
    /// The positions of the marks in the text.
    marks: Vec<usize>,
}

impl KnownForm {
    pub(super) fn new(text: String) -> Self {
        Self { hash: chain::form(&text), marks: marks(text.as_bytes()), text }
    }

    /// Appends the text that the form and the values make up; `None` if they do not match.
    pub(super) fn join(&self, mut values: &[u8], text: &mut Vec<u8>) -> Option<()> {
        let form = self.text.as_bytes();
        let mut at = 0;
        for &mark in &self.marks {
            text.extend_from_slice(&form[at..mark]);
            match form[mark] {
                WHOLE => write_digits(read_number(&mut values)?, text),
                NUMBER => text.extend_from_slice(read_text(&mut values)?),
                _ => {
                    text.push(b'"');
                    text.extend_from_slice(read_text(&mut values)?);
                    text.push(b'"');
                }
            }
            at = mark + 1;
        }
        text.extend_from_slice(&form[at..]);
        values.is_empty().then_some(())
    }
}

/// The forms that this process has seen in a store. Forms are never removed.
#[derive(Debug, Default)]
pub(super) struct Forms(RwLock<Known>);

#[derive(Debug, Default)]
struct Known {
    ids: HashMap<String, i64>,
    forms: HashMap<i64, Arc<KnownForm>>,
}

impl Forms {
    /// Splits the text of an event into form and values.
    pub(super) fn entry(&self, text: &str) -> Entry {
        let (form, values) = split(text);
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        match known.ids.get(&form).and_then(|id| Some((*id, known.forms.get(id)?))) {
            Some((id, form)) => Entry { form: Arc::clone(form), id: Some(id), values },
            None => Entry { form: Arc::new(KnownForm::new(form)), id: None, values },
        }
    }

    /// The form with an id, if it is known.
    pub(super) fn find(&self, id: i64) -> Option<Arc<KnownForm>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).forms.get(&id).cloned()
    }

    /// Records a form that is in the store.
    pub(super) fn learn(&self, id: i64, form: &Arc<KnownForm>) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.ids.insert(form.text.clone(), id);
        known.forms.insert(id, Arc::clone(form));
    }
}

/// Splits a JSON text without white space between tokens into form and values.
fn split(text: &str) -> (String, Vec<u8>) {
    let bytes = text.as_bytes();
    let (mut form, mut values) = (Vec::with_capacity(bytes.len() / 2), Vec::with_capacity(64));
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let end = match byte {
            b'"' => string_end(bytes, at),
            b'-' | b'0'..=b'9' => {
                let digits = bytes[at..]
                    .iter()
                    .take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
                at + digits.count()
            }
            _ => at + 1,
        };
        let token = &bytes[at..end];
        match byte {
            b'"' if bytes.get(end) != Some(&b':') => {
                form.push(STRING);
                write_text(&token[1..token.len() - 1], &mut values);
            }
            b'-' | b'0'..=b'9' => match whole(token) {
                Some(number) => {
                    form.push(WHOLE);
                    write_number(number, &mut values);
                }
                None => {
                    form.push(NUMBER);
                    write_text(token, &mut values);
                }
            },
            _ => form.extend_from_slice(token),
        }
        at = end;
    }
    // The form consists of marks and complete tokens, so it is valid UTF-8 like the event.
    (String::from_utf8_lossy(&form).into_owned(), values)
}

/// The positions of the marks of a form, which are outside its strings.
fn marks(form: &[u8]) -> Vec<usize> {
    let mut marks = Vec::new();
    let mut at = 0;
    while let Some(&byte) = form.get(at) {
        if matches!(byte, WHOLE | NUMBER | STRING) {
            marks.push(at);
        }
        at = if byte == b'"' { string_end(form, at) } else { at + 1 };
    }
    marks
}

/// Writes a number in decimal digits.
fn write_digits(mut number: u64, text: &mut Vec<u8>) {
    // The largest number has 20 digits.
    let mut digits = [b'0'; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[first..]);
}

/// The end of the string that begins at a quote, including the closing quote.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The integer in a token, if Rust would write it in the same way.
fn whole(token: &[u8]) -> Option<u64> {
    let is_plain = token.iter().all(u8::is_ascii_digit) && (token.len() == 1 || token.first() != Some(&b'0'));
    std::str::from_utf8(token).ok().filter(|_| is_plain)?.parse().ok()
}

fn write_number(mut number: u64, values: &mut Vec<u8>) {
    while number >= 0x80 {
        values.push(number as u8 | 0x80);
        number >>= 7;
    }
    values.push(number as u8);
}

fn read_number(values: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = values.split_first()?;
        *values = rest;
        number |= u64::from(byte & 0x7F).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn write_text(text: &[u8], values: &mut Vec<u8>) {
    write_number(text.len() as u64, values);
    values.extend_from_slice(text);
}

fn read_text<'a>(values: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(read_number(values)?).ok()?;
    let (text, rest) = values.split_at_checked(length)?;
    *values = rest;
    Some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn json() -> impl Strategy<Value = serde_json::Value> {
        use serde_json::Value;
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::from),
            (0..300_u64).prop_map(Value::from),
            "[ -~\u{e9}\u{1F600}\\\\\"#$%:\n]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::vec(("[a-z#$%\":\\\\]{0,4}", inner), 0..5)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn form_and_values_give_the_text_byte_for_byte(value in json()) {
            let text = value.to_string();
            let (form, values) = split(&text);
            let mut joined = Vec::new();
            prop_assert_eq!(KnownForm::new(form).join(&values, &mut joined), Some(()));
            prop_assert_eq!(joined, text.into_bytes());
        }

        #[test]
        fn values_that_were_cut_or_lengthened_do_not_fit(value in json(), cut in 1..4_usize) {
            let (form, mut values) = split(&value.to_string());
            let form = KnownForm::new(form);
            if values.len() >= cut {
                prop_assert_eq!(form.join(&values[..values.len() - cut], &mut Vec::new()), None);
            }
            values.push(0);
            prop_assert_eq!(form.join(&values, &mut Vec::new()), None);
        }
    }

    #[test]
    fn events_of_one_kind_share_their_form() {
        let split = |at: u64| split(&format!(r#"{{"left":{{"at":{at},"why":"no \"time\"","x":-0.5}}}}"#));
        assert_eq!(split(7).0, r#"{"left":{"at":#,"why":$,"x":%}}"#);
        assert_eq!(split(7).0, split(70_000_000).0);
        assert_eq!(split(7).1.len(), 1 + 1 + 12 - 1 + 1 + 4);
    }
}
