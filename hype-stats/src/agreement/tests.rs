use super::*;
use crate::StatError;
use crate::bootstrap::{CrossedResamples, Resamples};

mod properties;

type Triplet = (u32, u32, f64);
type Triplets = Vec<Triplet>;

fn counts_of(ratings: &[Triplet]) -> ItemCounts {
    let mut counts = ItemCounts::new();
    for &(item, _, value) in ratings {
        counts.add(item, value).unwrap();
    }
    counts
}

/// The counts of a table with a row for each item and a column for each value.
fn counts_in<const N: usize>(table: &[[u32; N]]) -> ItemCounts {
    let mut counts = ItemCounts::new();
    for (item, row) in (0..).zip(table) {
        for (value, &count) in row.iter().enumerate() {
            (0..count).for_each(|_| counts.add(item, value as f64).unwrap());
        }
    }
    counts
}

fn ratings_of(ratings: &[Triplet]) -> AgreementRatings {
    let mut all = AgreementRatings::new();
    for &(item, rater, value) in ratings {
        all.add(item, rater, value).unwrap();
    }
    all
}

#[track_caller]
fn assert_near(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "got {got}, want {want}");
}

const METRICS: [ScaleDifference; 4] =
    [ScaleDifference::Nominal, ScaleDifference::Ordinal, ScaleDifference::Interval, ScaleDifference::Ratio];

/// The worked example C of Krippendorff (2011): four observers, twelve units, missing cells.
fn krippendorff_example() -> Triplets {
    const NONE: u32 = 0;
    let observers: [[u32; 12]; 4] = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ];
    let mut ratings = Vec::new();
    for (rater, values) in (0..).zip(observers) {
        for (item, value) in (0..).zip(values).filter(|(_, value)| *value != NONE) {
            ratings.push((item, rater, f64::from(value)));
        }
    }
    ratings
}

#[test]
fn gwet_agrees_with_irrcac() {
    // irrCAC 0.4.4 for Python (K. Gwet's): `CAC(...).gwet()` of the package's twelve items and four raters with cells missing.
    let rows =
        ["11-1", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "-555", "--11", "--3-"];
    let mut counts = ItemCounts::new();
    for (item, row) in (0..).zip(rows) {
        for value in row.bytes().filter(u8::is_ascii_digit) {
            counts.add(item, f64::from(value - b'0')).unwrap();
        }
    }
    let cases = [
        (GwetWeights::Identity, 0.775_444_068_127),
        (GwetWeights::Ordinal, 0.898_939_769_907_51),
        (GwetWeights::Quadratic, 0.914_000_723_551_6),
    ];
    for (weights, expected) in cases {
        let coefficient = AgreementCoefficient::Gwet(weights);
        assert_near(coefficient.estimate(&counts).unwrap(), expected, 1e-12);
        let range = AgreementOverItems::new(&counts, coefficient).unwrap().interval(0.95).unwrap();
        assert!(range.lower < expected && expected < range.upper, "{weights:?}: {range:?}");
    }
}

#[test]
fn gwet_stays_near_percent_agreement_of_rare_values() {
    // 98 of 100 items twice 1, two items 1 and 0: percent agreement 0.98; AC1 by hand (0.98 - 0.0198) / (1 - 0.0198).
    let items: Vec<u32> = (0..200).map(|rating| rating / 2).collect();
    let values: Vec<f64> =
        (0..200).map(|rating| if rating == 7 || rating == 90 { 0.0 } else { 1.0 }).collect();
    let counts = ItemCounts::from_columns(&items, &values).unwrap();
    let found = AgreementCoefficient::Gwet(GwetWeights::Identity).estimate(&counts).unwrap();
    assert_near(found, (0.98 - 0.0198) / (1.0 - 0.0198), 1e-12);
    let alpha = krippendorff_alpha(&counts, ScaleDifference::Nominal).unwrap().alpha;
    assert!(alpha < 0.0, "{alpha}");
    // Two values are as far apart as possible by any weights.
    for weights in [GwetWeights::Ordinal, GwetWeights::Quadratic] {
        assert_near(AgreementCoefficient::Gwet(weights).estimate(&counts).unwrap(), found, 1e-12);
    }
    let same = ItemCounts::from_columns(&[0, 0, 1, 1], &[1.0; 4]).unwrap();
    let undefined = AgreementCoefficient::Gwet(GwetWeights::Identity).estimate(&same);
    assert!(matches!(undefined, Err(StatError::Degenerate { .. })), "{undefined:?}");
}

