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
use hype_core::plugin::backend::LiveStatus;
use hype_core::{Amount, AnalysisError, Findings, Micros, analyse};
use serde::Serialize;
use tokio::sync::Mutex;

use crate::web::http::assets;
use crate::web::http::server::typed;
use crate::web::service::fault::Fault;
use crate::web::service::rater_service::RaterService;

pub(crate) fn routes() -> Router<Arc<RaterService>> {
    Router::new()
        .route("/operator", get(page))
        .route("/operator/status", get(status))
        .route("/metrics", get(metrics))
}

/// How a study goes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// The study's name.
    pub name: Arc<str>,
    /// Places in the plan.
    pub places: u32,
    /// Places completed.
    pub done: u32,
    /// Places that somebody holds now.
    pub held: u32,
    /// Places that no replacement completed.
    pub given_up: u32,
    /// Places that nobody holds.
    pub free: u32,
    /// What was earned so far, and what the open places will cost at most of a typical rater.
    pub cost: Option<Cost>,
    /// The findings so far; nothing while there is too little to find anything in.
    pub findings: Option<Arc<Findings>>,
    /// How old they are.
    pub findings_age_us: Micros,
}

/// What a study costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// ISO 4217.
    pub currency: Arc<str>,
    /// Earned so far.
    pub so_far: Amount,
    /// What the places that are not completed will cost, if their raters are typical.
    pub to_come: Amount,
}

impl Status {
    /// What is told to whoever watches the collection.
    pub(in crate::web) fn live(&self) -> LiveStatus {
        LiveStatus {
            held: self.held,
            done: self.done,
            given_up: self.given_up,
            free: self.free,
            spent: self.cost.as_ref().map(|cost| (Arc::clone(&cost.currency), cost.so_far)),
            findings: self.findings.clone(),
        }
    }
}

/// The findings of a while ago.
#[derive(Debug, Default)]
pub(in crate::web) struct Latest {
    kept: Mutex<Option<Kept>>,
}

#[derive(Debug, Clone)]
struct Kept {
    findings: Option<Arc<Findings>>,
    at: Micros,
    took: Micros,
}

impl RaterService {
    /// How the study goes. The findings are at most some seconds old; the larger the study, the older.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn status(&self) -> Result<Status, Fault> {
        let counts = self.counts().await?;
        let kept = self.findings().await?;
        let places = self.study.places();
        let open = places.saturating_sub(counts.settled());
        Ok(Status {
            name: Arc::clone(&self.study.spec().name),
            places,
            done: counts.done,
            held: counts.held,
            given_up: counts.given_up,
            free: open.saturating_sub(counts.held),
            cost: self.cost(kept.findings.as_deref(), open),
            findings_age_us: Micros(self.now().0.saturating_sub(kept.at.0)),
            findings: kept.findings,
        })
    }

    /// One analysis at a time, and not all the time.
    async fn findings(&self) -> Result<Kept, Fault> {
        let mut kept = self.latest.kept.lock().await;
        let now = self.now();
        if let Some(kept) = &*kept {
            let pause = ANALYSIS_EVERY.0.max(kept.took.0.saturating_mul(ANALYSIS_SHARE));
            if now.0.saturating_sub(kept.at.0) < pause {
                return Ok(kept.clone());
            }
        }
        let (study, store) = (self.study.clone(), Arc::clone(&self.store));
        let runtime = tokio::runtime::Handle::current();
        let computed = tokio::task::spawn_blocking(move || runtime.block_on(analyse(&study, &*store))).await;
        let findings = match computed {
            Ok(Ok(findings)) => Some(Arc::new(findings)),
            Ok(Err(AnalysisError::Store(error))) => return Err(error.into()),
            // Before anybody has answered there is nothing to aggregate.
            Ok(Err(_)) => None,
            Err(_) => return Err(Fault::Failed),
        };
        let took = Micros(self.now().0.saturating_sub(now.0));
        let new = Kept { findings, at: now, took };
        *kept = Some(new.clone());
        Ok(new)
    }

    fn cost(&self, findings: Option<&Findings>, open: u32) -> Option<Cost> {
        let payment = self.study.raters().payment.as_ref()?;
        let earned = findings.and_then(|findings| findings.earnings.as_ref());
        let right = self.study.profile().effort.map_or(0.0, |effort| effort.correct);
        let bonus = Amount::from_units(payment.per_correct.as_units() * right).unwrap_or_default();
        Some(Cost {
            currency: Arc::clone(&payment.currency),
            so_far: earned.map_or(Amount::default(), |earned| earned.total),
            to_come: payment.base.plus(bonus).times(u64::from(open)),
        })
    }
}

async fn page() -> Response {
    typed("text/html; charset=utf-8", assets::OPERATOR.as_bytes())
}

async fn status(State(service): State<Arc<RaterService>>, headers: HeaderMap) -> Result<Response, Fault> {
    check_token(&service, &headers)?;
    Ok(axum::Json(service.status().await?).into_response())
}

async fn metrics(State(service): State<Arc<RaterService>>, headers: HeaderMap) -> Result<Response, Fault> {
    only_the_operator(&service, &headers)?;
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
