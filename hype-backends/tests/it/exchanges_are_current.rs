//! The server of the page's own tests replays what the program says: these exchanges, which this test records.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hype_analyses as _;
use hype_backends::web::settings::{Completion, Handover};
use hype_backends::web::{Page, serve};
use hype_core::study::spec::Spec;
use hype_core::{
    Condition, ConditionKind, Content, Digest, Item, ItemId, Media, Role, SetId, Stimuli, Stimulus,
    StimulusId, StimulusSet, Store, Study, Use,
};
use hype_tasks as _;
use serde_json::{Map, Value, json};

use crate::connection::Reply;
use crate::features::{is_name, shown};
use crate::fixture::Fixture;
use crate::http_client::{HttpClient, environment};

/// The variable that makes the test write the file instead of comparing it.
const UPDATE: &str = "UPDATE_CONTRACT";

const PROMPT: &str = "A low sun over green hills, seen from a train";
const INSTRUCTION: &str = "Put a second sun into the sky.";

/// A study whose exchanges are recorded.
struct Recorded {
    name: &'static str,
    /// The number of sets of generated images, and of items.
    models: u16,
    items: u32,
    /// Whether there is a set of real images.
    real: bool,
    conditions: &'static [ConditionKind],
    /// The spec from `task` on.
    spec: &'static str,
}

/// The studies, in the order in which the mock shows their trials.
const STUDIES: [Recorded; 9] = [
    Recorded {
        name: "judgment",
        models: 1,
        items: 12,
        real: true,
        conditions: &[],
        spec: "task: { kind: hype_infinity, generated: 1, real: 1 }\nraters: { per_model: 2, qualification: { trials: 2, \
               pass: { rule: overall, at_least: 0 } }, payment: { currency: USD, base: 1.0, per_correct: 0.02 } }",
    },
    Recorded {
        name: "contrast",
        models: 2,
        items: 1,
        real: false,
        conditions: &[ConditionKind::Prompt],
        spec: "task: { kind: contrast, per_session: 1, tie: true, both_bad: true }\nraters: { per_item: 1 }",
    },
    Recorded {
        name: "best-of",
        models: 4,
        items: 1,
        real: false,
        conditions: &[],
        spec: "task: { kind: best_of, per_session: 1 }\nraters: { per_item: 1 }",
    },
    Recorded {
        name: "ranking-with-ties",
        models: 3,
        items: 1,
        real: false,
        conditions: &[],
        spec: "task: { kind: ranking, per_session: 1, ties: true }\nraters: { per_item: 1 }",
    },
    Recorded {
        name: "ranking",
        models: 4,
        items: 1,
        real: false,
        conditions: &[],
        spec: "task: { kind: ranking, per_session: 1, ties: false }\nraters: { per_item: 1 }",
    },
    Recorded {
        name: "questions",
        models: 1,
        items: 1,
        real: false,
        conditions: &[ConditionKind::Prompt],
        spec: "task: { kind: rating }\nrubric:\n  kind: likert\n  questions:\n    - { id: alignment, text: How well does the \
               image match the description?, help: Compare every object and colour of the description with what you \
               see., options: [Does not match at all, Has significant discrepancies, Has several minor discrepancies, \
               Has a few minor discrepancies, Matches exactly] }\n    - { id: clarity, text: Is it clear what the subject \
               of the image is?, options: [\"No, it's unclear\", Hard to tell, \"Yes, it's clear\"] }\n    - { id: quality, \
               text: \"How good is the image, from 0 to 100?\", number: { minimum: 0, maximum: 100, whole: true } \
               }\nraters: { per_item: 1 }",
    },
    Recorded {
        name: "editing",
        models: 1,
        items: 1,
        real: false,
        conditions: &[
            ConditionKind::Instruction,
            ConditionKind::Source,
            ConditionKind::Mask,
            ConditionKind::Subject,
            ConditionKind::Control,
        ],
        spec: "task: { kind: rating }\nrubric:\n  kind: likert\n  questions:\n    - { id: obedience, text: Does the image \
               follow the instruction?, options: [No, Partly, Yes] }\n    - { id: share, text: Which share of the image \
               looks natural?, number: { minimum: 0, maximum: 1, whole: false } }\nraters: { per_item: 1 }",
    },
    Recorded {
        name: "rest",
        models: 1,
        items: 2,
        real: false,
        conditions: &[],
        spec: "task: { kind: rating, rest_every: 1, rest_s: 20 }\nrubric:\n  kind: likert\n  questions:\n    - { id: \
               liking, text: Would you hang the image on a wall?, options: [No, Yes] }\nraters: { per_item: 1 }",
    },
    Recorded {
        name: "timed",
        models: 1,
        items: 30,
        real: true,
        conditions: &[],
        spec: "task: { kind: hype_time, blocks: 1, trials_per_block: 6 }\nraters: { per_model: 1, qualification: null }",
    },
];

