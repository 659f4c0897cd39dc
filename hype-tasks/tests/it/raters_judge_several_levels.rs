//! Raters who judge several levels of a facet see each model next to real images of its own level, and answers are analysed as
//! that of raters that levels or models have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hype_backends::collect_with;
use hype_core::model::note::Disturbance;
use hype_core::plugin::aggregator::Aggregated;
use hype_core::plugin::store::all_sessions;
use hype_core::study::analysis::aggregation;
use hype_core::study::backend::Unwatched;
use hype_core::{
    AggregatorSpec, Cohort, Digest, Media, RaterDesign, Raters, Role, ScoreTable, SessionRecord, SetId, Spec,
    Stimuli, Stimulus, StimulusId, StimulusSet, StoreExt as _, Streams, Study, TaskSpec, Use,
};
use hype_sim::{Population, task_conformance};
use hype_stats::ttest::{self, Alternative, TTest};
use hype_store::MemoryStore;
use hype_store::block_on;
use hype_tasks::tasks::hype_time::CatchTrials;
use hype_tasks::{Fooling, HypeInfinity, HypeTime, Rating};
use serde_json::json;

use crate::ratings;
use crate::sessions::Sitting;
use crate::side_by_side::{in_turn, play_all};

use RaterDesign::{Between, Within};

/// The epochs of `stimuli`.
const EPOCHS: [f64; 3] = [1.0, 3.0, 9.0];

/// A set with this many images; its level is what follows the slash of its name, if there is one.
fn set(name: &str, role: Role, size: u32) -> (StimulusSet, u32) {
    let level = name.split_once('/').map(|(_, level)| ("epoch".into(), level.into()));
    (StimulusSet::new(name, role, Use::Main).with_levels(level.into_iter().collect()), size)
}

fn stimuli_of(sets: Vec<(StimulusSet, u32)>) -> Stimuli {
    let image = |place: usize, path: String| {
        Stimulus::new(
            SetId(place as u16),
            Digest::of(path.as_bytes()),
            path,
            Media::Image { width: 8, height: 8 },
        )
    };
    let all = sets.iter().enumerate().flat_map(|(place, (set, size))| {
        (0..*size).map(move |number| image(place, format!("{}/{number:04}.png", set.name)))
    });
    let all = all.collect();
    Stimuli::new(sets.into_iter().map(|(set, _)| set).collect(), all).unwrap()
}

/// Two models at three epochs, with real images of each epoch.
fn stimuli() -> Stimuli {
    let of = |name: &str, role| EPOCHS.map(|epoch| set(&format!("{name}/{epoch}"), role, 40));
    stimuli_of([of("real", Role::Real), of("gan", Role::Generated), of("vae", Role::Generated)].concat())
}

fn raters(per_model: u32, design: RaterDesign, cells: RaterDesign) -> Raters {
    Raters { per_model, design, cells, qualification: None, ..Raters::default() }
}

fn study(task: impl TaskSpec, stimuli: Stimuli, raters: Raters) -> Study {
    let mut spec = Spec::new("levels", 7, Box::new(task)).with_raters(raters);
    spec.protocol.facets =
        serde_json::from_value(json!({ "epoch": { "kind": "number", "scale": "log" } })).unwrap();
    Study::new(spec, stimuli).unwrap()
}

fn fooling() -> Fooling {
    Fooling { trials: 6.into(), practice: 4.into(), ..Fooling::default() }
}

fn hype_time() -> HypeTime {
    let catch = CatchTrials { trials: 12.into(), ..CatchTrials::default() };
    HypeTime { blocks: 2.into(), trials_per_block: 12.into(), catch: Some(catch), ..HypeTime::default() }
}

/// Returns the trials of a session: the model under judgment and the images of each.
fn shown(study: &Study, place: u32) -> Vec<(SetId, Vec<StimulusId>)> {
    let mut session = Sitting::open(study, place);
    let mut all = Vec::new();
    while let Some(trial) = session.trial() {
        all.push((session.truth().model.unwrap(), trial.stimuli().collect()));
        session.answer(true);
    }
    all
}

/// The same for a task whose trials are pairs.
fn shown_in_pairs(study: &Study) -> Vec<Vec<(SetId, Vec<StimulusId>)>> {
    let mut all = vec![Vec::new(); study.places() as usize];
    play_all(study, |place, trial, truth| {
        all[place as usize].push((truth.model.unwrap(), trial.stimuli().collect()));
        in_turn(place, trial, truth)
    });
    all
}

/// Checks that no image comes twice in a session, and that each is of the model's level.
fn check(study: &Study, session: &[(SetId, Vec<StimulusId>)]) {
    let stimuli = study.stimuli();
    let mut seen = BTreeSet::new();
    for (model, images) in session {
        for &image in images {
            assert!(seen.insert(image), "an image comes twice");
            let set = stimuli.set_of(image).unwrap();
            let model = stimuli.set(*model).unwrap();
            assert!(set.shares_levels(model), "{} beside {}", set.name, model.name);
            assert!(set.role == Role::Real || set.name == model.name);
        }
    }
}

