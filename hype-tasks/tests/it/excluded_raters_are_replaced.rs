//! A rater excluded by a rule of the task is replaced at the same place; if no attempt is left, the
//! findings state which items have too few raters.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};

use crate::ratings::{Told, answer_with, from_yaml, per_item, study, with_set};
use hype_backends::collect_with;
use hype_core::study::backend::{Collected, Unwatched};
use hype_core::{Findings, Inputs, Raters, Role, Study, Trial, Truth, Use, analyse};
use hype_store::MemoryStore;
use hype_tasks::questionnaires::Opinion;
use hype_tasks::tasks::rating::{Gold, Rating};
use serde_json::Value;

/// Twelve images, two raters for each, six images in a session: four places.
fn made(replacements: u32) -> Study {
    let task = Rating {
        per_session: Some(6.into()),
        gold: Some(Gold { per_session: 2.into(), pass: 0.7 }),
        rest_every: None,
        ..Rating::default()
    };
    let main = hype_sim::fixtures::items(12, &["m"], &[]);
    let stimuli = with_set(&main, "gold", Role::Real, Use::Gold, 4, &[("opinion", &["5"])]);
    study(&task, &Opinion::default(), Raters { replacements, ..per_item(&task, 2) }, stimuli)
}

/// Collects from raters; some, chosen by place and attempt, miss every gold image.
fn collect(study: &Study, misses: fn(u32, u32) -> bool) -> (Collected, Findings) {
    let store = MemoryStore::new();
    let collected = collect_with(study, &store, &Unwatched, None, |wanted, _| {
        let misses = misses(wanted.place.number, wanted.attempt);
        Ok(Box::new(Told(move |trial: &Trial, _: &Truth| -> Value {
            answer_with(trial, if misses { &[] } else { &[("opinion", "5")] })
        })))
    });
    (collected.unwrap(), hype_store::block_on(analyse(study, &store)).unwrap())
}

#[test]
fn another_rater_takes_the_place() {
    let (collected, found) = collect(&made(1), |place, attempt| place < 2 && attempt == 0);
    assert_eq!((collected.completed, collected.given_up, collected.open), (4, 0, 0));
    let told = found.collected.as_ref().unwrap();
    assert_eq!((told.sessions, told.completed, told.excluded), (6, 6, 2));
    let rules: Vec<&str> = found.exclusions.iter().map(|one| &*one.rule).collect();
    assert_eq!(rules, ["gold", "gold"]);
    assert!(!found.notes.iter().any(|note| &*note.code == "short-of-raters"), "{:?}", found.notes);
    let estimate = &found.measures[0].estimates[0];
    assert_eq!((estimate.raters, estimate.responses), (4, 24));
}

#[test]
fn items_without_their_raters_are_counted() {
    let (collected, found) = collect(&made(1), |place, _| place == 3);
    assert_eq!((collected.completed, collected.given_up), (3, 1));
    let note = found.notes.iter().find(|note| &*note.code == "short-of-raters").unwrap();
    let text = "1 of the plan's 4 sessions have no rater who counts: 6 of 12 items fall short of their 2 raters, by 1 \
                at most and 6 in all";
    assert_eq!(&*note.text, text);
}

#[test]
fn units_are_what_raters_are_counted_by() {
    for (task, units) in [
        ("{ kind: rating, per_session: 7 }", 36),
        ("{ kind: contrast, per_session: 5 }", 36),
        ("{ kind: ranking, per_session: 5, models_per_trial: 2 }", 12),
        ("{ kind: best_of, per_session: 5 }", 12),
    ] {
        let sets = "a: { role: generated, images: a/* }, b: { role: generated, images: b/* }";
        let text = format!(
            "stimuli: {{ {sets}, c: {{ role: generated, images: c/* }} }}\ntask: {task}\nraters: {{ per_item: 3 }}\n"
        );
        let study = from_yaml(&text, hype_sim::fixtures::items(12, &["a", "b", "c"], &[]));
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        for number in 0..study.places() {
            let place = study.place(number);
            let (design, study_chance) = (study.design(), study.chance());
            let inputs = Inputs::new(design, &place, study_chance);
            let own = study.task().by_item().unwrap().units(&inputs);
            assert_eq!(own.iter().collect::<BTreeSet<_>>().len(), own.len(), "{task}: a unit comes twice");
            own.into_iter().for_each(|unit| *counts.entry(unit).or_default() += 1);
        }
        assert_eq!(counts.len(), units, "{task}");
        assert!(counts.values().all(|count| (3..=4).contains(count)), "{task}: {counts:?}");
    }
}