impl Recorded {
    fn study(&self) -> Study {
        let mut sets: Vec<StimulusSet> = (0..self.models)
            .map(|model| StimulusSet::new(&format!("model-{model}"), Role::Generated, Use::Main))
            .collect();
        if self.real {
            sets.push(StimulusSet::new("real", Role::Real, Use::Main));
        }
        let mut all = Vec::new();
        let mut add = |set: usize, item: Option<u32>| {
            let number = all.len() as u32;
            all.push(
                Stimulus::new(
                    SetId(set as u16),
                    Digest::of(&number.to_le_bytes()),
                    format!("{number}.png"),
                    Media::Image { width: 8, height: 8 },
                )
                .for_item(item.map(ItemId)),
            );
            StimulusId(number)
        };
        for (set, kind) in sets.iter().enumerate() {
            for item in 0..self.items {
                add(set, (kind.role == Role::Generated).then_some(item));
            }
        }
        let given = sets.len();
        let items: Vec<Item> = (0..self.items)
            .map(|item| Item {
                id: item.to_string().into(),
                conditions: self
                    .conditions
                    .iter()
                    .map(|&kind| Condition {
                        kind,
                        name: (kind == ConditionKind::Subject).then(|| "sun".into()),
                        content: match kind {
                            ConditionKind::Prompt => Content::Text(PROMPT.into()),
                            ConditionKind::Instruction => Content::Text(INSTRUCTION.into()),
                            _ => Content::Stimulus(add(given, None)),
                        },
                    })
                    .collect(),
                ..Item::default()
            })
            .collect();
        if all.len() as u32 > self.items * given as u32 {
            sets.push(StimulusSet::new("given", Role::Real, Use::Condition));
        }
        let listed: String = sets
            .iter()
            .filter(|set| set.used_for == Use::Main)
            .map(|set| {
                let role = if set.role == Role::Real { "real" } else { "generated" };
                format!("  {}: {{ role: {role}, images: {} }}\n", set.name, set.name)
            })
            .collect();
        let yaml = format!(
            "name: {}\nseed: 5\nstimuli:\n{listed}items: {{ match: name }}\n{}\n",
            self.name, self.spec
        );
        let spec = Spec::read(yaml.as_bytes()).unwrap_or_else(|faults| panic!("{yaml}\n{faults:?}")).spec;
        let stimuli = Stimuli::with_items(sets, all, items).unwrap();
        Study::new(spec, stimuli).unwrap_or_else(|faults| panic!("{}: {faults:?}", self.name))
    }

    /// A session of each study from the invitation to its end, then a rater who leaves, and one who comes too late.
    async fn exchanges(&self) -> Value {
        let completed = Some(Handover { code: Some("C7XK-9QPD".into()), redirect: None });
        let page = Page {
            completion: Completion { completed, ..Completion::default() },
            title: Some("Landscapes".into()),
            contact: Some("study@example.org".into()),
            ..Page::default()
        };
        let fixture = Fixture::new(self.study(), page);
        fixture.store.secret([7; 32]).await.unwrap();
        let serving = serve(fixture.service().await, "127.0.0.1:0".parse().unwrap()).await.unwrap();
        let mut tape = Tape { fixture: &fixture, exchanges: Vec::new() };
        let mut late = false;
        for number in 1..=8 {
            let mut visitor = HttpClient::to(serving.address()).await;
            visitor.tab = format!("{number:032x}");
            let opened = tape.ask(&mut visitor, "open", json!({ "arrival": {}, "language": "en" })).await;
            if opened.json()["screen"] == "closed" {
                late = true;
                break;
            }
            let text = opened.json()["text"].clone();
            let consent = json!({ "arrival": {}, "language": "en", "text": text, "adult": true });
            tape.ask(&mut visitor, "consent", consent).await;
            let mut screen = tape.ask(&mut visitor, "begin", json!({ "environment": environment() })).await;
            let leaves = number == 2;
            while shown(&screen)["screen"] == "trial" && !leaves {
                let trial = shown(&screen)["trial"].clone();
                let report = json!({
                    "trial": trial["number"], "showing": trial["showing"], "answer": answer(&trial), "rt_us": 900_000,
                    "display": null,
                });
                screen = tape.ask(&mut visitor, "answer", report).await;
                assert_eq!(screen.status, 200, "{}: {}", self.name, screen.json());
            }
            if leaves {
                screen = tape.ask(&mut visitor, "leave", json!({})).await;
            }
            assert_eq!(shown(&screen)["screen"], "end", "{}", self.name);
        }
        // Raters who left can be replaced, and the study ends when all places are taken.
        assert!(late, "{} has too many places", self.name);
        serving.stop().await;
        Value::from(tape.exchanges)
    }
}

