//! Rubrics score sessions, and `by_model` aggregates the scores: numbers computed by hand and by simulation.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use hype_analyses::aggregators::by_model::{IntervalMethod, Pairs, PublishedAnalysis};
use hype_analyses::aggregators::{Bootstrap, ByModel};
use hype_backends::Local;
use hype_core::RaterDesign;
use hype_core::model::findings::{Exclusion, GeneralizeTo};
use hype_core::model::score::{Direction, Measure, Row};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::plugin::aggregator::DynAggregator;
use hype_core::study::backend::Unwatched;
use hype_core::{Aggregated, Backend as _, Findings, Raters, ScoreTable, Spec, Streams, Study, analyse};
use hype_sim::{Observer, Population, fixtures};
use hype_stats::staircase::theory::level_at;
use hype_store::MemoryStore;
use hype_tasks::HypeTime;
use std::sync::Arc;

fn table(rows: &[(&str, &str, &str, f64)]) -> ScoreTable {
    let mut table = ScoreTable::default();
    for &(rater, model, item, value) in rows {
        table.push(&Row { rater, model, against: "", item, block: 0, measure: "m", value });
    }
    table
}

fn aggregate(by: &ByModel, design: RaterDesign, tables: &[ScoreTable], left_out: &[&str]) -> Aggregated {
    let measures = vec![Measure::new("m", "m", "", Direction::Lower)];
    let mut sums = by.begin(&Aggregation::new(measures, design));
    for table in tables {
        sums.add(table).unwrap();
    }
    let exclusions: Vec<Exclusion> = left_out
        .iter()
        .map(|&rater| Exclusion { rater: rater.into(), rule: "left".into(), reason: "test".into() })
        .collect();
    sums.findings(&exclusions, &Streams::new(1)).unwrap()
}

const ROWS: [(&str, &str, &str, f64); 8] = [
    ("r1", "x", "", 1.0),
    ("r1", "x", "", 3.0),
    ("r2", "x", "", 4.0),
    ("r3", "x", "", 9.0),
    ("r4", "y", "", 5.0),
    ("r5", "y", "", 7.0),
    ("r6", "y", "", 9.0),
    ("r6", "y", "", 9.0),
];

