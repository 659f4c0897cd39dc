//! Honest raters and attackers by turns, in any order: the logs hold what a model of them says, event by event.

#![cfg(feature = "web")]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::{BTreeMap, HashMap};

use hype_backends::web::Page;
use hype_core::model::note::Note;
use hype_core::plugin::store::all_sessions;
use hype_core::{Event, Store};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

use crate::fortress::{Fortress, assert_client_fault};
use crate::visitor::Visitor;
use crate::wire::Reply;

#[allow(dead_code, reason = "another test uses the rest")]
#[allow(dead_code, reason = "another test uses the rest")]
#[allow(dead_code, reason = "another test uses the rest")]
#[allow(dead_code, reason = "another test uses the rest")]

const RATERS: usize = 3;
const TRIALS: u32 = 4;

/// What somebody does next.
#[derive(Debug, Clone)]
enum Deed {
    Agree,
    Begin,
    Answer(&'static str),
    Disturb,
    /// The page is loaded again, under another name.
    Reload,
    Leave,
    Attack(Attack),
}

/// What is to be refused, in the name of one rater or of nobody.
#[derive(Debug, Clone)]
enum Attack {
    /// A trial or a showing that was not asked for.
    Ahead { trials: u32, showings: u32 },
    /// An earlier trial, in another way.
    Otherwise,
    /// An answer that is none.
    NoAnswer(Value),
    /// From a page that has been left.
    OldPage,
    /// With the cookie of one rater and the page of another.
    Mixed,
    /// With a byte of the cookie exchanged.
    Forged(prop::sample::Index),
    /// Another rater's image.
    Image,
    /// Bytes.
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
            .prop_filter("the current showing is none ahead", |ahead| *ahead != (0, 0))
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

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        2 => Just(Deed::Agree),
        2 => Just(Deed::Begin),
        5 => prop_oneof![Just("real"), Just("fake")].prop_map(Deed::Answer),
        1 => Just(Deed::Disturb),
        1 => Just(Deed::Reload),
        1 => prop::bool::weighted(0.3).prop_map(|leaves| if leaves { Deed::Leave } else { Deed::Begin }),
        6 => attack().prop_map(Deed::Attack),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Outside,
    Agreed,
    Begun,
    Over,
}

/// A rater with what the log has to hold.
struct Rater {
    number: usize,
    visitor: Visitor,
    stage: Stage,
    pages: u32,
    given: Vec<&'static str>,
    showing: u32,
    log: Vec<String>,
    images: Vec<String>,
}

impl Rater {
    async fn new(number: usize, fortress: &Fortress) -> Self {
        let mut rater = Self {
            number,
            visitor: Visitor::to(fortress.address()).await,
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

    /// Takes note of a screen, and tells what it must be.
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

    /// Does something, and asserts that the server does as it should.
    async fn act(&mut self, deed: &Deed) {
        let trial = json!({ "number": self.trial(), "showing": self.showing });
        match (deed, self.stage) {
            (Deed::Agree, stage) => {
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
            (Deed::Begin, stage) => {
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
            (Deed::Answer(judgment), stage) => {
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
            (Deed::Disturb, stage) => {
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
            (Deed::Reload, stage) => {
                self.load();
                let reply = self.visitor.open().await;
                if matches!(stage, Stage::Agreed | Stage::Begun) {
                    self.log.push(format!("page {}", self.visitor.tab));
                }
                // Whoever has a session that is over holds it with the page that ended it.
                if stage == Stage::Over {
                    self.pages -= 1;
                    self.visitor.tab = format!("{:016x}{:016x}", self.number, self.pages);
                }
                self.see(&reply);
            }
            (Deed::Leave, stage) => {
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
            (Deed::Attack(_), _) => {}
        }
    }
}

/// Attacks one rater, with what another has.
async fn attacked(attack: &Attack, victim: &Rater, other: &Rater, fortress: &Fortress) -> Option<Reply> {
    let mut attacker = Visitor::to(fortress.address()).await;
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

/// An event in a few words.
fn told(event: &Event) -> String {
    match event {
        Event::Opened(_) => "opened".into(),
        Event::Answered(answered) => {
            format!("answered {} {}", answered.trial, answered.answer.text("judgment").unwrap())
        }
        Event::Disturbed(disturbed) => format!("disturbed {} {}", disturbed.trial, disturbed.showing),
        Event::Left { .. } => "left".into(),
        Event::Finished(outcome) => format!("finished {:?}", outcome.ending),
        Event::Noted(noted) => match &noted.note {
            Note::Consented(_) => "consented".into(),
            Note::Attached(attached) => format!("page {}", attached.tab),
            Note::Environment(_) => "environment".into(),
            note => format!("{note:?}"),
        },
        event => format!("{event:?}"),
    }
}

/// Asserts that the store holds the raters' logs and nothing else.
async fn assert_logs(fortress: &Fortress, raters: &[Rater]) {
    let store = &fortress.house.store;
    let mut logs = BTreeMap::new();
    for name in all_sessions(store).await.unwrap() {
        let log: Vec<String> = store.load(&name).await.unwrap().iter().map(told).collect();
        logs.insert(name, log);
    }
    let begun = raters.iter().filter(|rater| rater.stage != Stage::Outside);
    let wanted: BTreeMap<String, Vec<String>> =
        begun.map(|rater| (rater.visitor.session(), rater.log.clone())).collect();
    assert_eq!(logs, wanted);
}

async fn play(deeds: Vec<(usize, Deed)>) {
    let fortress = Fortress::new(TRIALS, Page::default()).await;
    let mut raters = Vec::new();
    for number in 0..RATERS {
        raters.push(Rater::new(number, &fortress).await);
    }
    let mut owners: HashMap<String, usize> = HashMap::new();
    for (of, deed) in deeds {
        if let Deed::Attack(attack) = &deed {
            let other = (of + 1) % RATERS;
            if let Some(reply) = attacked(attack, &raters[of], &raters[other], &fortress).await {
                assert_client_fault(&reply, &format!("{attack:?}"));
                let text = String::from_utf8_lossy(&reply.body).into_owned();
                assert!(owners.keys().all(|name| !text.contains(name)), "{attack:?} is told a name: {text}");
            }
        } else {
            raters[of].act(&deed).await;
        }
        for name in &raters[of].images {
            assert_eq!(*owners.entry(name.clone()).or_insert(of), of, "two raters have one name");
        }
        fortress.pass();
        assert_logs(&fortress, &raters).await;
    }
    // Whoever comes after all that takes part as if nothing had been.
    let mut last = Rater::new(RATERS, &fortress).await;
    let honest = [Deed::Agree, Deed::Begin].into_iter().chain((0..TRIALS).map(|_| Deed::Answer("fake")));
    for deed in honest {
        last.act(&deed).await;
        fortress.pass();
    }
    assert_eq!(last.stage, Stage::Over);
    raters.push(last);
    assert_logs(&fortress, &raters).await;
    // Every log replays.
    fortress.state().await;
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96, rng_seed: RngSeed::Fixed(20_261_122), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn logs_hold_what_honest_raters_did_whatever_others_send(
        deeds in proptest::collection::vec((0..RATERS, deed()), 1..80)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(play(deeds));
    }
}
