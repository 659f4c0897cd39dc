//! Synthetic visitors: the raters of a cohort, who use the page over HTTP as a browser does.
//!
//! A visitor requests and sends what a browser does, but does not wait while stimuli are shown. A synthetic rater errs at
//! a given rate and so has to know the right answer; it gets that from the service in the same process, not over HTTP.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use hype_core::model::played::{Played, PlayedMember};
use hype_core::protocol::places::{Claimed, PlaceCounts};
use hype_core::protocol::playback::{played_in_trial, seen_parts};
use hype_core::study::session::session_name;
use hype_core::{CohortSpec, Media, Rater, Response, StoreError, StoreExt as _, Stream, Study, Trial};
use serde_json::{Value, json};

use crate::drive::recall;
use crate::web::arrival_source::ArrivalSource;
use crate::web::http::client::{Browser, Client, ClientError};
use crate::web::service::fault::Fault;
use crate::web::service::keys::Credential;
use crate::web::service::services::Services;
use crate::web::service::trial::GroundTruth;

/// The number of visitors at a time.
const AT_A_TIME: usize = 16;

/// How long a visitor waits for a free place, or for a server that asks to wait.
const PAUSE: Duration = Duration::from_millis(500);

/// The refresh interval of visitors' screens: 60 Hz.
const FRAME_US: u64 = 16_667;

/// Who visits, and from when on.
#[derive(Debug, Clone)]
pub(crate) struct Visiting {
    /// How they answer.
    pub(crate) cohort: Arc<dyn CohortSpec>,
    /// Where they come from; `None` if they just come.
    pub(crate) source: Option<Arc<dyn ArrivalSource>>,
    /// How many people begin before the first visitor comes.
    pub(crate) after: u32,
}

/// Sends visitors in the background until the study is over. If that fails, `failure` has the reason. The first ones resume the sessions of an earlier run,
/// with their cookies.
pub(super) async fn start(
    services: Services,
    server: SocketAddr,
    visiting: Visiting,
    failure: Arc<OnceLock<String>>,
) -> Result<(), StoreError> {
    let Services { context, running, .. } = &services;
    let holders = running.places.holders(&*context.store).await?;
    let cookie = |(claimed, rater): (Claimed, String)| {
        let session = session_name(claimed.place, claimed.attempt).to_string();
        format!("{}={}", context.cookie_name, context.keys.cookie(&Credential { session, rater }))
    };
    let cookies = Arc::new(Mutex::new(holders.into_iter().map(cookie).collect::<VecDeque<_>>()));
    // Those who wait for the operator's call do nothing else.
    let held_open = context.study.raters().recruitment.hold_open;
    let waiting = held_open.map_or(0, |retainer| retainer.raters.get() as usize);
    for _ in 0..AT_A_TIME.max(waiting).min(context.study.places() as usize) {
        let Visiting { cohort, source, after } = visiting.clone();
        let visitors = Visitors { services: services.clone(), server, cohort, source };
        let (cookies, failure) = (Arc::clone(&cookies), Arc::clone(&failure));
        tokio::spawn(async move {
            while !visitors.follow(after).await {
                tokio::time::sleep(PAUSE).await;
            }
            loop {
                let cookie = cookies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                if let Err(reason) = visitors.one(cookie).await {
                    return drop(failure.set(reason));
                }
            }
        });
    }
    Ok(())
}

/// The result of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    Ended,
    NoPlace,
}

/// Sends one visitor after another.
struct Visitors {
    services: Services,
    server: SocketAddr,
    cohort: Arc<dyn CohortSpec>,
    /// Where they come from; `None` if they just come.
    source: Option<Arc<dyn ArrivalSource>>,
}

/// The parameters of the address at which a visitor arrives.
type Arrival = BTreeMap<String, String>;

impl Visitors {
    /// Whether this many people have begun. A store that cannot be asked now is asked again.
    async fn follow(&self, people: u32) -> bool {
        let begun = |counts: PlaceCounts| counts.held + counts.settled();
        people == 0 || self.services.running.counts().await.is_ok_and(|counts| begun(counts) >= people)
    }

    /// Sends one visitor, who returns while the server asks to wait.
    async fn one(&self, cookie: Option<String>) -> Result<(), String> {
        let failed = |error: ClientError| error.to_string();
        let arrival = match &self.source {
            None => Arrival::new(),
            Some(source) => match source.next().await {
                Some(arrival) => arrival,
                None => {
                    tokio::time::sleep(PAUSE).await;
                    return Ok(());
                }
            },
        };
        let mut browser = Browser::new(cookie).map_err(failed)?;
        loop {
            match self.visit(&mut browser, &arrival).await {
                Ok(Visit::Ended) => return Ok(()),
                Ok(Visit::NoPlace) => {
                    // Raters who find no place return the work, as the page asks.
                    if let Some(source) = &self.source {
                        source.ended(&arrival, None).await;
                    }
                    tokio::time::sleep(PAUSE).await;
                    return Ok(());
                }
                Err(ClientError::Unavailable) => tokio::time::sleep(PAUSE).await,
                Err(ClientError::Failed(reason)) => return Err(reason),
            }
        }
    }

