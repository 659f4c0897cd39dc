//! `consensus` agrees with values computed by hand and published values, reports ties, and says why estimates are missing.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use std::f64::consts::LN_2;

use crate::reference;
use crate::tables::{
    Scored, aggregate, all_close, assert_close, codes, column, example_reads, faults, find, numbers,
    streams_alike, table, texts, unreadable, yaml,
};
use hype_analyses::aggregators::consensus::Consensus;
use hype_core::Severity::Error;
use hype_core::model::score::Row;
use hype_core::{Aggregated, ScoreTable};
use serde_json::{Value, json};

const ROWS: [Scored<'_>; 11] = [
    ("a", "m", "i1", 1.0),
    ("b", "m", "i1", 1.0),
    ("c", "m", "i1", 0.0),
    ("a", "m", "i2", 0.0),
    ("b", "m", "i2", 0.0),
    ("c", "m", "i2", -0.0),
    ("a", "m", "i3", 1.0),
    ("b", "m", "i3", 0.0),
    ("a", "n", "i1", 1.0),
    ("b", "n", "i1", 1.0),
    ("c", "n", "i1", 1.0),
];

const METHODS: [&str; 5] = ["majority", "dawid-skene", "one-coin", "glad", "mace"];

#[track_caller]
fn found(settings: &str, rows: &[Scored<'_>], left_out: &[&str]) -> Aggregated {
    aggregate(&*yaml(&format!("{{ kind: consensus{settings} }}")), &[table(rows)], left_out).unwrap()
}

#[test]
fn a_majority_by_hand() {
    let found = found("", &ROWS, &[]);
    let measure = &found.measures[0];
    assert_eq!((measure.raters, measure.items, measure.responses), (3, 3, 11));
    let [n, m] = measure.estimates.as_slice() else { panic!("two models") };
    // The items of m have 1, 0 and a tie of both.
    assert_eq!((&*m.model, m.value, m.raters, m.responses), ("m", 0.5, 3, 8));
    let interval = m.interval.as_ref().unwrap();
    assert_eq!((interval.low, interval.high), (0.0, 1.0));
    assert_eq!(
        &*interval.method,
        "expanded percentile bootstrap over items, their labels held, 2000 resamples"
    );
    assert_eq!((n.value, n.interval.as_ref()), (1.0, None));

    let consensus = find(measure, "consensus");
    assert_eq!(texts(consensus, "model"), ["m", "m", "m", "n"]);
    assert_eq!(texts(consensus, "item"), ["i1", "i2", "i3", "i1"]);
    assert_eq!(column(consensus, "label"), [json!(1.0), json!(0.0), Value::Null, json!(1.0)]);
    assert_eq!(column(consensus, "tied"), [Value::Null, Value::Null, json!("0, 1"), Value::Null]);
    all_close(&numbers(consensus, "confidence"), &[2.0 / 3.0, 1.0, 0.5, 1.0], 1e-15);
    // ln 3 - 2/3 ln 2 for votes of two against one.
    all_close(&numbers(consensus, "entropy"), &[3.0_f64.ln() - LN_2 / 1.5, 0.0, LN_2, 0.0], 1e-15);
    assert_eq!(numbers(consensus, "votes"), [3.0, 3.0, 2.0, 3.0]);
    assert_eq!(numbers(consensus, "agreeing"), [2.0, 3.0, 2.0, 3.0]);

    let shares = find(measure, "shares");
    assert_eq!(column(shares, "label")[..3], [json!(0.0), json!(1.0), Value::Null]);
    assert_eq!(numbers(shares, "items"), [1.0, 1.0, 1.0, 0.0, 1.0, 0.0]);
    assert_close(numbers(shares, "share")[0], 1.0 / 3.0, 1e-15);

    let raters = find(measure, "consensus_raters");
    assert_eq!(texts(raters, "rater"), ["a", "b", "c"]);
    assert_eq!(numbers(raters, "votes"), [4.0, 4.0, 3.0]);
    // Tied items do not count.
    all_close(&numbers(raters, "agreement"), &[1.0, 1.0, 2.0 / 3.0], 1e-15);
    // The mean share of raters with the same answer.
    all_close(&numbers(raters, "accuracy"), &[19.0 / 24.0, 19.0 / 24.0, 7.0 / 9.0], 1e-15);

    let tie = found.notes.iter().find(|note| &*note.code == "ties").unwrap();
    assert!(tie.text.starts_with("labels of m are tied on 1 of 3 items"), "{}", tie.text);
    assert_eq!(codes(&found), ["ties", "no-interval"]);
}

#[test]
fn excluded_raters_have_no_vote() {
    let without = found("", &ROWS, &["b"]);
    let [n, m] = without.measures[0].estimates.as_slice() else { panic!("two models") };
    assert_eq!((m.value, m.raters, m.responses), (0.5, 2, 5));
    assert_eq!(column(find(&without.measures[0], "consensus"), "tied")[0], json!("0, 1"));
    let with = m.with_excluded.as_ref().unwrap();
    assert_eq!((with.value, with.raters), (0.5, 3));
    assert_eq!(n.with_excluded.as_ref().unwrap().raters, 3);
    assert_eq!(texts(find(&without.measures[0], "consensus_raters"), "rater"), ["a", "c"]);
}

/// Dawid and Skene (1979), table 1: the three answers of observer 1 and one of each other, for 45 patients.
const ANAESTHETISTS: [&str; 45] = [
    "1111111", "3334334", "1122122", "2223121", "2223222", "2223322", "1122111", "3333433", "2222223",
    "2322223", "4444444", "2223343", "1111111", "2223212", "1211111", "1112111", "1111111", "1111111",
    "2222221", "2221322", "2222222", "2222221", "2223222", "2212222", "1111111", "1111111", "2322222",
    "1111111", "1111111", "1121121", "1111111", "3333233", "1111111", "2222222", "2223232", "4334343",
    "2212232", "2323233", "3333432", "1111111", "1111111", "1212111", "2322222", "1211111", "2222222",
];

fn anaesthetists() -> ScoreTable {
    let mut table = ScoreTable::default();
    for (patient, answers) in ANAESTHETISTS.iter().enumerate() {
        let item = format!("p{patient:02}");
        for (place, value) in answers.chars().map(|one| f64::from(one.to_digit(10).unwrap())).enumerate() {
            let rater = ["o1", "o1", "o1", "o2", "o3", "o4", "o5"][place];
            let block = if place < 3 { place as u16 } else { 0 };
            table.push(&Row { rater, model: "m", against: "", item: &item, block, measure: "score", value });
        }
    }
    table
}

#[test]
fn dawid_and_skenes_anaesthetists() {
    let by = yaml("{ kind: consensus, method: dawid-skene }");
    let found = aggregate(&*by, &[anaesthetists()], &[]).unwrap();
    assert_eq!(codes(&found), ["labels-held"]);
    let measure = &found.measures[0];
    assert_eq!((measure.raters, measure.items, measure.responses), (5, 45, 315));
    // Their marginals are 0.40, 0.42, 0.11 and 0.07; the labels of greatest probability are 18, 19, 5 and 3.
    let shares = find(measure, "shares");
    assert_eq!(numbers(shares, "items"), [18.0, 19.0, 5.0, 3.0, 0.0]);
    all_close(&numbers(shares, "share")[..4], &[0.40, 0.42, 0.11, 0.07], 0.006);
    assert_close(measure.estimates[0].value, (18.0 + 38.0 + 15.0 + 12.0) / 45.0, 1e-14);
    let consensus = find(measure, "consensus");
    let labels = numbers(consensus, "label");
    // Patients whose most frequent answer is not the most probable one: 2, 12 and 36, in their table 4.
    assert_eq!([labels[1], labels[11], labels[35]], [4.0, 3.0, 4.0]);
    let Some(text) = reference::text("statistics/dawid_skene.json") else { return };
    let file: Value = serde_json::from_str(&text).unwrap();
    let case = file["cases"].as_array().unwrap().iter().find(|case| case["n_tasks"] == 45).unwrap();
    let want = &case["em_converged"];
    let list = |value: &Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|one| one.as_f64().unwrap()).collect()
    };
    let plus_one = |labels: Vec<f64>| -> Vec<f64> { labels.into_iter().map(|label| label + 1.0).collect() };
    assert_eq!(labels, plus_one(list(&want["labels"])));
    let most: Vec<f64> = want["posterior"]
        .as_array()
        .unwrap()
        .iter()
        .map(|posterior| list(posterior).into_iter().fold(0.0, f64::max))
        .collect();
    all_close(&numbers(consensus, "confidence"), &most, 1e-6);

    let coin = aggregate(&*yaml("{ kind: consensus, method: one-coin }"), &[anaesthetists()], &[]).unwrap();
    all_close(
        &numbers(find(&coin.measures[0], "consensus_raters"), "skill"),
        &list(&case["onecoin"]["skills"]),
        1e-9,
    );
    let mace = aggregate(&*yaml("{ kind: consensus, method: mace }"), &[anaesthetists()], &[]).unwrap();
    let mace = numbers(find(&mace.measures[0], "consensus"), "label");
    assert_eq!(mace, plus_one(list(&case["mace_labels"])));
}