/// Checks that sessions judge the models of their places, each with as many images, and that no image of a set comes more often
/// than another by more than one among the raters of a group.
fn check_all(study: &Study, sessions: &[Vec<(SetId, Vec<StimulusId>)>], is_balanced: bool) {
    let mut often: BTreeMap<(Vec<SetId>, StimulusId), u32> = BTreeMap::new();
    let groups = study.design().groups();
    for (place, session) in (0..).zip(sessions) {
        check(study, session);
        let mut trials: BTreeMap<SetId, usize> = BTreeMap::new();
        session.iter().for_each(|(model, _)| *trials.entry(*model).or_default() += 1);
        let mut models = study.place(place).models;
        models.sort_unstable();
        assert_eq!(trials.keys().copied().collect::<Vec<_>>(), models);
        assert!(groups.contains(&models));
        for &image in session.iter().flat_map(|(_, images)| images) {
            *often.entry((models.clone(), image)).or_default() += 1;
        }
    }
    for group in groups.iter().filter(|_| is_balanced) {
        let reals = study.stimuli().real_sets(group);
        for set in reals.chain(group.iter().copied()) {
            let count = |image: &StimulusId| often.get(&(group.clone(), *image)).copied().unwrap_or(0);
            let counts: Vec<u32> = study.stimuli().members(set).iter().map(count).collect();
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(most - least <= 1, "{counts:?}");
        }
    }
}

#[test]
fn each_cell_is_shown_with_real_images_of_its_level() {
    for design in [Between, Within] {
        for cells in [Between, Within] {
            let task = HypeInfinity { generated: 5.into(), real: 6.into() };
            let untimed = study(task, stimuli(), raters(5, design, cells));
            let sessions: Vec<_> = (0..untimed.places()).map(|place| shown(&untimed, place)).collect();
            check_all(&untimed, &sessions, true);

            // Catch trials show images that are left: no image is promised its turn.
            let timed = study(hype_time(), stimuli(), raters(2, design, cells));
            let sessions: Vec<_> = (0..timed.places()).map(|place| shown(&timed, place)).collect();
            check_all(&timed, &sessions, false);

            let pairs = study(fooling(), stimuli(), raters(3, design, cells));
            check_all(&pairs, &shown_in_pairs(&pairs), false);
        }
    }
}

#[test]
fn models_with_and_without_levels_have_no_real_image_in_common() {
    let mut sets = vec![set("real/1", Role::Real, 14), set("real/3", Role::Real, 14)];
    sets.extend([
        set("plain", Role::Generated, 10),
        set("gan/1", Role::Generated, 10),
        set("gan/3", Role::Generated, 10),
    ]);
    let stimuli = stimuli_of(sets);
    let (task, raters) = (HypeInfinity { generated: 4.into(), real: 4.into() }, raters(9, Within, Within));
    let untimed = study(task, stimuli.clone(), raters.clone());
    (0..untimed.places()).for_each(|place| check(&untimed, &shown(&untimed, place)));
    let pairs = study(Fooling { trials: 3.into(), ..fooling() }, stimuli, raters);
    shown_in_pairs(&pairs).iter().for_each(|session| check(&pairs, session));
}

#[test]
fn disturbed_images_are_replaced_by_some_of_the_same_level() {
    let study = study(hype_time(), stimuli(), raters(1, Within, Within));
    let mut session = Sitting::open(&study, 0);
    let mut all = Vec::new();
    while let Some(trial) = session.trial() {
        let model = session.truth().model.unwrap();
        all.push((model, trial.stimuli().collect()));
        if all.len().is_multiple_of(9) {
            session.disturb(Disturbance::Hidden);
            all.push((model, session.trial().unwrap().stimuli().collect()));
        }
        session.answer(true);
    }
    check(&study, &all);
}

#[test]
fn raters_counted_by_image_rate_images_of_all_cells() {
    let raters = Raters { per_item: Some(2), ..raters(1, Within, Within) };
    let study = study(Rating { per_session: Some(48.into()), ..Rating::default() }, stimuli(), raters);
    assert_eq!(study.places(), 10);
    let mut often: BTreeMap<SetId, usize> = BTreeMap::new();
    for place in 0..study.places() {
        for (trial, _) in ratings::trials(&study, place) {
            trial
                .stimuli()
                .for_each(|image| *often.entry(study.stimuli().get(image).unwrap().set).or_default() += 1);
        }
    }
    let cells: Vec<SetId> = study.stimuli().models().collect();
    assert_eq!(often, cells.into_iter().map(|cell| (cell, 80)).collect());
}

