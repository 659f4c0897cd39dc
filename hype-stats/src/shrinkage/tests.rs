//! Values by minimization in scipy 1.17.1.

use super::*;
use crate::bootstrap::draws::Draws;

fn items(counts: &[(u64, u64)]) -> Vec<ItemCount> {
    counts.iter().map(|&(successes, trials)| ItemCount { successes, trials }).collect()
}

fn close(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance * want.abs(), "got {got}, want {want}");
}

#[test]
fn shapes_and_likelihood_agree_with_a_general_minimizer() {
    let counts =
        items(&[(0, 5), (1, 5), (5, 5), (3, 6), (2, 2), (0, 1), (7, 10), (1, 9), (4, 4), (0, 12), (0, 0)]);
    let fit = BetaBinomial::fit(&counts).unwrap();
    let RateDistribution::Beta { a, b } = fit.distribution() else { panic!("{fit:?}") };
    close(a, 0.355_814_933_5, 1e-6);
    close(b, 0.416_026_633_1, 1e-6);
    close(fit.negative_log_likelihood(), 28.408_445_440_486, 1e-12);
    close(fit.p_of_common_rate(), 1.303_228_89e-6, 1e-8);
    let rates = fit.rates(&counts, 0.9).unwrap();
    close(rates[1].interval.lower, 0.028_671_51, 1e-6);
    close(rates[1].interval.upper, 0.550_130_3, 1e-6);
    close(rates[10].estimate, a / (a + b), 1e-14);
}

#[test]
fn images_may_differ_no_more_than_by_chance() {
    let tens = |successes: &[u64]| items(&successes.iter().map(|&one| (one, 10)).collect::<Vec<_>>());
    let fit = BetaBinomial::fit(&tens(&[3, 5, 2, 6, 4, 7, 4, 5, 3, 6, 1, 6])).unwrap();
    close(fit.negative_log_likelihood(), 81.928_961_746_1, 1e-11);
    close(fit.p_of_common_rate(), 0.274_893_151_025, 1e-7);
    for equal in [tens(&[4, 4, 5, 4, 4]), tens(&[0, 0]), items(&[(1, 1), (0, 1), (1, 2), (1, 2)])] {
        assert_eq!(BetaBinomial::fit(&equal).unwrap().p_of_common_rate(), 1.0);
    }
    // Two binary answers about each of eight items, all equal: 16 ln 2 against 8 ln 2.
    let alike = items(&[(2, 2), (2, 2), (2, 2), (2, 2), (0, 2), (0, 2), (0, 2), (0, 2)]);
    close(BetaBinomial::fit(&alike).unwrap().p_of_common_rate(), 4.338_893_793_487_953e-4, 1e-12);
}

#[test]
fn counts_that_vary_too_little_have_a_common_rate() {
    for counts in [&[(2, 4), (2, 4), (1, 4), (3, 4)][..], &[(0, 3), (0, 9)], &[(3, 3), (2, 2)]] {
        let counts = items(counts);
        let fit = BetaBinomial::fit(&counts).unwrap();
        let RateDistribution::Common { rate } = fit.distribution() else { panic!("{fit:?}") };
        for found in fit.rates(&counts, 0.9).unwrap() {
            assert_eq!((found.estimate, found.interval.lower, found.interval.upper), (rate, rate, rate));
        }
    }
}

#[test]
fn unanimous_items_are_all_or_none() {
    let counts = items(&[(0, 3), (4, 4), (2, 2), (0, 1), (0, 0)]);
    let fit = BetaBinomial::fit(&counts).unwrap();
    assert_eq!(fit.distribution(), RateDistribution::AllOrNone { share: 0.5 });
    close(fit.negative_log_likelihood(), 4.0 * 2.0_f64.ln(), 1e-14);
    let rates = fit.rates(&counts, 0.9).unwrap();
    assert_eq!(rates.iter().map(|rate| rate.estimate).collect::<Vec<_>>(), [0.0, 1.0, 1.0, 0.0, 0.5]);
}

#[test]
fn many_images_and_long_counts() {
    let mut draws = Draws::new(3, 0);
    let counts: Vec<ItemCount> = (0..100_000)
        .map(|index| {
            let trials = 3 + index % 5 + if index % 1000 == 0 { 500 } else { 0 };
            // The larger of two uniform numbers is Beta(2, 1) distributed.
            let rate = draws.unit().max(draws.unit());
            let successes = (0..trials).filter(|_| draws.unit() < rate).count() as u64;
            ItemCount { successes, trials }
        })
        .collect();
    let fit = BetaBinomial::fit(&counts).unwrap();
    let RateDistribution::Beta { a, b } = fit.distribution() else { panic!("{fit:?}") };
    assert!((a - 2.0).abs() < 0.1 && (b - 1.0).abs() < 0.05, "{a} {b}");
    let covered = fit.rates(&counts, 0.9).unwrap();
    assert!(
        covered
            .iter()
            .all(|rate| { rate.interval.lower < rate.estimate && rate.estimate < rate.interval.upper })
    );
}

#[test]
fn bad_counts_are_refused() {
    assert!(matches!(BetaBinomial::fit(&items(&[(3, 2)])), Err(StatError::Parameter { .. })));
    assert!(matches!(BetaBinomial::fit(&items(&[(0, 0)])), Err(StatError::TooFew { .. })));
    assert!(matches!(BetaBinomial::fit(&items(&[(0, 1), (1, 1)])), Err(StatError::Degenerate { .. })));
    let fit = BetaBinomial::fit(&items(&[(0, 5), (5, 5), (1, 4)])).unwrap();
    assert!(fit.rates(&items(&[(3, 2)]), 0.9).is_err());
    assert!(fit.rates(&[], 1.0).is_err());
}