#[test]
fn krippendorffs_published_example() {
    let counts = counts_of(&krippendorff_example());
    for (metric, want) in METRICS.into_iter().zip([0.743, 0.815, 0.849, 0.797]) {
        let found = krippendorff_alpha(&counts, metric).unwrap();
        assert_near(found.alpha, want, 5e-4);
        assert_eq!((found.paired_items, found.pairable_ratings, found.unpairable_items), (11, 40, 1));
    }
}

/// Fleiss (1971), table 1: 30 patients, 6 psychiatrists, 5 diagnoses.
#[test]
fn fleiss_published_example() {
    let table = [
        [0, 0, 0, 6, 0],
        [0, 3, 0, 0, 3],
        [0, 1, 4, 0, 1],
        [0, 0, 0, 0, 6],
        [0, 3, 0, 3, 0],
        [2, 0, 4, 0, 0],
        [0, 0, 4, 0, 2],
        [2, 0, 3, 1, 0],
        [2, 0, 0, 4, 0],
        [0, 0, 0, 0, 6],
        [1, 0, 0, 5, 0],
        [1, 1, 0, 4, 0],
        [0, 3, 3, 0, 0],
        [1, 0, 0, 5, 0],
        [0, 2, 0, 3, 1],
        [0, 0, 5, 0, 1],
        [3, 0, 0, 1, 2],
        [5, 1, 0, 0, 0],
        [0, 2, 0, 4, 0],
        [1, 0, 2, 0, 3],
        [0, 0, 0, 0, 6],
        [0, 1, 0, 5, 0],
        [0, 2, 0, 1, 3],
        [2, 0, 0, 4, 0],
        [1, 0, 0, 4, 1],
        [0, 5, 0, 1, 0],
        [4, 0, 0, 0, 2],
        [0, 2, 0, 4, 0],
        [1, 0, 5, 0, 0],
        [0, 0, 0, 0, 6],
    ];
    let counts = counts_in(&table);
    assert_near(AgreementCoefficient::FleissKappa.estimate(&counts).unwrap(), 0.430, 5e-4);
    assert_near(AgreementCoefficient::PercentAgreement.estimate(&counts).unwrap(), 0.5556, 5e-5);
}

/// Gwet's generalised form by hand: items (a a b), (b b), (a).
#[test]
fn unequal_numbers_of_ratings() {
    let counts = counts_in(&[[2, 1], [0, 2], [1, 0]]);
    let observed = f64::midpoint(1.0 / 3.0, 1.0);
    let share = (2.0 / 3.0 + 0.0 + 1.0) / 3.0;
    let expected = share * share + (1.0 - share) * (1.0 - share);
    assert_near(AgreementCoefficient::PercentAgreement.estimate(&counts).unwrap(), observed, 1e-15);
    let kappa = AgreementCoefficient::FleissKappa.estimate(&counts).unwrap();
    assert_near(kappa, (observed - expected) / (1.0 - expected), 1e-15);
}

/// Cohen (1960), "A coefficient of agreement for nominal scales": 200 pairs, kappa .492.
#[test]
fn cohens_weighted_kappa() {
    let table: [[usize; 3]; 3] = [[88, 14, 18], [10, 40, 10], [2, 6, 12]];
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (row, counts) in table.iter().enumerate() {
        for (column, &count) in counts.iter().enumerate() {
            first.extend(vec![row as f64; count]);
            second.extend(vec![column as f64; count]);
        }
    }
    let kappa = |weights| cohen_kappa(&first, &second, weights).unwrap();
    assert_near(kappa(Weights::Unweighted).kappa, 0.492, 5e-4);
    assert_near(kappa(Weights::Quadratic).kappa, 5.0 / 11.0, 1e-14);
    let interval = kappa(Weights::Linear).interval(0.95).unwrap();
    assert!(interval.lower < 9.0 / 19.0 && 9.0 / 19.0 < interval.upper);
}

