//! How often intervals over waves cover the truth, and claims that a model is better are false.

use std::ops::Range;

use super::*;
use crate::bootstrap::IntervalEstimate;
use crate::clustered::Target;
use crate::equivalence::Better;
use crate::ordering::PairwiseOrder;
use crate::preference::{BradleyTerry, CellVotes, ClusteredComparisons, ComparisonOutcome, Ties};
use crate::proof::{is_proof, row, sized};

/// The true values of the ten models of the first wave: five, each of two models. New models have one of these as well:
/// every claim between equals is false.
const LEVELS: [f64; 5] = [-0.9, -0.45, 0.0, 0.45, 0.9];
/// The standard deviation of one rater's strengths, and what is left of strengths in answers of all raters.
const TASTE: f64 = 0.3;
const ATTENUATION: f64 = 0.9703;

/// The kind of answers that raters give.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Answers {
    /// Which of two models is better.
    Votes,
    /// Whether an image is real: the share of errors.
    Errors,
}

/// A kind of board.
#[derive(Debug, Clone, Copy)]
struct Kind {
    answers: Answers,
    /// In log-odds; of shares of errors a fifth.
    drift: f64,
    /// The slope of all waves but the first; each draws its own from 0.6 to 1.5 where there is none.
    slope: Option<f64>,
    waves: usize,
    anchors: usize,
}

/// Counts from a board's simulated life.
#[derive(Debug, Default, Clone, Copy)]
struct Shown {
    boards: f64,
    linked: f64,
    pairs: f64,
    covered: f64,
    width: f64,
    pooled: f64,
    pooled_width: f64,
    false_claims: f64,
}

struct Simulation {
    kind: Kind,
    draws: Draws,
    pooled: Vec<(u32, CellVotes)>,
    people: u32,
}

impl Simulation {
    /// The wave's true values, as they are for its raters.
    fn as_seen(&mut self, values: &[f64], slope: f64) -> Vec<f64> {
        let offset = 0.2 * self.draws.normal();
        values.iter().map(|value| offset + slope * (value + self.kind.drift * self.draws.normal())).collect()
    }

    fn wave(&mut self, models: &[u32], values: &[f64], slope: f64, anchors: Option<usize>) -> Wave {
        let seen = self.as_seen(values, slope);
        match self.kind.answers {
            Answers::Votes => self.votes(models, &seen, anchors),
            Answers::Errors => self.errors(models, &seen),
        }
    }

    /// Ten votes of each of 60 raters, or of 300 in the first wave; 40 % between anchors, the others with the last model. Where a
    /// model wins or loses all, nothing says by how much, and others vote instead.
    fn votes(&mut self, models: &[u32], seen: &[f64], anchors: Option<usize>) -> Wave {
        let size = models.len();
        let raters = if anchors.is_some() { 60 } else { 300 };
        let mut votes = ClusteredComparisons::new(size).unwrap();
        let (mut cells, pooled) = (Vec::new(), self.pooled.len());
        for rater in 0..raters {
            let own: Vec<f64> = seen.iter().map(|value| value + TASTE * self.draws.normal()).collect();
            for vote in 0..10 {
                let below = |draws: &mut Draws, count: usize| (draws.unit() * count as f64) as usize;
                let (first, second) = match anchors {
                    Some(anchors) if vote >= 4 => (size - 1, (rater as usize * 6 + vote - 4) % anchors),
                    _ => {
                        let among = anchors.unwrap_or(size);
                        let first = below(&mut self.draws, among);
                        (first, (first + 1 + below(&mut self.draws, among - 1)) % among)
                    }
                };
                let wins = self.draws.unit() < 1.0 / (1.0 + (own[second] - own[first]).exp());
                let outcome = if wins { ComparisonOutcome::First } else { ComparisonOutcome::Second };
                votes.add(&[rater], &[first as u32], &[second as u32], &[outcome]).unwrap();
                let mut counts = [0; 3];
                counts[outcome as usize] = 1;
                let cell = CellVotes { rater, item: 0, first: first as u32, second: second as u32, counts };
                cells.push(cell);
                self.pooled.push((
                    self.people + rater,
                    CellVotes {
                        rater: self.people + rater,
                        first: models[first],
                        second: models[second],
                        ..cell
                    },
                ));
            }
        }
        let fit = match BradleyTerry::new(Ties::Half).fit(votes.table()) {
            Err(StatError::Separated { .. }) => {
                self.pooled.truncate(pooled);
                return self.votes(models, seen, anchors);
            }
            fit => fit.unwrap(),
        };
        let crossed = fit.crossed(cells, Target::Raters).unwrap();
        let columns: Vec<Vec<f64>> = (0..size).map(|model| crossed.of_raters(model).unwrap()).collect();
        let rows: Vec<f64> =
            (0..raters as usize).flat_map(|rater| columns.iter().map(move |column| column[rater])).collect();
        self.people += raters;
        let people: Vec<u32> = (self.people - raters..self.people).collect();
        Wave::new(models, &fit.theta, &people, &rows).unwrap()
    }

