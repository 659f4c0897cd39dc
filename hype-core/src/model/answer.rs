//! Answers: a rater's answers to the questions of one trial, as small values that are cheap to create and to read.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Number, Value};
use smol_str::SmolStr;

mod reading;
mod writing;

/// A rater's answer to a trial: one value for each question, by the question's key.
///
/// In logs it is a JSON object with its keys in order. Texts of up to 23 bytes, which is most keys and options, are held
/// in place, so an answer to one question needs no separate allocation.
///
/// Any JSON that a page reports can be converted into an answer ([`From<Value>`](#impl-From<Value>-for-Answer)), even
/// if it is not an object; a session refuses such an answer.
///
/// # Examples
/// ```
/// use hype_core::Answer;
///
/// let answer = Answer::one("judgment", "real");
/// assert_eq!(answer.text("judgment"), Some("real"));
/// assert_eq!(answer.to_json().to_string(), r#"{"judgment":"real"}"#);
/// assert_eq!(Answer::from(serde_json::json!({ "stars": 4 })).number("stars"), Some(4.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Answer(Entries);

/// The entries, sorted by key. One entry is always `One`: equal answers are equal values.
#[derive(Debug, Clone, PartialEq)]
enum Entries {
    One(SmolStr, AnswerValue),
    Several(Vec<(SmolStr, AnswerValue)>),
    /// JSON that is not an object.
    Malformed(Box<Value>),
}

/// The answer to one question: the value of an option, a number, ranks of candidates, or other JSON.
#[derive(Clone, PartialEq)]
pub struct AnswerValue(Held);

#[derive(Clone, PartialEq)]
enum Held {
    Text(SmolStr),
    Number(Number),
    /// Sorted by candidate.
    Ranks(Vec<(SmolStr, Number)>),
    Other(Box<Value>),
}

impl Answer {
    /// The answer to a single question.
    #[inline]
    #[must_use]
    pub fn one(question: &str, value: impl Into<AnswerValue>) -> Self {
        Self(Entries::One(question.into(), value.into()))
    }

    fn from_entries(mut entries: impl Iterator<Item = (SmolStr, AnswerValue)>) -> Self {
        match (entries.next(), entries.next()) {
            (Some((key, value)), None) => Self(Entries::One(key, value)),
            (first, second) => {
                let mut all = sorted(first.into_iter().chain(second).chain(entries).collect());
                match all.pop() {
                    Some((key, value)) if all.is_empty() => Self(Entries::One(key, value)),
                    last => {
                        all.extend(last);
                        Self(Entries::Several(all))
                    }
                }
            }
        }
    }

    /// An answer from the JSON of a typed one; `None` if it cannot be serialized.
    #[must_use]
    pub fn of<T: Serialize>(typed: &T) -> Option<Self> {
        serde_json::to_value(typed).ok().map(Self::from)
    }

    /// Reads the answer as a typed one, as sessions do before a task sees it.
    ///
    /// # Errors
    /// If the type does not allow this answer.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        T::deserialize(self)
    }

    /// The answer to one question.
    #[inline]
    #[must_use]
    pub fn get(&self, question: &str) -> Option<&AnswerValue> {
        match &self.0 {
            Entries::One(key, value) => (key == question).then_some(value),
            Entries::Several(entries) => {
                let found = entries.binary_search_by(|(key, _)| key.as_str().cmp(question));
                found.ok().map(|at| &entries[at].1)
            }
            Entries::Malformed(_) => None,
        }
    }

    /// The answer to a question if it is a text: the value of the chosen option.
    #[inline]
    #[must_use]
    pub fn text(&self, question: &str) -> Option<&str> {
        self.get(question)?.as_str()
    }

    /// The answer to a question if it is a number.
    #[inline]
    #[must_use]
    pub fn number(&self, question: &str) -> Option<f64> {
        self.get(question)?.as_f64()
    }

    /// The questions and their answers, sorted by question.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &AnswerValue)> {
        let (one, several): (_, &[(SmolStr, AnswerValue)]) = match &self.0 {
            Entries::One(key, value) => (Some((key.as_str(), value)), &[]),
            Entries::Several(entries) => (None, entries),
            Entries::Malformed(_) => (None, &[]),
        };
        one.into_iter().chain(several.iter().map(|(key, value)| (key.as_str(), value)))
    }

    /// The entries with these keys. An answer that is not an object is returned as it is.
    #[must_use]
    pub fn only(&self, keep: impl Fn(&str) -> bool) -> Self {
        if !self.is_object() {
            return self.clone();
        }
        let kept = self.entries().filter(|(key, _)| keep(key));
        Self::from_entries(kept.map(|(key, value)| (key.into(), value.clone())))
    }

    /// Whether this is an object with one entry for each question.
    #[inline]
    #[must_use]
    pub fn is_object(&self) -> bool {
        !matches!(self.0, Entries::Malformed(_))
    }

    /// The answer as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.0 {
            Entries::Malformed(value) => (**value).clone(),
            _ => {
                Value::Object(self.entries().map(|(key, value)| (key.to_owned(), value.to_json())).collect())
            }
        }
    }

    /// A hash that distinguishes a repeated report from a different one. It is stable only within this version of the
    /// program.
    #[inline]
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hash = Mixer::default();
        match &self.0 {
            Entries::Malformed(value) => hash.text(&value.to_string()),
            _ => self.entries().for_each(|(key, value)| {
                hash.text(key);
                value.mix(&mut hash);
            }),
        }
        hash.0
    }
}

