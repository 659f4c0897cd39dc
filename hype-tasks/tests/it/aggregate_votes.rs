//! Votes between pairs and orders of models become strengths, win rates, ratings and ranks.

#![allow(missing_docs, dead_code, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use crate::aggregating;
use crate::reference;

use crate::aggregating::{
    Cell, aggregate, measure, named, parts_make_the_whole, range, table, try_aggregate, value,
};
use hype_analyses::aggregators::contrast::{IntervalKind, PairedPreferences, PreferenceModel};
use hype_analyses::aggregators::elo::Elo;
use hype_analyses::aggregators::ranking::RankingOfModels;
use hype_core::model::findings::GeneralizeTo;
use hype_core::{AggregatorSpec, Diagnostics, ScoreTable, Streams};

const VOTES: [&str; 1] = ["preference"];
const RANKS: [&str; 1] = ["rank"];

/// Raters who each vote a fixed number of times on every pair of three models.
fn votes() -> Vec<Cell<'static>> {
    let raters = ["r1", "r2", "r3", "r4", "r5", "r6"];
    let mut cells = Vec::new();
    for (place, rater) in raters.into_iter().enumerate() {
        for (model, against, wins, of) in [("a", "b", 3, 4), ("b", "c", 3, 4), ("c", "a", 1, 4)] {
            for block in 0..of {
                let shift = u16::from(model == "a" && place == 0);
                let won = block < wins + shift - u16::from(model == "b" && place == 1);
                cells.push((rater, model, against, "i", block, "preference", f64::from(u8::from(won))));
            }
        }
    }
    cells
}

#[test]
fn two_models_have_the_odds_of_their_wins() {
    let cells: Vec<Cell<'_>> = [("r1", 1.0), ("r2", 1.0), ("r3", 0.0), ("r4", 1.0)]
        .into_iter()
        .map(|(rater, value)| (rater, "x", "y", "i", 0, "preference", value))
        .collect();
    let settings =
        PairedPreferences { intervals: Some(IntervalKind::Information), ..PairedPreferences::default() };
    let found = aggregate(&settings, &VOTES, &[table(&cells)]);
    let strength = measure(&found, "strength");
    // ln(3 / 1) apart, centred.
    assert!((value(strength, "x") - 0.5 * 3.0_f64.ln()).abs() < 1e-9);
    assert_eq!(value(measure(&found, "win_rate"), "x"), 0.75);
    let pair = &strength.comparisons[0];
    // The variance of log odds is 1/3 + 1/1.
    let error = (4.0_f64 / 3.0).sqrt();
    assert!((pair.statistic.unwrap() - 3.0_f64.ln() / error).abs() < 1e-9);
    let votes = named(measure(&found, "win_rate"), "votes");
    assert_eq!(votes.rows[0][2..5], [3, 0, 1].map(|count| serde_json::json!(count)));
}

#[test]
fn strengths_come_with_intervals_of_every_kind() {
    for intervals in [IntervalKind::Bootstrap, IntervalKind::Information, IntervalKind::Clustered] {
        let found = aggregate(
            &PairedPreferences { intervals: Some(intervals), ..PairedPreferences::default() },
            &VOTES,
            &[table(&votes())],
        );
        let strength = measure(&found, "strength");
        assert_eq!(strength.raters, 6);
        assert!(value(strength, "a") > value(strength, "b") && value(strength, "b") > value(strength, "c"));
        for model in ["a", "b", "c"] {
            let (range, value) = (range(strength, model), value(strength, model));
            assert!(range.low < value && value < range.high, "{intervals:?}, {model}: {range:?}");
        }
    }
    parts_make_the_whole(&PairedPreferences::default(), &VOTES, &votes());
}

/// Votes, each between `m` and another model: six raters, 8 votes on each pair.
fn votes_against_one() -> Vec<Cell<'static>> {
    let mut cells = Vec::new();
    for (place, rater) in ["r1", "r2", "r3", "r4", "r5", "r6"].into_iter().enumerate() {
        for (other, wins) in [("a", 6), ("x", 4), ("z", 3)] {
            for block in 0..8_u16 {
                let won = block < wins + place as u16 % 2;
                // On both sides equally often.
                let value = f64::from(u8::from(won));
                cells.push(match block % 2 {
                    0 => (rater, "m", other, "i", block, "preference", value),
                    _ => (rater, other, "m", "i", block, "preference", 1.0 - value),
                });
            }
        }
    }
    cells
}