    /// Twenty answers of each of 40 raters about every model.
    fn errors(&mut self, models: &[u32], seen: &[f64]) -> Wave {
        let (raters, answers, size) = (40, 20, models.len());
        let mut shares = Vec::new();
        for _ in 0..raters {
            let own = 0.07 * self.draws.normal();
            for value in seen {
                let share = (0.4 + 0.2 * value + own + 0.05 * self.draws.normal()).clamp(0.0, 1.0);
                let wrong = (0..answers).filter(|_| self.draws.unit() < share).count();
                shares.push(wrong as f64 / f64::from(answers));
            }
        }
        let count = f64::from(raters);
        let means: Vec<f64> =
            (0..size).map(|at| shares.iter().skip(at).step_by(size).sum::<f64>() / count).collect();
        let rows: Vec<f64> =
            shares.iter().enumerate().map(|(at, share)| (share - means[at % size]) / count).collect();
        self.people += raters as u32;
        let people: Vec<u32> = (self.people - raters as u32..self.people).collect();
        Wave::new(models, &means, &people, &rows).unwrap()
    }

    /// Intervals of the differences between a model and others in one fit to all votes.
    fn pooled_intervals(&self, models: usize, first: u32, others: Range<u32>) -> Vec<IntervalEstimate> {
        let mut votes = ClusteredComparisons::new(models).unwrap();
        for &(rater, cell) in &self.pooled {
            let outcome = ComparisonOutcome::ALL[cell.counts.iter().position(|&count| count > 0).unwrap()];
            votes.add(&[rater], &[cell.first], &[cell.second], &[outcome]).unwrap();
        }
        let fit = BradleyTerry::new(Ties::Half).fit(votes.table()).unwrap();
        let crossed = fit.crossed(self.pooled.iter().map(|(_, cell)| *cell), Target::Raters).unwrap();
        let interval = |second: u32| {
            let lead = fit.theta[first as usize] - fit.theta[second as usize];
            crossed.difference(first as usize, second as usize).unwrap().interval(lead, 0.95).unwrap()
        };
        others.map(interval).collect()
    }
}

/// One board: a new model in each wave after the first, and the last one compared with the models that were rated once.
fn board(kind: Kind, seed: u64, with_pooled: bool) -> Shown {
    // Each kind has random numbers of its own: with the same ones, all kinds would err together.
    let stream = format!("{kind:?}").bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
    let draws = Draws::new(seed, stream);
    let mut simulation = Simulation { kind, draws, pooled: Vec::new(), people: 0 };
    let unit = if kind.answers == Answers::Votes { ATTENUATION } else { 0.2 };
    let mut truths: Vec<f64> = (0..10).map(|model| LEVELS[model % 5]).collect();
    let first: Vec<u32> = (0..10).collect();
    let wave = simulation.wave(&first, &truths, 1.0, None);
    let mut board = Linked::new(wave).unwrap();
    let mut is_linked = true;
    for _ in 1..kind.waves {
        let new = truths.len() as u32;
        truths.push(LEVELS[(simulation.draws.unit() * 5.0) as usize]);
        let models: Vec<u32> = (0..kind.anchors as u32).chain([new]).collect();
        let values: Vec<f64> = models.iter().map(|&model| truths[model as usize]).collect();
        let slope = kind.slope.unwrap_or_else(|| 0.6 * 2.5_f64.powf(simulation.draws.unit()));
        let wave = simulation.wave(&models, &values, slope, Some(kind.anchors));
        // As boards do, a wave whose anchors determine no line is left apart.
        is_linked = match board.add(wave) {
            Err(StatError::NoConvergence { .. } | StatError::Degenerate { .. }) => false,
            found => found.unwrap().is_linked,
        };
    }
    let mut shown = Shown { boards: 1.0, ..Shown::default() };
    if !is_linked {
        return shown;
    }
    shown.linked = 1.0;
    let new = truths.len() as u32 - 1;
    let others = kind.anchors as u32..10;
    let pooled = if with_pooled && kind.answers == Answers::Votes {
        simulation.pooled_intervals(truths.len(), new, others.clone())
    } else {
        Vec::new()
    };
    let covers = |interval: IntervalEstimate, truth: f64| interval.lower <= truth && truth <= interval.upper;
    for (at, old) in others.enumerate() {
        let truth = unit * (truths[new as usize] - truths[old as usize]);
        let interval = board.difference(new, old).unwrap().interval(0.95).unwrap();
        shown.pairs += 1.0;
        shown.covered += f64::from(u8::from(covers(interval, truth)));
        shown.width += interval.upper - interval.lower;
        if let Some(&interval) = pooled.get(at) {
            shown.pooled += f64::from(u8::from(covers(interval, truth)));
            shown.pooled_width += interval.upper - interval.lower;
        }
    }
    let all = board.models().to_vec();
    let order = PairwiseOrder::new(all.len(), Better::Higher, |first, second| {
        board.difference(all[first], all[second])
    });
    let sets = order.unwrap().simultaneous(0.95).unwrap();
    let truth = |at: usize| truths[all[at] as usize];
    let is_false = sets.iter().enumerate().any(|(at, set)| {
        let better = (0..all.len()).filter(|&other| truth(other) > truth(at)).count();
        let as_good = (0..all.len()).filter(|&other| truth(other) >= truth(at)).count();
        set.best > better + 1 || set.worst < as_good
    });
    shown.false_claims = f64::from(u8::from(is_false));
    shown
}

