//! Declarations of a measure, and a table of its raters, decide how it is aggregated: values that the procedure sets have
//! no tests, values that are mostly bounds no interval, sensitivities near their ceiling a warning, codes of categories an agreement
//! of categories, and raters who were made up are not a sample.

use hype_analyses::aggregators::ByModel;
use hype_analyses::aggregators::agreement::RaterAgreement;
use hype_analyses::aggregators::by_model::PublishedAnalysis;
use hype_analyses::aggregators::contrast::PairedPreferences;
use hype_analyses::aggregators::imagenhub::ImagenHub;
use hype_core::model::findings::{Estimate, GeneralizeTo, MeasureFindings, NoteClass, Table};
use hype_core::plugin::aggregator::{Aggregation, DynAggregator, Limit};
use hype_core::{
    Aggregated, Basis, Direction, Measure, MeasureScale, RaterDesign, Row, Rubric, ScoreTable, Streams,
};
use hype_tasks::questionnaires::Likert;
use hype_tasks::{HypeInfinityRubric, HypeTimeRubric};

/// Rater, model, item, measure, value.
type Cell<'a> = (&'a str, &'a str, &'a str, &'a str, f64);

fn aggregate(by: &dyn DynAggregator, context: &Aggregation, cells: &[Cell<'_>]) -> Aggregated {
    let mut table = ScoreTable::default();
    for &(rater, model, item, measure, value) in cells {
        table.push(&Row { rater, model, against: "", item, block: 0, measure, value });
    }
    let mut sums = by.begin(context);
    sums.add(&table).unwrap();
    sums.findings(&[], &Streams::new(1)).unwrap()
}

fn between(measures: Vec<Measure>) -> Aggregation {
    Aggregation::new(measures, RaterDesign::Between)
}

fn codes(found: &Aggregated) -> Vec<&str> {
    found.notes.iter().map(|note| &*note.code).collect()
}

fn found<'f>(all: &'f Aggregated, measure: &str) -> &'f MeasureFindings {
    all.measures.iter().find(|found| &*found.measure.name == measure).unwrap()
}

fn table<'f>(all: &'f Aggregated, measure: &str, name: &str) -> Option<&'f Table> {
    found(all, measure).tables.iter().find(|table| &*table.name == name)
}

/// The number in a column of a table's first row.
fn number(table: &Table, column: &str) -> f64 {
    let place = table.columns.iter().position(|one| &*one.name == column).unwrap();
    table.rows[0][place].as_f64().unwrap()
}

#[test]
fn measures_set_by_the_procedure_are_described_and_not_tested() {
    let of_procedure = Measure::new("error", "judged wrong", "proportion", Direction::Higher)
        .descriptive("the staircase sets it");
    let measures = vec![Measure::new("ms", "threshold", "ms", Direction::Higher), of_procedure];
    let mut cells = Vec::new();
    for (model, raters) in [("x", ["a", "b", "c"]), ("y", ["d", "e", "f"])] {
        for (place, rater) in raters.into_iter().enumerate() {
            cells.push((rater, model, "", "ms", 100.0 + 7.0 * place as f64));
            cells.push((rater, model, "", "error", 0.25 + 0.01 * place as f64));
        }
    }
    let all = aggregate(&ByModel::default(), &between(measures), &cells);
    let error = found(&all, "error");
    let [x, _] = error.estimates.as_slice() else { panic!("two models") };
    assert!((x.value - 0.26).abs() < 1e-12 && (x.sd.unwrap() - 0.01).abs() < 1e-12);
    assert!(x.interval.is_none() && error.tests.is_empty() && error.comparisons.is_empty());
    assert_eq!((error.generalize_to, &error.family), (None, &None));
    let tested = found(&all, "ms");
    assert!(
        tested.estimates[0].interval.is_some() && tested.tests.len() == 1 && tested.comparisons.len() == 1
    );
    let note = all.notes.iter().find(|note| &*note.code == "descriptive-measures").unwrap();
    assert!(note.text.starts_with("the staircase sets it") && note.measures.join(" ") == "error", "{note:?}");
}

