use hype_analyses::aggregators::by_model::PublishedAnalysis;
use hype_analyses::aggregators::{ByModel, DeclaredMargin};
use hype_backends::fees::Customer;
use hype_core::protocol::fees::Share;
use hype_core::study::spec::{ExpectedValues, PlanSpec};
use hype_core::{Amount, Payment, RaterDesign, Raters, Spec, Streams};
use hype_sim::{Observer, Population, fixtures};
use hype_stats::bootstrap::{Resamples, mean};
use hype_stats::bounded::{BoundedMean, Cluster};
use hype_stats::describe::standard_deviation;
use hype_stats::distributions::normal_quantile;
use hype_stats::equivalence::MeanEvidence as _;
use hype_tasks::tasks::hype_time::Estimator;
use hype_tasks::{Contrast, HypeInfinity, HypeTime, HypeTimeRubric};

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
    let sets: Vec<(&str, u32)> = models.iter().map(|&model| (model, 240)).collect();
    Study::new(spec, fixtures::stimuli(240, &sets)).unwrap()
}

fn planned(study: &Study, options: &PlanOptions) -> StudyPlan {
    plan(study, None, options, &|_, _| {}).unwrap()
}

fn at(plan: &StudyPlan, raters: u32) -> &PlanRow {
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

/// A study of HYPE-time that expects these means and standard deviations, in ms.
fn timing(models: &[(&str, f64, f64)], estimator: Estimator) -> Study {
    let mut spec = Spec::new("test", 1, Box::new(HypeTime::default()));
    spec = spec.with_raters(Raters { per_model: 30, qualification: None, ..Raters::default() });
    spec.analysis.rubric = Box::new(HypeTimeRubric { estimator });
    let name = spec.analysis.rubric.measures()[0].name.to_string();
    let expected =
        models.iter().map(|&(model, mean, sd)| (model.to_owned(), ExpectedValues { mean, sd })).collect();
    spec.analysis.plan = PlanSpec { expected: [(name, expected)].into(), minutes: Some(15.0) };
    made(spec, &models.iter().map(|&(model, ..)| model).collect::<Vec<_>>())
}

#[test]
fn widths_of_means() {
    // Numbers of raters for half-widths of 1, 2, 3 and 5 with a standard deviation of 7.242 (scipy 1.11).
    let study = timing(&[("a", 300.0, 7.242)], Estimator::Fit);
    for (width, raters) in [(2.0, 204), (4.0, 53), (6.0, 25), (10.0, 11)] {
        let options = PlanOptions { target: Some(PlanTarget::Width(width)), ..PlanOptions::default() };
        let plan = planned(&study, &options);
        assert_eq!(plan.target.unwrap().raters, Some(raters), "{width}");
        assert!(at(&plan, raters).expected.width.unwrap() <= width);
        assert!(plan.closest.is_none() && at(&plan, raters).expected.order.is_none());
    }
    // Two raters have no interval.
    let options = PlanOptions { raters: vec![2, 3], ..PlanOptions::default() };
    let plan = planned(&study, &options);
    assert_eq!(at(&plan, 2).expected.width, None);
    // 600 sinh(t s) with s² = v / 3 + v² / 4 and v = ln(1 + (7.242 / 300)²), by numpy.
    near(at(&plan, 3).expected.width.unwrap(), 36.004_441_926_476, 1e-6);
}

#[test]
fn widths_allow_for_the_bias_of_thresholds() {
    let width = |estimator, raters| {
        let study = timing(&[("a", 300.0, 50.0)], estimator);
        let plan = planned(&study, &PlanOptions { raters: vec![raters], ..PlanOptions::default() });
        at(&plan, raters).expected.width.unwrap()
    };
    // The quotients of the quantiles of |Z + 8 √n / 50| and |Z|, by bisection of the error function.
    for (raters, wider) in [(30, 1.288_021_328_616), (100, 1.655_571_120_199)] {
        near(width(Estimator::Mode, raters) / width(Estimator::Fit, raters), wider, 1e-9);
    }
    // No number of raters makes an interval narrower than the bias to both sides.
    let study = timing(&[("a", 300.0, 50.0)], Estimator::Mode);
    for (width, is_reached) in [(16.0, false), (20.0, true)] {
        let options = PlanOptions { target: Some(PlanTarget::Width(width)), ..PlanOptions::default() };
        let plan = planned(&study, &options);
        assert_eq!(plan.target.as_ref().unwrap().raters.is_some(), is_reached, "{width}");
        let told = "No number of raters is enough to have no interval wider than 16 ms: intervals allow for a bias of 8 ms to both sides.";
        assert_eq!(plan.advice.contains(told), !is_reached, "{}", plan.advice);
    }
}

/// The interval of raters' shares as findings have it, for raters whose shares have just this mean and standard deviation.
fn interval_of_findings(mean: f64, sd: f64, raters: u32, answers: u64) -> f64 {
    let apart = sd * (f64::from(raters - 1) / f64::from(raters)).sqrt();
    let raters = (0..raters).map(|rater| {
        let share = if rater % 2 == 0 { mean + apart } else { mean - apart };
        let ones = share * answers as f64;
        Cluster { count: answers, sum: ones, squares: ones }
    });
    let raters: Vec<Cluster> = raters.collect();
    let range = BoundedMean::new(&raters, 0.0, 1.0).unwrap().interval(0.95).unwrap();
    range.upper - range.lower
}

#[test]
fn widths_of_shares_match_findings() {
    for (mean, sd) in [(30.0, 7.242), (50.0, 9.0), (3.0, 2.0), (10.0, 1.0)] {
        let study = expecting(&[("a", mean, sd)], 30);
        let plan = planned(&study, &PlanOptions { raters: vec![4, 30], ..PlanOptions::default() });
        assert_eq!(plan.assumptions.models[0].answers, Some(100.0));
        for raters in [4, 30] {
            let want = interval_of_findings(mean / 100.0, sd / 100.0, raters, 100);
            // Of 100 answers of which 3 are the rarer ones, some raters are expected to have none, unlike those of the findings.
            let tolerance = if mean < 5.0 { 0.02 } else { 1e-9 };
            near(at(&plan, raters).expected.width.unwrap() / want, 1.0, tolerance);
        }
    }
    // The published analysis resamples raters.
    let mut spec = expecting(&[("a", 30.0, 9.0)], 30).spec().clone();
    let published = ByModel { preset: Some(PublishedAnalysis::Hype2019), ..ByModel::default() };
    spec.analysis.aggregate.0 = vec![Box::new(published)];
    let plan = planned(&made(spec, &["a"]), &PlanOptions::default());
    near(at(&plan, 30).expected.width.unwrap(), 3.919_928 * 0.09 * 29.0_f64.sqrt() / 30.0, 1e-6);
}

/// The models of FFHQ-256 in the human evaluation of Stein et al. (2023), with the means and standard deviations of their raters, in
/// percentage points.
const FFHQ: [(&str, f64, f64); 9] = [
    ("stylenat", 29.86, 9.3692),
    ("insgen", 25.52, 8.8004),
    ("stylegan2-ada", 21.54, 8.2965),
    ("ldm", 18.64, 8.2443),
    ("styleswin", 17.96, 5.9563),
    ("unleashing", 17.2593, 7.5973),
    ("stylegan-xl", 16.04, 5.8165),
    ("projected-gan", 12.04, 6.1795),
    ("efficient-vdvae", 8.84, 4.832),
];
/// The standard deviation within models.
const FFHQ_SD: f64 = 7.385;

#[test]
fn orders_and_pairs_of_a_published_study() {
    let study = expecting(&FFHQ, 30);
    let options = PlanOptions { raters: vec![10, 30, 60, 120, 240], ..PlanOptions::default() };
    let plan = planned(&study, &options);
    for (raters, order) in [(10, 0.04), (30, 0.18), (60, 0.33), (120, 0.51), (240, 0.71)] {
        // Simulated by numpy, with errors of up to 0.003, and rounded.
        near(probability(at(&plan, raters).expected.order), order, 0.006);
    }
    assert!(plan.advice.contains("comes out right in 18 % of studies, with 60 in 33 %"), "{}", plan.advice);
    // Two of them by themselves: independent computations give .61 and .89 by Student's t, unadjusted.
    let two = expecting(&[("stylenat", 29.86, FFHQ_SD), ("insgen", 25.52, FFHQ_SD)], 30);
    let plan = planned(&two, &options);
    near(probability(at(&plan, 30).expected.power_alone), 0.61, 0.005);
    near(probability(at(&plan, 60).expected.power_alone), 0.89, 0.005);
    let told = "30 raters a model tell stylenat from insgen with probability 61 %, 60 with 89 %.";
    assert_eq!(plan.advice, told);
}

/// A plan from the first 12 raters of each model predicts the intervals of all 25. The raters of five studies are drawn from the moments of
/// the published one.
#[test]
fn a_pilot_predicts_the_intervals_of_the_study() {
    let mut chance = Streams::new(15).stream("raters");
    let middle = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let (mut predicted, mut found) = (Vec::new(), Vec::new());
    for (model, mean, sd) in (0..5).flat_map(|_| FFHQ) {
        let mut ones = || {
            let share = mean + sd * normal_quantile(chance.unit_f64()).unwrap();
            (2.0 * share).round().clamp(0.0, 200.0) as u64
        };
        let ones: Vec<u64> = (0..25).map(|_| ones()).collect();
        let first: Vec<f64> = ones[..12].iter().map(|&ones| ones as f64 / 2.0).collect();
        let (mean, sd) = (mean_of(&first), standard_deviation(&first).unwrap());
        let plan = planned(&expecting(&[(model, mean, sd)], 25), &PlanOptions::default());
        predicted.push(at(&plan, 25).expected.width.unwrap());
        let all: Vec<Cluster> = ones.iter().map(|&ones| Cluster::successes(ones, 200)).collect();
        let range = BoundedMean::new(&all, 0.0, 1.0).unwrap().interval(0.95).unwrap();
        found.push(range.upper - range.lower);
    }
    let ratio = middle(predicted) / middle(found);
    assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
}

fn mean_of(values: &[f64]) -> f64 {
    hype_stats::describe::mean(values).unwrap()
}

/// Votes between models have strengths, by the names and with the intervals of findings.
#[test]
fn votes_have_widths_of_strengths() {
    let mut spec = Spec::new("test", 1, Box::new(Contrast::default()));
    spec = spec.with_raters(Raters { per_item: Some(8), qualification: None, ..Raters::default() });
    spec.protocol.design = RaterDesign::Within;
    let quality = |quality| Observer { quality: Some(quality), ..Observer::default() };
    let observers = [("a", 0.7), ("b", 0.6), ("c", 0.4)].map(|(model, own)| (model.to_owned(), quality(own)));
    spec.collection.simulate =
        Some(Box::new(Population { observers: observers.into(), ..Population::default() }));
    let stimuli = fixtures::items(10, &["a", "b", "c"], &[hype_core::ConditionKind::Source]);
    let study = Study::new(spec, stimuli).unwrap();
    let options = PlanOptions { studies: Some(12), ..PlanOptions::default() };
    let plan = planned(&study, &options);
    assert_eq!(
        plan.rows.iter().map(|row| row.raters).collect::<Vec<_>>(),
        [2, 3, 4, 6, 8, 10, 12, 15, 20, 30, 32]
    );
    assert_eq!((&*plan.measure.name, plan.raters_by), ("strength", "item"));
    assert_eq!(plan.closest.as_ref().unwrap().each_ref().map(|model| &**model), ["a", "b"]);
    let width = |raters| at(&plan, raters).expected.width.unwrap();
    // Intervals narrow with the root of the number of raters.
    near(width(8) / width(32), 2.0, 0.4);
    assert!(plan.advice.starts_with("8 raters an item tell a from b with probability"), "{}", plan.advice);
    let mut single = plan.clone();
    (single.declared, single.rows[0].raters) = (1, 1);
    let advice = advice::sentence(&single);
    assert!(advice.starts_with("1 rater an item tells a from b with probability"), "{advice}");
    let by_name = |name: &str| {
        let options = PlanOptions { measure: Some(name.to_owned()), raters: vec![8], ..options.clone() };
        super::plan(&study, None, &options, &|_, _| {})
    };
    assert_eq!(&*by_name("win_rate").unwrap().measure.unit, "proportion");
    let refused = by_name("win_rates").unwrap_err().to_string();
    assert!(refused.contains("`win_rates`") && refused.contains("strength, win_rate"), "{refused}");
}

#[test]
fn declared_margins_have_a_power() {
    let mut spec = expecting(&[("a", 48.0, 9.0), ("b", 30.0, 9.0)], 30).spec().clone();
    let equivalence = Some(DeclaredMargin { margin: 0.1, measures: None });
    spec.analysis.aggregate.0 = vec![Box::new(ByModel { equivalence, ..ByModel::default() })];
    let study = made(spec, &["a", "b"]);
    let plan = planned(&study, &PlanOptions::default());
    assert_eq!(&*plan.equivalence.as_ref().unwrap().model, "a");
    // (0.08 / (0.09 / √30) - 2.0452) standard errors: 0.9974 by R's pt(..., ncp = 4.8686), and Wilson's interval is nearly the same.
    near(probability(at(&plan, 30).expected.within_margin), 0.997, 0.004);
    near(probability(at(&plan, 10).expected.within_margin), 0.70, 0.06);
    assert!(
        plan.advice.contains("30 raters a model show a to be within 10.0 percentage points of 50 %"),
        "{}",
        plan.advice
    );
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
    for target in [PlanTarget::Power(0.8), PlanTarget::Rank(0.9), PlanTarget::Width(5.0)] {
        let options = PlanOptions { target: Some(target), ..PlanOptions::default() };
        let plan = planned(&study, &options);
        let raters = plan.target.unwrap().raters.unwrap();
        let reaches = |raters: u32| {
            let options = PlanOptions { raters: vec![raters], ..PlanOptions::default() };
            let outlook = at(&planned(&study, &options), raters).expected.clone();
            match target {
                PlanTarget::Power(power) => probability(outlook.power) >= power,
                PlanTarget::Rank(rank) => probability(outlook.order) >= rank,
                PlanTarget::Width(width) => outlook.width.unwrap() <= width / 100.0,
            }
        };
        assert!(reaches(raters) && !reaches(raters - 1), "{target} {raters}");
    }
    // Equal models are never told apart.
    let study = expecting(&[("a", 30.0, 9.0), ("b", 30.0, 9.0)], 30);
    let options = PlanOptions { target: Some(PlanTarget::Power(0.8)), ..PlanOptions::default() };
    let plan = planned(&study, &options);
    assert_eq!(plan.target.unwrap().raters, None);
    assert!(plan.advice.contains("needs more than 100000 raters a model"), "{}", plan.advice);
    for wrong in ["power", "power=1.2", "width=-1", "rank=x", "size=3"] {
        assert!(wrong.parse::<PlanTarget>().is_err(), "{wrong}");
    }
    assert_eq!("rank=0.9".parse(), Ok(PlanTarget::Rank(0.9)));
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
    let errors = |outlook: &Outlook| outlook.equivalence.unwrap() / (0.09 / 30.0_f64.sqrt());
    let alone = planned(&expecting(&[("a", 50.0, 9.0)], 30), &PlanOptions::default());
    near(errors(&at(&alone, 30).expected), 3.0155, 0.02);
    // Two models share the error: 0.025 for each.
    near(errors(&outlook), 3.354, 0.02);
}

#[test]
fn costs_have_fees_and_taxes() {
    let mut study = expecting(&[("a", 30.0, 9.0), ("b", 25.0, 9.0)], 30);
    let mut spec = study.spec().clone();
    spec.protocol.payment = Some(Payment { base: Amount(12_000_000), ..Payment::default() });
    study = made(spec, &["a", "b"]);
    let fees = Customer::ALL.map(|customer| customer.fees(Share::of(0.2).unwrap()));
    let options = PlanOptions { fees: fees.into(), ..PlanOptions::default() };
    let plan = planned(&study, &options);
    assert!((plan.session.minutes.unwrap() - 15.0).abs() < 1e-12);
    // 60 sessions of 12 USD; the fee of 33.3 % with 20 % tax is 39.96 %, that of 42.8 % is 51.36 %. Of each payment it is rounded up
    // to a cent: 4.80 and 6.17.
    let totals: Vec<String> = at(&plan, 30).costs.iter().map(|cost| cost.total.to_string()).collect();
    assert_eq!(totals, ["720.00", "1008.00", "1090.20"]);
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
    assert_eq!(source(&simulated(&expected)), AssumptionSource::Declared);
    assert_eq!(source(&without(&simulated(&expected))), AssumptionSource::Simulated);
    let published = planned(&without(&expected), &options);
    assert_eq!(published.assumptions.source, AssumptionSource::Published);
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
    expected.insert("a".into(), ExpectedValues { mean: 30.0, sd: 0.1 });
    expected.insert("c".into(), ExpectedValues { mean: 0.2, sd: 0.0 });
    spec.analysis.plan.expected.insert("eror".into(), [].into());
    let found = spec.check(&fixtures::stimuli(120, &[("a", 120), ("b", 120)]));
    let codes: Vec<(&str, &str)> = found.iter().map(|one| (one.code, &*one.path)).collect();
    for wanted in [
        ("missing-model", "plan.expected.error"),
        ("out-of-range", "plan.expected.error.a.mean"),
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
