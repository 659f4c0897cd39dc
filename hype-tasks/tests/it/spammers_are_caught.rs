//! Gold comparisons and repeats catch raters who do not look, each kind as often as computed, and flag honest raters as often
//! as computed; what they show and where they come; that they count nowhere.
//!
//! Seeds are fixed. Bounds of four standard errors would fail once in 16,000 comparisons with other seeds.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};

use hype_core::model::findings::CheckFindings;
use hype_core::model::record::Answered;
use hype_core::plugin::rubric::Scoring;
use hype_core::protocol::speed::SpeedRule;
use hype_core::study::session::Accepted;
use hype_core::{
    Check, CheckState, Consequence, Phase, Rater as _, Raters, Response, Role, ScoreTable, Session,
    SessionRecord, Step, Stimuli, Streams, Study, TaskSpec, Timing, Use,
};
use hype_sim::fixtures::{SetOf, sets};
use hype_sim::population::{Quality, Traits};
use hype_sim::{Behaviour, Observer, Population, SyntheticRater};
use hype_tasks::tasks::contrast::PairSelection;
use hype_tasks::{BestOf, Contrast, GoldComparisons, Ranking, RepeatedComparisons};

use crate::proof::sized;
use crate::side_by_side::study;

/// The noise of answers; differences in quality are multiples of it.
const NOISE: f64 = 0.2;

