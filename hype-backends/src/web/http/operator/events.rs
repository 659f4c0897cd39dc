//! The state of the study as server-sent events.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse as _, Response};

use super::role;
use crate::web::http::streamed;
use crate::web::service::fault::Fault;
use crate::web::service::services::Services;
use crate::web::wire::status::{Overview, Status};

/// How often a viewer is told what has changed.
const EVERY: Duration = Duration::from_secs(1);

/// How many seconds pass before a viewer hears from a server without news. Proxies close connections that are silent for a
/// minute, and the page considers one that is silent for half a minute lost.
const HEARTBEAT: u32 = 10;

/// The most viewers of a server. Others ask for the state again and again.
const VIEWERS: usize = 64;

/// A viewer, counted until dropped.
struct Viewer(Arc<AtomicUsize>);

impl Drop for Viewer {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// `GET operator/events`: the state at once, then whenever it has changed.
pub(super) async fn events(
    State(Services { operator, .. }): State<Services>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let role = role(&operator, &headers)?;
    let viewer = Viewer(Arc::clone(&operator.viewers));
    if viewer.0.fetch_add(1, Ordering::Relaxed) >= VIEWERS {
        return Err(Fault::Unavailable);
    }
    let (sender, body) = streamed::body();
    tokio::spawn(async move {
        let _viewer = viewer;
        let mut shown: Option<Overview> = None;
        let mut silent = 0;
        let mut ticks = tokio::time::interval(EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = sender.closed() => return,
                _ = ticks.tick() => {}
            }
            let text = match operator.status(role).await {
                Ok(status) if shown.as_ref().is_none_or(|shown| !is_same(shown, &status.overview)) => {
                    shown = Some(Overview::clone(&status.overview));
                    event(&status)
                }
                Ok(_) | Err(_) => {
                    silent += 1;
                    if silent < HEARTBEAT {
                        continue;
                    }
                    ": still here\n\n".to_owned()
                }
            };
            silent = 0;
            if sender.send(Ok(Bytes::from(text))).await.is_err() {
                return;
            }
        }
    });
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // nginx would otherwise wait for more before it passes anything on.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

fn event(status: &Status) -> String {
    // Maps have text keys, and numbers are finite or null.
    let text = serde_json::to_string(status).unwrap_or_default();
    format!("event: status\ndata: {text}\n\n")
}

/// Whether two states are the same but for the time that has passed.
fn is_same(one: &Overview, other: &Overview) -> bool {
    let mut passed = one.clone();
    passed.unix_ms = other.unix_ms;
    passed.estimates_age_us = other.estimates_age_us;
    // A new analysis with equal findings changes their age, which the page counts up by itself.
    let is_older = one.estimates_age_us <= other.estimates_age_us;
    is_older && passed == *other
}

#[cfg(test)]
mod tests;
