//! Directions in which a likelihood with ties or an effect of the order rises without limit.

use crate::StatError;

/// A bound on directions that follows from an observed outcome: `to ≤ from + order·k + decided·m`.
///
/// Every model moves by its own amount, the effect of the order by k, and twice the logarithm of the
/// tie parameter by m.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) order: i64,
    pub(super) decided: i64,
}

/// The number of steps after which the search for k ends.
const STEPS: usize = 10_000;

/// Whether models can move within all bounds while m and k have the given values.
pub(super) fn can_move(models: usize, bounds: &[Bound], order: i64, decided: i64) -> bool {
    negative_cycle(models, bounds, |bound| order * bound.order + decided * bound.decided).is_none()
}

/// Whether models can move within all bounds while m is 1 and k is any number.
///
/// A cycle of bounds demands that a sum over it, which is linear in k, be no less than 0. Where the
/// least k that the cycles found so far allow breaks another one, it moves on to that one's bound;
/// cycles that ask for both directions allow none. All arithmetic is in whole numbers, k being a
/// fraction of two.
pub(super) fn can_move_for_any_order(models: usize, bounds: &[Bound]) -> Result<bool, StatError> {
    let (mut above, mut below, mut direction) = (0, 1, 0);
    for _ in 0..STEPS {
        let weight = |bound: &Bound| above * bound.order + below * bound.decided;
        let Some(cycle) = negative_cycle(models, bounds, weight) else {
            return Ok(true);
        };
        let order: i64 = cycle.iter().map(|bound| bound.order).sum();
        let decided: i64 = cycle.iter().map(|bound| bound.decided).sum();
        if order == 0 || direction * order < 0 {
            return Ok(false);
        }
        direction = order.signum();
        (above, below) = (-decided * direction, order.abs());
    }
    Err(StatError::NoConvergence { statistic: "existence of a maximum", iterations: STEPS })
}

/// Finds a cycle of bounds whose weights sum to less than 0 (Bellman 1958, Ford 1956).
fn negative_cycle(models: usize, bounds: &[Bound], weight: impl Fn(&Bound) -> i64) -> Option<Vec<Bound>> {
    let mut distance = vec![0_i64; models];
    let mut parent: Vec<Option<usize>> = vec![None; models];
    let mut last = None;
    for _ in 0..=models {
        last = None;
        for (index, bound) in bounds.iter().enumerate() {
            let through = distance[bound.from] + weight(bound);
            if through < distance[bound.to] {
                distance[bound.to] = through;
                parent[bound.to] = Some(index);
                last = Some(bound.to);
            }
        }
        last?;
    }
    // A model that still moves after as many rounds as there are models leads to a cycle.
    let mut at = last?;
    for _ in 0..models {
        at = bounds[parent[at]?].from;
    }
    let (start, mut cycle) = (at, Vec::new());
    loop {
        let bound = bounds[parent[at]?];
        cycle.push(bound);
        at = bound.from;
        if at == start {
            return Some(cycle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(from: usize, to: usize, order: i64, decided: i64) -> Bound {
        Bound { from, to, order, decided }
    }

    #[test]
    fn cycles_of_bounds() {
        // Each won against the other: no direction has both leading.
        assert!(!can_move(2, &[bound(0, 1, 0, -1), bound(1, 0, 0, -1)], 0, 1));
        // One won and tied: its lead and the tie parameter grow together.
        let won_and_tied = [bound(0, 1, 0, -1), bound(0, 1, 0, 1), bound(1, 0, 0, 1)];
        assert!(can_move(2, &won_and_tied, 0, 1));
        // A ring of three wins, with ties on every pair.
        let ring: Vec<Bound> = (0..3)
            .flat_map(|model| {
                let next = (model + 1) % 3;
                [bound(model, next, 0, -1), bound(model, next, 0, 1), bound(next, model, 0, 1)]
            })
            .collect();
        assert!(!can_move(3, &ring, 0, 1));
    }

    #[test]
    fn any_order() {
        // First won, and tied, in both orders: the order explains all wins.
        let mut bounds = Vec::new();
        for (first, second) in [(0, 1), (1, 0)] {
            bounds.push(bound(first, second, 1, -1));
            bounds.push(bound(first, second, 1, 1));
            bounds.push(bound(second, first, -1, 1));
        }
        assert!(!can_move(2, &bounds, 0, 1));
        assert!(can_move_for_any_order(2, &bounds).unwrap());
        // One win of the second.
        bounds.push(bound(1, 0, -1, -1));
        assert!(!can_move_for_any_order(2, &bounds).unwrap());
    }
}
