//! Models of paired comparisons and rankings agree with the reference.

use crate::reference::{cases, close, number, numbers};
use hype_stats::clustered::Target;
use hype_stats::preference::{
    BradleyTerry, CellVotes, ComparisonOutcome, Comparisons, EloSystem, PlackettLuce, PreferenceFit,
    Rankings, Ties,
};
use serde_json::Value;

/// Tolerances of strengths, of standard errors, of log-likelihoods (relative), and of R's values.
const THETA: f64 = 1e-8;
const ERROR: f64 = 1e-7;
const LIKELIHOOD: f64 = 1e-12;
const R: f64 = 1e-5;

/// Compares a list with the field of a case, if the case has it.
#[track_caller]
fn all_close(case: &Value, field: &str, got: &[f64], want: &Value, relative: f64, absolute: f64) {
    if want.is_null() {
        return;
    }
    let want = numbers(want);
    assert_eq!(got.len(), want.len(), "{} {field}", case["id"]);
    for (index, (got, want)) in got.iter().zip(want).enumerate() {
        close(case, &format!("{field}[{index}]"), *got, want, relative, absolute);
    }
}

fn whole(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|value| u32::try_from(value.as_u64().unwrap()).unwrap()).collect()
}

/// Comparisons of a case in the order given.
struct Votes {
    models: usize,
    first: Vec<u32>,
    second: Vec<u32>,
    outcomes: Vec<ComparisonOutcome>,
}

impl Votes {
    fn read(case: &Value) -> Self {
        let outcome = |winner: u32| match winner {
            0 => ComparisonOutcome::Tie,
            1 => ComparisonOutcome::First,
            2 => ComparisonOutcome::Second,
            other => panic!("unknown winner {other}"),
        };
        Self {
            models: usize::try_from(case["n"].as_u64().unwrap()).unwrap(),
            first: whole(&case["a"]),
            second: whole(&case["b"]),
            outcomes: whole(&case["winner"]).into_iter().map(outcome).collect(),
        }
    }

    fn table(&self) -> Comparisons {
        Comparisons::from_columns(self.models, &self.first, &self.second, &self.outcomes).unwrap()
    }
}

/// Compares the common fields of a fit and a case; returns the number of comparisons.
#[track_caller]
fn check_fit(case: &Value, model: &str, fit: &PreferenceFit) -> usize {
    let wanted = case[model].as_object().unwrap();
    let mut compared = 0;
    for (name, want) in wanted {
        let field = &format!("{model} {name}");
        let one = |got: f64, relative: f64, absolute: f64| {
            close(case, field, got, number(want), relative, absolute);
        };
        match name.as_str() {
            "theta" => all_close(case, field, &fit.theta, want, 0.0, THETA),
            "loglik" => one(fit.log_likelihood, LIKELIHOOD, 0.0),
            "se_sumzero" | "se_theta_sumzero" => {
                all_close(case, field, &fit.covariance.standard_errors(), want, ERROR, 0.0);
            }
            "cov" => {
                for (row, want) in want.as_array().unwrap().iter().enumerate() {
                    let got: Vec<f64> =
                        (0..fit.theta.len()).map(|column| fit.covariance.of(row, column)).collect();
                    all_close(case, field, &got, want, ERROR, 1e-12);
                }
            }
            "log_nu" => one(fit.log_nu.unwrap(), 0.0, THETA),
            "nu" => one(fit.log_nu.unwrap().exp(), 0.0, THETA),
            "se_log_nu" => {}
            "log_order_effect_for_a" => one(fit.order_effect.unwrap(), 0.0, THETA),
            "se_order" => one(fit.covariance.order_effect().unwrap(), ERROR, 0.0),
            "note"
            | "se_sandwich_hc0"
            | "se_cluster_rater_cr0"
            | "se_cluster_rater_cr1"
            | "n_clusters"
            | "cr1_note" => continue,
            other => panic!("unknown field {other}"),
        }
        compared += 1;
    }
    compared
}

/// Cases of single votes.
fn votes() -> Vec<Value> {
    cases("statistics/pairwise.json").into_iter().filter(|case| case.get("winner").is_some()).collect()
}

#[test]
fn bradley_terry_of_matrices() {
    for case in cases("statistics/pairwise.json").iter().filter(|case| case.get("wins").is_some()) {
        let wins: Vec<Vec<u64>> = case["wins"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| numbers(row).into_iter().map(|count| count as u64).collect())
            .collect();
        let table = Comparisons::from_wins(&wins, &[]).unwrap();
        let fit = BradleyTerry::new(Ties::Half).fit(&table).unwrap();
        let relative: Vec<f64> = fit.theta.iter().map(|theta| theta - fit.theta[0]).collect();
        let errors: Vec<f64> = (0..wins.len()).map(|model| fit.covariance.difference(model, 0)).collect();
        all_close(case, "theta", &fit.theta, &case["theta"], 0.0, THETA);
        all_close(case, "theta_minus_first", &relative, &case["theta_minus_first"], 0.0, THETA);
        all_close(case, "se_ref_first", &errors, &case["se_ref_first"], ERROR, 0.0);
        all_close(case, "R_abilities", &relative, &case["R_abilities"], 0.0, R);
        all_close(case, "R_se", &errors, &case["R_se"], 0.0, R);
        if let Some(want) = case.get("R_deviance") {
            close(case, "R_deviance", fit.deviance, number(want), 0.0, R);
        }
    }
}

