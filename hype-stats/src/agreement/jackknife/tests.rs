use super::*;

mod coverage;

fn counts_of(items: &[Vec<f64>]) -> ItemCounts {
    let mut counts = ItemCounts::new();
    for (item, values) in (0..).zip(items) {
        values.iter().for_each(|&value| counts.add(item, value).unwrap());
    }
    counts
}

#[track_caller]
fn assert_interval(counts: &ItemCounts, coefficient: AgreementCoefficient, want: [f64; 3]) {
    let found = AgreementOverItems::new(counts, coefficient).unwrap();
    let interval = found.interval(0.95).unwrap();
    for (got, want) in [found.estimate(), interval.lower, interval.upper].into_iter().zip(want) {
        assert!((got - want).abs() <= 2e-9, "{coefficient:?}: got {got}, want {want}");
    }
}

/// By numpy and scipy, with every coefficient computed from its definition over lists of ratings.
#[test]
fn intervals_match_an_independent_implementation() {
    const NONE: u32 = 0;
    // Example C of Krippendorff (2011), with an item that only one observer rated.
    let observers: [[u32; 12]; 4] = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ];
    let rated = |item: usize| observers.iter().map(move |values| values[item]).filter(|value| *value != NONE);
    let example: Vec<Vec<f64>> = (0..12).map(|item| rated(item).map(f64::from).collect()).collect();
    let example = counts_of(&example);
    let alpha = AgreementCoefficient::KrippendorffAlpha;
    assert_interval(
        &example,
        alpha(ScaleDifference::Nominal),
        [0.743421052632, 0.200527944507, 0.981468619147],
    );
    assert_interval(&example, alpha(ScaleDifference::Ordinal), [0.815387503755, -0.098232838226, 1.0]);
    assert_interval(&example, alpha(ScaleDifference::Interval), [0.849107142857, 0.004058743761, 1.0]);
    assert_interval(&example, alpha(ScaleDifference::Ratio), [0.797402774712, -0.016736082414, 1.0]);
    let percent = AgreementCoefficient::PercentAgreement;
    assert_interval(&example, percent, [0.818181818182, 0.413094886485, 0.983999770703]);

    let value = |item: u32, rater: u32| {
        f64::from(if (item * 7 + rater * 5) % 11 > 2 { item * item % 3 } else { (item + rater) % 3 })
    };
    let made: Vec<Vec<f64>> = (0..40).map(|item| (0..3).map(|rater| value(item, rater)).collect()).collect();
    let made = counts_of(&made);
    let fleiss = AgreementCoefficient::FleissKappa;
    assert_interval(&made, fleiss, [0.380530973451, 0.192045023623, 0.554640578042]);
    assert_interval(&made, percent, [0.65, 0.531590534890, 0.747755855295]);
    // Twenty clusters of two items each.
    let clustered = made.with_clusters((0..40).map(|item| item * 7 % 20).collect());
    assert_interval(&clustered, fleiss, [0.380530973451, 0.294642862581, 0.472997625738]);
    assert_interval(&clustered, percent, [0.65, 0.576511085222, 0.715374720430]);
}

#[test]
fn full_agreement_leaves_room_for_items_not_seen() {
    let items: Vec<Vec<f64>> = (0..20).map(|item| vec![f64::from(item % 2); 3]).collect();
    let counts = counts_of(&items);
    // The share of items with disagreement has the upper limit 1 - 0.025^(1/20).
    let most = 1.0 - 0.025_f64.powf(1.0 / 20.0);
    assert_interval(&counts, AgreementCoefficient::PercentAgreement, [1.0, 1.0 - most, 1.0]);
    let alpha = AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Ordinal);
    assert_interval(&counts, alpha, [1.0, 1.0 - most / (60.0 / 59.0 / 2.0), 1.0]);
}

#[test]
fn insufficient_data_are_reported() {
    let percent = AgreementCoefficient::PercentAgreement;
    let one = counts_of(&[vec![1.0, 2.0], vec![1.0]]);
    assert!(matches!(AgreementOverItems::new(&one, percent), Err(StatError::TooFew { got: 1, .. })));
    let alike = counts_of(&[vec![1.0, 2.0, 2.0], vec![1.0, 2.0, 2.0], vec![1.0, 1.0, 2.0]]);
    let found = AgreementOverItems::new(&alike, percent);
    assert!(matches!(found, Err(StatError::Degenerate { .. })), "{found:?}");
    // Without the only item of another value, all ratings are the same.
    let one_differs = counts_of(&[vec![1.0, 1.0], vec![1.0, 1.0], vec![1.0, 2.0]]);
    let alpha = AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Nominal);
    assert!(matches!(AgreementOverItems::new(&one_differs, alpha), Err(StatError::Degenerate { .. })));
}
