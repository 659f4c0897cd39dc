//! Studies end where their stopping rule says, in whatever order raters finish and whenever the program was interrupted.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

use hype_analyses::stopping::{BettingRule, SpendingKind, SpendingRule, Until, WidthRule};
use hype_backends::{collect_with, simulate};
use hype_core::model::findings::{StoppingFindings, StoppingLook};
use hype_core::model::record::{Ending, Erased, Outcome};
use hype_core::model::score::{Direction, Measure};
use hype_core::plugin::store::all_sessions;
use hype_core::study::backend::{Unwatched, Watch};
use hype_core::study::stopping::Looks;
use hype_core::{
    Cohort, CohortError, Event, Findings, Rater, RaterDesign, Raters, SessionRecord, Spec, StoppingPlan,
    StoppingRule, StoppingSpec, StoreExt as _, Stream, Streams, Study, Wanted, analyse,
};
use hype_sim::{Population, fixtures};
use hype_store::MemoryStore;
use hype_store::block_on;
use hype_tasks::HypeInfinity;
use serde_json::json;

fn plan(models: usize, is_paired: bool, planned: u32) -> StoppingPlan {
    StoppingPlan {
        models: (0..models).map(|model| format!("m{model}").into()).collect(),
        is_paired,
        planned,
        measure: Measure::new("fooled", "fooled", "proportion", Direction::Higher),
    }
}

/// Values of models by turn.
fn values(models: &[Vec<f64>]) -> Vec<Vec<(u32, f64)>> {
    models.iter().map(|values| (0..).zip(values.iter().copied()).collect()).collect()
}

fn boundaries(rule: &SpendingRule, models: usize) -> Vec<f64> {
    let looks = rule.decide(&plan(models, false, 120), &values(&vec![Vec::new(); models]), 0);
    assert!(looks.iter().all(|look| !look.taken && !look.stops && look.tests.is_empty()));
    looks.iter().map(|look| look.boundary.unwrap()).collect()
}

#[track_caller]
fn near(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    assert!(
        got.iter().zip(want).all(|(got, want)| (got - want).abs() <= tolerance),
        "{got:?}, want {want:?}"
    );
}

/// The tables of Jennison and Turnbull for equally spaced looks, and independent computations for the default's.
#[test]
fn boundaries_belong_to_the_declared_looks() {
    let even = SpendingRule { looks: vec![24, 48, 72, 96, 120], ..SpendingRule::default() };
    near(&boundaries(&even, 2), &[4.8769, 3.3570, 2.6803, 2.2898, 2.0310], 6e-5);
    let pocock = SpendingRule { spend: SpendingKind::Pocock, ..even.clone() };
    near(&boundaries(&pocock, 2), &[2.4380, 2.4268, 2.4102, 2.3966, 2.3860], 6e-5);
    let default = boundaries(&SpendingRule::default(), 2);
    assert!((default[0] - 5.367).abs() < 6e-4, "{default:?}");
    // Three pairs share the level at first: the last boundary is above that of a single test at 0.05 / 3.
    let three = boundaries(&even, 3);
    assert!(three.iter().zip(boundaries(&even, 2)).all(|(three, two)| *three > two), "{three:?}");
    assert!(three[4] > 2.3939 && three[4] < 2.47, "{three:?}");
}

/// Normal scores without chance: the quantiles of a normal distribution in a scattered order, around a mean.
fn scores(count: u32, mean: f64, shift: u32) -> Vec<f64> {
    (0..count)
        .map(|place| {
            let at = (f64::from(place * 7 + shift) * 0.618_033_988_749_894_9).fract();
            mean + hype_stats::distributions::normal_quantile(at.clamp(0.001, 0.999)).unwrap()
        })
        .collect()
}

