//! Posterior and choice equal a brute-force reference: Bayes' rule over whole histories, in twice the precision of a
//! double, and the entropies of both posteriors by their definition.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::disallowed_methods,
    reason = "a test, which compares exactly and computes its reference with the standard library"
)]

use hype_adaptive::{Domain, FunctionForm, LevelScale, Parameters, QuestPlus, equal_ratios};

/// A sum that keeps the rounding errors of its additions (Knuth's two-sum).
#[derive(Debug, Clone, Copy, Default)]
struct Exact {
    sum: f64,
    error: f64,
}

impl Exact {
    fn of(terms: impl Iterator<Item = f64>) -> f64 {
        let mut total = Self::default();
        for term in terms {
            let sum = total.sum + term;
            let part = sum - total.sum;
            total.error += (total.sum - (sum - part)) + (term - part);
            total.sum = sum;
        }
        total.sum + total.error
    }
}

/// Generates answers that are right with a probability, from a linear congruential generator.
struct Answers(u64);

impl Answers {
    fn right(&mut self, probability: f64) -> bool {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 <= probability
    }
}

fn domain() -> Domain {
    Domain {
        levels: equal_ratios(100.0, 1_000.0, 31),
        thresholds: equal_ratios(90.0, 1_100.0, 17),
        slopes: vec![1.0, 2.5, 5.0, 11.0],
        guesses: vec![0.5],
        lapses: vec![0.001, 0.03, 0.08],
    }
}

fn points(domain: &Domain) -> Vec<Parameters> {
    let mut points = Vec::new();
    for &threshold in &domain.thresholds {
        for &slope in &domain.slopes {
            for &guess in &domain.guesses {
                for &lapse in &domain.lapses {
                    points.push(Parameters { threshold, slope, guess, lapse });
                }
            }
        }
    }
    points
}

/// The psychometric functions with 0.75 at the threshold, from the definitions and the standard library.
fn probability(form: FunctionForm, level: f64, at: &Parameters) -> f64 {
    let missed = (0.25 - at.lapse) / (0.5 - at.lapse);
    let missed = match form {
        FunctionForm::Weibull(_) => (missed.ln() * (level / at.threshold).powf(at.slope)).exp(),
        FunctionForm::Logistic(_) => {
            1.0 / (1.0 + (1.0 / missed - 1.0) * (at.slope * (level / at.threshold).ln()).exp())
        }
        other => panic!("{other:?}"),
    };
    0.5 + (0.5 - at.lapse) * (1.0 - missed)
}

/// The posterior after a history, by the product of all likelihoods as a sum of logarithms.
fn posterior(form: FunctionForm, domain: &Domain, history: &[(usize, bool)]) -> Vec<f64> {
    let points = points(domain);
    let logs: Vec<f64> = points
        .iter()
        .map(|at| {
            Exact::of(history.iter().map(|&(level, right)| {
                let chance = probability(form, domain.levels[level], at);
                if right { chance.ln() } else { (1.0 - chance).ln() }
            }))
        })
        .collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = Exact::of(logs.iter().map(|log| (log - most).exp()));
    logs.iter().map(|log| (log - most).exp() / total).collect()
}

fn entropy(weights: &[f64]) -> f64 {
    -Exact::of(weights.iter().map(|&w| if w > 0.0 { w * w.ln() } else { 0.0 }))
}

/// The expected entropy of both posteriors, each normalised by itself.
fn expected_entropy(form: FunctionForm, domain: &Domain, prior: &[f64], level: usize) -> f64 {
    let points = points(domain);
    let chances: Vec<f64> = points.iter().map(|at| probability(form, domain.levels[level], at)).collect();
    Exact::of([true, false].into_iter().map(|right| {
        let joint: Vec<f64> =
            prior.iter().zip(&chances).map(|(w, c)| w * if right { *c } else { 1.0 - c }).collect();
        let total = Exact::of(joint.iter().copied());
        total * entropy(&joint.iter().map(|w| w / total).collect::<Vec<_>>())
    }))
}

