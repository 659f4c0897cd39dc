//! Shares of votes won, and the votes of every pair.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::model::findings::{
    Column, Estimate, GeneralizeTo, Interval, MeasureFindings, Note, Table, WithExcluded,
};
use hype_core::{Direction, Measure, Streams};
use hype_stats::StatError;
use hype_stats::bootstrap::ratio;
use hype_stats::clustered::{Clustered, Contributions};
use hype_stats::preference::CellVotes;
use serde_json::json;

use super::findings::raters_of;
use super::votes::Sample;
use super::{IntervalKind, PairedPreferences};
use crate::aggregators::inference::{few_items, is_skewed_over_items, no_interval, proportion, target};
use crate::aggregators::measures::PREFERENCE;
use crate::aggregators::ordering::greatest_first;
use crate::aggregators::sides::{BothOrders, Sides, one_order};
use crate::score_rows::distinct;

impl PairedPreferences {
    /// The share of a model's votes that it won, with ties as half wins.
    pub(super) fn win_rates(
        &self,
        sample: &Sample,
        everyone: Option<&Sample>,
        chance: &Streams,
        notes: &mut Vec<Note>,
    ) -> MeasureFindings {
        let table = sample.votes.table();
        let (both, errors) = (both_orders(sample), errors(sample));
        let is_one_sided = |model: usize| sample.sides.are_allowed_for() && !both.are_enough(model as u32);
        let mut estimates: Vec<Estimate> = (0..sample.models.len())
            .filter_map(|model| {
                let value = rate(sample, &both, model)?;
                let seed = chance.child("win rate", 0).seed(&sample.models[model]);
                let (range, bootstrap_sd) = match self.interval_kind() {
                    _ if sample.sides == Sides::Confounded => (None, None),
                    _ if is_one_sided(model) => {
                        notes.push(one_order(&sample.models[model], &win_rate(&sample.measure).name));
                        (None, None)
                    }
                    IntervalKind::Bootstrap if !sample.sides.are_allowed_for() => {
                        let (range, sd) = self.resampled(sample, model, seed);
                        (Some(range), sd)
                    }
                    _ => {
                        let variance =
                            errors.as_ref().map_err(Clone::clone).and_then(|errors| errors.of(model));
                        let units = match sample.generalize_to {
                            GeneralizeTo::Items => items_of(sample, model),
                            _ => raters_of(sample, model) as usize,
                        };
                        let range = variance.and_then(|variance| {
                            let level = self.confidence();
                            proportion(value, &variance, units, "vote", level, sample.generalize_to)
                        });
                        (Some(range), None)
                    }
                };
                if let Some(Err(why)) = &range {
                    let rate = win_rate(&sample.measure);
                    notes.push(no_interval(&rate.name, &[&sample.models[model]], why));
                }
                let error = errors.as_ref().ok().and_then(|errors| errors.of(model).ok());
                Some(Estimate {
                    model: Arc::clone(&sample.models[model]),
                    value,
                    interval: range.as_ref().and_then(|range| range.as_ref().ok()).cloned(),
                    bootstrap_sd,
                    sd: None,
                    sem: None,
                    se: error
                        .filter(|_| range.is_some() && self.interval_kind() != IntervalKind::Bootstrap)
                        .map(|error| error.standard_error()),
                    raters: raters_of(sample, model),
                    responses: table.record(model).comparisons(),
                    pseudo_values: Vec::new(),
                    with_excluded: everyone.and_then(|all| {
                        let place = all.models.iter().position(|name| *name == sample.models[model])?;
                        let value = rate(all, &both_orders(all), place)?;
                        Some(WithExcluded { value, raters: raters_of(all, place) })
                    }),
                })
            })
            .collect();
        if self.interval_kind() != IntervalKind::Bootstrap {
            notes.extend(rare_votes(sample));
        }
        estimates.sort_by(greatest_first);
        MeasureFindings {
            raters: sample.by_rater.len() as u64,
            items: sample.items,
            responses: table.total(),
            generalize_to: Some(sample.generalize_to),
            estimates,
            tables: vec![votes_table(sample)],
            ..MeasureFindings::new(win_rate(&sample.measure))
        }
    }

    fn resampled(
        &self,
        sample: &Sample,
        model: usize,
        seed: u64,
    ) -> (Result<Interval, StatError>, Option<f64>) {
        let of_raters = sample.by_rater.values().map(|rater| rater[model]).filter(|(_, met)| *met > 0.0);
        let (wins, met): (Vec<f64>, Vec<f64>) = of_raters.unzip();
        let resampling = self.resampling();
        match ratio(&wins, &met, resampling.seeded(seed)) {
            Ok(all) => {
                let range = all.percentile(self.confidence());
                (range.map(|range| resampling.percentile(range, "raters")), all.standard_deviation().ok())
            }
            Err(error) => (Err(error), None),
        }
    }
}

/// The win rate of models by votes of a measure.
pub(super) fn win_rate(votes: &Measure) -> Measure {
    let suffix = votes.name.strip_prefix(PREFERENCE).unwrap_or_default();
    let label = format!("{}: share of votes won, ties half", votes.label);
    Measure::new(&format!("win_rate{suffix}"), &label, "proportion", Direction::Higher)
}