#[test]
fn decided_pairs_leave_their_share_of_the_level_to_the_others() {
    let models = [scores(120, 3.0, 1), scores(120, 0.6, 2), scores(120, 0.0, 3)];
    let rule = SpendingRule { until: Until::AllPairs, ..SpendingRule::default() };
    let looks = rule.decide(&plan(3, false, 120), &values(&models), 120);
    let first = &looks[0];
    assert!(first.taken && !first.stops);
    let decided: Vec<bool> = first.tests.iter().map(|test| test.decided).collect();
    assert_eq!(decided, [true, true, false], "{first:?}");
    // One pair is left, which is compared with the boundaries of the whole level.
    let whole = boundaries(&rule, 2);
    assert_eq!(first.tests[2].boundary, Some(whole[0]));
    let stop = looks.iter().position(|look| look.stops).unwrap();
    let last = &looks[stop].tests[2];
    assert!(last.statistic.unwrap() >= whole[stop] && last.p.unwrap() < 0.05, "{last:?}");
    assert!(looks[stop..].iter().skip(1).all(|look| !look.taken));
    // Some pair, and all models together, are decided at the first look.
    for until in [Until::Pair, Until::Omnibus] {
        let looks =
            SpendingRule { until, ..rule.clone() }.decide(&plan(3, false, 120), &values(&models), 120);
        assert!(looks[0].stops, "{until:?}");
    }
    // The interval of a difference holds for all looks and pairs, and excludes 0 where the pair was decided at once.
    let interval = first.tests[0].interval.as_ref().unwrap();
    assert!(interval.low > 0.0 && interval.high > 2.4, "{interval:?}");
    let margin = 0.5 * (interval.high - interval.low);
    assert!((0.5 * (interval.high + interval.low) - first.tests[0].estimate.unwrap()).abs() < 1e-12);
    assert!(margin > boundaries(&rule, 3)[0] * (2.0_f64 / 20.0).sqrt() * 0.8, "{margin}");
}

#[test]
fn the_error_that_is_spent_ends_at_the_level() {
    for (models, until) in [(2, Until::AllPairs), (4, Until::Pair), (4, Until::Omnibus)] {
        let rule = SpendingRule { until, ..SpendingRule::default() };
        let looks = rule.decide(&plan(models, true, 120), &values(&vec![Vec::new(); models]), 0);
        let spent: Vec<f64> = looks.iter().map(|look| look.spent.unwrap()).collect();
        assert!(spent.is_sorted() && (spent[4] - 0.05).abs() < 1e-9, "{spent:?}");
    }
}

/// Raters who judge every model are compared with themselves.
#[test]
fn raters_who_judge_all_models_are_paired() {
    let raters = scores(60, 0.0, 5);
    let models: Vec<Vec<f64>> = [0.0, 0.2]
        .iter()
        .map(|gain| {
            raters.iter().zip(scores(60, 0.0, 9)).map(|(a, b)| 5.0 * a + gain * (1.0 + 0.2 * b)).collect()
        })
        .collect();
    let rule = SpendingRule { looks: vec![20, 40, 60], ..SpendingRule::default() };
    let paired = rule.decide(&plan(2, true, 60), &values(&models), 60);
    assert!(paired[0].stops, "{paired:?}");
    let independent = rule.decide(&plan(2, false, 60), &values(&models), 60);
    assert!(independent.iter().all(|look| look.taken && !look.stops));
}

/// confseq's half-width at 30 values with the standard deviation 1 is 0.5541508.
#[test]
fn widths_match_the_confidence_sequence() {
    let sd = (29.0_f64 / 30.0).sqrt();
    let values = values(&[(0..60).map(|place| if place % 2 == 0 { sd } else { -sd }).collect()]);
    let rule = WidthRule { at_most: 1.2, ..WidthRule::new(1.2) };
    let looks = rule.decide(&plan(1, false, 120), &values, 60);
    assert_eq!(looks.iter().map(|look| look.raters).collect::<Vec<_>>()[..3], [20, 30, 40]);
    let width = looks[1].tests[0].statistic.unwrap();
    assert!((width - 2.0 * 0.554_150_8).abs() < 1e-6, "{width}");
    assert!(looks[1].stops && !looks[2].taken);
    // Two models share the error.
    let two = rule.decide(&plan(2, false, 120), &[values[0].clone(), values[0].clone()], 60);
    assert!(two[1].tests[0].statistic.unwrap() > width);
}

