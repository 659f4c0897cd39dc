//! Simulation of many blocks of a staircase.
//!
//! Levels, counts and steps are compiled to a table, an answer is one comparison of a 32-bit word with
//! a threshold, and several blocks run interleaved, which overlaps their memory latencies. Block b
//! reads stream b of ChaCha8 under the seed, one word for each trial: a result depends neither on the
//! grouping of blocks nor on the number of later ones.

use chacha20::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use super::estimate::REVERSALS_DROPPED;
use super::{Chain, Range, Rule, StaircaseError};

/// The number of blocks that run interleaved.
const LANES: usize = 8;

/// The number of trials between two calls of the generator.
const CHUNK: usize = 64;

/// Two to the 32nd: a word under `probability * WORDS` is a correct answer.
const WORDS: f64 = 4_294_967_296.0;

/// The random words that determine the answers of one block, one for each trial.
///
/// The answer to trial t is correct if word t is under [`threshold`] of the probability at its level.
#[must_use]
pub fn words(seed: u64, block: u64) -> impl Rng {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(block);
    generator
}

/// The smallest word that is a wrong answer, for a probability in [0, 1].
#[must_use]
pub fn threshold(probability: f64) -> u64 {
    (probability * WORDS).round() as u64
}

/// A staircase and an observer, compiled to a table.
///
/// # Examples
/// ```
/// use hype_stats::staircase::simulate::Simulator;
/// use hype_stats::staircase::{Preset, Range};
/// let guesser = Simulator::new(Preset::Weighted.rule(), Range::HYPE, |_| 0.5)?;
/// let blocks = guesser.blocks(150, 1000, 7)?;
/// assert!(blocks.mean_last_half_ms > 900.0);
/// # Ok::<(), hype_stats::staircase::StaircaseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Simulator {
    levels_ms: Vec<u32>,
    start: u32,
    cells: Vec<Cell>,
    entries: Vec<Entry>,
    range: Range,
}

/// A state in the form for the simulation.
#[derive(Debug, Clone, Copy)]
struct Cell {
    threshold: u64,
    correct: u32,
    wrong: u32,
}

/// A state and its answer in the form for the estimators; at twice the state, plus one if correct.
#[derive(Debug, Clone, Copy)]
struct Entry {
    level_ms: u32,
    /// Four times the level's position, plus the step commanded: 0 none, 1 harder, 2 easier.
    level_and_step: u32,
}

/// How often each level was shown, over all blocks.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LevelCounts {
    /// The levels, ascending.
    pub levels_ms: Vec<u32>,
    /// Presentations of each level.
    pub shown: Vec<u64>,
    /// Correct answers at each level.
    pub correct: Vec<u64>,
}

/// The results of the estimators over many simulated blocks.
///
/// Each `*_sd_ms` is the standard deviation of the estimator over blocks (n - 1), each
/// `*_standard_error_ms` that of the simulated mean.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SimulatedBlocks {
    /// Blocks simulated.
    pub blocks: u32,
    /// Trials in each.
    pub trials: u32,
    /// Mean of the mode, the lowest if tied.
    pub mode_ms: f64,
    /// Its standard deviation.
    pub mode_sd_ms: f64,
    /// Its standard error.
    pub mode_standard_error_ms: f64,
    /// Mean of the mode, the highest if tied.
    pub mode_highest_ms: f64,
    /// Its standard deviation.
    pub mode_highest_sd_ms: f64,
    /// Share of blocks whose mode is tied.
    pub mode_tied: f64,
    /// Share of blocks whose mode equals the floor.
    pub mode_at_floor: f64,
    /// Share of blocks whose mode equals the ceiling.
    pub mode_at_ceiling: f64,
    /// Mean of the mean level of the last half.
    pub mean_last_half_ms: f64,
    /// Its standard deviation.
    pub mean_last_half_sd_ms: f64,
    /// Its standard error.
    pub mean_last_half_standard_error_ms: f64,
    /// Mean of the mean level at reversals after the first four, over the blocks that have any; `None`
    /// if fewer than two have.
    pub mean_reversals_ms: Option<f64>,
    /// Its standard deviation.
    pub mean_reversals_sd_ms: Option<f64>,
    /// Its standard error.
    pub mean_reversals_standard_error_ms: Option<f64>,
    /// Blocks with more than four reversals.
    pub mean_reversals_blocks: u32,
    /// Mean number of reversals in a block.
    pub reversals: f64,
    /// Share of correct answers.
    pub accuracy: f64,
}

