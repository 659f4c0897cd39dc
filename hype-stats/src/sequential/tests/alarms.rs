//! False alarms of stopping rules, and the raters that they save, by simulation.

use super::even;
use crate::bootstrap::draws::Draws;
use crate::confidence_sequence::{Betting, NormalMixture};
use crate::describe::Moments;
use crate::distributions::{StudentT, normal_quantile};
use crate::proof::{row, sized};
use crate::sequential::{GroupSequential, Spending};
use crate::ttest::{Alternative, welch};

const RATERS: usize = 120;
const ANSWERS: usize = 40;

/// The most false alarms of a rule at the level 0.05 in this many studies: 4.5 standard errors above it.
fn most(studies: usize) -> f64 {
    0.05 + 4.5 * (0.05 * 0.95 / studies as f64).sqrt()
}

fn normal(draws: &mut Draws) -> f64 {
    normal_quantile(draws.unit().max(1e-18)).unwrap()
}

/// The probability of success of a rater; those of all raters have this standard deviation on the logistic scale, and
/// the mean 1/2.
fn rater(spread: f64, draws: &mut Draws) -> f64 {
    (1.0 + (-spread * normal(draws)).exp()).recip()
}

/// The share of a rater's answers that are successes.
fn score(spread: f64, draws: &mut Draws) -> f64 {
    let probability = rater(spread, draws);
    (0..ANSWERS).filter(|_| draws.unit() < probability).count() as f64 / ANSWERS as f64
}

/// The number of raters at which a test of a mean of 0 first rejects, if it looks from `first` raters on at every
/// `step`.
fn stop(
    scores: &[f64],
    first: usize,
    step: usize,
    mut rejects: impl FnMut(usize, &Moments) -> bool,
) -> Option<usize> {
    let mut seen = Moments::new();
    (1..=scores.len()).find(|&count| {
        seen.push(scores[count - 1]);
        count >= first && (count - first).is_multiple_of(step) && rejects((count - first) / step, &seen)
    })
}

fn p_value(seen: &Moments) -> f64 {
    let t = seen.mean().unwrap() / seen.standard_error().unwrap();
    StudentT::new(seen.count() as f64 - 1.0).unwrap().two_sided(t)
}

/// The plain t test at each of twelve looks.
fn plain(scores: &[f64]) -> Option<usize> {
    stop(scores, 10, 10, |_, seen| p_value(seen) <= 0.05)
}

fn spending(design: &GroupSequential, scores: &[f64]) -> Option<usize> {
    stop(scores, 10, 10, |look, seen| p_value(seen) <= design.looks()[look].p)
}

fn mixture(sequence: NormalMixture, scores: &[f64], first: usize, step: usize) -> Option<usize> {
    stop(scores, first, step, |_, seen| {
        let interval = sequence.interval(seen).unwrap();
        interval.lower > 0.0 || interval.upper < 0.0
    })
}

/// Studies that stopped, and the raters of all of them.
#[derive(Default, Clone, Copy)]
struct Tally {
    stopped: usize,
    raters: usize,
}

impl Tally {
    fn add(&mut self, stop: Option<usize>) {
        self.stopped += usize::from(stop.is_some());
        self.raters += stop.unwrap_or(RATERS);
    }

    fn share(&self, studies: usize) -> f64 {
        self.stopped as f64 / studies as f64
    }

    fn mean_raters(&self, studies: usize) -> f64 {
        self.raters as f64 / studies as f64
    }

    fn print(&self, rule: &str, kind: &str, studies: usize) {
        let share = format!("{:.2} %", 100.0 * self.share(studies));
        row(&[rule, kind, &share, &format!("{:.1}", self.mean_raters(studies))]);
    }
}

