//! Pictures inside a report.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::prelude::{BASE64_STANDARD, Engine as _};

/// Small pictures by their names, as addresses that hold their content (`data:`): a page shows them without asking for
/// anything. Clips are played from their files, and texts are quoted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pictures {
    all: Arc<BTreeMap<Arc<str>, String>>,
    /// Clips and texts, with the first lines of the latter.
    media: Arc<BTreeMap<Arc<str>, Option<String>>>,
    folder: Option<Arc<str>>,
}

impl Pictures {
    /// Adds a picture: the bytes of a file of a media type such as `image/png`.
    pub fn add(&mut self, name: &str, media_type: &str, bytes: &[u8]) {
        let address = format!("data:{media_type};base64,{}", BASE64_STANDARD.encode(bytes));
        Arc::make_mut(&mut self.all).insert(name.into(), address);
    }

    /// Adds a clip whose file is where the study's files are, or a text by its first lines.
    pub fn add_media(&mut self, name: &str, excerpt: Option<String>) {
        Arc::make_mut(&mut self.media).insert(name.into(), excerpt);
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

    /// Whether there is a clip or text of this name.
    pub(crate) fn has_media(&self, name: &str) -> bool {
        self.media.contains_key(name)
    }

    /// The first lines of a text.
    pub(crate) fn excerpt(&self, name: &str) -> Option<&str> {
        self.media.get(name)?.as_deref()
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