#[test]
fn abilities_and_difficulties_of_glad() {
    let found = aggregate(&*yaml("{ kind: consensus, method: glad }"), &[anaesthetists()], &[]).unwrap();
    let measure = &found.measures[0];
    let difficulty = numbers(find(measure, "consensus"), "difficulty");
    // All observers agree on the first patient, and hardly any on the thirtieth.
    assert!(difficulty[0] < difficulty[29], "{} {}", difficulty[0], difficulty[29]);
    assert_eq!(numbers(find(measure, "consensus_raters"), "ability").len(), 5);
}

/// Two raters who swap roles from one model to the other: over both models neither is reliable.
#[test]
fn raters_are_estimated_on_all_models() {
    let mut rows = Vec::new();
    let names: Vec<String> = (0..12).map(|item| format!("i{item:02}")).collect();
    for (item, name) in names.iter().enumerate() {
        let truth = (item % 2) as f64;
        for (model, wrong) in [("m", "d"), ("n", "a")] {
            for rater in ["a", "b", "c", "d"] {
                rows.push((rater, model, &**name, if rater == wrong { 1.0 - truth } else { truth }));
            }
        }
    }
    let pooled = found(", method: one-coin", &rows, &[]);
    let raters = find(&pooled.measures[0], "consensus_raters");
    assert_eq!(column(raters, "model"), [Value::Null, Value::Null, Value::Null, Value::Null]);
    all_close(&numbers(raters, "skill"), &[0.5, 1.0, 1.0, 0.5], 1e-6);
    assert_eq!(pooled.measures[0].estimates.len(), 2);
    assert_eq!(numbers(find(&pooled.measures[0], "consensus"), "votes"), [4.0; 24]);
}

