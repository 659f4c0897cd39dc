//! Decisions about a study before any answer are written as Markdown and JSON, and later differences are
//! said, difference by difference.

#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hype::analyses::aggregators::ByModel;
use hype::core::model::action::{LoggedAction, OperatorAction};
use hype::core::model::findings::Collection;
use hype::core::protocol::control::Control;
use hype::core::protocol::speed::SpeedRule;
use hype::core::study::spec::Hypothesis;
use hype::core::{AggregatorSpec, Digest, Findings, Spec, Study, analyse};
use hype::exchange::registration::{Difference, Registration};
use hype::sim::{Population, fixtures};
use hype::tasks::HypeInfinity;
use serde_json::{Value, json};

use crate::{program, studies};

const HYPOTHESES: &str = "hypotheses:\n  - Raters mistake images of good for real more often than those of weak.\n  - |\n    \
                          The difference is at least\n    ten points.\n";

/// A small study in a folder, whose spec states hypotheses.
fn drawn(folder: &Path) {
    program::succeeds(folder, &["new", "s", "--images", "14", "--size", "16", "--task", "hype-infinity"]);
    let spec = folder.join("s/evaluation.yaml");
    fs::write(&spec, fs::read_to_string(&spec).unwrap() + HYPOTHESES).unwrap();
}

fn registered(folder: &Path, file: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.join(file)).unwrap()).unwrap()
}

fn notes(found: &Value) -> Vec<(&str, &str)> {
    let notes = found["notes"].as_array().unwrap().iter();
    notes.map(|note| (note["code"].as_str().unwrap(), note["text"].as_str().unwrap())).collect()
}

#[test]
fn a_registration_says_what_was_decided_and_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    drawn(folder);
    let said = program::succeeds(folder, &["preregister", "s/evaluation.yaml"]);
    let json = registered(folder, "s/evaluation.preregistration.json");
    let text = fs::read_to_string(folder.join("s/evaluation.preregistration.md")).unwrap();
    assert_eq!(json["analysis"]["hypotheses"].as_array().unwrap().len(), 2);
    assert_eq!(json["stopping"], json!({ "kind": "all-places" }));
    assert_eq!(json["population"]["reached_by"], "web");
    assert_eq!(json["exclusions"]["by_operator"], 0);
    assert_eq!(json["analysis"]["generalize_to"], "raters");
    assert!(json.get("collected_before").is_none());
    let analysis = Digest::of_json(&json["analysis"]).to_string();
    assert_eq!(json["digests"]["analysis"], analysis);
    let places = json["population"]["places"].as_u64().unwrap();
    for expected in [
        "# Preregistration of",
        "no answers had been collected",
        "1. Raters mistake images of good for real more often than those of weak.",
        "2. The difference is at least ten points.",
        &analysis,
        json["digests"]["protocol"].as_str().unwrap(),
        &format!("The collection ends when {places} sessions have been completed"),
        "Results are about other raters, these items, unless",
        "| `error` |",
    ] {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
    // Settings are sentences; all of them are in the JSON file.
    for raw in ["```", "{\"", "\":", "typetag", "per_model"] {
        assert!(!text.contains(raw), "{raw} in\n{text}");
    }
    for expected in [
        "Raters are screened by a qualification of ",
        " scored images of each rater and model, ",
        " real, as raters are told.",
        "All settings are in the JSON file of this registration.",
    ] {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
    assert!(said.contains(&analysis[..12]), "{said}");
    // The same spec gives the same bytes, in another file.
    let refused = program::fails(folder, &["preregister", "s/evaluation.yaml"]);
    assert!(refused.contains("never overwritten"), "{refused}");
    program::succeeds(folder, &["preregister", "s/evaluation.yaml", "-o", "again.md"]);
    assert_eq!(registered(folder, "again.json"), json);
    assert_eq!(fs::read_to_string(folder.join("again.md")).unwrap(), text);
    // Either file is enough to refuse.
    fs::remove_file(folder.join("again.md")).unwrap();
    program::fails(folder, &["preregister", "s/evaluation.yaml", "-o", "again.json"]);
    assert!(!folder.join("again.md").exists());
}

#[test]
fn scores_say_what_is_different_from_the_registration() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    drawn(folder);
    let run =
        ["run", "s/evaluation.yaml", "--simulate", "3", "--study", "kept", "--progress", "none", "--json"];
    let spec = folder.join("s/evaluation.yaml");
    let text = fs::read_to_string(&spec).unwrap();
    let fewer = text.replace("per_model: 30", "per_model: 3");
    assert_ne!(text, fewer);
    fs::write(&spec, &fewer).unwrap();
    program::succeeds(folder, &["preregister", "s/evaluation.yaml", "-o", "before"]);
    program::succeeds(folder, &run);
    let score = ["score", "kept", "--registered", "before.json", "--json"];
    let found = program::json(folder, &score);
    let notes_before = notes(&found);
    let same: Vec<_> = notes_before.iter().filter(|(code, _)| code.contains("registered")).collect();
    assert_eq!(same.len(), 1, "{same:?}");
    assert_eq!(same[0].0, "as-registered");
    assert_eq!(registered(folder, "kept/findings.json"), found);
    // Another level, and one hypothesis fewer.
    let changed = fewer.replace("aggregate: { kind: by_model", "aggregate: { level: 0.9, kind: by_model");
    let changed = &changed[..changed.find("  - |").unwrap()];
    assert_ne!(changed, &fewer[..changed.len()]);
    fs::write(&spec, changed).unwrap();
    program::succeeds(folder, &run);
    let found = program::json(folder, &score);
    let differences: Vec<&str> = notes(&found)
        .into_iter()
        .filter(|(code, _)| *code == "not-as-registered")
        .map(|(_, text)| text)
        .collect();
    assert_eq!(differences.len(), 2, "{differences:?}");
    assert!(
        differences[1].starts_with("analysis.hypotheses: registered as [\"Raters mistake"),
        "{differences:?}"
    );
    assert_eq!(differences[0], "analysis.aggregate.level: registered as nothing, and now 0.9");
    // What is registered now says that it is late.
    let late = ["preregister", "s/evaluation.yaml", "-o", "late", "--study", "kept"];
    let said = program::says(folder, &late);
    let responses = found["collected"]["responses"].as_u64().unwrap();
    assert!(said.contains(&format!("{responses} answers of")) && said.contains("warning"), "{said}");
    let json = registered(folder, "late.json");
    assert_eq!(json["collected_before"]["responses"], responses);
    assert_eq!(json["collected_before"]["protocol"], json["digests"]["protocol"]);
    let text = fs::read_to_string(folder.join("late.md")).unwrap();
    assert!(text.contains("was not decided before anybody came"), "{text}");
    let found = program::json(folder, &["score", "kept", "--registered", "late.json", "--json"]);
    let codes: Vec<&str> = notes(&found).into_iter().map(|(code, _)| code).collect();
    assert!(codes.contains(&"registered-late") && codes.contains(&"as-registered"), "{codes:?}");
    let refused = program::fails(folder, &["score", "kept", "--registered", "late.md"]);
    assert!(refused.contains("is not a preregistration"), "{refused}");
}

