use super::{Chain, Range, TheoryError, first_largest};

/// The maximum number of multiplications of an elimination.
const MOST_STEPS: f64 = 3e10;

/// The maximum number of entries of a banded matrix.
const MOST_ENTRIES: f64 = 5e7;

/// Sums above this are scaled down: extreme ratios do not overflow.
const LARGE: f64 = 1e200;

/// The behaviour of a staircase in an endless block.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Stationary {
    /// Mean level.
    pub mean_ms: f64,
    /// Standard deviation of the level.
    pub sd_ms: f64,
    /// The level shown most often, the lowest if tied.
    pub mode_ms: u32,
    /// Share of trials at the range's floor.
    pub floor: f64,
    /// Share of trials at the range's ceiling.
    pub ceiling: f64,
    /// Share of correct answers.
    pub accuracy: f64,
    /// Every level that can be reached, ascending.
    pub levels_ms: Vec<u32>,
    /// Share of trials at each of them.
    pub occupancy: Vec<f64>,
}

impl Stationary {
    /// Computes the long run from a chain and the probability of a correct answer at each of its levels.
    ///
    /// # Method
    /// The share of trials in each state as their number grows, which exists for periodic chains too.
    /// Probabilities of exactly 0 or 1 can leave states that are never seen again, and even several
    /// sets of states without a way out; the chain is split into those sets, and each counts by the
    /// probability of ending in it from the start.
    ///
    /// # Numerics
    /// Within a set, the linear system pi P = pi is solved by state reduction (Grassmann, Taksar &
    /// Heyman 1985), a Gaussian elimination without subtractions: every share has full relative
    /// accuracy, however small. States are sorted by level, so the matrix is a band as wide as the
    /// longer step. Levels whose shares differ by less than 1e-12 are tied.
    ///
    /// # Errors
    /// [`TheoryError::TooLarge`] if the elimination would take over 3e10 multiplications or 5e7 entries;
    /// [`TheoryError::Unresolved`] if products of the probabilities vanish in double precision.
    pub fn new(chain: &Chain, range: Range, correct: &[f64]) -> Result<Self, TheoryError> {
        let levels_ms = chain.levels_ms();
        let mut occupancy = vec![0.0; levels_ms.len()];
        for (state, share) in chain.states().iter().zip(shares(chain, correct)?) {
            occupancy[state.level] += share;
        }
        let over = |value: &dyn Fn(usize) -> f64| -> f64 {
            occupancy.iter().enumerate().map(|(level, share)| share * value(level)).sum()
        };
        let mean_ms = over(&|level| f64::from(levels_ms[level]));
        let variance = over(&|level| (f64::from(levels_ms[level]) - mean_ms).powi(2));
        let at = |level_ms: u32| over(&|level| f64::from(levels_ms[level] == level_ms));
        Ok(Self {
            mean_ms,
            sd_ms: variance.sqrt(),
            mode_ms: levels_ms[first_largest(&occupancy)],
            floor: at(range.floor_ms()),
            ceiling: at(range.ceiling_ms()),
            accuracy: over(&|level| correct[level]),
            levels_ms: levels_ms.to_vec(),
            occupancy,
        })
    }
}

/// The two ways out of each state, with their probabilities.
type Edges = Vec<[(usize, f64); 2]>;

/// The share of trials in each state in the long run.
fn shares(chain: &Chain, correct: &[f64]) -> Result<Vec<f64>, TheoryError> {
    let edges: Edges = chain
        .states()
        .iter()
        .map(|state| {
            let p = correct[state.level];
            [(state.correct, p), (state.wrong, 1.0 - p)]
        })
        .collect();
    let component = components(&edges, chain.start());
    let count = component.iter().flatten().max().map_or(0, |last| last + 1);
    let mut closed = vec![true; count];
    for (state, ways) in edges.iter().enumerate() {
        let Some(own) = component[state] else {
            continue;
        };
        for &(next, p) in ways {
            closed[own] &= p <= 0.0 || component[next] == Some(own);
        }
    }
    let ends: Vec<usize> = (0..count).filter(|&set| closed[set]).collect();
    let weights = if ends.len() == 1 {
        vec![1.0]
    } else {
        absorption(&edges, chain.start(), &component, &closed, &ends)?
    };
    let mut shares = vec![0.0; edges.len()];
    for (&set, weight) in ends.iter().zip(weights) {
        let members: Vec<usize> = (0..edges.len()).filter(|&state| component[state] == Some(set)).collect();
        for (&state, share) in members.iter().zip(within(&edges, &members)?) {
            shares[state] = weight * share;
        }
    }
    Ok(shares)
}

