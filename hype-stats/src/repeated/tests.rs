use proptest::prelude::*;

use super::*;
use crate::ttest::{Alternative, paired};

/// Field, Discovering Statistics Using SPSS, 2nd edition (2005), chapter 11: seconds until eight
/// people retched on a stick insect, a kangaroo testicle, a fish eyeball and a witchetty grub.
fn bushtucker() -> Blocks {
    let cells: Vec<Option<f64>> = [
        [8.0, 7.0, 1.0, 6.0],
        [9.0, 5.0, 2.0, 5.0],
        [6.0, 2.0, 3.0, 8.0],
        [5.0, 3.0, 1.0, 9.0],
        [8.0, 4.0, 5.0, 8.0],
        [7.0, 5.0, 6.0, 7.0],
        [10.0, 2.0, 7.0, 2.0],
        [12.0, 6.0, 8.0, 1.0],
    ]
    .into_iter()
    .flatten()
    .map(Some)
    .collect();
    Blocks::from_matrix(8, 4, &cells).unwrap()
}

#[track_caller]
fn assert_close(got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "got {got:.15}, want {want:.15}");
}

#[track_caller]
fn assert_printed(got: f64, want: &str) {
    let digits = want.split_once('.').map_or(0, |(_, digits)| digits.len());
    assert_eq!(format!("{got:.digits$}"), want);
}

/// The table that Field prints from SPSS, to its digits.
#[test]
fn a_published_analysis() {
    let table = analysis_of_variance(&bushtucker()).unwrap();
    assert_printed(table.ss_conditions, "83.125");
    assert_printed(table.ss_error, "153.375");
    assert_eq!((table.df_conditions, table.df_error), (3.0, 21.0));
    assert_printed(table.f, "3.794");
    assert_printed(table.p, "0.026");
    assert_printed(table.greenhouse_geisser.epsilon, "0.533");
    assert_printed(table.greenhouse_geisser.p, "0.063");
    assert_printed(table.huynh_feldt.epsilon, "0.666");
    assert_printed(table.huynh_feldt.p, "0.048");
    assert_printed(table.lower_bound.epsilon, "0.333");
    assert_printed(table.lower_bound.p, "0.092");
    let mauchly = table.mauchly.unwrap();
    assert_printed(mauchly.w, "0.136");
    assert_printed(mauchly.chi_squared, "11.406");
    assert_printed(mauchly.p, "0.047");
    assert_eq!(mauchly.degrees_of_freedom, 5.0);
}

/// Values of pingouin 0.7.0 (`rm_anova`, `epsilon`, `sphericity`) for the same table.
#[test]
fn the_same_analysis_elsewhere() {
    let table = analysis_of_variance(&bushtucker()).unwrap();
    assert_close(table.p, 0.025_570_296_863, 1e-10);
    assert_close(table.greenhouse_geisser.epsilon, 0.532_845_552_798_473_6, 1e-13);
    assert_close(table.greenhouse_geisser.p, 0.062_584_120_687, 1e-10);
    assert_close(table.huynh_feldt.epsilon, 0.665_763_614_097_37, 1e-13);
    assert_close(table.partial_eta_squared, 0.351_479_915_433, 1e-11);
    assert_close(table.generalized_eta_squared, 0.327_424_913_836, 1e-11);
    let mauchly = table.mauchly.unwrap();
    assert_close(mauchly.w, 0.136_248_029_372_534_5, 1e-12);
    assert_close(mauchly.chi_squared, 11.405_981_434_056_4, 1e-12);
    // pingouin and R have k in place of p in one term of the second order; with Anderson's p, by scipy 1.17.1:
    assert_close(mauchly.p, 0.046_845_812_306_789_55, 2e-3);
    assert_close(mauchly.p, 0.046_773_348_555_553_34, 1e-11);
}

/// Values of scipy 1.17.1 (`ttest_rel`, `wilcoxon`, `friedmanchisquare`); Holm's p of pingouin 0.7.0.
#[test]
fn pairs_of_conditions() {
    let blocks = bushtucker();
    let ranked = signed_rank_tests(&blocks).unwrap();
    // The differences of each pair are tied or zero.
    assert!(ranked.iter().all(|pair| !pair.exact));
    let test = ranked[3].test.unwrap();
    assert_eq!(test.statistic, 17.5);
    assert_close(test.p, 0.943_837_887_238_946_9, 1e-12);
    assert_close(ranked[0].p_adjusted.unwrap(), 6.0 * 0.011_109_224_550_098_225, 1e-11);
    assert_eq!(ranked[0].rank_biserial, Some(1.0));
    let concordance = friedman(&blocks).unwrap();
    assert_close(concordance.test.statistic, 11.526_315_789_473_673, 1e-13);
    assert_close(concordance.test.p, 0.009_195_161_475_938_338, 1e-12);
    assert_close(concordance.w, 11.526_315_789_473_673 / 24.0, 1e-13);
}