#[test]
fn a_rater_of_one_value_leaves_kappa_without_a_test() {
    let found = cohen_kappa(&[1.0; 4], &[1.0, 2.0, 1.0, 2.0], Weights::Linear).unwrap();
    assert_eq!((found.kappa, found.null_standard_error, found.z, found.p), (0.0, 0.0, None, None));
}

#[test]
fn distances_match_the_values() {
    let (first, second) = ([1.0, 2.0, 5.0, 5.0, 1.0], [2.0, 2.0, 5.0, 1.0, 1.0]);
    let halves = |values: [f64; 5]| values.map(|value| 0.5 * value - 3.0);
    for weights in [Weights::Unweighted, Weights::Linear, Weights::Quadratic] {
        let found = cohen_kappa(&first, &second, weights).unwrap().kappa;
        let moved = cohen_kappa(&halves(first), &halves(second), weights).unwrap().kappa;
        assert_near(found, moved, 1e-15);
    }
}

/// Shrout and Fleiss (1979), tables 2 to 4.
#[test]
fn shrout_and_fleiss_example() {
    let items = [
        [9.0, 2.0, 5.0, 8.0],
        [6.0, 1.0, 3.0, 2.0],
        [8.0, 4.0, 6.0, 8.0],
        [7.0, 1.0, 2.0, 6.0],
        [10.0, 5.0, 6.0, 9.0],
        [6.0, 2.0, 4.0, 7.0],
    ];
    for (model, single, average) in [
        (IccModel::OneWay, 0.17, 0.44),
        (IccModel::Agreement, 0.29, 0.62),
        (IccModel::Consistency, 0.71, 0.91),
    ] {
        assert_near(icc(&items, model, IccUnit::Single).unwrap().icc, single, 0.005);
        assert_near(icc(&items, model, IccUnit::Average).unwrap().icc, average, 0.005);
    }
}

#[test]
fn ratings_without_error() {
    let shifted = [[0.1, 0.3], [0.2, 0.4], [0.7, 0.9]];
    let found = icc(&shifted, IccModel::Consistency, IccUnit::Single).unwrap();
    assert_eq!((found.icc, found.f, found.p), (1.0, f64::INFINITY, 0.0));
    let interval = found.interval(0.95).unwrap();
    assert_eq!((interval.lower, interval.upper), (1.0, 1.0));
    let found = icc(&shifted, IccModel::Agreement, IccUnit::Average).unwrap();
    let interval = found.interval(0.95).unwrap();
    assert!(interval.lower < found.icc && found.icc < interval.upper && interval.upper < 1.0);
    let equal = [[0.1, 0.1], [0.2, 0.2], [0.7, 0.7]];
    for model in [IccModel::OneWay, IccModel::Agreement, IccModel::Consistency] {
        let found = icc(&equal, model, IccUnit::Single).unwrap();
        let interval = found.interval(0.95).unwrap();
        assert_eq!((found.icc, interval.lower, interval.upper), (1.0, 1.0, 1.0));
    }
    for (items, reason) in [
        ([[3.0, 3.0], [3.0, 3.0]], "every rating is the same"),
        ([[1.0, 3.0], [3.0, 1.0]], "all items have the same mean"),
        ([[1e300, 3.0], [3.0, -1e300]], "too large"),
    ] {
        let error = icc(&items, IccModel::Consistency, IccUnit::Average).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

/// Kendall's W is Friedman's statistic over m (n - 1); ties by hand: ranks 1, 2.5, 2.5 and 1, 2, 3.
#[test]
fn concordance() {
    let items = [[1.0, 1.0], [2.0, 2.0], [2.0, 3.0]];
    let found = kendall_w(&items).unwrap();
    let (above, below): (f64, f64) = (12.0 * (4.0 + 0.25 + 2.25), 4.0 * 24.0 - 2.0 * 6.0);
    assert_near(found.w, above / below, 1e-15);
    let raters = [[1.0, 2.0, 2.0], [1.0, 2.0, 3.0]];
    let friedman = crate::categorical::friedman(&raters).unwrap();
    assert_near(found.chi_squared, friedman.statistic, 1e-14);
    assert_near(found.p, friedman.p, 1e-14);
    assert!(matches!(kendall_w(&[[1.0, 2.0], [1.0, 2.0]]), Err(StatError::Degenerate { .. })));
    assert!(matches!(kendall_w(&[[1.0, 2.0]]), Err(StatError::TooFew { of: "items", .. })));
    assert!(matches!(kendall_w(&[vec![1.0, 2.0], vec![1.0]]), Err(StatError::Lengths { .. })));
}

const COEFFICIENTS: [AgreementCoefficient; 5] = [
    AgreementCoefficient::FleissKappa,
    AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Nominal),
    AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Ordinal),
    AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Interval),
    AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Ratio),
];

