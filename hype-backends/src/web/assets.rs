//! The page's own files, held in the program.

/// The page.
pub(super) const INDEX: &str = include_str!("../../page/index.html");

/// The operator's page.
pub(super) const OPERATOR: &str = include_str!("../../page/operator.html");

/// A file of the page: what it is called under `assets/`, its type, its bytes.
pub(super) struct Asset {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The file with this name.
pub(super) fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}
