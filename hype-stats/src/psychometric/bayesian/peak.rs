//! The posterior's peak.

use super::model::{Model, PARAMETERS};

/// The number of steps of the simplex.
const STEPS: usize = 600;

type Point = [f64; PARAMETERS];

/// Finds the greatest posterior density near a grid point, within the prior's limits.
///
/// The simplex method of Nelder and Mead (1965), which needs no derivatives at the priors' kinks; it
/// starts again from its result, with smaller steps, because it can stop too early.
pub(super) fn climb(model: &Model, start: Point, steps: &Point, restarts: usize) -> Point {
    let limits = model.limits();
    let value = |at: &Point| model.ln_posterior(at);
    let mut best = (value(&start), start);
    let mut size = 1.0;
    for _ in 0..restarts {
        let found = simplex(&value, best, &steps.map(|step| step * size), &limits);
        if found.0 > best.0 {
            best = found;
        }
        size *= 0.3;
    }
    best.1
}

fn simplex(
    value: &impl Fn(&Point) -> f64,
    start: (f64, Point),
    steps: &Point,
    limits: &[[f64; 2]; PARAMETERS],
) -> (f64, Point) {
    let evaluate = |at: Point| {
        let at: Point = std::array::from_fn(|index| at[index].clamp(limits[index][0], limits[index][1]));
        (value(&at), at)
    };
    let mut corners = vec![start];
    for index in 0..PARAMETERS {
        if steps[index] > 0.0 {
            let mut corner = start.1;
            let up = corner[index] + steps[index];
            let inside = up <= limits[index][1];
            corner[index] += if inside { steps[index] } else { -steps[index] };
            corners.push(evaluate(corner));
        }
    }
    let last = corners.len() - 1;
    if last == 0 {
        return start;
    }
    for _ in 0..STEPS {
        corners.sort_by(|one, other| other.0.total_cmp(&one.0));
        if corners[0].0 - corners[last].0 < 1e-12 {
            break;
        }
        let centre: Point = std::array::from_fn(|index| {
            corners[..last].iter().map(|corner| corner.1[index]).sum::<f64>() / last as f64
        });
        let worst = corners[last];
        let along = |factor: f64| {
            evaluate(std::array::from_fn(|index| centre[index] + factor * (centre[index] - worst.1[index])))
        };
        let reflected = along(1.0);
        if reflected.0 > corners[0].0 {
            let expanded = along(2.0);
            corners[last] = if expanded.0 > reflected.0 { expanded } else { reflected };
        } else if reflected.0 > corners[last - 1].0 {
            corners[last] = reflected;
        } else {
            let contracted = along(if reflected.0 > worst.0 { 0.5 } else { -0.5 });
            if contracted.0 > worst.0.max(reflected.0) {
                corners[last] = contracted;
            } else {
                let best = corners[0].1;
                for corner in &mut corners[1..] {
                    *corner = evaluate(std::array::from_fn(|index| (best[index] + corner.1[index]) / 2.0));
                }
            }
        }
    }
    corners.sort_by(|one, other| other.0.total_cmp(&one.0));
    corners[0]
}