#[test]
fn bets_are_on_differences_of_raters_in_turn() {
    let better = (0..120).map(|place| if place % 4 == 0 { 0.6 } else { 0.9 }).collect();
    let worse = (0..120).map(|place| if place % 3 == 0 { 0.5 } else { 0.2 }).collect();
    let rule = BettingRule { until: Until::Pair, ..BettingRule::default() };
    let looks = rule.decide(&plan(2, false, 120), &values(&[better, worse]), 120);
    let stop = looks.iter().find(|look| look.stops).unwrap();
    let test = &stop.tests[0];
    assert!((test.boundary.unwrap() - 20.0).abs() < 1e-9);
    assert!(test.statistic.unwrap() >= 20.0 && test.p.unwrap() <= 0.05);
    let interval = test.interval.as_ref().unwrap();
    assert!(interval.low > 0.0 && interval.high > test.estimate.unwrap(), "{test:?}");
    // The look before had less evidence, and an interval with 0 in it.
    let before = looks.iter().take_while(|look| !look.stops).last();
    assert!(before.is_none_or(|look| look.tests[0].interval.as_ref().unwrap().low <= 0.0));
}

/// A study of two models, one of them far easier to tell from real images.
fn study(rule: impl StoppingSpec, design: RaterDesign, replacements: u32) -> Study {
    let task = HypeInfinity { generated: 8.into(), real: 8.into() };
    let mut spec = Spec::new("stops", 4, Box::new(task));
    let raters = Raters { per_model: 30, design, replacements, qualification: None, ..Raters::default() };
    spec = spec.with_raters(raters);
    spec.collection.stopping = Some(Box::new(rule));
    Study::new(spec, fixtures::stimuli(40, &[("good", 40), ("weak", 40)])).unwrap()
}

fn population(weak: f64, dropout: f64) -> Population {
    let observer = |fakes: f64| json!({ "untimed": { "fakes_error": fakes, "reals_error": 0.3 } });
    let observers = json!({ "good": observer(0.6), "weak": observer(weak) });
    serde_json::from_value(json!({ "observers": observers, "dropout": dropout })).unwrap()
}

fn spending() -> SpendingRule {
    SpendingRule { looks: vec![10, 16, 22, 30], ..SpendingRule::default() }
}

fn raters_of(
    population: &Population,
) -> impl Fn(&Wanted<'_>, &Streams) -> Result<Box<dyn Rater>, CohortError> + Sync {
    move |wanted, chance| Cohort::rater(population, wanted, chance)
}

fn collected(study: &Study, population: &Population, threads: usize) -> (MemoryStore, Findings) {
    let store = MemoryStore::new();
    collect_with(study, &store, &Unwatched, NonZeroUsize::new(threads), raters_of(population)).unwrap();
    let found = block_on(analyse(study, &store)).unwrap();
    (store, found)
}

fn records(store: &MemoryStore) -> Vec<SessionRecord> {
    let sessions = block_on(all_sessions(store)).unwrap();
    sessions
        .iter()
        .map(|name| SessionRecord::from_events(block_on(store.load(name)).unwrap()).unwrap())
        .collect()
}

