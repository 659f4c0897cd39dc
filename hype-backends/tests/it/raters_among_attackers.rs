//! Honest raters and attackers in any order: the logs match a model of the honest raters, event by event.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::{BTreeMap, HashMap};

use hype_backends::web::Page;
use hype_core::model::note::SessionNote;
use hype_core::plugin::store::all_sessions;
use hype_core::{Event, StoreExt as _};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

use crate::connection::Reply;
use crate::http_client::HttpClient;
use crate::proof::sized;
use crate::served_study::{ServedStudy, assert_client_fault};

const RATERS: usize = 3;
const TRIALS: u32 = 4;

/// An action of a rater or an attacker.
#[derive(Debug, Clone)]
enum Action {
    Agree,
    Begin,
    Answer(&'static str),
    Disturb,
    /// The page is reloaded, which gives it another name.
    Reload,
    Leave,
    Attack(Attack),
}

/// A request that must be refused, in the name of a rater or without a name.
#[derive(Debug, Clone)]
enum Attack {
    /// A trial or showing that is not the current one.
    Ahead { trials: u32, showings: u32 },
    /// A different answer to an earlier trial.
    Otherwise,
    /// An invalid answer.
    NoAnswer(Value),
    /// From a page that another one has replaced.
    OldPage,
    /// With the cookie of one rater and the page of another.
    Mixed,
    /// With one byte of the cookie replaced.
    Forged(prop::sample::Index),
    /// A request for another rater's image.
    Image,
    /// Random bytes.
    Bytes(Vec<u8>),
    /// A consent to another text.
    OtherText,
}

fn attack() -> impl Strategy<Value = Attack> {
    let answers = prop_oneof![
        Just(json!(null)),
        Just(json!({})),
        Just(json!([])),
        Just(json!({ "judgment": "neither" })),
        Just(json!({ "judgment": ["fake"] })),
        Just(json!({ "judgment": "fake", "correct": true })),
    ];
    prop_oneof![
        (0..3_u32, 0..3_u32)
            .prop_filter("the current showing is not ahead", |ahead| *ahead != (0, 0))
            .prop_map(|(trials, showings)| Attack::Ahead { trials, showings }),
        Just(Attack::Otherwise),
        answers.prop_map(Attack::NoAnswer),
        Just(Attack::OldPage),
        Just(Attack::Mixed),
        any::<prop::sample::Index>().prop_map(Attack::Forged),
        Just(Attack::Image),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(Attack::Bytes),
        Just(Attack::OtherText),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        2 => Just(Action::Agree),
        2 => Just(Action::Begin),
        5 => prop_oneof![Just("real"), Just("fake")].prop_map(Action::Answer),
        1 => Just(Action::Disturb),
        1 => Just(Action::Reload),
        1 => prop::bool::weighted(0.3).prop_map(|leaves| if leaves { Action::Leave } else { Action::Begin }),
        6 => attack().prop_map(Action::Attack),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Outside,
    Agreed,
    Begun,
    Over,
}

/// A rater with the expected log.
struct Rater {
    number: usize,
    visitor: HttpClient,
    stage: Stage,
    pages: u32,
    given: Vec<&'static str>,
    showing: u32,
    log: Vec<String>,
    images: Vec<String>,
}

impl Rater {
    async fn new(number: usize, served: &ServedStudy) -> Self {
        let mut rater = Self {
            number,
            visitor: HttpClient::to(served.address()).await,
            stage: Stage::Outside,
            pages: 0,
            given: Vec::new(),
            showing: 0,
            log: Vec::new(),
            images: Vec::new(),
        };
        rater.load();
        rater
    }

    /// Another page.
    fn load(&mut self) {
        self.pages += 1;
        self.visitor.tab = format!("{:016x}{:016x}", self.number, self.pages);
    }

    fn trial(&self) -> u32 {
        self.given.len() as u32
    }

    fn finish(&mut self, ending: &str) {
        self.log.push(format!("finished {ending}"));
        self.stage = Stage::Over;
    }

    /// Records a screen, and asserts that it is the expected one.
    fn see(&mut self, reply: &Reply) {
        assert_eq!(reply.status, 200, "{:?}", reply.json());
        let mut json = reply.json();
        let screen = if json["saved"].is_boolean() { json["next"].take() } else { json };
        let wanted = match self.stage {
            Stage::Outside => "consent",
            Stage::Agreed => "instructions",
            Stage::Begun => "trial",
            Stage::Over => "end",
        };
        assert_eq!(screen["screen"], wanted);
        if self.stage == Stage::Begun {
            let trial = &screen["trial"];
            assert_eq!((&trial["number"], &trial["showing"]), (&json!(self.trial()), &json!(self.showing)));
            let names = screen["block"].as_array().unwrap().iter();
            self.images = names.map(|name| name.as_str().unwrap().to_owned()).collect();
        }
    }

    /// Performs an action, and asserts that the server responds as expected.
    async fn act(&mut self, action: &Action) {
        let trial = json!({ "number": self.trial(), "showing": self.showing });
        match (action, self.stage) {
            (Action::Agree, stage) => {
                let reply = self.visitor.agree().await;
                if stage == Stage::Outside {
                    self.stage = Stage::Agreed;
                    self.log.extend([
                        "opened".into(),
                        "consented".into(),
                        format!("page {}", self.visitor.tab),
                    ]);
                }
                self.see(&reply);
            }
            (Action::Begin, stage) => {
                let reply = self.visitor.begin().await;
                match stage {
                    Stage::Outside => return assert_eq!(reply.code(), "no-session"),
                    Stage::Agreed => {
                        self.log.push("environment".into());
                        self.stage = Stage::Begun;
                    }
                    Stage::Begun | Stage::Over => {}
                }
                self.see(&reply);
            }
            (Action::Answer(judgment), stage) => {
                let reply = self.visitor.answer(&trial, json!({ "judgment": judgment })).await;
                match stage {
                    Stage::Outside => return assert_eq!(reply.code(), "no-session"),
                    Stage::Agreed | Stage::Over => return assert_eq!(reply.code(), "not-this-trial"),
                    Stage::Begun => {}
                }
                self.log.push(format!("answered {} {judgment}", self.trial()));
                self.given.push(judgment);
                self.showing = 0;
                if self.trial() == TRIALS {
                    self.finish("Completed");
                }
                self.see(&reply);
            }
            (Action::Disturb, stage) => {
                let body = json!({
                    "trial": self.trial(), "showing": self.showing, "reason": "blur", "display": null,
                });
                let reply = self.visitor.post("/api/disturbed", body).await;
                match stage {
                    Stage::Outside => return assert_eq!(reply.code(), "no-session"),
                    Stage::Agreed | Stage::Over => return assert_eq!(reply.code(), "not-this-trial"),
                    Stage::Begun => {}
                }
                self.log.push(format!("disturbed {} {}", self.trial(), self.showing));
                self.showing += 1;
                self.see(&reply);
            }
            (Action::Reload, stage) => {
                self.load();
                let reply = self.visitor.open().await;
                if matches!(stage, Stage::Agreed | Stage::Begun) {
                    self.log.push(format!("page {}", self.visitor.tab));
                }
                // A finished session stays with the page that ended it.
                if stage == Stage::Over {
                    self.pages -= 1;
                    self.visitor.tab = format!("{:016x}{:016x}", self.number, self.pages);
                }
                self.see(&reply);
            }
            (Action::Leave, stage) => {
                let reply = self.visitor.post("/api/leave", json!({})).await;
                match stage {
                    Stage::Outside => return assert_eq!(reply.code(), "no-session"),
                    Stage::Agreed | Stage::Begun => {
                        self.log.push("left".into());
                        self.finish("Left");
                    }
                    Stage::Over => {}
                }
                self.see(&reply);
            }
            (Action::Attack(_), _) => {}
        }
    }
}

/// Attacks one rater with the data of another.
async fn attacked(attack: &Attack, victim: &Rater, other: &Rater, served: &ServedStudy) -> Option<Reply> {
    let mut attacker = HttpClient::to(served.address()).await;
    attacker.cookie.clone_from(&victim.visitor.cookie);
    attacker.tab.clone_from(&victim.visitor.tab);
    let trial = |number: u32, showing: u32| json!({ "number": number, "showing": showing });
    let (now, fake) = (trial(victim.trial(), victim.showing), json!({ "judgment": "fake" }));
    let reply = match attack {
        Attack::Ahead { trials, showings } => {
            attacker.answer(&trial(victim.trial() + trials, victim.showing + showings), fake).await
        }
        Attack::Otherwise => {
            let &last = victim.given.last()?;
            let turned = if last == "fake" { "real" } else { "fake" };
            attacker.answer(&trial(victim.trial() - 1, 0), json!({ "judgment": turned })).await
        }
        Attack::NoAnswer(answer) => attacker.answer(&now, answer.clone()).await,
        Attack::OldPage => {
            attacker.tab = format!("{:016x}{:016x}", victim.number, 0);
            attacker.answer(&now, fake).await
        }
        Attack::Mixed => {
            attacker.tab.clone_from(&other.visitor.tab);
            attacker.post("/api/leave", json!({})).await
        }
        Attack::Forged(at) => {
            let cookie = victim.visitor.cookie.clone()?;
            let value = cookie.find('=').unwrap() + 1;
            let mut bytes = cookie.into_bytes();
            let at = value + at.index(bytes.len() - value);
            bytes[at] = if bytes[at] == b'7' { b'8' } else { b'7' };
            attacker.cookie = Some(String::from_utf8(bytes).unwrap());
            attacker.post("/api/leave", json!({})).await
        }
        Attack::Image => attacker.get(&format!("/image/{}", other.images.first()?)).await,
        Attack::Bytes(bytes) => attacker.post_bytes("/api/answer", bytes).await,
        Attack::OtherText => {
            attacker.cookie = None;
            attacker
                .post("/api/consent", json!({ "arrival": {}, "language": "en", "text": "0", "adult": true }))
                .await
        }
    };
    Some(reply)
}

/// A short description of an event.
fn summary(event: &Event) -> String {
    match event {
        Event::Opened(_) => "opened".into(),
        Event::Answered(answered) => {
            format!("answered {} {}", answered.trial, answered.answer.text("judgment").unwrap())
        }
        Event::Disturbed(disturbed) => format!("disturbed {} {}", disturbed.trial, disturbed.showing),
        Event::Left { .. } => "left".into(),
        Event::Finished(outcome) => format!("finished {:?}", outcome.ending),
        Event::Noted(noted) => match &noted.note {
            SessionNote::Consented(_) => "consented".into(),
            SessionNote::Attached(attached) => format!("page {}", attached.tab),
            SessionNote::Environment(_) => "environment".into(),
            note => format!("{note:?}"),
        },
        event => format!("{event:?}"),
    }
}

/// Asserts that the store holds the raters' logs and nothing else.
async fn assert_logs(served: &ServedStudy, raters: &[Rater]) {
    let store = &served.fixture.store;
    let mut logs = BTreeMap::new();
    for name in all_sessions(store).await.unwrap() {
        let log: Vec<String> = store.load(&name).await.unwrap().iter().map(summary).collect();
        logs.insert(name, log);
    }
    let begun = raters.iter().filter(|rater| rater.stage != Stage::Outside);
    let wanted: BTreeMap<String, Vec<String>> =
        begun.map(|rater| (rater.visitor.session(), rater.log.clone())).collect();
    assert_eq!(logs, wanted);
}

async fn play(actions: Vec<(usize, Action)>) {
    let served = ServedStudy::new(TRIALS, Page::default()).await;
    let mut raters = Vec::new();
    for number in 0..RATERS {
        raters.push(Rater::new(number, &served).await);
    }
    let mut owners: HashMap<String, usize> = HashMap::new();
    for (of, action) in actions {
        if let Action::Attack(attack) = &action {
            let other = (of + 1) % RATERS;
            if let Some(reply) = attacked(attack, &raters[of], &raters[other], &served).await {
                assert_client_fault(&reply, &format!("{attack:?}"));
                let text = String::from_utf8_lossy(&reply.body).into_owned();
                assert!(owners.keys().all(|name| !text.contains(name)), "{attack:?} gets a name: {text}");
            }
        } else {
            raters[of].act(&action).await;
        }
        for name in &raters[of].images {
            assert_eq!(*owners.entry(name.clone()).or_insert(of), of, "two raters share a name");
        }
        served.pass();
        assert_logs(&served, &raters).await;
    }
    // A rater who arrives afterwards takes part undisturbed.
    let mut last = Rater::new(RATERS, &served).await;
    let honest =
        [Action::Agree, Action::Begin].into_iter().chain((0..TRIALS).map(|_| Action::Answer("fake")));
    for action in honest {
        last.act(&action).await;
        served.pass();
    }
    assert_eq!(last.stage, Stage::Over);
    raters.push(last);
    assert_logs(&served, &raters).await;
    // Every log replays.
    served.state().await;
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: sized(16, 96), rng_seed: RngSeed::Fixed(20_261_122), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn logs_have_exactly_what_honest_raters_did(
        actions in proptest::collection::vec((0..RATERS, action()), 1..80)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(play(actions));
    }
}
