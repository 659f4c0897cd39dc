//! Grades and rankings at the levels of a facet: strengths, mean ranks, one family of pairs, and the interaction.

use hype_analyses::aggregators::grades::GradedPreferences;
use hype_analyses::aggregators::ranking::RankingOfModels;
use hype_core::model::findings::{FacetInteraction, GeneralizeTo, MeasureFindings};
use hype_core::model::score::{Direction, Measure};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{
    AggregateError, Aggregated, AggregatorSpec, Exclusion, Facet, FacetCell, RaterDesign, ScoreTable, Streams,
};

use crate::aggregating::{Cell, measure, named, table};

const MODELS: [&str; 3] = ["a", "b", "c"];
const LEVELS: [&str; 2] = ["animals", "objects"];
const NAMES: [&str; 12] = ["00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11"];

fn grades(within: Option<&str>) -> GradedPreferences {
    let within = within.map(Into::into);
    GradedPreferences { within, order_effect: Some(false), ..GradedPreferences::default() }
}

fn ranking(within: Option<&str>) -> RankingOfModels {
    RankingOfModels { within: within.map(Into::into), ..RankingOfModels::default() }
}

/// Items whose levels alternate.
fn context(measure: &str, target: GeneralizeTo) -> Aggregation {
    let unit = if measure == "grade" { "grades" } else { "" };
    let at = |item: usize| (NAMES[item].into(), [("kind".into(), LEVELS[item % 2].into())].into());
    Aggregation::new(vec![Measure::new(measure, measure, unit, Direction::Higher)], RaterDesign::Within)
        .generalizing_to(target)
        .with_facets(vec![facet()], Vec::new())
        .with_item_levels((0..12).map(at).collect())
}

fn facet() -> Facet {
    Facet { name: "kind".into(), levels: LEVELS.map(Into::into).into(), scale: None }
}

fn aggregate(
    by: &dyn AggregatorSpec,
    context: &Aggregation,
    tables: &[ScoreTable],
    left_out: &[&str],
) -> Result<Aggregated, AggregateError> {
    let mut sums = by.begin(context);
    tables.iter().try_for_each(|table| sums.add(table))?;
    let exclusions: Vec<Exclusion> = left_out
        .iter()
        .map(|&rater| Exclusion { rater: rater.into(), rule: "left".into(), reason: "test".into() })
        .collect();
    sums.findings(&exclusions, &Streams::new(1))
}

/// A whole number from -1 to 1 that is spread evenly over raters, items and pairs.
fn noise(rater: usize, item: usize, pair: usize) -> f64 {
    ((rater * 2 + item / 2 + pair * 4 + rater * item) % 3) as f64 - 1.0
}

/// The grades of ten raters of all pairs on twelve items, whose mean depends on the level.
fn graded(mean: impl Fn(usize, usize) -> f64) -> Vec<Cell<'static>> {
    let mut cells = Vec::new();
    for (rater, who) in NAMES.into_iter().enumerate().take(10) {
        for (item, what) in NAMES.into_iter().enumerate() {
            for (pair, (first, second)) in [(0, 1), (1, 2), (0, 2)].into_iter().enumerate() {
                let grade = mean(item % 2, pair) + noise(rater, item, pair);
                cells.push((who, MODELS[first], MODELS[second], what, 0, "grade", grade));
            }
        }
    }
    cells
}

/// The orders of ten raters of all models on twelve items: the order of a level, with every second one turned round.
fn ranked(order: impl Fn(usize) -> [usize; 3]) -> Vec<Cell<'static>> {
    let mut cells = Vec::new();
    for (rater, who) in NAMES.into_iter().enumerate().take(10) {
        for (item, what) in NAMES.into_iter().enumerate() {
            let [first, second, third] = order(item % 2);
            let best_first = match (rater * 2 + item / 2) % 5 {
                0 => [third, second, first],
                1 => [second, first, third],
                2 => [first, third, second],
                _ => [first, second, third],
            };
            for (rank, model) in best_first.into_iter().enumerate() {
                cells.push((who, MODELS[model], "", what, 0, "rank", rank as f64 + 1.0));
            }
        }
    }
    cells
}

fn together(found: &MeasureFindings) -> &FacetInteraction {
    &found.interactions[0]
}

