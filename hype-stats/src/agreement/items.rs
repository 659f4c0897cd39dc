//! The input of the coefficients: for each item, how often each value was given.

use std::collections::HashMap;

use super::ItemCounts;
use crate::describe::{sum, sum_by};
use crate::parallel;

/// The number of items whose terms one thread adds; sums are trees over blocks of this size.
const BLOCK: usize = 4096;
/// The number of values up to which each block of items has separate totals of the values.
const FEW_VALUES: usize = 256;

/// Ratings of one item.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Size {
    /// Number of ratings.
    pub(super) total: f64,
    /// Number of ordered pairs of different ratings; 0 for an item without information on agreement.
    pub(super) pairs: f64,
}

impl Size {
    pub(super) fn of(total: f64) -> Self {
        Self { total, pairs: total * (total - 1.0) }
    }
}

/// Items by number, each with its ratings counted by the value's position in ascending order.
pub(super) trait Items: Sync {
    fn len(&self) -> usize;
    /// The weight of the item.
    fn weight(&self, item: usize) -> f64;
    fn size(&self, item: usize) -> Size;
    /// The pairs of [`Self::size`] if the number of ratings is known.
    #[inline]
    fn pairs(&self, _: usize, total: f64) -> f64 {
        Size::of(total).pairs
    }
    /// Visits positions of values with their counts, in ascending order; counts may be 0.
    fn for_each(&self, item: usize, visit: impl FnMut(usize, f64));
}

/// Rated items as they were counted, each with weight 1.
#[derive(Debug)]
pub(super) enum View<'a> {
    Table(Table<'a>),
    Listed(Listed),
}

/// Items in the rows of a table.
#[derive(Debug)]
pub(super) struct Table<'a> {
    counts: &'a [u32],
    width: usize,
    order: Vec<u32>,
    /// The rows with ratings, unless all have some: empty rows must not change the order of
    /// summation.
    rated: Option<Vec<u32>>,
}

impl<'a> View<'a> {
    pub(super) fn of(counts: &'a ItemCounts) -> Self {
        let Some((table, width)) = counts.table() else {
            return Self::Listed(Listed::each(counts));
        };
        let is_rated = |row: &[u32]| row.iter().fold(0, |any, count| any | count) > 0;
        let mut rows = table.chunks_exact(width);
        let rated = (!rows.all(is_rated)).then(|| {
            let rows = (0..).zip(table.chunks_exact(width));
            rows.filter(|(_, row)| is_rated(row)).map(|(item, _)| item).collect()
        });
        Self::Table(Table { counts: table, width, order: counts.order(), rated })
    }
}

impl Table<'_> {
    #[inline]
    fn row(&self, item: usize) -> &[u32] {
        let row = self.rated.as_ref().map_or(item, |rated| rated[item] as usize);
        &self.counts[row * self.width..][..self.width]
    }
}

impl Items for Table<'_> {
    #[inline]
    fn len(&self) -> usize {
        self.rated.as_ref().map_or(self.counts.len() / self.width, Vec::len)
    }

    #[inline]
    fn weight(&self, _: usize) -> f64 {
        1.0
    }

    #[inline]
    fn size(&self, item: usize) -> Size {
        Size::of(self.row(item).iter().map(|&count| u64::from(count)).sum::<u64>() as f64)
    }

    #[inline]
    fn for_each(&self, item: usize, mut visit: impl FnMut(usize, f64)) {
        let row = self.row(item);
        for (place, &level) in self.order.iter().enumerate() {
            visit(place, f64::from(row[level as usize]));
        }
    }
}

/// Items with their values, for tables with many empty cells and for groups.
#[derive(Debug, Default)]
pub(super) struct Listed {
    starts: Vec<usize>,
    cells: Vec<(u32, u32)>,
    sizes: Vec<Size>,
}

impl Listed {
    fn push(&mut self, cells: &[(u32, u32)]) {
        self.starts.push(self.cells.len());
        self.cells.extend_from_slice(cells);
        self.sizes.push(Size::of(cells.iter().map(|&(_, count)| u64::from(count)).sum::<u64>() as f64));
    }

