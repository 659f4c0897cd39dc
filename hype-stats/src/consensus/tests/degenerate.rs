//! Input with little information has a defined result.

use super::*;

#[test]
fn a_single_label_is_certain() {
    let votes = votes(&[(0, 0, 0), (1, 0, 0), (1, 1, 0)]);
    for (consensus, history, parameters) in all_models(&votes) {
        assert_eq!(consensus.labels(), [Some(0), Some(0)]);
        assert!((consensus.posterior(1)[0] - 1.0).abs() < 1e-9);
        assert!(consensus.entropy(0).abs() < 1e-9);
        assert!(history.iter().chain(&parameters).all(|value| value.is_finite()));
    }
    assert_eq!(majority_vote(&votes).unwrap().consensus.labels(), [Some(0), Some(0)]);
    let found = glad(&votes, &GladOptions::default()).unwrap();
    assert!(found.fit.converged);
    assert_eq!((found.abilities[0], found.fit.log_likelihood), (1.0, 0.0));
}

#[test]
fn a_single_rater_is_believed() {
    let votes = votes(&[(0, 0, 2), (1, 0, 0), (2, 0, 1), (3, 0, 0)]);
    for (consensus, _, _) in all_models(&votes) {
        assert_eq!(consensus.labels(), [Some(2), Some(0), Some(1), Some(0)]);
    }
}

#[test]
fn items_and_raters_without_votes_stay_out_of_the_estimates() {
    let rows = [(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1), (2, 0, 0), (2, 1, 1), (2, 2, 0)];
    let (full, gaps) = (sized([3, 3, 2], &rows), sized([5, 4, 2], &rows));
    for ((full, full_history, _), (gaps, history, _)) in all_models(&full).iter().zip(&all_models(&gaps)) {
        assert_eq!(full.posteriors(), &gaps.posteriors()[..6]);
        assert_eq!(gaps.labels()[3..], [None, None]);
        assert_eq!((gaps.items(), gaps.accuracies()[3]), (5, None));
        // Priors of the rater without votes shift the smoothed objective only by a constant.
        let gain = |history: &[f64]| history[history.len() - 1] - history[0];
        assert!((gain(full_history) - gain(history)).abs() < 1e-9);
    }
    let found = dawid_skene(&gaps, EmOptions::default()).unwrap();
    assert_eq!(found.consensus.posterior(4), found.class_priors);
    assert_eq!(found.confusion(3, 1), [0.5, 0.5]);
    assert_eq!([found.confusion(4, 0), found.confusion(0, 2)], [&[] as &[f64]; 2]);
    assert!(found.consensus.posterior(5).is_empty() && found.consensus.entropy(5) <= 0.0);
    assert_eq!(one_coin(&gaps, EmOptions::default()).unwrap().skills[3], None);
    let found = glad(&gaps, &GladOptions::default()).unwrap();
    assert_eq!((found.abilities[3], found.difficulties[4]), (1.0, (-1_f64).exp()));
    let found = mace(&gaps, MaceOptions::default()).unwrap();
    assert_eq!((found.competences[3], found.strategy(3)), (0.5, &[0.5, 0.5][..]));
    assert!(found.strategy(4).is_empty());
}

#[test]
fn unused_labels_and_many_votes_on_one_item_are_fitted() {
    let rows: Rows = (0..5_000).map(|vote| (vote % 2, vote % 7, u32::from(vote % 10 == 0))).collect();
    let votes = sized([2, 7, 3], &rows);
    for (consensus, history, parameters) in all_models(&votes) {
        assert!(
            history.iter().chain(&parameters).chain(consensus.posteriors()).all(|value| value.is_finite())
        );
        assert!((0..2).all(|item| consensus.posterior(item)[2] < 1e-6));
    }
}

