//! Contrasts are exported as pairs of a chosen and a rejected image, as trainers on preferences read them.

#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub, missing_docs, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use hype::core::study::session::{Accepted, session_name};
use hype::core::{ConditionKind, Raters, Session, Spec, Step, Store as _, StoreExt as _, Study, Timing};
use hype::exchange::export::{PreferenceCounts, PreferenceRows, preferences};
use hype::exchange::{Format, RowWriter, layout};
use hype::sim::fixtures;
use hype::store::MemoryStore;
use hype::tasks::tasks::contrast::{BothBad, Contrast, ContrastRubric};
use serde_json::{Value, json};

use crate::program;

/// A study of two models on three items, each judged by four raters in a session of their own.
fn study(rubric: ContrastRubric) -> Study {
    let task = Contrast { tie: true, both_bad: true, per_session: 3.into(), ..Contrast::default() };
    let spec = Spec::new("preferences", 3, Box::new(task)).with_rubric(Box::new(rubric));
    let raters = Raters { per_item: Some(4), qualification: None, ..spec.raters() };
    let kinds = [ConditionKind::Instruction, ConditionKind::Source];
    Study::new(spec.with_raters(raters), fixtures::items(3, &["gan", "vae"], &kinds)).unwrap()
}

/// Collects sessions in which `answer` says, for a rater's number and an item's, which model is preferred, or `tie` or
/// `both-bad`. The last rater leaves before the last trial.
fn collect(study: &Study, answer: impl Fn(u32, usize) -> &'static str) -> MemoryStore {
    let store = MemoryStore::new();
    hype::block_on(store.bind(study.digest())).unwrap();
    assert_eq!(study.places(), 4);
    for place in 0..5 {
        let (mut session, mut events) =
            Session::open(study, &format!("r{place}"), place % 4, place / 4).unwrap();
        while let Step::Show(trial) = session.step().clone() {
            if place == 4 && trial.number == 2 {
                break;
            }
            let stimuli = study.stimuli();
            // Sources are shown too, but are outputs for no item.
            let judged: Vec<_> = trial.stimuli().filter(|&id| stimuli.item_of(id).is_some()).collect();
            let item = stimuli.get(judged[0]).unwrap().item.unwrap();
            let wanted = answer(place, item.0 as usize);
            let side = judged.iter().position(|&id| &*stimuli.set_of(id).unwrap().name == wanted);
            let answer = side.map_or(wanted, |side| ["A", "B"][side]);
            let accepted =
                session.handle_answer(trial.number, json!({ "preference": answer }), Timing::default());
            let Accepted::Recorded(recorded) = accepted.unwrap() else { panic!("a trial came twice") };
            events.extend(recorded.into_events());
        }
        hype::block_on(store.append_events(&session_name(place % 4, place / 4), 0, &events)).unwrap();
    }
    store
}

fn exported(
    study: &Study,
    store: &MemoryStore,
    everybody: bool,
    rows: PreferenceRows,
) -> (Vec<Value>, PreferenceCounts) {
    let columns = match rows {
        PreferenceRows::Votes => layout::PREFERENCES.columns,
        PreferenceRows::Majority => layout::MAJORITIES.columns,
    };
    let mut out = RowWriter::begin(Vec::new(), Format::JsonLines, columns).unwrap();
    let counts = preferences(study, store, everybody, rows, &mut out).unwrap();
    let text = String::from_utf8(out.finish().unwrap()).unwrap();
    (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), counts)
}

/// Item 0: three votes for gan and one for vae; item 1: two ties and one vote for each; item 2: three for vae, and one for
/// neither, as both are bad.
fn votes(rater: u32, item: usize) -> &'static str {
    match (item, rater) {
        (0, 3) => "vae",
        (0, _) => "gan",
        (1, 0) => "gan",
        (1, 1) => "vae",
        (1, _) => "tie",
        (_, 2) => "both-bad",
        _ => "vae",
    }
}

