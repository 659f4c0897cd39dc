//! Findings from grades: strengths, their pairs, and the mean grade of every pair.

use std::collections::HashSet;
use std::sync::Arc;

use hype_core::model::findings::{Column, Estimate, Exclusion, MeasureFindings, Note, Table, WithExcluded};
use hype_core::{AggregateError, Aggregated, Direction, Measure};
use hype_stats::StatError;
use hype_stats::clustered::Clustered;
use hype_stats::preference::{CellGrades, GradeFit};
use serde_json::{Value, json};

use super::{GradeSums, GradedPreferences, PreferenceGrades};
use crate::aggregators::conclusions::ranks;
use crate::aggregators::criteria::{self, Criterion};
use crate::aggregators::evidence::method;
use crate::aggregators::inference::{
    Compared, Difference, check_target, differences, family, no_intervals, no_strengths, not_by_item,
    only_against, smallest_p, student, target, uneven,
};
use crate::aggregators::many::too_many;
use crate::aggregators::measures::GRADE;
use crate::aggregators::ordering::greatest_first;
use crate::aggregators::pairs::{PairCell, PairSample};
use crate::aggregators::sides::Sides;
use crate::aggregators::strengths::{explain, pseudo_values};
use crate::aggregators::without_rater::LeaveOneOut;

pub(super) type Sample = PairSample<GradeSums>;

impl GradedPreferences {
    pub(super) fn found(
        &self,
        sums: &PreferenceGrades,
        exclusions: &[Exclusion],
    ) -> Result<Aggregated, AggregateError> {
        let levels = sums.levels()?;
        let excluded = sums.excluded(exclusions);
        let of_levels: Vec<Sample> =
            sums.measures().iter().filter_map(|measure| sums.sample(measure, &excluded)).collect();
        let samples: Vec<Sample> = of_levels.iter().cloned().map(Sample::over_levels).collect();
        if samples.is_empty() {
            return Err(sums.no_scores(GRADE));
        }
        let mut found = Aggregated::default();
        let mut strengths = Vec::new();
        for sample in &samples {
            let everyone = (!excluded.is_empty())
                .then(|| sums.sample(&sample.measure, &HashSet::new()).map(Sample::over_levels))
                .flatten()
                .filter(|all| grades(all) > grades(sample));
            found.notes.extend(self.notes(sums, sample));
            strengths.push(self.strengths(sample, everyone.as_ref(), samples.len(), &mut found.notes));
        }
        let criteria: Vec<Criterion<'_>> = samples
            .iter()
            .zip(&strengths)
            .map(|(sample, found)| Criterion { measure: &sample.measure, prefix: GRADE, found: Some(found) })
            .collect();
        let tables = criteria::tables(&criteria, sums, &excluded, self.confidence());
        found.notes.extend(self.without_rater(
            sums,
            &excluded,
            (&samples[0].measure, samples.len()),
            &strengths[0],
        ));
        found.measures = strengths;
        found.measures[0].tables.extend(tables);
        if let Some(levels) = levels {
            self.by_level(levels, &of_levels, &mut found);
        }
        Ok(found)
    }

    /// A remark on the rater whose removal changes the lead of the strongest model.
    fn without_rater(
        &self,
        sums: &PreferenceGrades,
        excluded: &HashSet<u32>,
        (measure, families): (&Measure, usize),
        found: &MeasureFindings,
    ) -> Option<Note> {
        let without = |rater| {
            let sample = sums.sample(measure, &excluded.iter().copied().chain([rater]).collect())?;
            Some(self.strengths(&sample.over_levels(), None, families, &mut Vec::new()).comparisons)
        };
        let weights = |models: [&str; 2]| sums.weights(measure, models, excluded);
        LeaveOneOut { found, level: self.confidence(), same: None, weights, without }
            .note(|rater| sums.rater(rater))
    }

