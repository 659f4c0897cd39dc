use proptest::prelude::*;

use super::*;

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn bits(distribution: &Distribution) -> Vec<u64> {
    distribution.replicates().iter().map(|value| value.to_bits()).collect()
}

/// Values without structure, from a generator that is unrelated to the tested one.
fn sample(size: usize) -> Vec<f64> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..size)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64
        })
        .collect()
}

#[test]
fn results_do_not_depend_on_threads() {
    let values = sample(37);
    let cells: Vec<Option<f64>> =
        sample(300).into_iter().map(|value| (value > 0.2).then_some(value)).collect();
    let crossed = Crossed::from_matrix(15, 20, &cells).unwrap();
    let run = || {
        let clusters: Vec<u32> = (0..37).map(|row| row / 4).collect();
        [
            mean(&values, Resamples::seeded(3_000, 9)).unwrap(),
            clustered_mean(&clusters, &values, Resamples::seeded(3_000, 9)).unwrap(),
            statistic(37, Resamples::seeded(3_000, 9), |drawn| values[drawn[0] as usize]).unwrap(),
            crossed.bootstrap(CrossedResamples::seeded(3_000, 9)).unwrap(),
            grouped_statistic(
                2,
                (0..5_000).map(|unit| unit % 2).collect(),
                Resamples::seeded(3_000, 9),
                |times| f64::from(times[0]),
            )
            .unwrap(),
        ]
    };
    let (one, two) = (on_threads(1, run), on_threads(2, run));
    for (one, two) in one.iter().zip(&two) {
        assert_eq!(bits(one), bits(two));
        assert_eq!(one.standard_deviation().unwrap().to_bits(), two.standard_deviation().unwrap().to_bits());
    }
}

#[test]
fn more_resamples_keep_the_first_ones_and_seeds_differ() {
    let values = sample(12);
    let short = mean(&values, Resamples::seeded(700, 3)).unwrap();
    let long = mean(&values, Resamples::seeded(2_000, 3)).unwrap();
    let other = mean(&values, Resamples::seeded(700, 4)).unwrap();
    assert_eq!(bits(&short), bits(&long)[..700]);
    assert_ne!(bits(&short), bits(&other));
}

#[test]
fn small_tables_and_long_samples_add_to_the_same_sums() {
    for size in [2, 7, 8, 30, 128, 129, 255, 256, 257, 1_000] {
        let values = sample(size);
        let identity: Vec<u32> = (0..2 * size as u32).map(|place| place % size as u32).collect();
        let distribution = mean(&values, Resamples::Explicit(&identity)).unwrap();
        let want = describe::mean(&values).unwrap();
        assert_eq!(distribution.replicates(), [want, want]);
        assert_eq!(distribution.estimate(), want);
    }
}

#[test]
fn clusters_are_drawn_whole() {
    // Three raters with two, one and three rows; by hand.
    let clusters = [9, 9, 4, 7, 7, 7];
    let values = [1.0, 3.0, 10.0, 2.0, 2.0, 5.0];
    // In the order of names: 4 has (10; 1), 7 has (9; 3), 9 has (4; 2).
    let draws = [0, 0, 1, 2, 2, 2, 1, 0, 2];
    let distribution = clustered_mean(&clusters, &values, Resamples::Explicit(&draws)).unwrap();
    assert_eq!(distribution.estimate(), 23.0 / 6.0);
    assert_eq!(distribution.replicates(), [29.0 / 5.0, 2.0, 23.0 / 6.0]);
}

