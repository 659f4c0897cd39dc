//! Rows of numbers: features of images, or what a metric measured of them.

use std::cmp::Ordering;

use super::MetricFault;

/// Rows of numbers, one for each unit, of any lengths.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricRows {
    values: RowValues,
    /// Where each row ends among the values.
    ends: Vec<usize>,
}

/// The numbers of rows, one row after the other.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "metrics have to know both precisions")]
pub enum RowValues {
    /// Single precision, in which networks compute.
    Single(Vec<f32>),
    /// Double precision.
    Double(Vec<f64>),
}

impl MetricRows {
    /// No rows, of single precision.
    #[must_use]
    pub const fn single() -> Self {
        Self { values: RowValues::Single(Vec::new()), ends: Vec::new() }
    }

    /// No rows, of double precision.
    #[must_use]
    pub const fn double() -> Self {
        Self { values: RowValues::Double(Vec::new()), ends: Vec::new() }
    }

    /// Rows of one length, one after the other.
    ///
    /// # Errors
    /// If the values are not a whole number of rows.
    pub fn of_width(values: RowValues, width: usize) -> Result<Self, MetricFault> {
        let length = match &values {
            RowValues::Single(values) => values.len(),
            RowValues::Double(values) => values.len(),
        };
        if width == 0 || !length.is_multiple_of(width) {
            return Err(MetricFault::Data(format!("{length} values are not rows of {width} columns")));
        }
        let ends = (1..=length / width).map(|row| row * width).collect();
        Ok(Self { values, ends })
    }

    /// Adds a row. Numbers of double precision are rounded where the rows are of single precision.
    pub fn push(&mut self, row: impl IntoIterator<Item = f64>) {
        match &mut self.values {
            RowValues::Single(values) => values.extend(row.into_iter().map(|value| value as f32)),
            RowValues::Double(values) => values.extend(row),
        }
        self.ends.push(self.length());
    }

    /// Adds a row of single precision.
    pub fn push_single(&mut self, row: &[f32]) {
        match &mut self.values {
            RowValues::Single(values) => values.extend_from_slice(row),
            RowValues::Double(values) => values.extend(row.iter().copied().map(f64::from)),
        }
        self.ends.push(self.length());
    }

    /// The number of rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All numbers, one row after the other.
    #[must_use]
    pub const fn values(&self) -> &RowValues {
        &self.values
    }

    /// The number of columns, if there are rows and all of them have the same length.
    #[must_use]
    pub fn width(&self) -> Option<usize> {
        let width = *self.ends.first()?;
        let is_even = self.ends.iter().enumerate().all(|(row, &end)| end == (row + 1) * width);
        is_even.then_some(width)
    }

    /// A row in double precision.
    #[must_use]
    pub fn row(&self, row: usize) -> Vec<f64> {
        let range = self.range(row);
        match &self.values {
            RowValues::Single(values) => values[range].iter().copied().map(f64::from).collect(),
            RowValues::Double(values) => values[range].to_vec(),
        }
    }

    /// A number of each row.
    ///
    /// # Errors
    /// If a row is too short.
    pub fn column(&self, column: usize) -> Result<Vec<f64>, MetricFault> {
        (0..self.len())
            .map(|row| {
                let range = self.range(row);
                let place = Some(range.start + column).filter(|place| range.contains(place));
                let value = place.map(|place| match &self.values {
                    RowValues::Single(values) => f64::from(values[place]),
                    RowValues::Double(values) => values[place],
                });
                value.ok_or_else(|| {
                    let columns = range.len();
                    MetricFault::Data(format!(
                        "row {row} has {columns} columns, and column {column} is needed"
                    ))
                })
            })
            .collect()
    }

    /// The rows with these numbers, in this order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut chosen = match self.values {
            RowValues::Single(_) => Self::single(),
            RowValues::Double(_) => Self::double(),
        };
        for &row in rows {
            let range = self.range(row);
            match (&mut chosen.values, &self.values) {
                (RowValues::Single(to), RowValues::Single(from)) => to.extend_from_slice(&from[range]),
                (RowValues::Double(to), RowValues::Double(from)) => to.extend_from_slice(&from[range]),
                _ => {}
            }
            chosen.ends.push(chosen.length());
        }
        chosen
    }

    /// The numbers of rows in an order that follows from their content alone. What is drawn at random from rows in this order
    /// does not depend on the one in which they were given.
    #[must_use]
    pub fn order_by_content(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        match &self.values {
            RowValues::Single(values) => order.sort_by(|&one, &other| {
                let (one, other) = (&values[self.range(one)], &values[self.range(other)]);
                lexicographic(one, other, f32::total_cmp)
            }),
            RowValues::Double(values) => order.sort_by(|&one, &other| {
                let (one, other) = (&values[self.range(one)], &values[self.range(other)]);
                lexicographic(one, other, f64::total_cmp)
            }),
        }
        order
    }

    /// Adds the rows of another set.
    pub fn append(&mut self, other: &Self) {
        for row in 0..other.len() {
            let range = other.range(row);
            match &other.values {
                RowValues::Single(values) => self.push_single(&values[range]),
                RowValues::Double(values) => self.push(values[range].iter().copied()),
            }
        }
    }

    const fn length(&self) -> usize {
        match &self.values {
            RowValues::Single(values) => values.len(),
            RowValues::Double(values) => values.len(),
        }
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[row]
    }
}

fn lexicographic<T>(one: &[T], other: &[T], compare: impl Fn(&T, &T) -> Ordering) -> Ordering {
    let differing = one.iter().zip(other).map(|(one, other)| compare(one, other)).find(|found| found.is_ne());
    differing.unwrap_or_else(|| one.len().cmp(&other.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_any_lengths_are_found_again() {
        let mut rows = MetricRows::double();
        rows.push([1.0, 2.0]);
        rows.push([]);
        rows.push([3.0]);
        assert_eq!((rows.len(), rows.width()), (3, None));
        assert_eq!((rows.row(0), rows.row(1), rows.row(2)), (vec![1.0, 2.0], vec![], vec![3.0]));
        assert_eq!(rows.select(&[2, 0]).row(1), [1.0, 2.0]);
        assert!(rows.column(0).unwrap_err().to_string().starts_with("row 1 has 0 columns"));
        assert_eq!(rows.order_by_content(), [1, 0, 2]);
        assert_eq!(rows.select(&[2, 1, 0]).order_by_content(), [1, 2, 0]);
        let even = MetricRows::of_width(RowValues::Single(vec![1.0, 2.0, 3.0, 4.0]), 2).unwrap();
        assert_eq!((even.width(), even.column(1).unwrap()), (Some(2), vec![2.0, 4.0]));
        assert!(MetricRows::of_width(RowValues::Single(vec![1.0]), 2).is_err());
        let mut both = even.clone();
        both.append(&rows.select(&[2]));
        assert_eq!((both.len(), both.row(2)), (3, vec![3.0]));
    }
}
