//! The mixed model equations, ordered to eliminate most of them in small blocks.

use super::super::{NAME, Observation, Responses, Source};
use crate::StatError;
use crate::describe::sum_by;

/// The maximum number of rows of the dense matrix that remains after elimination.
const MOST_DENSE: usize = 2_000;
/// Share of the residual in the variance below which there is none.
const LEAST_RESIDUAL: f64 = 1e-10;

/// One response in the order of elimination.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// Level of the factor that is eliminated.
    inner: usize,
    /// Level of the other factor.
    outer: usize,
    model: usize,
    /// Position of the pair of model and outer level.
    outer_by_model: usize,
    /// Deviation from the mean of the model.
    value: f64,
}

/// A random term, with the scale of the standard deviation of its effects.
#[derive(Debug, Clone, Copy)]
struct Term {
    source: Source,
    role: Role,
    /// √ of the number of responses at each level, by which the criterion's scale becomes 1.
    scale: f64,
    /// The start of the search.
    start: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Inner,
    Outer,
    InnerByModel,
    OuterByModel,
    Pair,
}

/// The equations without the standard deviations, which change at every step.
pub(super) struct Layout {
    rows: Vec<Row>,
    terms: Vec<Term>,
    models: usize,
    outers: usize,
    /// Number of pairs of model and outer level that have a term, otherwise 0.
    pairs: usize,
    model_means: Vec<f64>,
    model_counts: Vec<usize>,
    /// Mean squared deviation from the means of the models.
    variance: f64,
}

/// The criterion at one point, with related quantities.
pub(super) struct Evaluation {
    /// -2 ln of the restricted likelihood, up to a constant.
    pub(super) criterion: f64,
    /// Variance of the residual.
    pub(super) residual: f64,
    pub(super) means: Vec<f64>,
    /// Covariance of the means in units of the residual variance.
    pub(super) relative_covariance: Vec<Vec<f64>>,
}

/// Working space for one evaluation.
pub(super) struct Scratch {
    dense: Vec<Vec<f64>>,
    block: Vec<Vec<f64>>,
    /// Position in the block of each dense column, while a block is built.
    places: Vec<usize>,
    /// Position in the block of each model's inner effect.
    slots: Vec<usize>,
}

const NOWHERE: usize = usize::MAX;