#[test]
fn a_study_ends_at_the_look_that_decides() {
    let study = study(spending(), RaterDesign::Between, 20);
    let (store, found) = collected(&study, &population(0.1, 0.0), 1);
    let stopping = found.stopping.clone().unwrap();
    let at = stopping.stopped_at.unwrap();
    assert!(at < 30, "{stopping:?}");
    assert_eq!((stopping.per_model, stopping.planned, stopping.beyond), (true, 30, 0));
    assert_eq!(records(&store).len() as u32, 2 * at);
    assert_eq!(found.measures[0].estimates[0].raters, u64::from(at));
    assert_eq!(stopping.rule["kind"], "spending");
    let note = found.notes.iter().find(|note| &*note.code == "stopped").unwrap();
    assert!(note.text.contains(&format!("{at} raters of each model")), "{}", note.text);
    assert!(!found.notes.iter().any(|note| &*note.code == "peeked"));
    // Sessions that are scored as they end give the same.
    let mut passed = Looks::begin(&study).unwrap();
    let population = population(0.1, 0.0);
    let counts = simulate(&study, &Unwatched, None, raters_of(&population), |session| {
        passed.add(&session.record).unwrap();
        true
    });
    assert_eq!(counts.unwrap().open, 60 - 2 * at);
    assert_eq!(passed.findings(), stopping);
}

#[test]
fn equal_models_are_collected_to_the_end() {
    let study = study(spending(), RaterDesign::Within, 20);
    let (store, found) = collected(&study, &population(0.6, 0.0), 2);
    let stopping = found.stopping.unwrap();
    assert_eq!((stopping.stopped_at, stopping.looks.len(), stopping.taken().count()), (None, 4, 4));
    assert_eq!(records(&store).len(), 30);
    assert!(!stopping.per_model && !found.notes.iter().any(|note| &*note.code == "stopped"));
}

/// Raters leave, are replaced, and give places up; workers finish in any order.
#[test]
fn any_number_of_workers_collects_the_same_sessions() {
    for (weak, replacements) in [(0.1, 20), (0.1, 0), (0.5, 1)] {
        let study = study(spending(), RaterDesign::Between, replacements);
        let population = population(weak, 0.02);
        let (store, expected) = collected(&study, &population, 1);
        for threads in [2, 5] {
            let (other, found) = collected(&study, &population, threads);
            assert_eq!(found, expected);
            assert_eq!(records(&other), records(&store));
        }
        let sessions = records(&store);
        assert!(sessions.iter().any(|record| !record.is_complete()), "no rater left");
    }
}

fn of(study: &Study, records: &[&SessionRecord]) -> StoppingFindings {
    let mut looks = Looks::begin(study).unwrap();
    for record in records {
        looks.add(record).unwrap();
        // Asking in between changes nothing.
        looks.stopped_at();
    }
    looks.findings()
}

/// Decisions depend on places, not on the order in which their raters finish.
#[test]
fn the_order_of_finishing_changes_nothing() {
    let study = study(spending(), RaterDesign::Between, 20);
    // All places are filled, as a server would that gave them out before the first look.
    let everyone = {
        let mut spec = study.spec().clone();
        spec.collection.stopping = None;
        Study::new(spec, study.stimuli().clone()).unwrap()
    };
    let (store, _) = collected(&everyone, &population(0.1, 0.02), 1);
    let records = records(&store);
    let in_order: Vec<&SessionRecord> = records.iter().collect();
    let expected = of(&study, &in_order);
    let at = expected.stopped_at.unwrap();
    assert!(at < 30 && expected.beyond == 60 - 2 * at, "{expected:?}");
    let mut chance: Stream = Streams::new(5).stream("order");
    for _ in 0..20 {
        let mut mixed = in_order.clone();
        chance.shuffle(&mut mixed);
        assert_eq!(of(&study, &mixed), expected);
    }
    // A look is not taken before the raters of all its places have finished, however many others have.
    let without_first: Vec<&SessionRecord> =
        in_order.iter().copied().filter(|record| record.header.place.number != 3).collect();
    let waiting = of(&study, &without_first);
    assert_eq!((waiting.taken().count(), waiting.stopped_at), (0, None));
    // With some of the later raters, the same decision, and fewer raters beyond it.
    let some: Vec<&SessionRecord> =
        in_order.iter().copied().filter(|record| record.header.place.number < 2 * at + 3).collect();
    assert_eq!(of(&study, &some), StoppingFindings { beyond: 3, ..expected });
}

/// Stops after a number of events.
struct After(AtomicU64);

