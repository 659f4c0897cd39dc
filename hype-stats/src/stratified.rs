//! Whether two groups have equal shares, where each person is a stratum.

use crate::StatError;
use crate::distributions::{ChiSquared, FisherF};

/// How many of some have a property, such as being missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers make it")]
pub struct Counted {
    /// Those that have it.
    pub hits: u64,
    /// All of them.
    pub of: u64,
}

/// The most hits whose distribution is enumerated.
const ENUMERATED: u64 = 400;
/// The p value at which persons differ too much for hits to be independent.
const HETEROGENEOUS: f64 = 0.05;

/// Computes the p value of the hypothesis that two groups have equal shares.
///
/// `both` has one entry for each person who is in both groups, with the counts in the first and in the second; `alone` has the
/// persons who are in one group only.
///
/// # Method
/// Mantel and Haenszel's (1959): given the hits of a person in `both`, those in the first group are hypergeometric. Up to 400 hits,
/// the p value is twice the smaller tail of the exact distribution of their sum (Birch 1964), beyond by the normal distribution with a
/// correction for continuity. Where the chi-squared test of persons' differences is significant at 5 %, the variance is multiplied by
/// its mean square φ and the statistic is referred to F(1, persons - 1). Persons in `alone` form one more stratum, whose variance is
/// always multiplied by their φ, if that is above 1: shares of persons differ.
///
/// # Errors
/// [`StatError::Degenerate`] if no subjects can be compared, or there are no hits or nothing else.
pub fn equal_shares(both: &[[Counted; 2]], alone: [&[Counted]; 2]) -> Result<f64, StatError> {
    let strata: Vec<Stratum> =
        both.iter().filter_map(|&[first, second]| Stratum::of(first, second)).collect();
    let others = Others::of(alone);
    let strata_of = strata.iter().chain(others.as_ref().map(|others| &others.stratum));
    let (mut excess, mut variance) = (0.0, 0.0);
    for stratum in strata_of.clone() {
        excess += stratum.excess();
        variance += stratum.variance();
    }
    if variance <= 0.0 {
        return Err(StatError::Degenerate {
            statistic: "a comparison of shares",
            reason: "no subjects can be compared, or all counts are equal",
        });
    }
    let (within, df) = heterogeneity(&strata)?;
    if others.is_none() && df <= 0.0 {
        let hits: u64 = strata.iter().map(|stratum| stratum.hits).sum();
        if hits <= ENUMERATED {
            return Ok(enumerated(&strata));
        }
        let distance = (excess.abs() - 0.5).max(0.0);
        return Ok(ChiSquared::new(1.0)?.sf(distance * distance / variance));
    }
    let own: f64 = strata.iter().map(Stratum::variance).sum();
    let (of_others, df) = match &others {
        Some(others) => (others.stratum.variance() * others.dispersion, df + others.df),
        None => (0.0, df),
    };
    Ok(FisherF::new(1.0, df)?.sf(excess * excess / (own * within + of_others)))
}

/// The hits of two groups that are compared with each other.
struct Stratum {
    hits: u64,
    first: Counted,
    second: u64,
}

impl Stratum {
    /// `None` if it says nothing about a difference.
    fn of(first: Counted, second: Counted) -> Option<Self> {
        let hits = first.hits + second.hits;
        let says = first.of > 0 && second.of > 0 && hits > 0 && hits < first.of + second.of;
        says.then_some(Self { hits, first, second: second.of })
    }

    fn total(&self) -> f64 {
        (self.first.of + self.second) as f64
    }

    /// The hits of the first group beyond what is expected.
    fn excess(&self) -> f64 {
        self.first.hits as f64 - self.hits as f64 * self.first.of as f64 / self.total()
    }

    fn variance(&self) -> f64 {
        let (hits, total) = (self.hits as f64, self.total());
        let shares = self.first.of as f64 / total * (self.second as f64 / total);
        shares * hits * (total - hits) / (total - 1.0)
    }

    /// The least hits of the first group that are possible, and the probabilities of these and more.
    fn distribution(&self) -> (u64, Vec<f64>) {
        let (first, second, hits) = (self.first.of, self.second, self.hits);
        let (least, most) = (hits.saturating_sub(second), hits.min(first));
        let mut weights = vec![1.0];
        for x in least..most {
            let up = (first - x) as f64 * (hits - x) as f64;
            let down = (x + 1) as f64 * (second + x + 1 - hits) as f64;
            let next = weights.last().copied().unwrap_or(1.0) * up / down;
            weights.push(next);
            if next > 1e200 {
                weights.iter_mut().for_each(|weight| *weight *= 1e-200);
            }
        }
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        (least, weights)
    }
}

/// By how much differences vary more among persons than hits do by chance, with its degrees of freedom; 1 and 0 where that is not
/// more than chance.
fn heterogeneity(strata: &[Stratum]) -> Result<(f64, f64), StatError> {
    if strata.len() < 2 {
        return Ok((1.0, 0.0));
    }
    let df = strata.len() as f64 - 1.0;
    let (mut excess, mut variance, mut squares) = (0.0, 0.0, 0.0);
    for stratum in strata {
        let own = stratum.excess();
        excess += own;
        variance += stratum.variance();
        squares += own * own / stratum.variance();
    }
    let between = squares - excess * excess / variance;
    let is_beyond_chance = ChiSquared::new(df)?.sf(between.max(0.0)) < HETEROGENEOUS;
    Ok(if is_beyond_chance { (between / df, df) } else { (1.0, 0.0) })
}