#[test]
fn chunks_workers_threads_and_order_change_nothing() {
    let names: Vec<(String, String)> =
        (0..120_usize).map(|place| (format!("r{}", place % 7), format!("i{}", place % 13))).collect();
    let rows: Vec<Scored<'_>> = names
        .iter()
        .enumerate()
        .map(|(place, (rater, item))| {
            (&**rater, ["m", "n"][place % 2], &**item, ((place * place / 3 + place % 13) % 3) as f64)
        })
        .collect();
    for method in METHODS {
        let by = yaml(&format!("{{ kind: consensus, method: {method} }}"));
        streams_alike(&*by, &rows, &["r3"]);
    }
}

#[test]
fn degenerate_votes_say_why() {
    for method in METHODS {
        let settings = format!(", method: {method}");
        // A single vote; one label alone; no two raters share an item.
        let one = found(&settings, &ROWS[..1], &[]);
        assert_eq!(one.measures[0].estimates[0].value, 1.0, "{settings}");
        assert!(codes(&one).contains(&"no-interval"));
        let equal: Vec<Scored<'_>> =
            ROWS.iter().map(|&(rater, model, item, _)| (rater, model, item, 2.0)).collect();
        let equal = found(&settings, &equal, &[]);
        assert!(equal.measures[0].estimates.iter().all(|estimate| estimate.value == 2.0));
        let alone = [("a", "m", "i1", 1.0), ("b", "m", "i2", 0.0), ("c", "n", "i3", 1.0)];
        assert_eq!(found(&settings, &alone, &[]).measures[0].estimates.len(), 2);
    }
    let names: Vec<String> = (0..101).map(|item| format!("i{item}")).collect();
    let many: Vec<Scored<'_>> =
        names.iter().enumerate().map(|(place, item)| ("a", "m", &**item, place as f64)).collect();
    let many = found("", &many, &[]);
    assert!(many.measures[0].estimates.is_empty() && many.measures[0].tables.is_empty());
    assert_eq!(many.measures[0].responses, 101);
    let note = &many.notes[0];
    assert_eq!(&*note.code, "no-consensus");
    assert!(note.text.contains("must be at most 100, got 101"), "{}", note.text);
    let refused = aggregate(&Consensus::default(), &[table(&ROWS)], &["a", "b", "c"]).unwrap_err();
    assert_eq!(refused.to_string(), "all raters with values of `score` are excluded");
}