/// Estimates at levels are those of the rows of the level alone, and the pairs of all levels are one family.
fn levels_are_those_of_their_rows(
    [within, alone]: [&dyn AggregatorSpec; 2],
    name: &str,
    cells: &[Cell<'static>],
    measures: &[&str],
) {
    for target in [GeneralizeTo::Raters, GeneralizeTo::RatersAndItems] {
        let context = context(name, target);
        let found = aggregate(within, &context, &[table(cells)], &[]).unwrap();
        let whole = aggregate(alone, &context, &[table(cells)], &[]).unwrap();
        for &name in measures {
            assert_eq!(measure(&found, name).estimates, measure(&whole, name).estimates);
        }
        for (number, level) in LEVELS.into_iter().enumerate() {
            let is_there = |cell: &&Cell<'_>| cell.3.parse::<usize>().unwrap() % 2 == number;
            let own: Vec<Cell<'_>> = cells.iter().filter(is_there).copied().collect();
            let of_level = aggregate(alone, &context, &[table(&own)], &[]).unwrap();
            for &name in measures {
                let at = &measure(&found, name).facets[number];
                let of_level = measure(&of_level, name);
                assert_eq!((&*at.facet, &*at.level, at.raters), ("kind", level, 10));
                assert_eq!(at.estimates, of_level.estimates, "{name} at {level}, {target:?}");
                assert_eq!(at.comparisons.len(), of_level.comparisons.len());
                for (pair, alone) in at.comparisons.iter().zip(&of_level.comparisons) {
                    assert_eq!((&pair.a, pair.difference), (&alone.a, alone.difference));
                    let want = (2.0 * alone.p.unwrap()).min(1.0);
                    assert!((pair.p.unwrap() - want).abs() < 1e-12 || alone.p == Some(1.0), "{pair:?}");
                }
            }
        }
    }
}

#[test]
fn levels_have_the_estimates_of_their_rows_and_one_family_of_pairs() {
    let cells = graded(|level, pair| if level == 0 { 1.0 } else { pair as f64 - 1.0 });
    levels_are_those_of_their_rows(
        [&grades(Some("kind")), &grades(None)],
        "grade",
        &cells,
        &["graded_strength"],
    );
    let found =
        aggregate(&grades(Some("kind")), &context("grade", GeneralizeTo::Raters), &[table(&cells)], &[]);
    let found = found.unwrap();
    let strength = measure(&found, "graded_strength");
    assert_eq!(together(strength).family.as_deref(), Some("6 pairs of models at 2 levels of kind"));
    let cells = ranked(|level| if level == 0 { [0, 1, 2] } else { [1, 2, 0] });
    levels_are_those_of_their_rows(
        [&ranking(Some("kind")), &ranking(None)],
        "rank",
        &cells,
        &["rank", "strength"],
    );
    let found =
        aggregate(&ranking(Some("kind")), &context("rank", GeneralizeTo::Raters), &[table(&cells)], &[]);
    let found = found.unwrap();
    assert_eq!(
        together(measure(&found, "rank")).family.as_deref(),
        Some("6 pairs of models at 2 levels of kind")
    );
    // The test is reported with the strengths, whose pairs are not tested.
    assert!(together(measure(&found, "rank")).test.is_none());
    assert!(together(measure(&found, "strength")).family.is_none());
}

#[test]
fn interactions_of_grades_are_found_only_where_they_exist() {
    let p = |by: &dyn AggregatorSpec, name: &str, strength: &str, target, cells: &[Cell<'_>]| {
        let found = aggregate(by, &context(name, target), &[table(cells)], &[]).unwrap();
        let test = together(measure(&found, strength)).test.clone().unwrap();
        // Three models at two levels; the second mirrors the first.
        assert_eq!(test.effects[0].value, 3.0);
        test.p.unwrap()
    };
    for target in [GeneralizeTo::Raters, GeneralizeTo::Items, GeneralizeTo::RatersAndItems] {
        let by_grades =
            |cells: &[Cell<'_>]| p(&grades(Some("kind")), "grade", "graded_strength", target, cells);
        let crossed = by_grades(&graded(|level, _| if level == 0 { 1.0 } else { -1.0 }));
        assert!(crossed < 1e-3, "{target:?}: {crossed}");
        let parallel = by_grades(&graded(|_, pair| if pair == 2 { 2.0 } else { 1.0 }));
        assert!(parallel > 0.2, "{target:?}: {parallel}");
        let by_ranks = |cells: &[Cell<'_>]| p(&ranking(Some("kind")), "rank", "strength", target, cells);
        let crossed = by_ranks(&ranked(|level| if level == 0 { [0, 1, 2] } else { [2, 1, 0] }));
        assert!(crossed < 0.01, "{target:?}: {crossed}");
        let parallel = by_ranks(&ranked(|_| [0, 1, 2]));
        assert!(parallel > 0.2, "{target:?}: {parallel}");
    }
}

#[test]
fn interactions_over_few_raters_say_that_they_rarely_show() {
    let grades_of = graded(|_, pair| if pair == 2 { 2.0 } else { 1.0 });
    let says = |target, left_out: &[&str]| {
        let found =
            aggregate(&grades(Some("kind")), &context("grade", target), &[table(&grades_of)], left_out)
                .unwrap();
        let note = found.notes.iter().find(|note| &*note.code == "little-power");
        note.map(|note| note.text.contains("with 5 raters, "))
    };
    let half = &NAMES[5..10];
    assert_eq!(says(GeneralizeTo::Raters, half), Some(true));
    assert_eq!(says(GeneralizeTo::RatersAndItems, half), Some(true));
    assert_eq!(says(GeneralizeTo::Raters, &NAMES[6..10]), None);
    assert_eq!(says(GeneralizeTo::Items, half), None);
}

#[test]
fn departures_of_grades_are_shown_with_expected_values() {
    let cells = graded(|level, _| if level == 0 { 1.0 } else { -1.0 });
    let context_of_grades = context("grade", GeneralizeTo::Raters);
    let found = aggregate(&grades(Some("kind")), &context_of_grades, &[table(&cells)], &[]).unwrap();
    let departures = named(measure(&found, "graded_strength"), "departures");
    assert!(departures.label.starts_with("mean grades of models against others at each level of kind"));
    assert_eq!(departures.rows.len(), 6);
    for row in &departures.rows {
        // Forty comparisons with each other model at a level of six items by ten raters are twenty more.
        let number = |place: usize| row[place].as_f64().unwrap();
        assert_eq!(number(2), 120.0);
        let own = cells.iter().filter(|cell| {
            row[0] == LEVELS[cell.3.parse::<usize>().unwrap() % 2] && (row[1] == cell.1 || row[1] == cell.2)
        });
        let mean = own.map(|cell| if row[1] == cell.1 { cell.6 } else { -cell.6 }).sum::<f64>() / 120.0;
        assert!((number(3) - mean).abs() < 1e-12, "{row:?}");
        assert!((number(3) - number(4) - number(5)).abs() < 1e-12, "{row:?}");
    }
    let cells = ranked(|level| if level == 0 { [0, 1, 2] } else { [2, 1, 0] });
    let context_of_ranks = context("rank", GeneralizeTo::Raters);
    let found = aggregate(&ranking(Some("kind")), &context_of_ranks, &[table(&cells)], &[]).unwrap();
    for row in &named(measure(&found, "strength"), "departures").rows {
        let is_own = |cell: &&Cell<'_>| {
            row[0] == LEVELS[cell.3.parse::<usize>().unwrap() % 2] && row[1] == cell.1 && cell.6 < 3.0
        };
        assert_eq!(row[2], 60);
        let share = cells.iter().filter(is_own).count() as f64 / 60.0;
        assert!((row[3].as_f64().unwrap() - share).abs() < 1e-12, "{row:?}");
    }
}

#[test]
fn cells_are_ranked_as_models_at_their_levels() {
    let cells = ranked(|level| if level == 0 { [0, 1, 2] } else { [1, 2, 0] });
    let names: Vec<[String; 2]> =
        MODELS.iter().map(|model| LEVELS.map(|level| format!("{model}/{level}"))).collect();
    let at =
        |model: &str, level: usize| &*names[MODELS.iter().position(|known| *known == model).unwrap()][level];
    let of_cells: Vec<Cell<'_>> = cells
        .iter()
        .map(|&(rater, model, _, item, block, measure, rank)| {
            (rater, at(model, item.parse::<usize>().unwrap() % 2), "", item, block, measure, rank)
        })
        .collect();
    let plain = context("rank", GeneralizeTo::Raters);
    let known = MODELS.iter().flat_map(|model| {
        LEVELS.map(|level| FacetCell {
            name: format!("{model}/{level}").into(),
            model: (*model).into(),
            levels: [("kind".into(), level.into())].into(),
        })
    });
    let with_cells = Aggregation { item_levels: <_>::default(), ..plain.clone() }
        .with_facets(vec![facet()], known.collect());
    let by = ranking(Some("kind"));
    let want = aggregate(&by, &plain, &[table(&cells)], &[]).unwrap();
    let found = aggregate(&by, &with_cells, &[table(&of_cells)], &[]).unwrap();
    for name in ["rank", "strength"] {
        assert_eq!(measure(&found, name).facets, measure(&want, name).facets);
        assert_eq!(measure(&found, name).interactions, measure(&want, name).interactions);
        assert_eq!(measure(&found, name).estimates, measure(&want, name).estimates);
    }
    // A ranking of models at several levels counts for all levels together; one of a model against itself for none.
    let mut more = of_cells;
    more.extend([("00", at("a", 0), "", "x", 0, "rank", 1.0), ("00", at("b", 1), "", "x", 0, "rank", 2.0)]);
    more.extend([("00", at("a", 0), "", "y", 0, "rank", 1.0), ("00", at("a", 1), "", "y", 0, "rank", 2.0)]);
    let found = aggregate(&by, &with_cells, &[table(&more)], &[]).unwrap();
    let ranks = measure(&found, "rank");
    assert_eq!(ranks.responses, measure(&want, "rank").responses + 1);
    assert_eq!(ranks.facets, measure(&want, "rank").facets);
}

#[test]
fn raters_and_items_without_levels_are_said_and_levels_without_rows() {
    let levels = |count: usize| {
        (0..count)
            .map(|rater| (NAMES[rater].into(), [("kind".into(), LEVELS[rater % 2].into())].into()))
            .collect()
    };
    for (by, name, strength, cells) in [
        (
            Box::new(grades(Some("kind"))) as Box<dyn AggregatorSpec>,
            "grade",
            "graded_strength",
            graded(|_, _| 1.0),
        ),
        (Box::new(ranking(Some("kind"))), "rank", "strength", ranked(|_| [0, 1, 2])),
    ] {
        let plain = context(name, GeneralizeTo::Raters);
        let of_raters =
            Aggregation { item_levels: <_>::default(), ..plain.clone() }.with_rater_levels(levels(9));
        let found = aggregate(&*by, &of_raters, &[table(&cells)], &[]).unwrap();
        let of_levels: Vec<u64> = measure(&found, strength).facets.iter().map(|level| level.raters).collect();
        assert_eq!(of_levels, [5, 4]);
        let note = found.notes.iter().find(|note| &*note.code == "missing-levels").unwrap();
        assert_eq!(&*note.text, "1 rater without a level of kind, left out of results by level");
        // Who is excluded is missing from the levels, too.
        let found = aggregate(&*by, &of_raters, &[table(&cells)], &["00", "09"]).unwrap();
        assert_eq!(measure(&found, strength).facets[0].raters, 4);
        // All rows are about one level: nothing can depend on it.
        let own: Vec<Cell<'_>> =
            cells.iter().filter(|cell| cell.3.parse::<usize>().unwrap() % 2 == 0).copied().collect();
        let found = aggregate(&*by, &plain, &[table(&own)], &[]).unwrap();
        let test = together(measure(&found, strength)).test.clone().unwrap();
        let why = test.undefined.unwrap();
        assert!(why.ends_with("at fewer than two levels of kind"), "{why}");
        let note = found.notes.iter().find(|note| &*note.code == "missing-levels").unwrap();
        assert!(note.text.ends_with("at levels of kind: objects"), "{}", note.text);
    }
}

#[test]
fn parts_make_the_whole_and_unknown_facets_are_refused() {
    for (by, other, name, cells) in [
        (
            Box::new(grades(Some("kind"))) as Box<dyn AggregatorSpec>,
            Box::new(grades(Some("colour"))) as Box<dyn AggregatorSpec>,
            "grade",
            graded(|level, pair| (level + pair) as f64),
        ),
        (
            Box::new(ranking(Some("kind"))),
            Box::new(ranking(Some("colour"))),
            "rank",
            ranked(|level| if level == 0 { [0, 1, 2] } else { [1, 0, 2] }),
        ),
    ] {
        for target in [GeneralizeTo::Raters, GeneralizeTo::RatersAndItems] {
            let context = context(name, target);
            let whole = aggregate(&*by, &context, &[table(&cells)], &[]).unwrap();
            let (first, second) = cells.split_at(99);
            for parts in [[first, second], [second, first]] {
                assert_eq!(aggregate(&*by, &context, &parts.map(table), &[]).unwrap(), whole);
            }
        }
        let refused = aggregate(&*other, &context(name, GeneralizeTo::Raters), &[table(&cells)], &[]);
        assert_eq!(refused.unwrap_err().to_string(), "the scores have no facet `colour`; their facets: kind");
    }
}