#[test]
fn posteriors_and_choices_follow_from_the_definitions() {
    for (form, seed) in
        [(FunctionForm::Weibull(LevelScale::Linear), 1), (FunctionForm::Logistic(LevelScale::Linear), 2)]
    {
        let domain = domain();
        let mut quest = QuestPlus::with_threshold_at(0.75, form, domain.clone()).unwrap();
        let observer = Parameters { threshold: 280.0, slope: 4.0, guess: 0.5, lapse: 0.02 };
        let (mut answers, mut history) = (Answers(seed), Vec::new());
        for trial in 0..150 {
            let prior = posterior(form, &domain, &history);
            for ((at, weight), (want, point)) in quest.posterior().zip(prior.iter().zip(points(&domain))) {
                assert_eq!(*at, point);
                assert!(
                    (weight - want).abs() < 1e-12,
                    "{form:?}, trial {trial}, {at:?}: {weight}, not {want}"
                );
            }
            let entropies: Vec<f64> = (0..domain.levels.len())
                .map(|level| expected_entropy(form, &domain, &prior, level))
                .collect();
            let choice = quest.next_level();
            let least = entropies.iter().copied().fold(f64::INFINITY, f64::min);
            assert!((choice.expected_entropy - least).abs() < 1e-11, "{form:?}, trial {trial}");
            // The first level within the documented 1e-12 of the least, allowing for the reference's own rounding.
            assert!(entropies[choice.index] - least < 2e-12, "{form:?}, trial {trial}: {choice:?}");
            assert!(entropies[..choice.index].iter().all(|entropy| entropy - least > 5e-13));
            let right = answers.right(probability(form, choice.level, &observer));
            quest.answer(choice.index, right).unwrap();
            history.push((choice.index, right));
        }
        assert!((quest.mean().threshold / 280.0 - 1.0).abs() < 0.2, "{:?}", quest.mean());
    }
}

/// The expected entropy of the threshold alone: of the sums of both posteriors over the other parameters.
fn expected_threshold_entropy(form: FunctionForm, domain: &Domain, prior: &[f64], level: usize) -> f64 {
    let points = points(domain);
    let chances: Vec<f64> = points.iter().map(|at| probability(form, domain.levels[level], at)).collect();
    Exact::of([true, false].into_iter().map(|right| {
        let joint: Vec<f64> =
            prior.iter().zip(&chances).map(|(w, c)| w * if right { *c } else { 1.0 - c }).collect();
        let total = Exact::of(joint.iter().copied());
        let marginal: Vec<f64> = domain
            .thresholds
            .iter()
            .map(|threshold| {
                let of_it = points.iter().zip(&joint).filter(|(at, _)| at.threshold == *threshold);
                Exact::of(of_it.map(|(_, weight)| weight / total))
            })
            .collect();
        total * entropy(&marginal)
    }))
}

#[test]
fn choices_for_the_threshold_follow_from_the_definition() {
    let form = FunctionForm::Logistic(LevelScale::Linear);
    let domain = domain();
    let mut quest = QuestPlus::with_threshold_at(0.75, form, domain.clone()).unwrap();
    let observer = Parameters { threshold: 420.0, slope: 6.0, guess: 0.5, lapse: 0.05 };
    let (mut answers, mut history) = (Answers(3), Vec::new());
    for trial in 0..100 {
        let prior = posterior(form, &domain, &history);
        let entropies: Vec<f64> = (0..domain.levels.len())
            .map(|level| expected_threshold_entropy(form, &domain, &prior, level))
            .collect();
        let choice = quest.next_level_for_threshold();
        let least = entropies.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((choice.expected_entropy - least).abs() < 1e-11, "trial {trial}");
        assert!(entropies[choice.index] - least < 2e-12, "trial {trial}: {choice:?}");
        assert!(entropies[..choice.index].iter().all(|entropy| entropy - least > 5e-13));
        let right = answers.right(probability(form, choice.level, &observer));
        quest.answer(choice.index, right).unwrap();
        history.push((choice.index, right));
    }
    let total: f64 = quest.threshold_posterior().map(|(_, weight)| weight).sum();
    let mean: f64 = quest.threshold_posterior().map(|(threshold, weight)| threshold * weight).sum();
    assert!((total - 1.0).abs() < 1e-12 && (mean - quest.mean().threshold).abs() < 1e-9);
    assert!((mean / 420.0 - 1.0).abs() < 0.2, "{mean}");
}

