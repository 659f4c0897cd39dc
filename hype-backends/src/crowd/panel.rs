//! Panels: where raters of a recruiting study come from.

use std::fmt::Debug;
use std::sync::Arc;

use hype_core::protocol::fees::Fees;

use crate::crowd::market::Market;
use crate::web::settings::Completion;

/// People who come from elsewhere: how they arrive at the rater page, how they return, and, if the panel has an interface for
/// programs, how work is listed and paid.
pub trait Panel: Debug + Send + Sync {
    /// The panel's name for people, such as `Prolific`.
    fn name(&self) -> &str;

    /// The address parameter that carries a participant's id.
    fn participant(&self) -> Arc<str>;

    /// How raters return, by how their session ended, where the spec does not say it.
    fn completion(&self) -> Completion;

    /// What the panel takes of each payment.
    fn fees(&self) -> Fees;

    /// The interface for programs; `None` if people list the study and pay raters by hand.
    fn market(&self) -> Option<Arc<dyn Market>>;
}