#[test]
fn undefined_coefficients_have_a_reason() {
    let resamples = Resamples::seeded(10, 1);
    let cases: [(&[Triplet], &str); 4] = [
        (&[], "items with two or more ratings, got 0"),
        (&[(0, 0, 1.0), (1, 0, 2.0), (2, 1, 3.0)], "items with two or more ratings, got 0"),
        (&[(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0)], "items with two or more ratings, got 1"),
        (&[(0, 0, 4.0), (0, 1, 4.0), (1, 0, 4.0), (1, 1, 4.0)], "every rating is the same, so chance"),
    ];
    for (ratings, reason) in cases {
        let counts = counts_of(ratings);
        for coefficient in COEFFICIENTS {
            let error = coefficient.estimate(&counts).unwrap_err();
            assert!(error.to_string().contains(reason), "{coefficient:?}: {error}");
            assert_eq!(bootstrap_items(&counts, coefficient, resamples).unwrap_err(), error);
            let all = ratings_of(ratings);
            assert_eq!(bootstrap_raters(&all, coefficient, resamples).unwrap_err(), error);
        }
    }
    let percent = |ratings| AgreementCoefficient::PercentAgreement.estimate(&counts_of(ratings));
    assert_eq!(percent(cases[3].0), Ok(1.0));
    assert!(matches!(percent(cases[1].0), Err(StatError::TooFew { .. })));
    let same = cohen_kappa(&[2.0; 5], &[2.0; 5], Weights::Linear).unwrap_err().to_string();
    assert!(same.contains("every rating is the same"), "{same}");
    assert!(matches!(cohen_kappa(&[2.0], &[3.0], Weights::Linear), Err(StatError::TooFew { .. })));
    assert!(matches!(cohen_kappa(&[2.0], &[], Weights::Linear), Err(StatError::Lengths { .. })));
}

#[test]
fn input_that_is_refused() {
    let mut counts = ItemCounts::new();
    assert!(matches!(counts.add(0, f64::NAN), Err(StatError::NotFinite { .. })));
    let failed = counts.extend(&[1, 2, 3], &[1.0, f64::INFINITY, 2.0]).unwrap_err();
    assert_eq!(failed, StatError::NotFinite { statistic: "ratings", index: 1, got: f64::INFINITY });
    assert_eq!(counts.ratings(), 1);
    assert!(matches!(counts.extend(&[1], &[]), Err(StatError::Lengths { .. })));
    let negative = ItemCounts::from_columns(&[0, 0, 1, 1], &[-1.0, 2.0, 2.0, 2.0]).unwrap();
    let error = krippendorff_alpha(&negative, ScaleDifference::Ratio).unwrap_err();
    assert!(matches!(error, StatError::Parameter { got: -1.0, .. }), "{error}");
    let twice = AgreementRatings::from_columns(&[0, 0, 0], &[1, 1, 2], &[1.0, 2.0, 1.0]).unwrap();
    assert!(matches!(twice.paired(1, 2), Err(StatError::Degenerate { .. })));
    assert!(matches!(twice.complete(), Err(StatError::Degenerate { .. })));
    let mut ratings = AgreementRatings::new();
    assert!(ratings.extend(&[0, 1], &[0, 0], &[1.0, f64::NAN]).is_err());
    assert!(ratings.is_empty() && ratings.complete().unwrap().rows.is_empty());
}

