use proptest::prelude::*;

use super::*;

mod coverage;

fn shares(yes: &[u64], counts: &[u64]) -> BoundedMean {
    let clusters: Vec<Cluster> =
        yes.iter().zip(counts).map(|(&yes, &count)| Cluster::successes(yes, count)).collect();
    BoundedMean::new(&clusters, 0.0, 1.0).unwrap()
}

/// Effective size, the two 95 % intervals, and the p values of "at most 0.3" and "at least 0.6".
///
/// Computed from single answers: variance between clusters by statsmodels 0.15.0 (`OLS(y, 1).fit("cluster",
/// use_correction=False)`, times R / (R - 1)), quantiles by scipy 1.17.1, the ends of Wilson's interval as
/// roots of (p - π)² = t² π (1 - π) / n*; the p values are the smaller of t's and of the binomial distribution's.
#[test]
fn by_an_independent_computation() {
    let cases: [(&[u64], &[u64], [f64; 7]); 3] = [
        (
            &[3, 5, 4, 9],
            &[10; 4],
            [
                14.416863834941733,
                0.19373819939230968,
                0.8356302354698587,
                0.07735150814597135,
                0.9415412334475085,
                0.0795774759944131,
                0.30092004646063714,
            ],
        ),
        (
            &[1, 0, 2, 0, 1, 7],
            &[20, 25, 20, 18, 30, 40],
            [
                39.57226506294176,
                0.016191182296178705,
                0.2671954178098911,
                2.3210504727784954e-05,
                0.5455846902122503,
                0.9727710953831408,
                0.0012342548731249998,
            ],
        ),
        // Raters who agree to the answer: as if all answers were independent.
        (
            &[10; 3],
            &[20; 3],
            [
                60.0,
                0.25720708466116066,
                0.7427929153388394,
                0.03874761778516519,
                0.9612523822148348,
                0.03873439598555745,
                0.12732200375003508,
            ],
        ),
    ];
    for (yes, counts, want) in cases {
        let mean = shares(yes, counts);
        let mut found = vec![mean.effective];
        for interval in [mean.wilson(0.95), mean.whole_clusters(0.95)] {
            let interval = interval.unwrap();
            found.extend([interval.lower, interval.upper]);
        }
        found.extend([mean.p_at_most(0.3).unwrap(), mean.p_at_least(0.6).unwrap()]);
        for (found, want) in found.iter().zip(want) {
            assert!((found / want - 1.0).abs() < 1e-9, "{yes:?}: {found} {want}");
        }
    }
}

/// From R raters who all gave the same answer the other end is where (1 - p)^R = 2.5 %.
#[test]
fn equal_answers_have_width() {
    for (raters, end) in [(1, 0.975), (3, 0.7076), (5, 0.5218), (10, 0.3085), (30, 0.1157)] {
        for answers in [1, 20, 1_000] {
            let none = shares(&vec![0; raters], &vec![answers; raters]).interval(0.95).unwrap();
            let all = shares(&vec![answers; raters], &vec![answers; raters]).interval(0.95).unwrap();
            assert_eq!((none.lower, all.upper), (0.0, 1.0));
            assert!((none.upper - end).abs() < 5e-5, "{raters} {none:?}");
            assert!((all.lower - (1.0 - end)).abs() < 5e-5);
        }
    }
    let neutral = BoundedMean::new(&[Cluster::of(&[3.0; 7]); 4], 1.0, 5.0).unwrap();
    assert!(neutral.whole);
    let interval = neutral.interval(0.95).unwrap();
    assert!((interval.lower + interval.upper - 6.0).abs() < 1e-12);
    // Clopper and Pearson's for 2 of 4: 0.0676 to 0.9324.
    assert!((interval.lower - (1.0 + 4.0 * 0.067_586)).abs() < 1e-5);
}