#[test]
fn one_model_is_compared_with_each_of_the_others_alone() {
    let cells = votes_against_one();
    let by = PairedPreferences::default();
    let found = aggregate(&by, &VOTES, &[table(&cells)]);
    let strength = measure(&found, "strength");
    let pairs: Vec<(&str, &str)> = strength.comparisons.iter().map(|one| (&*one.a, &*one.b)).collect();
    assert_eq!(pairs, [("m", "a"), ("m", "x"), ("m", "z")]);
    assert_eq!(strength.family.as_deref(), Some("3 pairs of models"));
    assert!(strength.ranks.is_none(), "others were never compared");
    // Each pair has the odds of its own votes: 39 to 9, 27 to 21 and 21 to 27 of 48.
    for (pair, odds) in strength.comparisons.iter().zip([39.0 / 9.0, 27.0 / 21.0, 21.0 / 27.0_f64]) {
        assert!((pair.difference - odds.ln()).abs() < 1e-9, "{pair:?}");
    }
    let ours = named(strength, "against");
    for (row, (other, wins, odds)) in
        ours.rows.iter().zip([("a", 39, 39.0 / 9.0), ("x", 27, 27.0 / 21.0), ("z", 21, 21.0 / 27.0)])
    {
        assert_eq!(
            (row[0].as_str(), row[1].as_u64(), row[3].as_u64()),
            (Some(other), Some(wins), Some(48 - wins))
        );
        let [ratio, low, high] = [4, 5, 6].map(|column| row[column].as_f64().unwrap());
        assert!((ratio - odds).abs() < 1e-9 && low < ratio && ratio < high, "{row:?}");
    }
    assert!(found.notes.iter().any(|note| &*note.code == "against-one"));
    // A study says so itself, whatever was compared so far.
    let of_study = |compared_with: Option<&str>, cells: &[Cell<'_>]| {
        let mut context = aggregating::context(&VOTES).with_compared_with(compared_with.map(Into::into));
        context.models = ["m", "a", "x", "z"].map(Into::into).to_vec();
        let mut sums = (&by as &dyn AggregatorSpec).begin(&context);
        sums.add(&table(cells)).unwrap();
        sums.findings(&[], &Streams::new(1)).unwrap()
    };
    assert_eq!(of_study(Some("m"), &cells).measures, found.measures);
    let of_all = of_study(None, &cells);
    assert_eq!(measure(&of_all, "strength").comparisons.len(), 6);
    // In a table, one vote between two others is enough for all pairs.
    let mut with_others = cells;
    with_others.push(("r1", "a", "x", "i", 0, "preference", 1.0));
    let found = aggregate(&by, &VOTES, &[table(&with_others)]);
    assert_eq!(measure(&found, "strength").comparisons.len(), 6);
    parts_make_the_whole(&by, &VOTES, &votes_against_one());
}

#[test]
fn ties_take_davidsons_model_and_both_forms_are_there_by_name() {
    let mut cells = votes();
    cells.extend(["r1", "r2", "r3"].map(|rater| (rater, "a", "b", "j", 0, "preference", 0.5)));
    let auto = aggregate(&PairedPreferences::default(), &VOTES, &[table(&cells)]);
    assert!(auto.notes.iter().any(|note| &*note.code == "davidson"));
    let by = |model| {
        let found =
            aggregate(&PairedPreferences { model, ..PairedPreferences::default() }, &VOTES, &[table(&cells)]);
        value(measure(&found, "strength"), "a")
    };
    assert_eq!(by(PreferenceModel::Davidson), value(measure(&auto, "strength"), "a"));
    assert!(by(PreferenceModel::BradleyTerry) < by(PreferenceModel::BradleyTerryWithoutTies));
}

#[test]
fn models_without_a_common_scale_are_named() {
    let split: Vec<Cell<'_>> = vec![
        ("r1", "a", "b", "i", 0, "preference", 1.0),
        ("r1", "b", "a", "i", 1, "preference", 1.0),
        ("r1", "c", "d", "i", 0, "preference", 1.0),
        ("r2", "d", "c", "i", 1, "preference", 1.0),
    ];
    let told = |cells: &[Cell<'_>]| -> String {
        let found = aggregate(&PairedPreferences::default(), &VOTES, &[table(cells)]);
        assert!(found.measures.iter().all(|measure| &*measure.measure.name == "win_rate"));
        found.notes.iter().find(|note| &*note.code == "no-strengths").unwrap().text.to_string()
    };
    assert!(told(&split).contains("a, b | c, d"));
    let unbeaten: Vec<Cell<'_>> =
        split[..2].iter().copied().chain([("r2", "c", "a", "i", 0, "preference", 1.0)]).collect();
    assert!(told(&unbeaten).contains("c > a, b"));
    let finite = PairedPreferences { ridge: Some(0.1), ..PairedPreferences::default() };
    assert!(value(measure(&aggregate(&finite, &VOTES, &[table(&unbeaten)]), "strength"), "c").is_finite());
}

