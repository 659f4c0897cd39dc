//! Balls around the points of a set, and who lies within them.

use rayon::prelude::*;

use super::Surface;
use super::estimate::{Bound, Points};
use crate::linalg::Part;
use crate::vectors::vectorized;

/// Candidates that are kept beyond the neighbour looked for: with them the bound rarely leaves it open.
const SPARE: usize = 8;
/// Pairs that are looked at together.
const CHUNK: usize = 16;

/// The squared radius of the ball around each point of a set.
pub(crate) struct Balls {
    squares: Vec<f64>,
}

/// The least lower bounds of the distances of each point to others.
#[derive(Clone)]
struct Candidates {
    kept: usize,
    /// For each point so many bounds and points, in ascending order; unused places are infinite.
    lists: Vec<(f64, u32)>,
    /// The last bound of each list.
    limits: Vec<f64>,
}

impl Candidates {
    fn new(points: usize, kept: usize) -> Self {
        let lists = vec![(f64::INFINITY, u32::MAX); points * kept];
        Self { kept, lists, limits: vec![f64::INFINITY; points] }
    }

    fn list(&self, point: usize) -> &[(f64, u32)] {
        &self.lists[point * self.kept..(point + 1) * self.kept]
    }

    /// Keeps a candidate if it is among the least.
    #[inline]
    fn offer(&mut self, point: usize, candidate: (f64, u32)) {
        let list = &mut self.lists[point * self.kept..(point + 1) * self.kept];
        let Some(last) = list.last_mut() else { return };
        // Equal bounds are ordered by point: the lists do not depend on the order of offers.
        if candidate >= *last {
            return;
        }
        *last = candidate;
        for place in (1..list.len()).rev() {
            if list[place - 1] <= list[place] {
                break;
            }
            list.swap(place - 1, place);
        }
        self.limits[point] = list[list.len() - 1].0;
    }

    fn merge(mut self, other: &Self) -> Self {
        for point in 0..self.lists.len() / self.kept {
            for &candidate in other.list(point) {
                self.offer(point, candidate);
            }
        }
        self
    }
}

impl Balls {
    /// Balls that contain nothing, around so many points.
    pub(crate) fn none(points: usize) -> Self {
        Self { squares: vec![f64::NEG_INFINITY; points] }
    }

    /// Draws balls to the `neighbour`-th nearest other point.
    pub(crate) fn new(points: &Points<'_>, neighbour: usize) -> Self {
        let rows = points.rows();
        let candidates = nearest(points, (neighbour + SPARE).min(rows - 1));
        let squares = (0..rows)
            .into_par_iter()
            .map(|row| {
                let list = candidates.list(row);
                let mut exact: Vec<f64> =
                    list.iter().map(|&(_, other)| points.exact(row, points, other as usize)).collect();
                exact.sort_unstable_by(f64::total_cmp);
                let square = exact[neighbour - 1];
                // No other point has a bound below the last one of the list.
                let is_certain =
                    list.len() == rows - 1 || list.last().is_some_and(|&(bound, _)| square <= bound);
                if is_certain { square } else { by_all(points, row, neighbour) }
            })
            .collect();
        Self { squares }
    }
}

/// The squared distance to the `neighbour`-th nearest other point, from exact distances to all.
fn by_all(points: &Points<'_>, row: usize, neighbour: usize) -> f64 {
    let mut exact: Vec<f64> = (0..points.rows())
        .filter(|&other| other != row)
        .map(|other| points.exact(row, points, other))
        .collect();
    *exact.select_nth_unstable_by(neighbour - 1, f64::total_cmp).1
}

/// The `kept` other points with the least lower bounds, for each point.
fn nearest(points: &Points<'_>, kept: usize) -> Candidates {
    let bound = Bound::new(points.width());
    let blocks = points.blocks();
    let pairs: Vec<(usize, usize)> =
        (0..blocks).flat_map(|one| (0..=one).map(move |other| (one, other))).collect();
    let empty = || (Candidates::new(points.rows(), kept), Vec::new());
    // Each part begins without limits, under which nearly all pairs are candidates: as few parts as keep all threads busy.
    let part_length = pairs.len().div_ceil(2 * rayon::current_num_threads());
    pairs
        .into_par_iter()
        .with_min_len(part_length)
        .fold(empty, |(mut candidates, mut products), (one, other)| {
            let part = if one == other { Part::Lower } else { Part::All };
            points.products(one, points, other, part, &mut products);
            let rows = points.range(one);
            vectorized(|| {
                for (column, products) in points.range(other).zip(products.chunks_exact(rows.len())) {
                    let first = if part == Part::Lower { column + 1 - rows.start } else { 0 };
                    offer_column(
                        &mut candidates,
                        points,
                        rows.start + first,
                        column,
                        &products[first..],
                        bound,
                    );
                }
            });
            (candidates, products)
        })
        .map(|(candidates, _)| candidates)
        .reduce(|| Candidates::new(points.rows(), kept), |one, other| one.merge(&other))
}