#[test]
fn hype_time_declares_its_errors_as_descriptive_and_hype_infinity_does_not() {
    let of_time = HypeTimeRubric::default().measures();
    let errors = HypeInfinityRubric::default().measures();
    assert_eq!(errors.len(), 5);
    for error in &errors {
        assert_eq!(error.descriptive, None);
        let of_time = of_time.iter().find(|measure| measure.name == error.name).unwrap();
        assert!(of_time.descriptive.is_some(), "{}", error.name);
    }
    assert!(matches!(of_time[0].basis, Some(Basis::Censoring { .. })) && of_time[0].descriptive.is_none());
}

/// Five raters of x between the bounds, one at the floor, one of whose two blocks one is at the ceiling, and one with a block at each;
/// y is between them.
#[test]
fn models_of_whose_values_too_many_are_bounds_have_no_interval() {
    let basis = Basis::Censoring {
        at_most: "low".into(),
        at_least: "high".into(),
        falling: None,
        rising: Some("rising".into()),
    };
    let measures = ["ms", "other"]
        .map(|name| Measure::new(name, name, "ms", Direction::Higher).based_on(basis.clone()))
        .to_vec();
    let raters = [
        ("a", "x", vec![(212.0, 0.0, 0.0)]),
        ("b", "x", vec![(305.0, 0.0, 0.0)]),
        ("c", "x", vec![(480.0, 0.0, 0.0)]),
        ("d", "x", vec![(390.0, 0.0, 0.0)]),
        ("e", "x", vec![(333.0, 0.0, 0.0)]),
        ("f", "x", vec![(600.0, 0.0, 0.0), (710.0, 0.0, 1.0)]),
        ("g", "x", vec![(100.0, 1.0, 0.0)]),
        ("h", "x", vec![(100.0, 1.0, 0.0), (710.0, 0.0, 1.0)]),
        ("i", "y", vec![(240.0, 0.0, 0.0)]),
        ("j", "y", vec![(250.0, 0.0, 0.0)]),
        ("k", "y", vec![(280.0, 0.0, 0.0)]),
        ("l", "z", vec![(340.0, 0.0, 0.0)]),
        ("m", "z", vec![(380.0, 0.0, 0.0)]),
        ("n", "z", vec![(390.0, 0.0, 0.0)]),
    ];
    let mut cells: Vec<Cell<'_>> = Vec::new();
    for (rater, model, blocks) in &raters {
        for &(value, low, high) in blocks {
            let values = [("ms", value), ("other", value), ("low", low), ("high", high), ("rising", 0.0)];
            cells.extend(values.map(|(m, v)| (*rater, *model, "", m, v)));
        }
    }
    let all = aggregate(&ByModel::default(), &between(measures.clone()), &cells);
    for name in ["ms", "other"] {
        let found = found(&all, name);
        for estimate in &found.estimates {
            let is_withheld = &*estimate.model == "x";
            assert_eq!((estimate.interval.is_none(), estimate.se.is_none()), (is_withheld, is_withheld));
        }
        let [pair] = found.comparisons.as_slice() else { panic!("{:?}", found.comparisons) };
        assert_eq!((&*pair.a, &*pair.b, pair.p.is_some()), ("z", "y", true));
    }
    let reasons: Vec<&str> =
        all.notes.iter().filter(|note| &*note.code == "no-interval").map(|note| &*note.text).collect();
    // The only rater with no bound but above is f, with 655 ms.
    assert_eq!(
        reasons,
        [
            "too many values are only bounds for intervals and tests: x (4 of 10, at or over 655 ms for at least 12% of raters)"
        ]
    );
    let note = all.notes.iter().find(|note| &*note.code == "no-interval").unwrap();
    assert_eq!((note.measures.join(" "), note.models.join(" ")), ("ms other".to_owned(), "x".to_owned()));
    let published = ByModel { preset: Some(PublishedAnalysis::Hype2019), ..ByModel::default() };
    let as_published = aggregate(&published, &between(measures.clone()), &cells);
    assert!(found(&as_published, "ms").estimates.iter().all(|estimate| estimate.interval.is_some()));
    let exact: Vec<Cell<'_>> = cells.into_iter().filter(|cell| "abcde".contains(cell.0)).collect();
    let all = aggregate(&ByModel::default(), &between(measures), &exact);
    assert!(found(&all, "ms").estimates[0].interval.is_some() && !codes(&all).contains(&"no-interval"));
}

