//! How sessions become findings.

use crate::diagnostics::Diagnostics;
use crate::plugin::rubric::RubricSpec;
use crate::study::spec::Aggregators;

/// How sessions become findings. May change after a study was collected, except for the questions that the rubric asks,
/// which are part of the session digest.
#[derive(Debug, Clone)]
pub struct AnalysisSpec {
    /// Turns sessions into scores.
    pub rubric: Box<dyn RubricSpec>,
    /// Turn scores into findings.
    pub aggregate: Aggregators,
}

impl AnalysisSpec {
    pub(super) fn check_aggregators(&self, at: &mut Diagnostics) {
        let measures = self.rubric.measures();
        match self.aggregate.0.as_slice() {
            [] => {
                at.error("empty", "there are no aggregators").help("leave `aggregate` out for the default");
            }
            [one] => one.check(&measures, at),
            several => {
                for (index, one) in several.iter().enumerate() {
                    at.within_item(index, |at| one.check(&measures, at));
                }
            }
        }
    }
}
