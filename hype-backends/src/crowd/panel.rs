//! Panels: where raters of a recruiting study come from.

use std::fmt::Debug;
use std::sync::Arc;

use hype_core::protocol::fees::Fees;

use crate::crowd::market::Market;
use crate::web::PanelRules;

/// The completion codes of a study, which raters enter at the panel. They follow from the study's secret.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests of panels make it")]
pub struct Codes {
    /// That of raters who answered everything.
    pub completed: Arc<str>,
    /// That of raters who did not pass the qualification.
    pub disqualified: Arc<str>,
}

/// People who come from elsewhere: how they arrive at the rater page, how they return, and, if the panel has an interface for
/// programs, how work is listed and paid.
pub trait Panel: Debug + Send + Sync {
    /// The panel's name for people, such as `Prolific`.
    fn name(&self) -> &str;

    /// How participants arrive at the rater page, and how they return.
    fn rules(&self) -> PanelRules;

    /// What the panel takes of each payment.
    fn fees(&self) -> Fees;

    /// The interface for programs; `None` if people list the study and pay raters by hand.
    fn market(&self) -> Option<Arc<dyn Market>>;
}
