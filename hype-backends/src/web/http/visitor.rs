//! Synthetic visitors: the raters of a cohort, who use the page over HTTP as a browser does.
//!
//! A visitor requests and sends what a browser does, but does not wait while stimuli are shown. A synthetic rater errs at
//! a given rate and so has to know the right answer; it gets that from the service in the same process, not over HTTP.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hype_core::{Cohort, Response, Wanted};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::web::http::client::{Client, ClientError};
use crate::web::service::rater_service::RaterService;

/// The number of visitors at a time.
const AT_A_TIME: usize = 16;

/// How long a visitor waits for a free place, or for a server that asks to wait.
const PAUSE: Duration = Duration::from_millis(500);

/// The refresh interval of visitors' screens: 60 Hz.
const FRAME_US: u64 = 16_667;

/// Starts visitors in the background, one after another until the study is over.
pub(crate) fn start(runtime: &Handle, service: &Arc<RaterService>, server: SocketAddr, cohort: &dyn Cohort) {
    let cohort: Arc<dyn Cohort> = Arc::from(cohort.boxed_clone());
    for _ in 0..AT_A_TIME.min(service.study.places() as usize) {
        let (service, cohort) = (Arc::clone(service), Arc::clone(&cohort));
        runtime.spawn(async move {
            loop {
                match visit(&service, server, &*cohort).await {
                    Ok(Visit::Ended) => {}
                    Ok(Visit::NoPlace) | Err(ClientError::Unavailable) => tokio::time::sleep(PAUSE).await,
                    Err(ClientError::Failed(reason)) => {
                        service.failed(&reason);
                        return;
                    }
                }
            }
        });
    }
}

/// The result of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    Ended,
    NoPlace,
}

/// Plays one rater, from the consent screen to the end.
async fn visit(
    service: &RaterService,
    server: SocketAddr,
    cohort: &dyn Cohort,
) -> Result<Visit, ClientError> {
    let mut client = Client::connect(server).await?;
    let mut screen = client.post("api/open", json!({ "arrival": {}, "language": "en" })).await?;
    if screen["screen"] != "consent" {
        return Ok(Visit::NoPlace);
    }
    let adult = screen["minimum_age"].is_number().then_some(true);
    let agree = json!({ "arrival": {}, "language": "en", "text": screen["text"], "adult": adult });
    screen = client.post("api/consent", agree).await?;
    if screen["screen"] != "instructions" {
        return Ok(Visit::NoPlace);
    }
    screen = client.post("api/begin", json!({ "environment": environment() })).await?;
    let mut synthetic = None;
    while screen["screen"] == "trial" {
        let truth = service
            .ground_truth(client.cookie())
            .await
            .map_err(|fault| ClientError::Failed(fault.to_string()))?;
        let (rater, responses) = match &mut synthetic {
            Some(synthetic) => synthetic,
            None => {
                let chance =
                    service.study.session_chance(truth.place.number, truth.attempt).child("rater", 0);
                let wanted = Wanted {
                    place: &truth.place,
                    attempt: truth.attempt,
                    rater: &truth.rater,
                    stimuli: service.study.stimuli(),
                    folder: service.study.folder(),
                    study_chance: service.study.chance(),
                };
                let rater =
                    cohort.rater(&wanted, &chance).map_err(|error| ClientError::Failed(error.to_string()))?;
                synthetic.insert((rater, chance.stream("responses")))
            }
        };
        for name in images(&screen["trial"]) {
            client.get(&format!("image/{name}")).await?;
        }
        responses.seek(u64::from(truth.trial.number));
        let response = rater.respond(&truth.trial, truth.truth.as_ref(), responses);
        screen = match response {
            Response::Leave => client.post("api/leave", json!({})).await?,
            Response::Answer { answer, rt } => {
                let report = json!({
                    "trial": screen["trial"]["number"],
                    "showing": screen["trial"]["showing"],
                    "answer": answer,
                    "rt_us": rt.0,
                    "display": display(&screen["trial"]),
                });
                client.post("api/answer", report).await?["next"].take()
            }
        };
    }
    Ok(Visit::Ended)
}

/// The names of all images in a trial.
fn images(trial: &Value) -> Vec<String> {
    let parts = trial["parts"].as_array().into_iter().flatten();
    let one = |value: &Value| value.as_str().map(str::to_owned);
    parts
        .flat_map(|part| {
            let several = part["images"].as_array().into_iter().flatten();
            one(&part["image"])
                .into_iter()
                .chain(several.filter_map(|image| one(image).or_else(|| one(&image["image"]))))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The environment of a desktop browser at 60 Hz.
fn environment() -> Value {
    json!({
        "width": 1_280, "height": 800, "pixel_ratio": 1.0, "touch": false, "refresh_hz": 60.0,
        "frame_us": FRAME_US, "frame_spread": 0.0, "grain_us": 5, "reduced_motion": false,
    })
}

/// The report of a faultless display; `null` if the trial limits no exposure.
fn display(trial: &Value) -> Value {
    let mut onset = 0;
    let mut parts = Vec::new();
    for (number, part) in trial["parts"].as_array().into_iter().flatten().enumerate() {
        let (times, each) = match part["part"].as_str() {
            Some("countdown") => (part["from"].as_u64().unwrap_or(0), part["each_ms"].as_u64()),
            Some("masks") => {
                (part["images"].as_array().map_or(0, |images| images.len() as u64), part["each_ms"].as_u64())
            }
            _ => (1, part["exposure_ms"].as_u64()),
        };
        let Some(each) = each else { continue };
        for image in 0..times {
            let frames = ((each * 1_000 + FRAME_US / 2) / FRAME_US).max(1);
            parts.push(json!({
                "part": number, "image": image, "requested_ms": each, "planned_frames": frames, "frames": frames,
                "onset_us": onset, "shown_us": frames * FRAME_US,
            }));
            onset += frames * FRAME_US;
        }
    }
    if parts.is_empty() {
        return Value::Null;
    }
    json!({
        "frame_us": FRAME_US, "grain_us": 5, "skipped": 0, "worst_late_us": 0, "suspect": false, "parts": parts,
    })
}