#[test]
fn every_vote_for_an_image_is_a_row() {
    let study = study(ContrastRubric::default());
    let store = collect(&study, votes);
    let (rows, counts) = exported(&study, &store, false, PreferenceRows::Votes);
    assert_eq!((rows.len(), counts.written, counts.ties, counts.unscored), (9, 9, 3, 0));
    assert_eq!(counts.without_prompt, 0);
    let voted: Vec<(&str, &str, &str)> = rows
        .iter()
        .map(|row| {
            let text = |name: &str| row[name].as_str().unwrap();
            (text("rater"), text("item"), text("chosen_model"))
        })
        .collect();
    let want: BTreeSet<(&str, &str, &str)> = [
        ("r0", "000000", "gan"),
        ("r0", "000001", "gan"),
        ("r0", "000002", "vae"),
        ("r1", "000000", "gan"),
        ("r1", "000001", "vae"),
        ("r1", "000002", "vae"),
        ("r2", "000000", "gan"),
        ("r3", "000000", "vae"),
        ("r3", "000002", "vae"),
    ]
    .into();
    assert_eq!(voted.iter().copied().collect::<BTreeSet<_>>(), want);
    let digest = |path: &str| {
        let all = study.stimuli().all();
        json!(all.iter().find(|stimulus| &*stimulus.path == path).unwrap().digest)
    };
    let row = rows.iter().find(|row| row["rater"] == "r3" && row["item"] == "000002").unwrap();
    let want = json!({
        "prompt": "a picture of object 2",
        "chosen": "vae/000002.png",
        "rejected": "gan/000002.png",
        "images": ["given/000002-1.png"],
        "chosen_model": "vae",
        "rejected_model": "gan",
        "chosen_sha256": digest("vae/000002.png"),
        "rejected_sha256": digest("gan/000002.png"),
        "images_sha256": [digest("given/000002-1.png")],
        "item": "000002",
        "measure": "preference",
        "rater": "r3",
    });
    assert_eq!(*row, want);
}

#[test]
fn raters_who_do_not_count_are_left_out_unless_all_are_requested() {
    let study = study(ContrastRubric::default());
    let store = collect(&study, votes);
    let of_the_last = |everybody| {
        let (rows, _) = exported(&study, &store, everybody, PreferenceRows::Votes);
        rows.iter().filter(|row| row["rater"] == "r4").count()
    };
    assert_eq!(of_the_last(false), 0);
    assert!(of_the_last(true) > 0);
}

#[test]
fn the_majority_of_votes_is_one_row_for_each_pair() {
    let study = study(ContrastRubric::default());
    let store = collect(&study, votes);
    let (rows, counts) = exported(&study, &store, false, PreferenceRows::Majority);
    assert_eq!((counts.written, counts.ties, counts.unscored), (2, 1, 0));
    let found: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!([row["item"], row["chosen"], row["votes_chosen"], row["votes_rejected"], row["ties"]])
        })
        .collect();
    let want = [json!(["000000", "gan/000000.png", 3, 1, 0]), json!(["000002", "vae/000002.png", 3, 0, 1])];
    assert_eq!(found, want);
    assert!(rows.iter().all(|row| row.get("rater").is_none()));
}

#[test]
fn comparisons_that_the_rubric_drops_are_counted() {
    let study = study(ContrastRubric { both_bad: BothBad::Drop, ..ContrastRubric::default() });
    let store = collect(&study, votes);
    for (rows, want) in [(PreferenceRows::Votes, (9, 2, 1)), (PreferenceRows::Majority, (2, 1, 1))] {
        let (_, counts) = exported(&study, &store, false, rows);
        assert_eq!((counts.written, counts.ties, counts.unscored), want, "{rows:?}");
    }
}

/// The preferences that the scores of an example state: rater, item, winner and loser.
fn preferred(scores: &str) -> (BTreeMap<[String; 4], u64>, usize) {
    let (mut found, mut ties) = (BTreeMap::new(), 0);
    for row in csv::Reader::from_reader(scores.as_bytes()).records().map(Result::unwrap) {
        let [rater, first, second, item, value] = [0, 1, 2, 3, 6].map(|at| row[at].to_owned());
        let key = match &*value {
            "1.0" => [rater, item, first, second],
            "0.0" => [rater, item, second, first],
            _ => {
                ties += 1;
                continue;
            }
        };
        *found.entry(key).or_default() += 1;
    }
    (found, ties)
}

