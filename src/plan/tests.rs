use hype_core::study::spec::{ExpectedValues, PlanSpec};
use hype_core::{Amount, Payment, Raters, Spec};
use hype_sim::{Population, fixtures};
use hype_stats::bootstrap::{Resamples, mean};
use hype_tasks::HypeInfinity;

use super::*;

/// A study of HYPE-infinity that expects these means and standard deviations, in percentage points.
fn expecting(models: &[(&str, f64, f64)], per_model: u32) -> Study {
    let mut spec = Spec::new("test", 1, Box::new(HypeInfinity::default()));
    spec = spec.with_raters(Raters { per_model, qualification: None, ..Raters::default() });
    let expected = models
        .iter()
        .map(|&(model, mean, sd)| (model.to_owned(), ExpectedValues { mean: mean / 100.0, sd: sd / 100.0 }));
    let expected = [("error".to_owned(), expected.collect())].into();
    spec.analysis.plan = PlanSpec { expected, minutes: Some(15.0) };
    made(spec, &models.iter().map(|&(model, ..)| model).collect::<Vec<_>>())
}

fn made(spec: Spec, models: &[&str]) -> Study {
    let sets: Vec<(&str, u32)> = models.iter().map(|&model| (model, 120)).collect();
    Study::new(spec, fixtures::stimuli(120, &sets)).unwrap()
}

fn planned(study: &Study, options: &PlanOptions) -> Plan {
    plan(study, None, options, &|_, _| {}).unwrap()
}

fn at(plan: &Plan, raters: u32) -> &PlanRow {
    plan.rows.iter().find(|row| row.raters == raters).unwrap()
}

fn near(got: f64, want: f64, within: f64) {
    assert!((got - want).abs() <= within, "got {got}, want {want}");
}

fn probability(chance: Option<Chance>) -> f64 {
    chance.unwrap().probability
}

/// The standard deviation over 30 raters of whose mean a bootstrap has this one ("Std.").
fn of_bootstrap(std: f64) -> f64 {
    std * 30.0 / 29.0_f64.sqrt()
}

#[test]
fn widths_of_percentage_points() {
    // Numbers of raters for half-widths of 1, 2, 3 and 5 points (scipy 1.11).
    let study = expecting(&[("a", 30.0, 7.242)], 30);
    for (width, raters) in [(2.0, 204), (4.0, 53), (6.0, 25), (10.0, 11)] {
        let options = PlanOptions { target: Some(Target::Width(width)), ..PlanOptions::default() };
        let plan = planned(&study, &options);
        assert_eq!(plan.target.unwrap().raters, Some(raters), "{width}");
        assert!(at(&plan, raters).expected.width.unwrap() <= width / 100.0);
        assert!(plan.closest.is_none() && at(&plan, raters).expected.order.is_none());
    }
}

#[test]
fn powers_of_published_tables() {
    // Table 3 of HYPE, 30 raters: R and statsmodels give 0.790418 by Welch's test, and 0.791482 by Student's.
    let study = expecting(&[("trunc", 27.6, of_bootstrap(2.4)), ("none", 19.0, of_bootstrap(1.8))], 30);
    let plan = planned(&study, &PlanOptions::default());
    let row = at(&plan, 30);
    near(probability(row.expected.power_alone), 0.790_418, 2e-5);
    near(probability(row.expected.power), 0.790_418, 2e-5);
    assert_eq!(plan.closest.as_ref().unwrap().each_ref().map(|model| &**model), ["trunc", "none"]);
    assert!(
        plan.advice.starts_with("30 raters a model tell trunc from none with probability 79 %"),
        "{}",
        plan.advice
    );
    // Table 5: the pairs of neighbours are hopeless, and the order is right in a third of studies. The table's value has standard
    // errors that a bootstrap divides by 30, here they are divided by 29.
    let stds = [("stylegan", 23.3, 1.6), ("progan", 14.8, 1.6), ("began", 14.5, 1.7), ("wgan", 13.2, 2.3)];
    let study = expecting(&stds.map(|(model, mean, std)| (model, mean, std * 30.0_f64.sqrt())), 30);
    let plan = planned(&study, &PlanOptions::default());
    near(probability(at(&plan, 30).expected.order), 0.309_8, 1e-4);
    near(probability(at(&plan, 30).expected.best), 0.999_69, 1e-4);
    assert_eq!(plan.closest.as_ref().unwrap().each_ref().map(|model| &**model), ["progan", "began"]);
    let power = at(&plan, 30).expected.power.unwrap();
    assert!(power.probability < 0.02 && power.standard_error > 0.0, "{power:?}");
    let first = at(&plan, 30).expected.all_pairs.unwrap();
    assert!(first.probability < 0.01);
    // Table 2.
    let stds = [("a", 50.7, 1.3), ("b", 40.3, 0.9), ("c", 10.0, 1.6), ("d", 3.8, 0.6)];
    let study = expecting(&stds.map(|(model, mean, std)| (model, mean, std * 30.0_f64.sqrt())), 30);
    near(probability(at(&planned(&study, &PlanOptions::default()), 30).expected.order), 0.999_86, 1e-5);
}

