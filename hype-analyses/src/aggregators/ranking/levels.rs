//! Rankings at the levels of a facet: mean ranks, strengths and pairs at each, and whether strengths depend on the level.

use hype_core::model::findings::{GeneralizeTo, Note};
use hype_core::words::first_few;
use hype_core::{Aggregated, Streams};
use hype_stats::StatError;
use hype_stats::preference::Departure;

use super::RankingOfModels;
use super::findings::strength;
use super::sample::Sample;
use crate::aggregators::by_level::{ByLevel, LevelComparison, Words, interaction, notes_at};
use crate::aggregators::facets::FacetLevels;
use crate::aggregators::inference::{check_target, target};
use crate::score_rows::distinct;

const RANKINGS: Words = Words {
    many: "rankings",
    observed: ["before", "ranked before another", "proportion"],
    tested: "rankings before others at single levels beyond those expected",
    shown: "rankings in which a model was not the last",
};

/// The number of raters at a level from which pairs of mean ranks hold theirs (docs/measured/coverage.md).
const ENOUGH: u64 = 5;

impl RankingOfModels {
    /// Adds what is found at the levels of a facet to the findings of all rankings.
    pub(super) fn by_level(
        &self,
        levels: &FacetLevels,
        sample: &Sample<'_>,
        chance: &Streams,
        into: &mut Aggregated,
    ) {
        let measure = &*sample.measure.name;
        let with = sample.orders.iter().filter_map(|order| order.level).collect();
        let by = ByLevel::new(levels, with, 1);
        let (mut ranks, mut strengths, mut few) = (Vec::new(), Vec::new(), Vec::new());
        for (number, level, name) in by.each() {
            let Some(own) = sample.at(number, &name, by.families()) else { continue };
            let chance = chance.child("level", number as u64);
            let found = self.mean_ranks(&own, None, &chance);
            if found.raters < ENOUGH && found.comparisons.iter().any(|pair| pair.p.is_some()) {
                few.push(&**level);
            }
            ranks.push(by.at(level, found));
            let mut notes = Vec::new();
            let found = self.strengths(&own, None, &chance, &mut notes);
            strengths.extend(found.map(|found| by.at(level, found)));
            into.notes.extend(notes_at(&name, notes));
        }
        into.notes.extend((!few.is_empty()).then(|| {
            let text = format!(
                "fewer than five raters ranked models at levels of {}, {}: with three, equal models are told apart at the level \
                 5% in up to 7.5% of studies; ask five",
                by.facet().name,
                first_few(&few)
            );
            Note::precision("few-at-level", text).about(measure)
        }));
        into.notes.extend(sample.without_level(levels));
        into.notes.extend(by.missing(measure, &RANKINGS));
        let compared = LevelComparison {
            facet: by.facet(),
            measure,
            models: &sample.names(),
            words: &RANKINGS,
            raters: (sample.generalize_to != GeneralizeTo::Items)
                .then(|| distinct(sample.orders.iter().map(|order| order.rater))),
            over: sample.generalize_to.units(),
        };
        let tested = interaction(compared, self.departures(sample), &mut into.notes);
        let (mut test, mut table) = (Some(tested.test), tested.table);
        // The test is reported with the strengths, or with the mean ranks if no strengths could be estimated.
        for (name, at) in [(&strength(&sample.measure).name, strengths), (&sample.measure.name, ranks)] {
            let place = into.measures.iter_mut().find(|known| known.measure.name == *name);
            let Some(of_all) = place else { continue };
            of_all.tables.extend(table.take());
            by.add(at, test.take(), of_all);
        }
    }

    /// How each model fares at each level, compared with the prediction from the strengths of all levels.
    fn departures(&self, sample: &Sample<'_>) -> Result<Vec<Departure>, StatError> {
        let orders = sample.orders.iter().filter(|order| order.level.is_some()).cloned().collect();
        let with_levels =
            Sample { orders, measure: sample.measure.clone(), models: sample.models.clone(), ..*sample };
        let fitted = self.fit(&with_levels)?;
        let raters: Vec<u32> = fitted.used.iter().map(|order| order.rater).collect();
        let items: Vec<u32> = fitted.used.iter().map(|order| order.unit).collect();
        let levels: Vec<usize> = fitted.used.iter().filter_map(|order| order.level).collect();
        let count = |of: &[u32]| distinct(of.iter().copied()) as usize;
        check_target(count(&raters), || count(&items), sample.generalize_to)?;
        fitted.fit.departures(&fitted.rankings, &levels, [&raters, &items], target(sample.generalize_to))
    }
}