#[test]
fn reports_say_what_is_different_from_the_registration_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    drawn(folder);
    program::succeeds(folder, &["preregister", "s/evaluation.yaml", "-o", "before"]);
    let run =
        ["run", "s/evaluation.yaml", "--simulate", "3", "--study", "kept", "--progress", "none", "--json"];
    program::succeeds(folder, &run);
    let page = |arguments: &[&str]| {
        program::succeeds(folder, &[&["report", "kept"], arguments].concat());
        fs::read_to_string(folder.join("kept/report/index.html")).unwrap()
    };
    // Three raters a model in place of thirty.
    let different = "registered as 30, and now 3";
    let named = page(&["--registered", "before.json"]);
    assert!(named.contains(different), "{named}");
    // Nothing is kept of the registration: each report names it again.
    let without = page(&[]);
    assert!(!without.contains(different), "{without}");
    let refused = program::fails(folder, &["report", "kept", "--registered", "before.md"]);
    assert!(refused.contains("is not a preregistration"), "{refused}");
}

fn study(change: impl FnOnce(&mut Spec)) -> Study {
    let spec = Spec::new("faces", 7, Box::new(HypeInfinity { generated: 6.into(), real: 6.into() }));
    let mut raters = spec.raters();
    (raters.per_model, raters.qualification) = (2, None);
    let mut spec = spec.with_raters(raters);
    spec.collection.simulate = Some(Box::new(Population::default()));
    change(&mut spec);
    Study::new(spec, fixtures::stimuli(20, &[("gan", 20), ("vae", 20)])).unwrap()
}

fn found(study: &Study) -> Findings {
    hype::block_on(analyse(study, &studies::collect(study, 1))).unwrap()
}

fn differences(registered: &Study, analysed: &Study, findings: &Findings) -> Vec<(String, Value, Value)> {
    let differences = Registration::of(registered).differences(analysed, findings);
    let parts = |Difference { what, registered, analysed }| (what, registered, analysed);
    differences.into_iter().map(parts).collect()
}