#[test]
fn extreme_priors_stay_finite() {
    let (votes, _) = simulated::crowd(200, 9, 3, 8);
    for sd in [1e-6, 10.0] {
        for mean in [-10.0, 0.0, 10.0] {
            let options = GladOptions {
                ability_mean: mean,
                ability_sd: sd,
                log_easiness_mean: mean,
                log_easiness_sd: sd,
                max_iterations: 200,
                ..GladOptions::default()
            };
            let found = glad(&votes, &options).unwrap();
            let numbers =
                found.fit.history.iter().chain(&found.abilities).chain(found.consensus.posteriors());
            assert!(numbers.chain(&found.difficulties).all(|value| value.is_finite()), "{mean} {sd}");
            assert!(found.fit.history.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9 * pair[0].abs()));
        }
    }
    let weak = MaceOptions { knowing: 1e-3, guessing: 1e-3, strategy: 1e-3, ..short_mace() };
    let found = mace(&votes, weak).unwrap();
    assert!(found.fit.history.iter().chain(&found.competences).all(|value| value.is_finite()));
}

fn parameter<T>(result: &Result<T, StatError>) -> bool {
    matches!(result, Err(StatError::Parameter { .. }))
}

#[test]
fn bad_input_is_refused() {
    assert!(matches!(LabelVotes::from_columns(&[], &[], &[]), Err(StatError::TooFew { .. })));
    assert!(matches!(VotesBuilder::new().finish(), Err(StatError::TooFew { .. })));
    assert!(matches!(LabelVotes::from_columns(&[0], &[0], &[0, 1]), Err(StatError::Lengths { .. })));
    assert!(matches!(VotesBuilder::new().add(&[0], &[], &[0]), Err(StatError::Lengths { .. })));
    assert!(parameter(&LabelVotes::from_columns(&[u32::MAX], &[0], &[0])));
    assert!(parameter(&LabelVotes::from_columns(&[0], &[0], &[1 << 30])));
    assert!(parameter(&LabelVotes::with_sizes([1, 1, 1], &[0], &[0], &[1])));
    assert!(parameter(&LabelVotes::with_sizes([1, usize::MAX, 9], &[0], &[0], &[1])));
    assert!(parameter(&LabelVotes::with_sizes([0, 1, 1], &[0], &[0], &[0])));

    let votes = votes(&[(0, 0, 0), (0, 1, 1)]);
    let refused = |options| parameter(&dawid_skene(&votes, options)) && parameter(&one_coin(&votes, options));
    assert!(refused(EmOptions { max_iterations: 0, ..EmOptions::default() }));
    for tolerance in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(refused(EmOptions { tolerance, ..EmOptions::default() }));
        let options = GladOptions { tolerance, ..GladOptions::default() };
        assert!(parameter(&glad(&votes, &options)));
    }
    for options in [
        GladOptions { ability_sd: 0.0, ..GladOptions::default() },
        GladOptions { log_easiness_mean: f64::NAN, ..GladOptions::default() },
        GladOptions { class_priors: Some(vec![0.5, 0.4]), ..GladOptions::default() },
        GladOptions { class_priors: Some(vec![1.0, 0.0]), ..GladOptions::default() },
    ] {
        assert!(parameter(&glad(&votes, &options)), "{options:?}");
    }
    let options = GladOptions { class_priors: Some(vec![1.0]), ..GladOptions::default() };
    assert!(matches!(glad(&votes, &options), Err(StatError::Lengths { .. })));
    for options in [
        MaceOptions { restarts: 0, ..MaceOptions::default() },
        MaceOptions { iterations_each: 0, ..MaceOptions::default() },
        MaceOptions { guessing: f64::NAN, ..MaceOptions::default() },
        MaceOptions { strategy: 0.0, ..MaceOptions::default() },
    ] {
        assert!(parameter(&mace(&votes, options)), "{options:?}");
    }
    let wide = LabelVotes::with_sizes([1, 100, 10_000], &[0], &[0], &[0]).unwrap();
    assert!(parameter(&dawid_skene(&wide, EmOptions::default())));
}

#[test]
fn a_ridge_of_equal_likelihood_ends() {
    // Three votes on three items cannot distinguish classes from errors: any mixture explains them
    // equally well.
    let votes = sized([3, 2, 3], &[(0, 0, 0), (1, 1, 1), (2, 0, 1)]);
    let found = dawid_skene(&votes, EmOptions::default()).unwrap();
    assert!(found.fit.converged && found.fit.iterations() < 3_000, "{}", found.fit.iterations());
}
