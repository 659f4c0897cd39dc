//! Scores: a tidy columnar table with one value in each row and interned names.

use std::sync::Arc;

use crate::model::labels::MeasureLabel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::names::Names;

/// The measure of votes between two models: 1 if the model is preferred, 0.5 for a tie, and 0 if the other model is preferred.
/// A criterion follows after a point, as in `preference.realism`.
pub const PREFERENCE: &str = "preference";
/// The measure of graded comparisons of two models; a criterion follows after a point.
pub const GRADE: &str = "grade";

/// Which direction of a measure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Higher is better.
    Higher,
    /// Lower is better.
    Lower,
    /// Neither: the measure is descriptive.
    Neither,
}

/// The measure of a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    /// The key in score tables, such as `mode_ms`.
    pub name: Arc<str>,
    /// Its name for people, such as `threshold (mode)`.
    pub label: Arc<str>,
    /// The unit: `ms`, `proportion`, `d'`, or empty for a bare number.
    pub unit: Arc<str>,
    /// Which direction is better.
    pub direction: Direction,
    /// The meaning of differences between values; absent if the values are ordered and nothing more is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<MeasureScale>,
    /// Why the values describe the procedure rather than the models, such as `the staircase sets how often answers are
    /// right`. Aggregators then give neither intervals nor tests. Absent for all other measures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptive: Option<Arc<str>>,
    /// Other measures of the same raters and models that say more about the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// How far the procedure moves values from the true ones at most, in the measure's unit; absent for most measures. Intervals
    /// of means allow for it; differences of models lack it, as it is much the same for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bias: Option<f64>,
    /// A value that readers compare results with, such as what guessing gives; absent for most measures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceValue>,
    /// How the study calls it where results are shown, if it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<MeasureLabel>,
}

/// The meaning of differences between the values of a measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MeasureScale {
    /// Nothing: values are codes of categories without an order.
    Nominal,
    /// Only which of two values is greater.
    Ordinal,
    /// Differences of the same size mean the same.
    Interval,
}

impl MeasureScale {
    /// Every scale.
    pub const ALL: [Self; 3] = [Self::Nominal, Self::Ordinal, Self::Interval];

    /// Its name, such as `nominal`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nominal => "nominal",
            Self::Ordinal => "ordinal",
            Self::Interval => "interval",
        }
    }
}

/// Other measures of the same raters and models that say more about the values of a measure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Values that may be bounds. Where one of these measures is above 0, the true value lies at or beyond the value.
    Censoring {
        /// The share of values that the true value may lie under.
        at_most: Arc<str>,
        /// The share of values that the true value may lie over.
        at_least: Arc<str>,
        /// The share of values that were still on their way down to the true one; absent where values have no way.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        falling: Option<Arc<str>>,
        /// The share of values that were still on their way up to the true one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rising: Option<Arc<str>>,
    },
    /// Sensitivities d', computed from the shares of wrong answers.
    Errors {
        /// Wrong answers to signals.
        misses: Arc<str>,
        /// Wrong answers to noise.
        false_alarms: Arc<str>,
    },
}

/// A value of a measure that readers compare results with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceValue {
    /// The value, in the measure's unit.
    pub value: f64,
    /// A label for this value, such as `guessing`; empty if only the value is known.
    pub label: Arc<str>,
}

impl Measure {
    /// A measure from its parts.
    #[must_use]
    pub fn new(name: &str, label: &str, unit: &str, direction: Direction) -> Self {
        Self {
            name: name.into(),
            label: label.into(),
            unit: unit.into(),
            direction,
            scale: None,
            descriptive: None,
            basis: None,
            bias: None,
            reference: None,
            shown: None,
        }
    }

    /// Sets what differences between values mean.
    #[must_use]
    pub fn on_scale(self, scale: MeasureScale) -> Self {
        Self { scale: Some(scale), ..self }
    }

    /// Marks the values as descriptive of the procedure, with the reason.
    #[must_use]
    pub fn descriptive(self, reason: &str) -> Self {
        Self { descriptive: Some(reason.into()), ..self }
    }

    /// Names other measures that say more about the values.
    #[must_use]
    pub fn based_on(self, basis: Basis) -> Self {
        Self { basis: Some(basis), ..self }
    }

    /// Declares a value that readers compare results with, and what has this value.
    #[must_use]
    pub fn with_reference(self, value: f64, label: &str) -> Self {
        Self { reference: Some(ReferenceValue { value, label: label.into() }), ..self }
    }