#[test]
fn bradley_terry_and_davidson_of_votes() {
    for case in votes() {
        let table = Votes::read(&case).table();
        let mut compared = 0;
        for (field, model) in [
            ("bt_half_ties", BradleyTerry::new(Ties::Half)),
            ("bt_no_ties", BradleyTerry::new(Ties::LeftOut)),
            ("davidson", BradleyTerry::new(Ties::Davidson)),
            ("davidson_first_position", BradleyTerry::new(Ties::Davidson).with_order_effect()),
            ("choix_opt_l2_alpha0.1", BradleyTerry::new(Ties::LeftOut).with_ridge(0.1).unwrap()),
        ] {
            if case.get(field).is_some() {
                compared += check_fit(&case, field, &model.fit(&table).unwrap());
            }
        }
        assert!(compared > 0, "nothing to compare in {}", case["id"]);
    }
}

#[test]
fn other_fitters_find_the_same_strengths() {
    for case in votes() {
        let table = Votes::read(&case).table();
        for (field, want, ties) in [
            ("evalica_bt_log_centered", &case["evalica_bt_log_centered"], Ties::Half),
            ("evalica_newman", &case["evalica_newman"]["log_centered"], Ties::Davidson),
            ("choix_ilsr_no_ties", &case["choix_ilsr_no_ties"], Ties::LeftOut),
        ] {
            if !want.is_null() {
                let fit = BradleyTerry::new(ties).fit(&table).unwrap();
                all_close(&case, field, &fit.theta, want, 0.0, THETA);
                if ties == Ties::Davidson {
                    let want = number(&case["evalica_newman"]["v"]);
                    close(&case, "evalica_newman v", 0.5 * fit.log_nu.unwrap().exp(), want, 0.0, THETA);
                }
            }
        }
    }
}

#[test]
fn sandwiches() {
    for case in votes() {
        let votes = Votes::read(&case);
        let table = votes.table();
        let wanted = &case["bt_half_ties"];
        let fit = BradleyTerry::new(Ties::Half).fit(&table).unwrap();
        let Some(raters) = case.get("rater") else {
            continue;
        };
        let places = votes.first.iter().zip(&votes.second).zip(&votes.outcomes);
        let cells = whole(raters).into_iter().zip(places).map(|(rater, ((&first, &second), outcome))| {
            let counts = ComparisonOutcome::ALL.map(|one| u64::from(one == *outcome));
            CellVotes { rater, item: 0, first, second, counts }
        });
        let clustered = fit.crossed(cells, Target::Raters).unwrap();
        let errors: Vec<f64> =
            (0..votes.models).map(|model| clustered.of(model).unwrap().standard_error()).collect();
        all_close(&case, "CR1", &errors, &wanted["se_cluster_rater_cr1"], ERROR, 0.0);
    }
}

#[test]
fn elo_ratings() {
    for case in votes() {
        let votes = Votes::read(&case);
        for (field, k, start, scale) in
            [("elo_k4_1000_400", 4.0, 1000.0, 400.0), ("elo_k32_1500_400", 32.0, 1500.0, 400.0)]
        {
            let elo = EloSystem::new(k, start, scale).unwrap();
            let ratings = elo.ratings(votes.models, &votes.first, &votes.second, &votes.outcomes).unwrap();
            all_close(&case, field, &ratings, &case[field], 0.0, 1e-8);
        }
    }
}

#[test]
fn plackett_luce() {
    for case in cases("statistics/plackett_luce.json") {
        let mut rankings = Rankings::new(usize::try_from(case["n"].as_u64().unwrap()).unwrap()).unwrap();
        for ranking in case["rankings_best_first"].as_array().unwrap() {
            rankings.push(&whole(ranking)).unwrap();
        }
        let fit = PlackettLuce::new().fit(&rankings).unwrap();
        all_close(&case, "theta", &fit.theta, &case["theta"], 0.0, THETA);
        all_close(&case, "choix_ilsr", &fit.theta, &case["choix_ilsr"], 0.0, THETA);
        close(&case, "loglik", fit.log_likelihood, number(&case["loglik"]), LIKELIHOOD, 0.0);
        let errors = fit.covariance.standard_errors();
        all_close(&case, "se_sumzero", &errors, &case["se_sumzero"], ERROR, 0.0);
    }
}