    fn notes(&self, sums: &PreferenceGrades, sample: &Sample) -> Vec<Note> {
        let measure = &strength(&sample.measure).name;
        let mut notes: Vec<Note> = too_many(measure, sample.models.len()).into_iter().collect();
        if sums.generalize_to() != sample.generalize_to {
            notes.push(not_by_item(measure, "grades", sample.generalize_to));
        }
        notes.extend(sample.sides.note(measure, sums.order_is_asked_for()));
        notes.extend(sample.one_of_all.map(|one| only_against(measure, &sample.models[one])));
        notes
    }

    /// Strengths in grades with their intervals, and the mean grades of pairs, which are in one of so many families. Without
    /// estimates, with a note on the reason, if the grades have no common scale.
    pub(super) fn strengths(
        &self,
        sample: &Sample,
        everyone: Option<&Sample>,
        families: usize,
        notes: &mut Vec<Note>,
    ) -> MeasureFindings {
        let mut found = MeasureFindings {
            raters: sample.raters(),
            items: sample.items,
            responses: grades(sample),
            generalize_to: Some(sample.generalize_to),
            tables: vec![grades_table(sample)],
            ..MeasureFindings::new(strength(&sample.measure))
        };
        let cells = cells(sample);
        let fit = match GradeFit::new(sample.models.len(), &cells, sample.sides.are_allowed_for()) {
            Ok(fit) => fit,
            Err(error) => {
                notes.push(no_strengths(&found.measure.name, &explain(&error, &sample.models)));
                return found;
            }
        };
        if let Some(effect) = fit.order_effect {
            let text = format!("standing first is worth {effect:.4} grades");
            notes.push(Note::setting("order-effect", text).about(&found.measure.name));
        }
        let errors = match sample.sides {
            Sides::Confounded => None,
            Sides::Ignored | Sides::Allowed => clustered(sample, &cells, &fit)
                .map_err(|error| notes.push(no_intervals(&found.measure.name, &error)))
                .ok(),
        };
        if let Some(errors) = &errors {
            notes.extend(uneven(&found.measure.name, errors, sample.models.len(), sample.generalize_to));
        }
        let with = everyone.and_then(|all| {
            let fit =
                GradeFit::new(all.models.len(), &self::cells(all), sample.sides.are_allowed_for()).ok()?;
            Some((all, fit))
        });
        let level = self.confidence();
        found.estimates = (0..sample.models.len())
            .map(|model| {
                let least = fit.independent(model).unwrap_or(0.0);
                let variance =
                    errors.as_ref().and_then(|errors| errors.of(model).ok()).map(|all| all.at_least(least));
                let range = variance
                    .and_then(|all| student(fit.theta[model], &all, level, sample.generalize_to).ok());
                Estimate {
                    model: Arc::clone(&sample.models[model]),
                    value: fit.theta[model],
                    interval: range,
                    bootstrap_sd: None,
                    sd: None,
                    sem: fit.independent(model).map(f64::sqrt),
                    se: variance.map(|all| all.standard_error()),
                    raters: sample.raters_of(model),
                    responses: sample.of_model(model).map(|cell| cell.tally.count).sum(),
                    with_excluded: with.as_ref().and_then(|(all, fit)| {
                        let place = all.models.iter().position(|name| *name == sample.models[model])?;
                        Some(WithExcluded { value: fit.theta[place], raters: all.raters_of(place) })
                    }),
                    pseudo_values: pseudo_values(fit.theta[model], errors.as_ref(), model),
                }
            })
            .collect();
        found.estimates.sort_by(greatest_first);
        if let Some(errors) = &errors {
            self.compare(sample, &fit, errors, families, &mut found);
        }
        found
    }