/// The weighted mean straight from its definition.
fn by_definition(items: usize, cells: &[Option<f64>], raters: &[u32], drawn: &[u32]) -> f64 {
    let (mut total, mut count) = (0.0, 0.0);
    for &rater in raters {
        for &item in drawn {
            if let Some(value) = cells[rater as usize * items + item as usize] {
                total += value;
                count += 1.0;
            }
        }
    }
    total / count
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn crossed_resamples_follow_the_definition(
        raters in 2_usize..9,
        items in 2_usize..70,
        missing in prop::bool::ANY,
        whole in prop::bool::ANY,
        seed in any::<u64>(),
    ) {
        let cells: Vec<Option<f64>> = sample(raters * items)
            .into_iter()
            .map(|value| (!missing || value > 0.3).then_some(if whole { (value * 9.0).floor() - 4.0 } else { value }))
            .collect();
        prop_assume!(cells.iter().any(Option::is_some));
        let mut draws = Draws::new(seed, 0);
        let (mut drawn_raters, mut drawn_items) = (vec![0; raters * 5], vec![0; items * 5]);
        draws.fill_below(Bound::new(raters as u32), &mut drawn_raters);
        draws.fill_below(Bound::new(items as u32), &mut drawn_items);
        let crossed = Crossed::from_matrix(raters, items, &cells).unwrap();
        let given = CrossedResamples::Explicit { raters: &drawn_raters, items: &drawn_items };
        let Ok(distribution) = crossed.bootstrap(given) else { return Ok(()); };
        let want: Vec<f64> = drawn_raters
            .chunks(raters)
            .zip(drawn_items.chunks(items))
            .map(|(raters, drawn)| by_definition(items, &cells, raters, drawn))
            .filter(|value| value.is_finite())
            .collect();
        prop_assert_eq!(distribution.replicates().len(), want.len());
        for (got, want) in distribution.replicates().iter().zip(want) {
            prop_assert!((got - want).abs() < 1e-12, "{} {}", got, want);
        }
    }

    #[test]
    fn intervals_are_ordered_and_inside(values in prop::collection::vec(-1e6..1e6_f64, 2..40), seed in any::<u64>()) {
        let distribution = mean(&values, Resamples::seeded(400, seed)).unwrap();
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let narrow = distribution.percentile(0.8).unwrap();
        let wide = distribution.percentile(0.95).unwrap();
        let slack = 1e-9 * smallest.abs().max(largest.abs());
        prop_assert!(smallest - slack <= wide.lower && wide.lower <= narrow.lower);
        prop_assert!(narrow.lower <= narrow.upper && narrow.upper <= wide.upper);
        prop_assert!(wide.upper <= largest + slack);
        if let Ok(bca) = distribution.bca(0.95) {
            prop_assert!(bca.lower <= bca.upper);
        }
    }
}

#[test]
fn crossed_variance_matches_the_pigeonhole() {
    // A complete matrix with rater effects alone: items add no variance, so the resampled mean has
    // the variance of a bootstrap over raters, the population variance of effects / raters.
    let effects = sample(20);
    let cells: Vec<Option<f64>> = effects.iter().flat_map(|&effect| [Some(effect); 12]).collect();
    let crossed = Crossed::from_matrix(20, 12, &cells).unwrap();
    let distribution = crossed.bootstrap(CrossedResamples::seeded(50_000, 5)).unwrap();
    let want = describe::population_standard_deviation(&effects).unwrap() / 20_f64.sqrt();
    let got = distribution.standard_deviation().unwrap();
    // The error of a standard deviation from 50,000 draws is 0.32 %; five of those.
    assert!((got / want - 1.0).abs() < 0.016, "{got} {want}");
}

#[test]
fn general_crossed_statistic_equals_the_mean_path() {
    let values = sample(6 * 11);
    let cells: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
    let resamples = CrossedResamples::seeded(500, 21);
    let fast = Crossed::from_matrix(6, 11, &cells).unwrap().bootstrap(resamples).unwrap();
    let general = crossed_statistic(6, 11, resamples, |raters, items| {
        let mut total = 0.0;
        for (rater, &weight) in raters.iter().enumerate() {
            for (item, &times) in items.iter().enumerate() {
                total += f64::from(weight * times) * values[rater * 11 + item];
            }
        }
        total / 66.0
    })
    .unwrap();
    for (fast, general) in fast.replicates().iter().zip(general.replicates()) {
        assert!((fast - general).abs() < 1e-13);
    }
}

#[test]
fn large_whole_numbers_take_the_wide_form() {
    let cells: Vec<Option<f64>> = (0..40).map(|cell| Some(f64::from(cell) * 1e9)).collect();
    let crossed = Crossed::from_matrix(4, 10, &cells).unwrap();
    assert_eq!(crossed.estimate(), 19.5e9);
}

#[test]
fn studentized_ratios_follow_the_definition() {
    for size in [2, 5, 30, 129, 257] {
        for (origin, unit) in [(0.0, 1.0), (1e6, 1.0), (-3.0, 1e-200), (0.0, 1e200)] {
            let values: Vec<f64> = sample(size).iter().map(|value| unit * (origin + value)).collect();
            let mut drawn = vec![0; 40 * size];
            Draws::new(5, 0).fill_below(Bound::new(size as u32), &mut drawn);
            let got = studentized_mean(&values, Resamples::Explicit(&drawn)).unwrap();
            let centre = describe::mean(&values).unwrap();
            // In the data's own unit, two passes a resample.
            for (got, drawn) in got.ratios().iter().zip(drawn.chunks(size)) {
                let resample: Vec<f64> =
                    drawn.iter().map(|&index| (values[index as usize] - centre) / unit).collect();
                let error = describe::standard_error(&resample).unwrap();
                let want = describe::mean(&resample).unwrap() / error;
                let same = drawn.iter().all(|index| *index == drawn[0]);
                assert!(
                    if same { got.is_infinite() } else { (got - want).abs() <= 1e-9 * (1.0 + want.abs()) },
                    "{got} {want}"
                );
            }
        }
    }
}