/// The requests to a server and its responses.
struct Tape<'a> {
    fixture: &'a Fixture,
    exchanges: Vec<Value>,
}

impl Tape<'_> {
    async fn ask(&mut self, visitor: &mut HttpClient, action: &str, body: Value) -> Reply {
        // Long enough for any answer.
        self.fixture.clock.forward(1_000_000);
        let reply = visitor.post(&format!("/api/{action}"), body.clone()).await;
        self.exchanges
            .push(json!({ "action": action, "asked": body, "status": reply.status, "said": reply.json() }));
        reply
    }
}

/// A valid answer to the questions of a trial.
fn answer(trial: &Value) -> Value {
    let questions = trial["questions"].as_array().unwrap();
    let values = questions.iter().map(|question| {
        let form = &question["form"];
        let value = if let Some(options) = form["choice"]["options"].as_array() {
            options[0]["value"].clone()
        } else if form["number"].is_object() {
            // Browsers write whole numbers without a fraction.
            json!(form["number"]["minimum"].as_f64().unwrap() as i64)
        } else {
            let candidates = form["ranking"]["candidates"].as_array().unwrap().iter().zip(1..);
            let ranks = candidates
                .map(|(one, rank): (&Value, u32)| (one["value"].as_str().unwrap().to_owned(), rank.into()));
            Value::Object(ranks.collect::<Map<_, _>>())
        };
        (question["id"].as_str().unwrap().to_owned(), value)
    });
    Value::Object(values.collect())
}

/// Numbers the names of images in the order in which they occur, since keys of sessions are random.
fn renamed(value: &mut Value, names: &mut BTreeMap<String, usize>) {
    match value {
        Value::String(text) if is_name(text) => {
            let next = names.len() + 1;
            *text = format!("image {}", names.entry(text.clone()).or_insert(next));
        }
        // Names come first where they are shown; a block's list is sorted by them.
        Value::Object(entries) => {
            entries
                .iter_mut()
                .filter(|(key, _)| *key != "block")
                .for_each(|(_, entry)| renamed(entry, names));
            if let Some(Value::Array(block)) = entries.get_mut("block") {
                block.iter_mut().for_each(|entry| renamed(entry, names));
                block.sort_by_key(ToString::to_string);
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| renamed(entry, names)),
        _ => {}
    }
}

#[tokio::test]
async fn the_mock_replays_what_the_server_says() {
    let mut studies = Map::new();
    for recorded in &STUDIES {
        let mut exchanges = recorded.exchanges().await;
        renamed(&mut exchanges, &mut BTreeMap::new());
        studies.insert(recorded.name.to_owned(), exchanges);
    }
    let mut text = String::from("{\n");
    for (number, (name, exchanges)) in studies.iter().enumerate() {
        text.push_str(&format!("{}\"{name}\": [\n", if number > 0 { ",\n" } else { "" }));
        let lines: Vec<String> = exchanges.as_array().unwrap().iter().map(Value::to_string).collect();
        text.push_str(&format!("{}\n]", lines.join(",\n")));
    }
    text.push_str("\n}\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("page/tests/mock/exchanges.json");
    if std::env::var_os(UPDATE).is_some() {
        fs::write(&path, &text).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == text, "page/tests/mock/exchanges.json is stale: run this test with {UPDATE}=1");
}