#[test]
fn invalid_votes_are_refused_with_their_place() {
    for (cell, says) in [
        (("r1", "a", "", "i", 0, "preference", 1.0), "against"),
        (("r1", "a", "a", "i", 0, "preference", 1.0), "another model"),
        (("r1", "a", "b", "i", 0, "preference", 0.7), "0.7"),
        (("r1", "a", "b", "i", 0, "preference", f64::NAN), "not a finite number"),
    ] {
        let error = try_aggregate(&PairedPreferences::default(), &VOTES, &[table(&[cell])], &[])
            .unwrap_err()
            .to_string();
        assert!(error.contains(says) && error.contains("r1"), "{error}");
    }
    assert!(try_aggregate(&PairedPreferences::default(), &VOTES, &[ScoreTable::default()], &[]).is_err());
}

#[test]
fn estimates_with_excluded_votes_are_shown() {
    let found = try_aggregate(&PairedPreferences::default(), &VOTES, &[table(&votes())], &["r1"]).unwrap();
    let rate = measure(&found, "win_rate");
    let of_a = rate.estimates.iter().find(|estimate| &*estimate.model == "a").unwrap();
    assert_eq!((rate.raters, of_a.with_excluded.as_ref().unwrap().raters), (5, 6));
}

#[test]
fn estimates_with_excluded_orders_are_shown() {
    let settings = RankingOfModels::default();
    let found = try_aggregate(&settings, &RANKS, &[table(&orders())], &["r4"]).unwrap();
    let everyone = aggregate(&settings, &RANKS, &[table(&orders())]);
    for estimate in &measure(&found, "strength").estimates {
        let with = estimate.with_excluded.as_ref().unwrap();
        assert_eq!(with.value, value(measure(&everyone, "strength"), &estimate.model));
        assert_eq!((estimate.raters, with.raters), (3, 4));
    }
    let absent = try_aggregate(&settings, &RANKS, &[table(&orders())], &["r9"]).unwrap();
    assert!(measure(&absent, "strength").estimates.iter().all(|one| one.with_excluded.is_none()));
}

#[test]
fn differences_of_strengths_name_what_their_z_divides_by() {
    for (intervals, named) in [
        (IntervalKind::Bootstrap, "bootstrap standard deviation"),
        (IntervalKind::Information, "Wald's z by information matrix"),
        (IntervalKind::Clustered, "Student's t over raters, Bonferroni"),
    ] {
        let found = aggregate(
            &PairedPreferences { intervals: Some(intervals), ..PairedPreferences::default() },
            &VOTES,
            &[table(&votes())],
        );
        let pair = &measure(&found, "strength").comparisons[0];
        assert!(pair.method.contains(named), "{}", pair.method);
    }
}

#[test]
fn elo_keeps_the_order_of_strengths_and_has_no_intervals() {
    let found = aggregate(&Elo::default(), &VOTES, &[table(&votes())]);
    let elo = measure(&found, "elo");
    let names: Vec<&str> = elo.estimates.iter().map(|estimate| &*estimate.model).collect();
    assert_eq!(names, ["a", "b", "c"]);
    // One model's wins are another's losses.
    let mean = elo.estimates.iter().map(|estimate| estimate.value).sum::<f64>() / 3.0;
    assert!((mean - 1000.0).abs() < 1e-9);
    assert!(elo.estimates.iter().all(|estimate| estimate.interval.is_none()));
    assert_eq!(named(elo, "elo").rows.len(), 3);
}

