//! Rows that are kept elsewhere and read as they are needed.

use super::{MetricFault, MetricRows};

/// Rows that are read together.
const BLOCK: usize = 512;
/// Columns by which rows are sorted at a time.
const COLUMNS: usize = 4;

/// Rows that are read as they are needed, such as those of a file that is larger than the memory.
pub trait StoredRows {
    /// The number of rows.
    fn len(&self) -> usize;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of columns, if there are rows and all of them have the same length.
    fn width(&self) -> Option<usize>;

    /// The rows with these numbers, in this order.
    ///
    /// # Errors
    /// [`MetricFault::Unread`] if they cannot be read.
    fn read(&self, rows: &[usize]) -> Result<MetricRows, MetricFault>;
}

impl StoredRows for MetricRows {
    fn len(&self) -> usize {
        self.len()
    }

    fn width(&self) -> Option<usize> {
        self.width()
    }

    fn read(&self, rows: &[usize]) -> Result<MetricRows, MetricFault> {
        Ok(self.select(rows))
    }
}

/// The numbers of rows of one length in the order of [`MetricRows::order_by_content`], with 40 bytes of memory for each row.
///
/// # Errors
/// [`MetricFault::Data`] if rows differ in their length, and what reading them gives.
pub fn order_of_stored(rows: &dyn StoredRows) -> Result<Vec<usize>, MetricFault> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let width = match rows.width() {
        Some(width) => width,
        None if rows.is_empty() => return Ok(order),
        None => return Err(MetricFault::data("rows differ in their length")),
    };
    // Parts of the order whose rows are equal in all columns before this one.
    let mut open = vec![(0..rows.len(), 0)];
    while let Some((part, column)) = open.pop() {
        if part.len() < 2 || column >= width {
            continue;
        }
        let mut keys: Vec<([u64; COLUMNS], usize)> = Vec::with_capacity(part.len());
        for block in order[part.clone()].chunks(BLOCK) {
            let read = rows.read(block)?;
            keys.extend(block.iter().enumerate().map(|(place, &row)| (key(&read.row(place)[column..]), row)));
        }
        keys.sort_by_key(|(key, _)| *key);
        order[part.clone()].iter_mut().zip(&keys).for_each(|(row, (_, sorted))| *row = *sorted);
        let mut begin = part.start;
        for equal in keys.chunk_by(|(one, _), (other, _)| one == other) {
            let equal = begin..begin + equal.len();
            begin = equal.end;
            if let Some(next) = first_difference(rows, &order[equal.clone()], column + COLUMNS)? {
                open.push((equal, next));
            }
        }
    }
    Ok(order)
}

/// The first columns as whole numbers that are in the order of [`f64::total_cmp`].
fn key(values: &[f64]) -> [u64; COLUMNS] {
    const SIGN: u64 = 1 << 63;
    let mut key = [0; COLUMNS];
    for (to, value) in key.iter_mut().zip(values) {
        let bits = value.to_bits();
        *to = if bits & SIGN == 0 { bits | SIGN } else { !bits };
    }
    key
}

/// The first column from `column` in which rows differ; `None` if they are equal.
fn first_difference(
    rows: &dyn StoredRows,
    chosen: &[usize],
    column: usize,
) -> Result<Option<usize>, MetricFault> {
    let Some((first, others)) = chosen.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Ok(None);
    };
    let first = rows.read(&[*first])?.row(0);
    let mut found: Option<usize> = None;
    for block in others.chunks(BLOCK) {
        let read = rows.read(block)?;
        for place in 0..read.len() {
            let row = read.row(place);
            let end = found.unwrap_or(first.len());
            let differing = (column..end).find(|&at| row[at].to_bits() != first[at].to_bits());
            found = differing.or(found);
        }
        if found == Some(column) {
            break;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that are equal in many columns, some of them in all.
    fn alike(single: bool) -> MetricRows {
        let mut rows = if single { MetricRows::single() } else { MetricRows::double() };
        for row in 0..1_500_u32 {
            let mixed = row.wrapping_mul(2_654_435_761) >> 16;
            let mut values = [0.0; 11];
            values[0] = f64::from(mixed % 3) - 1.0;
            values[5] = if mixed % 2 == 0 { -0.0 } else { 0.0 };
            values[6] = f64::from(mixed % 5);
            values[10] = f64::from(mixed % 7) / 8.0;
            rows.push(values);
        }
        rows
    }

    #[test]
    fn stored_rows_have_the_order_of_rows_in_memory() {
        for rows in [alike(true), alike(false)] {
            assert_eq!(order_of_stored(&rows).unwrap(), rows.order_by_content());
            let shuffled: Vec<usize> = (0..rows.len()).map(|row| row * 7 % rows.len()).collect();
            let shuffled = rows.select(&shuffled);
            assert_eq!(order_of_stored(&shuffled).unwrap(), shuffled.order_by_content());
        }
        let mut uneven = MetricRows::double();
        assert_eq!(order_of_stored(&uneven).unwrap(), [0; 0]);
        uneven.push([1.0]);
        uneven.push([1.0, 2.0]);
        assert_eq!(order_of_stored(&uneven).unwrap_err().to_string(), "rows differ in their length");
    }
}
