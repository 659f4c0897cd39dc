//! Serialization of answers, with the same JSON as a map of values.

use serde::ser::SerializeMap as _;
use serde::{Serialize as _, Serializer};

use super::{Answer, AnswerValue, Entries, Held};

pub(super) fn answer<S: Serializer>(answer: &Answer, serializer: S) -> Result<S::Ok, S::Error> {
    match &answer.0 {
        Entries::One(key, value) => {
            let mut map = serializer.serialize_map(Some(1))?;
            map.serialize_entry(key.as_str(), value)?;
            map.end()
        }
        Entries::Several(entries) => {
            let mut map = serializer.serialize_map(Some(entries.len()))?;
            for (key, value) in entries {
                map.serialize_entry(key.as_str(), value)?;
            }
            map.end()
        }
        Entries::Malformed(value) => value.serialize(serializer),
    }
}

pub(super) fn value<S: Serializer>(value: &AnswerValue, serializer: S) -> Result<S::Ok, S::Error> {
    match &value.0 {
        Held::Text(text) => serializer.serialize_str(text),
        Held::Number(number) => number.serialize(serializer),
        Held::Ranks(ranks) => {
            let mut map = serializer.serialize_map(Some(ranks.len()))?;
            for (candidate, rank) in ranks {
                map.serialize_entry(candidate.as_str(), rank)?;
            }
            map.end()
        }
        Held::Other(value) => value.serialize(serializer),
    }
}
