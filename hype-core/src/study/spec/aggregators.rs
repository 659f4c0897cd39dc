//! The `aggregate` section: one aggregator, or several that look at the same scores.

use serde::{Serialize, Serializer};

use crate::plugin::aggregator::AggregatorSpec;
use crate::plugin::rubric::RubricSpec;

/// The aggregators of a spec; the first one's estimates are the study's.
#[derive(Debug, Clone)]
pub struct Aggregators(pub Vec<Box<dyn AggregatorSpec>>);

impl Aggregators {
    /// One aggregator.
    #[must_use]
    pub fn one(aggregator: impl AggregatorSpec) -> Self {
        Self(vec![Box::new(aggregator)])
    }

    /// Those of a spec that names none: the rubric's, or else the task's.
    pub(super) fn default_of(rubric: &dyn RubricSpec, of_task: Box<dyn AggregatorSpec>) -> Self {
        let own = rubric.aggregators();
        if own.is_empty() { of_task.into() } else { Self(own) }
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