/// Offers to each other a point and those from `first` on, from their inner products.
#[inline(always)]
fn offer_column(
    candidates: &mut Candidates,
    points: &Points<'_>,
    first: usize,
    column: usize,
    products: &[f32],
    bound: Bound,
) {
    let norm = points.norm(column);
    for (chunk, products) in products.chunks(CHUNK).enumerate() {
        let rows = first + chunk * CHUNK..first + chunk * CHUNK + products.len();
        let (norms, limits) = (points.norms_of(rows.clone()), &candidates.limits[rows.clone()]);
        if !bound.may_reach(norm, norms, products, limits, candidates.limits[column]) {
            continue;
        }
        for (row, &product) in rows.zip(products) {
            let (least, _) = bound.around(norm + points.norm(row), product);
            candidates.offer(row, (least, column as u32));
            candidates.offer(column, (least, row as u32));
        }
    }
}

/// Which points of one set lie within balls of another.
pub(crate) struct Crossing {
    /// For each point of the left set, the number of right balls around it.
    pub(crate) balls_around_left: Vec<u32>,
    /// For each point of the right set, the number of left balls around it.
    pub(crate) balls_around_right: Vec<u32>,
    /// For each left ball, whether it contains a right point.
    pub(crate) left_contains: Vec<bool>,
}

impl Crossing {
    fn empty(left: usize, right: usize) -> Self {
        Self {
            balls_around_left: vec![0; left],
            balls_around_right: vec![0; right],
            left_contains: vec![false; left],
        }
    }

    fn merge(mut self, other: &Self) -> Self {
        for (own, new) in [
            (&mut self.balls_around_left, &other.balls_around_left),
            (&mut self.balls_around_right, &other.balls_around_right),
        ] {
            own.iter_mut().zip(new).for_each(|(own, new)| *own += new);
        }
        self.left_contains.iter_mut().zip(&other.left_contains).for_each(|(own, new)| *own |= new);
        self
    }

    /// Counts for one right point and the left ones from `first` on, from their inner products.
    #[inline(always)]
    fn add_column(
        &mut self,
        [left, right]: [&Points<'_>; 2],
        [left_balls, right_balls]: [&Balls; 2],
        first: usize,
        column: usize,
        products: &[f32],
        surface: Surface,
    ) {
        let bound = Bound::new(left.width());
        let (norm, own) = (right.norm(column), right_balls.squares[column]);
        for (chunk, products) in products.chunks(CHUNK).enumerate() {
            let rows = first + chunk * CHUNK..first + chunk * CHUNK + products.len();
            let radii = &left_balls.squares[rows.clone()];
            if !bound.may_reach(norm, left.norms_of(rows.clone()), products, radii, own) {
                continue;
            }
            for (row, &product) in rows.zip(products) {
                let limits = bound.around(left.norm(row) + norm, product);
                let exact = || left.exact(row, right, column);
                if contains(left_balls.squares[row], limits, surface, exact) {
                    self.balls_around_right[column] += 1;
                    self.left_contains[row] = true;
                }
                if contains(own, limits, surface, exact) {
                    self.balls_around_left[row] += 1;
                }
            }
        }
    }

    pub(crate) fn new(points: [&Points<'_>; 2], balls: [&Balls; 2], surface: Surface) -> Self {
        let [left, right] = points;
        let pairs: Vec<(usize, usize)> =
            (0..left.blocks()).flat_map(|one| (0..right.blocks()).map(move |other| (one, other))).collect();
        let empty = || Self::empty(left.rows(), right.rows());
        pairs
            .into_par_iter()
            .with_min_len(left.blocks().max(8))
            .fold(
                || (empty(), Vec::new()),
                |(mut crossing, mut products), (one, other)| {
                    left.products(one, right, other, Part::All, &mut products);
                    vectorized(|| {
                        let rows = left.range(one);
                        for (column, products) in right.range(other).zip(products.chunks_exact(rows.len())) {
                            crossing.add_column([left, right], balls, rows.start, column, products, surface);
                        }
                    });
                    (crossing, products)
                },
            )
            .map(|(crossing, _)| crossing)
            .reduce(empty, |one, other| one.merge(&other))
    }
}

/// Whether a squared distance within limits lies within a squared radius; computes it exactly if the limits leave that open.
#[inline]
fn contains(square: f64, limits: (f64, f64), surface: Surface, exact: impl Fn() -> f64) -> bool {
    if limits.0 > square {
        return false;
    }
    if limits.1 < square {
        return true;
    }
    match surface {
        Surface::Closed => exact() <= square,
        Surface::Open => exact() < square,
    }
}
