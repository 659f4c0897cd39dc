//! The range of independent standard normals: the inner integral.

use std::f64::consts::PI;

use crate::distributions::{normal_cdf, normal_sf};

/// The requested tail of a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    Lower,
    Upper,
}

/// Below the first of these points Φ is under 1e-19 and above the second it is 1.
const LOWEST: f64 = -9.0;
const HIGHEST: f64 = 8.5;

/// Terms below this share of the sum are omitted.
pub(super) const NEGLIGIBLE: f64 = 1e-17;

/// Factors of the integrand at one point.
struct Node {
    z: f64,
    /// k h φ(z).
    weight: f64,
    /// Φ(z).
    below: f64,
    /// Φ(z)^(k - 1).
    power: f64,
}

/// The range of k independent standard normals.
pub(super) struct NormalRange {
    others: u32,
    step: f64,
    scale: f64,
    nodes: Vec<Node>,
    /// Position of the largest density of the maximum of the k normals.
    mode: usize,
    /// ln of the leading coefficient of the distribution function at zero.
    leading: f64,
    /// Below this width the series at zero is used.
    narrow: f64,
}

impl NormalRange {
    pub(super) fn new(means: u32) -> Self {
        Self::with_step(means, step(means))
    }

    pub(super) fn with_step(means: u32, step: f64) -> Self {
        let k = f64::from(means);
        let others = means - 1;
        let scale = k * step / (2.0 * PI).sqrt();
        let count = ((HIGHEST - LOWEST) / step).ceil() as usize;
        let nodes: Vec<Node> = (0..=count)
            .map(|index| {
                let z = LOWEST + index as f64 * step;
                let below = normal_cdf(z);
                Node { z, weight: scale * (-0.5 * z * z).exp(), below, power: below.powi(others as i32) }
            })
            .collect();
        let density = |node: &Node| node.weight * node.power;
        let mode = (0..nodes.len())
            .max_by(|&left, &right| density(&nodes[left]).total_cmp(&density(&nodes[right])))
            .unwrap_or(0);
        Self {
            others,
            step,
            scale,
            nodes,
            mode,
            leading: 0.5 * k.ln() - 0.5 * f64::from(others) * (2.0 * PI).ln(),
            narrow: 1e-3 / k.sqrt(),
        }
    }

    /// k - 1.
    pub(super) const fn others(&self) -> u32 {
        self.others
    }

    /// P(W ≤ w) or P(W > w) for the range W.
    pub(super) fn probability(&self, w: f64, tail: Tail) -> f64 {
        if w < self.narrow {
            let lower = self.near_zero(w);
            return match tail {
                Tail::Lower => lower,
                Tail::Upper => 1.0 - lower,
            };
        }
        let half = ((0.5 * w - LOWEST) / self.step).round() as usize;
        let start = match tail {
            Tail::Lower => half.min(self.mode),
            Tail::Upper => half.max(self.mode),
        };
        let mut total = 0.0;
        for index in (0..=start).rev() {
            let term = self.term(index, w, tail);
            total += term;
            if term <= NEGLIGIBLE * total {
                break;
            }
        }
        for index in start + 1.. {
            let term = self.term(index, w, tail);
            total += term;
            if term <= NEGLIGIBLE * total {
                break;
            }
        }
        total.min(1.0)
    }

    /// Two terms of the series of P(W ≤ w) at zero; the next is of relative size 1e-14 or less.
    fn near_zero(&self, w: f64) -> f64 {
        let others = f64::from(self.others);
        let second = others * (others + 3.0) / (24.0 * (others + 1.0));
        (self.leading + others * w.ln()).exp() * (1.0 - second * w * w)
    }

    fn term(&self, index: usize, w: f64, tail: Tail) -> f64 {
        let beyond;
        let node = match self.nodes.get(index) {
            Some(node) => node,
            None => {
                let z = LOWEST + index as f64 * self.step;
                beyond = Node { z, weight: self.scale * (-0.5 * z * z).exp(), below: 1.0, power: 1.0 };
                &beyond
            }
        };
        let outside = normal_sf(w - node.z);
        let inside = (node.below - outside).max(0.0);
        node.weight
            * match tail {
                Tail::Lower => inside.powi(self.others as i32),
                Tail::Upper => self.loss(node, inside, outside),
            }
    }

    /// Φ(z)^m - (Φ(z) - Φ(z - w))^m without cancellation.
    fn loss(&self, node: &Node, inside: f64, outside: f64) -> f64 {
        if self.others > 12 {
            let share = (outside / node.below).min(1.0);
            return -node.power * (f64::from(self.others) * (-share).ln_1p()).exp_m1();
        }
        let mut sum = 1.0;
        let mut power = 1.0;
        for _ in 1..self.others {
            power *= inside;
            sum = sum * node.below + power;
        }
        outside * sum
    }
}

/// Step of the trapezoidal rule.
///
/// The narrowest integrand is φ^k, that of the lower tail: its error is 2 exp(-2π² / (k h²)), under
/// 1e-15 here. For two or three means the integrand of the upper tail, φ(z) Φ(z - w), is as narrow.
fn step(means: u32) -> f64 {
    0.7 / f64::from(means.max(4)).sqrt()
}