/// Two of nine raters whose values still rose are more than half of a standard error tolerates, and one is not.
#[test]
fn values_with_an_unknown_distance_are_fewer_with_more_raters() {
    let basis = Basis::Censoring {
        at_most: "low".into(),
        at_least: "high".into(),
        falling: None,
        rising: Some("rising".into()),
    };
    let measures = vec![Measure::new("ms", "threshold", "ms", Direction::Higher).based_on(basis)];
    let raters = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    for (rising, at_floor, has_interval) in [(1, 0, true), (2, 0, false), (0, 2, true), (0, 3, false)] {
        let cells: Vec<Cell<'_>> = raters
            .iter()
            .enumerate()
            .flat_map(|(place, rater)| {
                let share = |of: usize| f64::from(u8::from(place < of));
                [
                    (*rater, "x", "", "ms", 300.0 + 20.0 * place as f64),
                    (*rater, "x", "", "low", share(at_floor)),
                    (*rater, "x", "", "high", 0.0),
                    (*rater, "x", "", "rising", share(rising)),
                ]
            })
            .collect();
        let all = aggregate(&ByModel::default(), &between(measures.clone()), &cells);
        let estimate: &Estimate = &found(&all, "ms").estimates[0];
        assert_eq!(estimate.interval.is_some(), has_interval, "{rising} {at_floor}");
    }
}

/// A bias of 0.8 standard errors asks for 2.450 standard errors of a normal estimate where none asks for 1.960 (bisection with
/// Python's `erfc`), so both sides of the interval are wider by their ratio.
#[test]
fn intervals_allow_for_the_bias_of_a_measure_where_no_method_is_prescribed() {
    let raters = [("a", 285.0), ("b", 295.0), ("c", 305.0), ("d", 315.0)];
    let cells = raters.map(|(rater, value)| (rater, "x", "", "ms", value));
    let honest = Measure::new("ms", "threshold", "ms", Direction::Higher);
    let biased = Measure { bias: Some(0.8 * (500.0_f64 / 12.0).sqrt()), ..honest.clone() };
    let interval = |by: &ByModel, measure: &Measure| {
        let all = aggregate(by, &between(vec![measure.clone()]), &cells);
        found(&all, "ms").estimates[0].interval.clone().unwrap()
    };
    let [narrow, wide] = [&honest, &biased].map(|measure| interval(&ByModel::default(), measure));
    for (narrow, wide) in [(300.0 - narrow.low, 300.0 - wide.low), (narrow.high - 300.0, wide.high - 300.0)] {
        assert!((wide / narrow / (2.450_465_147_113_16 / 1.959_963_984_540_05) - 1.0).abs() < 1e-12);
    }
    assert!(wide.method.contains("(Cox), allowing for a bias of 5.16"), "{}", wide.method);
    let published = ByModel { preset: Some(PublishedAnalysis::Hype2019), ..ByModel::default() };
    assert_eq!(interval(&published, &honest), interval(&published, &biased));
}

/// The answers of a rater to signals and noise, as hits and false alarms of so many trials.
fn answers<'a>(rater: &'a str, trials: u64, hits: u64, false_alarms: u64) -> Vec<Cell<'a>> {
    let share = |wrong: u64, measure| {
        (0..trials).map(move |trial| (rater, "x", "", measure, f64::from(u8::from(trial < wrong))))
    };
    let mut cells: Vec<Cell<'a>> =
        share(trials - hits, "misses").chain(share(false_alarms, "alarms")).collect();
    cells.push((rater, "x", "", "d", 1.0));
    cells
}

fn sensitivity(raters: &[(&str, u64, u64)]) -> Aggregated {
    let basis = Basis::Errors { misses: "misses".into(), false_alarms: "alarms".into() };
    let measures = vec![Measure::new("d", "d'", "d'", Direction::Lower).based_on(basis)];
    let cells: Vec<Cell<'_>> =
        raters.iter().flat_map(|&(rater, hits, alarms)| answers(rater, 50, hits, alarms)).collect();
    aggregate(&ByModel::default(), &between(measures), &cells)
}

