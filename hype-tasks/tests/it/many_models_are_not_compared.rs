//! The pairs of a thousand models are not compared, and findings say so; two hundred have everything.

use hype_analyses::aggregators::ByModel;
use hype_analyses::aggregators::by_model::Pairs;
use hype_core::plugin::aggregator::{Aggregation, DynAggregator};
use hype_core::{Aggregated, Direction, Measure, RaterDesign, Row, ScoreTable, Streams};

/// Findings about so many models, each with so many raters of its own, or with the same ones.
fn of_models(models: usize, raters: usize, by: &dyn DynAggregator, design: RaterDesign) -> Aggregated {
    let mut table = ScoreTable::default();
    for model in 0..models {
        for rater in 0..raters {
            let number = if design == RaterDesign::Within { rater } else { model * raters + rater };
            // From 1 to 5; the raters of a model differ.
            let value = 1.0 + ((model + 2 * rater) % 5) as f64;
            let (rater, model) = (format!("rater {number}"), format!("images/{model:04}.png"));
            table.push(&Row {
                rater: &rater,
                model: &model,
                against: "",
                item: "",
                block: 0,
                measure: "mean",
                value,
            });
        }
    }
    let measure = Measure::new("mean", "mean rating", "", Direction::Higher);
    let mut sums = by.begin(&Aggregation::new(vec![measure], design));
    sums.add(&table).unwrap();
    sums.findings(&[], &Streams::new(1)).unwrap()
}

#[track_caller]
fn are_left_out(by: &ByModel, design: RaterDesign, tests: &[&str]) {
    let all = of_models(1_000, 4, by, design);
    let found = &all.measures[0];
    assert_eq!(found.estimates.len(), 1_000);
    assert!(found.estimates.iter().all(|one| one.interval.is_some()));
    assert!(found.estimates.windows(2).all(|two| two[0].value >= two[1].value));
    assert!(found.comparisons.is_empty() && found.ranks.is_none() && found.family.is_none());
    let names: Vec<&str> = found.tests.iter().map(|test| &*test.name).collect();
    assert_eq!(names, tests, "the smallest p value of no pairs is not a test");
    let note = all.notes.iter().find(|note| &*note.code == "too-many-models").unwrap();
    let says = |words: &str| note.text.contains(words);
    assert!(says("1000 models are more than the 300") && says("--model-folder"), "{}", note.text);
}

#[test]
fn a_thousand_models_have_estimates_and_a_note() {
    let welch = ByModel { pairs: Pairs::Welch, ..ByModel::default() };
    are_left_out(&ByModel::default(), RaterDesign::Between, &[]);
    are_left_out(&welch, RaterDesign::Between, &["Welch's ANOVA"]);
    are_left_out(&ByModel::default(), RaterDesign::Within, &[]);
}

#[test]
fn two_hundred_models_have_all_pairs_and_ranks() {
    for design in [RaterDesign::Between, RaterDesign::Within] {
        let all = of_models(200, 4, &ByModel::default(), design);
        let found = &all.measures[0];
        assert_eq!(found.comparisons.len(), 200 * 199 / 2);
        assert_eq!(found.ranks.as_ref().unwrap().models.len(), 200);
        assert_eq!(found.family.as_deref(), Some("19900 pairs of models"));
        assert!(!all.notes.iter().any(|note| &*note.code == "too-many-models"));
    }
}

#[test]
fn models_without_intervals_have_one_note() {
    let texts = |models| -> Vec<String> {
        let all = of_models(models, 2, &ByModel::default(), RaterDesign::Between);
        let notes = all.notes.iter().filter(|note| &*note.code == "no-interval");
        notes.map(|note| note.text.to_string()).collect()
    };
    for (models, others) in [(20, 18), (1_000, 998)] {
        let [text] = &*texts(models) else { panic!("{models}") };
        let start = format!("no interval for images/0000.png, images/0001.png and {others} more: ");
        assert!(text.starts_with(&start), "{text:?}");
    }
}
