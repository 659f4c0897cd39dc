//! Aggregators that are named rather than made.

use serde::Serialize;
use serde_json::{Map, Value};

use super::AggregatorSpec;

/// An aggregator by its kind and settings. Tasks and rubrics name their defaults this way, as the aggregators may come from
/// crates on which theirs do not depend.
///
/// # Examples
/// ```
/// use hype_core::plugin::aggregator::AggregatorByKind;
///
/// let plain: AggregatorByKind = "by_model".into();
/// let agreement = AggregatorByKind::new("agreement").with("over", "all");
/// assert_ne!(plain, agreement);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AggregatorByKind {
    written: Map<String, Value>,
}

impl AggregatorByKind {
    /// The aggregator of a kind, with its default settings.
    #[must_use]
    pub fn new(kind: &str) -> Self {
        Self { written: Map::from_iter([("kind".to_owned(), kind.into())]) }
    }

    /// Sets a setting. One that cannot be written as JSON is `null`.
    #[must_use]
    pub fn with(mut self, setting: &str, value: impl Serialize) -> Self {
        self.written.insert(setting.to_owned(), serde_json::to_value(value).unwrap_or_default());
        self
    }

    /// The aggregator, if a crate that is linked into this program has it with these settings.
    #[must_use]
    pub fn linked(&self) -> Option<Box<dyn AggregatorSpec>> {
        serde_json::from_value(Value::Object(self.written.clone())).ok()
    }
}

impl From<&str> for AggregatorByKind {
    fn from(kind: &str) -> Self {
        Self::new(kind)
    }
}