/// Four raters order three models for two items; one ranking has a tie and a gap.
fn orders() -> Vec<Cell<'static>> {
    let rows: [(&str, &str, [f64; 3]); 8] = [
        ("r1", "i", [1.0, 2.0, 3.0]),
        ("r2", "i", [1.0, 3.0, 2.0]),
        ("r3", "i", [2.0, 1.0, 3.0]),
        ("r4", "i", [3.0, 2.0, 1.0]),
        ("r1", "j", [1.0, 2.0, 3.0]),
        ("r2", "j", [1.0, 1.0, 4.0]),
        ("r3", "j", [1.0, 2.0, 3.0]),
        ("r4", "j", [2.0, 1.0, 3.0]),
    ];
    let models = ["a", "b", "c"];
    let cells = |(rater, item, ranks): (_, _, [f64; 3])| {
        models.into_iter().zip(ranks).map(move |(model, rank)| (rater, model, "", item, 0, "rank", rank))
    };
    rows.into_iter().flat_map(cells).collect()
}

#[test]
fn orders_become_mean_ranks_strengths_and_concordance() {
    let found = aggregate(&RankingOfModels::default(), &RANKS, &[table(&orders())]);
    let ranks = measure(&found, "rank");
    // Ranks of a: (1, 1), (1, 1.5), (2, 1) and (3, 2) by rater.
    assert_eq!(value(ranks, "a"), (1.0 + 1.25 + 1.5 + 2.5) / 4.0);
    assert_eq!(&*ranks.estimates[0].model, "a");
    assert_eq!(ranks.responses, 8);
    let strength = measure(&found, "strength");
    assert_eq!(strength.responses, 8);
    assert!(value(strength, "a") > value(strength, "b"));
    assert!(found.notes.iter().any(|note| &*note.code == "tied-rankings"));
    // Item i: rank sums 7, 8, 9 of four raters, so W = 12 · 2 / (16 · 24).
    let concordance = ranks.agreement[0].value.unwrap();
    let of_i = 12.0 * 2.0 / (16.0 * 24.0);
    // Item j: rank sums 5.5, 6.5, 12 with one tie of two: S = 24.5, W = 12 S / (16 · 24 - 4 · 6).
    let of_j = 12.0 * 24.5 / (16.0 * 24.0 - 4.0 * 6.0);
    assert!((concordance - 0.5 * (of_i + of_j)).abs() < 1e-12, "{concordance}");
    parts_make_the_whole(&RankingOfModels::default(), &RANKS, &orders());
}

#[test]
fn invalid_rankings_are_refused_with_their_place() {
    for (spoilt, says) in [(0.0, "rank 0"), (1.25, "1.25"), (-1.0, "rank -1")] {
        let mut cells = orders();
        cells[4].6 = spoilt;
        let error = try_aggregate(&RankingOfModels::default(), &RANKS, &[table(&cells)], &[])
            .unwrap_err()
            .to_string();
        assert!(error.contains(says) && error.contains("r2") && error.contains("item i"), "{error}");
    }
    let mut cells = orders();
    cells.push(cells[0]);
    let error = try_aggregate(&RankingOfModels::default(), &RANKS, &[table(&cells)], &[]).unwrap_err();
    assert!(error.to_string().contains("twice"));
}

#[test]
fn measures_without_votes_are_reported() {
    let faults = |aggregator: &dyn AggregatorSpec, measures: &[&str]| -> Vec<String> {
        let mut at = Diagnostics::new();
        aggregator.check(&aggregating::context(measures).measures, &mut at);
        at.iter().map(|fault| fault.path.to_string()).collect()
    };
    assert_eq!(faults(&PairedPreferences::default(), &["error"]).len(), 1);
    assert_eq!(faults(&RankingOfModels::default(), &VOTES).len(), 1);
}

/// Published votes of people through the aggregator: the same strengths as the reference's.
#[test]
fn reference_votes_give_reference_strengths() {
    let Some(text) = reference::text("statistics/pairwise.json") else { return };
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let case = file["cases"].as_array().unwrap().iter().find(|case| case.get("rater").is_some()).unwrap();
    let column = |name: &str| -> Vec<u64> {
        case[name].as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
    };
    let names: Vec<String> = (0..40).map(|number| format!("{number:02}")).collect();
    let (a, b, winner, rater) = (column("a"), column("b"), column("winner"), column("rater"));
    let cells: Vec<Cell<'_>> = (0..a.len())
        .map(|row| {
            let value = [0.5, 1.0, 0.0][winner[row] as usize];
            let name = |number: u64| names[number as usize].as_str();
            (name(rater[row]), name(a[row]), name(b[row]), "i", 0, "preference", value)
        })
        .collect();
    for (model, field) in
        [(PreferenceModel::BradleyTerry, "bt_half_ties"), (PreferenceModel::Davidson, "davidson")]
    {
        let found =
            aggregate(&PairedPreferences { model, ..PairedPreferences::default() }, &VOTES, &[table(&cells)]);
        let strength = measure(&found, "strength");
        for (number, want) in case[field]["theta"].as_array().unwrap().iter().enumerate() {
            assert!(
                (value(strength, &names[number]) - want.as_f64().unwrap()).abs() < 1e-8,
                "{field} {number}"
            );
        }
    }
}

