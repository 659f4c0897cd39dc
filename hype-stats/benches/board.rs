//! Time and memory of a board of 300 models: 82 million votes in 40 waves, fitted wave by wave, linked, and ranked.
//!
//! A board of this size should be scored within five minutes of two processors and 2 GiB.

#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used, reason = "a bench")]

use std::fs;
use std::time::Instant;

use hype_stats::bootstrap::IntervalEstimate;
use hype_stats::clustered::Target;
use hype_stats::equivalence::{Better, MeanEvidence as _};
use hype_stats::link::{Linked, Wave};
use hype_stats::ordering::PairwiseOrder;
use hype_stats::preference::{BradleyTerry, CellVotes, ClusteredComparisons, ComparisonOutcome, Ties};

const WAVES: u32 = 40;
const VOTES: u32 = 2_050_000;
const VOTES_OF_RATER: u32 = 100;
/// Models of the first wave, models that every wave has, and all.
const FIRST: u32 = 15;
const ANCHORS: u32 = 8;
const MODELS: u32 = 300;

/// Knuth's linear congruential generator with 64 bits, of which the upper half is used.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 32) * u64::from(bound)) >> 32) as u32
    }
}

/// A wave of votes on models whose strengths fall with their numbers, fitted.
fn wave(models: &[u32], number: u32) -> Wave {
    let mut chance = Chance(u64::from(number) + 7);
    let size = models.len() as u32;
    let mut votes = ClusteredComparisons::new(models.len()).unwrap();
    let mut cells = Vec::with_capacity(VOTES as usize);
    for vote in 0..VOTES {
        let rater = vote / VOTES_OF_RATER;
        let first = chance.below(size);
        let second = (first + 1 + chance.below(size - 1)) % size;
        let lead =
            150 + (models[second as usize] * 100 / MODELS) - models[first as usize].min(150) * 100 / MODELS;
        let outcome = match chance.below(300) < lead {
            true => ComparisonOutcome::First,
            false => ComparisonOutcome::Second,
        };
        votes.add(&[rater], &[first], &[second], &[outcome]).unwrap();
        let mut counts = [0; 3];
        counts[outcome as usize] = 1;
        cells.push(CellVotes { rater, item: 0, first, second, counts });
    }
    let fit = BradleyTerry::new(Ties::Half).fit(votes.table()).unwrap();
    let crossed = fit.crossed(cells, Target::Raters).unwrap();
    let columns: Vec<Vec<f64>> = (0..models.len()).map(|model| crossed.of_raters(model).unwrap()).collect();
    let raters = VOTES / VOTES_OF_RATER;
    let rows: Vec<f64> =
        (0..raters as usize).flat_map(|rater| columns.iter().map(move |column| column[rater])).collect();
    let people: Vec<u32> = (number * raters..(number + 1) * raters).collect();
    Wave::new(models, &fit.theta, &people, &rows).unwrap()
}

fn main() {
    let begin = Instant::now();
    let mut next = FIRST;
    let mut board = Linked::new(wave(&(0..FIRST).collect::<Vec<_>>(), 0)).unwrap();
    for number in 1..WAVES {
        // What is left is spread over the waves that are left.
        let new = (MODELS - next).div_ceil(WAVES - number);
        let models: Vec<u32> = (0..ANCHORS).chain(next..next + new).collect();
        next += new;
        board.add(wave(&models, number)).unwrap();
    }
    let fitted = begin.elapsed().as_secs_f64();
    let all = board.models().to_vec();
    let difference = |first: usize, second: usize| board.difference(all[first], all[second]);
    let order = PairwiseOrder::new(all.len(), Better::Higher, difference).unwrap();
    let sets = order.simultaneous(0.95).unwrap();
    let intervals: Vec<IntervalEstimate> =
        (1..all.len()).map(|model| difference(model, 0).unwrap().interval(0.95).unwrap()).collect();
    let votes = u64::from(WAVES) * u64::from(VOTES);
    println!("{votes} votes on {} models in {} waves, drift {:?}", all.len(), board.waves(), board.drift());
    println!(
        "fitted and linked in {fitted:.1} s; {} rank sets and {} intervals in {:.1} s",
        sets.len(),
        intervals.len(),
        begin.elapsed().as_secs_f64() - fitted
    );
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(line) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("peak memory: {}", line.trim_start_matches("VmHWM:").trim());
    }
}
