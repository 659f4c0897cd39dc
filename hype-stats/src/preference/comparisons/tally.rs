//! Counting columns of comparisons into cells.

use super::ComparisonOutcome;

/// The number of places that keys of 16 bits tell apart: those of up to 128 models.
const SHORT: usize = 1 << 16;
/// The number of rows whose keys are computed at once: with more, a core does not read ahead while it counts.
const BLOCK: usize = 64;
/// The number of stretches that are read side by side, as a core waits less for two than for one.
const STRETCHES: usize = 2;

/// Columns of comparisons, of the same length.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) first: &'a [u32],
    pub(super) second: &'a [u32],
    pub(super) outcomes: &'a [ComparisonOutcome],
}

/// How often each outcome of each ordered pair of models occurs among at most 2^40 rows.
///
/// Counts take one byte, and the few that pass 255 carry into words, so the cells of a hundred models stay in the
/// nearest cache.
pub(super) struct Tally {
    models: usize,
    /// The places of each model named first, which are at least the number of models.
    width: usize,
    low: Vec<u8>,
    carried: Vec<u32>,
}

impl Tally {
    /// Counts rows; `None` if one of them names a model outside the table, or the same one twice.
    pub(super) fn of(models: usize, rows: Rows<'_>) -> Option<Self> {
        let outcomes = ComparisonOutcome::ALL.len();
        let short = models.next_power_of_two();
        let is_short = outcomes * short * short <= SHORT;
        let width = if is_short { short } else { models };
        let places = if is_short { SHORT } else { outcomes * width * width };
        let mut tally = Self { models, width, low: vec![0; places], carried: vec![0; places] };
        let is_within = if is_short { tally.add_short(rows) } else { tally.add_long(rows) };
        (is_within && !tally.has_others()).then_some(tally)
    }

    /// The counts of all cells, in the order of [`place`].
    pub(super) fn counts(&self) -> impl Iterator<Item = u64> {
        let rows =
            (0..ComparisonOutcome::ALL.len() * self.width).filter(|row| row % self.width < self.models);
        rows.flat_map(move |row| (0..self.models).map(move |second| self.count(row * self.width + second)))
    }

    /// Whether models beyond the last one were counted, or any against itself.
    fn has_others(&self) -> bool {
        (0..ComparisonOutcome::ALL.len() * self.width).any(|row| {
            let (start, first) = (row * self.width, row % self.width);
            let is_model = first < self.models;
            let beyond = start + if is_model { self.models } else { 0 }..start + self.width;
            (is_model && self.count(start + first) > 0)
                || self.low[beyond.clone()].iter().any(|&count| count > 0)
                || self.carried[beyond].iter().any(|&count| count > 0)
        })
    }

    fn count(&self, place: usize) -> u64 {
        u64::from(self.low[place]) + (u64::from(self.carried[place]) << 8)
    }

    /// Counts rows by keys of 16 bits, which a compiler computes eight at a time, for a width that is a power of two.
    /// Returns whether all models are below it.
    fn add_short(&mut self, rows: Rows<'_>) -> bool {
        let shift = self.width.trailing_zeros();
        // Both have a place for every key, so no place has to be checked.
        let (Some(low), Some(carried)) =
            (self.low.first_chunk_mut::<SHORT>(), self.carried.first_chunk_mut::<SHORT>())
        else {
            return false;
        };
        let mut bits = 0;
        let mut key = |first: u32, second: u32, outcome: ComparisonOutcome| {
            bits |= first | second;
            ((outcome as u32) << (2 * shift) | first << shift | second) as u16
        };
        let mut count = |key: u16| add_one(&mut low[usize::from(key)], &mut carried[usize::from(key)]);
        let (first, second) = (rows.first.as_chunks::<BLOCK>().0, rows.second.as_chunks::<BLOCK>().0);
        let outcomes = rows.outcomes.as_chunks::<BLOCK>().0;
        let stretch = first.len() / STRETCHES;
        let mut keys = [[0; BLOCK]; STRETCHES];
        for block in 0..stretch {
            for (number, keys) in keys.iter_mut().enumerate() {
                let block = number * stretch + block;
                let (first, second, outcomes) = (&first[block], &second[block], &outcomes[block]);
                for (place, into) in keys.iter_mut().enumerate() {
                    *into = key(first[place], second[place], outcomes[place]);
                }
            }
            keys.as_flattened().iter().for_each(|&key| count(key));
        }
        for row in STRETCHES * stretch * BLOCK..rows.first.len() {
            count(key(rows.first[row], rows.second[row], rows.outcomes[row]));
        }
        bits >> shift == 0
    }

