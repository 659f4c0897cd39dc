//! Consensus of raters agrees with the reference.

use crate::reference::{cases, close, number, numbers};
use hype_stats::consensus::{
    DawidSkene, EmOptions, LabelVotes, MaceOptions, agreement, dawid_skene, mace, majority_vote, one_coin,
};
use serde_json::Value;

fn whole(value: &Value) -> Vec<u32> {
    numbers(value).into_iter().map(|number| number as u32).collect()
}

fn votes(case: &Value) -> LabelVotes {
    let size = |field: &str| case[field].as_u64().unwrap() as usize;
    let sizes = [size("n_tasks"), size("n_workers"), size("n_classes")];
    LabelVotes::with_sizes(sizes, &whole(&case["task"]), &whole(&case["worker"]), &whole(&case["label"]))
        .unwrap()
}

#[track_caller]
fn all_close(case: &Value, field: &str, got: &[f64], want: &Value, absolute: f64) {
    let want = numbers(want);
    assert_eq!(got.len(), want.len(), "{} {field}", case["id"]);
    for (got, want) in got.iter().zip(want) {
        close(case, field, *got, want, 0.0, absolute);
    }
}

#[track_caller]
fn rows_close<'a>(case: &Value, field: &str, got: impl Fn(usize) -> &'a [f64], want: &Value, absolute: f64) {
    for (row, want) in want.as_array().unwrap().iter().enumerate() {
        all_close(case, field, got(row), want, absolute);
    }
}

fn labels(case: &Value, field: &Value) -> Vec<Option<u32>> {
    let labels: Vec<_> = whole(field).into_iter().map(Some).collect();
    assert_eq!(labels.len() as u64, case["n_tasks"].as_u64().unwrap());
    labels
}

fn fit(votes: &LabelVotes, max_iterations: usize) -> DawidSkene {
    dawid_skene(votes, EmOptions { max_iterations, ..EmOptions::default() }).unwrap()
}

#[test]
fn dawid_skene_at_its_limit() {
    for case in cases("statistics/dawid_skene.json") {
        let (votes, want) = (votes(&case), &case["em_converged"]);
        let found = fit(&votes, 10_000);
        assert!(found.fit.converged);
        close(&case, "loglik", found.fit.log_likelihood, number(&want["loglik"]), 1e-9, 0.0);
        all_close(&case, "class_prior", &found.class_priors, &want["class_prior"], 1e-6);
        rows_close(&case, "posterior", |item| found.consensus.posterior(item), &want["posterior"], 1e-6);
        for (rater, want) in want["confusion_worker_true_observed"].as_array().unwrap().iter().enumerate() {
            rows_close(&case, "confusion", |truth| found.confusion(rater, truth), want, 1e-6);
        }
        assert_eq!(found.consensus.labels(), labels(&case, &want["labels"]), "{}", case["id"]);
        if let Some(published) = case.get("published") {
            all_close(&case, "published", &found.class_priors, &published["class_prior"], 0.006);
        }
    }
}

#[test]
fn dawid_skene_equals_the_reference_after_few_iterations() {
    for case in cases("statistics/dawid_skene.json") {
        let votes = votes(&case);
        for (iteration, want) in case["em_converged"]["history"].as_object().unwrap() {
            let found = fit(&votes, iteration.parse().unwrap());
            close(&case, iteration, found.fit.log_likelihood, number(&want["loglik"]), 1e-11, 0.0);
            all_close(&case, iteration, &found.class_priors, &want["class_prior"], 1e-9);
        }
    }
}

/// crowd-kit's values are at the limit here: it ran until nothing changed.
#[test]
fn one_coin_at_its_limit() {
    for case in cases("statistics/dawid_skene.json") {
        let (want, found) = (&case["onecoin"], one_coin(&votes(&case), EmOptions::default()).unwrap());
        let skills: Vec<f64> = found.skills.iter().map(|skill| skill.unwrap()).collect();
        all_close(&case, "skills", &skills, &want["skills"], 1e-9);
        rows_close(&case, "posterior", |item| found.consensus.posterior(item), &want["posterior"], 1e-9);
    }
}

#[test]
fn majorities_and_agreement_with_them() {
    for case in cases("statistics/dawid_skene.json") {
        let votes = votes(&case);
        let majority = majority_vote(&votes).unwrap();
        // crowd-kit orders labels as they first appear in the data and takes the first of tied ones.
        let mut order = Vec::new();
        for label in whole(&case["label"]) {
            if !order.contains(&label) {
                order.push(label);
            }
        }
        let mut first = Vec::new();
        for (item, want) in case["majority_vote_ties_listed"].as_array().unwrap().iter().enumerate() {
            let winners = majority.winners(item);
            assert_eq!(winners, whole(want), "{} {item}", case["id"]);
            assert_eq!(majority.consensus.labels()[item], winners.first().copied());
            first.push(order.iter().copied().find(|label| winners.contains(label)));
        }
        let skills: Vec<f64> =
            agreement(&votes, &first).unwrap().into_iter().map(|skill| skill.unwrap()).collect();
        all_close(&case, "wawa_skills", &skills, &case["wawa_skills"], 1e-12);
    }
}

/// Only the labels of crowd-kit's variational fit after 50 iterations are known, with a different rule
/// for choosing among starts. They are compared where the posterior is decisive: if no label reaches
/// 0.55, the reference may have chosen another one that is nearly as probable.
#[test]
fn labels_of_mace() {
    for case in cases("statistics/dawid_skene.json") {
        let found = mace(&votes(&case), MaceOptions::default()).unwrap();
        assert!(found.fit.converged);
        let mut open = 0;
        for (item, want) in whole(&case["mace_labels"]).into_iter().enumerate() {
            let posterior = found.consensus.posterior(item);
            let most = posterior.iter().copied().fold(0.0, f64::max);
            if most < 0.55 {
                open += 1;
                assert!(posterior[want as usize] > most - 0.1, "{} {item}: {posterior:?}", case["id"]);
            } else {
                assert_eq!(found.consensus.labels()[item], Some(want), "{} {item}", case["id"]);
            }
        }
        assert!(20 * open <= found.consensus.items(), "{}: {open} labels left open", case["id"]);
    }
}
