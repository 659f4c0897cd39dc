use super::*;

/// The default settings with this number of trials.
fn settings(trials: u32) -> CatchTrials {
    CatchTrials { trials: trials.into(), ..CatchTrials::default() }
}

/// The probability of at least this many right answers out of `of`, half of them to real images, by a rater who calls
/// any image real with a probability of `real`: the convolution of two binomials, term by term.
#[expect(clippy::disallowed_methods, reason = "a probability to compare with")]
fn leaning(least: u32, of: u32, real: f64) -> f64 {
    let half = of / 2;
    let term = |right: u32, p: f64| {
        let ways = (0..right).fold(1.0, |ways, i| ways * f64::from(half - i) / f64::from(i + 1));
        ways * p.powi(right as i32) * (1.0 - p).powi((half - right) as i32)
    };
    let pairs = (0..=half).flat_map(|a| (0..=half).map(move |b| (a, b)));
    pairs.filter(|(a, b)| a + b >= least).map(|(a, b)| term(a, real) * term(b, 1.0 - real)).sum()
}

#[test]
fn honest_raters_fail_as_rarely_as_the_binomial_says() {
    // Counted by hand: 12 + 1 of 2^12 orders have at least 11 right, 42_504 + ... + 1 of 2^24 have at least 19.
    for (trials, least, share) in
        [(12, 11, 13.0 / 4096.0), (8, 8, 1.0 / 256.0), (24, 19, 55_455.0 / 16_777_216.0)]
    {
        let settings = settings(trials);
        assert_eq!(settings.right_to_fail(trials), Some(least));
        let found = settings.failing_at(0.5);
        assert!((found - share).abs() < 1e-12, "{trials}: {found}, not {share}");
    }
}

#[test]
fn machines_fail_as_often_as_documented() {
    // Sums of binomial terms in exact fractions, by another program.
    for (trials, accuracy, share) in [
        (12, 0.98, 0.976_89),
        (12, 0.9, 0.659_00),
        (12, 0.6, 0.019_59),
        (24, 0.98, 0.999_99),
        (24, 0.9, 0.972_34),
        (12, 1.0, 1.0),
        (12, 0.0, 0.0),
    ] {
        let found = settings(trials).failing_at(accuracy);
        assert!((found - share).abs() < 6e-6, "{trials} at {accuracy}: {found}, not {share}");
    }
}

#[test]
fn leaning_to_one_answer_does_not_raise_the_chance_to_fail() {
    for trials in [8, 12, 24] {
        let settings = settings(trials);
        let least = settings.right_to_fail(trials).unwrap();
        let even = leaning(least, trials, 0.5);
        assert!((even - settings.failing_at(0.5)).abs() < 1e-12);
        for real in (0..=20).map(|step| f64::from(step) / 20.0) {
            assert!(leaning(least, trials, real) <= even + 1e-15, "{trials} trials, real at {real}");
        }
    }
}

#[test]
fn seven_trials_have_to_count() {
    let settings = CatchTrials::default();
    assert_eq!((settings.right_to_fail(6), settings.right_to_fail(7)), (None, Some(7)));
    assert_eq!(settings.right_to_fail(0), None);
}