/// Large item numbers and many values use a hash table, and both forms give the same results.
#[test]
fn both_forms_say_the_same() {
    let near: Triplets = (0..3_000_u32).map(|i| (i / 3, i % 3, f64::from(i * i % 7))).collect();
    let far: Triplets = near.iter().map(|&(item, rater, value)| (item * 4_000_000, rater, value)).collect();
    for coefficient in COEFFICIENTS {
        let want = coefficient.estimate(&counts_of(&near)).unwrap();
        assert_eq!(coefficient.estimate(&counts_of(&far)).unwrap(), want);
        let distribution =
            |ratings| bootstrap_items(&counts_of(ratings), coefficient, Resamples::seeded(20, 3)).unwrap();
        assert_eq!(distribution(&near), distribution(&far));
    }
    let many: Triplets = (0..30_000_u32).map(|i| (i / 3, 0, f64::from(i).sqrt())).collect();
    let found = krippendorff_alpha(&counts_of(&many), ScaleDifference::Interval).unwrap();
    assert!(found.alpha > 0.999 && found.alpha < 1.0);
    assert_near(krippendorff_alpha(&counts_of(&many), ScaleDifference::Nominal).unwrap().alpha, 0.0, 1e-4);
}

#[test]
fn columns_on_several_threads_are_the_stream() {
    let rows = 300_000_u32;
    let items: Vec<u32> = (0..rows).map(|i| i.wrapping_mul(2_654_435_761) % 40_000).collect();
    let values: Vec<f64> = (0..rows).map(|i| f64::from(i * 7 % 11 / 2) / 2.0).collect();
    let mut streamed = ItemCounts::new();
    for (items, values) in items.chunks(1_000).zip(values.chunks(1_000)) {
        streamed.extend(items, values).unwrap();
    }
    let alpha = AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Interval);
    let want = alpha.estimate(&streamed).unwrap();
    let replicates = bootstrap_items(&streamed, alpha, Resamples::seeded(300, 5)).unwrap();
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let counts = ItemCounts::from_columns(&items, &values).unwrap();
            assert_eq!((counts.ratings(), counts.values()), (300_000, streamed.values()));
            assert_eq!(alpha.estimate(&counts).unwrap(), want);
            assert_eq!(bootstrap_items(&counts, alpha, Resamples::seeded(300, 5)).unwrap(), replicates);
        });
    }
    let mut bad = values;
    bad[250_000] = f64::NAN;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let error = pool.install(|| ItemCounts::from_columns(&items, &bad)).unwrap_err();
    assert!(matches!(error, StatError::NotFinite { index: 250_000, .. }), "{error}");
}

/// Each explicit resample has the coefficient of the items that it names.
#[test]
fn a_resample_is_the_coefficient_of_its_items() {
    let ratings = krippendorff_example();
    let counts = counts_of(&ratings);
    let drawn: [[u32; 12]; 3] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        [5, 5, 5, 1, 1, 11, 11, 0, 3, 9, 10, 8],
        [6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6],
    ];
    let renamed = |drawn: &[u32; 12]| {
        let mut counts = ItemCounts::new();
        for (name, item) in (0..).zip(drawn) {
            for rating in ratings.iter().filter(|rating| rating.0 == *item) {
                counts.add(name, rating.2).unwrap();
            }
        }
        counts
    };
    for coefficient in COEFFICIENTS {
        let explicit = Resamples::Explicit(drawn.as_flattened());
        let distribution = bootstrap_items(&counts, coefficient, explicit).unwrap();
        let want: Vec<f64> =
            drawn.iter().filter_map(|drawn| coefficient.estimate(&renamed(drawn)).ok()).collect();
        assert_eq!(distribution.undefined(), 3 - want.len());
        for (got, want) in distribution.replicates().iter().zip(want) {
            assert_near(*got, want, 1e-14);
        }
        assert_near(distribution.estimate(), coefficient.estimate(&counts).unwrap(), 1e-14);
    }
}