impl AnswerValue {
    /// The text, if it is one: the value of the option chosen.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Held::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// The number as JSON writes it, if it is one.
    #[inline]
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        match &self.0 {
            Held::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The candidates and their ranks, sorted by candidate, if it is an object of numbers.
    #[must_use]
    pub fn as_ranks(&self) -> Option<impl ExactSizeIterator<Item = (&str, &Number)>> {
        match &self.0 {
            Held::Ranks(ranks) => Some(ranks.iter().map(|(candidate, rank)| (candidate.as_str(), rank))),
            _ => None,
        }
    }

    /// The texts of a list of texts, such as the values of several options; `None` if it is something else.
    #[must_use]
    pub fn as_texts(&self) -> Option<Vec<&str>> {
        match &self.0 {
            Held::Other(value) => value.as_array()?.iter().map(Value::as_str).collect(),
            _ => None,
        }
    }

    /// The rank of one candidate, if this is an object of numbers and the candidate's is a whole one from 0 up.
    #[must_use]
    pub fn rank_of(&self, candidate: &str) -> Option<u64> {
        self.as_ranks()?.find(|&(ranked, _)| ranked == candidate)?.1.as_u64()
    }

    /// An order of candidates: each with its rank, 1 for the best.
    pub fn ranks<'a>(ranks: impl IntoIterator<Item = (&'a str, u64)>) -> Self {
        let ranks = ranks.into_iter().map(|(candidate, rank)| (candidate.into(), rank.into())).collect();
        Self(Held::Ranks(sorted(ranks)))
    }

    /// The value as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.0 {
            Held::Text(text) => Value::from(text.as_str()),
            Held::Number(number) => Value::Number(number.clone()),
            Held::Ranks(ranks) => {
                let entry = |(candidate, rank): &(SmolStr, Number)| {
                    (candidate.to_string(), Value::Number(rank.clone()))
                };
                Value::Object(ranks.iter().map(entry).collect::<Map<_, _>>())
            }
            Held::Other(value) => (**value).clone(),
        }
    }

    #[inline]
    fn mix(&self, hash: &mut Mixer) {
        match &self.0 {
            Held::Text(text) => hash.text(text),
            Held::Number(number) => hash.number(number),
            Held::Ranks(ranks) => ranks.iter().for_each(|(candidate, rank)| {
                hash.text(candidate);
                hash.number(rank);
            }),
            Held::Other(value) => hash.text(&value.to_string()),
        }
    }
}

/// Sorts entries by key, and keeps only the last one of several with the same key.
fn sorted<T>(mut entries: Vec<(SmolStr, T)>) -> Vec<(SmolStr, T)> {
    if !entries.is_sorted_by(|(before, _), (after, _)| before < after) {
        entries.reverse();
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        entries.dedup_by(|(later, _), (kept, _)| later == kept);
    }
    entries
}

impl<'a, V: Into<AnswerValue>> FromIterator<(&'a str, V)> for Answer {
    fn from_iter<I: IntoIterator<Item = (&'a str, V)>>(entries: I) -> Self {
        Self::from_entries(entries.into_iter().map(|(key, value)| (key.into(), value.into())))
    }
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        match value {
            Value::Object(map) => {
                Self::from_entries(map.into_iter().map(|(key, value)| (key.into(), value.into())))
            }
            other => Self(Entries::Malformed(Box::new(other))),
        }
    }
}

impl From<Value> for AnswerValue {
    fn from(value: Value) -> Self {
        Self(match value {
            Value::String(text) => Held::Text(text.into()),
            Value::Number(number) => Held::Number(number),
            Value::Object(map) if map.values().all(Value::is_number) => Held::Ranks(sorted(
                map.into_iter()
                    .filter_map(|(key, value)| match value {
                        Value::Number(rank) => Some((key.into(), rank)),
                        _ => None,
                    })
                    .collect(),
            )),
            other => Held::Other(Box::new(other)),
        })
    }
}

impl From<&str> for AnswerValue {
    fn from(text: &str) -> Self {
        Self(Held::Text(text.into()))
    }
}

impl From<Number> for AnswerValue {
    fn from(number: Number) -> Self {
        Self(Held::Number(number))
    }
}

impl From<i64> for AnswerValue {
    fn from(number: i64) -> Self {
        Self(Held::Number(number.into()))
    }
}

impl fmt::Debug for AnswerValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// As JSON.
impl fmt::Display for AnswerValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_json())
    }
}

/// As JSON.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_json())
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        writing::answer(self, serializer)
    }
}

impl Serialize for AnswerValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        writing::value(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Answer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        reading::answer(deserializer)
    }
}

impl<'de> Deserialize<'de> for AnswerValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        reading::value(deserializer)
    }
}

/// Mixes eight bytes at a time by the multiplicative step of FNV-1a with a rotation.
struct Mixer(u64);

impl Default for Mixer {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Mixer {
    #[inline]
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn text(&mut self, text: &str) {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        words.iter().for_each(|&word| self.word(u64::from_le_bytes(word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self.word(text.len() as u64);
    }

    fn number(&mut self, number: &Number) {
        // `1` and `1.0` are different answers, as logs write them differently.
        match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(whole), ..) => self.word(whole),
            (None, Some(whole), _) => self.word(!(whole as u64)),
            (None, None, float) => {
                self.word(u64::MAX);
                self.word(float.unwrap_or_default().to_bits());
            }
        }
    }
}

#[cfg(test)]
mod tests;
