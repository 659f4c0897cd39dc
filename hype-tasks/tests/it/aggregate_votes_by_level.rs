//! Votes at the levels of a facet: strengths and win rates there, one family of pairs, and the interaction.

use hype_analyses::aggregators::contrast::{IntervalKind, PairedPreferences};
use hype_core::model::findings::{FacetInteraction, GeneralizeTo, MeasureFindings, Note};
use hype_core::model::score::{Direction, Measure};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{
    AggregateError, Aggregated, Aggregator as _, Exclusion, Facet, FacetCell, RaterDesign, ScoreTable,
    Streams,
};

use crate::aggregating::{Cell, measure, named, table};

const MODELS: [&str; 3] = ["a", "b", "c"];
const LEVELS: [&str; 2] = ["animals", "objects"];

fn by_kind() -> PairedPreferences {
    let within = Some("kind".into());
    PairedPreferences { within, order_effect: Some(false), ..PairedPreferences::default() }
}

fn facet(levels: &[&str]) -> Facet {
    Facet { name: "kind".into(), levels: levels.iter().map(|&level| level.into()).collect(), scale: None }
}

/// Items `i0`, `i1`, … whose levels alternate, for what results generalize to.
fn context(levels: &[&str], items: usize, target: GeneralizeTo) -> Aggregation {
    let measure = Measure::new("preference", "preference", "", Direction::Higher);
    let of = |item: usize| {
        (format!("i{item}").into(), [("kind".into(), levels[item % levels.len()].into())].into())
    };
    Aggregation::new(vec![measure], RaterDesign::Within)
        .generalizing_to(target)
        .with_facets(vec![facet(levels)], Vec::new())
        .with_item_levels((0..items).map(of).collect())
}

fn aggregate(
    by: &PairedPreferences,
    context: &Aggregation,
    tables: &[ScoreTable],
    left_out: &[&str],
) -> Result<Aggregated, AggregateError> {
    let mut sums = by.begin(context);
    tables.iter().try_for_each(|table| by.add(&mut sums, table))?;
    let exclusions: Vec<Exclusion> = left_out
        .iter()
        .map(|&rater| Exclusion { rater: rater.into(), rule: "left".into(), reason: "test".into() })
        .collect();
    by.findings(sums, &exclusions, &Streams::new(1))
}

/// Votes of raters on all pairs of models and all items: the outcome follows from rater, item, and the pair's number.
struct Votes {
    names: Vec<[String; 2]>,
    rows: Vec<(usize, [usize; 2], f64)>,
}

impl Votes {
    fn new(
        raters: usize,
        items: usize,
        models: usize,
        outcome: impl Fn(usize, usize, [usize; 2]) -> f64,
    ) -> Self {
        let (mut names, mut rows) = (Vec::new(), Vec::new());
        for rater in 0..raters {
            for item in 0..items {
                names.push([format!("r{rater:02}"), format!("i{item}")]);
                for first in 0..models {
                    for second in first + 1..models {
                        rows.push((names.len() - 1, [first, second], outcome(rater, item, [first, second])));
                    }
                }
            }
        }
        Self { names, rows }
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        self.rows
            .iter()
            .map(|&(name, [first, second], value)| {
                let [rater, item] = &self.names[name];
                (&**rater, MODELS[first], MODELS[second], &**item, 0, "preference", value)
            })
            .collect()
    }
}

/// A vote for the first model with about this probability, spread evenly over raters and items.
fn about(probability: f64, rater: usize, item: usize, pair: [usize; 2]) -> f64 {
    let place = (rater * 7 + item * 11 + pair[0] * 5 + pair[1] * 3) % 20;
    f64::from(u8::from(place as f64 + 0.5 < 20.0 * probability))
}

fn strength(found: &Aggregated) -> (&MeasureFindings, &FacetInteraction) {
    let strength = measure(found, "strength");
    (strength, &strength.interactions[0])
}

fn codes(notes: &[Note]) -> Vec<&str> {
    notes.iter().map(|note| &*note.code).collect()
}

/// The first model is the best for animals and the last for objects.
fn crossed() -> Votes {
    Votes::new(10, 12, 3, |rater, item, pair| {
        about(if item.is_multiple_of(2) { 0.75 } else { 0.25 }, rater, item, pair)
    })
}

/// The first model is the best, for animals and for objects.
fn parallel() -> Votes {
    Votes::new(10, 12, 3, |rater, item, pair| about(0.7, rater, item / 2, pair))
}

