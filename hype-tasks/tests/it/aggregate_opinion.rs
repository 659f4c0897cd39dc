//! `opinion` agrees with values computed by hand and by other programs, and reports why estimates are missing.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use crate::reference;
use crate::tables::{
    Scored, aggregate, all_close, assert_close, codes, column, example_reads, faults, find, numbers,
    streams_alike, table, texts, unreadable, yaml,
};
use hype_analyses::aggregators::opinion::OpinionScores;
use hype_core::Severity::{Error, Warning};
use hype_core::model::findings::{Estimate, MeasureFindings, NoteClass};
use hype_core::model::score::Row;
use hype_core::{Aggregated, ScoreTable, Streams};
use hype_stats::bootstrap;
use hype_stats::opinion::{RatingsBuilder, alternating_projection, mean_opinion_scores, remove_bias};
use serde_json::Value;

const ROWS: [Scored<'_>; 12] = [
    ("a", "x", "i1", 5.0),
    ("b", "x", "i1", 4.0),
    ("c", "x", "i1", 3.0),
    ("a", "x", "i2", 4.0),
    ("b", "x", "i2", 4.0),
    ("c", "x", "i2", 4.0),
    ("a", "y", "i1", 2.0),
    ("b", "y", "i1", 1.0),
    ("c", "y", "i1", 3.0),
    ("a", "y", "i2", 1.0),
    ("b", "y", "i2", 1.0),
    ("c", "y", "i2", 4.0),
];