    /// Every pair of models, and what follows about their order.
    fn compare(
        &self,
        sample: &Sample,
        fit: &GradeFit,
        errors: &Clustered,
        families: usize,
        into: &mut MeasureFindings,
    ) {
        let compared = Compared {
            models: &sample.models,
            generalize_to: sample.generalize_to,
            level: self.confidence(),
            method: method(sample.generalize_to),
            families,
            one_of_all: sample.one_of_all,
        };
        into.comparisons = compared.pairs(strength_differences(fit, errors));
        into.tests.extend(into.comparisons.first().map(|pair| smallest_p(&into.comparisons, &pair.method)));
        into.family = family(into.comparisons.iter().filter(|pair| pair.p.is_some()).count(), families);
        let differences = strength_differences(fit, errors);
        into.ranks = ranks(&compared, Direction::Higher, &into.estimates, differences);
    }
}

/// The strength of models by grades of a measure.
pub(super) fn strength(grades: &Measure) -> Measure {
    let suffix = grades.name.strip_prefix(GRADE).unwrap_or_default();
    let label = format!("{}: strength (grades)", grades.label);
    Measure::new(&format!("graded_strength{suffix}"), &label, "grades", Direction::Higher)
}

fn grades(sample: &Sample) -> u64 {
    sample.cells.iter().map(|cell| cell.tally.count).sum()
}

fn cells(sample: &Sample) -> Vec<CellGrades> {
    sample.cells.iter().map(cell_grades).collect()
}

pub(super) fn cell_grades(cell: &PairCell<GradeSums>) -> CellGrades {
    CellGrades {
        rater: cell.rater,
        item: cell.item,
        first: cell.first,
        second: cell.second,
        count: cell.tally.count,
        sum: cell.tally.sum as f64,
        squares: cell.tally.squares as f64,
    }
}

/// The clustered errors of strengths, over enough raters.
fn clustered(sample: &Sample, cells: &[CellGrades], fit: &GradeFit) -> Result<Clustered, StatError> {
    check_target(sample.raters() as usize, || sample.items as usize, sample.generalize_to)?;
    fit.crossed(cells, target(sample.generalize_to))
}

/// The differences of strengths with their clustered errors, which are at least those of independent grades.
fn strength_differences<'e>(
    fit: &'e GradeFit,
    errors: &'e Clustered,
) -> impl Fn(usize, usize) -> Difference + 'e {
    let of = differences(&fit.theta, errors);
    move |a, b| {
        let (difference, variance) = of(a, b);
        let independent = fit.independent_difference(a, b).unwrap_or(0.0);
        (difference, variance.map(|all| all.at_least(independent)))
    }
}

/// The grades of every pair that was compared.
fn grades_table(sample: &Sample) -> Table {
    let models = sample.models.len();
    let mut sums = vec![(0_u64, 0_i64, 0_i64); models * models];
    for cell in &sample.cells {
        let (a, b) = (cell.first as usize, cell.second as usize);
        let GradeSums { count, sum, squares } = cell.tally;
        let (place, sum) = if a < b { (a * models + b, sum) } else { (b * models + a, -sum) };
        let into = &mut sums[place];
        *into = (into.0 + count, into.1 + sum, into.2 + squares);
    }
    let rows =
        sums.iter().enumerate().filter(|(_, sums)| sums.0 > 0).map(|(place, &(count, sum, squares))| {
            let grades = count as f64;
            let mean = sum as f64 / grades;
            let spread = (count > 1)
                .then(|| ((squares as f64 - grades * mean * mean).max(0.0) / (grades - 1.0)).sqrt());
            vec![
                json!(sample.models[place / models]),
                json!(sample.models[place % models]),
                json!(count),
                json!(mean),
                spread.map_or(Value::Null, |spread| json!(spread)),
            ]
        });
    Table {
        name: "grades".into(),
        label: "grades of each pair".into(),
        rows: rows.collect(),
        columns: vec![
            Column::new("a", "model", ""),
            Column::new("b", "against", ""),
            Column::new("grades", "comparisons", ""),
            Column::new("mean", "mean grade", "grades"),
            Column::new("sd", "standard deviation", "grades"),
        ],
    }
}
