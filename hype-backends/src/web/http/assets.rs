//! The page's own files, embedded in the program.

use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};

/// The page.
pub(crate) const INDEX: &str = include_str!("../../../page/index.html");

/// The operator's page.
pub(crate) const OPERATOR: &str = include_str!("../../../page/operator.html");

/// A file of the page: its path below `assets/`, media type and bytes.
pub(crate) struct Asset {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Finds a file by its path below `assets/`.
pub(crate) fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// A response with the bytes of an embedded file.
pub(crate) fn response(kind: &'static str, bytes: &'static [u8]) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static(kind))], bytes).into_response()
}