#[test]
fn levels_have_the_estimates_of_their_votes_and_one_family_of_pairs() {
    let votes = crossed();
    let cells = votes.cells();
    let context = context(&LEVELS, 12, GeneralizeTo::Raters);
    let found = aggregate(&by_kind(), &context, &[table(&cells)], &[]).unwrap();
    let alone = PairedPreferences { order_effect: Some(false), ..PairedPreferences::default() };
    for (number, level) in LEVELS.into_iter().enumerate() {
        let is_there = |cell: &&Cell<'_>| cell.3[1..].parse::<usize>().unwrap() % 2 == number;
        let own: Vec<Cell<'_>> = cells.iter().filter(is_there).copied().collect();
        let of_level = aggregate(&alone, &context, &[table(&own)], &[]).unwrap();
        for name in ["strength", "win_rate"] {
            let at = &measure(&found, name).facets[number];
            let of_level = measure(&of_level, name);
            assert_eq!((&*at.facet, &*at.level, at.raters), ("kind", level, 10));
            assert_eq!(at.estimates, of_level.estimates, "{name} at {level}");
            for (pair, alone) in at.comparisons.iter().zip(&of_level.comparisons) {
                assert_eq!((&pair.a, pair.difference), (&alone.a, alone.difference));
                // Bonferroni over the pairs of both levels, and that over the pairs of one.
                let want = (2.0 * alone.p.unwrap()).min(1.0);
                assert!((pair.p.unwrap() - want).abs() < 1e-12 || alone.p == Some(1.0), "{pair:?}");
            }
        }
    }
    let (_, together) = strength(&found);
    assert_eq!(together.family.as_deref(), Some("6 pairs of models at 2 levels of kind"));
    assert_eq!(measure(&found, "strength").family.as_deref(), Some("3 pairs of models"));
    // All votes together are those without levels.
    let whole = aggregate(&alone, &context, &[table(&cells)], &[]).unwrap();
    for name in ["strength", "win_rate"] {
        assert_eq!(measure(&found, name).estimates, measure(&whole, name).estimates);
        assert_eq!(measure(&found, name).items, measure(&whole, name).items);
    }
    assert!(measure(&found, "win_rate").interactions[0].test.is_none());
}

#[test]
fn interactions_are_found_only_where_they_exist() {
    for target in [GeneralizeTo::Raters, GeneralizeTo::Items, GeneralizeTo::RatersAndItems] {
        let context = context(&LEVELS, 12, target);
        let p = |votes: &Votes| {
            let found = aggregate(&by_kind(), &context, &[table(&votes.cells())], &[]).unwrap();
            let test = strength(&found).1.test.clone().unwrap();
            // Three models at two levels; the second mirrors the first.
            assert_eq!(test.effects[0].value, 3.0);
            test.p.unwrap()
        };
        assert!(p(&crossed()) < 1e-3, "{target:?}: {}", p(&crossed()));
        assert!(p(&parallel()) > 0.5, "{target:?}: {}", p(&parallel()));
    }
    // Votes that count as independent have the chi-squared test of their counts.
    let by = PairedPreferences { intervals: Some(IntervalKind::Information), ..by_kind() };
    let context = context(&LEVELS, 12, GeneralizeTo::Raters);
    let found = aggregate(&by, &context, &[table(&crossed().cells())], &[]).unwrap();
    assert!(strength(&found).1.test.as_ref().unwrap().p.unwrap() < 1e-6);
}

#[test]
fn departures_of_votes_are_shown_with_expected_values() {
    let votes = Votes::new(8, 10, 2, |rater, item, pair| {
        about(if item.is_multiple_of(2) { 0.8 } else { 0.4 }, rater, item, pair)
    });
    let context = context(&LEVELS, 10, GeneralizeTo::Raters);
    let found = aggregate(&by_kind(), &context, &[table(&votes.cells())], &[]).unwrap();
    let rows = &named(measure(&found, "strength"), "departures").rows;
    assert_eq!(rows.len(), 4);
    for row in rows {
        let number = |place: usize| row[place].as_f64().unwrap();
        assert!((number(3) - number(4) - number(5)).abs() < 1e-12, "{row:?}");
        assert_eq!(number(2), 40.0);
        let own = &measure(&found, "win_rate").facets[usize::from(row[0] == "objects")].estimates;
        let rate = own.iter().find(|one| row[1] == *one.model).unwrap().value;
        assert!((number(3) - rate).abs() < 1e-12);
    }
    // Of two models at two levels there is one departure, whose p value is that of the test.
    let test = strength(&found).1.test.as_ref().unwrap().p.unwrap();
    assert!(rows.iter().all(|row| (row[7].as_f64().unwrap() - test).abs() < 1e-12), "{test}: {rows:?}");
}