/// Two or three models, originals, and blank images.
fn stimuli(models: &[&'static str]) -> Stimuli {
    let generated = |&name| SetOf { name, role: Role::Generated, used_for: Use::Main, size: 60 };
    let mut all: Vec<SetOf<'_>> = models.iter().map(generated).collect();
    all.push(SetOf { name: "original", role: Role::Real, used_for: Use::Gold, size: 14 });
    all.push(SetOf { name: "blank", role: Role::Generated, used_for: Use::Gold, size: 2 });
    sets(&all)
}

fn gold() -> GoldComparisons {
    GoldComparisons::new("original", "blank")
}

fn contrast() -> Contrast {
    Contrast {
        per_session: 20.into(),
        gold: Some(gold()),
        repeats: Some(RepeatedComparisons::default()),
        ..Contrast::default()
    }
}

fn with_raters(task: &dyn TaskSpec, stimuli: Stimuli, per_item: u32) -> Study {
    let speed = Some(SpeedRule::default());
    study(task, stimuli, Raters { per_item: Some(per_item), speed, ..task.defaults().raters }, 18)
}

/// Model `a` is better than the others by `lead`, and originals are better than blanks by `gold`, in units of the noise.
fn population(lead: f64, gold: f64) -> Population {
    let of = |quality: f64| Observer { quality: Some(quality), ..Observer::default() };
    let observers = BTreeMap::from([
        ("a".to_owned(), of(0.3 + lead * NOISE)),
        ("blank".to_owned(), of(0.9 - gold * NOISE)),
    ]);
    let quality =
        Quality { reals: 0.9, trial_sd: NOISE, rater_sd: 0.0, indifference: 0.0, ..Quality::default() };
    Population { observers, default_observer: of(0.3), quality, ..Population::default() }
}

/// A rater of a population with a behaviour; constant ones choose by `habit`.
fn rater(population: &Population, stimuli: &Stimuli, behaviour: Behaviour, habit: f64) -> SyntheticRater {
    let traits = Traits { behaviour, difficulty: 0.0, leniency: 0.0, habit };
    SyntheticRater::new(population, stimuli, traits).unwrap()
}

/// One session.
pub(super) fn sit(study: &Study, place: u32, mut rater: SyntheticRater) -> SessionRecord {
    let mut chance = Streams::new(u64::from(place)).stream("answers");
    let (mut session, mut log) = Session::open(study, &format!("r{place}"), place, 0).unwrap();
    while let Step::Show(trial) = session.step().clone() {
        let Response::Answer { answer, rt } = rater.respond(&trial, session.truth(), &mut chance) else {
            panic!("left")
        };
        let timing = Timing { rt, ..Timing::default() };
        let Accepted::Recorded(recorded) = session.handle_answer(trial.number, answer, timing).unwrap()
        else {
            panic!("repeated")
        };
        log.extend(recorded.into_events());
    }
    SessionRecord::from_events(log).unwrap()
}

/// The share of sessions in each state of a check, by the check's name.
fn states(study: &Study, of: impl Fn() -> SyntheticRater, sessions: u32) -> BTreeMap<String, [f64; 3]> {
    let mut states: BTreeMap<String, [f64; 3]> = BTreeMap::new();
    for place in 0..sessions {
        for Check { name, state, .. } in study.checks(&sit(study, place, of())) {
            let place = match state {
                CheckState::Pass => 0,
                CheckState::Fail => 1,
                CheckState::Unclear => 2,
            };
            states.entry(name.to_string()).or_default()[place] += 1.0 / f64::from(sessions);
        }
    }
    states
}

#[track_caller]
fn is_near(what: &str, found: f64, expected: f64, sessions: u32) {
    let error = (expected * (1.0 - expected) / f64::from(sessions)).sqrt();
    assert!((found - expected).abs() <= 4.0 * error + 1e-9, "{what}: {found}, not {expected} ± {error}");
}

/// The probability that sides fail if each of `of` repeated comparisons has the same side twice with this probability, either
/// side as likely: the sum over all outcomes, term by term.
fn sides_failing(of: u32, same_side: f64) -> f64 {
    let ways = |n: u32, k: u32| (0..k).fold(1.0, |ways, i| ways * f64::from(n - i) / f64::from(i + 1));
    let all_on_one = |n: u32| 2.0 * 0.5_f64.powi(n as i32);
    (0..=of)
        .map(|n| {
            let happens = ways(of, n) * same_side.powi(n as i32) * (1.0 - same_side).powi((of - n) as i32);
            // Counts from the outside, as long as both tails together are no more than one in twenty.
            let mut tail = 0.0;
            let mut failing = 0.0;
            for k in 0..n.div_ceil(2) {
                tail += ways(n, k) * all_on_one(n);
                if tail <= 0.05 {
                    failing = tail;
                }
            }
            happens * failing
        })
        .sum()
}

#[test]
fn spammers_of_pairs_are_caught_and_honest_raters_flagged_as_often_as_computed() {
    let sessions = sized(600, 30_000);
    let (stimuli, task) = (stimuli(&["a", "b"]), contrast());
    let study = with_raters(&task, stimuli.clone(), sessions / 3);
    let (gold, repeats) = (task.gold.unwrap(), task.repeats.unwrap());
    // Right on 95 % of gold comparisons; a is preferred to b in nine of ten.
    let population = population(9.0_f64.ln(), 19.0_f64.ln());
    let of = |behaviour, habit| states(&study, || rater(&population, &stimuli, behaviour, habit), sessions);
    for (what, behaviour, right, same) in [
        ("honest", Behaviour::Honest, 0.95, 0.82),
        ("random", Behaviour::Random, 0.5, 0.5),
        // Where gold and repeats come is drawn, and which side wins: sides in turn are as good as a guess.
        ("alternating", Behaviour::Alternating, 0.5, 0.5),
    ] {
        let found = of(behaviour, 0.0);
        is_near(&format!("gold fails {what}"), found["gold"][1], gold.failing_at(2, right), sessions);
        is_near(&format!("gold passes {what}"), found["gold"][0], gold.passing_at(2, right), sessions);
        is_near(&format!("repeats fail {what}"), found["repeats"][1], repeats.failing_at(2, same), sessions);
        is_near(&format!("repeats pass {what}"), found["repeats"][0], repeats.passing_at(2, same), sessions);
        is_near(&format!("sides fail {what}"), found["sides"][1], sides_failing(8, 1.0 - same), sessions);
        let slow_enough = f64::from(u8::from(behaviour == Behaviour::Honest));
        is_near(&format!("speed passes {what}"), found["speed"][0], slow_enough, sessions);
    }
    // Half of the winners of gold are on either side, and no image keeps its side: always choosing one fails for certain.
    for habit in [0.0, 0.9] {
        let found = of(Behaviour::Constant, habit);
        for check in ["gold", "repeats", "sides"] {
            is_near(check, found[check][1], 1.0, sessions);
        }
    }
    // Programs that see what people see pass, but for their speed.
    let found = of(Behaviour::Bot, 0.0);
    let passed = ["gold", "repeats", "sides", "speed"].map(|check| found[check][0].round());
    assert_eq!(passed, [1.0, 1.0, 1.0, 0.0]);
}

#[test]
fn raters_who_always_say_equal_fail_gold_alone() {
    let stimuli = stimuli(&["a", "b"]);
    let study = with_raters(&Contrast { tie: true, ..contrast() }, stimuli.clone(), 20);
    let found = states(&study, || rater(&population(1.0, 3.0), &stimuli, Behaviour::Constant, 0.9), 60);
    is_near("gold", found["gold"][1], 1.0, 60);
    is_near("repeats", found["repeats"][2], 1.0, 60);
    is_near("sides", found["sides"][2], 1.0, 60);
}

#[test]
fn spammers_of_choices_and_orders_are_caught_as_often_as_computed() {
    let sessions = sized(300, 15_000);
    let stimuli = stimuli(&["a", "b", "c"]);
    let (gold, repeats) = (Some(gold()), Some(RepeatedComparisons::default()));
    let best_of =
        BestOf { per_session: 20.into(), gold: gold.clone(), repeats: repeats.clone(), ..BestOf::default() };
    let ranking =
        Ranking { per_session: 20.into(), ties: false, gold: gold.clone(), repeats, ..Ranking::default() };
    let (gold, repeats) = (gold.unwrap(), RepeatedComparisons::default());
    // The winner among three has 38 times the odds of either other on gold; a has nine times those of b and of c.
    let population = population(9.0_f64.ln(), 38.0_f64.ln());
    let same = (81.0 + 1.0 + 1.0) / (11.0 * 11.0);
    for task in [&best_of as &dyn TaskSpec, &ranking] {
        let study = with_raters(task, stimuli.clone(), sessions / 3);
        let of =
            |behaviour, habit| states(&study, || rater(&population, &stimuli, behaviour, habit), sessions);
        for (what, behaviour, right, same) in [
            ("honest", Behaviour::Honest, 38.0 / 40.0, same),
            ("random", Behaviour::Random, 1.0 / 3.0, 1.0 / 3.0),
        ] {
            let found = of(behaviour, 0.0);
            is_near(&format!("gold fails {what}"), found["gold"][1], gold.failing_at(3, right), sessions);
            is_near(
                &format!("repeats fail {what}"),
                found["repeats"][1],
                repeats.failing_at(3, same),
                sessions,
            );
            is_near(
                &format!("repeats pass {what}"),
                found["repeats"][0],
                repeats.passing_at(3, same),
                sessions,
            );
        }
        let found = of(Behaviour::Constant, 0.4);
        assert_eq!((found["gold"][1].round(), found["repeats"][1].round()), (1.0, 1.0));
        assert!(!found.contains_key("sides"));
    }
}

fn of_phase(record: &SessionRecord, phase: Phase) -> Vec<&Answered> {
    record.trials.iter().filter(|trial| trial.shown.phase == phase).collect()
}

#[test]
fn gold_and_repeats_come_as_declared_and_count_nowhere() {
    let stimuli = stimuli(&["a", "b"]);
    let with = contrast();
    for pairs in [PairSelection::Balanced, PairSelection::Active] {
        let with = Contrast { pairs, ..with.clone() };
        let plain = Contrast { gold: None, repeats: None, ..with.clone() };
        let (study, before) =
            (with_raters(&with, stimuli.clone(), 6), with_raters(&plain, stimuli.clone(), 6));
        for place in 0..study.places() {
            // One who always chooses the first: answers do not depend on chance.
            let of = || rater(&population(1.0, 3.0), &stimuli, Behaviour::Constant, 0.0);
            let (record, same) = (sit(&study, place, of()), sit(&before, place, of()));
            let [main, gold, repeats] =
                [Phase::Main, Phase::Gold, Phase::Repeat].map(|phase| of_phase(&record, phase));
            assert_eq!((main.len(), gold.len(), repeats.len()), (20, 10, 8));
            // Trials that count are the same as without them: the same pairs, sides and scores.
            let shown = |record: &SessionRecord| -> Vec<_> {
                record.main_trials().map(|trial| trial.shown.stimuli.clone()).collect()
            };
            assert_eq!(shown(&record), shown(&same));
            assert_eq!(scores(&study, &record), scores(&before, &same));
            let mut left = 0;
            let mut seen = BTreeSet::new();
            for trial in gold {
                let names: Vec<&str> =
                    trial.shown.stimuli.iter().map(|&id| &*stimuli.set_of(id).unwrap().name).collect();
                assert!(names.contains(&"original") && names.contains(&"blank"), "{names:?}");
                left += u32::from(names[0] == "original");
                assert_eq!(trial.correct, Some(names[0] == "original"));
                let winner = usize::from(names[0] != "original");
                assert!(seen.insert(trial.shown.stimuli[winner]), "a winner twice");
            }
            assert_eq!(left, 5);
            for trial in repeats {
                let mut exchanged = trial.shown.stimuli.clone();
                exchanged.reverse();
                let first = record.main_trials().find(|first| first.shown.stimuli == exchanged).unwrap();
                assert!(trial.trial > first.trial + 5, "{} repeats {}", trial.trial, first.trial);
                assert_eq!(trial.correct, None);
            }
        }
    }
}

fn scores(study: &Study, record: &SessionRecord) -> Vec<(String, String, f64)> {
    let mut table = ScoreTable::default();
    let context: Scoring<'_> = study.scoring();
    study.rubric().score(record, &context, &mut table).unwrap();
    table.rows().map(|row| (row.model.to_owned(), row.against.to_owned(), row.value)).collect()
}

#[test]
fn findings_have_the_share_of_every_rater() {
    let stimuli = stimuli(&["a", "b"]);
    let study = with_raters(&contrast(), stimuli.clone(), 3);
    let mut found: Vec<CheckFindings> = Vec::new();
    for place in 0..4 {
        let record = sit(&study, place, rater(&population(1.0, 3.0), &stimuli, Behaviour::Constant, 0.0));
        CheckFindings::add(&mut found, &record.header.rater, study.checks(&record));
    }
    let of = |name: &str| found.iter().find(|check| &*check.name == name).unwrap();
    assert_eq!((of("gold").consequence, of("sides").consequence), (Consequence::Exclude, Consequence::Flag));
    for (name, count, of_trials) in [("gold", 5, 10), ("repeats", 0, 8), ("sides", 8, 8)] {
        let shares = &of(name).shares;
        assert_eq!(shares.len(), 4, "{name}");
        for share in shares {
            assert_eq!((share.share.count, share.share.of), (count, of_trials), "{name}");
        }
    }
    // Clopper and Pearson for eight of eight: 0.025^(1/8) to 1.
    let [low, high] = of("sides").shares[0].share.interval.unwrap();
    assert!((low - 0.025_f64.powf(0.125)).abs() < 1e-9 && (high - 1.0).abs() < 1e-12, "{low} {high}");
    assert!(of("speed").shares.is_empty());
}
