//! Pictures inside a report.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::prelude::{BASE64_STANDARD, Engine as _};

/// Small pictures by their names, as addresses that hold their content (`data:`), so that a page shows them without asking for
/// anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pictures(Arc<BTreeMap<Arc<str>, String>>);

impl Pictures {
    /// Adds a picture: the bytes of a file of a media type such as `image/png`.
    pub fn add(&mut self, name: &str, media_type: &str, bytes: &[u8]) {
        let address = format!("data:{media_type};base64,{}", BASE64_STANDARD.encode(bytes));
        Arc::make_mut(&mut self.0).insert(name.into(), address);
    }

    /// Whether there is a picture of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The address of a picture.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}