    fn each(counts: &ItemCounts) -> Self {
        let mut listed = Self::default();
        for_each_item(counts, |_, cells| listed.push(cells));
        listed
    }
}

impl Items for Listed {
    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn weight(&self, _: usize) -> f64 {
        1.0
    }

    fn size(&self, item: usize) -> Size {
        self.sizes[item]
    }

    #[inline]
    fn for_each(&self, item: usize, mut visit: impl FnMut(usize, f64)) {
        let end = self.starts.get(item + 1).copied().unwrap_or(self.cells.len());
        for &(place, count) in &self.cells[self.starts[item]..end] {
            visit(place as usize, f64::from(count));
        }
    }
}

/// Passes on the rated items in order, with their numbers, as lists of (position of the value, count).
fn for_each_item(counts: &ItemCounts, mut take: impl FnMut(u32, &[(u32, u32)])) {
    let mut item_cells = Vec::new();
    match counts.table() {
        Some((table, width)) => {
            let order = counts.order();
            for (item, row) in (0..).zip(table.chunks_exact(width)) {
                let cells = (0..).zip(&order).map(|(place, &level)| (place, row[level as usize]));
                item_cells.extend(cells.filter(|&(_, count)| count > 0));
                if !item_cells.is_empty() {
                    take(item, &item_cells);
                    item_cells.clear();
                }
            }
        }
        None => {
            for cells in counts.sorted_cells().chunk_by(|left, right| left.0 == right.0) {
                item_cells.extend(cells.iter().map(|&(_, place, count)| (place, count)));
                take(cells[0].0, &item_cells);
                item_cells.clear();
            }
        }
    }
}

/// For each of these items the number of its cluster among them, and the number of clusters. Items without a place are clusters of
/// their own.
pub(super) fn units_of(items: &[u32], clusters: &[u32]) -> (Vec<u32>, usize) {
    let mut numbers: HashMap<Result<u32, u32>, u32> = HashMap::new();
    let cluster = |item: u32| clusters.get(item as usize).copied().ok_or(item);
    let mut number = |item: &u32| {
        let next = numbers.len() as u32;
        *numbers.entry(cluster(*item)).or_insert(next)
    };
    let units = items.iter().map(&mut number).collect();
    (units, numbers.len())
}

/// The units that vary where results are about other items: rated items, or clusters. Identical counts of items are stored
/// once, and so are units that are made of the same.
///
/// Ten ratings of five values have only a thousand possible counts, whatever the number of items.
#[derive(Debug)]
pub(super) struct Units {
    /// The distinct counts of items.
    pub(super) distinct: Listed,
    /// The distinct units: how often each distinct count of an item is in one, by its place.
    pub(super) kinds: Vec<Box<[(u32, u32)]>>,
    /// For each unit, the place of its kind.
    pub(super) kind_of: Vec<u32>,
}

impl Units {
    pub(super) fn of(counts: &ItemCounts) -> Self {
        let mut numbers: HashMap<Box<[(u32, u32)]>, u32> = HashMap::new();
        let mut distinct = Listed::default();
        let (mut items, mut group_of) = (Vec::new(), Vec::new());
        for_each_item(counts, |item, cells| {
            let group = numbers.get(cells).copied().unwrap_or_else(|| {
                let group = distinct.len() as u32;
                numbers.insert(cells.into(), group);
                distinct.push(cells);
                group
            });
            items.push(item);
            group_of.push(group);
        });
        let Some(clusters) = counts.clusters() else {
            let kinds = (0..distinct.len() as u32).map(|group| [(group, 1)].into()).collect();
            return Self { distinct, kinds, kind_of: group_of };
        };
        let (unit_of, units) = units_of(&items, clusters);
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); units];
        unit_of.iter().zip(group_of).for_each(|(&unit, group)| groups[unit as usize].push(group));
        let mut known: HashMap<Box<[(u32, u32)]>, u32> = HashMap::new();
        let mut kinds = Vec::new();
        let kind_of = groups.into_iter().map(|mut own| {
            own.sort_unstable();
            let kind: Box<[(u32, u32)]> =
                own.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect();
            *known.entry(kind).or_insert_with_key(|kind| {
                kinds.push(kind.clone());
                kinds.len() as u32 - 1
            })
        });
        let kind_of = kind_of.collect();
        Self { distinct, kinds, kind_of }
    }

    /// How often each distinct count of an item occurs, if units of each kind do so often.
    pub(super) fn times_of(&self, kinds: &[u32]) -> Vec<u32> {
        let mut times = vec![0; self.distinct.len()];
        for (kind, &count) in self.kinds.iter().zip(kinds) {
            kind.iter().for_each(|&(group, own)| times[group as usize] += own * count);
        }
        times
    }

    /// How many units there are of each kind.
    pub(super) fn of_each_kind(&self) -> Vec<u32> {
        let mut all = vec![0; self.kinds.len()];
        self.kind_of.iter().for_each(|&kind| all[kind as usize] += 1);
        all
    }

    /// Whether a kind of unit has items with two or more ratings.
    pub(super) fn is_paired(&self, kind: usize) -> bool {
        self.kinds[kind].iter().any(|&(group, _)| self.distinct.size(group as usize).pairs > 0.0)
    }
}

