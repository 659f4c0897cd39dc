//! Votes at the levels of a facet: strengths, win rates and pairs at each, and whether strengths depend on the level.

use hype_core::model::findings::{FacetLevelFindings, GeneralizeTo, Note};
use hype_core::{Aggregated, Streams};
use hype_stats::StatError;
use hype_stats::clustered::ClusteredVariance;
use hype_stats::preference::{CellVotes, ComparisonOutcome, Comparisons, Departure};

use super::findings::strength;
use super::votes::LevelledVotes;
use super::win_rates::win_rate;
use super::{IntervalKind, PairedPreferences};
use crate::aggregators::by_level::{ByLevel, LevelComparison, Words, interaction, notes_at};
use crate::aggregators::facets::FacetLevels;
use crate::aggregators::inference::{check_target, target};
use crate::score_rows::distinct;

const VOTES: Words = Words {
    many: "votes",
    observed: ["won", "won, ties half", "proportion"],
    tested: "votes won at single levels beyond those expected",
    shown: "votes won",
};

impl PairedPreferences {
    /// Adds what is found at the levels of a facet to the findings of all votes.
    pub(super) fn by_level(
        &self,
        levels: &FacetLevels,
        votes: &[LevelledVotes],
        chance: &Streams,
        into: &mut Aggregated,
    ) {
        for own in votes {
            let measure = &strength(own.measure()).name;
            let by = ByLevel::new(levels, own.levels(), votes.len());
            let chance = chance.child("levels", 0).child(&own.measure().name, 0);
            let [strengths, rates] = self.at_levels(&by, own, &chance, &mut into.notes);
            into.notes.extend(own.without_level(levels));
            into.notes.extend(by.missing(measure, &VOTES));
            let is_clustered = self.interval_kind() != IntervalKind::Information;
            let vary = is_clustered && own.generalize_to() != GeneralizeTo::Items;
            let compared = LevelComparison {
                facet: by.facet(),
                measure,
                models: own.models(),
                words: &VOTES,
                raters: vary.then(|| own.raters()),
                over: if is_clustered { own.generalize_to().units() } else { "independent votes" },
            };
            let tested = interaction(compared, self.departures(own), &mut into.notes);
            let (mut test, mut table) = (Some(tested.test), tested.table);
            // The test is reported with the strengths, or with the win rates if no strengths could be estimated.
            for (measure, at) in [(strength(own.measure()), strengths), (win_rate(own.measure()), rates)] {
                let place = into.measures.iter_mut().find(|known| known.measure.name == measure.name);
                let Some(of_all) = place else { continue };
                of_all.tables.extend(table.take());
                by.add(at, test.take(), of_all);
            }
        }
    }

    /// Strengths, win rates and pairs at each level, with one family of pairs over all levels and criteria.
    fn at_levels(
        &self,
        by: &ByLevel<'_>,
        votes: &LevelledVotes,
        chance: &Streams,
        into: &mut Vec<Note>,
    ) -> [Vec<FacetLevelFindings>; 2] {
        let mut found = [Vec::new(), Vec::new()];
        for (number, level, name) in by.each() {
            let mut notes = Vec::new();
            let Some(sample) = votes.at(number, &name, by.families()) else { continue };
            let chance = chance.child("level", number as u64);
            if let Some(mut strengths) = self.strengths(&sample, None, &chance, &mut notes) {
                // Where a level has too few raters for intervals, its pairs would count votes as independent.
                let has_intervals = strengths.estimates.iter().any(|one| one.interval.is_some());
                if !has_intervals && self.interval_kind() != IntervalKind::Information {
                    strengths.comparisons.clear();
                }
                found[0].push(by.at(level, strengths));
            }
            found[1].push(by.at(level, self.win_rates(&sample, None, &chance, &mut notes)));
            into.extend(notes_at(&name, notes));
        }
        found
    }

    /// How each model fares at each level, compared with the prediction from the strengths of all levels.
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
        let fit = self.fitted_model(table.has_ties(), votes.sides())?.fit(&table)?;
        let mut found = fit.departures(cells, target(generalize_to))?;
        if self.interval_kind() == IntervalKind::Information {
            for one in &mut found {
                let error = one.independent.unwrap_or(f64::NAN);
                one.variance = ClusteredVariance::of_error(error, f64::INFINITY);
            }
        }
        Ok(found)
    }
}