/// Simulates blocks and summarises their estimators.
///
/// `observer` gives the probability of a correct answer at a level in milliseconds.
///
/// # Errors
/// Those of [`Simulator::new`] and [`Simulator::blocks`].
pub fn simulate_blocks(
    rule: Rule,
    range: Range,
    observer: impl Fn(f64) -> f64,
    trials: u32,
    blocks: u32,
    seed: u64,
) -> Result<SimulatedBlocks, StaircaseError> {
    Simulator::new(rule, range, observer)?.blocks(trials, blocks, seed)
}

impl Simulator {
    /// Compiles a rule, a range and an observer.
    ///
    /// # Errors
    /// [`StaircaseError::TooManyStates`], and [`StaircaseError::NoProbability`] if the observer returns
    /// anything else.
    pub fn new(rule: Rule, range: Range, observer: impl Fn(f64) -> f64) -> Result<Self, StaircaseError> {
        let chain = Chain::new(rule, range)?;
        let probabilities = chain.probabilities(observer)?;
        let levels_ms = chain.levels_ms();
        let cells = chain
            .states()
            .iter()
            .map(|state| Cell {
                threshold: threshold(probabilities[state.level]),
                correct: state.correct as u32,
                wrong: state.wrong as u32,
            })
            .collect();
        let entries = chain
            .states()
            .iter()
            .flat_map(|state| {
                [2, u32::from(state.harder)].map(|step| Entry {
                    level_ms: levels_ms[state.level],
                    level_and_step: state.level as u32 * 4 + step,
                })
            })
            .collect();
        Ok(Self { levels_ms: levels_ms.to_vec(), start: chain.start() as u32, cells, entries, range })
    }

    /// Counts how often each level is shown and answered correctly.
    #[must_use]
    pub fn tally(&self, trials: u32, blocks: u32, seed: u64) -> LevelCounts {
        let mut counts = vec![0_u64; self.entries.len()];
        self.walk(trials, blocks, seed, |_, piece| {
            for &entry in piece {
                counts[entry as usize] += 1;
            }
        });
        let mut shown = vec![0; self.levels_ms.len()];
        let mut correct = shown.clone();
        for (pair, counts) in self.entries.chunks_exact(2).zip(counts.chunks_exact(2)) {
            let level = (pair[0].level_and_step >> 2) as usize;
            shown[level] += counts[0] + counts[1];
            correct[level] += counts[1];
        }
        LevelCounts { levels_ms: self.levels_ms.clone(), shown, correct }
    }

    /// Lists the levels and answers of one block, as [`Self::tally`] and [`Self::blocks`] run it.
    #[must_use]
    pub fn trace(&self, trials: u32, block: u64, seed: u64) -> Vec<(u32, bool)> {
        let mut trace = Vec::with_capacity(trials as usize);
        let mut generator = words(seed, block);
        let mut state = self.start;
        for _ in 0..trials {
            let entry = self.advance(&mut state, generator.next_u32());
            trace.push((self.entries[entry as usize].level_ms, entry & 1 == 1));
        }
        trace
    }