impl Watch for After {
    fn acknowledged(&self, _: &str, _: u64) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    }

    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// A collection that is stopped after any session and resumed collects what an uninterrupted one does.
#[test]
fn interruptions_change_no_decision() {
    let study = study(spending(), RaterDesign::Between, 20);
    let population = population(0.1, 0.02);
    let (store, expected) = collected(&study, &population, 1);
    for after in [1, 7, 18, 20, 21, 31, 33] {
        let resumed = MemoryStore::new();
        let watch = After(AtomicU64::new(after));
        collect_with(&study, &resumed, &watch, NonZeroUsize::new(2), raters_of(&population)).unwrap();
        collect_with(&study, &resumed, &Unwatched, NonZeroUsize::new(2), raters_of(&population)).unwrap();
        assert_eq!(block_on(analyse(&study, &resumed)).unwrap(), expected, "after {after}");
        assert_eq!(records(&resumed), records(&store), "after {after}");
    }
}

/// A session whose log is cut anywhere counts only once it has ended.
#[test]
fn sessions_count_when_they_have_ended() {
    let study = study(spending(), RaterDesign::Between, 20);
    let (store, found) = collected(&study, &population(0.1, 0.0), 1);
    let expected = found.stopping.unwrap();
    let sessions = block_on(all_sessions(&store)).unwrap();
    let log: Vec<Event> = block_on(store.load(&sessions[2])).unwrap();
    for length in 1..=log.len() {
        let cut = SessionRecord::from_events(log[..length].to_vec()).unwrap();
        let all = records(&store);
        let all: Vec<&SessionRecord> =
            all.iter().map(|record| if record.header == cut.header { &cut } else { record }).collect();
        let found = of(&study, &all);
        if length == log.len() {
            assert_eq!(found, expected);
        } else {
            assert_eq!(found.taken().count(), 0, "{length}");
        }
    }
}

/// A place is given up only after raters who answered trials: the looks count those alone.
#[test]
fn raters_who_answer_less_than_a_fifth_settle_no_place() {
    let study = study(spending(), RaterDesign::Between, 0);
    let (store, found) = collected(&study, &population(0.1, 0.0), 1);
    let expected = found.stopping.unwrap();
    let all = records(&store);
    let emptied = |answers: u32, is_erased: bool| {
        let mut record = all[1].clone();
        let ending = Some(Ending::Left);
        record.trials.truncate(if is_erased { 0 } else { answers as usize });
        record.outcome = record.outcome.map(|outcome| Outcome { ending: Ending::Left, ..outcome });
        record.erased =
            is_erased.then_some(Erased { unix_ms: 0, answers, ending, earned: None, filled: false });
        record
    };
    let found = |ended: &SessionRecord| {
        let others = all.iter().filter(|record| record.header.place != all[1].header.place);
        of(&study, &others.chain([ended]).collect::<Vec<_>>())
    };
    let fifth = study.trials_at_most().div_ceil(5);
    for is_erased in [false, true] {
        for answers in [0, 1, fifth - 1] {
            let looks = found(&emptied(answers, is_erased)).taken().count();
            assert_eq!(looks, 0, "the place is still open after {answers} of {fifth}");
        }
        assert!(found(&emptied(fifth, is_erased)).taken().count() > 0, "the place is given up");
    }
    assert_eq!(found(&all[1]), expected);
}

#[test]
fn open_places_without_a_rule_are_a_warning() {
    let study = {
        let with = study(spending(), RaterDesign::Between, 20);
        let mut spec = with.spec().clone();
        spec.collection.stopping = None;
        Study::new(spec, with.stimuli().clone()).unwrap()
    };
    let store = MemoryStore::new();
    let watch = After(AtomicU64::new(40));
    collect_with(&study, &store, &watch, NonZeroUsize::new(1), raters_of(&population(0.1, 0.0))).unwrap();
    let warned = |store: &MemoryStore| {
        let found = block_on(analyse(&study, store)).unwrap();
        found.notes.iter().find(|note| &*note.code == "peeked").map(|note| note.text.to_string())
    };
    let text = warned(&store).unwrap();
    assert!(text.starts_with("20 places of the plan are open") && text.contains("21% of studies"), "{text}");
    collect_with(&study, &store, &Unwatched, None, raters_of(&population(0.1, 0.0))).unwrap();
    assert_eq!(warned(&store), None);
}

