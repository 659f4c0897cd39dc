//! Newton's method with differences in place of derivatives, for few parameters.

use crate::StatError;

/// The minimum of a function, with its curvature there.
pub(crate) struct Minimum {
    pub(crate) point: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) hessian: Vec<Vec<f64>>,
}

/// The statistic that is searched for, and why it is undefined where the function is.
#[derive(Clone, Copy)]
pub(crate) struct Sought {
    pub(crate) statistic: &'static str,
    pub(crate) reason: &'static str,
}

impl Sought {
    pub(crate) const fn undefined(self) -> StatError {
        StatError::Degenerate { statistic: self.statistic, reason: self.reason }
    }
}

/// Step of the differences: second derivatives have an error near 1e-6 from truncation and less from
/// rounding, as long as values stay below 1e5.
const STEP: f64 = 3e-3;
const MOST_STEPS: usize = 200;

/// Descends from `start` to a minimum of a smooth function whose natural scale is 1.
///
/// Levenberg's (1944) damping keeps every step downhill, and the curvature is updated by the symmetric
/// rank-one formula, as computing it by differences would cost more than everything else. Near the
/// minimum, where values no longer distinguish neighbouring points, slopes of fourth order still do.
///
/// Refuses a function that is undefined at the start or near a point of the descent, or that still
/// falls after 200 steps.
pub(crate) fn minimize(
    sought: Sought,
    start: Vec<f64>,
    function: &mut impl FnMut(&[f64]) -> Option<f64>,
) -> Result<Minimum, StatError> {
    let mut search = Search { sought, function, point: start, value: 0.0 };
    search.value = (search.function)(&search.point).ok_or(sought.undefined())?;
    let (mut gradient, mut hessian) = (search.gradient()?, search.hessian()?);
    let (mut damping, mut fresh) = (1e-3, true);
    for _ in 0..MOST_STEPS {
        let before = search.point.clone();
        if search.descend(&gradient, &hessian, &mut damping) {
            let next = search.gradient()?;
            update(&mut hessian, &before, &search.point, &gradient, &next);
            (gradient, fresh) = (next, false);
        } else if fresh {
            for _ in 0..2 {
                search.polish(&hessian);
            }
            return Ok(Minimum { hessian, point: search.point, value: search.value });
        } else {
            (hessian, damping, fresh) = (search.hessian()?, 1e-3, true);
        }
    }
    Err(StatError::NoConvergence { statistic: sought.statistic, iterations: MOST_STEPS })
}

struct Search<'a, F> {
    sought: Sought,
    function: &'a mut F,
    point: Vec<f64>,
    value: f64,
}