    /// Runs blocks and summarises their estimators.
    ///
    /// # Errors
    /// [`StaircaseError::TooShort`] without a trial or with fewer than two blocks.
    pub fn blocks(&self, trials: u32, blocks: u32, seed: u64) -> Result<SimulatedBlocks, StaircaseError> {
        for (field, least, got) in [("trials", 1, trials), ("blocks", 2, blocks)] {
            if got < least {
                return Err(StaircaseError::TooShort { field, least, got });
            }
        }
        let mut summary = Summary::default();
        let mut running = vec![Running::new(self.levels_ms.len()); LANES];
        self.walk(trials, blocks, seed, |lane, piece| {
            let block = &mut running[lane];
            block.take(piece, &self.entries, trials / 2);
            if block.taken == trials {
                block.finish(self, trials, &mut summary);
            }
        });
        Ok(summary.simulated(trials, blocks))
    }

    #[inline]
    fn advance(&self, state: &mut u32, word: u32) -> u32 {
        let cell = self.cells[*state as usize];
        let correct = u64::from(word) < cell.threshold;
        let entry = *state * 2 + u32::from(correct);
        *state = if correct { cell.correct } else { cell.wrong };
        entry
    }

    /// Simulates blocks in groups of lanes and passes on each lane's entries piece by piece. Within a
    /// group the lanes are in the order of the blocks, and a group is finished before the next begins.
    fn walk(&self, trials: u32, blocks: u32, seed: u64, mut visit: impl FnMut(usize, &[u32])) {
        let mut drawn = [[0_u32; CHUNK]; LANES];
        let mut entries = [[0_u32; CHUNK]; LANES];
        let mut generators: [ChaCha8Rng; LANES] = std::array::from_fn(|_| ChaCha8Rng::seed_from_u64(seed));
        for first in (0..blocks).step_by(LANES) {
            let lanes = LANES.min((blocks - first) as usize);
            let mut states = [self.start; LANES];
            for (block, generator) in (u64::from(first)..).zip(&mut generators) {
                generator.set_stream(block);
                generator.set_word_pos(0);
            }
            let mut left = trials as usize;
            while left > 0 {
                let length = left.min(CHUNK);
                for (drawn, generator) in drawn.iter_mut().zip(&mut generators) {
                    for word in &mut drawn[..length] {
                        *word = generator.next_u32();
                    }
                }
                for trial in 0..length {
                    for lane in 0..LANES {
                        entries[lane][trial] = self.advance(&mut states[lane], drawn[lane][trial]);
                    }
                }
                for (lane, entries) in entries[..lanes].iter().enumerate() {
                    visit(lane, &entries[..length]);
                }
                left -= length;
            }
        }
    }
}

/// One block in progress.
#[derive(Debug, Clone)]
struct Running {
    shown: Vec<u32>,
    taken: u32,
    last_half: u64,
    counts: Counts,
}

/// The state that stays in registers from trial to trial.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    correct: u32,
    last_step: u32,
    reversals: u32,
    at_reversals: u64,
}

impl Running {
    fn new(levels: usize) -> Self {
        Self { shown: vec![0; levels], taken: 0, last_half: 0, counts: Counts::default() }
    }

    fn take(&mut self, piece: &[u32], entries: &[Entry], half: u32) {
        let early = half.saturating_sub(self.taken) as usize;
        let (early, late) = piece.split_at(early.min(piece.len()));
        self.count(early, entries);
        self.last_half += self.count(late, entries);
        self.taken += piece.len() as u32;
    }

    /// Counts trials and returns the sum of their levels.
    fn count(&mut self, piece: &[u32], entries: &[Entry]) -> u64 {
        let shown = self.shown.as_mut_slice();
        let mut counts = self.counts;
        let mut sum = 0;
        for &at in piece {
            let Entry { level_ms, level_and_step } = entries[at as usize];
            let level_ms = u64::from(level_ms);
            let step = level_and_step & 3;
            shown[(level_and_step >> 2) as usize] += 1;
            sum += level_ms;
            counts.correct += at & 1;
            // Steps are 1 and 2, so only opposite ones differ in both bits.
            let reversal = u32::from(counts.last_step ^ step == 3);
            let counted = reversal & u32::from(counts.reversals as usize >= REVERSALS_DROPPED);
            counts.at_reversals += level_ms & u64::from(counted).wrapping_neg();
            counts.reversals += reversal;
            counts.last_step = if step == 0 { counts.last_step } else { step };
        }
        self.counts = counts;
        sum
    }