impl Listed {
    pub(super) const fn weighted<'a>(&'a self, weights: &'a [u32]) -> WeightedGroups<'a> {
        WeightedGroups { distinct: self, weights }
    }
}

/// Distinct counts, each as often as its items were drawn.
#[derive(Debug)]
pub(super) struct WeightedGroups<'a> {
    distinct: &'a Listed,
    weights: &'a [u32],
}

impl Items for WeightedGroups<'_> {
    fn len(&self) -> usize {
        self.weights.len()
    }

    #[inline]
    fn weight(&self, item: usize) -> f64 {
        f64::from(self.weights[item])
    }

    #[inline]
    fn size(&self, item: usize) -> Size {
        self.distinct.sizes[item]
    }

    #[inline]
    fn for_each(&self, item: usize, visit: impl FnMut(usize, f64)) {
        self.distinct.for_each(item, visit);
    }
}

/// The totals of all items, as if they were ratings of a single item.
#[derive(Debug)]
pub(super) struct Together<'a>(pub(super) &'a [f64]);

impl Items for Together<'_> {
    fn len(&self) -> usize {
        1
    }

    fn weight(&self, _: usize) -> f64 {
        1.0
    }

    fn size(&self, _: usize) -> Size {
        Size::of(sum(self.0))
    }

    #[inline]
    fn for_each(&self, _: usize, mut visit: impl FnMut(usize, f64)) {
        for (place, &count) in self.0.iter().enumerate() {
            visit(place, count);
        }
    }
}

/// Adds a term for every item with a weight, over blocks of fixed size.
pub(super) fn sum_items<I: Items>(items: &I, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    let term = |item: usize| {
        let weight = items.weight(item);
        if weight > 0.0 { weight * term(item) } else { 0.0 }
    };
    let block = |start: usize| sum_by(BLOCK.min(items.len() - start), |item| term(start + item));
    if items.len() <= BLOCK {
        return block(0);
    }
    let blocks = parallel::map(items.len().div_ceil(BLOCK), |index| block(index * BLOCK));
    sum(&blocks)
}

/// Lets every item with a weight add to `width` totals, over blocks of fixed size.
pub(super) fn total_items<I: Items>(
    items: &I,
    width: usize,
    add: impl Fn(&mut [f64], usize, f64) + Sync,
) -> Vec<f64> {
    let block = |totals: &mut [f64], start: usize| {
        for item in start..items.len().min(start + BLOCK) {
            let weight = items.weight(item);
            if weight > 0.0 {
                add(totals, item, weight);
            }
        }
    };
    let count = items.len().div_ceil(BLOCK);
    let mut totals = vec![0.0; width];
    if items.len() <= BLOCK || width > FEW_VALUES {
        (0..count).for_each(|index| block(&mut totals, index * BLOCK));
        return totals;
    }
    let blocks = parallel::map(count, |index| {
        let mut totals = vec![0.0; width];
        block(&mut totals, index * BLOCK);
        totals
    });
    for block in blocks {
        for (total, part) in totals.iter_mut().zip(block) {
            *total += part;
        }
    }
    totals
}