/// The common d' by statsmodels 0.15.0, and its clustered error by scipy 1.17.1, as in the tests of `hype-stats`; 2.776445 is
/// the quantile of Student's t with 4 degrees of freedom, and 4.6675 is 2 z(50.5/51).
#[test]
fn d_prime_undefined_for_some_raters_is_given_with_the_pooled_one() {
    let all = sensitivity(&[("a", 45, 8), ("b", 50, 3), ("c", 38, 2), ("d", 50, 0), ("e", 30, 20)]);
    let common = table(&all, "d", "common_d_prime").unwrap();
    for (column, want) in [
        ("extreme", 2.0),
        ("ceiling", 4.667_537),
        ("common", 2.217_752),
        ("low", 2.217_752 - 2.776_445 * 0.685_927),
        ("high", 2.217_752 + 2.776_445 * 0.685_927),
    ] {
        let got = number(common, column);
        assert!((got - want).abs() < 1e-4, "{column}: {got}");
    }
    assert!(number(common, "bias").abs() < 0.1);
    assert!(!codes(&all).contains(&"biased-sensitivity"));
    assert!(
        table(&sensitivity(&[("a", 45, 8), ("b", 49, 3), ("c", 38, 2)]), "d", "common_d_prime").is_none()
    );
}

#[test]
fn d_prime_near_its_ceiling_is_said_to_be_biased() {
    let warning = |raters: &[(&str, u64, u64)]| {
        let all = sensitivity(raters);
        let note = all.notes.iter().find(|note| &*note.code == "biased-sensitivity").unwrap();
        assert_eq!(note.class, NoteClass::Meaning);
        note.text.to_string()
    };
    let text = warning(&[("a", 50, 0), ("b", 49, 1), ("c", 50, 0), ("d", 50, 1)]);
    assert!(text.contains("x by about -0.") && text.contains("3 of 4 raters"), "{text}");
    // Without an error of both kinds by anybody, the common d' is infinite.
    let text = warning(&[("a", 50, 0), ("b", 49, 0), ("c", 50, 0)]);
    assert!(text.contains("x by an unknown amount (3 of 3 raters)"), "{text}");
}

#[test]
fn agreement_follows_the_scale_of_a_measure() {
    let cells: Vec<Cell<'_>> = [
        ("a", [1.0, 2.0, 3.0, 3.0, 1.0]),
        ("b", [1.0, 2.0, 3.0, 1.0, 1.0]),
        ("c", [1.0, 3.0, 3.0, 3.0, 2.0]),
    ]
    .into_iter()
    .flat_map(|(rater, values)| {
        ["i", "j", "k", "l", "m"]
            .into_iter()
            .zip(values)
            .map(move |(item, value)| (rater, "x", item, "m", value))
    })
    .collect();
    for (scale, alpha, gwet) in [
        (None, "Krippendorff's alpha (ordinal)", "Gwet's AC2 (ordinal)"),
        (Some(MeasureScale::Ordinal), "Krippendorff's alpha (ordinal)", "Gwet's AC2 (ordinal)"),
        (Some(MeasureScale::Nominal), "Krippendorff's alpha (nominal)", "Gwet's AC1"),
        (Some(MeasureScale::Interval), "Krippendorff's alpha (interval)", "Gwet's AC2 (interval)"),
    ] {
        let direction =
            if scale == Some(MeasureScale::Nominal) { Direction::Neither } else { Direction::Higher };
        let measure = Measure { scale, ..Measure::new("m", "m", "", direction) };
        let all = aggregate(&RaterAgreement::default(), &between(vec![measure]), &cells);
        let names: Vec<&str> = all.measures[0].agreement.iter().map(|one| &*one.coefficient).collect();
        assert_eq!(names, ["percent agreement", alpha, gwet]);
    }
}