/// The faults of a rule, by their paths and codes.
fn faults(yaml: &str, per_model: u32, models: &[(&str, u32)]) -> Vec<(String, &'static str)> {
    let document = hype_core::yaml::Document::parse(yaml).unwrap();
    let mut at = hype_core::Diagnostics::new();
    let rule: Option<Box<dyn StoppingSpec>> = document.root().read_collecting(&mut at);
    let mut found: Vec<(String, &'static str)> =
        at.iter().map(|one| (format!("stopping.{}", one.path), one.code)).collect();
    let Some(rule) = rule else { return found };
    let mut spec = Spec::new("faults", 1, Box::new(HypeInfinity::default()));
    spec = spec.with_raters(Raters { per_model, qualification: None, ..Raters::default() });
    spec.collection.stopping = Some(rule);
    let checked = spec.check(&fixtures::stimuli(120, models));
    found.extend(
        checked.iter().filter(|one| one.path.starts_with("stopping")).map(|one| (one.path.clone(), one.code)),
    );
    found
}

#[test]
fn faults_are_reported_together() {
    let two = [("a", 120), ("b", 120)];
    let all = faults("{ kind: spending, looks: [1, 20, 15, 140], level: 2, measure: speed }", 120, &two);
    let all: Vec<(&str, &str)> = all.iter().map(|(path, code)| (&**path, *code)).collect();
    let expected = [
        ("stopping.level", "out-of-range"),
        ("stopping.measure", "unknown-measure"),
        ("stopping.looks[0]", "too-few-raters"),
        ("stopping.looks[2]", "not-increasing"),
        ("stopping.looks[3]", "beyond-places"),
    ];
    assert_eq!(all, expected);
    let codes = |yaml: &str, per_model: u32, models: &[(&str, u32)]| -> Vec<&'static str> {
        faults(yaml, per_model, models).into_iter().map(|(_, code)| code).collect()
    };
    assert_eq!(codes("{ kind: spending }", 120, &two), [""; 0]);
    assert_eq!(codes("{ kind: spending }", 60, &two), ["beyond-places"; 2]);
    assert_eq!(codes("{ kind: spending, looks: [20, 40] }", 60, &two), ["raters-after-looks"]);
    assert_eq!(codes("{ kind: spending, looks: [] }", 60, &two), ["empty"]);
    assert_eq!(codes("{ kind: spending }", 120, &two[..1]), ["too-few-models"]);
    assert_eq!(codes("{ kind: spending, until: never }", 120, &two).len(), 1);
    assert_eq!(
        codes("{ kind: width, at_most: 0, from: 5, every: 0 }", 60, &two),
        ["out-of-range", "out-of-range", "too-few-raters"]
    );
    assert_eq!(codes("{ kind: width, at_most: 3, from: 90 }", 60, &two[..1]), ["beyond-places"]);
    assert_eq!(codes("{ kind: betting, from: 1 }", 60, &two)[0], "too-few-raters");
}

#[test]
fn looks_say_what_they_found_as_json() {
    let look = StoppingLook::ahead(20, None, Some(0.0));
    let json = serde_json::to_value(&look).unwrap();
    assert_eq!(json, json!({ "raters": 20, "taken": false, "stops": false, "spent": 0.0 }));
    let rule: Box<dyn StoppingSpec> = Box::new(SpendingRule::default());
    let json = serde_json::to_value(&rule).unwrap();
    let expected =
        json!({ "kind": "spending", "looks": [20, 40, 60, 90, 120], "until": "all-pairs", "level": 0.95 });
    assert_eq!(json, expected);
}
