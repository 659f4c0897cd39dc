//! The operator's page and Prometheus metrics. Both need the operator's token, sent as a header so that no server log
//! of addresses contains it.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::web::http::assets;
use crate::web::service::fault::Fault;
use crate::web::service::rater_service::RaterService;

pub(crate) fn routes() -> Router<Arc<RaterService>> {
    Router::new()
        .route("/operator", get(page))
        .route("/operator/status", get(status))
        .route("/metrics", get(metrics))
}

async fn page() -> Response {
    assets::response("text/html; charset=utf-8", assets::OPERATOR.as_bytes())
}

async fn status(State(service): State<Arc<RaterService>>, headers: HeaderMap) -> Result<Response, Fault> {
    check_token(&service, &headers)?;
    Ok(axum::Json(service.status().await?).into_response())
}

async fn metrics(State(service): State<Arc<RaterService>>, headers: HeaderMap) -> Result<Response, Fault> {
    check_token(&service, &headers)?;
    let counts = service.counts().await?;
    let mut text = String::new();
    let places = [
        ("all", service.study.places()),
        ("done", counts.done),
        ("held", counts.held),
        ("given_up", counts.given_up),
    ];
    text.push_str("# HELP hype_places Places in the study's plan.\n# TYPE hype_places gauge\n");
    for (state, count) in places {
        let _ = writeln!(text, "hype_places{{state=\"{state}\"}} {count}");
    }
    service.traffic.write(&mut text);
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    Ok(([(CONTENT_TYPE, kind)], text).into_response())
}

fn check_token(service: &RaterService, headers: &HeaderMap) -> Result<(), Fault> {
    let token = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = token.and_then(|value| value.strip_prefix("Bearer "));
    if token.is_some_and(|token| service.keys.is_operator(token)) {
        Ok(())
    } else {
        Err(Fault::NotTheOperator)
    }
}