#[test]
fn bootstrap_t_says_where_it_has_no_limits() {
    // A ninth of the resamples of three values are of one value, more than the tails of 0.95 hold.
    let few = studentized_mean(&[1.0, 2.0, 4.0], Resamples::seeded(2_000, 1)).unwrap();
    assert!(few.ratios().iter().filter(|ratio| ratio.is_infinite()).count() > 100);
    assert!(matches!(few.interval(0.95), Err(StatError::Degenerate { .. })));
    assert!(few.interval(0.5).is_ok());
    let equal = studentized_mean(&[0.1; 30], Resamples::seeded(100, 1));
    assert!(matches!(equal, Err(StatError::Degenerate { .. })));
    let level = studentized_mean(&sample(9), Resamples::seeded(100, 1)).unwrap().interval(1.0);
    assert!(matches!(level, Err(StatError::Parameter { .. })));
}

#[test]
fn bootstrap_t_is_wider_on_the_side_of_a_long_tail() {
    let skewed: Vec<f64> = sample(20).iter().map(|value| (3.0 * value).exp()).collect();
    let resamples = Resamples::seeded(20_000, 3);
    let studentized = studentized_mean(&skewed, resamples).unwrap();
    let percentile = mean(&skewed, resamples).unwrap().percentile(0.95).unwrap();
    let interval = studentized.interval(0.95).unwrap();
    assert_eq!(studentized.estimate(), mean(&skewed, resamples).unwrap().estimate());
    assert!(interval.upper - interval.lower > percentile.upper - percentile.lower);
    assert!(interval.upper - studentized.estimate() > studentized.estimate() - interval.lower);
}

#[test]
fn an_expanded_percentile_interval_is_as_wide_as_students() {
    for count in [4, 10, 30, 200] {
        // With normal scores the bootstrap distribution is about normal.
        let values: Vec<f64> = (0..count)
            .map(|place| normal_quantile((f64::from(place) + 0.5) / f64::from(count)).unwrap())
            .collect();
        let distribution = mean(&values, Resamples::seeded(40_000, 5)).unwrap();
        let interval = distribution.expanded_percentile(0.9, values.len()).unwrap();
        let error = describe::standard_deviation(&values).unwrap() / f64::from(count).sqrt();
        let t = StudentT::new(f64::from(count) - 1.0).unwrap().quantile(0.95).unwrap();
        let ratio = (interval.upper - interval.lower) / (2.0 * t * error);
        // Means of four values have shorter tails than the normal distribution.
        let slack = if count == 4 { 0.2 } else { 0.04 };
        assert!((ratio - 1.0).abs() < slack, "{count}: {ratio}");
        let plain = distribution.percentile(0.9).unwrap();
        assert!(interval.lower < plain.lower && interval.upper > plain.upper);
        assert!(matches!(distribution.expanded_percentile(0.9, 1), Err(StatError::TooFew { got: 1, .. })));
    }
}