#[test]
fn a_model_that_always_wins_at_a_level_has_a_rate_and_a_test_there_and_no_strength() {
    let votes = Votes::new(6, 10, 3, |rater, item, pair| match (item % 2, pair[0]) {
        (0, 0) => 1.0,
        _ => about(0.5, rater, item, pair),
    });
    let context = context(&LEVELS, 10, GeneralizeTo::Raters);
    let found = aggregate(&by_kind(), &context, &[table(&votes.cells())], &[]).unwrap();
    let (strengths, together) = strength(&found);
    assert_eq!(strengths.facets.iter().map(|level| &*level.level).collect::<Vec<_>>(), ["objects"]);
    let note = found.notes.iter().find(|note| &*note.code == "no-strengths").unwrap();
    assert!(note.text.contains("kind animals") && note.text.contains("a > b, c"), "{}", note.text);
    assert_eq!(&*together.family.clone().unwrap(), "3 pairs of models at 1 level of kind");
    let rates = &measure(&found, "win_rate").facets;
    assert_eq!((rates.len(), rates[0].estimates[0].value), (2, 1.0));
    assert!(rates[0].estimates[0].interval.as_ref().unwrap().low < 1.0);
    let test = together.test.as_ref().unwrap();
    assert!(test.p.unwrap() < 0.05, "{test:?}");
}

#[test]
fn levels_without_votes_with_one_item_and_with_one_pair_are_reported() {
    let levels = ["animals", "objects", "people", "text"];
    // Nothing is voted on about `text`, only one item is about `people`, and of objects only two models are compared.
    let votes = Votes::new(5, 7, 3, |rater, item, pair| about(0.6, rater, item, pair));
    let kept = |cell: &&Cell<'_>| match &cell.3[1..] {
        "3" => false,
        "6" => false,
        "1" | "5" => cell.2 != "c",
        _ => true,
    };
    let cells: Vec<Cell<'_>> = votes.cells().iter().filter(kept).copied().collect();
    let context = context(&levels, 7, GeneralizeTo::RatersAndItems);
    let found = aggregate(&by_kind(), &context, &[table(&cells)], &[]).unwrap();
    let text = |code: &str| {
        let notes = found.notes.iter().filter(|note| &*note.code == code);
        notes.map(|note| &*note.text).collect::<Vec<_>>().join("; ")
    };
    assert!(text("missing-levels").contains("no votes at levels of kind: text"), "{:?}", found.notes);
    assert!(text("untested-levels").contains("people"), "{:?}", found.notes);
    let rates = &measure(&found, "win_rate").facets;
    assert_eq!(rates.iter().map(|level| level.estimates.len()).collect::<Vec<_>>(), [3, 2, 3]);
    let finite = |value: f64| value.is_finite();
    for measure in &found.measures {
        for level in &measure.facets {
            assert!(level.estimates.iter().all(|one| finite(one.value) && one.se.is_none_or(finite)));
            assert!(level.comparisons.iter().all(|pair| pair.p.is_none_or(finite)));
        }
        assert!(measure.interactions.iter().filter_map(|one| one.test.as_ref()?.p).all(finite));
    }
}

#[test]
fn equal_votes_have_no_interaction_and_no_nonsense() {
    for (value, items) in [(0.5, 6), (0.5, 1), (1.0, 6)] {
        let votes = Votes::new(4, items, 2, |_, _, _| value);
        let context = context(&LEVELS, items, GeneralizeTo::Raters);
        let found = aggregate(&by_kind(), &context, &[table(&votes.cells())], &[]).unwrap();
        let tests =
            found.measures.iter().flat_map(|one| &one.interactions).filter_map(|one| one.test.as_ref());
        let tests: Vec<_> = tests.collect();
        assert_eq!(tests.len(), 1, "{value}, {items}");
        let is_plain = tests[0].p.is_none() && tests[0].undefined.is_some() || tests[0].p == Some(1.0);
        assert!(is_plain, "{value}, {items}: {:?}", tests[0]);
    }
}

