//! Preference models with covariates agree with arena-rank, statsmodels and derivatives by jax.

use hype_stats::StatError;
use hype_stats::clustered::Target;
use hype_stats::preference::{AdjustedFit, BradleyTerry, CellVotes, Ties, relative_difference};
use serde_json::Value;

use crate::reference::{close, number, numbers};

/// Tolerances of estimates and errors of the same likelihood, and of arena-rank's, whose ridge is 1e-8.
const ESTIMATE: f64 = 1e-9;
const ERROR: f64 = 1e-8;
const ARENA: f64 = 1e-6;

/// Simulated votes on texts.
struct Votes {
    models: usize,
    cells: Vec<CellVotes>,
    differences: Vec<Vec<f64>>,
    case: Value,
}

impl Votes {
    fn read() -> Self {
        let case: Value = serde_json::from_str(include_str!("../data/statistics/covariates.json")).unwrap();
        let outputs = ["words", "headings"]
            .map(|name| -> Vec<Vec<f64>> { case[name].as_array().unwrap().iter().map(numbers).collect() });
        let cells: Vec<CellVotes> = case["votes"].as_array().unwrap().iter().map(vote).collect();
        let of = |cell: &CellVotes, values: &[Vec<f64>]| {
            let [first, second] =
                [cell.first, cell.second].map(|model| values[cell.item as usize][model as usize]);
            relative_difference(first, second)
        };
        let differences =
            outputs.iter().map(|values| cells.iter().map(|cell| of(cell, values)).collect()).collect();
        Self { models: 4, cells, differences, case }
    }

    fn fit(&self, ties: Ties) -> Result<AdjustedFit, StatError> {
        BradleyTerry::new(ties).fit_adjusted(self.models, &self.cells, &self.differences)
    }
}

fn vote(row: &Value) -> CellVotes {
    let [rater, item, first, second, outcome] =
        [0, 1, 2, 3, 4].map(|column| u32::try_from(row[column].as_u64().unwrap()).unwrap());
    let counts = [0, 1, 2].map(|place| u64::from(place == outcome));
    CellVotes { rater, item, first, second, counts }
}

fn all_close(found: &Value, field: &str, got: &[f64], tolerance: f64) {
    let want = numbers(&found[field]);
    assert_eq!(got.len(), want.len(), "{field}");
    got.iter().zip(want).for_each(|(&got, want)| close(found, field, got, want, 0.0, tolerance));
}

fn estimates(fit: &AdjustedFit) -> Vec<f64> {
    fit.theta.iter().copied().chain(fit.log_nu).chain(fit.beta.iter().copied()).collect()
}

#[test]
fn estimates_and_errors_are_those_of_other_libraries() {
    let votes = Votes::read();
    for (ties, name) in [(Ties::Half, "half"), (Ties::Davidson, "davidson")] {
        let (fit, found) = (votes.fit(ties).unwrap(), &votes.case[name]);
        let own = estimates(&fit);
        all_close(found, "estimates", &own, ESTIMATE);
        all_close(&votes.case, "scales", &fit.scales, 1e-14);
        if name == "half" {
            all_close(found, "arena_rank", &own, ARENA);
        } else {
            close(found, "log_likelihood", fit.log_likelihood, number(&found["log_likelihood"]), 1e-12, 0.0);
        }
        for (target, field) in [(Target::Raters, "se_raters"), (Target::Items, "se_items")] {
            let errors = fit.crossed(&votes.cells, &votes.differences, target).unwrap();
            let all: Vec<f64> =
                (0..own.len()).map(|place| errors.of(place).unwrap().standard_error()).collect();
            all_close(found, field, &all, ERROR);
        }
        let independent = numbers(&found["se_independent"]);
        for (place, got) in fit.covariance.standard_errors().into_iter().enumerate() {
            close(found, "se_independent", got, independent[place], 0.0, ERROR);
        }
        for covariate in 0..2 {
            let want = independent[fit.place_of(covariate)];
            close(found, "se_independent", fit.standard_error(covariate), want, 0.0, ERROR);
        }
    }
}