#[test]
fn questions_say_whether_their_options_are_ordered() {
    let rubric = |question: &str| -> Likert {
        let text = format!(r#"{{"questions": [{{"id": "q", "text": "Which?", {question}}}]}}"#);
        serde_json::from_str(&text).unwrap()
    };
    for (question, scale, direction, [alpha, gwet]) in [
        (r#""options": ["Bad", "Good"]"#, None, Direction::Higher, ["krippendorff-ordinal", "gwet-ordinal"]),
        (
            r#""options": ["Red", "Blue"], "nominal": true"#,
            Some(MeasureScale::Nominal),
            Direction::Neither,
            ["krippendorff", "gwet"],
        ),
        (
            r#""number": {"minimum": 0, "maximum": 100}"#,
            Some(MeasureScale::Interval),
            Direction::Higher,
            ["krippendorff", "gwet"],
        ),
    ] {
        let rubric = rubric(question);
        let measure = &rubric.measures()[0];
        assert_eq!((measure.scale, measure.direction), (scale, direction), "{question}");
        let agreement = serde_json::to_value(rubric.aggregators()[1].linked()).unwrap();
        assert_eq!(agreement["coefficients"], serde_json::json!(["percent", alpha, gwet]), "{question}");
    }
}

#[test]
fn codes_of_categories_have_no_mean() {
    let measure = Measure::new("m", "m", "", Direction::Neither).on_scale(MeasureScale::Nominal);
    let cells = [("a", "x", "", "m", 1.0), ("b", "x", "", "m", 3.0), ("c", "x", "", "m", 2.0)];
    let all = aggregate(&ByModel::default(), &between(vec![measure]), &cells);
    assert!(codes(&all).contains(&"nominal-codes"), "{:?}", all.notes);
}

/// One made-up rater suffices: the items vary.
#[test]
fn places_in_lists_do_not_count_as_raters() {
    let context =
        between(vec![Measure::new("m", "m", "", Direction::Higher)]).limited_by(Limit::MadeUpRaters);
    let items = ["i1", "i2", "i3", "i4", "i5", "i6"];
    let cells: Vec<Cell<'_>> = items
        .iter()
        .zip([1.0, 2.0, 4.0, 3.0, 5.0, 3.0])
        .map(|(item, value)| ("one", "x", *item, "m", value))
        .collect();
    let all = aggregate(&ByModel::default(), &context, &cells);
    let measure = &all.measures[0];
    assert_eq!(measure.generalize_to, Some(GeneralizeTo::Items));
    let interval = measure.estimates[0].interval.as_ref().unwrap();
    // Mean 3, standard deviation √2, and the quantile of Student's t with 5 degrees of freedom.
    let margin = 2.570_581_836 * (2.0_f64 / 6.0).sqrt();
    assert!((interval.low - 3.0 + margin).abs() < 1e-6 && interval.df == [5.0], "{interval:?}");
    let few = aggregate(&ByModel::default(), &context, &cells[..2]);
    assert!(few.measures[0].estimates[0].interval.is_none());
    assert!(few.notes.iter().any(|note| note.text.contains("an interval needs at least 3 items, got 2")));

    let context =
        between(vec![Measure::new("preference", "p", "", Direction::Higher)]).limited_by(Limit::MadeUpRaters);
    let mut votes = ScoreTable::default();
    for (item, value) in items.into_iter().zip([1.0, 1.0, 0.0, 1.0, 1.0, 0.0]) {
        votes.push(&Row {
            rater: "one",
            model: "x",
            against: "y",
            item,
            block: 0,
            measure: "preference",
            value,
        });
    }
    let by = PairedPreferences::default();
    let mut sums = DynAggregator::begin(&by, &context);
    sums.add(&votes).unwrap();
    let all = sums.findings(&[], &Streams::new(1)).unwrap();
    for measure in &all.measures {
        assert_eq!(measure.generalize_to, Some(GeneralizeTo::Items), "{}", measure.measure.name);
        assert!(measure.estimates.iter().all(|estimate| estimate.interval.is_some()), "{measure:?}");
    }
}

#[test]
fn imagenhub_treats_fixed_items_as_fixed() {
    let measures = ["SC", "PQ"].map(|name| Measure::new(name, name, "", Direction::Higher)).to_vec();
    let mut cells: Vec<Cell<'_>> = Vec::new();
    for (place, rater) in ["a", "b", "c"].into_iter().enumerate() {
        for (number, item) in ["i", "j", "k", "l"].into_iter().enumerate() {
            let value = if (place + number) % 3 == 0 { 0.5 } else { 1.0 };
            cells.extend([(rater, "x", item, "SC", value), (rater, "x", item, "PQ", 1.0)]);
        }
    }
    let target = |context: &Aggregation| {
        aggregate(&ImagenHub::default(), context, &cells).measures[0].generalize_to.unwrap()
    };
    let context = Aggregation::new(measures, RaterDesign::Within);
    assert_eq!(target(&context), GeneralizeTo::RatersAndItems);
    assert_eq!(target(&context.limited_by(Limit::FixedItems)), GeneralizeTo::Raters);
}
