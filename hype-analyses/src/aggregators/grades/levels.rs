//! Grades at the levels of a facet: strengths and pairs at each, and whether strengths depend on the level.

use hype_core::Aggregated;
use hype_core::model::findings::GeneralizeTo;
use hype_stats::StatError;
use hype_stats::preference::{CellGrades, Departure, GradeFit};

use super::GradedPreferences;
use super::findings::{Sample, cell_grades, strength};
use crate::aggregators::by_level::{ByLevel, LevelComparison, Words, interaction, notes_at};
use crate::aggregators::facets::FacetLevels;
use crate::aggregators::inference::{check_target, target};
use crate::score_rows::distinct;

const GRADES: Words = Words {
    many: "grades",
    observed: ["mean", "mean grade", "grades"],
    tested: "mean grades at single levels beyond those expected",
    shown: "mean grades of models against others",
};

impl GradedPreferences {
    /// Adds what is found at the levels of a facet to the findings of all grades.
    pub(super) fn by_level(&self, levels: &FacetLevels, samples: &[Sample], into: &mut Aggregated) {
        for own in samples {
            let measure = &strength(&own.measure).name;
            let by = ByLevel::new(levels, own.levels(), samples.len());
            let mut at = Vec::new();
            for (number, level, name) in by.each() {
                let Some(sample) = own.at(number) else { continue };
                let mut notes = Vec::new();
                let strengths = self.strengths(&sample, None, by.families(), &mut notes);
                if !strengths.estimates.is_empty() {
                    at.push(by.at(level, strengths));
                }
                into.notes.extend(notes_at(&name, notes));
            }
            into.notes.extend(own.without_level(levels));
            into.notes.extend(by.missing(measure, &GRADES));
            let compared = LevelComparison {
                facet: by.facet(),
                measure,
                models: &own.models,
                words: &GRADES,
                raters: (own.generalize_to != GeneralizeTo::Items).then(|| own.raters()),
                over: own.generalize_to.units(),
            };
            let tested = interaction(compared, self.departures(own), &mut into.notes);
            let name = strength(&own.measure).name;
            let Some(of_all) = into.measures.iter_mut().find(|known| known.measure.name == name) else {
                continue;
            };
            of_all.tables.extend(tested.table);
            by.add(at, Some(tested.test), of_all);
        }
    }

    /// How each model fares at each level, compared with the prediction from the strengths of all levels.
    fn departures(&self, sample: &Sample) -> Result<Vec<Departure>, StatError> {
        let cells: Vec<(usize, CellGrades)> =
            sample.cells.iter().filter_map(|cell| Some((cell.level()?, cell_grades(cell)))).collect();
        check_target(
            distinct(cells.iter().map(|(_, cell)| cell.rater)) as usize,
            || distinct(cells.iter().map(|(_, cell)| cell.item)) as usize,
            sample.generalize_to,
        )?;
        let all: Vec<CellGrades> = cells.iter().map(|(_, cell)| *cell).collect();
        let fit = GradeFit::new(sample.models.len(), &all, sample.sides.are_allowed_for())?;
        fit.departures(cells, target(sample.generalize_to))
    }
}