/// A warning that few items decide the win rates of some models.
fn rare_votes(sample: &Sample) -> Option<Note> {
    let is_skewed = |model: &usize| {
        let cells = sample.cells.iter().filter(|cell| [cell.first, cell.second].contains(&(*model as u32)));
        let share = |cell: &CellVotes| {
            let [first, second, tie] = cell.counts.map(|count| count as f64);
            let won = if cell.first as usize == *model { first } else { second };
            (cell.item, (won + 0.5 * tie) / (first + second + tie))
        };
        is_skewed_over_items(cells.map(share), raters_of(sample, *model) as usize, sample.generalize_to)
    };
    let skewed = (0..sample.models.len()).filter(is_skewed);
    let names: Vec<&str> = skewed.map(|model| &*sample.models[model]).collect();
    few_items(&win_rate(&sample.measure).name, &names)
}

/// The number of items about which a model has votes.
fn items_of(sample: &Sample, model: usize) -> usize {
    let of_model = |cell: &&CellVotes| [cell.first, cell.second].contains(&(model as u32));
    distinct(sample.cells.iter().filter(of_model).map(|cell| cell.item)) as usize
}

/// The votes by ordered pair, and those that the first won, with ties as half.
fn both_orders(sample: &Sample) -> BothOrders {
    let mut both = BothOrders::default();
    for cell in &sample.cells {
        let [first, second, tie] = cell.counts.map(|count| count as f64);
        both.add([cell.first, cell.second], cell.rater, first + second + tie, first + 0.5 * tie);
    }
    both
}

/// The share of a model's votes that it won, half of it from either side where the order of models is allowed for.
fn rate(sample: &Sample, both: &BothOrders, model: usize) -> Option<f64> {
    let from_both = || both.win_rate(model as u32).filter(|_| sample.sides.are_allowed_for());
    let of_all = sample.votes.table().record(model).win_rate()?;
    Some(from_both().unwrap_or(of_all))
}

/// The errors of all models' win rates: a vote contributes its deviation from the rate over the model's votes, or from the rate of its
/// ordered pair where the order of models is allowed for.
fn errors(sample: &Sample) -> Result<Clustered, StatError> {
    let table = sample.votes.table();
    let both = both_orders(sample);
    let records: Vec<(f64, [f64; 2])> = (0..sample.models.len())
        .map(|model| {
            let record = table.record(model);
            let won = record.wins as f64 + 0.5 * record.ties as f64;
            (record.win_rate().unwrap_or(0.0), [won, record.comparisons() as f64])
        })
        .collect();
    let shares: Vec<BTreeMap<u32, f64>> =
        (0..sample.models.len() as u32).map(|model| both.others(model).into_iter().collect()).collect();
    let mut contributions = Contributions::new(sample.models.len());
    for cell in &sample.cells {
        let [first, second, tie] = cell.counts.map(|count| count as f64);
        let votes = first + second + tie;
        let sides =
            [(cell.first, cell.second, first + 0.5 * tie), (cell.second, cell.first, second + 0.5 * tie)];
        for (model, other, won) in sides {
            let deviation = if sample.sides.are_allowed_for() {
                let pair = [cell.first, cell.second];
                let Some(own) = both.of(pair) else { continue };
                let (rate, of_all) = if model == cell.first {
                    (own.share(), own.won_by_first)
                } else {
                    (1.0 - own.share(), own.all - own.won_by_first)
                };
                let weight = shares[model as usize].get(&other).copied().unwrap_or(0.0);
                let correction = both.correction(pair, sample.by_rater.len());
                correction * (0.5 * weight * beyond(won, votes, rate, [of_all, own.all]) / own.all)
            } else {
                let (rate, all) = records[model as usize];
                beyond(won, votes, rate, all) / all[1]
            };
            contributions.push_weighted(votes, cell.rater, cell.item, model as usize, deviation);
        }
    }
    contributions.clustered(target(sample.generalize_to))
}

/// The votes that were won beyond those that a rate of the same votes expects, given as well by the numbers of votes that were won
/// and of all: exactly zero where no more were.
fn beyond(won: f64, votes: f64, rate: f64, [of_all, all]: [f64; 2]) -> f64 {
    // Votes are whole or half numbers.
    let is_expected = (won * all - of_all * votes).abs() < 0.25;
    if is_expected { 0.0 } else { won - rate * votes }
}

/// The votes of every pair that was compared.
fn votes_table(sample: &Sample) -> Table {
    let table = sample.votes.table();
    let models = sample.models.len();
    let rows = (0..models).flat_map(|a| (a + 1..models).map(move |b| (a, b))).filter_map(|(a, b)| {
        let record = table.record_against(a, b);
        (record.comparisons() > 0).then(|| {
            vec![
                json!(sample.models[a]),
                json!(sample.models[b]),
                json!(record.wins),
                json!(record.ties),
                json!(record.losses),
                json!(record.win_rate()),
                json!(record.wins_per_loss()),
            ]
        })
    });
    Table {
        name: "votes".into(),
        label: "votes of each pair".into(),
        rows: rows.collect(),
        columns: vec![
            Column::new("a", "model", ""),
            Column::new("b", "against", ""),
            Column::new("wins", "wins", ""),
            Column::new("ties", "ties", ""),
            Column::new("losses", "losses", ""),
            Column::new("win_rate", "win rate, ties half", "proportion"),
            Column::new("ratio", "wins for each loss", ""),
        ],
    }
}
