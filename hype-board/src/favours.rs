//! Raters who favour a maker's models: friends of the maker, or a ring that is paid.

use std::collections::{BTreeMap, BTreeSet};

use hype_stats::StatError;
use hype_stats::distributions::{Beta, normal_sf};
use hype_stats::link::DISAGREEMENT;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::estimates::{Estimated, Material};

/// A ring is at most one of so many people; more are a taste.
const ONE_OF: usize = 10;
/// The median of χ² with one degree of freedom.
const MEDIAN: f64 = 0.454_936;

/// People who favour a maker.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct BoardFavour {
    /// The maker.
    pub maker: String,
    /// How many people.
    pub people: u64,
    /// Their votes between a model of the maker and another.
    pub votes: u64,
    /// The share of these that the maker's models won, with ties as half wins.
    pub won: f64,
    /// The share that all votes let expect.
    pub expected: f64,
    /// The p value of the hypothesis that nobody favours a maker, adjusted for makers, measures and numbers of people.
    pub p: f64,
    /// Their names in the package of each wave.
    pub raters: BTreeMap<u32, Vec<String>>,
}

/// A person's votes between a maker's models and others.
#[derive(Debug, Clone, Copy, Default)]
struct Votes {
    count: u64,
    won: f64,
    expected: f64,
    variance: f64,
    /// The same where each win has a probability of one half at least.
    careless: [f64; 2],
}

/// Votes for and against each maker, by people.
#[derive(Debug, Default)]
pub(crate) struct Favours {
    makers: BTreeMap<String, BTreeMap<u32, Votes>>,
    /// The waves of people, and their names there.
    names: BTreeMap<u32, BTreeSet<(u32, String)>>,
}

impl Favours {
    /// Adds the votes of a wave, whether it is linked or not.
    pub(crate) fn add(
        &mut self,
        wave: u32,
        found: &Estimated,
        (raters, people): (&[String], &[u32]),
        makers: &[Option<&str>],
    ) {
        let Material::Votes(cells, fit) = &found.from else { return };
        for (name, person) in raters.iter().zip(people) {
            self.names.entry(*person).or_default().insert((wave, name.clone()));
        }
        for cell in cells {
            let models = [cell.first as usize, cell.second as usize];
            if makers[models[0]] == makers[models[1]] {
                continue;
            }
            let [wins, losses, ties] = fit.probabilities(models[0], models[1]);
            let counts = cell.counts.map(|count| count as f64);
            let all = cell.counts.iter().sum::<u64>();
            let sides = [(wins, counts[0]), (losses, counts[1])];
            for (model, (share, won)) in models.into_iter().zip(sides) {
                let Some(maker) = makers[model] else { continue };
                let of_maker = self.makers.entry(maker.to_owned()).or_default();
                let votes = of_maker.entry(people[cell.rater as usize]).or_default();
                let share = share + 0.5 * ties;
                let careless = share.max(0.5);
                votes.count += all;
                votes.won += won + 0.5 * counts[2];
                votes.expected += all as f64 * share;
                votes.variance += all as f64 * share * (1.0 - share);
                votes.careless[0] += all as f64 * careless;
                votes.careless[1] += all as f64 * careless * (1.0 - careless);
            }
        }
    }