    /// Whether the values are judgments that raters may agree on: they have a better direction or are codes of categories,
    /// and the procedure does not set them.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        self.is_compared() || self.scale == Some(MeasureScale::Nominal)
    }

    /// The least and the greatest value, where they are known: of a proportion, and of a scale whose ends the label has in brackets at
    /// its end.
    ///
    /// # Examples
    /// ```
    /// use hype_core::model::score::{Direction, Measure};
    ///
    /// let opinion = Measure::new("opinion", "mean opinion score (1 to 5)", "", Direction::Higher);
    /// assert_eq!(opinion.ends(), Some([1.0, 5.0]));
    /// assert_eq!(Measure::new("mode_ms", "threshold (mode)", "ms", Direction::Higher).ends(), None);
    /// ```
    #[must_use]
    pub fn ends(&self) -> Option<[f64; 2]> {
        if &*self.unit == "proportion" {
            return Some([0.0, 1.0]);
        }
        let inside = self.label.strip_suffix(')')?.rsplit_once('(')?.1;
        let (low, high) = inside.split_once(" to ")?;
        let end = |text: &str| text.trim().replace('\u{2212}', "-").parse::<i32>().ok().map(f64::from);
        Some([end(low)?, end(high)?])
    }

    /// Whether models are compared by the measure: it has a better direction, and the procedure does not set it.
    #[must_use]
    pub fn is_compared(&self) -> bool {
        self.direction != Direction::Neither && self.descriptive.is_none()
    }
}

/// One row, by names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// Who judged.
    pub rater: &'a str,
    /// The model judged; empty in a study without models.
    pub model: &'a str,
    /// The model that it was compared with; empty if the value is not a comparison.
    pub against: &'a str,
    /// The item judged; empty if the value is over several.
    pub item: &'a str,
    /// The block, from 0.
    pub block: u16,
    /// The measure's name.
    pub measure: &'a str,
    /// The value.
    pub value: f64,
}

impl<'a> Row<'a> {
    /// A value over several items, in block 0, that is not a comparison.
    #[must_use]
    pub const fn new(rater: &'a str, model: &'a str, measure: &'a str, value: f64) -> Self {
        Self { rater, model, against: "", item: "", block: 0, measure, value }
    }

    /// A value for one item, in block 0, that is not a comparison.
    #[must_use]
    pub const fn of_item(self, item: &'a str) -> Self {
        Self { item, ..self }
    }
}

/// A tidy table of scores in columns.
///
/// Names keep their numbers when [`clear_rows`](Self::clear_rows) empties the table, so one table can carry any number
/// of rows in chunks, and its memory grows only with the names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScoreTable {
    /// Names of raters.
    pub raters: Names,
    /// Names of models.
    pub models: Names,
    /// Names of items.
    pub items: Names,
    /// Names of measures.
    pub measures: Names,
    rater: Vec<u32>,
    model: Vec<u32>,
    against: Vec<u32>,
    item: Vec<u32>,
    block: Vec<u16>,
    measure: Vec<u32>,
    value: Vec<f64>,
    missing: Vec<MissingAnswer>,
}

/// An answer that was asked for and is missing, by the numbers of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingAnswer {
    /// The rater.
    pub rater: u32,
    /// The model.
    pub model: u32,
    /// The model that it was to be compared with; [`NO_MODEL`] if none.
    pub against: u32,
    /// The measure.
    pub measure: u32,
}

/// The value of [`Columns::against`] if a value is not a comparison.
pub const NO_MODEL: u32 = u32::MAX;

/// The columns of a table, all of one length; names by their numbers.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// Raters.
    pub rater: &'a [u32],
    /// Models.
    pub model: &'a [u32],
    /// The models that they were compared with; [`NO_MODEL`] if the value is not a comparison.
    pub against: &'a [u32],
    /// Items.
    pub item: &'a [u32],
    /// Blocks.
    pub block: &'a [u16],
    /// Measures.
    pub measure: &'a [u32],
    /// Values.
    pub value: &'a [f64],
}

impl ScoreTable {
    /// Adds a row.
    pub fn push(&mut self, row: &Row<'_>) {
        let numbers = [
            self.raters.intern_after(self.rater.last().copied(), row.rater),
            self.models.intern_after(self.model.last().copied(), row.model),
            self.items.intern_after(self.item.last().copied(), row.item),
            self.measures.intern_after(self.measure.last().copied(), row.measure),
        ];
        let against = if row.against.is_empty() { NO_MODEL } else { self.models.intern(row.against) };
        self.push_numbers(numbers, against, row.block, row.value);
    }