#[test]
fn the_program_writes_what_the_scores_say() {
    let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/studies"));
    let folder = tempfile::tempdir().unwrap();
    let stored = folder.path().join("kept");
    let stored = stored.to_str().unwrap();
    program::succeeds(
        examples,
        &["run", "contrast.yaml", "--simulate", "--study", stored, "--json", "--progress", "none"],
    );
    let (want, ties) = preferred(&program::succeeds(examples, &["export", stored]));
    let target = folder.path().join("pairs.jsonl");
    let said = program::says(examples, &["export", stored, "--what", "dpo", "-o", target.to_str().unwrap()]);
    let text = fs::read_to_string(&target).unwrap();
    let mut found: BTreeMap<[String; 4], u64> = BTreeMap::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        assert!(row["prompt"].as_str().unwrap().starts_with("A still life"), "{row}");
        assert!(examples.join(row["chosen"].as_str().unwrap()).exists(), "{row}");
        let key = ["rater", "item", "chosen_model", "rejected_model"]
            .map(|name| row[name].as_str().unwrap().to_owned());
        *found.entry(key).or_default() += 1;
    }
    assert_eq!(found, want);
    assert!(
        ties > 0 && said.contains(&format!("{} preferences; left out: {ties} ties", text.lines().count())),
        "{said}"
    );
    let table = program::succeeds(examples, &["export", stored, "--what", "dpo", "--format", "csv"]);
    assert_eq!(table.lines().next().unwrap(), layout::PREFERENCES.names().collect::<Vec<_>>().join(","));
    let pairs = program::succeeds(examples, &["export", stored, "--what", "dpo", "--majority"]);
    let votes: u64 = pairs
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|row| {
            let of = |name: &str| row[name].as_u64().unwrap();
            assert!(of("votes_chosen") > of("votes_rejected"), "{row}");
            of("votes_chosen")
        })
        .sum();
    assert!(votes > 0 && votes <= found.values().sum());
    let refused = program::fails(examples, &["export", stored, "--majority"]);
    assert!(refused.contains("--what dpo --majority"), "{refused}");
}

#[test]
fn studies_without_comparisons_say_that_they_have_no_preferences() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    program::succeeds(folder, &["new", "study", "--images", "14", "--size", "16", "--task", "hype-infinity"]);
    program::succeeds(folder, &["run", "study/evaluation.yaml", "--simulate", "3", "--progress", "none"]);
    let refused = program::fails(folder, &["export", "study/evaluation.yaml", "--what", "dpo", "-o", "x"]);
    assert!(refused.contains("no score of this study compares two models"), "{refused}");
    assert!(!folder.join("x").exists());
}

/// A graded answer is one preference, that of its sign: its grade is another row of scores, and no second one.
#[test]
fn each_criterion_is_exported_once() {
    let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/studies"));
    let folder = tempfile::tempdir().unwrap();
    let stored = folder.path().join("kept");
    let stored = stored.to_str().unwrap();
    let run =
        ["run", "contrast-criteria.yaml", "--simulate", "--study", stored, "--json", "--progress", "none"];
    let found = program::json(examples, &run);
    let table = program::succeeds(examples, &["export", stored, "--what", "dpo", "--format", "csv"]);
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let place = rows.headers().unwrap().iter().position(|name| name == "measure").unwrap();
    let mut counts = BTreeMap::<String, u64>::new();
    for row in rows.records() {
        *counts.entry(row.unwrap()[place].to_owned()).or_default() += 1;
    }
    let measures: Vec<&str> = counts.keys().map(String::as_str).collect();
    assert_eq!(measures, ["preference.fit", "preference.quality", "preference.realism"]);
    // Of 450 comparisons by each criterion, all but the ties.
    let votes = |name: &str| -> u64 {
        let measure = found["measures"].as_array().unwrap().iter().find(|one| one["measure"]["name"] == name);
        let tables = measure.unwrap()["tables"].as_array().unwrap();
        let votes = tables.iter().find(|table| table["name"] == "votes").unwrap();
        votes["rows"].as_array().unwrap().iter().map(|row| row[3].as_u64().unwrap()).sum()
    };
    for criterion in ["realism", "fit", "quality"] {
        let ties = votes(&format!("win_rate.{criterion}"));
        assert_eq!(counts[&format!("preference.{criterion}")], 450 - ties, "{criterion}");
    }
}
