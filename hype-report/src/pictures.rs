//! Pictures inside a report.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::prelude::{BASE64_STANDARD, Engine as _};

/// Small pictures by their names, as addresses that hold their content (`data:`): a page shows them without asking for
/// anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pictures {
    all: Arc<BTreeMap<Arc<str>, String>>,
    folder: Option<Arc<str>>,
}

impl Pictures {
    /// Adds a picture: the bytes of a file of a media type such as `image/png`.
    pub fn add(&mut self, name: &str, media_type: &str, bytes: &[u8]) {
        let address = format!("data:{media_type};base64,{}", BASE64_STANDARD.encode(bytes));
        Arc::make_mut(&mut self.all).insert(name.into(), address);
    }

    /// Says where the study's files are, as an address relative to the report's folder that ends with `/`, with which a viewer
    /// can show them all without copies.
    #[must_use]
    pub fn with_folder(self, address: &str) -> Self {
        Self { folder: Some(address.into()), ..self }
    }

    /// Where the study's files are.
    pub(crate) fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }

    /// Whether there is a picture of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.all.contains_key(name)
    }

    /// The address of a picture.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all.get(name).map(String::as_str)
    }
}
