//! The operator's page and Prometheus metrics. Both need a key, sent as a header so that no server log of addresses
//! contains it. One key permits looking, the other one also acting.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::web::http::assets::FILES;
use crate::web::http::body::read;
use crate::web::service::fault::Fault;
use crate::web::service::keys::OperatorKey;
use crate::web::service::operator::OperatorService;
use crate::web::service::services::Services;
use crate::web::wire::operator::RaterQuery;
use crate::web::wire::status::OperatorRole;

mod downloads;
mod events;

pub(crate) fn routes() -> Router<Services> {
    Router::new()
        .route("/operator", get(page))
        .route("/operator/status", get(status))
        .route("/operator/events", get(events::events))
        .route("/operator/raters", post(raters))
        .route("/operator/act", post(act))
        .route("/operator/download/{file}", post(downloads::download))
        .route("/operator/figure/{key}/{layout}", get(figure))
        .route("/metrics", get(metrics))
}

async fn page(headers: HeaderMap) -> Response {
    FILES.operator(&headers)
}

async fn status(
    State(Services { operator, .. }): State<Services>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let role = role(&operator, &headers)?;
    Ok(axum::Json(operator.status(role).await?).into_response())
}

async fn raters(
    State(Services { operator, .. }): State<Services>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Fault> {
    role(&operator, &headers)?;
    let query: RaterQuery = read(&headers, &body)?;
    Ok(axum::Json(operator.raters(&query).await?).into_response())
}

async fn act(
    State(Services { operator, .. }): State<Services>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Fault> {
    let by = acting(&operator, &headers)?;
    Ok(axum::Json(operator.act(&by, &read(&headers, &body)?).await?).into_response())
}

/// A figure of the latest analysis. It is a separate image, so its style is not that of the page.
async fn figure(
    State(Services { operator, .. }): State<Services>,
    headers: HeaderMap,
    Path((key, layout)): Path<(String, String)>,
) -> Result<Response, Fault> {
    role(&operator, &headers)?;
    let figure = operator.figure(&key).ok_or(Fault::NothingThere)?;
    let svg = match &*layout {
        "wide" => figure.wide,
        "narrow" => figure.narrow,
        _ => return Err(Fault::NothingThere),
    };
    let kind = HeaderValue::from_static("image/svg+xml");
    Ok(([(CONTENT_TYPE, kind)], svg.to_string()).into_response())
}

async fn metrics(
    State(Services { operator, .. }): State<Services>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    role(&operator, &headers)?;
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    Ok(([(CONTENT_TYPE, kind)], operator.metrics().await).into_response())
}

/// Returns the role that the key of a request allows.
fn role(operator: &OperatorService, headers: &HeaderMap) -> Result<OperatorRole, Fault> {
    Ok(key(operator, headers)?.role)
}

fn key(operator: &OperatorService, headers: &HeaderMap) -> Result<OperatorKey, Fault> {
    let token = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = token.and_then(|value| value.strip_prefix("Bearer "));
    token.and_then(|token| operator.key(token)).ok_or(Fault::NotTheOperator)
}

/// The name of a request's key, which has to permit acting.
fn acting(operator: &OperatorService, headers: &HeaderMap) -> Result<Arc<str>, Fault> {
    match key(operator, headers)? {
        OperatorKey { role: OperatorRole::Operator, name, .. } => Ok(name),
        OperatorKey { role: OperatorRole::Reader, .. } => Err(Fault::ReadOnlyKey),
    }
}