#[test]
fn each_difference_is_named_once() {
    let registered = study(|_| {});
    let findings = found(&registered);
    assert_eq!(differences(&registered, &registered, &findings), []);
    let text = |text: &str| text.to_owned();
    let level = |level| -> Box<dyn AggregatorSpec> { Box::new(ByModel { level, ..ByModel::default() }) };
    for (analysed, want) in [
        (study(|spec| spec.protocol.seed = 8), vec![(text("protocol.seed"), json!(7), json!(8))]),
        (
            study(|spec| spec.analysis.aggregate = level(Some(0.99)).into()),
            vec![(text("analysis.aggregate.level"), Value::Null, json!(0.99))],
        ),
        (
            study(|spec| spec.analysis.hypotheses = vec![Hypothesis::new("good is better")]),
            vec![(text("analysis.hypotheses"), json!([]), json!(["good is better"]))],
        ),
        (
            study(|spec| spec.protocol.speed = Some(SpeedRule::default())),
            vec![
                (
                    text("exclusions.rules"),
                    json!([]),
                    json!([{ "name": "speed", "consequence": SpeedRule::default().failing }]),
                ),
                (text("exclusions.speed"), Value::Null, json!(SpeedRule::default())),
            ],
        ),
    ] {
        assert_eq!(differences(&registered, &analysed, &findings), want);
    }
}

#[test]
fn other_images_and_unfilled_places_and_decisions_of_operators_are_differences() {
    let registered = study(|_| {});
    let findings = found(&registered);
    // The same names, other contents.
    let stimuli = registered.stimuli();
    let mut all = stimuli.all().to_vec();
    all[3].digest = Digest::of(b"another image");
    let other = hype::core::Stimuli::new(stimuli.sets().to_vec(), all).unwrap();
    let other = Study::new(registered.spec().clone(), other).unwrap();
    let [(what, ..)] = &differences(&registered, &other, &findings)[..] else { panic!("one difference") };
    assert_eq!(what, "digests.stimuli");
    // A place that was not filled.
    let mut fewer = findings.clone();
    fewer.collected = Some(Collection { completed: 4, excluded: 1, ..findings.collected.clone().unwrap() });
    let want = [("population.places_filled".to_owned(), json!(4), json!(3))];
    assert_eq!(differences(&registered, &registered, &fewer), want);
    // Places added by the operator, and a rater excluded by the operator.
    let act = |id: &str, action| LoggedAction { id: id.into(), by: "operator".into(), unix_ms: 0, action };
    let exclude =
        OperatorAction::Exclude { rater: "r".into(), session: "s".into(), reason: "asked to".into() };
    let control = Control::of([act("1", OperatorAction::TopUp { places: 2 }), act("2", exclude)]);
    let steered = registered.under(Arc::new(control));
    let found = differences(&registered, &steered, &findings);
    let want = [
        ("population.places".to_owned(), json!(4), json!(6)),
        ("exclusions.by_operator".to_owned(), json!(0), json!(1)),
    ];
    assert_eq!(found, want);
}

#[test]
fn a_registration_states_that_the_database_was_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    drawn(folder);
    let spec = folder.join("s/evaluation.yaml");
    fs::write(&spec, fs::read_to_string(&spec).unwrap() + "store: { env: HYPE_TEST_UNSET_STORE }\n").unwrap();
    let said = program::says(folder, &["preregister", "s/evaluation.yaml", "-o", "r"]);
    assert!(said.contains("kept in a database"), "{said}");
    assert_eq!(registered(folder, "r.json")["store_not_read"], true);
    assert!(fs::read_to_string(folder.join("r.md")).unwrap().contains("is not known"));
}

#[test]
fn registrations_are_read_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.json");
    let registration =
        Registration::of(&study(|spec| spec.description = Some("Faces: \"real\" or not?".into())));
    fs::write(&path, registration.to_json().unwrap()).unwrap();
    assert_eq!(Registration::read(&path).unwrap(), registration);
    fs::write(&path, registration.to_json().unwrap().replace("\"format\": 1", "\"format\": 2")).unwrap();
    let error = Registration::read(&path).unwrap_err().to_string();
    assert!(error.contains("has format 2, and this program reads format 1"), "{error}");
    fs::write(&path, "{}").unwrap();
    let error = Registration::read(&path).unwrap_err().to_string();
    assert!(error.contains("is not a preregistration"), "{error}");
}

