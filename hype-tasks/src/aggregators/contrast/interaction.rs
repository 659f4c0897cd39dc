//! Whether strengths depend on the level of a facet.

use std::sync::Arc;

use hype_core::Facet;
use hype_core::model::findings::{Column, Effect, GeneralizeTo, Note, Table, Test};
use hype_core::words::counted;
use hype_stats::StatError;
use hype_stats::clustered::ClusteredVariance;
use hype_stats::preference::{CellVotes, ComparisonOutcome, Comparisons, Departure};
use serde_json::json;

use super::votes::LevelledVotes;
use super::{IntervalKind, PairedPreferences};
use crate::aggregators::inference::{check_target, target};
use crate::aggregators::strengths::explain;
use crate::shared::score_rows::distinct;

/// The test of the interaction of levels and models, with what it is computed from.
pub(super) struct Interaction {
    pub(super) test: Test,
    /// How each model fares at each level, beside what the strengths of all levels predict; `None` if these are not known.
    pub(super) table: Option<Table>,
}

impl PairedPreferences {
    /// Tests whether strengths depend on the level: the smallest p value of all departures, times their number.
    pub(super) fn interaction(
        &self,
        facet: &Facet,
        votes: &LevelledVotes,
        notes: &mut Vec<Note>,
    ) -> Interaction {
        let bare = Test {
            name: format!(
                "interaction of {} and model (votes won at single levels beyond those expected, Bonferroni)",
                facet.name
            )
            .into(),
            statistic_name: "t".into(),
            statistic: None,
            df: Vec::new(),
            p: None,
            p_adjusted: None,
            effects: Vec::new(),
            undefined: None,
        };
        let undefined = |why: String| Test { undefined: Some(why.into()), ..bare.clone() };
        let departures = match self.departures(votes) {
            Ok(departures) => departures,
            Err(error) => {
                let why = explain(&error, votes.models());
                return Interaction { test: undefined(why), table: None };
            }
        };
        if departures.is_empty() {
            let why = format!("there are votes at fewer than two levels of {}", facet.name);
            return Interaction { test: undefined(why), table: None };
        }
        let tested: Vec<(&Departure, Result<f64, StatError>)> =
            departures.iter().map(|one| (one, one.p())).collect();
        let own = || tested.iter().filter(|(one, _)| !one.is_mirrored);
        let count = own().filter(|(_, p)| p.is_ok()).count();
        let least = own()
            .filter_map(|(one, p)| Some((*one, *p.as_ref().ok()?)))
            .min_by(|(_, one), (_, other)| one.total_cmp(other));
        let test = match (least, own().find_map(|(_, p)| p.as_ref().err())) {
            (Some((one, p)), _) => {
                let variance = one.variance.as_ref().ok();
                Test {
                    statistic: variance.map(|variance| one.excess() / variance.standard_error()),
                    df: variance.map(ClusteredVariance::degrees_of_freedom).unwrap_or_default(),
                    p: Some((p * count as f64).min(1.0)),
                    effects: vec![Effect { name: "departures tested".into(), value: count as f64 }],
                    ..bare.clone()
                }
            }
            (None, Some(error)) => undefined(error.to_string()),
            (None, None) => undefined("there are no departures".into()),
        };
        notes.extend(untested(facet, votes, &tested));
        Interaction { test, table: Some(self.table(facet, votes, &tested, count)) }
    }

    /// How each model fares at each level, beside what the strengths of all levels predict.
    fn departures(&self, votes: &LevelledVotes) -> Result<Vec<Departure>, StatError> {
        let cells: Vec<(usize, CellVotes)> = votes.with_levels().collect();
        let generalize_to = votes.generalize_to();
        check_target(
            distinct(cells.iter().map(|(_, cell)| cell.rater)) as usize,
            || distinct(cells.iter().map(|(_, cell)| cell.item)) as usize,
            generalize_to,
        )?;
        let mut table = Comparisons::new(votes.models().len())?;
        for (_, cell) in &cells {
            for (outcome, count) in ComparisonOutcome::ALL.into_iter().zip(cell.counts) {
                table.push_count(cell.first, cell.second, outcome, count)?;
            }
        }
        let fit = self.fitted_model(table.has_ties())?.fit(&table)?;
        let mut found = fit.departures(cells, target(generalize_to))?;
        if self.interval_kind() == IntervalKind::Information {
            for one in &mut found {
                one.variance = ClusteredVariance::of_error(one.independent, f64::INFINITY);
            }
        }
        Ok(found)
    }

    /// The departures with their p values, adjusted for the number of those tested.
    fn table(
        &self,
        facet: &Facet,
        votes: &LevelledVotes,
        tested: &[(&Departure, Result<f64, StatError>)],
        count: usize,
    ) -> Table {
        let about = match self.interval_kind() {
            IntervalKind::Information => "independent votes",
            _ => match votes.generalize_to() {
                GeneralizeTo::Raters => "raters",
                GeneralizeTo::Items => "items",
                GeneralizeTo::RatersAndItems => "raters and items",
            },
        };
        let row = |(one, p): &(&Departure, Result<f64, StatError>)| {
            vec![
                json!(facet.levels.get(one.level)),
                json!(votes.models()[one.model]),
                json!(one.votes),
                json!(one.won),
                json!(one.expected),
                json!(one.excess()),
                json!(one.variance.as_ref().ok().map(ClusteredVariance::standard_error)),
                json!(p.as_ref().ok().map(|p| (p * count as f64).min(1.0))),
            ]
        };
        Table {
            name: "departures".into(),
            label: format!(
                "votes won at each level of {}, beside what the strengths of all levels predict (errors over {about}; p: \
                 Bonferroni over {})",
                facet.name,
                counted(count, "departure")
            )
            .into(),
            rows: tested.iter().map(row).collect(),
            columns: vec![
                Column::new("level", &facet.name, ""),
                Column::new("model", "model", ""),
                Column::new("votes", "votes", ""),
                Column::new("won", "won, ties half", "proportion"),
                Column::new("expected", "expected", "proportion"),
                Column::new("difference", "difference", "proportion"),
                Column::new("se", "standard error", "proportion"),
                Column::new("p", "adjusted p", ""),
            ],
        }
    }
}

/// A warning about the levels at which no departure can be tested.
fn untested(
    facet: &Facet,
    votes: &LevelledVotes,
    tested: &[(&Departure, Result<f64, StatError>)],
) -> Option<Note> {
    let mut levels: Vec<&Arc<str>> = Vec::new();
    let mut why = None;
    for (one, p) in tested {
        let (Err(error), Some(level)) = (p, facet.levels.get(one.level)) else { continue };
        why = why.or(Some(error));
        if !levels.contains(&level) {
            levels.push(level);
        }
    }
    let why = why?;
    let names: Vec<&str> = levels.iter().map(|level| &***level).collect();
    let text = format!(
        "{}: whether models fare otherwise at these levels of {} is not tested: {} ({why})",
        votes.measure().label,
        facet.name,
        names.join(", ")
    );
    Some(Note::warning("untested-levels", text))
}