impl<F: FnMut(&[f64]) -> Option<f64>> Search<'_, F> {
    fn step(&self, place: usize) -> f64 {
        STEP * self.point[place].abs().max(1.0)
    }

    /// The value at given steps from the point.
    fn at(&mut self, moves: &[(usize, f64)]) -> Option<f64> {
        let mut moved = self.point.clone();
        for &(place, steps) in moves {
            moved[place] += steps * self.step(place);
        }
        (self.function)(&moved)
    }

    fn slope(&mut self, place: usize) -> Option<f64> {
        Some((self.at(&[(place, 1.0)])? - self.at(&[(place, -1.0)])?) / (2.0 * self.step(place)))
    }

    /// The slope, with an error of fourth order in the step.
    fn fine_slope(&mut self, place: usize) -> Option<f64> {
        let wide = self.at(&[(place, 2.0)])? - self.at(&[(place, -2.0)])?;
        Some((4.0 * self.slope(place)? - wide / (4.0 * self.step(place))) / 3.0)
    }

    fn gradient(&mut self) -> Result<Vec<f64>, StatError> {
        (0..self.point.len()).map(|place| self.slope(place).ok_or(self.sought.undefined())).collect()
    }

    fn hessian(&mut self) -> Result<Vec<Vec<f64>>, StatError> {
        let size = self.point.len();
        let mut hessian = vec![vec![0.0; size]; size];
        for (i, j) in (0..size).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let curvature = self.curvature(i, j).ok_or(self.sought.undefined())?;
            (hessian[i][j], hessian[j][i]) = (curvature, curvature);
        }
        Ok(hessian)
    }

    fn curvature(&mut self, i: usize, j: usize) -> Option<f64> {
        let area = self.step(i) * self.step(j);
        if i == j {
            return Some((self.at(&[(i, 1.0)])? - 2.0 * self.value + self.at(&[(i, -1.0)])?) / area);
        }
        let same = self.at(&[(i, 1.0), (j, 1.0)])? + self.at(&[(i, -1.0), (j, -1.0)])?;
        let opposite = self.at(&[(i, 1.0), (j, -1.0)])? + self.at(&[(i, -1.0), (j, 1.0)])?;
        Some((same - opposite) / (4.0 * area))
    }

    /// Takes a damped step downhill, if there is one that is not negligible.
    fn descend(&mut self, gradient: &[f64], hessian: &[Vec<f64>], damping: &mut f64) -> bool {
        while *damping < 1e12 {
            if let Some(step) = damped_step(gradient, hessian, *damping) {
                let next: Vec<f64> = self.point.iter().zip(step).map(|(old, step)| old + step).collect();
                let moves = next.iter().zip(&self.point).map(|(a, b)| (a - b).abs() / b.abs().max(1.0));
                if moves.fold(0.0, f64::max) < 1e-7 {
                    return false;
                }
                if let Some(value) = (self.function)(&next).filter(|value| *value < self.value) {
                    (self.point, self.value) = (next, value);
                    *damping = (*damping * 0.1).max(1e-12);
                    return true;
                }
            }
            *damping *= 10.0;
        }
        false
    }

    /// Takes a final plain Newton step with fine slopes, if it is small.
    fn polish(&mut self, hessian: &[Vec<f64>]) {
        let slopes: Option<Vec<f64>> = (0..self.point.len()).map(|place| self.fine_slope(place)).collect();
        let Some(step) = slopes.and_then(|slopes| solve(hessian.to_vec(), slopes)) else { return };
        if step.iter().all(|step| step.abs() < 1e-3) {
            let next: Vec<f64> = self.point.iter().zip(step).map(|(old, step)| old - step).collect();
            if let Some(value) = (self.function)(&next) {
                (self.point, self.value) = (next, value);
            }
        }
    }
}

/// Makes the curvature agree with the change of the slopes along the last step.
fn update(hessian: &mut [Vec<f64>], from: &[f64], to: &[f64], old: &[f64], new: &[f64]) {
    let step: Vec<f64> = to.iter().zip(from).map(|(to, from)| to - from).collect();
    let rest: Vec<f64> = hessian
        .iter()
        .zip(new.iter().zip(old))
        .map(|(row, (new, old))| new - old - row.iter().zip(&step).map(|(h, s)| h * s).sum::<f64>())
        .collect();
    let product: f64 = rest.iter().zip(&step).map(|(r, s)| r * s).sum();
    let length = |vector: &[f64]| vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    if product.abs() <= 1e-8 * length(&rest) * length(&step) {
        return;
    }
    for (row, a) in hessian.iter_mut().zip(&rest) {
        for (entry, b) in row.iter_mut().zip(&rest) {
            *entry += a * b / product;
        }
    }
}

/// The solution of (H + damping · (1 + |diag H|)) step = -gradient where that matrix is positive.
fn damped_step(gradient: &[f64], hessian: &[Vec<f64>], damping: f64) -> Option<Vec<f64>> {
    let mut matrix = hessian.to_vec();
    for (index, row) in matrix.iter_mut().enumerate() {
        row[index] += damping * (1.0 + row[index].abs());
    }
    solve(matrix, gradient.iter().map(|slope| -slope).collect())
}

/// Solves a symmetric positive definite system; `None` if it is not positive definite.
pub(crate) fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    for pivot in 0..size {
        let square = matrix[pivot][pivot];
        if !(square > 0.0 && square.is_finite()) {
            return None;
        }
        let (above, below) = matrix.split_at_mut(pivot + 1);
        let own = &above[pivot];
        for (row, place) in below.iter_mut().zip(pivot + 1..) {
            let factor = row[pivot] / square;
            for (entry, own) in row[pivot..].iter_mut().zip(&own[pivot..]) {
                *entry -= factor * own;
            }
            right[place] -= factor * right[pivot];
        }
    }
    for pivot in (0..size).rev() {
        let solved: f64 = (pivot + 1..size).map(|place| matrix[pivot][place] * right[place]).sum();
        right[pivot] = (right[pivot] - solved) / matrix[pivot][pivot];
    }
    Some(right)
}