    /// Counts rows of more models, whose width is their number. Returns whether all models are below it.
    fn add_long(&mut self, rows: Rows<'_>) -> bool {
        let last = self.models as u32 - 1;
        let mut beyond = 0;
        for ((&first, &second), &outcome) in rows.first.iter().zip(rows.second).zip(rows.outcomes) {
            beyond |= outside(last, first) | outside(last, second);
            let cell = place(self.models, outcome, first as usize, second as usize);
            let (Some(low), Some(carried)) = (self.low.get_mut(cell), self.carried.get_mut(cell)) else {
                break;
            };
            add_one(low, carried);
        }
        beyond >> 31 == 0
    }
}

/// The position of a count, whose digits are the models' numbers and the outcome.
#[inline]
pub(super) const fn place(models: usize, outcome: ComparisonOutcome, first: usize, second: usize) -> usize {
    (outcome as usize * models + first) * models + second
}

/// A word whose top bit says whether a model is beyond the last one, which is below 2^31.
#[inline]
const fn outside(last: u32, model: u32) -> u32 {
    last.wrapping_sub(model) | model
}

#[inline]
fn add_one(low: &mut u8, carried: &mut u32) {
    let (next, carry) = low.overflowing_add(1);
    *low = next;
    if carry {
        *carried += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_any_number_are_counted_once() {
        for models in [2, 3, 100, 128, 129, 200] {
            for rows in [0, 1, 63, 64, 255, 256, 257, 1_000, 70_000] {
                let first: Vec<u32> = (0..rows).map(|row| (row ^ row >> 3) % models).collect();
                let second: Vec<u32> =
                    (0..rows).map(|row| (first[row as usize] + 1 + row % (models - 1)) % models).collect();
                let outcomes: Vec<ComparisonOutcome> =
                    (0..rows).map(|row| ComparisonOutcome::ALL[row as usize / 7 % 3]).collect();
                let columns = Rows { first: &first, second: &second, outcomes: &outcomes };
                let mut want = vec![0; 3 * (models * models) as usize];
                for row in 0..rows as usize {
                    want[place(models as usize, outcomes[row], first[row] as usize, second[row] as usize)] +=
                        1;
                }
                let tally = Tally::of(models as usize, columns);
                assert!(tally.is_some_and(|tally| tally.counts().eq(want)), "{models} models, {rows} rows");
            }
        }
    }

    #[test]
    fn a_row_outside_the_table_is_found_wherever_it_is() {
        for models in [2, 3, 100, 128, 129, 200_u32] {
            let rows = 1_000;
            for place in [0, 1, 64, 300, 767, 768, 999] {
                for wrong in [
                    1,
                    models,
                    models + 1,
                    127,
                    128,
                    129,
                    255,
                    256,
                    65_535,
                    65_536,
                    65_537,
                    1 << 31,
                    u32::MAX,
                ] {
                    // The first model is 1, so the wrong second one is outside the table or the same.
                    if (2..models).contains(&wrong) {
                        continue;
                    }
                    let [first, mut second] = [vec![1; rows], vec![0; rows]];
                    second[place] = wrong;
                    let outcomes = vec![ComparisonOutcome::Tie; rows];
                    let columns = |first, second| Rows { first, second, outcomes: &outcomes };
                    assert!(Tally::of(models as usize, columns(&first, &second)).is_none());
                    assert!(Tally::of(models as usize, columns(&second, &first)).is_none());
                }
            }
        }
    }
}
