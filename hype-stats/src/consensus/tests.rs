use proptest::prelude::*;

use super::*;
use crate::bootstrap::draws::Draws;

mod degenerate;
mod independent;
mod simulated;

/// Rows of (item, rater, label).
type Rows = Vec<(u32, u32, u32)>;

fn votes(rows: &[(u32, u32, u32)]) -> LabelVotes {
    let column = |of: fn(&(u32, u32, u32)) -> u32| rows.iter().map(of).collect::<Vec<_>>();
    LabelVotes::from_columns(&column(|row| row.0), &column(|row| row.1), &column(|row| row.2)).unwrap()
}

fn sized(sizes: [usize; 3], rows: &[(u32, u32, u32)]) -> LabelVotes {
    let mut builder = VotesBuilder::new();
    rows.iter().for_each(|&(item, rater, label)| builder.push(item, rater, label));
    builder.finish_with_sizes(sizes).unwrap()
}

fn brief(max_iterations: usize) -> EmOptions {
    EmOptions { max_iterations, ..EmOptions::default() }
}

fn short_mace() -> MaceOptions {
    MaceOptions { restarts: 3, iterations_each: 20, max_iterations: 60, ..MaceOptions::default() }
}

/// Posteriors, histories and parameters of raters by all models.
fn all_models(votes: &LabelVotes) -> Vec<(LabelPosteriors, Vec<f64>, Vec<f64>)> {
    let mut found = Vec::new();
    let model = dawid_skene(votes, brief(12)).unwrap();
    let diagonal = (0..votes.raters()).flat_map(|rater| {
        (0..votes.labels()).map(|label| model.confusion(rater, label)[label]).collect::<Vec<_>>()
    });
    found.push((model.consensus.clone(), model.fit.history.clone(), diagonal.collect()));
    let model = one_coin(votes, brief(12)).unwrap();
    let skills = model.skills.iter().map(|skill| skill.unwrap_or(-1.0)).collect();
    found.push((model.consensus, model.fit.history, skills));
    let model = glad(votes, &GladOptions { max_iterations: 12, ..GladOptions::default() }).unwrap();
    found.push((model.consensus, model.fit.history, model.abilities));
    let model = mace(votes, MaceOptions { restarts: 1, ..short_mace() }).unwrap();
    found.push((model.consensus, model.fit.history, model.competences));
    found
}

