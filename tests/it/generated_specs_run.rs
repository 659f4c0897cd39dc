//! A spec that passes `hype check` runs, is scored and is reported: specs drawn from what studies can declare.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::program::{hype, succeeds};
use crate::proof::{row, sized};

/// One of some texts.
fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(texts).prop_map(str::to_owned)
}

/// Some of some texts with commas between them, in their order.
fn some_of(texts: &'static [&'static str], least: usize) -> impl Strategy<Value = String> {
    subsequence(texts, least..=texts.len()).prop_map(|some| some.join(", "))
}

/// One of some texts, or nothing.
fn maybe(texts: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop_oneof![3 => Just(String::new()), 2 => one_of(texts)]
}

fn by_model() -> impl Strategy<Value = (String, String, String)> {
    let task = prop_oneof![
        (1..=2_u32, 3..=12_u32).prop_map(|(blocks, half)| format!(
            "{{ kind: hype_time, blocks: {blocks}, trials_per_block: {} }}",
            2 * half.min(24 / blocks / 2)
        )),
        (2..=10_u32, 2..=10_u32).prop_map(|(fakes, reals)| format!(
            "{{ kind: hype_infinity, generated: {fakes}, real: {reals} }}"
        )),
        (2..=8_u32, one_of(&["real", "fake"])).prop_map(|(trials, ask)| format!(
            "{{ kind: fooling, trials: {trials}, practice: 2, ask: {ask} }}"
        )),
    ];
    let raters = (2..=6_u32, one_of(&["between", "within"]), maybe(&[", speed: {}"])).prop_map(
        |(count, design, speed)| {
            format!("{{ per_model: {count}, design: {design}, qualification: null{speed} }}")
        },
    );
    let aggregate = prop_oneof![
        3 => Just(String::new()),
        4 => (
            maybe(&[
                ", equivalence: { margin: 0.05 }",
                ", equivalence: { margin: 0.6 }",
                ", equivalence: { margin: 30 }",
                ", non_inferiority: { margin: 0.1 }",
            ]),
            maybe(&[", interval: t", ", interval: percentile", ", pairs: wilcoxon", ", pairs: welch", ", family: rubric"]),
            maybe(&[", level: 0.9", ", bootstrap: {}", ", generalize_to: items", ", generalize_to: raters"]),
        )
            .prop_map(|(margin, interval, more)| format!("aggregate: {{ kind: by_model{margin}{interval}{more} }}\n")),
        1 => one_of(&["aggregate: { kind: agreement, coefficients: [percent] }\n", "aggregate: { kind: contrast }\n"]),
    ];
    (task, raters, aggregate)
}

fn contrast() -> impl Strategy<Value = String> {
    let criteria = maybe(&[
        ", criteria: [realism]",
        ", criteria: [{ name: realism, tie: true }, quality]",
        ", criteria: [{ name: quality, grades: ccr }]",
        ", criteria: [{ name: quality, grades: [Worse, Same, Better], tie: false }, realism]",
    ]);
    let pairs = maybe(&[
        ", pairs: active",
        ", pairs: { against: a }",
        ", pairs: { against: b }",
        ", pairs: { against: nobody }",
    ]);
    let answers = maybe(&[", tie: true", ", both_bad: true", ", tie: true, both_bad: true", ", real: true"]);
    let checks = maybe(&[
        ", repeats: { per_session: 2, apart: 2 }",
        ", gold: { better: real, worse: a, per_session: 2 }",
        ", practice: 2",
        ", rest_every: 3",
    ]);
    (1..=9_u32, criteria, pairs, answers, checks).prop_map(|(size, criteria, pairs, answers, checks)| {
        format!("{{ kind: contrast, per_session: {size}{criteria}{pairs}{answers}{checks} }}")
    })
}

/// A task with its rubric, if it has one of its own.
fn rating() -> impl Strategy<Value = (String, String)> {
    let rubric = one_of(&[
        "rubric: { kind: likert, questions: [{ id: realism, text: How realistic?, options: [Not, Slightly, Very] }] }\n",
        "rubric: { kind: likert, questions: [{ id: q1, text: Good?, options: [No, Yes] }, { id: q2, text: Sharp?, options: [No, Yes] }] }\n",
        "rubric: { kind: opinion }\n",
        "rubric: { kind: heim.image, aspects: [aesthetics, originality] }\n",
        "rubric: { kind: imagenhub.text_guided_generation }\n",
    ]);
    let more = maybe(&[", real: true", ", repeats: { per_session: 2, apart: 2 }"]);
    (2..=9_u32, more, rubric)
        .prop_map(|(size, more, rubric)| (format!("{{ kind: rating, per_session: {size}{more} }}"), rubric))
}