task_conformance!(
    hype_time_at_all_levels,
    task = hype_time(),
    stimuli = stimuli(),
    raters = raters(2, Between, Within)
);

task_conformance!(
    hype_infinity_of_all_cells,
    task = HypeInfinity { generated: 7.into(), real: 9.into() },
    stimuli = stimuli(),
    raters = raters(2, Within, Within)
);

task_conformance!(
    fooling_of_all_models_at_one_level,
    task = fooling(),
    stimuli = stimuli(),
    raters = raters(2, Within, Between)
);

/// A simulated study with its findings by epoch and along epochs, and the means of raters by cell.
struct Simulated {
    by_facet: Aggregated,
    trend: Aggregated,
    means: BTreeMap<String, BTreeMap<Arc<str>, f64>>,
}

fn simulated(design: RaterDesign, cells: RaterDesign, epochs: usize) -> Simulated {
    let of = |name: &str, role| {
        EPOCHS[..epochs].iter().map(move |epoch| set(&format!("{name}/{epoch}"), role, 40)).collect()
    };
    let sets: [Vec<_>; 3] = [of("real", Role::Real), of("gan", Role::Generated), of("vae", Role::Generated)];
    let task = HypeInfinity { generated: 10.into(), real: 10.into() };
    let study = study(task, stimuli_of(sets.concat()), raters(12, design, cells));
    let observer = |error: f64| json!({ "untimed": { "fakes_error": error, "reals_error": error } });
    let observers = json!({
        "gan/1": observer(0.2), "gan/3": observer(0.3), "gan/9": observer(0.5),
        "vae/1": observer(0.2), "vae/3": observer(0.25), "vae/9": observer(0.3),
    });
    let population: Population = serde_json::from_value(json!({ "observers": observers })).unwrap();
    let store = MemoryStore::new();
    collect_with(&study, &store, &Unwatched, None, |wanted, chance| {
        Cohort::rater(&population, wanted, chance)
    })
    .unwrap();
    let mut scores = ScoreTable::default();
    for name in block_on(all_sessions(&store)).unwrap() {
        let record = SessionRecord::from_events(block_on(store.load(&name)).unwrap()).unwrap();
        study.rubric().score(&record, &study.scoring(), &mut scores).unwrap();
    }
    let mut values: BTreeMap<String, BTreeMap<Arc<str>, Vec<f64>>> = BTreeMap::new();
    for row in scores.rows().filter(|row| row.measure == "error") {
        values.entry(row.model.to_owned()).or_default().entry(row.rater.into()).or_default().push(row.value);
    }
    let mean =
        |(rater, values): (Arc<str>, Vec<f64>)| (rater, values.iter().sum::<f64>() / values.len() as f64);
    let means = values.into_iter().map(|(cell, of)| (cell, of.into_iter().map(mean).collect())).collect();
    let aggregated = |aggregator: serde_json::Value| {
        let aggregator: Box<dyn AggregatorSpec> = serde_json::from_value(aggregator).unwrap();
        let mut sums = aggregator.begin(&aggregation(&study));
        sums.add(&scores).unwrap();
        sums.findings(&[], &Streams::new(1)).unwrap()
    };
    Simulated {
        by_facet: aggregated(json!({ "kind": "by_facet", "within": "epoch", "generalize_to": "raters" })),
        trend: aggregated(json!({ "kind": "trend", "along": "epoch", "generalize_to": "raters" })),
        means,
    }
}

impl Simulated {
    /// A weighted sum of the means of each rater of these cells.
    fn sums(&self, weights: &[(&str, f64)]) -> Vec<f64> {
        let raters = self.means[weights[0].0].keys();
        raters
            .map(|rater| weights.iter().map(|(cell, weight)| weight * self.means[*cell][rater]).sum())
            .collect()
    }

    fn differences(&self, one: &str, other: &str) -> Vec<f64> {
        self.sums(&[(one, 1.0), (other, -1.0)])
    }

    fn slopes(&self, model: &str) -> Vec<f64> {
        let logs = EPOCHS.map(f64::ln);
        let mean = logs.iter().sum::<f64>() / 3.0;
        let spread: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
        let cells = EPOCHS.map(|epoch| format!("{model}/{epoch}"));
        let weights: Vec<(&str, f64)> =
            cells.iter().zip(logs).map(|(cell, log)| (&**cell, (log - mean) / spread)).collect();
        self.sums(&weights)
    }

    fn over_levels(&self, model: &str) -> Vec<f64> {
        let cells = EPOCHS.map(|epoch| format!("{model}/{epoch}"));
        self.sums(&cells.each_ref().map(|cell| (&**cell, 1.0 / 3.0)))
    }

