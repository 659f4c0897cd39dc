//! Ratings of clips: the variance of a rater's grades, gold within one grade and traps flag raters who do not look, and honest
//! ones as rarely as the book says.

use std::collections::BTreeMap;

use hype_core::{
    CheckState, Digest, Media, Role, SessionRecord, SetId, Stimuli, Stimulus, StimulusSet, Streams, Study,
    Use,
};
use hype_sim::population::{Quality, Traits};
use hype_sim::{Behaviour, Observer, Population, SyntheticRater};
use hype_tasks::questionnaires::Opinion;
use hype_tasks::tasks::rating::{Gold, Rating};
use serde_json::json;

use crate::ratings::{answered, per_item, study};
use crate::spammers_are_caught::sit;

/// Raters of each behaviour.
const RATERS: u32 = 1_000;

/// Four models of three clips each, clear clips that deserve one of the two best grades, and traps that ask for `Poor`.
fn clips() -> Stimuli {
    let media = Media::Video { width: 320, height: 240, frames: 50, duration_us: 2_000_000 };
    let mut sets: Vec<StimulusSet> =
        ["a", "b", "c", "d"].map(|name| StimulusSet::new(name, Role::Generated, Use::Main)).into();
    let gold = |name, right: &[&str]| {
        let right = right.iter().map(|&grade| grade.into()).collect();
        StimulusSet::new(name, Role::Generated, Use::Gold).with_gold([("opinion".into(), right)].into())
    };
    sets.extend([gold("clear", &["4", "5"]), gold("trap", &["2"])]);
    let clip = |number: u16| {
        let path = format!("{number}.mp4");
        Stimulus::new(SetId(number / 3), Digest::of(path.as_bytes()), path, media)
    };
    // One clear clip and one trap.
    let numbers = (0..13).chain([15]);
    Stimuli::new(sets, numbers.map(clip).collect()).unwrap()
}

fn rated() -> Study {
    let gold = Some(Gold { per_session: 2.into(), pass: 1.0 });
    let task = Rating { gold, variance_at_least: Some(0.15), ..Rating::default() };
    study(&task, &Opinion::default(), per_item(&task, RATERS), clips())
}

/// The sessions of raters of a behaviour, who judge models from poor to good.
fn sessions(study: &Study, behaviour: Behaviour) -> Vec<SessionRecord> {
    let of = |quality: f64| Observer { quality: Some(quality), ..Observer::default() };
    let observers = [("a", 0.3), ("b", 0.5), ("c", 0.6), ("d", 0.8)];
    let observers: BTreeMap<String, Observer> =
        observers.into_iter().map(|(name, quality)| (name.to_owned(), of(quality))).collect();
    let population = Population { observers, quality: Quality::default(), ..Population::default() };
    let rater = |place: u32| {
        let traits = Traits { behaviour, ..population.traits(&Streams::new(u64::from(place))) };
        SyntheticRater::new(&population, study.stimuli(), traits).unwrap()
    };
    (0..RATERS).map(|place| sit(study, place, rater(place))).collect()
}

/// The share of sessions that fail a check.
fn failing(study: &Study, sessions: &[SessionRecord], check: &str) -> f64 {
    let fails = |session: &&SessionRecord| {
        let checks = study.checks(session);
        checks.iter().find(|one| &*one.name == check).unwrap().state == CheckState::Fail
    };
    sessions.iter().filter(fails).count() as f64 / f64::from(RATERS)
}

/// A rater's grades of the twelve clips, in the order of the clips.
fn grades(session: &SessionRecord) -> Vec<f64> {
    let mut grades: Vec<_> = session
        .main_trials()
        .filter(|trial| trial.shown.stimuli[0].0 < 12)
        .map(|trial| (trial.shown.stimuli[0], trial.answer.text("opinion").unwrap().parse::<f64>().unwrap()))
        .collect();
    grades.sort_by_key(|(clip, _)| *clip);
    grades.into_iter().map(|(_, grade)| grade).collect()
}

/// The share of raters whose correlation with the means of others is under 0.75, or undefined.
fn apart(raters: &[SessionRecord], means: &[f64]) -> f64 {
    let centred = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| value - mean).collect::<Vec<f64>>()
    };
    let dot = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
    let means = centred(means);
    let correlates = |session: &&SessionRecord| {
        let own = centred(&grades(session));
        dot(&own, &means) / (dot(&own, &own) * dot(&means, &means)).sqrt() >= 0.75
    };
    1.0 - raters.iter().filter(correlates).count() as f64 / f64::from(RATERS)
}

/// The rates of docs/measured/checks.md, within four standard errors.
#[test]
fn raters_who_do_not_look_fail_and_honest_ones_rarely_do() {
    let study = rated();
    let honest = sessions(&study, Behaviour::Honest);
    let mut means = vec![0.0; 12];
    for session in &honest {
        means.iter_mut().zip(grades(session)).for_each(|(mean, grade)| *mean += grade / f64::from(RATERS));
    }
    let is_near = |what: &str, found: f64, book: f64| {
        let error = (book * (1.0 - book) / f64::from(RATERS)).sqrt();
        assert!((found - book).abs() <= 4.0 * error + 0.001, "{what}: {found}, not {book}");
    };
    for (behaviour, variance, correlation) in [
        (Behaviour::Honest, 0.0, 0.41),
        (Behaviour::Inattentive, 0.0, 0.85),
        (Behaviour::Random, 0.0, 0.997),
        (Behaviour::Constant, 1.0, 1.0),
    ] {
        let raters =
            if behaviour == Behaviour::Honest { honest.clone() } else { sessions(&study, behaviour) };
        is_near(&format!("variance, {behaviour:?}"), failing(&study, &raters, "variance"), variance);
        is_near(&format!("correlation, {behaviour:?}"), apart(&raters, &means), correlation);
        // A random grade is right for the clear clip in two of five cases, and for the trap in one.
        match behaviour {
            Behaviour::Random => is_near("gold", failing(&study, &raters, "gold"), 0.92),
            Behaviour::Constant => is_near("gold", failing(&study, &raters, "gold"), 1.0),
            _ => {}
        }
    }
}

#[test]
fn a_trap_is_a_clip_with_its_right_answer() {
    let study = rated();
    let fails = |clear: &str, trap: &str| {
        let session = answered(&study, 0, |trial, _| {
            let grade = match trial.stimuli().next().unwrap().0 {
                12 => clear,
                13 => trap,
                other => ["1", "3"][other as usize % 2],
            };
            json!({ "opinion": grade })
        });
        let checks = study.checks(&session);
        checks.iter().find(|one| &*one.name == "gold").unwrap().excludes()
    };
    assert!(!fails("4", "2") && !fails("5", "2"));
    assert!(fails("3", "2") && fails("5", "3"));
}