/// Persons who are in one group only.
struct Others {
    stratum: Stratum,
    /// By how much shares vary more among persons than hits do by chance, at least 1.
    dispersion: f64,
    df: f64,
}

impl Others {
    /// `None` if they say nothing about a difference.
    fn of(alone: [&[Counted]; 2]) -> Option<Self> {
        let sum = |counts: &[Counted]| {
            let add =
                |sum: Counted, one: &Counted| Counted { hits: sum.hits + one.hits, of: sum.of + one.of };
            counts.iter().fold(Counted::default(), add)
        };
        let groups = alone.map(sum);
        let stratum = Stratum::of(groups[0], groups[1])?;
        let persons = alone.iter().map(|group| group.iter().filter(|one| one.of > 0).count());
        let df = persons.map(|count| count as f64 - 1.0).sum::<f64>();
        let mut squares = 0.0;
        for (own, group) in alone.iter().zip(groups) {
            let share = group.hits as f64 / group.of as f64;
            let spread = share * (1.0 - share);
            if spread > 0.0 {
                let of_person = |one: &Counted| {
                    let distance = one.hits as f64 - one.of as f64 * share;
                    distance * distance / (one.of as f64 * spread)
                };
                squares += own.iter().filter(|one| one.of > 0).map(of_person).sum::<f64>();
            }
        }
        (df >= 1.0).then(|| Self { stratum, dispersion: (squares / df).max(1.0), df })
    }
}

/// Twice the smaller tail of the hits in the first group, given those of each stratum.
fn enumerated(strata: &[Stratum]) -> f64 {
    let (mut least, mut all) = (0, vec![1.0]);
    for stratum in strata {
        let (own_least, own) = stratum.distribution();
        let mut joined = vec![0.0; all.len() + own.len() - 1];
        for (place, weight) in all.iter().enumerate() {
            for (further, probability) in own.iter().enumerate() {
                joined[place + further] += weight * probability;
            }
        }
        (least, all) = (least + own_least, joined);
    }
    let found: u64 = strata.iter().map(|stratum| stratum.first.hits).sum();
    let at = (found - least) as usize;
    let tail = all[..=at].iter().sum::<f64>().min(all[at..].iter().sum());
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn counted(hits: u64, of: u64) -> Counted {
        Counted { hits, of }
    }

    /// Fisher's exact test of one table by hand: of 6 hits among 10 and 10, none is in the second group, with the probability
    /// C(10, 6) / C(20, 6) = 210 / 38760.
    #[test]
    fn one_person_is_fishers_exact_test() {
        let p = equal_shares(&[[counted(6, 10), counted(0, 10)]], [&[], &[]]).unwrap();
        assert!((p - 2.0 * 210.0 / 38_760.0).abs() < 1e-15, "{p}");
    }

    /// Three persons with one hit each, all in the first of two groups of equal size: 2 × 0.5³.
    #[test]
    fn hits_of_several_persons_add_up() {
        let both = [[counted(1, 5), counted(0, 5)]; 3];
        assert!((equal_shares(&both, [&[], &[]]).unwrap() - 0.25).abs() < 1e-15);
    }

    /// R's `mantelhaen.test` of two tables (80, 420, 40, 460; 90, 410, 60, 440) has X² = 21.0 with the correction for continuity:
    /// (|170 - 135| - 0.5)² / Σ 500² m (1000 - m) / (1000² 999), with m of 120 and 150.
    #[test]
    fn many_hits_are_normal() {
        let many = [[counted(80, 500), counted(40, 500)], [counted(90, 500), counted(60, 500)]];
        let twice: Vec<[Counted; 2]> = many.iter().chain(&many).copied().collect();
        let variance = |hits: f64| 0.25 * hits * (1_000.0 - hits) / 999.0;
        let statistic = (70.0_f64 - 0.5).powi(2) / (2.0 * (variance(120.0) + variance(150.0)));
        let expected = ChiSquared::new(1.0).unwrap().sf(statistic);
        assert!((equal_shares(&twice, [&[], &[]]).unwrap() - expected).abs() < 1e-12);
        assert!(equal_shares(&many, [&[], &[]]).unwrap() < 1e-4, "enumerated");
    }

    #[test]
    fn persons_who_differ_are_the_units() {
        // Of ten persons, one has all hits in the first group, which would be 7e-7 for independent hits: φ is 22.9 / 9, F(1, 9) 9.6.
        let mut both = vec![[counted(1, 40), counted(1, 40)]; 9];
        both.push([counted(30, 40), counted(0, 40)]);
        let p = equal_shares(&both, [&[], &[]]).unwrap();
        assert!((p - 0.012_704_641_644).abs() < 1e-9, "{p}");
        let alone = [counted(1, 40), counted(0, 40), counted(30, 40)];
        let none = [counted(1, 40), counted(0, 40), counted(1, 40)];
        assert!(equal_shares(&[], [&alone, &none]).unwrap() > 0.1);
        let alike = [counted(10, 40); 3];
        assert!(equal_shares(&[], [&alike, &none]).unwrap() < 0.01);
    }

    #[test]
    fn comparisons_need_hits() {
        assert!(equal_shares(&[[counted(0, 5), counted(0, 5)]], [&[], &[]]).is_err());
        assert!(equal_shares(&[], [&[counted(1, 5)], &[]]).is_err());
    }
}