#[track_caller]
fn found(settings: &str, rows: &[Scored<'_>], left_out: &[&str]) -> Aggregated {
    aggregate(&*yaml(&format!("{{ kind: opinion{settings} }}")), &[table(rows)], left_out).unwrap()
}

fn ends(estimate: &Estimate) -> (f64, f64) {
    let interval = estimate.interval.as_ref().unwrap();
    (interval.low, interval.high)
}

fn only(found: &Aggregated) -> &MeasureFindings {
    let [measure] = found.measures.as_slice() else { panic!("one measure") };
    measure
}

#[test]
fn a_small_table_by_hand() {
    let found = found("", &ROWS, &[]);
    let measure = only(&found);
    assert_eq!((measure.raters, measure.items, measure.responses), (3, 2, 12));
    let [x, y] = measure.estimates.as_slice() else { panic!("two models") };
    assert_eq!((&*x.model, x.value, x.raters, x.responses), ("x", 4.0, 3, 6));
    assert_eq!((&*y.model, y.value), ("y", 2.0));
    // The raters' means for x are 4.5, 4 and 3.5.
    assert_close(x.sd.unwrap(), 0.5, 1e-14);
    assert_close(x.sem.unwrap(), 0.5 / 3.0_f64.sqrt(), 1e-14);
    // The 97.5 % point of Student's t with 2 degrees of freedom is 0.95 √(2 / (1 - 0.95²)). On the scale from 1 to 5 the
    // error at an end π is to that at 4 as √((π - 1) (5 - π)) to √3.
    let t = 0.95 * (2.0_f64 / 0.0975).sqrt();
    let (low, high) = ends(x);
    for end in [low, high] {
        let error = x.se.unwrap() * ((end - 1.0) * (5.0 - end) / 3.0).sqrt();
        assert_close((end - 4.0).abs(), t * error, 1e-12);
    }
    assert_eq!((x.se, low < 4.0 && 4.0 < high), (x.sem, true));
    let interval = x.interval.as_ref().unwrap();
    assert_eq!((&*interval.method, &*interval.df), ("Wilson-type, Student's t over raters", &[2.0][..]));
    assert_eq!(x.with_excluded, None);

    let stimuli = find(measure, "stimuli");
    assert_eq!(texts(stimuli, "model"), ["x", "x", "y", "y"]);
    assert_eq!(texts(stimuli, "item"), ["i1", "i2", "i1", "i2"]);
    assert_eq!(numbers(stimuli, "scores"), [3.0; 4]);
    assert_eq!(numbers(stimuli, "mos"), [4.0, 4.0, 2.0, 2.0]);
    all_close(&numbers(stimuli, "sos"), &[1.0, 0.0, 1.0, 3.0_f64.sqrt()], 1e-14);
    let half = t / 3.0_f64.sqrt();
    all_close(&numbers(stimuli, "low")[..2], &[4.0 - half, 4.0], 1e-12);
    all_close(&numbers(stimuli, "high")[2..3], &[2.0 + half], 1e-12);

    let raters = find(measure, "opinion_raters");
    assert_eq!(texts(raters, "rater"), ["a", "b", "c"]);
    all_close(&numbers(raters, "p913_bias"), &[0.0, -0.5, 0.5], 1e-14);
    assert_eq!(texts(raters, "rejected"), ["no"; 3]);

    // SOS² is 1, 0, 1, 3 where (MOS - 1)(5 - MOS) is 3 each time.
    let sos = find(measure, "sos_hypothesis");
    assert_eq!(column(sos, "model"), [Value::Null, "x".into(), "y".into()]);
    all_close(&numbers(sos, "a"), &[5.0 / 12.0, 1.0 / 6.0, 2.0 / 3.0], 1e-14);
    assert_eq!(column(sos, "undefined"), [Value::Null, Value::Null, Value::Null]);
}

#[test]
fn biases_are_removed_but_intervals_keep_the_raters_spread() {
    let plain = found("", &ROWS, &[]);
    let removed = found(", adjust: bias-removed", &ROWS, &[]);
    let (plain, removed) = (only(&plain), only(&removed));
    let [x, _] = removed.estimates.as_slice() else { panic!("two models") };
    // All raters scored all stimuli: biases cancel in every mean, and in that of every resample.
    assert_close(x.value, 4.0, 1e-14);
    let (low, high) = ends(x);
    let (want_low, want_high) = ends(&plain.estimates[0]);
    assert!((low - want_low).abs() < 1e-12 && (high - want_high).abs() < 1e-12);
    assert!(x.interval.as_ref().unwrap().method.contains("biases held"));
    // Without the biases 0, -0.5 and 0.5 the scores of x, i1 are 5, 4.5 and 2.5.
    let sos = numbers(find(removed, "stimuli"), "sos")[0];
    assert_close(sos, (3.5_f64 / 2.0).sqrt(), 1e-14);
    // The SOS hypothesis still uses the spread of the original scores.
    assert_eq!(find(removed, "sos_hypothesis"), find(plain, "sos_hypothesis"));
}

/// Raters scored different stimuli, some of them alone.
#[test]
fn the_error_matches_the_jackknife() {
    let rows = [
        ("a", "x", "i1", 5.0),
        ("b", "x", "i1", 4.0),
        ("c", "x", "i1", 2.0),
        ("a", "x", "i2", 4.0),
        ("d", "x", "i2", 1.0),
        ("b", "x", "i3", 3.0),
        ("d", "x", "i4", 2.0),
        ("d", "x", "i1", 3.0),
    ];
    let whole = found("", &rows, &[]);
    let estimate = &only(&whole).estimates[0];
    let squares: f64 = ["a", "b", "c", "d"]
        .iter()
        .map(|rater| only(&found("", &rows, &[rater])).estimates[0].value - estimate.value)
        .map(|moved| moved * moved)
        .sum();
    assert_close(estimate.se.unwrap(), (0.75 * squares).sqrt(), 1e-12);
    assert_eq!(estimate.interval.as_ref().unwrap().df, [3.0]);
}

#[test]
fn bootstrap_intervals_of_few_raters_say_how_often_they_cover() {
    let found = found(", bootstrap: { resamples: 1000 }", &ROWS, &[]);
    let x = &only(&found).estimates[0];
    // The extreme means of three, each with a probability of 1 / 27.
    assert_eq!((ends(x), x.se), ((3.5, 4.5), None));
    let interval = x.interval.as_ref().unwrap();
    assert_eq!(&*interval.method, "percentile bootstrap over raters, 1000 resamples");
    assert!(codes(&found).contains(&"few-raters"));
}

#[test]
fn bootstrap_intervals_of_few_raters_cover_what_simulations_say() {
    let names: Vec<String> = (0..30).map(|rater| format!("r{rater:02}")).collect();
    let covers = |raters: usize| {
        let rows: Vec<Scored<'_>> = names[..raters]
            .iter()
            .enumerate()
            .map(|(at, name)| (name.as_str(), "x", "i1", 1.0 + (at % 5) as f64))
            .collect();
        let found = found(", bootstrap: { resamples: 1000 }", &rows, &[]);
        let note = found.notes.iter().find(|note| &*note.code == "few-raters")?;
        let (_, share) = note.text.split_once("about ")?;
        share.split_once('%')?.0.parse::<f64>().ok()
    };
    // The bootstrap distribution of three values is discrete, with 10 means.
    for (raters, simulated) in [(3, 77.0), (5, 83.0), (10, 90.0), (15, 92.0)] {
        let stated = covers(raters).unwrap();
        assert!((stated - simulated).abs() < 2.5, "{raters}: {stated}");
    }
    assert_eq!(covers(30), None);
}

#[test]
fn z_scores_by_hand() {
    let rows = [
        ("a", "x", "i1", 5.0),
        ("a", "x", "i2", 3.0),
        ("a", "y", "i1", 1.0),
        ("b", "x", "i1", 3.0),
        ("b", "x", "i2", 2.0),
        ("b", "y", "i1", 1.0),
        ("c", "x", "i1", 4.0),
        ("c", "y", "i1", 4.0),
    ];
    let found = found(", adjust: z-scores", &rows, &[]);
    let [x, y] = only(&found).estimates.as_slice() else { panic!("two models") };
    // Means 3 and 2, standard deviations 2 and 1: the z scores of x are 1, 0 of both raters.
    assert_eq!((x.value, y.value, x.raters, x.responses), (0.5, -1.0, 2, 4));
    assert_eq!((x.interval.as_ref(), x.sd), (None, Some(0.0)));
    assert!(codes(&found).contains(&"no-interval"));
    assert!(codes(&found).contains(&"no-z-scores") && codes(&found).contains(&"z-scores"));
    assert_eq!(column(find(only(&found), "opinion_raters"), "above")[2], Value::Null);
}

/// A dozen raters who nearly agree, and one who alternates between the ends of the scale.
fn erratic() -> Vec<(String, String, f64)> {
    let mut rows = Vec::new();
    for rater in 0..13_usize {
        for item in 0..20_usize {
            let value = match (rater, item % 2) {
                (12, 0) => 1.0,
                (12, _) => 5.0,
                _ => [4.0, 3.0, 3.0, 2.0, 3.0, 3.0][(rater + item) % 6],
            };
            rows.push((format!("r{rater:02}"), format!("i{item:02}"), value));
        }
    }
    rows
}

#[test]
fn screening_is_told_and_applied_where_it_is_asked_for() {
    let rows = erratic();
    let rows: Vec<Scored<'_>> =
        rows.iter().map(|(rater, item, value)| (&**rater, "m", &**item, *value)).collect();
    let whole = found("", &rows, &[]);
    assert_eq!(only(&whole).estimates[0].raters, 13);
    assert!(codes(&whole).contains(&"not-screened"));
    let raters = find(only(&whole), "opinion_raters");
    assert_eq!(texts(raters, "rejected")[11..], ["no", "yes"]);
    assert_eq!((numbers(raters, "above")[12], numbers(raters, "below")[12]), (10.0, 10.0));
    assert_eq!(numbers(raters, "extreme_share")[12], 1.0);
    assert_eq!(column(raters, "imbalance")[11..], [Value::Null, 0.0.into()]);

    let screened = found(", screening: bt500", &rows, &[]);
    let estimate = &only(&screened).estimates[0];
    assert_eq!((estimate.raters, estimate.responses, only(&screened).raters), (12, 240, 12));
    let with = estimate.with_excluded.as_ref().unwrap();
    assert_eq!((with.value, with.raters), (only(&whole).estimates[0].value, 13));
    let told = screened.notes.iter().find(|note| &*note.code == "screened").unwrap();
    assert!(&*told.text == "left out by BT.500: r12", "{}", told.text);
    assert_eq!(find(only(&screened), "opinion_raters").rows.len(), 13);
    assert_eq!(numbers(find(only(&screened), "stimuli"), "scores"), [12.0; 20]);

    // If the study had excluded that rater, no rater would be rejected; `everyone` includes that rater.
    let without = found(", screening: bt500", &rows, &["r12"]);
    let estimate = &only(&without).estimates[0];
    assert_eq!((estimate.value, estimate.raters), (only(&screened).estimates[0].value, 12));
    assert_eq!(estimate.with_excluded.as_ref().unwrap().raters, 13);
    assert_eq!(find(only(&without), "opinion_raters").rows.len(), 12);

    let inconsistency = numbers(raters, "inconsistency");
    assert!(inconsistency[12] > 1.5 && inconsistency[..12].iter().all(|&one| one < 0.8));
    let weighed = found(", model: p910", &rows, &[]);
    let psi = numbers(find(only(&weighed), "stimuli"), "psi");
    let mean = psi.iter().sum::<f64>() / 20.0;
    assert_close(only(&weighed).estimates[0].value, mean, 1e-12);
}

/// If all raters score all stimuli of a single model, P.910 keeps each rater's mean, and intervals are those of
/// plain means whatever the weights.
#[test]
fn intervals_of_p910_move_with_the_raters_drawn() {
    let rows = erratic();
    let rows: Vec<Scored<'_>> =
        rows.iter().map(|(rater, item, value)| (&**rater, "m", &**item, *value)).collect();
    for bootstrap in ["", ", bootstrap: { resamples: 500 }"] {
        let of = |model: &str| only(&found(&format!("{model}{bootstrap}"), &rows, &[])).estimates[0].clone();
        let (plain, weighed) = (of(""), of(", model: p910"));
        assert_close(weighed.value, plain.value, 1e-9);
        if bootstrap.is_empty() {
            assert_close(weighed.se.unwrap(), plain.se.unwrap(), 1e-9);
        } else {
            assert_close(ends(&weighed).0, ends(&plain).0, 1e-9);
            assert_close(ends(&weighed).1, ends(&plain).1, 1e-9);
        }
        assert!(weighed.interval.as_ref().unwrap().method.contains("biases and weights held"));
    }
}

#[test]
fn models_that_share_no_rater_are_analysed_apart() {
    let mut rows = ROWS.to_vec();
    for (rater, first, second) in [("d", 2.0, 3.0), ("e", 4.0, 4.0), ("f", 3.0, 5.0)] {
        rows.extend([(rater, "z", "i1", first), (rater, "z", "i2", second)]);
    }
    let (alone, all) =
        (found(", adjust: bias-removed", &ROWS, &[]), found(", adjust: bias-removed", &rows, &[]));
    assert_eq!(only(&all).estimates.len(), 3);
    for estimate in &only(&alone).estimates {
        assert!(only(&all).estimates.contains(estimate));
    }
    let note = all.notes.iter().find(|note| &*note.code == "analysed-apart").unwrap();
    assert!(note.text.ends_with("x and y; z"), "{}", note.text);
    assert!(!codes(&found("", &rows, &[])).contains(&"analysed-apart"));
}

#[test]
fn repetitions_are_scores_of_the_same_stimulus() {
    let mut table = ScoreTable::default();
    for (block, value) in [(0, 2.0), (1, 4.0), (0, 5.0)] {
        let rater = if value > 4.5 { "b" } else { "a" };
        table.push(&Row { rater, model: "m", against: "", item: "i", block, measure: "score", value });
    }
    let found = aggregate(&OpinionScores::default(), &[table], &[]).unwrap();
    let estimate = &only(&found).estimates[0];
    assert_close(estimate.value, 11.0 / 3.0, 1e-14);
    assert_eq!((estimate.raters, estimate.responses), (2, 3));
    assert_eq!(numbers(find(only(&found), "opinion_raters"), "scores"), [2.0, 1.0]);
}

#[test]
fn chunks_workers_threads_and_order_change_nothing() {
    let rows = erratic();
    let rows: Vec<Scored<'_>> = rows
        .iter()
        .enumerate()
        .map(|(place, (rater, item, value))| (&**rater, ["m", "n"][place % 2], &**item, *value))
        .collect();
    for settings in ["", ", screening: bt500, adjust: bias-removed", ", adjust: z-scores", ", model: p910"] {
        streams_alike(&*yaml(&format!("{{ kind: opinion{settings} }}")), &rows, &["r03"]);
    }
}

#[test]
fn degenerate_tables_say_why() {
    let one = found(", screening: bt500", &ROWS, &["b", "c"]);
    let x = &only(&one).estimates[0];
    assert_eq!((x.value, x.interval.as_ref(), x.sd), (4.5, None, None));
    assert_eq!(x.with_excluded.as_ref().map(|with| with.raters), Some(3));
    for code in ["no-interval", "no-screening"] {
        assert!(codes(&one).contains(&code), "{code}: {:?}", one.notes);
    }
    let one = found(", model: p910", &ROWS, &["b", "c"]);
    assert!(only(&one).estimates.is_empty() && codes(&one).contains(&"no-estimate"));

    let equal: Vec<Scored<'_>> =
        ROWS.iter().map(|&(rater, model, item, _)| (rater, model, item, 3.0)).collect();
    for settings in ["", ", screening: bt500", ", adjust: bias-removed", ", model: p910"] {
        let found = found(settings, &equal, &[]);
        let estimate = &only(&found).estimates[0];
        assert_eq!(estimate.value, 3.0, "{settings}");
        if settings.contains("p910") {
            assert!(estimate.interval.is_none() && codes(&found).contains(&"no-interval"));
        } else {
            // Clopper and Pearson's interval of 1.5 of 3, on the scale from 1 to 5.
            let (low, high) = ends(estimate);
            assert!(1.0 < low && low < 1.5 && 4.5 < high && high < 5.0, "{settings}: {low} {high}");
            assert_close(3.0 - low, high - 3.0, 1e-12);
        }
        assert_eq!(numbers(find(only(&found), "sos_hypothesis"), "a"), [0.0; 3]);
    }
    let constant = found(", adjust: z-scores", &equal, &[]);
    assert!(only(&constant).estimates.is_empty() && codes(&constant).contains(&"no-estimate"));

    let wide: Vec<Scored<'_>> =
        ROWS.iter().map(|&(rater, model, item, value)| (rater, model, item, 20.0 * value)).collect();
    let found = found("", &wide, &[]);
    let why = texts(find(only(&found), "sos_hypothesis"), "undefined");
    assert!(why[0].contains("within the scale, got 80, from 1 to 5; see `scale`"), "{}", why[0]);
}

/// If not every rater saw everything, shares of all presentations are small.
#[test]
fn incomplete_designs_are_told_that_shares_are_small() {
    let rows = erratic();
    let some = |(rater, item, _): &&(String, String, f64)| rater != "r12" || item < &"i01".to_owned();
    let rows: Vec<Scored<'_>> =
        rows.iter().filter(some).map(|(rater, item, value)| (&**rater, "m", &**item, *value)).collect();
    let share = |settings: &str| {
        let found = found(settings, &rows, &[]);
        let told = codes(&found).contains(&"incomplete-screening");
        (numbers(find(only(&found), "opinion_raters"), "extreme_share")[12], told)
    };
    assert_eq!(share(", screening: bt500"), (0.05, true));
}

/// Every score is quality plus bias: P.910 has no spread for weights.
#[test]
fn raters_without_spread_are_reported() {
    let (raters, items) = (["a", "b", "c"], ["i1", "i2", "i3", "i4"]);
    let rows: Vec<Scored<'_>> = raters
        .iter()
        .enumerate()
        .flat_map(|(bias, rater)| {
            items.iter().enumerate().map(move |(quality, item)| (*rater, "m", *item, (bias + quality) as f64))
        })
        .collect();
    let weighed = found(", model: p910", &rows, &[]);
    assert_close(only(&weighed).estimates[0].value, 2.5, 1e-9);
    let note = weighed.notes.iter().find(|note| &*note.code == "vanishing").unwrap();
    assert!(note.text.contains("in a, b and c") && note.class == NoteClass::Meaning, "{}", note.text);
    assert_eq!(column(find(only(&weighed), "stimuli"), "psi_low"), vec![Value::Null; 4]);
    all_close(&numbers(find(only(&weighed), "opinion_raters"), "bias"), &[-1.0, 0.0, 1.0], 1e-9);
    let plain = found("", &rows, &[]);
    let note = plain.notes.iter().find(|note| &*note.code == "vanishing").unwrap();
    assert_eq!(note.class, NoteClass::Setting);
}

/// Biases and weights are fixed while raters are resampled. Fitting each resample again gives about the same spread:
/// its standard deviation over 500 resamples has an error of 3 %, and this one's of 2 %.
#[test]
fn holding_biases_and_weights_is_close_to_fitting_each_resample() {
    const ITEMS: usize = 40;
    let mut chance = Streams::new(5).stream("scores");
    let mut normal = || (0..12).map(|_| chance.unit_f64()).sum::<f64>() - 6.0;
    let quality: Vec<f64> = (0..2 * ITEMS).map(|_| 3.0 + 0.5 * normal()).collect();
    let mut rows = Vec::new();
    for rater in 0..30_usize {
        let (bias, spread) = (0.5 * normal(), 0.4 + 0.3 * normal().abs());
        for (stimulus, quality) in quality.iter().enumerate() {
            if normal() < -0.5 {
                rows.push((rater, stimulus, quality + bias + spread * normal()));
            }
        }
    }
    let names: Vec<(String, String)> = rows
        .iter()
        .map(|(rater, stimulus, _)| (format!("r{rater:02}"), format!("i{:02}", stimulus % ITEMS)))
        .collect();
    let scored: Vec<Scored<'_>> = rows
        .iter()
        .zip(&names)
        .map(|(row, (rater, item))| (&**rater, ["m", "n"][row.1 / ITEMS], &**item, row.2))
        .collect();
    for (settings, projected) in [(", model: p910", true), (", adjust: bias-removed", false)] {
        let resampled = found(&format!("{settings}, bootstrap: {{ resamples: 2000 }}"), &scored, &[]);
        let found = found(settings, &scored, &[]);
        for (model, name) in ["m", "n"].into_iter().enumerate() {
            let mean = |drawn: &[u32]| -> f64 {
                let mut builder = RatingsBuilder::new();
                for (subject, &drawn) in drawn.iter().enumerate() {
                    for &(_, stimulus, score) in rows.iter().filter(|row| row.0 == drawn as usize) {
                        builder.add(stimulus, subject, 0, score).unwrap();
                    }
                }
                let ratings = builder.build().unwrap();
                let of_model = |stimulus: usize| stimulus / ITEMS == model;
                let values: Vec<f64> = if projected {
                    let stimuli = alternating_projection(&ratings).unwrap().stimuli;
                    stimuli.iter().filter(|one| of_model(one.stimulus)).map(|one| one.quality).collect()
                } else {
                    let stimuli = mean_opinion_scores(&remove_bias(&ratings).unwrap().ratings).unwrap();
                    stimuli.iter().filter(|one| of_model(one.stimulus)).map(|one| one.mos).collect()
                };
                values.iter().sum::<f64>() / values.len() as f64
            };
            let anew = bootstrap::statistic(30, bootstrap::Resamples::seeded(500, 1), mean).unwrap();
            let of = |found: &Aggregated| {
                only(found).estimates.iter().find(|one| &*one.model == name).unwrap().clone()
            };
            let (estimate, drawn) = (of(&found), of(&resampled));
            assert_close(estimate.value, anew.estimate(), 1e-7);
            // Resampled raters vary less by the factor √(29 / 30).
            let expected = anew.standard_deviation().unwrap();
            for sd in [drawn.bootstrap_sd.unwrap(), estimate.se.unwrap() * (29.0_f64 / 30.0).sqrt()] {
                assert!((sd / expected - 1.0).abs() < 0.15, "{settings} {name}: {sd} {expected}");
            }
        }
    }
}

#[test]
fn rows_without_a_stimulus_score_are_left_out_or_refused() {
    let tell = |rows: &[Scored<'_>], left_out: &[&str]| {
        aggregate(&OpinionScores::default(), &[table(rows)], left_out).unwrap_err().to_string()
    };
    assert_eq!(tell(&[], &[]), "there are no scores of `score`; there are none at all");
    assert_eq!(tell(&[("a", "m", "", 1.0)], &[]), "no value of `score` is of a single item");
    assert_eq!(tell(&ROWS[..1], &["a"]), "all raters with values of `score` are excluded");
    assert!(tell(&[("a", "m", "i", f64::NAN)], &[]).contains("is not a finite number"));
    let mut vote = ScoreTable::default();
    vote.push(&Row {
        rater: "a",
        model: "x",
        against: "y",
        item: "i",
        block: 0,
        measure: "score",
        value: 1.0,
    });
    let compared = aggregate(&OpinionScores::default(), &[vote.clone()], &[]).unwrap_err().to_string();
    assert!(compared.contains("compares models"), "{compared}");
    let mut whole = ROWS.to_vec();
    whole.push(("a", "x", "", 9.0));
    let found = aggregate(&OpinionScores::default(), &[table(&whole), vote], &[]).unwrap();
    assert_eq!(only(&found).estimates[0].value, 4.0);
    assert_eq!(codes(&found)[..2], ["comparisons-left-out", "no-item"]);
}

#[test]
fn faults_are_found() {
    example_reads("opinion");
    let told = |settings: &str| faults(&*yaml(&format!("{{ kind: opinion{settings} }}")));
    assert_eq!(told(", measure: other"), []);
    assert_eq!(told(", measure: scor"), [("measure".into(), "unknown-measure", Error)]);
    assert_eq!(told(", scale: [5, 1]"), [("scale".into(), "out-of-range", Error)]);
    assert_eq!(
        told(", model: p910, adjust: z-scores, screening: bt500"),
        [("adjust".into(), "contradiction", Error), ("screening".into(), "screened-twice", Warning)]
    );
    assert!(unreadable("{ kind: opinion, screening: bt600 }").contains("bt500"));
}

/// The requested measure is reported even if there are others.
#[test]
fn another_measure_can_be_asked_for() {
    let mut table = table(&ROWS);
    for rater in ["a", "b"] {
        table.push(&Row {
            rater,
            model: "x",
            against: "",
            item: "i1",
            block: 0,
            measure: "other",
            value: 7.0,
        });
    }
    let found = aggregate(&*yaml("{ kind: opinion, measure: other }"), &[table], &[]).unwrap();
    assert_eq!(&*only(&found).measure.name, "other");
    assert_eq!(only(&found).estimates[0].value, 7.0);
}

/// The numbers that a Python list of `np.float64(…)` holds under a key.
pub(crate) fn printed(text: &str, key: &str) -> Vec<f64> {
    let list = text.split_once(&format!("'{key}': [")).unwrap().1.split_once(']').unwrap().0;
    let inner = list.split("np.float64(").skip(1);
    inner.map(|rest| rest.split_once(')').unwrap().0.parse().unwrap()).collect()
}

/// Values of sureal, by Netflix, for its own example.
#[test]
fn the_published_example_of_p910() {
    let (Some(cells), Some(want)) =
        (reference::text("opinion/p910_ratings_79x26.csv"), reference::text("opinion/p910_expected.txt"))
    else {
        return;
    };
    let mut table = ScoreTable::default();
    for (stimulus, line) in cells.lines().enumerate() {
        for (subject, cell) in line.split(',').enumerate() {
            let Some(value) = cell.parse().ok().filter(|score: &f64| score.is_finite()) else { continue };
            let (rater, item) = (format!("r{subject:02}"), format!("i{stimulus:02}"));
            let (rater, item) = (&*rater, &*item);
            table.push(&Row { rater, model: "m", against: "", item, block: 0, measure: "score", value });
        }
    }
    let found = aggregate(&*yaml("{ kind: opinion, model: p910 }"), &[table], &[]).unwrap();
    let measure = only(&found);
    assert_eq!((measure.raters, measure.items, measure.responses), (26, 79, 79 * 26 - 1));
    let (stimuli, raters) = (find(measure, "stimuli"), find(measure, "opinion_raters"));
    assert_close(numbers(stimuli, "mos")[0], 4.769_231, 5e-7);
    assert_close(numbers(stimuli, "sos")[0], 0.710_363, 5e-7);
    all_close(&numbers(stimuli, "psi"), &printed(&want, "mos_j"), 1e-9);
    all_close(&numbers(raters, "bias"), &printed(&want, "bias_i"), 1e-9);
    all_close(&numbers(raters, "inconsistency"), &printed(&want, "inconsistency_i"), 1e-9);
    let psi = printed(&want, "mos_j");
    assert_close(measure.estimates[0].value, psi.iter().sum::<f64>() / 79.0, 1e-9);
    let (low, high) = ends(&measure.estimates[0]);
    assert!(low < measure.estimates[0].value && measure.estimates[0].value < high && high - low < 0.6);
}

/// Values of sureal for tables with repetitions and missing cells.
#[test]
fn every_protocol_agrees_with_sureal() {
    let Some(text) = reference::text("statistics/mos_subject_models.json") else { return };
    let file: Value = serde_json::from_str(&text).unwrap();
    let list = |value: &Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|one| one.as_f64().unwrap_or(f64::NAN)).collect()
    };
    for case in file["cases"].as_array().unwrap() {
        let mut table = ScoreTable::default();
        let stimuli = case["scores_stimulus_by_subject_by_rep"].as_array().unwrap();
        for (stimulus, row) in stimuli.iter().enumerate() {
            for (subject, cell) in row.as_array().unwrap().iter().enumerate() {
                for (repetition, value) in list(cell).into_iter().enumerate().filter(|(_, one)| !one.is_nan())
                {
                    let (rater, item) = (format!("r{subject:03}"), format!("i{stimulus:03}"));
                    let (rater, item, block) = (&*rater, &*item, repetition as u16);
                    table.push(&Row { rater, model: "m", against: "", item, block, measure: "score", value });
                }
            }
        }
        for (model, settings) in
            [("mos", ""), ("zscore", ", adjust: z-scores"), ("p913_biasrem", ", adjust: bias-removed")]
        {
            let by = yaml(&format!("{{ kind: opinion{settings} }}"));
            let found = aggregate(&*by, &[table.clone()], &[]).unwrap();
            let (measure, want) = (only(&found), &case[model]);
            let mos = list(&want["quality_scores"]);
            all_close(&numbers(find(measure, "stimuli"), "mos"), &mos, 1e-10);
            all_close(&numbers(find(measure, "stimuli"), "sos"), &list(&want["quality_ambiguity"]), 1e-10);
            assert_close(measure.estimates[0].value, mos.iter().sum::<f64>() / mos.len() as f64, 1e-10);
            // Where raters scored all stimuli of a single model, the z scores of each have the mean 0.
            assert!(measure.estimates[0].interval.is_some() || settings.contains("z-scores"));
            if measure.estimates[0].interval.is_some() {
                let (low, high) = ends(&measure.estimates[0]);
                assert!(low <= measure.estimates[0].value && measure.estimates[0].value <= high);
            }
        }
        let found = aggregate(&*yaml("{ kind: opinion, model: p910 }"), &[table], &[]).unwrap();
        let (measure, want) = (only(&found), &case["mle_p910_projection"]);
        all_close(&numbers(find(measure, "stimuli"), "psi"), &list(&want["quality_scores"]), 1e-9);
        all_close(&numbers(find(measure, "opinion_raters"), "bias"), &list(&want["observer_bias"]), 1e-9);
        let spread = list(&want["observer_inconsistency"]);
        all_close(&numbers(find(measure, "opinion_raters"), "inconsistency"), &spread, 1e-9);
    }
}