/// Pairs of a rater with its copy are omitted: drawing each rater equally often changes only the
/// correction for small samples, and with one rater drawn there is no pair at all.
#[test]
fn a_drawn_rater_does_not_agree_with_its_copy() {
    let ratings = ratings_of(&krippendorff_example());
    let drawn = [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 2, 2, 3, 2, 1, 0];
    let found =
        bootstrap_raters(&ratings, AgreementCoefficient::PercentAgreement, Resamples::Explicit(&drawn))
            .unwrap();
    let counts = ratings.item_counts().unwrap();
    let percent = AgreementCoefficient::PercentAgreement;
    let all = percent.estimate(&counts).unwrap();
    let two: Triplets = krippendorff_example().into_iter().filter(|row| [0, 2].contains(&row.1)).collect();
    let pair = percent.estimate(&counts_of(&two)).unwrap();
    assert_eq!(found.undefined(), 1);
    let replicates = found.replicates();
    assert_near(replicates[0], all, 1e-15);
    assert_near(replicates[1], pair, 1e-15);
    assert_near(replicates[2], all, 1e-15);
    // All raters and all items once.
    for coefficient in COEFFICIENTS {
        let items: Vec<u32> = (0..12).chain(0..12).collect();
        let explicit = CrossedResamples::Explicit { raters: &[0, 1, 2, 3, 3, 2, 1, 0], items: &items };
        let found = bootstrap_items_and_raters(&ratings, coefficient, explicit).unwrap();
        for replicate in found.replicates() {
            assert_near(*replicate, coefficient.estimate(&counts).unwrap(), 1e-14);
        }
    }
}

#[test]
fn bootstraps_of_rows() {
    let first = [1.0, 2.0, 3.0, 4.0, 5.0, 1.0, 2.0, 3.0];
    let second = [1.0, 2.0, 3.0, 5.0, 5.0, 2.0, 2.0, 1.0];
    let drawn = [7, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 5, 5, 7, 7, 1, 1];
    let explicit = Resamples::Explicit(&drawn);
    let rows: Vec<[f64; 2]> = first.iter().zip(second).map(|(&left, right)| [left, right]).collect();
    let found = bootstrap_icc(&rows, IccModel::Agreement, IccUnit::Single, explicit).unwrap();
    let drawn_rows: Vec<[f64; 2]> = drawn[..8].iter().map(|&item| rows[item as usize]).collect();
    let want = icc(&drawn_rows, IccModel::Agreement, IccUnit::Single).unwrap();
    assert_near(found.replicates()[0], want.icc, 1e-14);
    assert_eq!(found.undefined(), 1);
}

/// Scales of any size have the same alpha, and no digit is lost far from zero.
#[test]
fn scales_of_any_size() {
    let alpha = |scale: f64, shift: f64| {
        let ratings: Triplets = krippendorff_example()
            .into_iter()
            .map(|(item, rater, value)| (item, rater, scale * value + shift))
            .collect();
        krippendorff_alpha(&counts_of(&ratings), ScaleDifference::Interval).unwrap().alpha
    };
    let want = alpha(1.0, 0.0);
    for (scale, shift) in [(1e-320, 0.0), (1e300, 0.0), (1.0, 1e12), (-1.0, 3.0)] {
        // The smallest of these scales has four digits, so its values are not quite proportional.
        assert_near(alpha(scale, shift), want, if scale == 1e-320 { 1e-3 } else { 1e-12 });
    }
}
