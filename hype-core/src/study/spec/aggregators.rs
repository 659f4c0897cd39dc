//! The `aggregate` section: one aggregator, or several for the same scores.

use serde::{Serialize, Serializer};

use crate::plugin::aggregator::{AggregatorByKind, AggregatorSpec};
use crate::plugin::rubric::RubricSpec;

/// The aggregators of a spec. The estimates of the study are those of the first one.
#[derive(Debug, Clone)]
pub struct Aggregators(pub Vec<Box<dyn AggregatorSpec>>);

impl Aggregators {
    /// A single aggregator.
    #[must_use]
    pub fn one(aggregator: impl AggregatorSpec) -> Self {
        Self(vec![Box::new(aggregator)])
    }

    /// The default: the aggregators of the rubric, or else that of the task. Empty, which is a fault of the spec, if one of them
    /// is not linked.
    pub(super) fn default_of(rubric: &dyn RubricSpec, of_task: &AggregatorByKind) -> Self {
        let own = rubric.aggregators();
        let named = if own.is_empty() { std::slice::from_ref(of_task) } else { &own };
        Self(named.iter().map(AggregatorByKind::linked).collect::<Option<_>>().unwrap_or_default())
    }
}

impl From<Box<dyn AggregatorSpec>> for Aggregators {
    fn from(one: Box<dyn AggregatorSpec>) -> Self {
        Self(vec![one])
    }
}

impl Serialize for Aggregators {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}
