//! Bodies of requests.

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;

use crate::web::service::fault::Fault;

/// Reads a JSON body. The content type is required because a form on another page cannot send it.
pub(super) fn read<T: DeserializeOwned>(headers: &HeaderMap, body: &Bytes) -> Result<T, Fault> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().is_none_or(|kind| !kind.trim().eq_ignore_ascii_case("application/json")) {
        return Err(Fault::BadRequest("the body must be sent as application/json".into()));
    }
    serde_json::from_slice(body).map_err(|error| Fault::BadRequest(error.to_string()))
}
