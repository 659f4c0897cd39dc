//! The methods section and the checklist.

use std::fs;

use serde_json::Value;

use super::numbers::between;
use super::report::{Report, list};
use super::sentences::{Known, Seen};
use super::trials::{exposures, values_per_item};

pub fn methods_have_known_numbers(report: &Report, seen: &mut Seen) {
    let text = report.text("methods.md").replace('\\', "");
    let study = report.folder.parent().unwrap();
    let stimuli: Value = serde_json::from_slice(&fs::read(study.join("stimuli.json")).unwrap()).unwrap();
    let mut known = Known::new();
    known.add_texts(&report.findings);
    for part in ["collected", "study", "earnings", "stopping", "exclusions"] {
        known.add_all(&report.findings[part]);
    }
    for found in report.measures() {
        known.add_all(&found["agreement"]);
        ["raters", "items", "responses"].iter().for_each(|part| known.add_all(&found[*part]));
        let raters = list(&found["estimates"]).iter().map(|one| &one["raters"]);
        raters.for_each(|raters| known.add_all(raters));
    }
    known.add_text(&fs::read_to_string(study.join("spec.yaml")).unwrap());
    // The years of sources.
    known.add_text(&report.text("references.bib"));
    let sets = stimuli_of_models(&text, &stimuli, report);
    sets.iter().for_each(|&count| known.add(count as f64));
    // The number of models, values for each item of a model, and the confidence and significance levels.
    known.add(sets.len() as f64);
    let score = &report.measures()[0];
    values_per_item(report).into_iter().for_each(|count| known.add(count as f64));
    let levels = list(&score["estimates"]).iter().filter_map(|one| one["interval"]["level"].as_f64());
    levels.take(1).for_each(|level| [level, 1.0 - level].into_iter().for_each(|one| known.add(one)));
    // Raters are told how many images of how many are generated.
    for fact in list(&report.findings["study"]["protocol"]) {
        if let (Some(generated), Some(real)) =
            (fact["value"]["generated"].as_f64(), fact["value"]["real"].as_f64())
        {
            known.add(generated + real);
        }
    }
    exposures(report).into_iter().for_each(|exposure| known.add(exposure));
    let what = format!("{}: methods", report.study);
    let count: usize = text.lines().map(|line| seen.check(line, &known, &what)).sum();
    assert!(count > 20, "{}: {count} numbers", report.study);
    facts_are_exact(report, &text);
}

/// The number of stimuli of each model, which the text names.
fn stimuli_of_models(text: &str, stimuli: &Value, report: &Report) -> Vec<usize> {
    let is_judged = |set: &&Value| set["role"] == "generated" && set["used_for"] == "main";
    let models = list(&stimuli["sets"]).iter().enumerate().filter(|(_, set)| is_judged(set));
    models
        .map(|(place, set)| {
            let count = list(&stimuli["stimuli"]).iter().filter(|one| one["set"] == place).count();
            let unit = if count == 1 { "stimulus" } else { "stimuli" };
            let told = format!("{} ({count} {unit})", set["name"].as_str().unwrap());
            assert!(text.contains(&told), "{}: {told} is missing", report.study);
            count
        })
        .collect()
}

/// Checks facts that have one place in the findings against that place.
fn facts_are_exact(report: &Report, text: &str) {
    let findings = &report.findings;
    let collected = |name: &str| findings["collected"][name].as_u64().unwrap();
    let sessions = ["sessions", "completed", "disqualified", "left"].map(collected);
    let told = ["Sessions opened: ", "; completed: ", "; disqualified: ", "; left before the end: "];
    for (start, count) in told.into_iter().zip(sessions) {
        let found = between(text, start, if start.starts_with("; left") { "." } else { ";" });
        assert_eq!(found.parse().ok(), Some(count), "{}: {start}", report.study);
    }
    let excluded = between(text, "Of the completed ones, ", " ");
    assert_eq!(excluded.parse().ok(), Some(collected("excluded")), "{}", report.study);
    let counting = collected("completed") - collected("excluded");
    assert!(text.contains(&format!("estimates are of {counting} session")), "{}", report.study);
    let (card, name) = (&findings["study"], &report.study);
    assert_eq!(between(text, "its session digest is ", ","), card["study"].as_str().unwrap(), "{name}");
    assert_eq!(between(text, "that of its stimuli ", ","), card["stimuli"].as_str().unwrap(), "{name}");
    assert_eq!(between(text, "and its seed ", ".").parse().ok(), card["seed"].as_u64(), "{name}");
    let score = &report.measures()[0];
    if let Some(level) = list(&score["estimates"]).iter().find_map(|one| one["interval"]["level"].as_f64()) {
        assert!(text.contains(&format!("Intervals are {}% intervals", 100.0 * level)), "{name}");
    }
    for coefficient in list(&score["agreement"]).iter().filter(|one| one["model"].is_null()) {
        let Some(value) = coefficient["value"].as_f64() else { continue };
        let told = format!("{}: {value:.3}", coefficient["coefficient"].as_str().unwrap()).replace('-', "−");
        assert!(text.replace('-', "−").contains(&told), "{name}: {told} is missing");
    }
}