#[test]
fn a_rare_group_of_raters_is_flagged() {
    assert!(shares(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 12], &[20; 10]).is_skewed());
    assert!(!shares(&[1, 0, 1, 0, 0, 1, 0, 1, 0, 0], &[20; 10]).is_skewed());
    assert!(!shares(&[10, 3, 12, 9, 14, 6, 16, 8, 11, 5], &[20; 10]).is_skewed());
    assert!(!shares(&[0; 10], &[20; 10]).is_skewed());
}

#[test]
fn half_of_all_answers_is_as_far_from_both_bounds() {
    let (yes, no) = ([12, 29, 22, 15, 0, 0, 17], [6, 8, 21, 13, 22, 9, 16]);
    let counts: Vec<u64> = yes.iter().zip(no).map(|(yes, no)| yes + no).collect();
    let (mean, mirrored) = (shares(&yes, &counts), shares(&no, &counts));
    // Five raters said yes at all.
    assert_eq!((mean.degrees_of_freedom(), mirrored.degrees_of_freedom()), (5.0, 5.0));
    let (found, other) = (mean.wilson(0.95).unwrap(), mirrored.wilson(0.95).unwrap());
    assert!((found.lower + other.upper - 1.0).abs() < 1e-12, "{found:?} {other:?}");
}