#[test]
fn targets_are_the_smallest_numbers() {
    let study = expecting(&[("a", 30.0, 9.0), ("b", 25.0, 9.0), ("c", 12.0, 7.0)], 30);
    for target in [Target::Power(0.8), Target::Rank(0.9), Target::Width(5.0)] {
        let options = PlanOptions { target: Some(target), ..PlanOptions::default() };
        let plan = planned(&study, &options);
        let raters = plan.target.unwrap().raters.unwrap();
        let reaches = |raters: u32| {
            let options = PlanOptions { raters: vec![raters], ..PlanOptions::default() };
            let outlook = at(&planned(&study, &options), raters).expected.clone();
            match target {
                Target::Power(power) => probability(outlook.power) >= power,
                Target::Rank(rank) => probability(outlook.order) >= rank,
                Target::Width(width) => outlook.width.unwrap() <= width / 100.0,
            }
        };
        assert!(reaches(raters) && !reaches(raters - 1), "{target} {raters}");
    }
    // Equal models are never told apart.
    let study = expecting(&[("a", 30.0, 9.0), ("b", 30.0, 9.0)], 30);
    let options = PlanOptions { target: Some(Target::Power(0.8)), ..PlanOptions::default() };
    let plan = planned(&study, &options);
    assert_eq!(plan.target.unwrap().raters, None);
    assert!(plan.advice.contains("more than 100000 raters"), "{}", plan.advice);
    for wrong in ["power", "power=1.2", "width=-1", "rank=x", "size=3"] {
        assert!(wrong.parse::<Target>().is_err(), "{wrong}");
    }
    assert_eq!("rank=0.9".parse(), Ok(Target::Rank(0.9)));
}

#[test]
fn detectable_differences_and_margins_have_the_power_that_they_promise() {
    let study = expecting(&[("a", 50.0, 9.0), ("b", 30.0, 9.0)], 30);
    let outlook = at(&planned(&study, &PlanOptions::default()), 30).expected.clone();
    let least = 100.0 * outlook.detectable.unwrap();
    let apart = expecting(&[("a", 30.0 + least, 9.0), ("b", 30.0, 9.0)], 30);
    near(probability(at(&planned(&apart, &PlanOptions::default()), 30).expected.power_alone), 0.8, 1e-6);
    // Two one-sided t tests at 0.05 with 30 raters: (t + noncentrality's quantile) standard errors, 3.049 by R's power.t.test with
    // power 0.9.
    near(outlook.equivalence.unwrap() / (0.09 / 30.0_f64.sqrt()), 3.0155, 0.02);
}

#[test]
fn costs_have_fees_and_taxes() {
    let mut study = expecting(&[("a", 30.0, 9.0), ("b", 25.0, 9.0)], 30);
    let mut spec = study.spec().clone();
    spec.protocol.payment = Some(Payment { base: Amount(12_000_000), ..Payment::default() });
    study = made(spec, &["a", "b"]);
    let options = PlanOptions { fees: Fees::prolific(0.2), ..PlanOptions::default() };
    let plan = planned(&study, &options);
    assert!((plan.session.minutes.unwrap() - 15.0).abs() < 1e-12);
    // 60 sessions of 12 USD; the fee of 33.3 % with 20 % tax is 39.96 %, that of 42.8 % is 51.36 %.
    let totals: Vec<String> = at(&plan, 30).costs.iter().map(|cost| cost.total.to_string()).collect();
    assert_eq!(totals, ["720.00", "1007.712", "1089.792"]);
    assert_eq!(at(&plan, 30).sessions, 60);
    assert_eq!(at(&plan, 30).images, Some(60 * 100));
    assert!(planned(&expecting(&[("a", 3.0, 9.0)], 30), &options).rows[0].costs.is_empty());
}