#[test]
fn the_side_of_an_output_does_not_matter() {
    let mut votes = Votes::read();
    let before = votes.fit(Ties::Davidson).unwrap();
    let target = Target::RatersAndItems;
    let errors = before.crossed(&votes.cells, &votes.differences, target).unwrap();
    for (index, cell) in votes.cells.iter_mut().enumerate().filter(|(index, _)| index % 3 == 0) {
        let [first, second, tie] = cell.counts;
        *cell = CellVotes { first: cell.second, second: cell.first, counts: [second, first, tie], ..*cell };
        votes.differences.iter_mut().for_each(|values| values[index] *= -1.0);
    }
    let after = votes.fit(Ties::Davidson).unwrap();
    let errors_after = after.crossed(&votes.cells, &votes.differences, target).unwrap();
    for (place, (one, other)) in estimates(&before).iter().zip(estimates(&after)).enumerate() {
        assert!((one - other).abs() < 1e-12);
        let [one, other] = [&errors, &errors_after].map(|errors| errors.of(place).unwrap().standard_error());
        assert!((one - other).abs() < 1e-12);
    }
}

#[test]
fn covariates_without_an_estimate_are_named() {
    let votes = Votes::read();
    let refused = |covariate: usize, values: Vec<f64>| {
        let mut differences = votes.differences.clone();
        differences[covariate] = values;
        let model = BradleyTerry::new(Ties::Half);
        match model.fit_adjusted(votes.models, &votes.cells, &differences).unwrap_err() {
            StatError::Covariate { covariate: found, reason, .. } if found == covariate => reason,
            other => panic!("{covariate}: {other}"),
        }
    };
    let all = |value: fn(&CellVotes) -> f64| votes.cells.iter().map(value).collect::<Vec<f64>>();
    let follows = "follows from the models or from another covariate";
    assert_eq!(refused(1, all(|_| 0.0)), "is equal in all pairs");
    assert_eq!(refused(1, votes.differences[0].iter().map(|value| 3.0 * value).collect()), follows);
    assert_eq!(refused(0, all(|cell| f64::from(cell.first) - f64::from(cell.second))), follows);
    let endless = "decides votes without exception, so its coefficient is infinite";
    let sign = |cell: &CellVotes| cell.counts[0] as f64 - cell.counts[1] as f64;
    assert_eq!(refused(0, all(sign)), endless);
    // It differs in two votes alone, and decides both.
    let mut rare = all(|_| 0.0);
    let decided: Vec<usize> = (0..rare.len()).filter(|&at| votes.cells[at].counts[2] == 0).take(2).collect();
    decided.iter().for_each(|&at| rare[at] = 0.1 * sign(&votes.cells[at]));
    assert_eq!(refused(1, rare), endless);
}

#[test]
fn bad_input_is_refused() {
    let votes = Votes::read();
    let fit = |differences: &[Vec<f64>]| {
        BradleyTerry::new(Ties::Half).fit_adjusted(votes.models, &votes.cells, differences)
    };
    assert!(matches!(fit(&[vec![0.1]]), Err(StatError::Lengths { right: 1, .. })));
    let mut endless = votes.differences.clone();
    endless[1][7] = f64::NAN;
    assert!(matches!(fit(&endless), Err(StatError::NotFinite { index: 7, .. })));
    let found = fit(&votes.differences).unwrap();
    let one = &votes.differences[..1];
    assert!(matches!(found.crossed(&votes.cells, one, Target::Raters), Err(StatError::Lengths { .. })));
    let never_lost = [CellVotes { rater: 0, item: 0, first: 0, second: 1, counts: [5, 0, 0] }];
    let separated = BradleyTerry::new(Ties::Half).fit_adjusted(2, &never_lost, &[vec![0.1]]);
    assert!(matches!(separated, Err(StatError::Separated { .. })));
}