fn by_item() -> impl Strategy<Value = (String, String, String)> {
    let task = prop_oneof![
        3 => contrast().prop_map(|task| (task, String::new())),
        3 => rating(),
        1 => (1..=6_u32, maybe(&[", ties: true"]))
            .prop_map(|(size, ties)| (format!("{{ kind: ranking, per_session: {size}{ties} }}"), String::new())),
        1 => (1..=6_u32, some_of(&["realism", "colour"], 1))
            .prop_map(|(size, names)| (format!("{{ kind: best_of, per_session: {size}, criteria: [{names}] }}"), String::new())),
    ];
    let raters = (1..=4_u32, maybe(&[", speed: {}"]))
        .prop_map(|(count, speed)| format!("{{ per_item: {count}{speed} }}"));
    let aggregate = prop_oneof![
        3 => Just(String::new()),
        3 => one_of(&[
            "aggregate: { kind: contrast }\n",
            "aggregate: { kind: contrast, model: davidson }\n",
            "aggregate: { kind: contrast, bootstrap: { resamples: 100 } }\n",
            "aggregate: { kind: contrast, intervals: information, generalize_to: raters }\n",
            "aggregate: { kind: contrast, ridge: 0.1, order_effect: true }\n",
            "aggregate: [{ kind: contrast }, { kind: elo }]\n",
            "aggregate: { kind: grades }\n",
            "aggregate: { kind: ranking }\n",
            "aggregate: [{ kind: by_model }, { kind: agreement }]\n",
            "aggregate: { kind: by_model, non_inferiority: { margin: 9 } }\n",
            "aggregate: { kind: by_model, non_inferiority: { margin: 0.5 } }\n",
            "aggregate: { kind: opinion, screening: bt500 }\n",
            "aggregate: { kind: components }\n",
            "aggregate: { kind: consensus }\n",
            "aggregate: { kind: pooled }\n",
            "aggregate: { kind: imagenhub }\n",
        ]),
        1 => (one_of(&["by_facet", "contrast", "trend"]), one_of(&["", ", shares: { under 30: 0.4, 30 and over: 0.6 }"])).prop_map(
            |(kind, shares)| {
                let shares = if kind == "by_facet" { shares } else { String::new() };
                let facet = if kind == "trend" { "along" } else { "within" };
                format!("aggregate: {{ kind: {kind}, {facet}: age{shares} }}\n")
            }
        ),
    ];
    (task, raters, aggregate)
        .prop_map(|((task, rubric), raters, aggregate)| (task, raters, format!("{rubric}{aggregate}")))
}

/// Draws additional questions to raters, and declarations made beforehand.
fn around() -> impl Strategy<Value = String> {
    let before = maybe(&[
        "before: [{ kind: age, bands: [30] }]\nfacets: { age: { of: raters, asked: age_band } }\n",
        "before: [{ kind: age, bands: [30], screen_out: [under 30] }, { kind: gender }]\n",
        "before: [{ kind: colour_vision, screen_out: true }]\n",
        "before: [{ kind: questions, questions: [{ id: q, text: Glasses?, answer: { options: [Yes, No] }, screen_out: { any_of: [Yes] } }] }]\n",
        "before: [{ kind: questions, questions: [{ id: n, text: How many?, answer: { number: { minimum: 1, maximum: 9 } }, screen_out: { below: 3 } }] }]\n",
        "before: [{ kind: questions, questions: [{ id: q, text: Really?, answer: { options: [Yes, No] }, screen_out: { any_of: [Yes, No] } }] }]\n",
    ]);
    let after = maybe(&["after: [{ kind: nasa_tlx }]\n", "after: [{ kind: comments }]\n"]);
    let beside = maybe(&[
        "beside: [{ id: why, text: Why?, answer: { text: 300 }, required: false }]\n",
        "beside: [{ id: sure, text: How sure?, answer: { options: [No, Yes] } }]\n",
        "corrections: true\n",
    ]);
    let hypotheses = maybe(&[
        "hypotheses: [{ text: A is better., model: a, is: higher, than: b }]\n",
        "hypotheses: [{ text: B is better., model: b, is: higher, than: c }]\n",
        "hypotheses: [{ text: Unknown., model: z, is: lower, than: a }]\n",
        "hypotheses: [Words alone.]\n",
    ]);
    let stopping = prop_oneof![
        6 => Just(String::new()),
        1 => one_of(&[
            "stopping: { kind: spending, looks: [2, 4], until: all-pairs }\n",
            "stopping: { kind: width, at_most: 0.1, from: 20, every: 10 }\n",
            "stopping: { kind: betting, from: 10, every: 10, until: pair }\n",
        ]),
    ];
    (before, after, beside, hypotheses, stopping).prop_map(|(before, after, beside, hypotheses, stopping)| {
        format!("{before}{after}{beside}{hypotheses}{stopping}")
    })
}