    /// One visit, from wherever the browser's session is to the end.
    async fn visit(&self, browser: &mut Browser, arrival: &Arrival) -> Result<Visit, ClientError> {
        let mut client = Client::connect(self.server, browser.clone()).await?;
        let visited = self.take_part(&mut client, arrival).await;
        // A returning visitor has the cookie of the session that has begun.
        *browser = client.browser;
        visited
    }

    async fn take_part(&self, client: &mut Client, arrival: &Arrival) -> Result<Visit, ClientError> {
        let mut screen = client.post("api/open", json!({ "arrival": arrival, "language": "en" })).await?;
        if screen["screen"] == "consent" {
            let adult = screen["minimum_age"].is_number().then_some(true);
            let agree =
                json!({ "arrival": arrival, "language": "en", "text": screen["text"], "adult": adult });
            screen = client.post("api/consent", agree).await?;
        }
        if !["instructions", "waiting", "trial"].iter().any(|shown| screen["screen"] == **shown) {
            return Ok(Visit::NoPlace);
        }
        let mut answering = None;
        loop {
            screen = match screen["screen"].as_str() {
                Some("instructions") => {
                    let comprehension = self.services.context.presenter.comprehension();
                    let begin = json!({ "environment": environment(), "comprehension": comprehension });
                    client.post("api/begin", begin).await?
                }
                Some("waiting") => {
                    tokio::time::sleep(PAUSE).await;
                    client.post("api/wait", json!({})).await?
                }
                Some("trial") => self.answer(client, &screen["trial"], &mut answering).await?,
                _ => break,
            };
        }
        if let Some(source) = &self.source {
            source.ended(arrival, screen["code"].as_str()).await;
        }
        Ok(Visit::Ended)
    }

    /// Answers a trial, by the rater who is answering the session, and returns the next screen.
    async fn answer(
        &self,
        client: &mut Client,
        shown: &Value,
        answering: &mut Option<(Box<dyn Rater>, Stream)>,
    ) -> Result<Value, ClientError> {
        let current =
            self.services.trial.ground_truth(client.cookie()).await.map_err(|fault| match fault {
                Fault::Unavailable => ClientError::Unavailable,
                fault => ClientError::Failed(fault.to_string()),
            })?;
        let (rater, responses) = match answering {
            Some(answering) => answering,
            None => answering.insert(self.rater(&current).await?),
        };
        for name in images(shown) {
            client.get(&format!("image/{name}")).await?;
        }
        responses.seek(u64::from(current.trial.number));
        match rater.respond(&current.trial, current.truth.as_ref(), responses) {
            Response::Leave => client.post("api/leave", json!({})).await,
            Response::Answer { answer, rt } => {
                let report = json!({
                    "trial": shown["number"],
                    "showing": shown["showing"],
                    "answer": answer,
                    "rt_us": rt.0,
                    "display": display(shown),
                    "played": played(&self.services.context.study, &current.trial),
                });
                Ok(client.post("api/answer", report).await?["next"].take())
            }
        }
    }

    /// The rater of a session, who recalls its earlier answers.
    async fn rater(&self, current: &GroundTruth) -> Result<(Box<dyn Rater>, Stream), ClientError> {
        let failed = |error: &dyn std::fmt::Display| ClientError::Failed(error.to_string());
        let study = &self.services.context.study;
        let chance = study.session_chance(current.place.number, current.attempt).child("rater", 0);
        let wanted = study.wanted(&current.place, current.attempt, &current.rater);
        let mut rater = self.cohort.rater(&wanted, &chance).map_err(|error| failed(&error))?;
        let log =
            self.services.context.store.load(&session_name(current.place.number, current.attempt)).await;
        let log = log.map_err(|error| match error {
            error if error.is_retryable() => ClientError::Unavailable,
            error => failed(&error),
        })?;
        recall(study, &mut *rater, &log).map_err(|error| failed(&error))?;
        Ok((rater, chance.stream("responses")))
    }
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

/// The report of clips that were played, or texts that were read, once and whole; `None` of images.
fn played(study: &Study, trial: &Trial) -> Option<Played> {
    let shown = played_in_trial(trial, study.stimuli());
    let members: Vec<PlayedMember> = shown
        .iter()
        .filter_map(|&id| Some(study.stimuli().get(id)?.media))
        .filter_map(|media| {
            let shown_us = match media {
                Media::Video { duration_us, .. } => duration_us,
                media => study.playback().reading(media).0,
            };
            let seen = vec![[0, seen_parts(media)?.max(1)]];
            Some(PlayedMember { first_us: 0, shown_us, seen, replays: 0, dropped: 0, stalls: Vec::new() })
        })
        .collect();
    (!members.is_empty()).then(|| Played { members, offset_us: 0, slips: Vec::new(), hidden_us: 0 })
}

/// The environment of a desktop browser at 60 Hz.
fn environment() -> Value {
    json!({
        "width": 1_280, "height": 800, "pixel_ratio": 1.0, "touch": false, "refresh_hz": 60.0,
        "frame_us": FRAME_US, "frame_spread": 0.0, "grain_us": 5, "reduced_motion": false,
    })
}

/// The report of a perfect display; `null` if the trial limits no exposure.
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