fn simulate(kind: Kind, boards: usize, with_pooled: bool) -> Shown {
    let all = crate::parallel::map(boards, |index| board(kind, 1_000 + index as u64, with_pooled));
    all.iter().fold(Shown::default(), |sum, one| Shown {
        boards: sum.boards + one.boards,
        linked: sum.linked + one.linked,
        pairs: sum.pairs + one.pairs,
        covered: sum.covered + one.covered,
        width: sum.width + one.width,
        pooled: sum.pooled + one.pooled,
        pooled_width: sum.pooled_width + one.pooled_width,
        false_claims: sum.false_claims + one.false_claims,
    })
}

/// Describes faults of a kind's coverage and claims, beyond 4.5 Monte-Carlo standard errors.
fn wrong(kind: Kind, boards: usize) -> Option<String> {
    let shown = simulate(kind, boards, is_proof());
    let share = |part: f64, of: f64| 100.0 * part / of;
    let covered = share(shown.covered, shown.pairs);
    let claims = share(shown.false_claims, shown.linked);
    let slope = kind.slope.map_or("0.6 to 1.5".to_owned(), |slope| format!("{slope:.1}"));
    let pooled = if shown.pooled_width > 0.0 {
        let width = shown.pooled_width / shown.pairs;
        format!("{:.1} % ({width:.2})", share(shown.pooled, shown.pairs))
    } else {
        "–".to_owned()
    };
    row(&[
        &format!("{:?}", kind.answers),
        &format!("{:.2}", kind.drift),
        &slope,
        &format!("{:2}", kind.waves),
        &kind.anchors.to_string(),
        &format!("{covered:.1} % ({:.2})", shown.width / shown.pairs),
        &pooled,
        &format!("{claims:.1} %"),
        &format!("{:.1} %", share(shown.linked, shown.boards)),
    ]);
    // Pairs of one board are not independent; its comparisons count as one.
    let slack = |share: f64| 4.5 * 100.0 * (share * (1.0 - share) / boards as f64).sqrt();
    (covered < 93.5 - slack(0.05))
        .then(|| format!("{kind:?}: {covered:.1} % covered"))
        .or((claims > 6.0 + slack(0.06)).then(|| format!("{kind:?}: {claims:.1} % false claims")))
        .or((shown.linked < 0.93 * shown.boards).then(|| format!("{kind:?}: {} boards linked", shown.linked)))
}

fn all_of(answers: Answers, drift: f64) {
    let mut all = Vec::new();
    for slope in sized(&[None][..], &[Some(0.6), Some(1.0), Some(1.5), None][..]) {
        for waves in sized(&[3][..], &[3, 6, 12][..]) {
            for anchors in sized(&[5][..], &[5, 8][..]) {
                let kind = Kind { answers, drift, slope: *slope, waves: *waves, anchors: *anchors };
                all.extend(wrong(kind, sized(60, 400)));
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn differences_by_votes_are_covered() {
    all_of(Answers::Votes, 0.0);
}

#[test]
fn differences_by_votes_are_covered_in_spite_of_drift() {
    all_of(Answers::Votes, 0.15);
}

#[test]
fn differences_by_votes_are_covered_in_spite_of_much_drift() {
    all_of(Answers::Votes, 0.30);
}

#[test]
fn differences_of_error_rates_are_covered() {
    all_of(Answers::Errors, 0.0);
}

#[test]
fn differences_of_error_rates_are_covered_in_spite_of_drift() {
    all_of(Answers::Errors, 0.15);
}

#[test]
fn differences_of_error_rates_are_covered_in_spite_of_much_drift() {
    all_of(Answers::Errors, 0.30);
}
