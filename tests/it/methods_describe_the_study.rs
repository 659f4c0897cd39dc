//! The methods section of example studies: what was asked and shown, how raters were screened, and which sources describe it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::proof::sized;
use crate::{program, typeset};

const STUDIES: [&str; 6] = ["contrast", "heim", "hype-infinity", "hype-time-quest-plus", "likert", "ranking"];

fn examples() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies")
}

/// The methods section and the checklist of a simulated study.
fn methods(spec: &str) -> String {
    let temporary = tempfile::tempdir().unwrap();
    let kept = temporary.path().join("kept");
    let spec = format!("{spec}.yaml");
    let kept_text = kept.to_str().unwrap();
    program::succeeds(&examples(), &["run", &spec, "--simulate", "--study", kept_text, "--progress", "none"]);
    fs::read_to_string(kept.join("report/methods.md")).unwrap()
}

#[track_caller]
fn assert_says(methods: &str, texts: &[&str]) {
    for text in texts {
        assert!(methods.contains(text), "no `{text}` in {methods}");
    }
}

#[test]
fn methods_say_what_was_asked_and_how_raters_were_screened() {
    let text = methods("hype-infinity");
    assert_says(
        &text,
        &[
            "30 raters were to judge each model, and each rater one model. Raters were screened by a qualification of 36 trials, half of \
             them with real stimuli, in which at least 65% of the real and at least 65% of the generated stimuli had to be judged right.",
            "Raters were asked \"Is this image real or fake? 30 of 60 images are fake.\" (one of \"Real\", \"Fake\", in this order). Stimuli stayed visible until \
             the answer. Of 60 scored images of each rater and model, 30 are generated and 30 real, as raters are told.",
            "Results generalize to other raters who judge the same items. The two models were compared by Welch's t. The \
             test over all models is Welch's ANOVA.",
            "**Who were the raters?** Synthetic raters; no people.",
            "**How were they instructed and trained?** They read: \"You will see images one after the other.",
            "**What were they paid?** Nothing: they are synthetic.",
            "**How many raters judged each model or item?** 30 raters who count for each model; 60 raters in all",
            "**When did the collection end?** 60 of 60 places were filled. No stopping rule was declared.",
            "The significance level is 5%.",
            "**Where can data and spec be had?** \\[to be filled in\\]",
        ],
    );
}

#[test]
fn methods_have_the_labels_of_scales_in_their_order() {
    let text = methods("heim");
    assert_says(
        &text,
        &[
            "The plan counted 5 raters for each stimulus: 11 sessions.",
            "Raters were asked \"How well does the image match the description?\" (one of \"Does not match at all\", \"Has significant \
             discrepancies\", \"Has several minor discrepancies\", \"Has a few minor discrepancies\", \"Matches exactly\", in this order); ",
            "Results generalize to other raters and other items. Pairs of models were compared by",
            "On \"image-text alignment (1 to 5)\": percent agreement: 0.",
        ],
    );
}

#[test]
fn methods_of_active_pairs_do_not_claim_equal_numbers() {
    let text = methods("contrast");
    assert_says(
        &text,
        &[
            "The plan counted 5 raters for each pair of models on an item: 15 sessions.",
            "Raters were asked \"Which image is better?\" (one of \"A\", \"B\", \"They are equal\", in this order).",
            "The pair that tells most about all models comes next, given all answers so far. Each rater makes 30 comparisons, of 3 pairs \
             of models on ",
            "3 trials of practice came first.",
            "**How far did raters agree?** It was not analysed.",
        ],
    );
    assert!(!text.contains("Each item was to be judged"), "the pairs follow from the answers");
}

#[test]
fn methods_ask_what_the_task_asks_and_not_what_surveys_ask() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let new = ["new", "s", "--images", "14", "--size", "16", "--task", "rating"];
    program::succeeds(folder, &new);
    let spec = folder.join("s/evaluation.yaml");
    let beside = "before:\n  - { kind: age, bands: [18, 30, 45, 60] }\nbeside:\n  - { id: why, text: Why?, answer: { text: 200 }, \
                  required: false }\n";
    fs::write(&spec, fs::read_to_string(&spec).unwrap() + beside).unwrap();
    let run =
        ["run", "s/evaluation.yaml", "--simulate", "3", "--study", "kept", "--progress", "none", "--json"];
    program::succeeds(folder, &run);
    program::succeeds(folder, &["report", "kept"]);
    let text = fs::read_to_string(folder.join("kept/report/methods.md")).unwrap();
    assert!(!text.contains("How old are you"), "{text}");
    assert_says(&text, &["Raters were asked \"", "; \"Why?\" (a text, which could be left out)."]);
}

#[test]
fn settings_are_sentences() {
    for study in STUDIES {
        let text = methods(study);
        for raw in ["Settings of the task:", "per_session", "floor ms", "items 24", "preset"] {
            assert!(!text.contains(raw), "{study}: {raw} in {text}");
        }
        assert!(!text.contains("Raters earned"), "{study}: no rater is paid: {text}");
    }
    assert_says(
        &methods("hype-time-quest-plus"),
        &[
            "QUEST+ chooses each exposure by a logistic psychometric function, and ends a block once the standard deviation of its threshold \
           is under 30 ms, after 40 trials at least. Thresholds are exposures at which 75% of answers are right.",
        ],
    );
}

#[test]
fn methods_have_the_exposures() {
    let text = methods("hype-time-quest-plus");
    assert_says(&text, &["The exposures of the scored trials were ", " ms, followed by masks."]);
}

#[test]
fn sources_are_typeset_without_a_warning() {
    for study in STUDIES.into_iter().take(sized(2, STUDIES.len())) {
        let temporary = tempfile::tempdir().unwrap();
        let kept = temporary.path().join("kept");
        let spec = format!("{study}.yaml");
        let run = ["run", &spec, "--simulate", "--study", kept.to_str().unwrap(), "--progress", "none"];
        program::succeeds(&examples(), &run);
        let sources = fs::read_to_string(kept.join("report/references.bib")).unwrap();
        let methods = fs::read_to_string(kept.join("report/methods.md")).unwrap();
        let keys: Vec<&str> = sources
            .lines()
            .filter(|line| line.starts_with('@'))
            .filter_map(|line| line.split(['{', ',']).nth(1))
            .collect();
        assert!(!keys.is_empty(), "{study}");
        for key in &keys {
            assert!(methods.contains(&format!("@{key}")), "{study}: {key} is not cited in {methods}");
        }
        typeset::bibliography(&sources, &keys);
    }
}
