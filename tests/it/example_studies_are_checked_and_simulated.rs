//! Every example study passes its check, and with synthetic raters its findings rank the models by their true
//! quality.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;
use crate::proof::sized;

use std::path::{Path, PathBuf};

fn studies() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies")
}

/// Runs a study and checks one measure: the models best first, and agreement if there should be any.
fn check(study: &str, measure: &str, best_first: &[&str], agreement: bool) {
    let spec = format!("{study}.yaml");
    let checked = program::succeeds(&studies(), &["check", &spec]);
    assert!(checked.contains("sessions"), "{checked}");
    let found = program::json(&studies(), &["simulate", &spec, "--json"]);
    let measures = found["measures"].as_array().unwrap();
    let names: Vec<&str> = measures.iter().map(|found| found["measure"]["name"].as_str().unwrap()).collect();
    let place = names.iter().position(|name| *name == measure);
    let found = &measures[place.unwrap_or_else(|| panic!("{study} measures {names:?}"))];
    let estimates = found["estimates"].as_array().unwrap();
    let models: Vec<&str> = estimates.iter().map(|estimate| estimate["model"].as_str().unwrap()).collect();
    assert_eq!(models, best_first, "{study}, {measure}");
    for estimate in estimates {
        let (value, interval) = (estimate["value"].as_f64().unwrap(), &estimate["interval"]);
        let (low, high) = (interval["low"].as_f64().unwrap(), interval["high"].as_f64().unwrap());
        assert!(low <= value && value <= high, "{study}: {estimate}");
    }
    let defined = |found: &serde_json::Value| found["value"].as_f64().is_some();
    let coefficients = found["agreement"].as_array().map_or(&[][..], Vec::as_slice);
    assert_eq!(coefficients.iter().any(defined), agreement, "{study}: {coefficients:?}");
}

/// Runs a study into a folder, and reads the folder again: the findings are the same, and the logs replay.
fn keep(study: &str) {
    let folder = tempfile::tempdir().unwrap();
    let stored = folder.path().join("kept");
    let stored = stored.to_str().unwrap();
    let spec = format!("{study}.yaml");
    let run = ["run", &spec, "--simulate", "--study", stored, "--json", "--progress", "none"];
    let found = program::json(&studies(), &run);
    assert_eq!(found, program::json(&studies(), &["score", stored, "--json"]), "{study}");
    let verified = program::succeeds(&studies(), &["score", stored, "--verify"]);
    assert!(verified.contains("their logs agree with the study"), "{verified}");
    for what in ["scores", "trials", "answers"] {
        let rows = program::succeeds(&studies(), &["export", stored, "--what", what]);
        assert!(rows.lines().count() > 10, "{study}, {what}: {rows}");
    }
    let package = folder.path().join("package");
    program::succeeds(&studies(), &["export", stored, "--package", package.to_str().unwrap()]);
    assert!(package.join("codebook.md").exists());
}

#[test]
fn studies_are_stored_read_again_and_packaged() {
    let all = [
        "heim",
        "contrast-criteria",
        "ranking",
        "hype-time-quest-plus",
        "imagenet5",
        "imagenhub-editing",
        "likert",
        "contrast",
        "contrast-categories",
        "contrast-complete",
        "contrast-gold",
        "best-of",
        "fooling",
        "stopping",
    ];
    for study in all.into_iter().take(sized(5, all.len())) {
        keep(study);
    }
}

const BY_WORTH: [&str; 3] = ["good", "middling", "weak"];

#[test]
fn judgments_of_real_and_generated() {
    check("hype-infinity", "error", &["good", "weak"], false);
    check("hype-time-quest-plus", "posterior_mean_ms", &["good", "weak"], false);
    check("fooling", "fooled", &["good", "weak"], false);
    check("stopping", "error", &["good", "weak"], false);
    check("photorealism", "photorealism", &["real", "good", "middling", "weak"], true);
}

#[test]
fn ratings_of_single_images() {
    check("heim", "alignment", &BY_WORTH, true);
    check("imagenhub-generation", "O", &BY_WORTH, true);
    check("imagenhub-editing", "O", &BY_WORTH, true);
    check("likert", "realism", &BY_WORTH, true);
    check("opinion", "opinion", &BY_WORTH, true);
    check("metrics", "opinion", &BY_WORTH, true);
}