#[test]
fn levels_of_raters_are_compared_between_them() {
    let votes = Votes::new(9, 6, 2, |rater, item, pair| {
        about(if rater.is_multiple_of(2) { 0.85 } else { 0.3 }, rater / 2, item, pair)
    });
    // The last rater has no level.
    let levels = (0..8)
        .map(|rater| (format!("r{rater:02}").into(), [("kind".into(), LEVELS[rater % 2].into())].into()));
    let context = Aggregation { item_levels: <_>::default(), ..context(&LEVELS, 0, GeneralizeTo::Raters) }
        .with_rater_levels(levels.collect());
    let found = aggregate(&by_kind(), &context, &[table(&votes.cells())], &[]).unwrap();
    let (strengths, together) = strength(&found);
    assert_eq!(strengths.facets.iter().map(|level| level.raters).collect::<Vec<_>>(), [4, 4]);
    assert_eq!(strengths.raters, 9);
    let test = together.test.as_ref().unwrap();
    // Welch's degrees of freedom of four and four raters.
    assert!(test.p.unwrap() < 0.05 && (2.9..6.1).contains(&test.df[0]), "{test:?}");
    let note = found.notes.iter().find(|note| &*note.code == "missing-levels").unwrap();
    assert_eq!(&*note.text, "1 rater without a level of kind, left out of results by level");
    // Two raters of a level are too few for intervals and pairs there.
    let few = aggregate(&by_kind(), &context, &[table(&votes.cells())], &["r00", "r02"]).unwrap();
    let pairs = strength(&few).0.facets.iter().map(|level| level.comparisons.len());
    assert_eq!(pairs.collect::<Vec<_>>(), [0, 1]);
    assert!(few.notes.iter().any(|note| &*note.code == "no-interval" && note.text.contains("kind animals")));
    // Who is excluded is missing from the levels too, and is not without one.
    let found = aggregate(&by_kind(), &context, &[table(&votes.cells())], &["r00", "r08"]).unwrap();
    assert_eq!(strength(&found).0.facets[0].raters, 3);
    assert!(!codes(&found.notes).contains(&"missing-levels"));
}

#[test]
fn cells_are_models_at_their_levels() {
    let votes = crossed();
    let names: Vec<[String; 3]> = MODELS
        .iter()
        .map(|model| ["", "animals", "objects"].map(|level| format!("{model}/{level}")))
        .collect();
    let at = |model: &str, item: &str| {
        let place = MODELS.iter().position(|known| *known == model).unwrap();
        &*names[place][1 + item[1..].parse::<usize>().unwrap() % 2]
    };
    let cells: Vec<Cell<'_>> = votes
        .cells()
        .into_iter()
        .map(|(rater, a, b, item, block, measure, value)| {
            (rater, at(a, item), at(b, item), item, block, measure, value)
        })
        .collect();
    let plain = context(&LEVELS, 12, GeneralizeTo::Raters);
    let known = MODELS.iter().flat_map(|model| {
        LEVELS.map(|level| FacetCell {
            name: format!("{model}/{level}").into(),
            model: (*model).into(),
            levels: [("kind".into(), level.into())].into(),
        })
    });
    let of_cells = Aggregation { item_levels: <_>::default(), ..plain.clone() }
        .with_facets(vec![facet(&LEVELS)], known.collect());
    let found = aggregate(&by_kind(), &of_cells, &[table(&cells)], &[]).unwrap();
    let want = aggregate(&by_kind(), &plain, &[table(&votes.cells())], &[]).unwrap();
    for name in ["strength", "win_rate"] {
        assert_eq!(measure(&found, name).facets, measure(&want, name).facets);
        assert_eq!(measure(&found, name).interactions, measure(&want, name).interactions);
        assert_eq!(measure(&found, name).estimates, measure(&want, name).estimates);
    }
}

#[test]
fn parts_make_the_whole_and_unknown_facets_are_refused() {
    let votes = crossed();
    let cells = votes.cells();
    for target in [GeneralizeTo::Raters, GeneralizeTo::RatersAndItems] {
        let context = context(&LEVELS, 12, target);
        let whole = aggregate(&by_kind(), &context, &[table(&cells)], &[]).unwrap();
        let (first, second) = cells.split_at(101);
        for parts in [[first, second], [second, first]] {
            assert_eq!(aggregate(&by_kind(), &context, &parts.map(table), &[]).unwrap(), whole);
        }
    }
    let within = Some("colour".into());
    let by = PairedPreferences { within, order_effect: Some(false), ..PairedPreferences::default() };
    let error =
        aggregate(&by, &context(&LEVELS, 12, GeneralizeTo::Raters), &[table(&cells)], &[]).unwrap_err();
    assert_eq!(error.to_string(), "the scores have no facet `colour`; their facets: kind");
}