/// Votes on one pair in which `wins(rater, item)` says whether the first model won.
fn pair_votes(raters: usize, items: usize, wins: impl Fn(usize, usize) -> bool) -> Vec<Cell<'static>> {
    const NAMES: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
    let mut cells = Vec::new();
    for (rater, &rater_name) in NAMES.iter().enumerate().take(raters) {
        for (item, &item_name) in NAMES.iter().enumerate().take(items) {
            let won = f64::from(u8::from(wins(rater, item)));
            cells.push((rater_name, "a", "b", item_name, 0, "preference", won));
        }
    }
    cells
}

#[test]
fn raters_who_agree_by_chance_have_the_errors_of_independent_votes() {
    let cells = pair_votes(3, 10, |_, item| item < 6);
    let by = |intervals| {
        let settings = PairedPreferences {
            intervals: Some(intervals),
            order_effect: Some(false),
            ..PairedPreferences::default()
        };
        aggregate(&settings, &VOTES, &[table(&cells)])
    };
    let [clustered, independent] = [IntervalKind::Clustered, IntervalKind::Information].map(by);
    let pair = |found| measure(found, "strength").comparisons[0].clone();
    let (ours, theirs) = (pair(&clustered), pair(&independent));
    assert!((ours.se.unwrap() - theirs.se.unwrap()).abs() < 1e-12);
    assert!(ours.p.unwrap() > theirs.p.unwrap());
    let error = |found| measure(found, "strength").estimates[0].se.unwrap();
    assert!((error(&clustered) - error(&independent)).abs() < 1e-12);
}

#[test]
fn the_fit_is_tested_only_where_votes_count_as_independent() {
    for (intervals, tested) in [
        (IntervalKind::Information, true),
        (IntervalKind::Clustered, false),
        (IntervalKind::Bootstrap, false),
    ] {
        let settings = PairedPreferences {
            intervals: Some(intervals),
            order_effect: Some(false),
            ..PairedPreferences::default()
        };
        let found = aggregate(&settings, &VOTES, &[table(&votes())]);
        let deviance = &measure(&found, "strength").tests[0];
        assert!(deviance.statistic.is_some());
        assert_eq!((deviance.p.is_some(), deviance.undefined.is_none()), (tested, tested), "{intervals:?}");
    }
}

#[test]
fn bootstraps_of_few_raters_say_how_often_their_tests_err() {
    let by = PairedPreferences { intervals: Some(IntervalKind::Bootstrap), ..PairedPreferences::default() };
    let found = aggregate(&by, &VOTES, &[table(&votes())]);
    let note = found.notes.iter().find(|note| &*note.code == "few-raters").unwrap();
    assert!(note.text.contains("tests find equal models different as often"), "{}", note.text);
    assert!(note.text.split_whitespace().count() <= 35, "{}", note.text);
}

#[test]
fn win_rates_that_few_items_decide_are_named() {
    let warned = |raters: usize, wins: &dyn Fn(usize, usize) -> bool| {
        let context = aggregating::context(&VOTES).generalizing_to(GeneralizeTo::RatersAndItems);
        let by: &dyn AggregatorSpec = &PairedPreferences::default();
        let mut sums = by.begin(&context);
        sums.add(&table(&pair_votes(raters, 10, wins))).unwrap();
        let found = sums.findings(&[], &Streams::new(1)).unwrap();
        found.notes.iter().any(|note| &*note.code == "skewed" && note.text.contains("few items"))
    };
    // All losses are about one of ten items.
    assert!(warned(12, &|_, item| item > 0));
    // As many items as raters or more: raters are what makes the interval wide.
    assert!(!warned(10, &|_, item| item > 0));
    // Every item has about as many losses, and half of the votes are lost.
    assert!(!warned(12, &|rater, item| rater % 10 != item));
    assert!(!warned(12, &|rater, item| (rater + item) % 2 == 0));
}