#[test]
fn hypotheses_belong_to_the_analysis_and_are_absent_by_default() {
    let text = |more: &str| {
        let spec = "stimuli: { a: { role: generated, images: a/*.png } }\ntask: { kind: hype_infinity }\n";
        format!("{spec}{more}")
    };
    let read = |more: &str| Spec::read(text(more).as_bytes()).unwrap().spec;
    let [without, empty, with] =
        ["", "hypotheses: []\n", "hypotheses: [a is better than chance]\n"].map(read);
    let written = |spec: &Spec| serde_json::to_value(spec).unwrap();
    assert_eq!(written(&empty), written(&without));
    assert!(written(&without).get("hypotheses").is_none());
    assert_eq!(empty.digest(), without.digest());
    assert_eq!(written(&with)["hypotheses"], json!(["a is better than chance"]));
    assert_ne!(with.digest(), without.digest());
    let stimuli = fixtures::stimuli(4, &[("a", 4)]);
    assert_eq!(with.session_digest(&stimuli), without.session_digest(&stimuli));
    let rubric = with.analysis.rubric.clone();
    assert_eq!(with.with_rubric(rubric).analysis.hypotheses.len(), 1);
}

#[test]
fn every_example_study_can_be_registered_with_its_checks() {
    let folder = tempfile::tempdir().unwrap();
    let studies = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/studies"));
    let mut checks = 0;
    for entry in fs::read_dir(studies).unwrap() {
        let spec = entry.unwrap().path();
        if spec.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        let name = spec.file_stem().unwrap().to_str().unwrap();
        let target = folder.path().join(name);
        program::succeeds(studies, &["preregister", spec.to_str().unwrap(), "-o", target.to_str().unwrap()]);
        let json = registered(folder.path(), &format!("{name}.json"));
        let rules = json["exclusions"]["rules"].as_array().unwrap_or_else(|| panic!("{name}: {json:#}"));
        checks += rules.len();
        assert!(folder.path().join(format!("{name}.md")).exists());
    }
    assert!(checks > 0);
}

#[test]
fn hypotheses_are_linked_to_their_tests() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    program::succeeds(folder, &["new", "s", "--images", "14", "--size", "16", "--task", "hype-infinity"]);
    let spec = folder.join("s/evaluation.yaml");
    let plain = fs::read_to_string(&spec).unwrap();
    let stated = "hypotheses:\n  - { text: Good deceives more., model: good, is: higher, than: weak, measure: fakes_error }\n  - \
                  Neither is like a photograph.\n";
    fs::write(&spec, format!("{plain}{stated}")).unwrap();
    program::succeeds(folder, &["preregister", "s/evaluation.yaml", "-o", "r"]);
    let text = fs::read_to_string(folder.join("r.md")).unwrap();
    assert!(
        text.contains(
            "1. Good deceives more. (tested by `fakes_error`: good is higher than weak)\n2. Neither is"
        ),
        "{text}"
    );
    let run = ["run", "s/evaluation.yaml", "--simulate", "--study", "kept", "--progress", "none"];
    program::succeeds(folder, &run);
    let page = fs::read_to_string(folder.join("kept/report/index.html")).unwrap();
    let section = page.split("<h2 id=\"hypotheses\">").nth(1).unwrap().split("</section>").next().unwrap();
    let found: Value = serde_json::from_slice(&fs::read(folder.join("kept/findings.json")).unwrap()).unwrap();
    let measures = found["measures"].as_array().unwrap();
    let fakes = measures.iter().find(|one| one["measure"]["name"] == "fakes_error").unwrap();
    let pairs = fakes["comparisons"].as_array().unwrap();
    let pair = pairs.iter().find(|pair| pair["a"] == "good" && pair["b"] == "weak").unwrap();
    let verdict = match (pair["p"].as_f64().unwrap() < 0.05, pair["difference"].as_f64().unwrap() > 0.0) {
        (true, true) => "Supported: good is higher than weak by ",
        (true, false) => "Contradicted: good is lower than weak by ",
        (false, _) => "Not shown: good is ",
    };
    assert!(section.contains(verdict) && section.contains("Good deceives more."), "{section}");
    assert!(section.contains(pair["method"].as_str().unwrap().split('\'').next().unwrap()), "{section}");
    assert!(section.contains("It is stated in words alone"), "{section}");
    // A model that the study does not have.
    fs::write(&spec, format!("{plain}{}", stated.replace("than: weak", "than: week"))).unwrap();
    let refused = program::fails(folder, &["check", "s/evaluation.yaml"]);
    assert!(
        refused.contains("the study has no set `week`") && refused.contains("hypotheses[0].than"),
        "{refused}"
    );
}
