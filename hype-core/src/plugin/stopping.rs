//! Stopping rules: from the raters of the first places to the decision whether more are needed.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::diagnostics::Diagnostics;
use crate::model::findings::StoppingLook;
use crate::model::score::Measure;

/// Ends a collection before all places are filled, by a rule that is declared beforehand.
///
/// A rule looks at the raters of the first places, in the order of places and not in the order in which they finish, so fast
/// raters do not decide. It is a pure function: every process that has the same logs comes to the same decision.
///
/// Register an implementation with [`register_stopping_rule!`](crate::register_stopping_rule) to use it from YAML.
pub trait StoppingRule: Any + Debug + Send + Sync {
    /// The measure that it decides by; `None` for the study's score.
    fn measure(&self) -> Option<&str>;

    /// Checks the settings for a study. Adds every fault to `at`. The core already checks that the measure exists.
    fn check(&self, plan: &StoppingPlan, at: &mut Diagnostics);

    /// How it decides, in words.
    fn method(&self, plan: &StoppingPlan) -> String;

    /// The name of the statistic that it compares with its boundary.
    fn statistic(&self) -> &'static str;

    /// The looks at which the rule decides, in raters of each model if each rater judges one, ascending.
    fn looks(&self, plan: &StoppingPlan) -> Vec<u32>;

    /// Decides at every look up to `reached` raters, unless an earlier one ends the collection, and gives the boundaries of the
    /// others. `values` are by model, in the order of the plan: the turn of each rater with a value, ascending from 0, and the
    /// value. A look at n raters is about those whose turn is below n.
    fn decide(&self, plan: &StoppingPlan, values: &[Vec<(u32, f64)>], reached: u32) -> Vec<StoppingLook>;
}

/// Facts about the study that a stopping rule knows.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "programs that call rules make it")]
pub struct StoppingPlan {
    /// The models under study, in the order of the spec.
    pub models: Vec<Arc<str>>,
    /// Whether a rater judges several models. Otherwise each judges one, and looks count the raters of each model.
    pub is_paired: bool,
    /// The number of raters in the plan, counted as those of looks.
    pub planned: u32,
    /// The measure that the rule decides by.
    pub measure: Measure,
}

/// A stopping rule as a spec holds it, by its `kind`. Implemented by
/// [`register_stopping_rule!`](crate::register_stopping_rule).
#[typetag::serialize(tag = "kind")]
pub trait StoppingSpec: DynStoppingRule {}

crate::plugin::kinds::read_by_kind!(StoppingSpec);

/// Methods of every registered stopping rule in addition to [`StoppingRule`].
pub trait DynStoppingRule: StoppingRule {
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn StoppingSpec>;
}

impl<R: StoppingRule + StoppingSpec + Clone> DynStoppingRule for R {
    fn boxed_clone(&self) -> Box<dyn StoppingSpec> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn StoppingSpec> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
