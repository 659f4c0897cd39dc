//! Findings say whether a value differs from its reference or is equivalent to it, whether a model is no worse than real
//! stimuli, and how sure ranks are: numbers computed by hand, and simulated studies.

use hype_analyses::aggregators::ByModel;
use hype_analyses::aggregators::contrast::PairedPreferences;
use hype_analyses::aggregators::imagenhub::ImagenHub;
use hype_analyses::aggregators::ranking::RankingOfModels;
use hype_core::model::findings::MeasureFindings;
use hype_core::model::score::Row;
use hype_core::{
    Aggregated, Aggregation, AggregatorSpec, Diagnostics, Direction, Measure, RaterDesign, ScoreTable,
    Stream, Streams,
};
use hype_stats::distributions::normal_quantile;

use crate::proof;
use crate::tables::{all_close, yaml};

/// Rater, model, item, measure, value.
type Cell<'a> = (&'a str, &'a str, &'a str, &'a str, f64);

fn table(cells: &[Cell<'_>]) -> ScoreTable {
    let mut table = ScoreTable::default();
    for &(rater, model, item, measure, value) in cells {
        table.push(&Row::new(rater, model, measure, value).of_item(item));
    }
    table
}

fn rate() -> Measure {
    Measure::new("rate", "rate", "proportion", Direction::Higher).with_reference(0.5, "guessing")
}

fn score() -> Measure {
    Measure::new("score", "score", "", Direction::Higher)
}

#[test]
fn margins_leave_some_values_outside() {
    let faults = |text: &str| {
        let mut at = Diagnostics::new();
        yaml(text).check(&[rate(), score()], &mut at);
        at.iter().map(|fault| (fault.path.clone(), fault.code)).collect::<Vec<_>>()
    };
    let refused = |field: &str| vec![(format!("{field}.margin"), "margin-too-wide")];
    assert_eq!(faults("{ kind: by_model, equivalence: { margin: 5 } }"), refused("equivalence"));
    assert_eq!(faults("{ kind: by_model, equivalence: { margin: 0.5 } }"), refused("equivalence"));
    assert_eq!(faults("{ kind: by_model, equivalence: { margin: 0.05 } }"), []);
    assert_eq!(faults("{ kind: by_model, non_inferiority: { margin: 5 } }"), refused("non_inferiority"));
    assert_eq!(faults("{ kind: by_model, non_inferiority: { margin: 5, measures: [score] } }"), []);
}

fn aggregate(by: &dyn AggregatorSpec, context: &Aggregation, table: &ScoreTable) -> Aggregated {
    let mut sums = by.begin(context);
    sums.add(table).unwrap();
    let found = sums.findings(&[], &Streams::new(1)).unwrap();
    for measure in &found.measures {
        let text = serde_json::to_string(measure).unwrap();
        assert_eq!(&serde_json::from_str::<MeasureFindings>(&text).unwrap(), measure);
    }
    found
}

fn by(text: &str) -> Box<dyn AggregatorSpec> {
    yaml(&format!("{{ kind: by_model{text} }}"))
}

const RATES: [Cell<'static>; 3] =
    [("a", "gan", "", "rate", 0.40), ("b", "gan", "", "rate", 0.45), ("c", "gan", "", "rate", 0.50)];

/// The share of the variance 1/4 at 0.5 that [`RATES`] have for each rater. Their mean is 0.45 and their variance 0.0025.
/// `hype_stats::bounded` averages the ratio of this variance to 0.45 · 0.55, which has two degrees of freedom, with 1/2 in the
/// proportion of 2 to 1 - 2 √(0.45 · 0.55).
fn relative_variance() -> f64 {
    let room: f64 = 0.45 * 0.55;
    let unknown = 1.0 - 2.0 * room.sqrt();
    (2.0 * 0.0025 / room + 0.5 * unknown) / (2.0 + unknown) / 3.0
}

/// The standard error of the mean of [`RATES`] if its true value is `rate`.
fn error(rate: f64) -> f64 {
    (rate * (1.0 - rate) * relative_variance()).sqrt()
}

/// Wilson's interval of [`RATES`], for a quantile of Student's t: where |0.45 - rate| is no more than t errors.
fn ends(t: f64) -> (f64, f64) {
    let c = t * t * relative_variance();
    let half = (c * 0.45 * 0.55 + 0.25 * c * c).sqrt();
    ((0.45 + 0.5 * c - half) / (1.0 + c), (0.45 + 0.5 * c + half) / (1.0 + c))
}

#[test]
fn a_rate_is_compared_with_its_reference() {
    // With two degrees of freedom, the probability above t is 1/2 - t / (2 √(2 + t²)), and the quantiles of 0.95 and 0.975
    // are 2.919986 and 4.302653.
    let tail = |t: f64| 0.5 - t / (2.0 * (2.0 + t * t).sqrt());
    let context = Aggregation::new(vec![rate()], RaterDesign::Between);
    let found = aggregate(&*by(", equivalence: { margin: 0.2 }"), &context, &table(&RATES));
    let against = found.measures[0].against_reference.as_ref().unwrap();
    assert_eq!(
        (against.reference.value, &*against.reference.label, against.margin),
        (0.5, "guessing", Some(0.2))
    );
    assert_eq!(against.family, None);
    let one = &against.models[0];
    let within = one.within_margin.unwrap();
    let interval = one.interval.as_ref().unwrap();
    all_close(
        &[
            one.difference,
            one.p.unwrap(),
            within.p,
            one.smallest_margin.unwrap(),
            interval.low,
            interval.df[0],
        ],
        &[
            -0.05,
            2.0 * tail(0.05 / error(0.5)),
            tail(0.15 / error(0.3)),
            0.5 - ends(2.919_985_58).0,
            ends(4.302_652_73).0,
            2.0,
        ],
        1e-8,
    );
    assert!(within.shown);
    assert_eq!(Some(&*interval.method), Some("Wilson over raters, Student's t"));
}

#[test]
fn tests_of_a_bounded_mean_invert_its_interval() {
    let against = |value: f64, level: f64| {
        let measure = Measure::new("rate", "rate", "proportion", Direction::Higher).with_reference(value, "");
        let context = Aggregation::new(vec![measure], RaterDesign::Between);
        let found = aggregate(&*by(&format!(", level: {level}")), &context, &table(&RATES));
        let p = found.measures[0].against_reference.as_ref().unwrap().models[0].p;
        (p.unwrap(), found.measures[0].estimates[0].interval.clone().unwrap())
    };
    for level in [0.8, 0.9, 0.95, 0.99] {
        let (_, interval) = against(0.5, level);
        for end in [interval.low, interval.high] {
            assert!((against(end, level).0 - (1.0 - level)).abs() < 1e-9, "{level}: {end}");
        }
    }
}

#[test]
fn models_are_one_family_and_nothing_is_equivalent_without_a_margin() {
    let twice: Vec<Cell<'_>> =
        RATES.iter().flat_map(|cell| [*cell, (cell.0, "vae", cell.2, cell.3, cell.4)]).collect();
    let context = Aggregation::new(vec![rate()], RaterDesign::Within);
    let one = aggregate(&*by(""), &context, &table(&RATES));
    let two = aggregate(&*by(""), &context, &table(&twice));
    let of = |found: &Aggregated| found.measures[0].against_reference.clone().unwrap();
    let (one, two) = (of(&one), of(&two));
    assert_eq!(two.family.as_deref(), Some("2 models"));
    let p = one.models[0].p.unwrap();
    assert!(two.models.iter().all(|model| (model.p.unwrap() - 2.0 * p).abs() < 1e-12));
    // The quantile of 0.975 in place of 0.95.
    all_close(&[two.models[0].smallest_margin.unwrap()], &[0.5 - ends(4.302_652_73).0], 1e-8);
    assert!(two.models.iter().all(|model| model.within_margin.is_none()) && two.margin.is_none());
}

#[test]
fn unanimous_raters_are_compared_by_exact_bounds() {
    let cells: Vec<Cell<'_>> = ["a", "b", "c", "d", "e"]
        .into_iter()
        .flat_map(|rater| (0..4).map(move |_| (rater, "gan", "", "rate", 0.0)))
        .collect();
    let context = Aggregation::new(vec![rate()], RaterDesign::Between);
    let found = aggregate(&*by(""), &context, &table(&cells));
    let one = &found.measures[0].against_reference.as_ref().unwrap().models[0];
    // One answer of each of five raters: 2 / 2⁵, and the 90 % interval of Clopper and Pearson begins at 0.
    all_close(&[one.p.unwrap(), one.smallest_margin.unwrap()], &[2.0 / 32.0, 0.5], 1e-12);
    assert!(one.interval.as_ref().unwrap().method.starts_with("Clopper-Pearson"));
}

#[test]
fn models_are_compared_with_real_stimuli() {
    let cells = [
        ("a", "real", "", "score", 0.9),
        ("b", "real", "", "score", 0.8),
        ("c", "real", "", "score", 0.7),
        ("a", "gan", "", "score", 0.8),
        ("b", "gan", "", "score", 0.6),
        ("c", "gan", "", "score", 0.4),
    ];
    let context = Aggregation::new(vec![score()], RaterDesign::Within).with_real("real");
    let found = aggregate(&*by(", non_inferiority: { margin: 0.5 }"), &context, &table(&cells));
    let against = found.measures[0].against_real.as_ref().unwrap();
    let [one] = against.models.as_slice() else { panic!("one model and real") };
    assert_eq!((&*one.model, &*one.real, against.margin, &against.family), ("gan", "real", Some(0.5), &None));
    let se = 0.1 / 3_f64.sqrt();
    let bound = -0.2 - 2.919_985_58 * se;
    let t: f64 = 0.3 / se;
    let within = one.within_margin.unwrap();
    all_close(
        &[
            one.difference,
            one.se.unwrap(),
            one.df[0],
            one.bound.unwrap(),
            one.smallest_margin.unwrap(),
            within.p,
        ],
        &[-0.2, se, 2.0, bound, -bound, 0.5 - t / (2.0 * (2.0 + t * t).sqrt())],
        1e-8,
    );
    assert!(within.shown);
    // Where lower is better, the model is shown to be better than real.
    let lower = Measure { direction: Direction::Lower, ..score() };
    let context = Aggregation::new(vec![lower], RaterDesign::Within).with_real("real");
    let found = aggregate(&*by(""), &context, &table(&cells));
    let one = &found.measures[0].against_real.as_ref().unwrap().models[0];
    all_close(&[one.smallest_margin.unwrap()], &[-0.2 + 2.919_985_58 * se], 1e-8);
    // The method is that of the pairs: the raters' differences, or raters of one model each.
    assert_eq!(&*against.method, "Student's t over raters");
    let context = Aggregation::new(vec![score()], RaterDesign::Between).with_real("real");
    let others = cells.map(|(rater, model, item, measure, value)| match model {
        "real" => (rater, model, item, measure, value),
        _ => (["d", "e", "f"][usize::from(rater.as_bytes()[0] - b'a')], model, item, measure, value),
    });
    let found = aggregate(&*by(""), &context, &table(&others));
    assert_eq!(&*found.measures[0].against_real.as_ref().unwrap().method, "Welch's t");
    // Without real stimuli there is nothing to say.
    let context = Aggregation::new(vec![score()], RaterDesign::Within);
    assert_eq!(aggregate(&*by(""), &context, &table(&cells)).measures[0].against_real, None);
}

#[test]
fn ranks_are_told_apart_where_pairs_are() {
    // Each rater gives the models 0, 0.1 and 5, with deviations that differ between raters and models.
    let cells: Vec<Cell<'_>> =
        [("a", [0.0, 0.3, 5.0]), ("b", [0.2, 0.1, 5.1]), ("c", [0.1, 0.2, 5.3]), ("d", [0.3, 0.2, 5.2])]
            .into_iter()
            .flat_map(|(rater, own)| {
                ["x", "y", "z"]
                    .into_iter()
                    .zip(own)
                    .map(move |(model, value)| (rater, model, "", "score", value))
            })
            .collect();
    for (direction, expected) in [
        (Direction::Higher, vec![("z", 1, 1), ("y", 2, 3), ("x", 2, 3)]),
        (Direction::Lower, vec![("x", 1, 2), ("y", 1, 2), ("z", 3, 3)]),
    ] {
        let context = Aggregation::new(vec![Measure { direction, ..score() }], RaterDesign::Within);
        let found = aggregate(&*by(""), &context, &table(&cells));
        let ranks = found.measures[0].ranks.as_ref().unwrap();
        let sets: Vec<(&str, u64, u64)> = ranks
            .models
            .iter()
            .map(|one| (&*one.model, one.simultaneous.best, one.simultaneous.worst))
            .collect();
        assert_eq!(sets, expected);
        for one in &ranks.models {
            assert!(
                one.marginal.best >= one.simultaneous.best && one.marginal.worst <= one.simultaneous.worst
            );
        }
        assert_eq!(
            (&*ranks.method, ranks.level),
            ("Student's t over raters, Holm over all ordered pairs", 0.95)
        );
    }
    let context =
        Aggregation::new(vec![Measure { direction: Direction::Neither, ..score() }], RaterDesign::Within);
    assert_eq!(aggregate(&*by(""), &context, &table(&cells)).measures[0].ranks, None);
}

#[test]
fn resamples_are_counted_by_order_where_there_are_any() {
    // The raters' differences are always positive: x leads in every joint resample of raters, although the values
    // of both overlap.
    let cells: Vec<Cell<'_>> = [("a", 1.0), ("b", 5.0), ("c", 9.0), ("d", 3.0)]
        .into_iter()
        .flat_map(|(rater, value)| {
            (0..2).flat_map(move |item| {
                let item = ["i", "j"][item];
                [(rater, "x", item, "score", value + 0.1), (rater, "y", item, "score", value)]
            })
        })
        .collect();
    let within = Aggregation::new(vec![score()], RaterDesign::Within);
    for target in ["raters", "raters-and-items"] {
        let resampled = by(&format!(", generalize_to: {target}, bootstrap: {{ resamples: 500 }}"));
        let found = aggregate(&*resampled, &within, &table(&cells));
        let orders = found.measures[0].resampled_orders.as_ref().unwrap();
        assert_eq!((orders.resamples, orders.undefined), (500, 0));
        let lead: Vec<(&str, f64)> = orders.lead.iter().map(|one| (&*one.model, one.share)).collect();
        assert_eq!(lead, [("x", 1.0), ("y", 0.0)]);
        assert_eq!(orders.orders.len(), 1);
        assert_eq!(orders.orders[0].order, [vec!["x".into()], vec!["y".into()]]);
    }
    // Raters of different models are drawn independently.
    let others: Vec<Cell<'_>> = cells
        .iter()
        .map(|cell| {
            (
                if cell.1 == "x" {
                    cell.0
                } else {
                    ["e", "f", "g", "h"][usize::from(cell.0.as_bytes()[0] - b'a')]
                },
                cell.1,
                cell.2,
                cell.3,
                cell.4,
            )
        })
        .collect();
    let between = Aggregation::new(vec![score()], RaterDesign::Between);
    let found = aggregate(&*by(", bootstrap: { resamples: 2000 }"), &between, &table(&others));
    let orders = found.measures[0].resampled_orders.as_ref().unwrap();
    let lead: f64 = orders.lead[0].share;
    assert!((0.4..0.7).contains(&lead), "{lead}");
    all_close(&[orders.lead.iter().map(|one| one.share).sum()], &[1.0], 1e-12);
    // Intervals by Student's t have no resamples.
    assert_eq!(aggregate(&*by(""), &within, &table(&cells)).measures[0].resampled_orders, None);
}

#[test]
fn inapplicable_conclusions_are_absent() {
    let context = Aggregation::new(vec![score()], RaterDesign::Between);
    let found = aggregate(
        &*by(""),
        &context,
        &table(&[("a", "gan", "", "score", 0.4), ("b", "gan", "", "score", 0.5)]),
    );
    let text = serde_json::to_string(&found.measures[0]).unwrap();
    for field in ["against_reference", "against_real", "ranks", "resampled_orders", "reference"] {
        assert!(!text.contains(field), "{field} in {text}");
    }
    let settings = serde_json::to_string(&ByModel::default()).unwrap();
    assert!(!settings.contains("equivalence") && !settings.contains("non_inferiority"), "{settings}");
}

#[test]
fn margins_are_checked() {
    let faults = |text: &str, measure: Measure| -> Vec<(String, &'static str)> {
        let mut at = Diagnostics::new();
        by(text).check(&[measure], &mut at);
        at.iter().map(|fault| (fault.path.clone(), fault.code)).collect()
    };
    assert_eq!(faults(", equivalence: { margin: 0.05, measures: [rate] }", rate()), []);
    assert_eq!(
        faults(", equivalence: { margin: 0.05 }", score()),
        [("equivalence".to_owned(), "no-reference")]
    );
    let unknown = faults(", non_inferiority: { margin: 1, measures: [other] }", score());
    assert_eq!(unknown, [("non_inferiority.measures[0]".to_owned(), "unknown-measure")]);
}

#[test]
fn a_margin_is_about_the_first_measure_unless_it_says_otherwise() {
    let other = Measure { name: "other".into(), ..rate() };
    let context = Aggregation::new(vec![rate(), other], RaterDesign::Between);
    let both: Vec<Cell<'_>> =
        RATES.iter().flat_map(|cell| [*cell, (cell.0, cell.1, cell.2, "other", cell.4)]).collect();
    let margins = |text: &str| -> Vec<Option<f64>> {
        let found = aggregate(&*by(text), &context, &table(&both));
        found.measures.iter().map(|one| one.against_reference.as_ref().unwrap().margin).collect()
    };
    assert_eq!(margins(", equivalence: { margin: 0.1 }"), [Some(0.1), None]);
    assert_eq!(margins(", equivalence: { margin: 0.1, measures: [other] }"), [None, Some(0.1)]);
    let found = aggregate(&*by(", family: rubric"), &context, &table(&both));
    let family = found.measures[0].against_reference.as_ref().unwrap().family.as_deref();
    assert_eq!(family, Some("1 model on 2 measures"));
}

fn normal(source: &mut Stream) -> f64 {
    normal_quantile(source.unit_f64().clamp(1e-12, 1.0 - 1e-12)).unwrap()
}

/// One study of `models` models, each judged by other raters with 20 trials; raters' rates have the standard deviation 0.1.
fn judged(raters: usize, models: usize, mean: f64, source: &mut Stream) -> ScoreTable {
    let mut table = ScoreTable::default();
    for model in 0..models {
        for rater in 0..raters {
            let chance = mean + 0.1 * normal(source).clamp(-3.0, 3.0);
            let (rater, model) = (format!("{model}.{rater}"), model.to_string());
            for _ in 0..20 {
                let value = f64::from(u8::from(source.happens(chance)));
                table.push(&Row::new(&rater, &model, "rate", value));
            }
        }
    }
    table
}

#[test]
fn tests_against_a_reference_hold_their_level() {
    let studies = proof::sized(200, 10_000);
    let by = by(", equivalence: { margin: 0.2 }");
    let context = Aggregation::new(vec![rate()], RaterDesign::Between);
    for raters in [3, 5, 10, 30] {
        for models in [1, 3] {
            let (mut apart, mut shown) = (0, 0);
            for study in 0..studies {
                let streams =
                    Streams::new(study).child("reference", raters as u64).child("models", models as u64);
                let of = |mean, name| {
                    let found =
                        aggregate(&*by, &context, &judged(raters, models, mean, &mut streams.stream(name)));
                    found.measures[0].against_reference.clone().unwrap().models
                };
                apart += u32::from(of(0.5, "null").iter().any(|one| one.p.is_some_and(|p| p <= 0.05)));
                let margin = of(0.7, "margin");
                shown += u32::from(margin.iter().any(|one| one.within_margin.is_some_and(|test| test.shown)));
            }
            let share = |count: u32| f64::from(count) / studies as f64;
            proof::row(&[
                &raters.to_string(),
                &models.to_string(),
                &format!("{:.4}", share(apart)),
                &format!("{:.4}", share(shown)),
            ]);
            let most = proof::sized(0.115, 0.06);
            assert!(share(apart) <= most, "{raters} raters, {models} models: {} differ", share(apart));
            assert!(share(shown) <= most, "{raters} raters, {models} models: {} equivalent", share(shown));
        }
    }
}

/// The share of studies in which every model's set has its true rank.
fn covered(studies: u64, ranks: &[(&str, u64)], mut study: impl FnMut(&Streams) -> Aggregated) -> f64 {
    let mut covered = 0_u32;
    for number in 0..studies {
        let found = study(&Streams::new(number).child("ranks", ranks.len() as u64));
        let sets = &found.measures[0].ranks.as_ref().unwrap().models;
        covered += u32::from(ranks.iter().all(|&(model, rank)| {
            let own = sets.iter().find(|one| &*one.model == model).unwrap().simultaneous;
            own.best <= rank && rank <= own.worst
        }));
    }
    f64::from(covered) / studies as f64
}

/// True values and ranks: two models are equal.
const TRUTH: [(&str, f64, u64); 4] = [("a", 1.0, 1), ("b", 0.6, 2), ("c", 0.6, 2), ("d", 0.0, 4)];

#[test]
fn rank_sets_of_means_cover_all_ranks() {
    let studies = proof::sized(200, 10_000);
    let ranks = TRUTH.map(|(model, _, rank)| (model, rank));
    for design in [RaterDesign::Between, RaterDesign::Within] {
        let context = Aggregation::new(vec![score()], design);
        for raters in [3, 5, 10, 30] {
            let share = covered(studies, &ranks, |streams| {
                let mut source = streams.stream("values");
                let mut table = ScoreTable::default();
                for rater in 0..raters {
                    let own = 0.5 * normal(&mut source);
                    for (model, mean, _) in TRUTH {
                        let name = match design {
                            RaterDesign::Between => format!("{model}.{rater}"),
                            RaterDesign::Within => rater.to_string(),
                        };
                        let value = mean + own + 0.7 * normal(&mut source);
                        table.push(&Row::new(&name, model, "score", value));
                    }
                }
                aggregate(&*by(""), &context, &table)
            });
            proof::row(&[&format!("by_model, {design:?}"), &raters.to_string(), &format!("{share:.4}")]);
            assert!(share >= proof::sized(0.885, 0.95), "{design:?}, {raters} raters: {share}");
        }
    }
}

#[test]
fn rank_sets_of_strengths_cover_all_ranks() {
    let studies = proof::sized(80, 4_000);
    let ranks = TRUTH.map(|(model, _, rank)| (model, rank));
    let measure = Measure::new("preference", "preferred", "proportion", Direction::Higher);
    let context = Aggregation::new(vec![measure], RaterDesign::Within);
    for raters in [3, 5, 10, 30] {
        let share = covered(studies, &ranks, |streams| {
            let mut source = streams.stream("votes");
            let mut table = ScoreTable::default();
            for rater in 0..raters {
                // Strengths differ between raters: votes of one resemble each other.
                let own = TRUTH.map(|(model, strength, _)| (model, strength + 0.4 * normal(&mut source)));
                let name = rater.to_string();
                for (place, (first, left)) in own.iter().enumerate() {
                    for (second, right) in &own[place + 1..] {
                        for _ in 0..6 {
                            let wins = source.happens(1.0 / (1.0 + (right - left).exp()));
                            let row = Row::new(&name, first, "preference", f64::from(u8::from(wins)));
                            table.push(&Row { against: second, ..row });
                        }
                    }
                }
            }
            aggregate(
                &PairedPreferences { order_effect: Some(false), ..PairedPreferences::default() },
                &context,
                &table,
            )
        });
        proof::row(&["contrast", &raters.to_string(), &format!("{share:.4}")]);
        assert!(share >= proof::sized(0.83, 0.95), "{raters} raters: {share}");
    }
}

#[test]
fn votes_orders_and_cells_have_ranks_as_well() {
    let mut source = Streams::new(3).stream("others");
    let (mut votes, mut orders, mut cells) =
        (ScoreTable::default(), ScoreTable::default(), ScoreTable::default());
    for rater in 0..8 {
        let rater = rater.to_string();
        for item in 0..6 {
            let item = item.to_string();
            let own = TRUTH.map(|(model, mean, _)| (model, mean + 0.3 * normal(&mut source)));
            let mut best = own;
            best.sort_by(|left, right| right.1.total_cmp(&left.1));
            for (place, (model, _)) in best.iter().enumerate() {
                orders.push(&Row::new(&rater, model, "rank", place as f64 + 1.0).of_item(&item));
            }
            for (place, (first, left)) in own.iter().enumerate() {
                for (second, right) in &own[place + 1..] {
                    let won = f64::from(u8::from(left > right));
                    votes.push(&Row {
                        against: second,
                        ..Row::new(&rater, first, "preference", won).of_item(&item)
                    });
                }
                let score = |shift: f64| (0.5 + 0.3 * left + shift).clamp(0.0, 1.0);
                cells.push(&Row::new(&rater, first, "SC", score(0.0)).of_item(&item));
                cells.push(&Row::new(&rater, first, "PQ", score(0.1)).of_item(&item));
            }
        }
    }
    let measures = |names: &[&str]| {
        let measures = names.iter().map(|name| Measure::new(name, name, "", Direction::Higher)).collect();
        Aggregation::new(measures, RaterDesign::Within)
    };
    let bootstrapped = "bootstrap: { resamples: 300 }";
    let all: [(&dyn AggregatorSpec, &str, &[&str], &ScoreTable); 3] = [
        (
            &PairedPreferences { order_effect: Some(false), ..PairedPreferences::default() },
            "contrast",
            &["preference"],
            &votes,
        ),
        (&RankingOfModels::default(), "ranking", &["rank"], &orders),
        (&ImagenHub::default(), "imagenhub", &["SC", "PQ"], &cells),
    ];
    for (by, kind, names, table) in all {
        let found = aggregate(by, &measures(names), table);
        let ranks = found.measures[0].ranks.as_ref().unwrap();
        let ends = |place: usize| (&*ranks.models[place].model, ranks.models[place].simultaneous);
        assert_eq!((ends(0).0, ends(0).1.best, ends(3).0, ends(3).1.worst), ("a", 1, "d", 4), "{kind}");
        assert_eq!(
            (ends(0).1.worst, ends(3).1.best),
            (1, 4),
            "{kind}: a and d are told apart from all others"
        );
        assert!(found.measures.iter().all(|one| one.resampled_orders.is_none()));
        let order = if kind == "contrast" { "order_effect: false, " } else { "" };
        let resampled = yaml(&format!("{{ kind: {kind}, {order}{bootstrapped} }}"));
        let found = aggregate(&*resampled, &measures(names), table);
        let orders = found.measures[0].resampled_orders.as_ref().unwrap();
        let shares: f64 = orders.lead.iter().map(|one| one.share).sum();
        assert!((shares - 1.0).abs() < 1e-12 && (orders.resamples, orders.undefined) == (300, 0), "{kind}");
        assert!(orders.lead[0].share > 0.99 && &*orders.lead[0].model == "a", "{kind}");
    }
}
