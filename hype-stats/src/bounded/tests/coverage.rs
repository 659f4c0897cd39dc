//! How often intervals of shares and scores of raters cover the truth.

use super::*;
use crate::bootstrap::draws::Draws;
use crate::proof::{row, sized};

const LEVEL: f64 = 0.95;

/// The distribution function of a rater's number of yes answers.
struct YesAnswers(Vec<f64>);

impl YesAnswers {
    /// Of raters whose own shares follow a beta distribution with this mean, answers of one rater being
    /// correlated by `correlation`; independent answers for 0.
    fn new(mean: f64, correlation: f64, answers: u64) -> Self {
        let odds = mean / (1.0 - mean);
        let total = (1.0 - correlation) / correlation;
        let (a, b) = (mean * total, (1.0 - mean) * total);
        let n = answers as f64;
        let mut mass: f64 = if total.is_finite() {
            (0..answers).map(|i| (b + i as f64) / (total + i as f64)).product()
        } else {
            (1.0 - mean).powf(n)
        };
        let mut sum = 0.0;
        let distribution = (0..=answers).map(|yes| {
            let k = yes as f64;
            sum += mass;
            let ratio = if total.is_finite() { (a + k) / (b + n - k - 1.0) } else { odds };
            mass *= (n - k) / (k + 1.0) * ratio;
            sum
        });
        Self(distribution.collect())
    }

    fn draw(&self, draws: &mut Draws) -> u64 {
        let unit = draws.unit();
        self.0.partition_point(|below| *below <= unit).min(self.0.len() - 1) as u64
    }
}

/// Shares of studies whose interval covers the truth, and the intervals' mean width.
#[derive(Default, Clone, Copy)]
struct Tally {
    covered: f64,
    width: f64,
}

impl Tally {
    fn add(&mut self, interval: IntervalEstimate, truth: f64, studies: usize) {
        let covers = interval.lower <= truth && truth <= interval.upper;
        self.covered += f64::from(u8::from(covers)) / studies as f64;
        self.width += (interval.upper - interval.lower) / studies as f64;
    }

    fn text(&self) -> String {
        format!("{:.1} % | {:.3}", 100.0 * self.covered, self.width)
    }
}

/// Wilson's and whole clusters' intervals.
fn cell(raters: usize, answers: u64, mean: f64, correlation: f64, studies: usize) -> [Tally; 2] {
    let yes = YesAnswers::new(mean, correlation, answers);
    let mut draws = Draws::new(1, 0);
    let mut tallies = [Tally::default(); 2];
    for _ in 0..studies {
        let clusters: Vec<Cluster> =
            (0..raters).map(|_| Cluster::successes(yes.draw(&mut draws), answers)).collect();
        let found = BoundedMean::new(&clusters, 0.0, 1.0).unwrap();
        let methods = [found.wilson(LEVEL), found.whole_clusters(LEVEL)];
        for (tally, interval) in tallies.iter_mut().zip(methods) {
            tally.add(interval.unwrap(), mean, studies);
        }
    }
    tallies
}

/// Beta-binomial raters: coverage of at least 93.5 % less the Monte-Carlo error.
#[test]
fn shares_are_covered() {
    let studies = sized(400, 10_000);
    let slack = 4.5 * (0.065_f64 * 0.935 / studies as f64).sqrt();
    let mut faults = Vec::new();
    for &raters in sized(&[3, 5, 10, 30][..], &[3, 5, 10, 15, 30, 100]) {
        for &answers in sized(&[20, 100][..], &[20, 50, 100]) {
            for mean in [0.5, 0.2, 0.05, 0.01] {
                for correlation in [0.0, 0.05, 0.2, 0.5] {
                    let [wilson, whole] = cell(raters, answers, mean, correlation, studies);
                    let name = format!("{raters} | {answers} | {mean} | {correlation}");
                    row(&[&name, &wilson.text(), &whole.text()]);
                    if wilson.covered <= 0.935 - slack || whole.covered <= 0.95 - slack {
                        faults.push(format!("{name}: {} {}", wilson.text(), whole.text()));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Scores from 1 to 5 by lenient, neutral and strict raters; the truth is a sum over their answers.
#[test]
fn scores_are_covered() {
    let studies = sized(400, 10_000);
    let slack = 4.5 * (0.065_f64 * 0.935 / studies as f64).sqrt();
    let middle = [[0.05, 0.1, 0.2, 0.35, 0.3], [0.1, 0.2, 0.4, 0.2, 0.1], [0.3, 0.35, 0.2, 0.1, 0.05]];
    let high = [[0.0, 0.0, 0.0, 0.05, 0.95], [0.0, 0.0, 0.05, 0.15, 0.8], [0.0, 0.05, 0.1, 0.35, 0.5]];
    for (name, kinds) in [("middle", middle), ("near 5", high)] {
        let score = |shares: &[f64; 5]| -> f64 { (1..=5).zip(shares).map(|(s, p)| f64::from(s) * p).sum() };
        let truth = kinds.iter().map(score).sum::<f64>() / 3.0;
        for raters in [3, 5, 10, 30] {
            let mut draws = Draws::new(2, raters as u64);
            let mut tally = Tally::default();
            for _ in 0..studies {
                let clusters: Vec<Cluster> = (0..raters).map(|_| scores_of(&kinds, &mut draws)).collect();
                let found = BoundedMean::new(&clusters, 1.0, 5.0).unwrap();
                tally.add(found.interval(LEVEL).unwrap(), truth, studies);
            }
            row(&[name, &raters.to_string(), &tally.text()]);
            assert!(tally.covered > 0.935 - slack, "{name} {raters}: {}", tally.text());
        }
    }
}

/// Twenty scores of a rater of a random kind, each with its shares of the scores 1 to 5.
fn scores_of(kinds: &[[f64; 5]; 3], draws: &mut Draws) -> Cluster {
    let kind = kinds[(3.0 * draws.unit()) as usize];
    let score = |draws: &mut Draws| {
        let mut left = draws.unit();
        let place = kind.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        1.0 + place.unwrap_or(4) as f64
    };
    let scores: Vec<f64> = (0..20).map(|_| score(draws)).collect();
    Cluster::of(&scores)
}
