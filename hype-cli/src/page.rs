//! The page of a study, for several commands.

use std::any::Any;

use hype::backends::Local;
use hype::backends::Web;
use hype::backends::web::Page;
use hype_core::BackendSpec;

/// The settings of a backend's page; `None` if it has no page.
pub(crate) fn page_of(backend: &dyn BackendSpec) -> Option<Page> {
    #[cfg(feature = "crowd")]
    if let Some(recruits) = hype::backends::crowd::recruits::recruiting(backend) {
        return Some(recruits.page().clone());
    }
    let any: &dyn Any = backend;
    if let Some(Web(page)) = any.downcast_ref() {
        return Some(page.clone());
    }
    let local: &Local = any.downcast_ref()?;
    local.cohort.is_none().then(|| local.rater_page())
}