fn any_rows() -> impl Strategy<Value = (u32, Rows)> {
    (1_u32..6).prop_flat_map(|labels| {
        (Just(labels), prop::collection::vec((0_u32..12, 0_u32..5, 0..labels), 1..150))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_iteration_lowers_the_objective((labels, rows) in any_rows()) {
        let votes = sized([12, 5, labels as usize], &rows);
        // The floors of counts and priors let it fall by about 1e-10 for each vote.
        let slack = 1e-9 * (rows.len() + 12) as f64;
        for (model, (_, history, _)) in all_models(&votes).into_iter().enumerate() {
            for pair in history.windows(2) {
                prop_assert!(pair[1] >= pair[0] - slack, "model {model}: {pair:?}");
            }
        }
        let history = mace(&votes, short_mace()).unwrap().fit.history;
        prop_assert!(history.windows(2).all(|pair| pair[1] >= pair[0] - slack), "{history:?}");
    }

    #[test]
    fn posteriors_are_distributions_and_answers_their_modes((labels, rows) in any_rows()) {
        let votes = sized([13, 6, labels as usize], &rows);
        for (consensus, history, parameters) in all_models(&votes) {
            prop_assert!(history.iter().chain(&parameters).all(|value| value.is_finite()));
            for item in 0..13 {
                let posterior = consensus.posterior(item);
                prop_assert!((posterior.iter().sum::<f64>() - 1.0).abs() < 1e-8);
                prop_assert!(posterior.iter().all(|&value| (0.0..=1.0 + 1e-9).contains(&value)));
                let voted = rows.iter().any(|row| row.0 as usize == item);
                prop_assert_eq!(consensus.labels()[item].is_some(), voted);
                if let Some(label) = consensus.labels()[item] {
                    prop_assert!(posterior.iter().all(|&value| value <= posterior[label as usize]));
                }
                let entropy = consensus.entropy(item);
                prop_assert!((0.0..=f64::from(labels).ln() + 1e-9).contains(&entropy));
            }
            prop_assert_eq!(consensus.accuracies()[5], None);
        }
    }

    #[test]
    fn names_do_not_matter((labels, rows) in any_rows(), turn in 1_u32..5) {
        let sizes = [12, 5, labels as usize];
        let rename = |&(item, rater, label): &(u32, u32, u32)| {
            ((item * 5 + turn) % 12, (rater + turn) % 5, (label + turn) % labels)
        };
        let renamed: Rows = rows.iter().map(rename).collect();
        let (plain, other) = (sized(sizes, &rows), sized(sizes, &renamed));
        for ((left, _, _), (right, _, _)) in all_models(&plain).iter().zip(&all_models(&other)) {
            for item in 0..12 {
                for label in 0..labels {
                    let (there, _, renamed) = rename(&(item, 0, label));
                    let got = right.posterior(there as usize)[renamed as usize];
                    prop_assert!((left.posterior(item as usize)[label as usize] - got).abs() < 1e-7);
                }
            }
        }
    }

    #[test]
    fn order_and_parts_of_the_input_do_not_matter((_, rows) in any_rows(), cut in 0_usize..150) {
        let whole = votes(&rows);
        let (first, second) = rows.split_at(cut.min(rows.len()));
        let mut builder = VotesBuilder::new();
        for chunk in [second, first].into_iter().flat_map(|rows| rows.chunks(7)) {
            let column = |of: fn(&(u32, u32, u32)) -> u32| chunk.iter().rev().map(of).collect::<Vec<_>>();
            builder.add(&column(|row| row.0), &column(|row| row.1), &column(|row| row.2)).unwrap();
        }
        prop_assert_eq!(builder.len(), rows.len());
        prop_assert_eq!(builder.finish().unwrap(), whole);
    }

    /// The posterior follows from the estimates by Bayes' rule in logarithms, and so does the
    /// log-likelihood, for rows of any width and items of any number of votes.
    #[test]
    fn estimates_and_posteriors_belong_together(labels in 1_u32..20, seed in 0_u64..1_000) {
        let mut draws = Draws::new(seed, 0);
        let mut below = |bound: u32| (draws.unit() * f64::from(bound)) as u32;
        let mut rows = Rows::new();
        for item in 0..20 {
            for _ in 0..=below(if item < 5 { 60 } else { 6 }) {
                let label = if below(3) > 0 { item % labels } else { below(labels) };
                rows.push((item, below(4), label));
            }
        }
        let votes = sized([20, 4, labels as usize], &rows);
        let found = dawid_skene(&votes, brief(4)).unwrap();
        let mut log_likelihood = 0.0;
        for item in 0..20 {
            let logs: Vec<f64> = (0..labels as usize)
                .map(|truth| {
                    let vote = |(rater, label): (usize, usize)| found.confusion(rater, truth)[label].ln();
                    found.class_priors[truth].ln() + votes.of_item(item).map(vote).sum::<f64>()
                })
                .collect();
            let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = logs.iter().map(|log| (log - top).exp()).sum();
            log_likelihood += top + total.ln();
            for (got, log) in found.consensus.posterior(item).iter().zip(&logs) {
                prop_assert!((got - (log - top).exp() / total).abs() < 1e-11);
            }
        }
        let distance = (found.fit.log_likelihood - log_likelihood).abs();
        prop_assert!(distance < 1e-11 * log_likelihood.abs().max(1.0), "{distance}");
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let (votes, _) = simulated::crowd(2_500, 9, 3, 5);
    let run = || {
        let mut bits = Vec::new();
        for (consensus, history, parameters) in all_models(&votes) {
            bits.extend(
                consensus.posteriors().iter().chain(&history).chain(&parameters).map(|x| x.to_bits()),
            );
        }
        bits
    };
    let on = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run);
    assert_eq!(on(1), on(2));
    assert_eq!(on(1), on(3));
    assert!(votes.blocks(votes.len() / em::LEAST_VOTES).len() > 3);
}

#[test]
fn blocks_cover_all_items_once() {
    let votes = sized([40, 2, 2], &[[(3, 0, 0); 50].as_slice(), &[(20, 1, 1); 3], &[(39, 1, 0); 3]].concat());
    for most in [0, 1, 2, 3, 7, 64] {
        let bounds = votes.blocks(most);
        assert_eq!((bounds[0], bounds[bounds.len() - 1]), (0, 40), "{bounds:?}");
        assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]), "{bounds:?}");
    }
}

#[test]
fn repeated_and_weighted_votes_by_hand() {
    // Item 0: rater 0 says 1 three times, raters 1 and 2 say 0. Item 1: 0, 0, 1. Item 2 has no vote.
    let rows = [(0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 1, 0), (0, 2, 0), (1, 0, 1), (1, 1, 0), (1, 2, 0)];
    let votes = sized([3, 4, 2], &rows);
    let majority = majority_vote(&votes).unwrap();
    assert_eq!(majority.consensus.labels(), [Some(1), Some(0), None]);
    assert_eq!(majority.consensus.posterior(0), [0.4, 0.6]);
    assert_eq!([majority.winners(1), majority.winners(2), majority.winners(9)], [&[0_u32][..], &[], &[]]);
    let mean = (0.4 + 2.0 / 3.0) / 2.0;
    assert!((majority.consensus.posterior(2)[0] - mean).abs() < 1e-15);
    // Repeated answers count once: rater 0 agrees on item 0 of two, raters 1 and 2 on item 1 of two.
    let skills = agreement(&votes, majority.consensus.labels()).unwrap();
    assert_eq!(skills, [Some(0.5), Some(0.5), Some(0.5), None]);
    assert_eq!(agreement(&votes, &[Some(0), None, None]).unwrap(), [Some(0.0), Some(1.0), Some(1.0), None]);
    assert!(matches!(agreement(&votes, &[None]), Err(StatError::Lengths { .. })));
}
