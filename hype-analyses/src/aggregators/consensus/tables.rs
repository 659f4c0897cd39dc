//! The tables of `consensus`.

use hype_core::model::findings::{Column, Table};
use serde_json::{Value, json};

use super::ConsensusMethod;
use super::fit::Fitted;
use crate::aggregators::rated::Rated;

/// The label of each item.
pub(super) fn consensus_table(rated: &Rated, fit: &Fitted) -> Table {
    let with_difficulty = !fit.difficulties.is_empty();
    let mut rows = Vec::new();
    for (place, &(model, item)) in fit.sample.items.iter().enumerate() {
        let winners = fit.winners(place);
        let posterior = fit.consensus.posterior(place);
        let (label, tied) = match winners.as_slice() {
            [one] => (Some(fit.sample.values[*one]), None),
            several => {
                let values: Vec<String> =
                    several.iter().map(|&label| fit.sample.values[label].to_string()).collect();
                (None, Some(values.join(", ")))
            }
        };
        let agreed = fit.sample.votes.of_item(place).filter(|(_, vote)| winners.contains(vote)).count();
        let mut row = vec![
            json!(rated.models[model]),
            json!(rated.items[item]),
            json!(label),
            json!(tied),
            json!(winners.first().map(|&label| posterior[label])),
            json!(fit.consensus.entropy(place)),
            json!(fit.sample.votes.of_item(place).len()),
            json!(agreed),
        ];
        if with_difficulty {
            row.push(json!(fit.difficulties.get(place)));
        }
        rows.push(row);
    }
    let mut columns = vec![
        Column::new("model", "model", ""),
        Column::new("item", "item", ""),
        Column::new("label", "label (none: tied)", ""),
        Column::new("tied", "tied labels", ""),
        Column::new("confidence", "posterior probability of the label, or of each tied one", ""),
        Column::new("entropy", "entropy", "nat"),
        Column::new("votes", "votes", ""),
        Column::new("agreeing", "votes for the label, or tied ones", ""),
    ];
    if with_difficulty {
        columns.push(Column::new("difficulty", "difficulty 1/beta", ""));
    }
    Table { name: "consensus".into(), label: "Consensus of each item".into(), columns, rows }
}

/// How many of a model's items have each label.
pub(super) fn shares_table(rated: &Rated, fit: &Fitted) -> Table {
    let mut rows = Vec::new();
    for model in fit.models() {
        let items: Vec<Vec<usize>> = fit.items_of(model).map(|item| fit.winners(item)).collect();
        let row = |label: Option<f64>, count: usize| {
            let share = count as f64 / items.len() as f64;
            vec![json!(rated.models[model]), json!(label), json!(count), json!(share)]
        };
        for (label, &value) in fit.sample.values.iter().enumerate() {
            rows.push(row(Some(value), items.iter().filter(|winners| **winners == [label]).count()));
        }
        rows.push(row(None, items.iter().filter(|winners| winners.len() > 1).count()));
    }
    Table {
        name: "shares".into(),
        label: "Items by consensus label".into(),
        columns: vec![
            Column::new("model", "model", ""),
            Column::new("label", "label (none: tied)", ""),
            Column::new("items", "items", ""),
            Column::new("share", "share", "proportion"),
        ],
        rows,
    }
}

/// The estimates of each rater.
pub(super) fn raters_table(method: ConsensusMethod, rated: &Rated, fit: &Fitted) -> Table {
    let mut rows = Vec::new();
    let mut counts = vec![0_u64; fit.sample.raters.len()];
    for item in 0..fit.sample.items.len() {
        fit.sample.votes.of_item(item).for_each(|(rater, _)| counts[rater] += 1);
    }
    for (place, &rater) in fit.sample.raters.iter().enumerate() {
        rows.push(vec![
            json!(rated.raters[rater]),
            // Raters are estimated on the items of all models together.
            Value::Null,
            json!(counts[place]),
            json!(fit.consensus.accuracies()[place]),
            json!(fit.raters[place]),
        ]);
    }
    let own = match method {
        ConsensusMethod::Majority => Column::new("agreement", "agreement with the majority", "proportion"),
        ConsensusMethod::DawidSkene => Column::new("correct", "probability of a correct label", "proportion"),
        ConsensusMethod::OneCoin => Column::new("skill", "probability of a correct label", "proportion"),
        ConsensusMethod::Glad => Column::new("ability", "ability alpha", ""),
        ConsensusMethod::Mace => Column::new("competence", "probability of knowing the label", "proportion"),
    };
    Table {
        name: "consensus_raters".into(),
        label: "Raters".into(),
        columns: vec![
            Column::new("rater", "rater", ""),
            Column::new("model", "model (none: all)", ""),
            Column::new("votes", "votes", ""),
            Column::new("accuracy", "expected share of correct votes", "proportion"),
            own,
        ],
        rows,
    }
}