    /// Adds an answer that was asked for and is missing, such as an empty cell of a table. It is not a row, and its value is not
    /// read.
    pub fn push_missing(&mut self, row: &Row<'_>) {
        let against = if row.against.is_empty() { NO_MODEL } else { self.models.intern(row.against) };
        self.missing.push(MissingAnswer {
            rater: self.raters.intern(row.rater),
            model: self.models.intern(row.model),
            against,
            measure: self.measures.intern(row.measure),
        });
    }

    /// The answers that were asked for and are missing.
    #[must_use]
    pub fn missing(&self) -> &[MissingAnswer] {
        &self.missing
    }

    /// The numbers of a row's rater, model, item and measure, if each is that of the row with the numbers `last` or the one that
    /// last came after it in its column.
    ///
    /// Tables repeat their names or their order, so the names of most rows are found in this way.
    #[inline(always)]
    #[must_use]
    pub fn expect_after(
        &self,
        last: [u32; 4],
        [rater, model, item, measure]: [&[u8]; 4],
    ) -> Option<[u32; 4]> {
        Some([
            self.raters.expect_after(last[0], rater)?,
            self.models.expect_after(last[1], model)?,
            self.items.expect_after(last[2], item)?,
            self.measures.expect_after(last[3], measure)?,
        ])
    }

    /// The numbers of the last row's rater, model, item and measure.
    #[must_use]
    pub fn last(&self) -> Option<[u32; 4]> {
        Some([*self.rater.last()?, *self.model.last()?, *self.item.last()?, *self.measure.last()?])
    }

    /// Adds a row whose rater, model, item and measure are already numbers of this table.
    #[inline(always)]
    pub fn push_interned(&mut self, numbers: [u32; 4], block: u16, value: f64) {
        self.push_numbers(numbers, NO_MODEL, block, value);
    }

    #[inline(always)]
    fn push_numbers(
        &mut self,
        [rater, model, item, measure]: [u32; 4],
        against: u32,
        block: u16,
        value: f64,
    ) {
        self.rater.push(rater);
        self.model.push(model);
        self.against.push(against);
        self.item.push(item);
        self.block.push(block);
        self.measure.push(measure);
        self.value.push(value);
    }

    /// The number of rows.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.value.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> Columns<'_> {
        Columns {
            rater: &self.rater,
            model: &self.model,
            against: &self.against,
            item: &self.item,
            block: &self.block,
            measure: &self.measure,
            value: &self.value,
        }
    }

    /// Removes all rows and missing answers, and keeps the names.
    pub fn clear_rows(&mut self) {
        self.missing.clear();
        self.rater.clear();
        self.model.clear();
        self.against.clear();
        self.item.clear();
        self.block.clear();
        self.measure.clear();
        self.value.clear();
    }

    /// The rows by names.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows_from(0)
    }

    /// The rows by names, from the one with this number on.
    pub(crate) fn rows_from(&self, first: usize) -> impl Iterator<Item = Row<'_>> {
        (first..self.len()).map(|at| Row {
            rater: name(&self.raters, self.rater[at]),
            model: name(&self.models, self.model[at]),
            against: name(&self.models, self.against[at]),
            item: name(&self.items, self.item[at]),
            block: self.block[at],
            measure: name(&self.measures, self.measure[at]),
            value: self.value[at],
        })
    }
}

fn name(names: &Names, number: u32) -> &str {
    names.name(number).map_or("", |name| &**name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_by_name_and_names_survive_clearing() {
        let mut table = ScoreTable::default();
        let row = Row {
            rater: "r1",
            model: "gan",
            against: "",
            item: "",
            block: 2,
            measure: "mode_ms",
            value: 310.0,
        };
        table.push(&row);
        table.push(&Row { rater: "r2", ..row });
        assert_eq!(table.rows().next(), Some(row));
        assert_eq!(table.columns().rater, [0, 1]);
        table.clear_rows();
        assert!(table.is_empty());
        table.push(&Row { rater: "r2", against: "vae", ..row });
        assert_eq!(table.columns().rater, [1]);
        assert_eq!(table.rows().next().map(|row| row.against), Some("vae"));
    }
}