#[test]
fn the_first_assumption_is_used() {
    let expected = expecting(&[("a", 30.0, 9.0), ("b", 25.0, 9.0)], 30);
    let simulated = |study: &Study| {
        let mut spec = study.spec().clone();
        spec.collection.simulate = Some(Box::new(Population::default()));
        made(spec, &["a", "b"])
    };
    let without = |study: &Study| {
        let mut spec = study.spec().clone();
        spec.analysis.plan = PlanSpec::default();
        made(spec, &["a", "b"])
    };
    let options = PlanOptions { cohort: 8, ..PlanOptions::default() };
    let source = |study: &Study| planned(study, &options).assumptions.source;
    assert_eq!(source(&simulated(&expected)), Source::Declared);
    assert_eq!(source(&without(&simulated(&expected))), Source::Simulated);
    let published = planned(&without(&expected), &options);
    assert_eq!(published.assumptions.source, Source::Published);
    assert!(published.assumptions.text.contains("table 3"), "{}", published.assumptions.text);
    let row = at(&published, 30);
    assert!(row.expected.power.is_none() && row.expected.order.is_none());
    near(row.expected.width.unwrap(), 2.0 * 2.045_23 * 0.118_2 / 30.0_f64.sqrt(), 1e-5);
    assert!(published.advice.contains("tell two models apart that differ by 8.7"), "{}", published.advice);
}

#[test]
fn few_raters_are_warned_of() {
    let study = expecting(&[("a", 30.0, 9.0), ("b", 25.0, 9.0)], 3);
    let plan = planned(&study, &PlanOptions::default());
    let warning = plan.warnings.iter().find(|text| text.starts_with("3 raters")).unwrap();
    assert!(warning.contains("however many images"), "{warning}");
}

/// 60 made-up raters, widths by `numpy`: 3.92 s/√n.
#[test]
fn the_curve_of_figure_4() {
    let values: Vec<f64> = (1..=60)
        .map(|i| {
            let place = f64::from(i) * 0.618_033_988_749_894_9;
            (100.0 * (0.25 + 0.3 * (place - place.floor()))).round() / 100.0
        })
        .collect();
    let measure = Measure::new("error", "judged wrong", "proportion", Direction::Higher);
    let raters = [10, 20, 30, 40, 60, 80, 100, 120];
    let curve = Curve::of(&measure, [("gan".into(), values.clone())], &raters).unwrap();
    near(curve.models[0].sd, 0.086_814_0, 5e-8);
    let want = [0.1076, 0.0761, 0.0621, 0.0538, 0.0439, 0.0380, 0.0340, 0.0311];
    for (row, want) in curve.rows.iter().zip(want) {
        near(row.widths[0], want, 5e-5);
    }
    // Resampling all 60 raters gives the same width.
    let resampled = mean(&values, Resamples::seeded(10_000, 4)).unwrap().percentile(0.95).unwrap();
    near(resampled.upper - resampled.lower, curve.rows[4].widths[0], 0.0012);
}

#[test]
fn counts_between_two_ends() {
    assert_eq!(rater_counts(10, 120), [10, 12, 15, 20, 30, 40, 60, 80, 100, 120]);
    assert_eq!(rater_counts(3, 11), [3, 4, 6, 8, 10, 11]);
    assert_eq!(rater_counts(7, 7), [7]);
}

#[test]
fn faults_of_the_section() {
    let mut spec = expecting(&[("a", 30.0, 9.0), ("b", 25.0, 9.0)], 30).spec().clone();
    let expected = spec.analysis.plan.expected.get_mut("error").unwrap();
    expected.remove("b");
    expected.insert("c".into(), ExpectedValues { mean: 0.2, sd: 0.0 });
    spec.analysis.plan.expected.insert("eror".into(), [].into());
    let found = spec.check(&fixtures::stimuli(120, &[("a", 120), ("b", 120)]));
    let codes: Vec<(&str, &str)> = found.iter().map(|one| (one.code, &*one.path)).collect();
    for wanted in [
        ("missing-model", "plan.expected.error"),
        ("unknown-model", "plan.expected.error.c"),
        ("out-of-range", "plan.expected.error.c.sd"),
        ("unknown-measure", "plan.expected.eror"),
    ] {
        assert!(codes.contains(&wanted), "{wanted:?} in {codes:?}");
    }
}

#[test]
fn an_empty_section_leaves_no_trace() {
    let with = expecting(&[("a", 30.0, 9.0), ("b", 25.0, 9.0)], 30);
    let mut spec = with.spec().clone();
    spec.analysis.plan = PlanSpec::default();
    let written = serde_json::to_value(&spec).unwrap();
    assert!(written.get("plan").is_none());
    let without = made(spec, &["a", "b"]);
    // What is expected changes nothing about sessions.
    assert_eq!(with.digest(), without.digest());
    let sets = "stimuli: { real: { role: real, images: r/* }, a: { role: generated, images: a/* } }";
    let section = serde_json::to_value(with.spec()).unwrap()["plan"].to_string();
    let text = format!("{sets}\ntask: {{ kind: hype_infinity }}\nplan: {section}\n");
    let read = Spec::read(text.as_bytes()).unwrap().spec;
    assert_eq!(read.analysis.plan, with.spec().analysis.plan);
}