/// A simulation of Table 4 and section 4.5 of the HYPE paper reproduces them: truncated BigGAN beats SN-GAN on samoyeds, no
/// model beats another on baseballs, and training improves a model.
#[test]
fn models_over_classes_and_epochs() {
    let found = program::json(&studies(), &["simulate", "imagenet5.yaml", "--json"]);
    let card = &found["study"]["cells"];
    assert_eq!(card.as_array().unwrap().len(), 15);
    assert_eq!(
        card[0],
        serde_json::json!({ "name": "BigGAN-trunc/lemon", "model": "BigGAN-trunc", "levels": { "class": "lemon" } })
    );
    let error = &found["measures"][0];
    let levels: Vec<&str> =
        error["facets"].as_array().unwrap().iter().map(|level| level["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["lemon", "samoyed", "library", "horn", "baseball"]);
    let adjusted = |level: usize| error["facets"][level]["tests"][0]["p_adjusted"].as_f64().unwrap();
    assert!(adjusted(1) < 1e-3 && adjusted(4) > 0.05, "{} {}", adjusted(1), adjusted(4));
    let together = &error["interactions"][0];
    assert!(together["test"]["p"].as_f64().unwrap() < 0.01, "{together}");
    for (mean, [model, low, high]) in together["macro_means"].as_array().unwrap().iter().zip([
        ["BigGAN", "0.11", "0.18"],
        ["BigGAN-trunc", "0.10", "0.17"],
        ["SN-GAN", "0.05", "0.10"],
    ]) {
        let value = mean["value"].as_f64().unwrap();
        let range = low.parse::<f64>().unwrap()..high.parse().unwrap();
        assert!(mean["model"] == *model && range.contains(&value), "{mean}");
    }
    let found = program::json(&studies(), &["simulate", "training.yaml", "--json"]);
    let error = &found["measures"][0];
    let trend = &error["trends"][0];
    assert_eq!((&trend["model"], &trend["scale"]), (&"StyleGAN".into(), &"log".into()));
    assert!(trend["slope"].as_f64().unwrap() > 0.05 && trend["p"].as_f64().unwrap() < 1e-5, "{trend}");
    assert!(trend["departure"]["p"].as_f64().is_some(), "{trend}");
    assert_eq!(error["tests"][0]["df"], serde_json::json!([2.0, 87.0]));
    for study in ["imagenet5", "training"] {
        let checked = program::succeeds(&studies(), &["check", &format!("{study}.yaml"), "--strict"]);
        assert!(checked.contains("sessions"), "{checked}");
    }
}

#[test]
fn images_side_by_side() {
    check("contrast", "strength", &BY_WORTH, false);
    check("contrast-criteria", "strength.realism", &BY_WORTH, false);
    check("contrast-gold", "strength", &["good", "middling"], false);
    check("contrast-complete", "strength.realism", &["good", "middling"], false);
    check("ranking", "rank", &["real", "good", "middling", "weak"], true);
    check("best-of", "votes.realism", &BY_WORTH, false);
}

/// The weak model of this example is the best where the background is mirrored, and how many balls there are changes nothing.
#[test]
fn winners_depend_on_one_category_and_not_on_the_other() {
    let found = program::json(&studies(), &["simulate", "contrast-categories.yaml", "--json"]);
    let strength = &found["measures"][0];
    let best = |facet: &str| -> Vec<(String, String)> {
        let levels = strength["facets"].as_array().unwrap().iter().filter(|level| level["facet"] == facet);
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        levels.map(|level| (text(&level["level"]), text(&level["estimates"][0]["model"]))).collect()
    };
    let owned = |all: &[(&str, &str)]| -> Vec<(String, String)> {
        all.iter().map(|(level, model)| ((*level).to_owned(), (*model).to_owned())).collect()
    };
    assert_eq!(best("background"), owned(&[("plain", "good"), ("patterned", "good"), ("mirrored", "weak")]));
    assert_eq!(best("size"), owned(&[("few", "good"), ("many", "good")]));
    let [background, size] = [0, 1].map(|place| &strength["interactions"][place]);
    assert_eq!((&background["facet"], &size["facet"]), (&"background".into(), &"size".into()));
    assert_eq!(background["family"], "9 pairs of models at 3 levels of background");
    let p = |together: &serde_json::Value| together["test"]["p"].as_f64().unwrap();
    assert!(p(background) < 0.01 && p(size) > 0.05, "{} {}", p(background), p(size));
    let shown = program::succeeds(&studies(), &["simulate", "contrast-categories.yaml", "--full"]);
    for expected in [
        "by background",
        "by size",
        "family: 9 pairs of models at 3 levels of background",
        "interaction of background and model",
        "compared with the prediction from strengths of all levels",
        "+0.50 where background is mirrored",
    ] {
        assert!(shown.contains(expected), "no {expected:?} in\n{shown}");
    }
    let checked = program::succeeds(&studies(), &["check", "contrast-categories.yaml", "--strict"]);
    assert!(checked.contains("sessions"), "{checked}");
}

/// The raters' answers about themselves are counted, screen some of them out, and give the levels of a facet.
#[test]
fn raters_say_who_they_are() {
    let found = program::json(&studies(), &["simulate", "contrast-complete.yaml", "--json"]);
    let collected = &found["collected"];
    assert!(collected["screened_out"].as_u64() > Some(0), "{collected}");
    let surveys = found["surveys"].as_array().unwrap();
    let keys: Vec<&str> = surveys.iter().map(|one| one["question"].as_str().unwrap()).collect();
    assert_eq!(keys[..4], ["age_band", "gender", "gender_words", "expertise_art"]);
    assert!(keys.contains(&"tlx_mental") && keys.last() == Some(&"comments"));
    let counting = collected["completed"].as_u64().unwrap() - collected["excluded"].as_u64().unwrap();
    for one in surveys {
        assert_eq!(
            one["answered"].as_u64().unwrap() + one["unanswered"].as_u64().unwrap(),
            counting,
            "{one}"
        );
    }
    let ages = surveys[0]["answers"]["options"].as_array().unwrap();
    assert_eq!((&ages[0]["value"], &ages[0]["raters"]), (&"under 18".into(), &0.into()));
    let levels: Vec<&str> = found["measures"][0]["facets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|level| level["level"].as_str().unwrap())
        .collect();
    let order = ["none", "little", "hobby", "trained", "professional"];
    let places: Vec<usize> =
        levels.iter().map(|level| order.iter().position(|known| known == level).unwrap()).collect();
    assert!(places.len() > 2 && places.is_sorted(), "{levels:?}");
}

/// One in five synthetic raters of this example does not look. Gold comparisons exclude them, and the findings have the share of
/// every rater with its interval.
#[test]
fn raters_who_do_not_look_are_caught() {
    let found = program::json(&studies(), &["simulate", "contrast-gold.yaml", "--json"]);
    let checks = found["checks"].as_array().unwrap();
    let of = |name: &str| checks.iter().find(|check| check["name"] == name).unwrap();
    let completed = found["collected"]["completed"].as_u64().unwrap();
    for name in ["gold", "repeats", "sides"] {
        let shares = of(name)["shares"].as_array().unwrap();
        assert_eq!(shares.len() as u64, completed, "{name}");
        assert!(shares.iter().all(|one| one["rater"].is_string() && one["of"].is_u64()), "{name}");
    }
    assert!(of("gold")["failed"].as_u64() > Some(0), "{}", of("gold"));
    assert_eq!(found["collected"]["excluded"], of("gold")["failed"]);
    let shown = program::succeeds(&studies(), &["simulate", "contrast-gold.yaml", "--full"]);
    for expected in ["gold", "repeats", "sides", "gold comparisons right", "exact 95 % interval"] {
        assert!(shown.contains(expected), "no {expected:?} in\n{shown}");
    }
}

/// The models of this example are told apart long before all raters have come.
#[test]
fn a_declared_rule_ends_a_study_early() {
    let found = program::json(&studies(), &["simulate", "stopping.yaml", "--json"]);
    let stopping = &found["stopping"];
    let at = stopping["stopped_at"].as_u64().unwrap();
    assert!(at < 60 && stopping["planned"] == 60, "{stopping}");
    assert_eq!(found["collected"]["completed"].as_u64(), Some(2 * at));
    let looks = stopping["looks"].as_array().unwrap();
    let last = looks.iter().find(|look| look["stops"] == true).unwrap();
    assert_eq!((last["raters"].as_u64(), &last["tests"][0]["decided"]), (Some(at), &true.into()));
    let shown = program::succeeds(&studies(), &["simulate", "stopping.yaml", "--full"]);
    for expected in ["stopping rule spending on error", "ends", "not needed", "good - weak"] {
        assert!(shown.contains(expected), "no {expected:?} in\n{shown}");
    }
    // Events that are kept make no difference, and a collection ends without a fault.
    let folder = tempfile::tempdir().unwrap();
    let events = folder.path().join("events.jsonl");
    let kept = program::json(
        &studies(),
        &["simulate", "stopping.yaml", "--events", events.to_str().unwrap(), "--json"],
    );
    assert_eq!(kept["stopping"], *stopping);
    let stored = folder.path().join("stored");
    let stored = stored.to_str().unwrap();
    let run = ["run", "stopping.yaml", "--simulate", "--study", stored, "--json", "--progress", "none"];
    assert_eq!(program::json(&studies(), &run)["stopping"], *stopping);
}
