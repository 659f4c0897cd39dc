//! Components of balanced designs from mean squares.

use super::{
    EstimationMethod, ModelMean, NAME, Observation, Responses, Source, VarianceComponents, difference, shared,
};
use crate::StatError;
use crate::describe::{mean, sum_by};
use crate::distributions::FisherF;

/// Tests of equal models with raters and items random.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct QuasiF {
    /// F' = (MS_m + MS_e) / (MS_mr + MS_mi).
    pub f: f64,
    /// Satterthwaite's degrees of freedom of the numerator.
    pub df_numerator: f64,
    /// Satterthwaite's degrees of freedom of the denominator.
    pub df_denominator: f64,
    /// P(F ≥ f) if all models have equal means.
    pub p: f64,
    /// min F' = F₁ F₂ / (F₁ + F₂), a lower bound of F' from the analyses by raters and by items.
    pub min_f: f64,
    /// P(F ≥ min F') with the k - 1 degrees of freedom of models and those of the denominator.
    pub min_p: f64,
}

/// A mean square and its degrees of freedom.
#[derive(Debug, Clone, Copy)]
struct MeanSquare {
    value: f64,
    degrees: f64,
}

/// Estimates variance components of a balanced design from its mean squares.
///
/// # Method
///
/// For M models, R raters, I items and n responses in every cell the expected mean squares are, with
/// models fixed and interactions independent (Searle, Casella and McCulloch 1992, 4.6),
///
/// - raters: σ² + nM σ²_ri + nI σ²_mr + nMI σ²_r, and items in the same way,
/// - models by raters: σ² + nI σ²_mr, models by items: σ² + nR σ²_mi,
/// - raters by items: σ² + nM σ²_ri, residual: σ²,
///
/// without the terms that the design lacks; the remaining interactions are residual. The estimates
/// solve these equations. They are unbiased; negative ones are reported together with a variance of 0.
/// The squared standard error of a model's mean is (σ²_r + σ²_mr) / R + (σ²_i + σ²_mi) / I + (σ²_ri +
/// σ² / n) / (R I), that of a difference 2 \[σ²_mr / R + σ²_mi / I + σ² / (n R I)\] (Judd, Westfall and
/// Kenny 2012), with Satterthwaite's (1946) degrees of freedom for the mean squares in it. [`QuasiF`]
/// is Clark's (1973).
///
/// # Errors
///
/// [`StatError::Degenerate`] if the design is not balanced, if all responses are equal or too large for
/// double precision.
pub fn mean_squares(responses: &Responses) -> Result<VarianceComponents, StatError> {
    let degenerate = |reason| StatError::Degenerate { statistic: NAME, reason };
    let replicates = responses.replicates().ok_or(degenerate("the design is not balanced"))?;
    let terms = responses.terms()?;
    let table = Table::new(responses, replicates)?;
    if table.total <= 0.0 {
        return Err(degenerate("all responses are equal"));
    }
    let (models, raters, items, n) =
        (table.models as f64, table.raters as f64, table.items as f64, replicates as f64);
    let squares = table.mean_squares(&terms);
    let square = |source| squares.iter().find(|(own, _)| *own == source).map(|(_, square)| *square);
    let combination = |source| combination(source, &terms, [models, raters, items, n]);
    let value = |combination: &[(Source, f64)]| -> f64 {
        combination.iter().filter_map(|(source, factor)| Some(factor * square(*source)?.value)).sum()
    };
    let spread = |combination: &[(Source, f64)]| -> f64 {
        let squares = combination.iter().filter_map(|(source, factor)| {
            let square = square(*source)?;
            Some((factor * square.value).powi(2) / square.degrees)
        });
        squares.sum()
    };
    let sources: Vec<Source> = terms.iter().copied().chain([Source::Residual]).collect();
    let components = shared(sources.iter().map(|&source| {
        let combination = combination(source);
        (source, value(&combination), Some((2.0 * spread(&combination)).sqrt()))
    }));
    // Standard error and degrees of freedom of a sum of components, leaving out those at zero.
    let error = |parts: &[(Source, f64)]| -> (f64, Option<f64>) {
        let mut joined: Vec<(Source, f64)> = Vec::new();
        for (source, share) in parts {
            let used = components.iter().any(|own| own.source == *source && own.variance > 0.0);
            for (square, factor) in combination(*source).into_iter().filter(|_| used) {
                match joined.iter_mut().find(|(own, _)| *own == square) {
                    Some((_, total)) => *total += share * factor,
                    None => joined.push((square, share * factor)),
                }
            }
        }
        let variance = value(&joined).max(0.0);
        let degrees = variance * variance / spread(&joined);
        (variance.sqrt(), (variance > 0.0 && degrees.is_finite()).then_some(degrees))
    };
    let cell = (raters * items).recip();
    let of_mean = error(&[
        (Source::Rater, raters.recip()),
        (Source::Item, items.recip()),
        (Source::ModelByRater, raters.recip()),
        (Source::ModelByItem, items.recip()),
        (Source::RaterByItem, cell),
        (Source::Residual, cell / n),
    ]);
    let means = means(responses, &table, replicates, of_mean);
    let (apart, apart_degrees) = error(&[
        (Source::ModelByRater, 2.0 / raters),
        (Source::ModelByItem, 2.0 / items),
        (Source::Residual, 2.0 * cell / n),
    ]);
    let mut differences = Vec::new();
    for (place, first) in means.iter().enumerate() {
        for second in &means[place + 1..] {
            differences.push(difference((first, second), apart, apart_degrees)?);
        }
    }
    Ok(VarianceComponents {
        method: EstimationMethod::MeanSquares,
        quasi_f: quasi_f(&table, &squares)?,
        components,
        models: means,
        differences,
        responses: responses.len(),
        raters: table.raters,
        items: table.items,
    })
}

