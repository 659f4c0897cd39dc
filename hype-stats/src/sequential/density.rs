//! The density of a Brownian path that has stayed within the boundaries so far.

use crate::distributions::{normal_density, normal_sf};
use crate::quadrature::{Panel, RULE};

/// Beyond this many standard deviations an increment's density is under 1e-17 of its maximum.
const REACH: f64 = 9.0;

/// A point of the path with its probability mass.
#[derive(Clone, Copy)]
struct Node {
    position: f64,
    mass: f64,
}

/// The distribution of the path's value B(t), with B(t) ~ N(0, t) for a path without boundaries.
///
/// It is given by point masses at the look before, each spread by the normal increment since.
#[derive(Clone)]
pub(super) struct Density {
    nodes: Vec<Node>,
    /// Time of the nodes.
    before: f64,
    /// Time of the look.
    time: f64,
    /// The bound at which the look cut off.
    bound: f64,
}

impl Density {
    /// All mass at 0, at time 0.
    pub(super) fn start() -> Self {
        let nodes = vec![Node { position: 0.0, mass: 1.0 }];
        Self { nodes, before: 0.0, time: 0.0, bound: f64::INFINITY }
    }

    /// Goes on to the look at a later time.
    pub(super) fn advance(&mut self, time: f64) {
        if self.time > 0.0 {
            self.nodes = self.within((time - self.time).sqrt());
        }
        self.before = self.time;
        self.time = time;
    }

    /// Ends the paths outside ±`bound` at this look.
    pub(super) const fn cut(&mut self, bound: f64) {
        self.bound = bound;
    }

    fn spread(&self) -> f64 {
        (self.time - self.before).sqrt()
    }

    /// P(B > bound) now, within the boundaries until the look before.
    pub(super) fn above(&self, bound: f64) -> f64 {
        let spread = self.spread();
        self.nodes.iter().map(|node| node.mass * normal_sf((bound - node.position) / spread)).sum()
    }

    /// P(B > bound) now for a path with this drift, within the boundaries until the look before. Masses of a path without drift are
    /// those of one with drift θ times exp(θ x - θ² t / 2) at the value x and the time t.
    pub(super) fn above_with_drift(&self, bound: f64, drift: f64) -> f64 {
        let spread = self.spread();
        let above = |node: &Node| {
            let likelihood = (drift * node.position - 0.5 * drift * drift * self.before).exp();
            node.mass * likelihood * normal_sf((bound - node.position - drift * spread * spread) / spread)
        };
        self.nodes.iter().map(above).sum()
    }

    /// Returns the density within the bound, as masses at the points of a rule that integrates it with the next increment.
    ///
    /// Panels are as wide as the smaller standard deviation of the increments before and after. The error of eight
    /// points is under 1e-13 of the normal density's maximum there.
    fn within(&self, next_spread: f64) -> Vec<Node> {
        let spread = self.spread();
        let (Some(first), Some(last)) = (self.nodes.first(), self.nodes.last()) else {
            return Vec::new();
        };
        let low = (-self.bound).max(first.position - REACH * spread);
        let high = self.bound.min(last.position + REACH * spread);
        if low >= high {
            return Vec::new();
        }
        let panels = ((high - low) / spread.min(next_spread)).ceil();
        let end = |panel: usize| low + (high - low) * (panel as f64 / panels);
        (0..panels as usize)
            .map(|panel| Panel::between(end(panel), end(panel + 1)))
            .flat_map(|panel| panel.points().into_iter().zip(RULE.map(|(_, weight)| weight * panel.half)))
            .map(|(position, weight)| Node { position, mass: weight * self.at(position, spread) })
            .collect()
    }

    /// The density at a value, from the nodes within reach.
    fn at(&self, value: f64, spread: f64) -> f64 {
        let from = self.nodes.partition_point(|node| node.position < value - REACH * spread);
        self.nodes[from..]
            .iter()
            .take_while(|node| node.position <= value + REACH * spread)
            .map(|node| node.mass * normal_density((value - node.position) / spread))
            .sum::<f64>()
            / spread
    }
}
