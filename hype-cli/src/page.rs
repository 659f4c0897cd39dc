//! The page of a study, which several commands need.

use hype::backends::Local;
use hype::backends::Web;
use hype::backends::web::Page;
use hype_core::Backend;
use serde::de::DeserializeOwned;

/// The page by which a backend shows a study to people; nothing of a backend without one.
pub(crate) fn page_of(backend: &dyn Backend) -> Option<Page> {
    match backend.typetag_name() {
        "web" => settings::<Web>(backend).map(|web| web.0),
        "local" => {
            settings::<Local>(backend).filter(|local| local.cohort.is_none()).map(|local| local.rater_page())
        }
        _ => None,
    }
}

fn settings<T: DeserializeOwned>(backend: &dyn Backend) -> Option<T> {
    let mut value = serde_json::to_value(backend).ok()?;
    value.as_object_mut()?.remove("kind");
    serde_json::from_value(value).ok()
}