#[test]
fn few_subjects_without_ties_are_exact() {
    let blocks = Blocks::from_matrix(4, 2, &[1.0, 0.0, 2.0, 0.0, 4.0, 0.5, 0.0, 3.0].map(Some)).unwrap();
    let pair = signed_rank_tests(&blocks).unwrap()[0];
    // Ranks 1, 2, 4 against 3: of 16 sums 0 to 10, those of 3 or less are 0, 1, 2, 3, 3.
    assert_eq!((pair.exact, pair.test.unwrap().p), (true, 10.0 / 16.0));
    assert_close(pair.rank_biserial.unwrap(), 0.4, 1e-15);
}

#[test]
fn a_pair_without_a_test_leaves_the_others() {
    let cells = [1.0, 1.0, 2.0, 4.0, 4.0, 7.0, 2.0, 2.0, 2.5].map(Some);
    let blocks = Blocks::from_matrix(3, 3, &cells).unwrap();
    let ranked = signed_rank_tests(&blocks).unwrap();
    assert_eq!((ranked[0].test, ranked[0].rank_biserial), (None, None));
    assert!(ranked[1].test.is_some());
    // Two of three contrasts never vary together: singular, so sphericity has no test.
    assert_eq!(analysis_of_variance(&blocks).unwrap().mauchly, None);
}

#[test]
fn incomplete_subjects_are_counted() {
    let cells = [Some(1.0), Some(2.0), None, Some(3.0), Some(2.0), Some(4.0), Some(5.0), Some(4.5)];
    let blocks = Blocks::from_matrix(4, 2, &cells).unwrap();
    assert_eq!((blocks.subjects(), blocks.left_out()), (&[0, 2, 3][..], &[1][..]));
    let table = analysis_of_variance(&blocks).unwrap();
    assert_eq!((table.subjects, table.left_out), (3, 1));
    assert_eq!(table.mauchly, None);
    assert_eq!(friedman(&blocks).unwrap().left_out, 1);
}

#[test]
fn bad_blocks_are_refused() {
    let of = |conditions: usize, cells: &[Option<f64>]| {
        Blocks::from_matrix(cells.len() / conditions.max(1), conditions, cells)
    };
    assert!(matches!(of(1, &[Some(1.0)]), Err(StatError::TooFew { of: "conditions", .. })));
    assert!(matches!(of(0, &[]), Err(StatError::TooFew { of: "conditions", .. })));
    assert!(matches!(of(2, &[Some(1.0), None]), Err(StatError::TooFew { of: "complete subjects", .. })));
    assert!(matches!(of(2, &[Some(f64::NAN), None]), Err(StatError::NotFinite { .. })));
    assert!(matches!(Blocks::from_matrix(2, 2, &[None]), Err(StatError::Lengths { .. })));
    assert!(matches!(Blocks::from_responses(2, [(0, 2, 1.0)]), Err(StatError::Parameter { .. })));
    let additive = of(3, &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.1, 1.2, 1.3].map(Some)).unwrap();
    assert!(matches!(analysis_of_variance(&additive), Err(StatError::Degenerate { .. })));
    let tied = of(2, &[Some(1.0); 4]).unwrap();
    assert!(matches!(friedman(&tied), Err(StatError::Degenerate { .. })));
}

proptest! {
    #[test]
    fn two_conditions_are_the_square_of_t(
        rows in proptest::collection::vec((-5.0..5.0_f64, -5.0..5.0_f64), 3..12),
    ) {
        let cells: Vec<Option<f64>> = rows.iter().flat_map(|&(a, b)| [Some(a), Some(b)]).collect();
        let blocks = Blocks::from_matrix(rows.len(), 2, &cells).unwrap();
        let table = analysis_of_variance(&blocks).unwrap();
        let test = paired(&blocks.column(0), &blocks.column(1), Alternative::TwoSided, 0.95).unwrap();
        prop_assert!((table.f - test.t * test.t).abs() <= 1e-9 * table.f);
        prop_assert!((table.p - test.p).abs() <= 1e-9);
        prop_assert!((table.greenhouse_geisser.epsilon - 1.0).abs() < 1e-12);
        prop_assert!((table.huynh_feldt.epsilon - 1.0).abs() < 1e-12);
    }

    #[test]
    fn corrections_are_ordered_and_all_is_finite(
        (conditions, cells) in (2..6_usize).prop_flat_map(|conditions| {
            (Just(conditions), proptest::collection::vec(1_u8..=5, conditions * 2..conditions * 9))
        }),
    ) {
        let subjects = cells.len() / conditions;
        let cells: Vec<Option<f64>> =
            cells[..subjects * conditions].iter().map(|&cell| Some(f64::from(cell))).collect();
        let blocks = Blocks::from_matrix(subjects, conditions, &cells).unwrap();
        if let Ok(table) = analysis_of_variance(&blocks) {
            let (low, middle, high) =
                (table.lower_bound.epsilon, table.greenhouse_geisser.epsilon, table.huynh_feldt.epsilon);
            prop_assert!(low <= middle && middle <= high && high <= 1.0, "{:?}", table);
            prop_assert!(table.mauchly.is_none_or(|test| test.p.is_finite() && test.w <= 1.0));
            prop_assert!(table.p.is_finite() && table.lower_bound.p.is_finite());
        }
        for pair in signed_rank_tests(&blocks).unwrap() {
            prop_assert_eq!(pair.test.is_some(), pair.p_adjusted.is_some());
        }
    }
}