/// A spec in which every part may be what a study can declare or, now and then, what it cannot.
fn specs() -> impl Strategy<Value = String> {
    let stimuli = one_of(&[
        "a: { role: generated, images: drawn/images/good/*.png }",
        "a: { role: generated, images: drawn/images/good/*.png }, b: { role: generated, images: drawn/images/weak/*.png }",
        "a: { role: generated, images: drawn/images/good/*.png }, b: { role: generated, images: drawn/images/weak/*.png }, c: { role: \
         generated, images: drawn/images/middling/*.png }",
    ]);
    let items = one_of(&["items: { match: name }\n", "items: { match: name, fixed: true }\n", ""]);
    (stimuli, items, prop_oneof![by_model(), by_item()], around(), any::<u32>()).prop_map(
        |(stimuli, items, (task, raters, analysis), around, seed)| {
            format!(
                "seed: {seed}\nstimuli: {{ real: {{ role: real, images: drawn/images/real/*.png }}, {stimuli} }}\n{items}task: {task}\n\
                 raters: {raters}\n{analysis}{around}"
            )
        },
    )
}

/// Specs that once passed `check` and did not run.
const FOUND: [&str; 1] = ["\
seed: 3081386348
stimuli: { real: { role: real, images: drawn/images/real/*.png }, a: { role: generated, images: drawn/images/good/*.png }, \
b: { role: generated, images: drawn/images/weak/*.png } }
items: { match: name }
task: { kind: contrast, per_session: 5 }
raters: { per_item: 3 }
aggregate: { kind: consensus }
"];

/// Whether a spec passes `check`.
///
/// # Errors
/// If it passes, and then does not run, is not scored or reported, or is told of in too many words.
fn passes(folder: &Path, spec: &str) -> Result<bool, String> {
    fs::write(folder.join("study.yaml"), spec).unwrap();
    let _ = fs::remove_dir_all(folder.join("study.simulated"));
    if !hype(folder, &["check", "study.yaml"]).status.success() {
        return Ok(false);
    }
    for command in [
        &["run", "study.yaml", "--simulate"][..],
        &["score", "study.yaml", "--full"],
        &["report", "study.yaml"],
    ] {
        let output = hype(folder, command);
        if !output.status.success() {
            let err = String::from_utf8_lossy(&output.stderr);
            return Err(format!("hype {command:?} of a spec that passes `check`:\n{err}\n{spec}"));
        }
    }
    let longest =
        String::from_utf8_lossy(&hype(folder, &["score", "study.yaml"]).stderr).lines().map(str::len).max();
    if longest.unwrap_or(0) >= 2_000 {
        return Err(format!("a message is too long:\n{spec}"));
    }
    let page = fs::read_to_string(folder.join("study.simulated/report/index.html")).unwrap_or_default();
    if !page.contains("</html>") || page.contains("NaN") {
        return Err(format!("the page is not whole, or has NaN:\n{spec}"));
    }
    Ok(true)
}

#[test]
fn checked_specs_run_and_are_scored_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["new", "drawn", "--task", "rating", "--images", "24", "--size", "16"]);
    let cases = sized(15, 200);
    let mut runner = TestRunner::deterministic();
    let drawn = (0..cases).map(|_| specs().new_tree(&mut runner).unwrap().current());
    let (mut passed, mut failures) = (0, Vec::new());
    for spec in FOUND.map(str::to_owned).into_iter().chain(drawn) {
        match passes(folder, &spec) {
            Ok(passes) => passed += u32::from(passes),
            Err(failure) => failures.push(failure),
        }
    }
    assert!(failures.is_empty(), "{} specs fail:\n{}", failures.len(), failures.join("\n"));
    row(&[&cases.to_string(), &passed.to_string()]);
    assert!(6 * passed >= cases, "only {passed} of {cases} specs pass `check`");
}