#[test]
fn bad_input_is_refused() {
    let one = [Cluster::successes(1, 2)];
    assert!(matches!(BoundedMean::new(&[], 0.0, 1.0), Err(StatError::TooFew { .. })));
    assert!(matches!(BoundedMean::new(&[Cluster::default()], 0.0, 1.0), Err(StatError::TooFew { .. })));
    for (low, high) in [(0.0, 0.0), (1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(matches!(BoundedMean::new(&one, low, high), Err(StatError::Parameter { .. })));
    }
    for wrong in
        [Cluster::successes(3, 2), Cluster::of(&[-0.5]), Cluster { count: 2, sum: 1.0, squares: 1.5 }]
    {
        assert!(matches!(BoundedMean::new(&[wrong], 0.0, 1.0), Err(StatError::Parameter { .. })));
    }
    let infinite = Cluster { count: 1, sum: f64::NAN, squares: 0.0 };
    assert!(matches!(BoundedMean::new(&[infinite], 0.0, 1.0), Err(StatError::NotFinite { .. })));
    let mean = BoundedMean::new(&one, 0.0, 1.0).unwrap();
    assert!(mean.wilson(1.0).is_err() && mean.whole_clusters(2.0).is_err());
    assert!(mean.p_at_most(f64::NAN).is_err() && mean.p_at_least(f64::INFINITY).is_err());
}

#[test]
fn values_outside_the_range_are_certain() {
    let mean = shares(&[3, 5, 2], &[10; 3]);
    assert_eq!((mean.p_at_most(-0.1).unwrap(), mean.p_at_most(0.0).unwrap()), (0.0, 0.0));
    assert_eq!((mean.p_at_most(1.0).unwrap(), mean.p_at_least(0.0).unwrap()), (1.0, 1.0));
    assert_eq!((mean.p_at_least(1.0).unwrap(), mean.p_at_least(1.1).unwrap()), (0.0, 0.0));
    let none = shares(&[0; 3], &[10; 3]);
    assert_eq!((none.p_at_most(0.0).unwrap(), none.p_at_most(-0.1).unwrap()), (1.0, 0.0));
}

proptest! {
    #[test]
    fn intervals_have_width_and_mirror(
        raters in proptest::collection::vec((0_u64..=30, 0_u64..=30), 1..12), level in 0.5..0.99_f64,
    ) {
        let counts: Vec<u64> = raters.iter().map(|(yes, no)| yes + no).collect();
        prop_assume!(counts.iter().sum::<u64>() > 0);
        let (yes, no): (Vec<u64>, Vec<u64>) = raters.into_iter().unzip();
        let (mean, mirrored) = (shares(&yes, &counts), shares(&no, &counts));
        for method in [BoundedMean::wilson, BoundedMean::whole_clusters] {
            let (found, other) = (method(&mean, level).unwrap(), method(&mirrored, level).unwrap());
            prop_assert!((found.lower + other.upper - 1.0).abs() < 1e-9);
            prop_assert!(0.0 <= found.lower && found.upper <= 1.0);
            prop_assert!(found.lower <= mean.estimate() && mean.estimate() <= found.upper);
            prop_assert!(found.upper - found.lower > 1e-4, "{found:?}");
        }
        let interval = mean.interval(level).unwrap();
        let tail = 0.5 * (1.0 - level);
        if interval.lower > 1e-6 {
            prop_assert!((mean.p_at_most(interval.lower).unwrap() - tail).abs() < 1e-7);
        }
        if interval.upper < 1.0 - 1e-6 {
            prop_assert!((mean.p_at_least(interval.upper).unwrap() - tail).abs() < 1e-7);
        }
    }

    #[test]
    fn scores_are_scaled(
        raters in proptest::collection::vec(proptest::collection::vec(1_u8..=5, 1..8), 2..8),
    ) {
        let of = |shift: f64, scale: f64| {
            let clusters: Vec<Cluster> = raters
                .iter()
                .map(|scores| {
                    let values: Vec<f64> = scores.iter().map(|&score| shift + scale * f64::from(score)).collect();
                    Cluster::of(&values)
                })
                .collect();
            BoundedMean::new(&clusters, shift + scale, shift + 5.0 * scale).unwrap().interval(0.95).unwrap()
        };
        let (one, other) = (of(0.0, 1.0), of(-7.0, 0.25));
        prop_assert!((-7.0 + 0.25 * one.lower - other.lower).abs() < 1e-9);
        prop_assert!((-7.0 + 0.25 * one.upper - other.upper).abs() < 1e-9);
    }
}

/// A plan with the moments that clusters have finds what these clusters show.
#[test]
fn planned_means_match_those_of_clusters_with_the_same_moments() {
    let all: [(&[u64], u64); 4] =
        [(&[3, 5, 4, 9], 10), (&[0, 1, 0, 2, 9], 20), (&[50; 6], 100), (&[0; 5], 10)];
    for (yes, count) in all {
        let found = shares(yes, &vec![count; yes.len()]);
        let means: Vec<f64> = yes.iter().map(|&yes| yes as f64 / count as f64).collect();
        let (mean, deviation) =
            (crate::describe::mean(&means).unwrap(), crate::describe::standard_deviation(&means).unwrap());
        let planned = BoundedMean::planned(mean, deviation, yes.len() as f64, count as f64).unwrap();
        assert_eq!(planned.is_skewed(), found.is_skewed(), "{yes:?}");
        // Shares that are all equal are still worth only their answers.
        if deviation > 0.0 || mean <= 0.0 {
            // Of clusters near a bound, the numbers of those away from it are expected ones.
            let close = |a: f64, b: f64| {
                let tolerance = if yes.contains(&0) { 0.1 } else { 1e-12 };
                assert!((a / b - 1.0).abs() < tolerance, "{a} {b}");
            };
            close(planned.effective, found.effective);
            let range = |one: &BoundedMean| {
                let range = one.interval(0.95).unwrap();
                range.upper - range.lower
            };
            close(range(&planned), range(&found));
        }
    }
    for (mean, deviation, clusters, values) in [
        (1.1, 0.1, 9.0, 9.0),
        (f64::NAN, 0.1, 9.0, 9.0),
        (0.5, -0.1, 9.0, 9.0),
        (0.5, 0.1, 1.0, 9.0),
        (0.5, 0.1, 9.0, 0.5),
    ] {
        assert!(BoundedMean::planned(mean, deviation, clusters, values).is_err());
    }
    assert!(BoundedMean::planned(0.5, 0.1, 9.0, f64::INFINITY).unwrap().wilson(0.95).is_ok());
}