    /// The makers that some people favour, at the level at which a wave is not linked.
    ///
    /// # Method
    ///
    /// For each maker, each person's wins of its models over others are compared with what the strengths of each wave let expect, or
    /// with one half where that is more, as careless answers look like favour for weak models. The p value is that of the binomial
    /// distribution, which is an upper bound with unequal shares (Hoeffding 1956), or that of a normal deviate whose variance has
    /// the spread of tastes among all people, by the median of squared deviates, if it is larger. The k smallest of n p values
    /// are improbable with the binomial tail of k or more of n below the greatest of them (Berk and Jones 1979); the least
    /// over k up to a tenth of n counts, times the number of k, of makers and of measures.
    pub(crate) fn found(&self, measures: usize) -> Result<Vec<BoardFavour>, StatError> {
        let mut all = Vec::new();
        for (maker, people) in &self.makers {
            if people.len() < ONE_OF {
                continue;
            }
            let spread = spread(people);
            let mut tails = Vec::with_capacity(people.len());
            for (&person, votes) in people {
                tails.push((votes.tail(spread)?, person));
            }
            tails.sort_by(|left, right| left.0.total_cmp(&right.0));
            let most = tails.len() / ONE_OF;
            let (mut least, mut ring) = (1.0, 0);
            for (at, (tail, _)) in tails.iter().take(most).enumerate() {
                let p = at_least(at + 1, tails.len(), *tail)?;
                if p < least {
                    (least, ring) = (p, at + 1);
                }
            }
            let p = least * (most * self.makers.len() * measures) as f64;
            if p >= DISAGREEMENT {
                continue;
            }
            let mut favour =
                BoardFavour { maker: maker.clone(), people: ring as u64, p, ..BoardFavour::default() };
            for (_, person) in &tails[..ring] {
                let votes = &people[person];
                favour.votes += votes.count;
                favour.won += votes.won;
                favour.expected += votes.expected;
                for (wave, name) in self.names.get(person).into_iter().flatten() {
                    favour.raters.entry(*wave).or_default().push(name.clone());
                }
            }
            favour.won /= favour.votes as f64;
            favour.expected /= favour.votes as f64;
            // In no order that says who is who in another wave.
            favour.raters.values_mut().for_each(|names| names.sort());
            all.push(favour);
        }
        Ok(all)
    }
}

impl Votes {
    /// The probability of as many wins, or more, of someone who favours no maker.
    fn tail(&self, spread: f64) -> Result<f64, StatError> {
        let [expected, variance] = self.careless;
        if self.won <= expected + 0.5 {
            return Ok(1.0);
        }
        let deviate = (self.won - 0.5 - expected) / (variance + spread * variance * variance).sqrt();
        let exact = at_least(self.won as usize, self.count as usize, expected / self.count as f64)?;
        Ok(exact.max(normal_sf(deviate)))
    }
}

/// The probability of `wanted` or more of `count` events of probability `p`.
fn at_least(wanted: usize, count: usize, p: f64) -> Result<f64, StatError> {
    if wanted == 0 || p >= 1.0 {
        return Ok(1.0);
    }
    Ok(Beta::new(wanted as f64, (count - wanted + 1) as f64)?.cdf(p))
}

/// The variance of people's log-odds for a maker's models beyond chance, by the median of their squared deviates.
fn spread(people: &BTreeMap<u32, Votes>) -> f64 {
    let median = |spread: f64| {
        let mut all: Vec<f64> = people
            .values()
            .map(|votes| {
                let variance = votes.variance + spread * votes.variance * votes.variance;
                (votes.won - votes.expected).powi(2) / variance.max(f64::MIN_POSITIVE)
            })
            .collect();
        let middle = all.len() / 2;
        *all.select_nth_unstable_by(middle, f64::total_cmp).1
    };
    if median(0.0) <= MEDIAN {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while median(high) > MEDIAN && high < 1e6 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if median(middle) > MEDIAN { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of binomial probabilities, by hand.
    #[test]
    fn tails_are_those_of_the_binomial_distribution() {
        assert!((at_least(4, 4, 0.5).unwrap() - 0.0625).abs() < 1e-12);
        assert!((at_least(1, 60, 0.01).unwrap() - (1.0 - 0.99_f64.powi(60))).abs() < 1e-12);
        assert_eq!(at_least(0, 4, 0.5).unwrap(), 1.0);
        let votes = Votes { count: 4, won: 4.0, expected: 0.4, variance: 0.36, careless: [2.0, 1.0] };
        // Four wins of weak models are no more than those of someone who does not look.
        assert!((votes.tail(0.0).unwrap() - 0.066_807).abs() < 1e-6);
    }
}