    /// Compares the means over levels and the slopes of both models with those of raters.
    fn check_raters_of_all_levels(&self) {
        for model in ["gan", "vae"] {
            let means = &self.by_facet.measures[0].interactions[0].macro_means;
            let mean = means.iter().find(|mean| &*mean.model == model).unwrap();
            let want = of_one(&self.over_levels(model));
            near(mean.value, want.difference);
            near(mean.se.unwrap(), want.standard_error);
            assert_eq!(mean.raters, 12);
            let trends = &self.trend.measures[0].trends;
            let trend = trends.iter().find(|trend| &*trend.model == model).unwrap();
            let want = of_one(&self.slopes(model));
            near(trend.slope.unwrap(), want.difference);
            near(trend.t.unwrap(), want.t);
            near(trend.p.unwrap(), want.p);
            near(trend.df.unwrap(), 11.0);
        }
    }

    /// Compares the differences of the two models at each level with these tests of them.
    fn check_levels(&self, want: impl Fn(&str, &str) -> TTest) {
        let levels = &self.by_facet.measures[0].facets;
        for level in levels {
            let [pair] = &level.comparisons[..] else { panic!("one pair") };
            let cells = [&pair.a, &pair.b].map(|model| format!("{model}/{}", level.level));
            let want = want(&cells[0], &cells[1]);
            near(pair.difference, want.difference);
            // The pairs at all levels are one family.
            near(pair.p.unwrap(), (levels.len() as f64 * want.p).min(1.0));
        }
    }

    fn check_interaction(&self, want: &TTest) {
        let test = self.by_facet.measures[0].interactions[0].test.as_ref().unwrap();
        near(test.statistic.unwrap().abs(), want.t.abs());
        near(test.p.unwrap(), want.p);
    }

    fn warnings(&self) -> Vec<&str> {
        self.by_facet.notes.iter().map(|note| &*note.code).collect()
    }
}

fn of_one(sample: &[f64]) -> TTest {
    ttest::paired(sample, &vec![0.0; sample.len()], Alternative::TwoSided, 0.95).unwrap()
}

fn of_two(one: &[f64], other: &[f64]) -> TTest {
    ttest::welch(one, other, Alternative::TwoSided, 0.95).unwrap()
}

#[track_caller]
fn near(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * want.abs().max(1.0), "{got}, want {want}");
}

#[test]
fn raters_of_every_cell_are_compared_with_themselves() {
    let found = simulated(Within, Within, 3);
    found.check_raters_of_all_levels();
    found.check_levels(|one, other| of_one(&found.differences(one, other)));
    assert!(!found.warnings().contains(&"incomplete-raters"));
    let found = simulated(Within, Within, 2);
    let change = [("gan/1", 1.0), ("gan/3", -1.0), ("vae/1", -1.0), ("vae/3", 1.0)];
    found.check_interaction(&of_one(&found.sums(&change)));
}

#[test]
fn raters_of_one_model_are_compared_with_those_of_another() {
    let found = simulated(Between, Within, 3);
    found.check_raters_of_all_levels();
    let values = |cell: &str| found.sums(&[(cell, 1.0)]);
    found.check_levels(|one, other| of_two(&values(one), &values(other)));
    let codes = found.warnings();
    assert!(!codes.contains(&"incomplete-raters") && !codes.contains(&"repeated-raters"), "{codes:?}");
    let found = simulated(Between, Within, 2);
    let [gan, vae] =
        ["gan", "vae"].map(|model| found.differences(&format!("{model}/1"), &format!("{model}/3")));
    found.check_interaction(&of_two(&gan, &vae));
}

#[test]
fn raters_of_one_level_are_compared_with_those_of_another() {
    let found = simulated(Within, Between, 3);
    found.check_levels(|one, other| of_one(&found.differences(one, other)));
    // Other raters at each level: the slope has the error of three independent means.
    let trend = &found.trend.measures[0].trends[0];
    let [first, last] = [EPOCHS[0], EPOCHS[2]].map(|epoch| {
        of_one(&found.sums(&[(&format!("{}/{epoch}", trend.model), 1.0)])).standard_error.powi(2)
    });
    near(trend.df.unwrap(), 11.0 * (first + last).powi(2) / (first * first + last * last));
    for mean in &found.by_facet.measures[0].interactions[0].macro_means {
        let cells = EPOCHS.map(|epoch| found.sums(&[(&format!("{}/{epoch}", mean.model), 1.0)]));
        let squares: f64 = cells.iter().map(|cell| of_one(cell).standard_error.powi(2)).sum();
        near(mean.se.unwrap(), squares.sqrt() / 3.0);
        assert_eq!(mean.raters, 36);
    }
    let found = simulated(Within, Between, 2);
    let [first, third] =
        [1, 3].map(|epoch| found.differences(&format!("gan/{epoch}"), &format!("vae/{epoch}")));
    found.check_interaction(&of_two(&first, &third));
}