/// Where two raters contradict each other on every item, no label is more probable.
#[test]
fn ties_are_reported_for_every_method() {
    let rows = [("a", "m", "i1", 1.0), ("b", "m", "i1", 0.0), ("a", "m", "i2", 0.0), ("b", "m", "i2", 1.0)];
    for method in ["majority", "one-coin", "glad"] {
        let found = found(&format!(", method: {method}"), &rows, &[]);
        assert_eq!(found.measures[0].estimates[0].value, 0.5, "{method}");
        assert!(codes(&found).contains(&"ties"), "{method}");
    }
}

/// Two raters who agree on each label once and differ twice: convergence becomes slower and slower.
#[test]
fn estimations_that_do_not_converge_are_reported() {
    let rows: Vec<Scored<'_>> = [("i1", 1.0, 1.0), ("i2", 1.0, 0.0), ("i3", 0.0, 1.0), ("i4", 0.0, 0.0)]
        .into_iter()
        .flat_map(|(item, first, second)| [("a", "m", item, first), ("b", "m", item, second)])
        .collect();
    let found = found(", method: one-coin", &rows, &[]);
    let note = found.notes.iter().find(|note| &*note.code == "not-converged").unwrap();
    assert!(note.text.ends_with("has not converged after 10000 iterations"), "{}", note.text);
}

#[test]
fn items_labels_and_raters_have_tables() {
    let found = found("", &ROWS, &[]);
    let names: Vec<&str> = found.measures[0].tables.iter().map(|table| &*table.name).collect();
    assert_eq!(names, ["consensus", "shares", "consensus_raters"]);
}

#[test]
fn faults_are_found() {
    example_reads("consensus");
    let told = |settings: &str| faults(&*yaml(&format!("{{ kind: consensus{settings} }}")));
    assert_eq!(told(", measures: [other]"), []);
    assert_eq!(told(", measures: [scores]"), [("measures[0]".into(), "unknown-measure", Error)]);
    assert_eq!(told(", measures: []"), [("measures".into(), "empty", Error)]);
    assert!(unreadable("{ kind: consensus, method: voting }").contains("dawid-skene"));
}
