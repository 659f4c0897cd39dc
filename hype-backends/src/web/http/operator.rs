//! The operator's page and Prometheus metrics. Both need a key, sent as a header so that no server log of addresses
//! contains it. One key allows to look, the other one also to act.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::web::http::assets;
use crate::web::http::body::read;
use crate::web::service::fault::Fault;
use crate::web::service::rater_service::RaterService;
use crate::web::wire::operator::RaterQuery;
use crate::web::wire::status::OperatorRole;

mod downloads;
mod events;
mod streamed;

pub(crate) fn routes() -> Router<Arc<RaterService>> {
    Router::new()
        .route("/operator", get(page))
        .route("/operator/status", get(status))
        .route("/operator/events", get(events::events))
        .route("/operator/raters", post(raters))
        .route("/operator/act", post(act))
        .route("/operator/download/{file}", post(downloads::download))
        .route("/operator/figure/{key}", get(figure))
        .route("/metrics", get(metrics))
}

async fn page() -> Response {
    assets::response("text/html; charset=utf-8", assets::OPERATOR.as_bytes())
}

async fn status(State(service): State<Arc<RaterService>>, headers: HeaderMap) -> Result<Response, Fault> {
    let role = role(&service, &headers)?;
    Ok(axum::Json(service.status(role).await?).into_response())
}

async fn raters(
    State(service): State<Arc<RaterService>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Fault> {
    role(&service, &headers)?;
    let query: RaterQuery = read(&headers, &body)?;
    Ok(axum::Json(service.raters(&query).await?).into_response())
}

async fn act(
    State(service): State<Arc<RaterService>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Fault> {
    check_may_act(&service, &headers)?;
    Ok(axum::Json(service.act(&read(&headers, &body)?).await?).into_response())
}

/// A figure of the latest analysis. It is an image of its own, so that its style is not that of the page.
async fn figure(
    State(service): State<Arc<RaterService>>,
    headers: HeaderMap,
    Path(key): Path<String>,
) -> Result<Response, Fault> {
    role(&service, &headers)?;
    let figure = service.figure(&key).ok_or(Fault::NothingThere)?;
    let kind = HeaderValue::from_static("image/svg+xml");
    Ok(([(CONTENT_TYPE, kind)], figure.svg.to_string()).into_response())
}

async fn metrics(State(service): State<Arc<RaterService>>, headers: HeaderMap) -> Result<Response, Fault> {
    role(&service, &headers)?;
    let mut text = String::new();
    // While the store fails, its problem is more important than the number of places.
    if let Ok(counts) = service.counts().await {
        let places = [
            ("all", service.current_study().places()),
            ("done", counts.done),
            ("held", counts.held),
            ("given_up", counts.given_up),
        ];
        text.push_str("# HELP hype_places Places in the study's plan.\n# TYPE hype_places gauge\n");
        for (state, count) in places {
            let _ = writeln!(text, "hype_places{{state=\"{state}\"}} {count}");
        }
    }
    service.health.write(&mut text, service.now());
    service.traffic.write(&mut text);
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    Ok(([(CONTENT_TYPE, kind)], text).into_response())
}

/// What the key of a request allows.
fn role(service: &RaterService, headers: &HeaderMap) -> Result<OperatorRole, Fault> {
    let token = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = token.and_then(|value| value.strip_prefix("Bearer "));
    token.and_then(|token| service.keys.role(token)).ok_or(Fault::NotTheOperator)
}

fn check_may_act(service: &RaterService, headers: &HeaderMap) -> Result<(), Fault> {
    match role(service, headers)? {
        OperatorRole::Operator => Ok(()),
        OperatorRole::Reader => Err(Fault::ReadOnlyKey),
    }
}
