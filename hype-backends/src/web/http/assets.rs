//! The page's own files, held in the program.

/// The page.
pub(in crate::web) const INDEX: &str = include_str!("../../../page/index.html");

/// The operator's page.
pub(in crate::web) const OPERATOR: &str = include_str!("../../../page/operator.html");

/// A file of the page: what it is called under `assets/`, its type, its bytes.
pub(in crate::web) struct Asset {
    pub(in crate::web) name: &'static str,
    pub(in crate::web) kind: &'static str,
    pub(in crate::web) bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The file with this name.
pub(in crate::web) fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}