impl Layout {
    pub(super) fn new(responses: &Responses, sources: &[Source]) -> Result<Self, StatError> {
        let models = responses.models.len();
        let mut totals = vec![(0.0, 0_usize); models];
        for row in &responses.rows {
            totals[row.model].0 += row.value;
            totals[row.model].1 += 1;
        }
        let model_means: Vec<f64> = totals.iter().map(|(total, count)| total / *count as f64).collect();
        let raters_inside = responses.raters.len() > responses.items.len();
        let mut rows: Vec<Row> = responses
            .rows
            .iter()
            .map(|&Observation { model, rater, item, value }| {
                let (inner, outer) = if raters_inside { (rater, item) } else { (item, rater) };
                Row { inner, outer, model, outer_by_model: 0, value: value - model_means[model] }
            })
            .collect();
        let squares = sum_by(rows.len(), |index| rows[index].value * rows[index].value);
        let largest = responses.rows.iter().fold(0.0_f64, |largest, row| largest.max(row.value.abs()));
        if !squares.is_finite() {
            return Err(StatError::Degenerate {
                statistic: NAME,
                reason: "the values are too large for double precision",
            });
        }
        let rounding = rows.len() as f64 * (16.0 * f64::EPSILON * largest).powi(2);
        let variance = if squares <= rounding { 0.0 } else { squares / rows.len() as f64 };
        // Stable: equal keys stay in the order of their values.
        rows.sort_by_key(|row| (row.inner, row.outer, row.model));
        let mut pairs: Vec<(usize, usize)> = rows.iter().map(|row| (row.model, row.outer)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        for row in &mut rows {
            row.outer_by_model = pairs.partition_point(|pair| *pair < (row.model, row.outer));
        }
        let (outer_source, inner_by_model) = if raters_inside {
            (Source::Item, Source::ModelByRater)
        } else {
            (Source::Rater, Source::ModelByItem)
        };
        let role = |source| match source {
            Source::RaterByItem => Role::Pair,
            Source::Rater | Source::Item if source == outer_source => Role::Outer,
            Source::Rater | Source::Item => Role::Inner,
            _ if source == inner_by_model => Role::InnerByModel,
            _ => Role::OuterByModel,
        };
        let terms: Vec<Term> = sources.iter().map(|&source| Term::new(source, role(source), &rows)).collect();
        let outer_by_model = terms.iter().any(|term| term.role == Role::OuterByModel);
        let layout = Self {
            rows,
            terms,
            models,
            outers: if raters_inside { responses.items.len() } else { responses.raters.len() },
            pairs: if outer_by_model { pairs.len() } else { 0 },
            model_counts: totals.iter().map(|(_, count)| *count).collect(),
            model_means,
            variance,
        };
        if layout.dense_size() > MOST_DENSE {
            return Err(StatError::Parameter {
                parameter: "levels of raters or items, whichever are fewer, with those by model",
                expected: "at most 2000 for restricted maximum likelihood",
                got: layout.dense_size() as f64,
            });
        }
        if layout.rows.len() <= layout.models + layout.terms.len() {
            return Err(StatError::TooFew {
                statistic: NAME,
                needed: layout.models + layout.terms.len() + 1,
                of: "responses",
                got: layout.rows.len(),
            });
        }
        Ok(layout)
    }

    const fn dense_size(&self) -> usize {
        self.outers + self.pairs + self.models
    }

    pub(super) fn scratch(&self) -> Scratch {
        let size = self.dense_size() + 1;
        Scratch {
            dense: (0..size).map(|row| vec![0.0; row + 1]).collect(),
            block: Vec::new(),
            places: vec![NOWHERE; size],
            slots: vec![NOWHERE; self.models],
        }
    }

    pub(super) const fn variance(&self) -> f64 {
        self.variance
    }

    pub(super) fn model_counts(&self) -> &[usize] {
        &self.model_counts
    }

    pub(super) const fn residual_degrees(&self) -> f64 {
        (self.rows.len() - self.models) as f64
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = Source> {
        self.terms.iter().map(|term| term.source)
    }

    pub(super) fn start(&self) -> Vec<f64> {
        self.terms.iter().map(|term| term.start).collect()
    }

    /// Variances of the terms over that of the residual.
    pub(super) fn ratios(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.terms).map(|(x, term)| (x / term.scale).powi(2)).collect()
    }

    /// The criterion at standard deviations in units of their scales; `None` if it is not defined.
    pub(super) fn evaluate(&self, point: &[f64], scratch: &mut Scratch) -> Option<Evaluation> {
        let deviation = |role: Role| {
            let place = self.terms.iter().position(|term| term.role == role);
            place.map_or(0.0, |place| point[place] / self.terms[place].scale)
        };
        let deviations = Deviations {
            inner: deviation(Role::Inner),
            outer: deviation(Role::Outer),
            inner_by_model: deviation(Role::InnerByModel),
            outer_by_model: deviation(Role::OuterByModel),
            pair: deviation(Role::Pair).powi(2),
        };
        for row in &mut scratch.dense {
            row.fill(0.0);
        }
        for (place, row) in scratch.dense[..self.outers + self.pairs].iter_mut().enumerate() {
            row[place] = 1.0;
        }
        let mut logarithm = 0.0;
        for rows in self.rows.chunk_by(|a, b| a.inner == b.inner) {
            logarithm += self.eliminate(rows, &deviations, scratch)?;
        }
        let size = self.dense_size();
        logarithm += factor(&mut scratch.dense, size)?;
        let squares = scratch.dense[size][size];
        let degrees = self.residual_degrees();
        let residual = squares / degrees;
        // Without a residual the criterion falls without limit; the remainder is rounding.
        if !(residual > LEAST_RESIDUAL * self.variance && residual.is_finite()) {
            return None;
        }
        let first = size - self.models;
        let (means, relative_covariance) = back_substitute(&scratch.dense[first..], first, self.models);
        let means = means.iter().zip(&self.model_means).map(|(deviation, mean)| mean + deviation).collect();
        Some(Evaluation {
            criterion: logarithm + degrees * residual.ln(),
            residual,
            means,
            relative_covariance,
        })
    }

    /// Eliminates the effects of one inner level; returns ln det of its block.
    fn eliminate(&self, rows: &[Row], deviations: &Deviations, scratch: &mut Scratch) -> Option<f64> {
        let Scratch { dense, block, places, slots } = scratch;
        let by_model = self.terms.iter().any(|term| term.role == Role::InnerByModel);
        let last = self.dense_size();
        // Columns of the block: its own effects, then the dense columns that its rows touch, then values.
        let mut own = 1;
        let mut columns: Vec<usize> = Vec::new();
        if by_model {
            for row in rows {
                if slots[row.model] == NOWHERE {
                    slots[row.model] = own;
                    own += 1;
                }
            }
        }
        for row in rows {
            for column in self.dense_columns(row) {
                if column != NOWHERE && places[column] == NOWHERE {
                    places[column] = own + columns.len();
                    columns.push(column);
                }
            }
        }
        places[last] = own + columns.len();
        columns.push(last);
        let size = own + columns.len();
        block.resize_with(block.len().max(size), Vec::new);
        for (place, row) in block[..size].iter_mut().enumerate() {
            row.clear();
            row.resize(place + 1, 0.0);
            if place < own {
                row[place] = 1.0;
            }
        }
        let mut logarithm = 0.0;
        let mut entries: Vec<(usize, f64)> = Vec::new();
        for group in rows.chunk_by(|a, b| a.outer == b.outer) {
            let mut sums: Vec<(usize, f64)> = Vec::new();
            for row in group {
                entries.clear();
                entries.push((0, deviations.inner));
                if by_model {
                    entries.push((slots[row.model], deviations.inner_by_model));
                }
                let factors = [deviations.outer, deviations.outer_by_model, 1.0];
                for (column, factor) in self.dense_columns(row).into_iter().zip(factors) {
                    if column != NOWHERE {
                        entries.push((places[column], factor));
                    }
                }
                entries.push((size - 1, row.value));
                add_square(block, &entries, 1.0);
                sums.extend_from_slice(&entries);
            }
            // The pair's own effect, by Woodbury's identity.
            let spread = 1.0 + group.len() as f64 * deviations.pair;
            if deviations.pair > 0.0 {
                logarithm += spread.ln();
                sums.sort_unstable_by_key(|(place, _)| *place);
                let joined: Vec<(usize, f64)> = sums
                    .chunk_by(|a, b| a.0 == b.0)
                    .map(|same| (same[0].0, same.iter().map(|(_, value)| value).sum()))
                    .collect();
                add_square(block, &joined, -deviations.pair / spread);
            }
        }
        logarithm += eliminate_first(&mut block[..size], own)?;
        for (place, &column) in columns.iter().enumerate() {
            for (other_place, &other) in columns[..=place].iter().enumerate() {
                let (row, entry) = (column.max(other), column.min(other));
                dense[row][entry] += block[own + place][own + other_place];
            }
        }
        for column in columns {
            places[column] = NOWHERE;
        }
        slots.fill(NOWHERE);
        Some(logarithm)
    }

    /// Dense columns of a row: the outer level, its pair with the model, the model.
    const fn dense_columns(&self, row: &Row) -> [usize; 3] {
        let pair = if self.pairs > 0 { self.outers + row.outer_by_model } else { NOWHERE };
        [row.outer, pair, self.outers + self.pairs + row.model]
    }
}

struct Deviations {
    inner: f64,
    outer: f64,
    inner_by_model: f64,
    outer_by_model: f64,
    /// Variance of pairs of rater and item.
    pair: f64,
}

impl Term {
    /// Starts from the spread of the means of the levels, which is never too small.
    fn new(source: Source, role: Role, rows: &[Row]) -> Self {
        let key = |row: &Row| match role {
            Role::Inner => (row.inner, 0),
            Role::Outer => (row.outer, 0),
            Role::InnerByModel => (row.inner, row.model),
            Role::OuterByModel => (row.outer, row.model),
            Role::Pair => (row.inner, row.outer),
        };
        let mut keyed: Vec<((usize, usize), f64)> = rows.iter().map(|row| (key(row), row.value)).collect();
        keyed.sort_by_key(|(key, _)| *key);
        let (mut between, mut total, mut levels) = (0.0, 0.0, 0.0);
        for level in keyed.chunk_by(|a, b| a.0 == b.0) {
            let sum: f64 = level.iter().map(|(_, value)| value).sum();
            between += sum * sum / level.len() as f64;
            total += level.iter().map(|(_, value)| value * value).sum::<f64>();
            levels += 1.0;
        }
        let count = rows.len() as f64;
        let within = (total - between).max(1e-3 * total) / (count - levels).max(1.0);
        let start = (between / levels / within - 1.0).clamp(0.25, 400.0).sqrt();
        Self { source, role, scale: (count / levels).sqrt(), start }
    }
}

/// Adds `weight` v vᵀ to the lower half, for v with few entries at distinct positions.
fn add_square(matrix: &mut [Vec<f64>], entries: &[(usize, f64)], weight: f64) {
    for &(row, a) in entries {
        for &(column, b) in entries {
            if column <= row {
                matrix[row][column] += weight * a * b;
            }
        }
    }
}

/// Eliminates the first rows of a symmetric matrix; returns ln det of their block.
fn eliminate_first(matrix: &mut [Vec<f64>], count: usize) -> Option<f64> {
    let mut logarithm = 0.0;
    for pivot in 0..count {
        let square = matrix[pivot][pivot];
        if !(square > 0.0 && square.is_finite()) {
            return None;
        }
        logarithm += square.ln();
        let column: Vec<f64> = matrix[pivot + 1..].iter().map(|row| row[pivot]).collect();
        for (place, row) in matrix[pivot + 1..].iter_mut().enumerate() {
            let factor = column[place] / square;
            for (entry, own) in row[pivot + 1..].iter_mut().zip(&column[..=place]) {
                *entry -= factor * own;
            }
        }
    }
    Some(logarithm)
}

/// Computes Cholesky's factor of the first rows in place and updates the rows after them; returns ln det.
///
/// The last row then holds the transformed values and, in its last entry, the rest of their squares.
fn factor(matrix: &mut [Vec<f64>], count: usize) -> Option<f64> {
    let mut logarithm = 0.0;
    for row in 0..=count {
        let (above, own) = matrix.split_at_mut(row);
        let own = &mut own[0];
        for (column, other) in above.iter().enumerate() {
            let solved = sum_by(column, |index| own[index] * other[index]);
            own[column] = (own[column] - solved) / other[column];
        }
        let square = own[row] - sum_by(row, |index| own[index] * own[index]);
        if row == count {
            own[row] = square;
        } else if square > 0.0 && square.is_finite() {
            logarithm += square.ln();
            own[row] = square.sqrt();
        } else {
            return None;
        }
    }
    Some(logarithm)
}

/// Solution and inverse of the last `count` equations, whose factor starts at column `first`.
fn back_substitute(rows: &[Vec<f64>], first: usize, count: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let solve = |mut right: Vec<f64>| -> Vec<f64> {
        for place in (0..count).rev() {
            let solved: f64 = (place + 1..count).map(|later| rows[later][first + place] * right[later]).sum();
            right[place] = (right[place] - solved) / rows[place][first + place];
        }
        right
    };
    let means = solve((0..count).map(|place| rows[count][first + place]).collect());
    // Lᵀ x = y with L y = e gives the columns of (L Lᵀ)⁻¹.
    let inverse = (0..count).map(|unit| {
        let mut forward: Vec<f64> = vec![0.0; count];
        for place in unit..count {
            let solved: f64 =
                (unit..place).map(|earlier| rows[place][first + earlier] * forward[earlier]).sum();
            forward[place] = (f64::from(u8::from(place == unit)) - solved) / rows[place][first + place];
        }
        solve(forward)
    });
    (means, inverse.collect())
}
