//! Votes at the levels of a facet: strengths, win rates and pairs at each.

use std::sync::Arc;

use hype_core::model::findings::{FacetInteraction, FacetLevelFindings, MeasureFindings, Note, Weight};
use hype_core::words::counted;
use hype_core::{Aggregated, Facet, Streams};

use super::findings::strength;
use super::votes::LevelledVotes;
use super::win_rates::win_rate;
use super::{IntervalKind, PairedPreferences};
use crate::aggregators::facets::RowPart;
use crate::aggregators::pairs::PairLevels;

/// What is found at the levels of a facet that have votes.
#[derive(Default)]
struct AtLevels {
    strengths: Vec<FacetLevelFindings>,
    rates: Vec<FacetLevelFindings>,
    /// The names of the levels with votes.
    levels: Vec<Arc<str>>,
    /// Those of the others.
    without: Vec<Arc<str>>,
}

impl PairedPreferences {
    /// Adds what is found at the levels of a facet to the findings of all votes.
    pub(super) fn by_level(
        &self,
        levels: &PairLevels,
        votes: &[LevelledVotes],
        chance: &Streams,
        into: &mut Aggregated,
    ) {
        let facet = levels.facet();
        for own in votes {
            let chance = chance.child("levels", 0).child(&own.measure().name, 0);
            let found = self.at_levels(facet, own, votes.len(), &chance, &mut into.notes);
            into.notes.extend(own.without_level(levels));
            // Levels of raters may be those of people who did not take part.
            if levels.part() != Some(RowPart::Rater) && !found.without.is_empty() {
                let (label, missing) = (&own.measure().label, found.without.join(", "));
                let text = format!("{label}: no votes at these levels of {}: {missing}", facet.name);
                into.notes.push(Note::warning("missing-levels", text));
            }
            let family = family(&found.strengths, votes.len(), &facet.name);
            let interaction = self.interaction(facet, own, &mut into.notes);
            let (mut test, mut table) = (Some(interaction.test), interaction.table);
            // The test is reported beside the strengths, or beside the win rates if no strengths could be estimated.
            for (measure, at, family) in [
                (strength(own.measure()), found.strengths, family),
                (win_rate(own.measure()), found.rates, None),
            ] {
                let place = into.measures.iter_mut().find(|known| known.measure.name == measure.name);
                let Some(of_all) = place else { continue };
                of_all.facets.extend(at);
                of_all.tables.extend(table.take());
                of_all.interactions.push(FacetInteraction {
                    facet: Arc::clone(&facet.name),
                    levels: found.levels.clone(),
                    test: test.take(),
                    macro_means: Vec::new(),
                    weighted: None,
                    family,
                });
            }
        }
    }

    /// Strengths, win rates and pairs at each level, with one family of pairs over all levels and criteria.
    fn at_levels(
        &self,
        facet: &Facet,
        votes: &LevelledVotes,
        criteria: usize,
        chance: &Streams,
        into: &mut Vec<Note>,
    ) -> AtLevels {
        let mut found = AtLevels::default();
        let families = votes.levels().len() * criteria;
        let mut notes = Vec::new();
        for (number, level) in facet.levels.iter().enumerate() {
            let Some(sample) = votes.at(number, &format!("{} {level}", facet.name), families) else {
                found.without.push(Arc::clone(level));
                continue;
            };
            found.levels.push(Arc::clone(level));
            let chance = chance.child("level", number as u64);
            if let Some(mut strengths) = self.strengths(&sample, None, &chance, &mut notes) {
                // Where a level has too few raters for intervals, its pairs would count votes as independent.
                let has_intervals = strengths.estimates.iter().any(|one| one.interval.is_some());
                if !has_intervals && self.interval_kind() != IntervalKind::Information {
                    strengths.comparisons.clear();
                }
                found.strengths.push(at(&facet.name, level, strengths));
            }
            found.rates.push(at(&facet.name, level, self.win_rates(&sample, None, &chance, &mut notes)));
        }
        // What a fit estimates besides strengths is said of all votes alone.
        into.extend(notes.into_iter().filter(|note| note.weight == Weight::Warning));
        found
    }
}

/// The findings of a measure at a level.
fn at(facet: &Arc<str>, level: &Arc<str>, found: MeasureFindings) -> FacetLevelFindings {
    FacetLevelFindings {
        facet: Arc::clone(facet),
        level: Arc::clone(level),
        raters: found.raters,
        estimates: found.estimates,
        // Pairs at all levels are one family, beside which a test of each level would be another.
        tests: Vec::new(),
        comparisons: found.comparisons,
        family: None,
    }
}

/// The words for the pairs at all levels, among which p values are adjusted; `None` for fewer than two.
fn family(levels: &[FacetLevelFindings], criteria: usize, facet: &str) -> Option<Arc<str>> {
    let pairs = levels.iter().flat_map(|level| &level.comparisons).filter(|pair| pair.p.is_some()).count();
    let with = levels.iter().filter(|level| level.comparisons.iter().any(|pair| pair.p.is_some())).count();
    let (pairs, levels) = (counted(pairs, "pair"), counted(with, "level"));
    let by = if criteria > 1 { format!(", by each of {criteria} criteria") } else { String::new() };
    (with > 0).then(|| format!("{pairs} of models at {levels} of {facet}{by}").into())
}