/// Twelve looks at normal scores: 200,000 to 2,000,000 independent simulations with numpy agree.
#[test]
fn looks_every_ten_raters() {
    let studies = sized(2_000, 20_000);
    let design = GroupSequential::new(&even(12), Spending::OBrienFleming, 0.05).unwrap();
    let sequence = NormalMixture::new(30.0, 0.95).unwrap();
    for (effect, wanted) in [
        (0.0, [(0.2096, 103.9), (0.0508, 118.9), (0.0292, 117.5)]),
        (0.4, [(0.9950, 33.9), (0.9899, 67.7), (0.9216, 60.2)]),
    ] {
        let mut draws = Draws::new(15, 0);
        let mut tallies = [Tally::default(); 3];
        for _ in 0..studies {
            let scores: [f64; RATERS] = std::array::from_fn(|_| effect + normal(&mut draws));
            let stops = [plain(&scores), spending(&design, &scores), mixture(sequence, &scores, 10, 10)];
            tallies.iter_mut().zip(stops).for_each(|(tally, stop)| tally.add(stop));
        }
        let rules = ["t at each look", "spending", "width"];
        for ((tally, rule), (share, raters)) in tallies.iter().zip(rules).zip(wanted) {
            tally.print(rule, &format!("normal scores, effect {effect}"), studies);
            let error = (share * (1.0 - share) / studies as f64).sqrt();
            assert!((tally.share(studies) - share).abs() < 4.5 * error, "{rule} {effect}");
            // Numbers of raters have a standard deviation of at most 35.
            let error = 35.0 / (studies as f64).sqrt();
            assert!((tally.mean_raters(studies) - raters).abs() < 4.5 * error, "{rule} {effect}");
        }
    }
}

/// Shares of correct answers of raters whose own shares differ: no rule alarms in more studies than it says.
#[test]
fn shares_of_raters_who_differ() {
    let studies = sized(300, 10_000);
    let design = GroupSequential::new(&even(12), Spending::OBrienFleming, 0.05).unwrap();
    let sequence = NormalMixture::new(30.0, 0.95).unwrap();
    for &spread in sized(&[0.5][..], &[0.0, 0.3, 0.5, 0.8]) {
        let mut draws = Draws::new(16, 0);
        let mut tallies = [Tally::default(); 3];
        for _ in 0..studies {
            let scores: [f64; RATERS] = std::array::from_fn(|_| score(spread, &mut draws) - 0.5);
            let mut bets = Betting::new(0.95).unwrap();
            let betting = stop(&scores, 1, 1, |place, _| {
                bets.push(scores[place] + 0.5).unwrap();
                let interval = bets.interval();
                interval.lower > 0.5 || interval.upper < 0.5
            });
            let stops = [spending(&design, &scores), mixture(sequence, &scores, 20, 1), betting];
            tallies.iter_mut().zip(stops).for_each(|(tally, stop)| tally.add(stop));
        }
        for (tally, rule) in tallies.iter().zip(["spending", "width", "betting"]) {
            tally.print(rule, &format!("shares, SD {spread} logits"), studies);
            let share = tally.share(studies);
            assert!(share <= most(studies), "{rule} {spread}: {share}");
        }
    }
}

/// Two models whose raters differ unequally, at looks after 20, 40, 60, 90 and 120 raters of each.
#[test]
fn pairs_of_models() {
    let studies = sized(1_000, 10_000);
    let counts = [20, 40, 60, 90, RATERS];
    let information = counts.map(|count| count as f64 / RATERS as f64);
    for kind in [Spending::OBrienFleming, Spending::Pocock] {
        let design = GroupSequential::new(&information, kind, 0.05).unwrap();
        let mut draws = Draws::new(17, 0);
        let mut tally = Tally::default();
        for _ in 0..studies {
            let first: [f64; RATERS] = std::array::from_fn(|_| score(0.3, &mut draws));
            let second: [f64; RATERS] = std::array::from_fn(|_| score(0.8, &mut draws));
            tally.add(counts.into_iter().zip(design.looks()).find_map(|(count, look)| {
                let test = welch(&first[..count], &second[..count], Alternative::TwoSided, 0.95);
                (test.unwrap().p <= look.p).then_some(count)
            }));
        }
        tally.print("spending", &format!("two models, {kind:?}"), studies);
        assert!(tally.share(studies) <= most(studies), "{kind:?}: {}", tally.share(studies));
    }
}