/// The means of models, which share a standard error and its degrees of freedom.
fn means(
    responses: &Responses,
    table: &Table,
    replicates: usize,
    (standard_error, degrees_of_freedom): (f64, Option<f64>),
) -> Vec<ModelMean> {
    responses
        .models
        .iter()
        .zip(&table.by_model)
        .map(|(&model, &mean)| ModelMean {
            model,
            count: table.raters * table.items * replicates,
            mean,
            standard_error,
            degrees_of_freedom,
        })
        .collect()
}

/// A component as its coefficients of the mean squares, in a design with these terms and sizes.
fn combination(source: Source, terms: &[Source], [models, raters, items, n]: [f64; 4]) -> Vec<(Source, f64)> {
    let (higher, size): (&[Source], f64) = match source {
        Source::Rater => (&[Source::ModelByRater, Source::RaterByItem], n * models * items),
        Source::Item => (&[Source::ModelByItem, Source::RaterByItem], n * models * raters),
        Source::ModelByRater => (&[], n * items),
        Source::ModelByItem => (&[], n * raters),
        Source::RaterByItem => (&[], n * models),
        Source::Residual => return vec![(Source::Residual, 1.0)],
    };
    let mut found = vec![(source, size.recip())];
    found.extend(higher.iter().filter(|term| terms.contains(term)).map(|term| (*term, -size.recip())));
    let rest = found.len() as f64 - 2.0;
    found.push((Source::Residual, rest / size));
    found
}

fn quasi_f(table: &Table, squares: &[(Source, MeanSquare)]) -> Result<Option<QuasiF>, StatError> {
    let square = |source| squares.iter().find(|(own, _)| *own == source).map(|(_, square)| *square);
    let (Some(by_rater), Some(by_item), Some(residual)) =
        (square(Source::ModelByRater), square(Source::ModelByItem), square(Source::Residual))
    else {
        return Ok(None);
    };
    let models = table.model_square();
    let joined = |a: MeanSquare, b: MeanSquare| {
        let value = a.value + b.value;
        let degrees = value * value / (a.value * a.value / a.degrees + b.value * b.value / b.degrees);
        MeanSquare { value, degrees }
    };
    let (above, below) = (joined(models, residual), joined(by_rater, by_item));
    if below.value <= 0.0 || above.value <= 0.0 {
        return Ok(None);
    }
    let f = above.value / below.value;
    let min_f = models.value / below.value;
    Ok(Some(QuasiF {
        f,
        df_numerator: above.degrees,
        df_denominator: below.degrees,
        p: FisherF::new(above.degrees, below.degrees)?.sf(f),
        min_f,
        min_p: FisherF::new(models.degrees, below.degrees)?.sf(min_f),
    }))
}

/// Means of a balanced design over all its margins.
struct Table {
    models: usize,
    raters: usize,
    items: usize,
    replicates: usize,
    grand: f64,
    by_model: Vec<f64>,
    by_rater: Vec<f64>,
    by_item: Vec<f64>,
    by_model_rater: Vec<f64>,
    by_model_item: Vec<f64>,
    by_rater_item: Vec<f64>,
    /// Sum of squares around the grand mean.
    total: f64,
    /// Sum of squares around the additive combination of the margins.
    residual: f64,
    /// The largest sum of squares that may be due to rounding.
    rounding: f64,
}