    fn finish(&mut self, simulator: &Simulator, trials: u32, into: &mut Summary) {
        let most = self.shown.iter().copied().max().unwrap_or(0);
        let lowest = self.shown.iter().position(|&shown| shown == most).unwrap_or(0);
        let highest = self.shown.iter().rposition(|&shown| shown == most).unwrap_or(0);
        let lowest_ms = simulator.levels_ms[lowest];
        into.mode.add(f64::from(lowest_ms));
        into.mode_highest.add(f64::from(simulator.levels_ms[highest]));
        into.tied += u32::from(lowest != highest);
        into.at_floor += u32::from(lowest_ms == simulator.range.floor_ms());
        into.at_ceiling += u32::from(lowest_ms == simulator.range.ceiling_ms());
        into.last_half.add(self.last_half as f64 / f64::from(trials - trials / 2));
        let Counts { correct, reversals, at_reversals, .. } = self.counts;
        let counted = (reversals as usize).saturating_sub(REVERSALS_DROPPED);
        if counted > 0 {
            into.at_reversals.add(at_reversals as f64 / counted as f64);
        }
        into.reversals += u64::from(reversals);
        into.correct += u64::from(correct);

        self.shown.fill(0);
        self.taken = 0;
        self.last_half = 0;
        self.counts = Counts::default();
    }
}

#[derive(Debug, Default)]
struct Summary {
    mode: Moments,
    mode_highest: Moments,
    tied: u32,
    at_floor: u32,
    at_ceiling: u32,
    last_half: Moments,
    at_reversals: Moments,
    reversals: u64,
    correct: u64,
}

impl Summary {
    fn simulated(&self, trials: u32, blocks: u32) -> SimulatedBlocks {
        let share = |count: u32| f64::from(count) / f64::from(blocks);
        let turned = (self.at_reversals.count >= 2).then_some(&self.at_reversals);
        SimulatedBlocks {
            blocks,
            trials,
            mode_ms: self.mode.mean,
            mode_sd_ms: self.mode.sd(),
            mode_standard_error_ms: self.mode.standard_error(),
            mode_highest_ms: self.mode_highest.mean,
            mode_highest_sd_ms: self.mode_highest.sd(),
            mode_tied: share(self.tied),
            mode_at_floor: share(self.at_floor),
            mode_at_ceiling: share(self.at_ceiling),
            mean_last_half_ms: self.last_half.mean,
            mean_last_half_sd_ms: self.last_half.sd(),
            mean_last_half_standard_error_ms: self.last_half.standard_error(),
            mean_reversals_ms: turned.map(|moments| moments.mean),
            mean_reversals_sd_ms: turned.map(Moments::sd),
            mean_reversals_standard_error_ms: turned.map(Moments::standard_error),
            mean_reversals_blocks: self.at_reversals.count,
            reversals: self.reversals as f64 / f64::from(blocks),
            accuracy: self.correct as f64 / (f64::from(blocks) * f64::from(trials)),
        }
    }
}

/// Running mean and sum of squared deviations (Welford 1962).
#[derive(Debug, Default)]
struct Moments {
    count: u32,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.count += 1;
        let from_old = value - self.mean;
        self.mean += from_old / f64::from(self.count);
        self.squares += from_old * (value - self.mean);
    }

    /// Requires two values, which every caller has.
    fn sd(&self) -> f64 {
        (self.squares / f64::from(self.count - 1)).sqrt()
    }

    fn standard_error(&self) -> f64 {
        self.sd() / f64::from(self.count).sqrt()
    }
}
