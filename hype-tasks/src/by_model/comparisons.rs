//! Tests over models and comparisons of pairs.

use hype_core::findings::{Comparison, Test};
use hype_core::spec::RaterDesign;

use super::ByModel;
use super::sums::ModelSample;

impl ByModel {
    pub(super) fn tests(&self, _: &[&ModelSample], _: RaterDesign) -> Vec<Test> {
        Vec::new()
    }
    pub(super) fn comparisons(&self, _: &[&ModelSample], _: RaterDesign) -> Vec<Comparison> {
        Vec::new()
    }
}