impl Table {
    fn new(responses: &Responses, replicates: usize) -> Result<Self, StatError> {
        let (models, raters, items) = (responses.models.len(), responses.raters.len(), responses.items.len());
        let rows = &responses.rows;
        let cells = rows
            .chunks_exact(replicates)
            .map(|cell| mean(&cell.iter().map(|row| row.value).collect::<Vec<_>>()));
        // By model, rater and item, as the rows are sorted.
        let cells = cells.collect::<Result<Vec<f64>, StatError>>()?;
        let margin = |parts: usize, others: usize, place: &dyn Fn(usize, usize) -> usize| -> Vec<f64> {
            let average = |part| sum_by(others, |other| cells[place(part, other)]) / others as f64;
            (0..parts).map(average).collect()
        };
        let (pairs, slice) = (raters * items, models * raters);
        let grand = mean(&cells)?;
        let largest = rows.iter().fold(0.0_f64, |largest, row| largest.max(row.value.abs()));
        let mut table = Self {
            models,
            raters,
            items,
            replicates,
            grand,
            by_model: margin(models, pairs, &|model, pair| model * pairs + pair),
            by_rater: margin(raters, models * items, &|rater, other| {
                (other / items) * pairs + rater * items + other % items
            }),
            by_item: margin(items, slice, &|item, other| other * items + item),
            by_model_rater: margin(slice, items, &|part, item| part * items + item),
            by_model_item: margin(models * items, raters, &|part, rater| {
                (part / items) * pairs + rater * items + part % items
            }),
            by_rater_item: margin(pairs, models, &|pair, model| model * pairs + pair),
            total: 0.0,
            residual: 0.0,
            rounding: rows.len() as f64 * (16.0 * f64::EPSILON * largest).powi(2),
        };
        let total = sum_by(rows.len(), |index| (rows[index].value - grand).powi(2));
        let residual = sum_by(rows.len(), |index| (rows[index].value - table.fitted(&rows[index])).powi(2));
        if !(total + residual).is_finite() {
            return Err(StatError::Degenerate {
                statistic: NAME,
                reason: "the values are too large for double precision",
            });
        }
        (table.total, table.residual) = (table.kept(total), table.kept(residual));
        Ok(table)
    }

    /// The sum of the margins with terms, for a cell.
    fn fitted(&self, row: &Observation) -> f64 {
        let Observation { model, rater, item, .. } = *row;
        let pair = self.by_rater_item[rater * self.items + item];
        let (by_rater, by_item) = (self.by_rater[rater], self.by_item[item]);
        if self.models > 1 {
            let interactions = self.by_model_rater[model * self.raters + rater]
                + self.by_model_item[model * self.items + item]
                + pair;
            interactions - (self.by_model[model] + by_rater + by_item) + self.grand
        } else if self.replicates > 1 {
            pair
        } else {
            by_rater + by_item - self.grand
        }
    }

    /// Sum of squares of an interaction: means of pairs minus those of both sides.
    fn interaction(&self, pairs: &[f64], first: &[f64], second: &[f64]) -> f64 {
        sum_by(pairs.len(), |index| {
            let (row, column) = (index / second.len(), index % second.len());
            (pairs[index] - first[row] - second[column] + self.grand).powi(2)
        })
    }

    fn main(&self, means: &[f64]) -> f64 {
        sum_by(means.len(), |index| (means[index] - self.grand).powi(2))
    }

    fn model_square(&self) -> MeanSquare {
        let size = (self.replicates * self.raters * self.items) as f64;
        let degrees = self.models as f64 - 1.0;
        MeanSquare { value: self.kept(size * self.main(&self.by_model)) / degrees, degrees }
    }

    /// A sum of squares, or 0 if it is due to rounding.
    fn kept(&self, squares: f64) -> f64 {
        if squares <= self.rounding { 0.0 } else { squares }
    }

    /// Mean squares of the terms, with the rest as residual.
    fn mean_squares(&self, terms: &[Source]) -> Vec<(Source, MeanSquare)> {
        let (models, raters, items, n) = (self.models, self.raters, self.items, self.replicates);
        let mut degrees_left = (models * raters * items * n) as f64 - models as f64;
        let mut found = Vec::new();
        for &source in terms {
            let (squares, size, degrees) = match source {
                Source::Rater => (self.main(&self.by_rater), n * models * items, raters - 1),
                Source::Item => (self.main(&self.by_item), n * models * raters, items - 1),
                Source::ModelByRater => (
                    self.interaction(&self.by_model_rater, &self.by_model, &self.by_rater),
                    n * items,
                    (models - 1) * (raters - 1),
                ),
                Source::ModelByItem => (
                    self.interaction(&self.by_model_item, &self.by_model, &self.by_item),
                    n * raters,
                    (models - 1) * (items - 1),
                ),
                Source::RaterByItem => (
                    self.interaction(&self.by_rater_item, &self.by_rater, &self.by_item),
                    n * models,
                    (raters - 1) * (items - 1),
                ),
                Source::Residual => continue,
            };
            let (squares, degrees) = (size as f64 * squares, degrees as f64);
            degrees_left -= degrees;
            found.push((source, MeanSquare { value: self.kept(squares) / degrees, degrees }));
        }
        found.push((
            Source::Residual,
            MeanSquare { value: self.residual / degrees_left, degrees: degrees_left },
        ));
        found
    }
}