#[test]
fn groups_are_drawn_as_their_units_are() {
    // Both ways of drawing have the same distribution: mean and standard deviation of a statistic agree within five
    // Monte-Carlo errors.
    const RESAMPLES: usize = 20_000;
    let group_of: Vec<u32> = (0..5_000_u32).map(|unit| (unit * unit + unit / 7) % 23 * (unit % 3)).collect();
    let groups = 45;
    let value = |times: &[u32]| -> f64 {
        (0_u32..).zip(times).map(|(group, &times)| f64::from(times) * f64::from(group * group % 17)).sum()
    };
    let by_group =
        grouped_statistic(groups, group_of.clone(), Resamples::seeded(RESAMPLES, 4), value).unwrap();
    let by_unit = statistic(5_000, Resamples::seeded(RESAMPLES, 4), |drawn| {
        let mut times = vec![0; groups];
        drawn.iter().for_each(|&unit| times[group_of[unit as usize] as usize] += 1);
        value(&times)
    })
    .unwrap();
    assert_eq!(by_group.estimate(), by_unit.estimate());
    let [one, other] = [&by_group, &by_unit].map(|found| found.standard_deviation().unwrap());
    let count = RESAMPLES as f64;
    assert!((one / other - 1.0).abs() < 5.0 * (1.0 / count).sqrt(), "{one} {other}");
    let apart = by_group.mean().unwrap() - by_unit.mean().unwrap();
    assert!(apart.abs() < 5.0 * other * (2.0 / count).sqrt(), "{apart}");
    let [one, other] = [&by_group, &by_unit].map(|found| found.percentile(0.95).unwrap());
    // The standard error of a quantile at 0.025 is 2.7 / √count standard deviations.
    let spread = by_unit.standard_deviation().unwrap();
    assert!((one.lower - other.lower).abs() < 5.0 * 2.7 * spread * (2.0 / count).sqrt());
    assert!((one.upper - other.upper).abs() < 5.0 * 2.7 * spread * (2.0 / count).sqrt());
}

#[test]
fn constant_data_have_intervals_of_one_value() {
    let distribution = mean(&[0.1; 30], Resamples::seeded(500, 1)).unwrap();
    for interval in [distribution.percentile(0.95), distribution.basic(0.95), distribution.bca(0.95)] {
        let interval = interval.unwrap();
        assert!((interval.lower - 0.1).abs() < 1e-15 && (interval.upper - 0.1).abs() < 1e-15);
    }
    assert!(distribution.standard_deviation().unwrap() < 1e-15);
}

#[test]
fn undefined_resamples_are_counted() {
    let draws = [0, 0, 1, 1, 0, 1, 1, 1];
    let distribution = ratio(&[1.0, 3.0], &[0.0, 2.0], Resamples::Explicit(&draws)).unwrap();
    assert_eq!(distribution.undefined(), 1);
    assert_eq!(distribution.replicates(), [1.5, 2.0, 1.5]);
}

#[test]
fn bad_input_is_an_error() {
    let seeded = Resamples::seeded(100, 1);
    assert!(matches!(mean(&[1.0], seeded), Err(StatError::TooFew { .. })));
    assert!(matches!(mean(&[1.0, f64::NAN], seeded), Err(StatError::NotFinite { .. })));
    assert!(matches!(mean(&[1.0, 2.0], Resamples::seeded(1, 1)), Err(StatError::TooFew { .. })));
    assert!(matches!(mean(&[1.0, 2.0], Resamples::Explicit(&[0, 1, 0])), Err(StatError::Lengths { .. })));
    assert!(matches!(
        mean(&[1.0, 2.0], Resamples::Explicit(&[0, 1, 0, 2])),
        Err(StatError::Parameter { .. })
    ));
    assert!(matches!(ratio(&[1.0, 2.0], &[1.0], seeded), Err(StatError::Lengths { .. })));
    assert!(matches!(ratio(&[1.0, 2.0], &[0.0, 0.0], seeded), Err(StatError::Degenerate { .. })));
    assert!(matches!(clustered_mean(&[1, 1], &[1.0, 2.0], seeded), Err(StatError::TooFew { .. })));
    let distribution = mean(&[1.0, 2.0], seeded).unwrap();
    for level in [0.0, 1.0, f64::NAN, -0.5] {
        assert!(matches!(distribution.percentile(level), Err(StatError::Parameter { .. })));
    }
    let without = statistic(3, seeded, |drawn| f64::from(drawn[0])).unwrap();
    assert!(matches!(without.bca(0.9), Err(StatError::Degenerate { .. })));
    assert!(matches!(statistic(3, seeded, |_| f64::NAN), Err(StatError::Degenerate { .. })));
    assert!(matches!(Crossed::from_matrix(2, 2, &[None; 4]), Err(StatError::TooFew { .. })));
    assert!(matches!(Crossed::from_matrix(2, 3, &[None; 4]), Err(StatError::Lengths { .. })));
    assert!(matches!(Crossed::from_responses(2, 2, [(2, 0, 1.0)]), Err(StatError::Parameter { .. })));
    assert!(Crossed::from_responses(usize::MAX, usize::MAX, []).is_err());
    let crossed = Crossed::from_responses(2, 2, [(0, 0, 1.0), (1, 1, 2.0)]).unwrap();
    let uneven = CrossedResamples::Explicit { raters: &[0, 1, 1, 1], items: &[0, 1] };
    assert!(crossed.bootstrap(uneven).is_err());
}
