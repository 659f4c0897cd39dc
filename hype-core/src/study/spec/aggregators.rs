//! The `aggregate` section: one aggregator, or several that look at the same scores.

use serde::{Serialize, Serializer};

use crate::plugin::aggregator::ErasedAggregator;
use crate::plugin::rubric::ErasedRubric;
use crate::plugin::task::ErasedTask;

/// The aggregators of a spec; the first one's estimates are the study's.
#[derive(Debug, Clone)]
pub struct Aggregators(pub Vec<Box<dyn ErasedAggregator>>);

impl Aggregators {
    /// One aggregator.
    #[must_use]
    pub fn one(aggregator: impl ErasedAggregator + 'static) -> Self {
        Self(vec![Box::new(aggregator)])
    }

    /// Those of a spec that names none: the rubric's, or else the task's.
    #[must_use]
    pub fn default_of(rubric: &dyn ErasedRubric, task: &dyn ErasedTask) -> Self {
        let own = rubric.aggregators();
        if own.is_empty() { task.aggregator().into() } else { Self(own) }
    }
}

impl From<Box<dyn ErasedAggregator>> for Aggregators {
    fn from(one: Box<dyn ErasedAggregator>) -> Self {
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
