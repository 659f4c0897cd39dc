//! `hype check` knows what every value of a spec refers to: answers, levels, models and measures.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{hype, succeeds};

/// Returns the findings of `check` in a study of comparisons: the code, path and message of each error and warning.
fn found(folder: &Path, rest: &str) -> Vec<String> {
    if !folder.join("drawn").exists() {
        succeeds(folder, &["new", "drawn", "--task", "rating", "--images", "12", "--size", "16"]);
    }
    let task = "task: { kind: contrast, per_session: 6, criteria: [{ name: realism, tie: true }] }\n";
    let task = if rest.contains("task:") { "" } else { task };
    fs::write(
        folder.join("study.yaml"),
        format!(
            "stimuli:\n  real: {{ role: real, images: drawn/images/real/*.png }}\n  a: {{ role: generated, images: \
             drawn/images/good/*.png }}\n  b: {{ role: generated, images: drawn/images/weak/*.png }}\nitems: {{ match: name }}\n\
             raters: {{ per_item: 3 }}\n{task}{rest}\n"
        ),
    )
    .unwrap();
    let output = hype(folder, &["check", "study.yaml", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    let diagnostics = found["diagnostics"].as_array().unwrap().iter();
    let noted = diagnostics.filter(|one| one["severity"] != "note");
    noted
        .map(|one| {
            format!(
                "{} {}: {} | {}",
                text(one, "code"),
                text(one, "path"),
                text(one, "message"),
                text(one, "help")
            )
        })
        .collect()
}

const AGE: &str = "before: [{ kind: age, bands: [25] }]\nfacets: { age: { of: raters, asked: age_band } }\n";

#[test]
fn every_reference_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let beside = |answers: &str| {
        format!(
            "beside: [{{ id: why, text: Why?, answer: {{ text: 300 }}, required: {{ after: realism, any_of: [{answers}] }} }}]"
        )
    };
    let rating = "task: { kind: rating, per_session: 6 }\nrubric: { kind: likert, questions: [{ id: q1, text: Good?, options: [No, \
                  Yes] }] }\n";
    let shares = |shares: &str| {
        format!("{AGE}{rating}aggregate: {{ kind: by_facet, within: age, shares: {{ {shares} }} }}")
    };
    let asked = |answer: &str, rule: &str| {
        format!(
            "before: [{{ kind: questions, questions: [{{ id: q, text: Really?, answer: {{ {answer} }}, screen_out: {{ {rule} }} }}] }}]"
        )
    };
    let expects = |model: &str, more: &str| {
        format!("hypotheses: [{{ text: Better., model: {model}, is: higher, than: b{more} }}]")
    };
    let cases = [
        (beside("tie"), ""),
        (beside("ties"), "unknown-answer beside[0].required.any_of: `ties` is not an answer to `realism`"),
        (shares("under 25: 0.2, 25 or over: 0.8"), ""),
        (
            shares("under 25: 0.2, 25 and over: 0.8"),
            "unasked-level aggregate.shares: age has no level `25 and over`",
        ),
        (asked("options: [Yes, No]", "any_of: [Yes]"), ""),
        (asked("options: [Yes, No]", "any_of: [Yes, No]"), "nobody-left before[0].questions[0].screen_out"),
        (
            asked("number: { minimum: 1, maximum: 9 }", "below: 5, above: 4"),
            "nobody-left before[0].questions[0].screen_out",
        ),
        (asked("number: { minimum: 1, maximum: 9 }", "below: 5, above: 6"), ""),
        (
            asked("options: [{ value: a, label: Yes }, { value: b, label: \"Yes \" }, No]", "any_of: [No]"),
            "same-label before[0].questions[0].answer.options[1]",
        ),
        (expects("a", ""), ""),
        (expects("c", ""), "unknown-model hypotheses[0].model: the study has no set `c`"),
        (
            expects("a", ", measure: realsm"),
            "untestable hypotheses[0].measure: the study has no measure `realsm`",
        ),
        ("corrections: true".to_owned(), ""),
        (
            "corrections: true\ntask: { kind: contrast, per_session: 6, pairs: active }".to_owned(),
            "no-effect corrections: each answer decides what is shown next",
        ),
    ];
    let mut wrong = Vec::new();
    for (rest, says) in cases {
        let found = found(folder, &rest);
        let is_right =
            if says.is_empty() { found.is_empty() } else { found.iter().any(|one| one.contains(says)) };
        if !is_right {
            wrong.push(format!("{rest}\n  wanted {says:?}, found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