#[test]
fn ties_go_to_the_lowest_level() {
    // Two levels that are one, before and after another: all three are tied in pairs.
    let levels = vec![300.0, 500.0, 300.0, 500.0];
    let form = FunctionForm::Weibull(LevelScale::Linear);
    let mut quest = QuestPlus::with_threshold_at(0.75, form, Domain { levels, ..domain() }).unwrap();
    for trial in 0..50 {
        let choice = quest.next_level();
        assert!(choice.index < 2);
        quest.answer(choice.index, trial % 4 != 0).unwrap();
    }
}

#[test]
fn choices_are_the_same_on_every_machine() {
    // The bits of the posterior mean and the levels' positions after given answers: they are equal wherever doubles are
    // IEEE 754. A change of these numbers makes stored logs replay differently, and needs a new version of the tasks.
    let form = FunctionForm::Weibull(LevelScale::Linear);
    let mut quest = QuestPlus::with_threshold_at(0.75, form, domain_of_whole_numbers()).unwrap();
    let mut shown = Vec::new();
    for trial in 0..40_u32 {
        let choice = quest.next_level();
        shown.push(choice.index);
        quest.answer(choice.index, trial * trial % 5 != 1).unwrap();
    }
    assert_eq!(shown, GOLDEN_LEVELS);
    let bits =
        [quest.mean().threshold, quest.mean().slope, quest.mean().lapse, quest.entropy()].map(f64::to_bits);
    assert_eq!(bits, GOLDEN_BITS, "{:?}, {}", quest.mean(), quest.entropy());
}

/// States are compared by what they print.
#[test]
fn posteriors_that_differ_print_differently() {
    let begun = QuestPlus::new(FunctionForm::Weibull(LevelScale::Linear), domain()).unwrap();
    let printed = [None, Some(true), Some(false)].map(|answer| {
        let mut quest = begun.clone();
        if let Some(correct) = answer {
            quest.answer(2, correct).unwrap();
        }
        format!("{quest:?}")
    });
    assert!(printed[0] != printed[1] && printed[1] != printed[2] && printed[0] != printed[2], "{printed:?}");
    assert_eq!(printed[0], format!("{begun:?}"));
}

const GOLDEN_LEVELS: [usize; 40] = [
    14, 12, 19, 18, 18, 22, 21, 24, 24, 24, 25, 26, 22, 22, 21, 30, 30, 20, 19, 19, 20, 19, 20, 20, 19, 30,
    30, 19, 19, 18, 19, 19, 19, 19, 18, 19, 19, 19, 19, 19,
];
const GOLDEN_BITS: [u64; 4] = [
    4_651_101_486_758_824_967,
    4_615_667_953_579_424_566,
    4_586_314_776_205_486_103,
    4_618_157_336_587_166_533,
];

/// A domain without transcendental functions of its own.
fn domain_of_whole_numbers() -> Domain {
    let steps = |from: u32, step: u32, number: u32| (0..number).map(|k| f64::from(from + k * step)).collect();
    Domain {
        levels: steps(100, 30, 31),
        thresholds: steps(110, 29, 31),
        slopes: steps(1, 1, 8),
        guesses: vec![0.5],
        lapses: vec![0.005, 0.02, 0.04, 0.06, 0.08],
    }
}