#[test]
fn raters_are_averaged_first_and_the_better_model_comes_first() {
    let found = aggregate(&ByModel::default(), RaterDesign::Between, &[table(&ROWS)], &[]);
    let [x, y] = found.measures[0].estimates.as_slice() else { panic!("two models") };
    assert_eq!((&*x.model, x.value, x.raters, x.responses), ("x", 5.0, 3, 4));
    assert_eq!((&*y.model, y.value, y.raters, y.responses), ("y", 7.0, 3, 4));
    assert_eq!(y.sd, Some(2.0));
    let interval = x.interval.as_ref().unwrap();
    // The raters' means are 2, 4 and 9: 4.3027 is the quantile of Student's t with 2 degrees of freedom.
    let margin = 4.302_652_729_911_275 * (13.0_f64 / 3.0).sqrt();
    assert!((interval.high - 5.0 - margin).abs() < 1e-9 && (5.0 - interval.low - margin).abs() < 1e-9);
    assert_eq!((&*interval.method, &*interval.df), ("Student's t over raters", &[2.0][..]));
    assert!((x.se.unwrap() - (13.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    assert_eq!(&*found.measures[0].comparisons[0].method, "Welch's t");
    assert_eq!(found.measures[0].comparisons[0].difference, -2.0);
}

#[test]
fn excluded_raters_are_left_out_and_estimates_with_them_are_shown() {
    let found = aggregate(&ByModel::default(), RaterDesign::Between, &[table(&ROWS)], &["r3"]);
    let x = &found.measures[0].estimates[0];
    assert_eq!((x.value, x.raters), (3.0, 2));
    let with = x.with_excluded.as_ref().unwrap();
    assert_eq!((with.value, with.raters), (5.0, 3));
    assert_eq!(found.measures[0].estimates[1].with_excluded, None);
}

#[test]
fn chunks_give_what_one_table_gives() {
    let whole = aggregate(&ByModel::default(), RaterDesign::Between, &[table(&ROWS)], &[]);
    let (left, right) = ROWS.split_at(3);
    let parts = [table(left), table(right)];
    assert_eq!(aggregate(&ByModel::default(), RaterDesign::Between, &parts, &[]), whole);
    let mut reused = table(left);
    let measures = vec![Measure::new("m", "m", "", Direction::Lower)];
    let context = Aggregation::new(measures, RaterDesign::Between);
    let by = ByModel::default();
    let mut one = DynAggregator::begin(&by, &context);
    one.add(&reused).unwrap();
    reused.clear_rows();
    for &(rater, model, item, value) in right {
        reused.push(&Row { rater, model, against: "", item, block: 0, measure: "m", value });
    }
    one.add(&reused).unwrap();
    assert_eq!(one.findings(&[], &Streams::new(1)).unwrap(), whole);
}

#[test]
fn within_raters_pairs_are_paired() {
    let mut rows = Vec::new();
    let raters = ["r1", "r2", "r3", "r4", "r5"];
    for (index, rater) in raters.iter().enumerate() {
        // Raters differ much, models by about 1 for each rater.
        let base = 10.0 * index as f64;
        rows.push((*rater, "x", "", base));
        rows.push((*rater, "y", "", base + 1.0 + 0.1 * (index % 2) as f64));
    }
    let paired = aggregate(&ByModel::default(), RaterDesign::Within, &[table(&rows)], &[]);
    let pair = &paired.measures[0].comparisons[0];
    assert_eq!((&*pair.method, pair.df), ("Student's t over raters", Some(4.0)));
    assert!(pair.p.unwrap() < 1e-4);
    let tests: Vec<&str> = paired.measures[0].tests.iter().map(|test| &*test.name).collect();
    assert_eq!(tests, ["the smallest p value of all pairs (Student's t over raters)"]);
    let ranked = ByModel { pairs: Pairs::Wilcoxon, ..ByModel::default() };
    let ranked = aggregate(&ranked, RaterDesign::Within, &[table(&rows)], &[]);
    // All five differences have one sign: 2 of 2^5 assignments of signs are as extreme.
    assert_eq!(ranked.measures[0].comparisons[0].statistic, Some(0.0));
    let tests: Vec<&str> = ranked.measures[0].tests.iter().map(|test| &*test.name).collect();
    assert_eq!(tests, ["repeated-measures ANOVA, Greenhouse-Geisser", "Friedman's test"]);
    // With two models F is the square of the paired t.
    let t = pair.statistic.unwrap();
    assert!((ranked.measures[0].tests[0].statistic.unwrap() - t * t).abs() < 1e-9 * t * t);
    assert!(ranked.measures[0].comparisons[0].p.unwrap() <= 0.0625);
    assert_eq!(paired.measures[0].raters, 5);
    let between = aggregate(&ByModel::default(), RaterDesign::Between, &[table(&rows)], &[]);
    assert!(between.measures[0].comparisons[0].p.unwrap() > 0.5);
}

#[test]
fn within_raters_differences_and_tests_are_of_the_same_raters() {
    let mut rows = Vec::new();
    for (index, rater) in ["r1", "r2", "r3", "r4"].iter().enumerate() {
        let base = index as f64;
        rows.extend([
            (*rater, "x", "", base),
            (*rater, "y", "", base + 1.0 + 0.25 * base),
            (*rater, "z", "", 0.5),
        ]);
    }
    // r5 judged two of the models, r6 one.
    rows.extend([("r5", "x", "", 9.0), ("r5", "y", "", 20.0), ("r6", "x", "", -30.0)]);
    let compare = |pairs| {
        let found =
            aggregate(&ByModel { pairs, ..ByModel::default() }, RaterDesign::Within, &[table(&rows)], &[]);
        let difference = |pair: &hype_core::model::findings::Comparison| match (&*pair.a, &*pair.b) {
            ("y", "x") => Some(-pair.difference),
            ("x", "y") => Some(pair.difference),
            _ => None,
        };
        let notes: Vec<String> = found.notes.iter().map(|note| note.text.to_string()).collect();
        (found.measures[0].comparisons.iter().find_map(difference).unwrap(), notes)
    };
    // Over r1 to r4, and with r5.
    let (ranked, notes) = compare(Pairs::Wilcoxon);
    assert!((ranked + 1.375).abs() < 1e-12, "{ranked}");
    assert!(notes[0].contains("2 of 6 raters did not judge every model"), "{notes:?}");
    let (paired, notes) = compare(Pairs::TukeyKramer);
    assert!((paired + 16.5 / 5.0).abs() < 1e-12, "{paired}");
    assert!(notes[1].contains("raters' differences"), "{notes:?}");
}

#[test]
fn each_way_of_comparing_is_used_where_it_is_asked_for() {
    let mut rows = ROWS.to_vec();
    rows.extend([("r7", "z", "", 1.0), ("r8", "z", "", 12.0), ("r9", "z", "", 3.0)]);
    for (pairs, name) in [
        (Pairs::Auto, "Welch's t, Bonferroni"),
        (Pairs::TukeyKramer, "Tukey-Kramer"),
        (Pairs::GamesHowell, "Games-Howell"),
        (Pairs::Welch, "Welch's t, Holm"),
        (Pairs::Student, "Student's t, Holm"),
    ] {
        let found =
            aggregate(&ByModel { pairs, ..ByModel::default() }, RaterDesign::Between, &[table(&rows)], &[]);
        let comparisons = &found.measures[0].comparisons;
        assert_eq!((comparisons.len(), &*comparisons[0].method), (3, name));
        assert!(comparisons.iter().all(|pair| pair.p.is_some() && pair.interval.is_some()));
    }
}

#[test]
fn ten_raters_of_each_model_are_enough_for_games_howell() {
    let names: Vec<String> = (0..30).map(|rater| format!("r{rater}")).collect();
    let rows: Vec<(&str, &str, &str, f64)> = names
        .iter()
        .enumerate()
        .map(|(rater, name)| (&**name, ["x", "y", "z"][rater % 3], "", (rater * rater % 17) as f64))
        .collect();
    let found = aggregate(&ByModel::default(), RaterDesign::Between, &[table(&rows)], &[]);
    let measure = &found.measures[0];
    assert_eq!(&*measure.comparisons[0].method, "Games-Howell");
    assert_eq!(&*measure.tests[0].name, "Welch's ANOVA");
    assert_eq!(measure.family.as_deref(), Some("3 pairs of models"));
    assert_eq!(measure.generalize_to, Some(GeneralizeTo::Raters));
    let fewer = aggregate(&ByModel::default(), RaterDesign::Between, &[table(&rows[1..])], &[]);
    assert_eq!(&*fewer.measures[0].comparisons[0].method, "Welch's t, Bonferroni");
}

#[test]
fn the_preset_is_the_analysis_of_the_paper() {
    let preset = ByModel { preset: Some(PublishedAnalysis::Hype2019), ..ByModel::default() };
    let mut rows = ROWS.to_vec();
    rows.extend([("r7", "z", "", 1.0), ("r8", "z", "", 12.0), ("r9", "z", "", 3.0)]);
    let found = aggregate(&preset, RaterDesign::Between, &[table(&rows)], &[]);
    let measure = &found.measures[0];
    let interval = measure.estimates[0].interval.as_ref().unwrap();
    assert_eq!(&*interval.method, "percentile bootstrap over raters, 10000 resamples");
    assert!(measure.estimates[0].bootstrap_sd.is_some());
    let tests: Vec<&str> = measure.tests.iter().map(|test| &*test.name).collect();
    assert_eq!(tests, ["one-way ANOVA"]);
    assert_eq!(&*measure.comparisons[0].method, "Tukey-Kramer");
    let warned = found.notes.iter().find(|note| &*note.code == "few-raters").unwrap();
    assert!(warned.text.contains("about 75%"), "{}", warned.text);
    let two = aggregate(&preset, RaterDesign::Between, &[table(&ROWS)], &[]);
    assert_eq!(&*two.measures[0].comparisons[0].method, "Student's t, Holm");
}

#[test]
fn items_are_counted_once() {
    let names: Vec<String> = (0..201).map(|item| format!("i{item:03}")).collect();
    let rows = |items: &[usize]| -> ScoreTable {
        let mut table = ScoreTable::default();
        for &item in items {
            table.push(&Row::new("r1", "x", "m", 1.0).of_item(&names[item]));
        }
        table
    };
    let (by, measures) = (ByModel::default(), vec![Measure::new("m", "m", "", Direction::Higher)]);
    let mut sums = by.begin(&Aggregation::new(measures, RaterDesign::Between));
    for items in [(0..=200).collect::<Vec<_>>(), vec![200, 3, 63, 64, 3, 0, 200]] {
        sums.add(&rows(&items)).unwrap();
    }
    assert_eq!(sums.findings(&[], &Streams::new(1)).unwrap().measures[0].items, 201);
}

#[test]
fn raters_who_agree_have_an_interval_of_a_proportion() {
    let rows: Vec<(&str, &str, &str, f64)> = ["r1", "r2", "r3"].map(|rater| (rater, "x", "", 0.0)).to_vec();
    let measures = vec![Measure::new("m", "m", "proportion", Direction::Higher)];
    let by = ByModel::default();
    let mut sums = by.begin(&Aggregation::new(measures, RaterDesign::Between));
    sums.add(&table(&rows)).unwrap();
    let found = sums.findings(&[], &Streams::new(1)).unwrap();
    let interval = found.measures[0].estimates[0].interval.clone().unwrap();
    // Three of three without one success: the upper limit solves (1 - p)^3 = 0.025.
    assert!(
        interval.low.abs() < 1e-12 && (interval.high - (1.0 - 0.025_f64.cbrt())).abs() < 1e-9,
        "{interval:?}"
    );
}

#[test]
fn results_over_items_count_their_variation() {
    let mut rows = Vec::new();
    let items = ["i1", "i2", "i3", "i4", "i5", "i6"];
    for (r, rater) in ["r1", "r2", "r3", "r4"].iter().enumerate() {
        for (i, item) in items.iter().enumerate() {
            rows.push((*rater, "x", *item, i as f64 + 0.001 * r as f64));
        }
    }
    let width = |generalize_to| {
        let by = ByModel { generalize_to: Some(generalize_to), ..ByModel::default() };
        let found = aggregate(&by, RaterDesign::Within, &[table(&rows)], &[]);
        assert_eq!(found.measures[0].generalize_to, Some(generalize_to));
        let interval = found.measures[0].estimates[0].interval.clone().unwrap();
        interval.high - interval.low
    };
    assert!(width(GeneralizeTo::Raters) < 0.01);
    // Student's t with 5 degrees of freedom over the items' means.
    let error = (3.5_f64 / 6.0).sqrt();
    for generalize_to in [GeneralizeTo::Items, GeneralizeTo::RatersAndItems] {
        let found = width(generalize_to);
        assert!((found - 2.0 * 2.570_581_836 * error).abs() < 1e-2, "{generalize_to:?}: {found}");
    }
}

#[test]
fn raters_and_items_are_resampled_together() {
    let mut rows = Vec::new();
    let items = ["i1", "i2", "i3", "i4", "i5", "i6"];
    for (r, rater) in ["r1", "r2", "r3", "r4"].iter().enumerate() {
        for (i, item) in items.iter().enumerate() {
            // Items differ, raters do not: resampling only raters gives no spread.
            rows.push((*rater, "x", *item, i as f64 + 0.001 * r as f64));
        }
    }
    let with = |generalize_to, interval| ByModel {
        generalize_to: Some(generalize_to),
        interval: Some(interval),
        bootstrap: Some(Bootstrap::default()),
        ..ByModel::default()
    };
    let by_rater = aggregate(
        &with(GeneralizeTo::Raters, IntervalMethod::Bca),
        RaterDesign::Within,
        &[table(&rows)],
        &[],
    );
    let both = aggregate(
        &with(GeneralizeTo::RatersAndItems, IntervalMethod::Percentile),
        RaterDesign::Within,
        &[table(&rows)],
        &[],
    );
    let (narrow, wide) = (by_rater.measures[0].estimates[0].clone(), both.measures[0].estimates[0].clone());
    assert!((narrow.value - wide.value).abs() < 1e-9);
    assert_eq!(both.measures[0].items, 6);
    let width = |estimate: &hype_core::model::findings::Estimate| {
        let interval = estimate.interval.as_ref().unwrap();
        interval.high - interval.low
    };
    assert!(width(&narrow) < 0.01, "{}", width(&narrow));
    assert!(width(&wide) > 1.5, "{}", width(&wide));
    let method = &wide.interval.unwrap().method;
    assert_eq!(&**method, "percentile bootstrap over raters and items, 10000 resamples");
}

#[test]
fn two_raters_have_no_interval() {
    for values in [[195.0, 195.0], [190.0, 200.0]] {
        let rows = [("r1", "x", "", values[0]), ("r2", "x", "", values[1])];
        let found = aggregate(&ByModel::default(), RaterDesign::Between, &[table(&rows)], &[]);
        let estimate = &found.measures[0].estimates[0];
        assert_eq!((estimate.value, estimate.raters, &estimate.interval), (195.0, 2, &None));
        let note = found.notes.iter().find(|note| &*note.code == "no-interval").unwrap();
        assert!(note.text.contains("3 raters"), "{}", note.text);
    }
}

#[test]
fn degenerate_tables_say_why() {
    let one_rater = aggregate(&ByModel::default(), RaterDesign::Between, &[table(&ROWS[..2])], &[]);
    assert_eq!(one_rater.measures[0].estimates[0].interval, None);
    assert!(one_rater.notes[0].text.contains("no interval"));
    let constant = [("a", "x", "", 1.0), ("b", "x", "", 1.0), ("c", "y", "", 1.0), ("d", "y", "", 1.0)];
    let found = aggregate(&ByModel::default(), RaterDesign::Between, &[table(&constant)], &[]);
    assert!(found.measures[0].tests[0].undefined.is_some() && found.measures[0].tests[0].p.is_none());
    assert!(found.measures[0].comparisons[0].undefined.is_some());
}

fn simulate(task: HypeTime, population: Population, per_model: u32) -> Findings {
    let mut spec = Spec::new("scores", 3, Box::new(task));
    spec = spec.with_raters(Raters { per_model, qualification: None, ..Raters::default() });
    let study = Study::new(spec, fixtures::stimuli(240, &[("a", 240)])).unwrap();
    let local = Local::with_raters(Box::new(population), None);
    let store = MemoryStore::new();
    hype_store::block_on(local.collect(&study, Arc::new(store.clone()), &Unwatched)).unwrap();
    hype_store::block_on(analyse(&study, &store)).unwrap()
}

/// The findings say that for an observer at 250 ms the error of one block's mode is 27 ms, of the mean of the last
/// half 22 ms and of a fit 19 ms, and that the mode is pulled towards the start of the block.
#[test]
fn the_estimators_err_as_the_findings_say() {
    let observer = Observer { threshold_ms: Some(250.0), ..Observer::default() };
    let psi = observer.acuity().unwrap();
    let target = level_at(|ms| psi.timed(ms, 1.0), 0.75).unwrap();
    let population = Population { default_observer: observer, rater_sd: 0.0, ..Population::default() };
    // With one block for each rater, the spread over raters is that of blocks.
    let task = HypeTime { blocks: 1.into(), ..HypeTime::default() };
    let found = simulate(task, population, 1_500);
    let error = |measure: &str| {
        let found = found.measures.iter().find(|one| &*one.measure.name == measure).unwrap();
        let estimate = &found.estimates[0];
        ((estimate.value - target).powi(2) + estimate.sd.unwrap().powi(2)).sqrt()
    };
    for (measure, said) in [("mode_ms", 27.0), ("mean_last_half_ms", 22.0), ("fit_ms", 19.0)] {
        assert!((error(measure) - said).abs() < 1.5, "{measure}: {} ms, said {said} ms", error(measure));
    }
    let mode = &found.measures[0].estimates[0];
    assert!(mode.value > target + 3.0, "the mode is pulled up: {} against {target}", mode.value);
}

#[test]
fn thresholds_beyond_the_range_are_told_as_censored() {
    let observer = Observer { threshold_ms: Some(40.0), ..Observer::default() };
    let population = Population { default_observer: observer, ..Population::default() };
    let found = simulate(HypeTime::default(), population, 6);
    // With so many, there is no interval, and the note gives the bounds of thresholds.
    let note = found.notes.iter().find(|note| &*note.code == "no-interval");
    assert!(
        note.is_some_and(|note| note.measures.iter().any(|name| &**name == "mode_ms")),
        "{:?}",
        found.notes
    );
    assert!(found.measures[0].estimates[0].interval.is_none());
    let share = found.measures.iter().find(|one| &*one.measure.name == "at_floor").unwrap();
    assert!(share.estimates[0].value > 0.8);
}

/// Blocks of 60 trials that begin at 500 ms do not arrive at 750 ms, and are at the ceiling for a rater who needs a second.
#[test]
fn thresholds_out_of_reach_have_no_interval() {
    let of = |threshold_ms: f64, task: HypeTime| {
        let observer = Observer { threshold_ms: Some(threshold_ms), ..Observer::default() };
        let population = Population { default_observer: observer, ..Population::default() };
        simulate(task, population, 30)
    };
    let short = HypeTime { blocks: 1.into(), trials_per_block: 60.into(), ..HypeTime::default() };
    for (threshold_ms, task) in [(750.0, short), (900.0, HypeTime::default())] {
        let found = of(threshold_ms, task);
        for one in found.measures.iter().filter(|one| &*one.measure.unit == "ms") {
            let estimate = &one.estimates[0];
            assert!(estimate.interval.is_none(), "{threshold_ms}, {}: {estimate:?}", one.measure.name);
        }
        let reasons: Vec<_> = found.notes.iter().filter(|note| &*note.code == "no-interval").collect();
        let [reason] = reasons.as_slice() else { panic!("{threshold_ms}: {reasons:?}") };
        assert!(reason.text.contains("at or over") && reason.text.contains("% of raters"), "{}", reason.text);
        assert!(found.notes.iter().all(|note| &*note.code != "skewed"), "{threshold_ms}: {:?}", found.notes);
    }
    let found = of(300.0, HypeTime::default());
    let held = |one: &&hype_core::model::findings::MeasureFindings| one.estimates[0].interval.is_some();
    assert_eq!(found.measures.iter().filter(|one| &*one.measure.unit == "ms").filter(held).count(), 4);
}
