//! Estimates of several raters together.

use super::*;
use crate::bootstrap::draws::Draws;
use crate::distributions::{StudentT, normal_cdf};
use crate::proof::{row, sized};

/// Two ordinary raters, one without misses, a perfect one, and a weak one.
fn five() -> [Answers; 5] {
    [
        answers(45, 5, 8, 42),
        answers(50, 0, 3, 47),
        answers(38, 12, 2, 48),
        answers(50, 0, 0, 50),
        answers(30, 20, 20, 30),
    ]
}

/// By statsmodels 0.15.0, `Probit` with a criterion for each rater (d', error and log-likelihood). The
/// clustered error by scipy 1.17.1 from slopes of the likelihood profiled by `minimize_scalar`, whose
/// differences have six digits.
#[test]
fn a_common_d_prime_is_a_probit_model() {
    let found = common_d_prime(&five()).unwrap();
    assert!((found.d_prime - 2.217_752_112_778_211).abs() < 1e-9, "{found:?}");
    assert!((found.standard_error - 0.144_131_786_206_623).abs() < 1e-9);
    assert!((found.log_likelihood + 197.382_034_609_716_24).abs() < 1e-9);
    assert!((found.clustered_error - 0.685_927).abs() < 1e-5);
    let found = common_d_prime(&five()[..3]).unwrap();
    assert!((found.d_prime - 2.743_370_55).abs() < 1e-7 && (found.standard_error - 0.220_997_8).abs() < 1e-5);
}

#[test]
fn raters_who_always_say_the_same_change_nothing() {
    let mut raters = five().to_vec();
    raters.extend([answers(50, 0, 50, 0), answers(0, 20, 0, 30)]);
    let (with, without) = (common_d_prime(&raters).unwrap(), common_d_prime(&five()).unwrap());
    assert_eq!((with.d_prime, with.informative, with.uninformative), (without.d_prime, 5, 2));
}

#[test]
fn an_infinite_d_prime_is_refused() {
    let perfect = [answers(10, 0, 0, 10), answers(10, 0, 2, 8), answers(9, 1, 0, 10)];
    assert!(matches!(common_d_prime(&perfect), Err(StatError::Degenerate { .. })));
    let same = [answers(10, 0, 10, 0)];
    assert!(matches!(common_d_prime(&same), Err(StatError::TooFew { .. })));
    assert!(matches!(common_d_prime(&[answers(0, 0, 1, 2)]), Err(StatError::TooFew { of: "signals", .. })));
    // A perfect rater and one who has everything the wrong way around.
    let opposite = common_d_prime(&[answers(20, 0, 0, 20), answers(0, 20, 20, 0)]).unwrap();
    assert!(opposite.d_prime.abs() < 1e-9);
}

/// Sums over all outcomes by scipy 1.17.1 (`binom.pmf`).
#[test]
fn bias_near_the_ceiling() {
    for ((d_prime, criterion, signals, noise), want) in [
        ((1.0, 0.0, 50, 50), -0.004_404_122_310_577_851_5),
        ((3.0, 0.5, 20, 30), -0.156_736_701_738_613_7),
        ((5.0, 0.0, 50, 50), -0.589_835_996_529_107_1),
        ((6.0, 0.0, 50, 50), -1.391_512_914_266_078_5),
    ] {
        let found = d_prime_bias(d_prime, criterion, signals, noise).unwrap();
        assert!((found - want).abs() < 1e-11, "{found} {want}");
    }
    let far = d_prime_bias(90.0, 0.0, 20, 20).unwrap();
    assert!((far - (d_prime_ceiling(20, 20).unwrap() - 90.0)).abs() < 1e-12);
    assert!(d_prime_bias(f64::NAN, 0.0, 20, 20).is_err() && d_prime_bias(1.0, 0.0, 0, 20).is_err());
    let perfect = answers(50, 0, 0, 50);
    assert!((detection(perfect).unwrap().d_prime - d_prime_ceiling(50, 50).unwrap()).abs() < 1e-14);
    assert!(
        perfect.is_extreme() && !answers(49, 1, 1, 49).is_extreme() && answers(49, 1, 0, 50).is_extreme()
    );
}

/// Raters with one high d' and criteria of their own. On average the common d' is too large and the mean of
/// the raters' corrected d' too small, so the truth is between them; the clustered interval covers it in
/// at least nine of ten studies in which the common d' is finite.
#[test]
fn a_common_d_prime_near_the_ceiling() {
    let studies = sized(100, 2_000);
    for (mean, trials, raters) in [(4.5, 50, 10), (3.5, 50, 10), (2.5, 20, 10), (1.5, 50, 10)] {
        let mut draws = Draws::new(5, trials);
        let t = StudentT::new(f64::from(raters) - 1.0).unwrap().upper_quantile(0.025).unwrap();
        let (mut common, mut naive, mut covered, mut defined) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..studies {
            let people: Vec<Answers> = (0..raters).map(|_| person(mean, trials, &mut draws)).collect();
            let Ok(found) = common_d_prime(&people) else { continue };
            defined += 1.0;
            common += found.d_prime - mean;
            let each = people.iter().map(|&answers| detection(answers).unwrap().d_prime);
            naive += each.sum::<f64>() / f64::from(raters) - mean;
            covered += f64::from(u8::from((found.d_prime - mean).abs() <= t * found.clustered_error));
        }
        let text = |sum: f64| format!("{:.3}", sum / defined);
        let covers = covered / defined;
        let percent = format!("{:.1} %", 100.0 * covers);
        let finite = format!("{defined} of {studies}");
        row(&[&format!("{mean} | {trials} | {raters}"), &text(common), &text(naive), &percent, &finite]);
        assert!(defined > (if mean > 4.0 { 0.6 } else { 0.95 }) * f64::from(studies), "{mean}: {defined}");
        assert!(mean < 3.0 || (common > 0.0 && naive < 0.0), "{mean}: {common} {naive}");
        let slack = 4.5 * (0.09 / f64::from(studies)).sqrt();
        assert!(covers > 0.9 - slack, "{mean}: {covers}");
    }
}

fn person(d_prime: f64, trials: u64, draws: &mut Draws) -> Answers {
    let criterion = 0.3 * normal_quantile(draws.unit().max(1e-18)).unwrap();
    let mut yes = |deviate: f64| (0..trials).filter(|_| draws.unit() < normal_cdf(deviate)).count() as u64;
    let hits = yes(0.5 * d_prime - criterion);
    let false_alarms = yes(-0.5 * d_prime - criterion);
    answers(hits, trials - hits, false_alarms, trials - false_alarms)
}