/// Numbers the strongly connected components that are reached from `start` with positive probability.
///
/// Tarjan (1972), with an explicit stack in place of recursion.
fn components(edges: &Edges, start: usize) -> Vec<Option<usize>> {
    let mut component = vec![None; edges.len()];
    let mut order: Vec<Option<usize>> = vec![None; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut pending = Vec::new();
    let mut found = 0;
    let mut visited = 0;
    let mut path = vec![(start, 0)];
    while let Some(&mut (state, ref mut way)) = path.last_mut() {
        if *way == 0 {
            order[state] = Some(visited);
            low[state] = visited;
            visited += 1;
            pending.push(state);
        }
        if let Some(&(next, p)) = edges[state].get(*way) {
            *way += 1;
            if p > 0.0 {
                match order[next] {
                    None => path.push((next, 0)),
                    Some(seen) if component[next].is_none() => low[state] = low[state].min(seen),
                    Some(_) => {}
                }
            }
            continue;
        }
        path.pop();
        if let Some(&(parent, _)) = path.last() {
            low[parent] = low[parent].min(low[state]);
        }
        if order[state] == Some(low[state]) {
            while let Some(member) = pending.pop() {
                component[member] = Some(found);
                if member == state {
                    break;
                }
            }
            found += 1;
        }
    }
    component
}

/// A square matrix of a few diagonals.
struct Band {
    size: usize,
    width: usize,
    entries: Vec<f64>,
}

impl Band {
    /// Collects the transitions among `members`, which are ascending.
    fn among(edges: &Edges, members: &[usize]) -> Result<Self, TheoryError> {
        let position = |state: usize| members.binary_search(&state).ok();
        let mut transitions = Vec::with_capacity(2 * members.len());
        for (from, &state) in members.iter().enumerate() {
            for &(next, p) in &edges[state] {
                if let Some(to) = position(next).filter(|_| p > 0.0) {
                    transitions.push((from, to, p));
                }
            }
        }
        let width = transitions.iter().map(|&(from, to, _)| from.abs_diff(to)).max().unwrap_or(0);
        let size = members.len();
        let most = |steps: f64, most: f64| {
            if steps > most {
                return Err(TheoryError::TooLarge { quantity: "the long run", steps, most });
            }
            Ok(())
        };
        most(size as f64 * (2 * width + 1) as f64, MOST_ENTRIES)?;
        most(size as f64 * (width * width) as f64, MOST_STEPS)?;
        let mut band = Self { size, width, entries: vec![0.0; size * (2 * width + 1)] };
        for (from, to, p) in transitions {
            band.row(from)[to + width - from] += p;
        }
        Ok(band)
    }

    /// Entry (from, to) is at `to + width - from`.
    fn row(&mut self, from: usize) -> &mut [f64] {
        let length = 2 * self.width + 1;
        &mut self.entries[from * length..][..length]
    }

    fn at(&self, from: usize, to: usize) -> f64 {
        self.entries[from * (2 * self.width + 1) + to + self.width - from]
    }

    /// Adds `factor` times the entries `columns` of one row to those of another.
    fn add(&mut self, into: usize, factor: f64, row: usize, columns: std::ops::Range<usize>) {
        let length = 2 * self.width + 1;
        let source = row * length + columns.start + self.width - row;
        let target = into * length + columns.start + self.width - into;
        let count = columns.len();
        // The rows differ, so one lies wholly before the other.
        let (before, after) = self.entries.split_at_mut(row.max(into) * length);
        let second = row.max(into) * length;
        let (target, source) = if into < row {
            (&mut before[target..][..count], &after[source - second..][..count])
        } else {
            (&mut after[target - second..][..count], &before[source..][..count])
        };
        for (to, from) in target.iter_mut().zip(source) {
            *to += factor * from;
        }
    }
}

/// The stationary distribution of states that all reach one another.
fn within(edges: &Edges, members: &[usize]) -> Result<Vec<f64>, TheoryError> {
    let mut band = Band::among(edges, members)?;
    let width = band.width;
    for last in (1..band.size).rev() {
        let first = last.saturating_sub(width);
        let leaving: f64 = (first..last).map(|to| band.at(last, to)).sum();
        if leaving < f64::MIN_POSITIVE {
            return Err(TheoryError::Unresolved);
        }
        for from in first..last {
            let into = band.at(from, last) / leaving;
            band.row(from)[last + width - from] = into;
            if into > 0.0 {
                band.add(from, into, last, first..last);
            }
        }
    }
    let mut shares = vec![0.0; band.size];
    shares[0] = 1.0;
    for to in 1..band.size {
        let share = (to.saturating_sub(width)..to).map(|from| shares[from] * band.at(from, to)).sum();
        shares[to] = share;
        if share > LARGE {
            for share in &mut shares[..=to] {
                *share /= LARGE;
            }
        }
    }
    let total: f64 = shares.iter().sum();
    if !(total.is_finite() && total > 0.0) {
        return Err(TheoryError::Unresolved);
    }
    for share in &mut shares {
        *share /= total;
    }
    Ok(shares)
}

/// The probability of ending in each of the sets `ends`, from the start.
///
/// The same state reduction over the states outside those sets, from both sides toward the start.
fn absorption(
    edges: &Edges,
    start: usize,
    component: &[Option<usize>],
    closed: &[bool],
    ends: &[usize],
) -> Result<Vec<f64>, TheoryError> {
    let passing: Vec<usize> =
        (0..edges.len()).filter(|&state| component[state].is_some_and(|set| !closed[set])).collect();
    let mut band = Band::among(edges, &passing)?;
    let mut ending = vec![vec![0.0; ends.len()]; passing.len()];
    for (ending, &state) in ending.iter_mut().zip(&passing) {
        for &(next, p) in &edges[state] {
            if let Some(end) = ends.iter().position(|&set| p > 0.0 && component[next] == Some(set)) {
                ending[end] += p;
            }
        }
    }
    // With several ends the start is in none of them, because no other end is reached from within an end.
    let middle = passing.partition_point(|state| *state < start);
    let width = band.width;
    let above = (middle + 1..band.size).rev().map(|state| (state, state.saturating_sub(width)..state));
    let below = (0..middle).map(|state| (state, state + 1..(state + width).min(middle) + 1));
    for (gone, left) in above.chain(below) {
        let row = ending[gone].clone();
        let leaving: f64 = left.clone().map(|to| band.at(gone, to)).sum::<f64>() + row.iter().sum::<f64>();
        if leaving < f64::MIN_POSITIVE {
            return Err(TheoryError::Unresolved);
        }
        for from in left.clone() {
            let into = band.at(from, gone) / leaving;
            if into > 0.0 {
                band.add(from, into, gone, left.clone());
                for (sum, end) in ending[from].iter_mut().zip(&row) {
                    *sum += into * end;
                }
            }
        }
    }
    let total: f64 = ending[middle].iter().sum();
    if total < f64::MIN_POSITIVE {
        return Err(TheoryError::Unresolved);
    }
    Ok(ending[middle].iter().map(|end| end / total).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::staircase::{Counting, Preset, Rule};

    fn long_run(rule: Rule, range: Range, observer: impl Fn(f64) -> f64) -> Stationary {
        let chain = Chain::new(rule, range).unwrap();
        let correct = chain.probabilities(observer).unwrap();
        Stationary::new(&chain, range, &correct).unwrap()
    }

    #[test]
    fn equal_steps_make_a_birth_and_death_chain() {
        let rule = Rule::new(1, 10, 10, Counting::Consecutive).unwrap();
        let range = Range::new(100, 400, 200).unwrap();
        let observer = |ms: f64| 0.02 + 0.97 * ms / (ms + 180.0);
        let got = long_run(rule, range, observer);
        // Detailed balance: pi(x) (1 - p(x)) = pi(x + 10) p(x + 10).
        let mut exact = vec![1.0];
        for pair in got.levels_ms.windows(2) {
            let [low, high] = [pair[0], pair[1]].map(|ms| observer(f64::from(ms)));
            exact.push(exact[exact.len() - 1] * (1.0 - low) / high);
        }
        let total: f64 = exact.iter().sum();
        for (got, exact) in got.occupancy.iter().zip(&exact) {
            assert!((got * total / exact - 1.0).abs() < 1e-12, "{got} {}", exact / total);
        }
    }

    #[test]
    fn shares_are_left_as_they_are_by_one_more_trial() {
        for preset in Preset::ALL {
            let range = Range::new(103, 611, 402).unwrap();
            let chain = Chain::new(preset.rule(), range).unwrap();
            let correct = chain.probabilities(|ms| 0.5 + 0.48 / (1.0 + (300.0 / ms).powi(4))).unwrap();
            let shares = shares(&chain, &correct).unwrap();
            let mut after = vec![0.0; shares.len()];
            for (state, share) in chain.states().iter().zip(&shares) {
                after[state.correct] += share * correct[state.level];
                after[state.wrong] += share * (1.0 - correct[state.level]);
            }
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-13);
            for (before, after) in shares.iter().zip(&after) {
                assert!((before - after).abs() <= 1e-12 * before, "{preset}: {before} {after}");
            }
        }
    }

    #[test]
    fn sure_answers_leave_a_deterministic_cycle() {
        // Right at 300 ms and over, wrong under: 290, 320, 310, 300 and again.
        let cycle = long_run(Preset::Weighted.rule(), Range::HYPE, |ms| f64::from(u8::from(ms >= 300.0)));
        assert_eq!((cycle.mean_ms, cycle.accuracy, cycle.mode_ms), (305.0, 0.75, 290));
        let wall = long_run(Preset::Weighted.rule(), Range::HYPE, |_| 1.0);
        assert_eq!((wall.mean_ms, wall.sd_ms, wall.floor, wall.ceiling), (100.0, 0.0, 1.0, 0.0));
    }

    #[test]
    fn two_walls_share_by_the_gamblers_ruin() {
        // The observer is always right at 100 ms, never at 200 ms, and right with probability 0.6
        // between.
        let rule = Rule::new(1, 10, 10, Counting::Consecutive).unwrap();
        let range = Range::new(100, 200, 130).unwrap();
        let got = long_run(rule, range, |ms| {
            if ms < 105.0 {
                1.0
            } else if ms > 195.0 {
                0.0
            } else {
                0.6
            }
        });
        let odds = 0.6_f64 / 0.4;
        let up = (1.0 - odds.powi(3)) / (1.0 - odds.powi(10));
        assert!((got.ceiling / up - 1.0).abs() < 1e-13 && (got.floor / (1.0 - up) - 1.0).abs() < 1e-13);
    }

    #[test]
    fn extreme_ratios_neither_overflow_nor_vanish() {
        let rule = Rule::new(1, 10, 10, Counting::Consecutive).unwrap();
        let got = long_run(rule, Range::HYPE, |ms| if ms < 900.0 { 1e-12 } else { 0.5 });
        assert!((got.occupancy.iter().sum::<f64>() - 1.0).abs() < 1e-13);
        // From 880 ms down, each level is 1e12 times rarer, beyond the range of double precision.
        assert_eq!(got.floor, 0.0);
        let near = got.levels_ms.binary_search(&700).unwrap();
        assert!((got.occupancy[near] / got.occupancy[near + 1] / 1e-12 - 1.0).abs() < 1e-11);
    }

    #[test]
    fn endless_eliminations_are_refused() {
        let rule = Rule::new(1, 20_001, 20_000, Counting::Consecutive).unwrap();
        let range = Range::new(0, 60_000, 500).unwrap();
        let chain = Chain::new(rule, range).unwrap();
        let correct = chain.probabilities(|_| 0.7).unwrap();
        let refused = Stationary::new(&chain, range, &correct);
        assert!(matches!(refused, Err(TheoryError::TooLarge { .. })), "{:?}", refused.err());
    }
}
