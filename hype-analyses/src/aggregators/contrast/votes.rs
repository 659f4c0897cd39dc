//! Votes between two models: three counts for each rater, item and pair.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use hype_core::Measure;
use hype_core::model::findings::{GeneralizeTo, Note};
use hype_stats::StatError;
use hype_stats::preference::{CellVotes, ClusteredComparisons, ComparisonOutcome};

use crate::aggregators::facets::FacetLevels;
use crate::aggregators::pairs::{PairCell, PairCounts, PairSample, PairTally};
use crate::aggregators::sides::Sides;

/// Votes counted so far.
pub type PreferenceVotes = PairCounts<VoteCounts>;

/// How often the second of two models was preferred, neither, and the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VoteCounts([u64; 3]);

impl PairTally for VoteCounts {
    const RULE: &'static str =
        "a vote is 1 for the model, 0 for the one that it was compared with, or 0.5 for a tie";

    fn count(&mut self, value: f64) -> Option<()> {
        self.0[place_of(value)?] += 1;
        Some(())
    }

    fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(into, count)| *into += count);
    }

    fn comparisons(&self) -> u64 {
        self.0.iter().sum()
    }

    fn mean_outcome(&self) -> f64 {
        let [second, _, first] = self.0.map(|count| count as f64);
        (first - second) / self.comparisons().max(1) as f64
    }
}

/// The votes of one measure.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) measure: Measure,
    pub(super) models: Vec<Arc<str>>,
    pub(super) votes: ClusteredComparisons,
    /// The same votes by rater and item, in this order.
    pub(super) cells: Vec<CellVotes>,
    /// The covariates of outputs, and for each its difference in every cell.
    pub(super) covariates: Vec<Arc<str>>,
    pub(super) differences: Vec<Vec<f64>>,
    /// The target that the results of these votes can generalize to.
    pub(super) generalize_to: GeneralizeTo,
    pub(super) items: u64,
    /// How the order of models is allowed for.
    pub(super) sides: Sides,
    /// The model that every vote is between and another one, if there is one.
    pub(super) one_of_all: Option<usize>,
    /// For each rater and model, the sum of wins, with ties as half wins, and the number of votes.
    pub(super) by_rater: BTreeMap<u32, Vec<(f64, f64)>>,
    /// The number of families of pairs that are compared together: by several criteria, or at several levels.
    pub(super) families: usize,
}

/// The votes of one measure, by level if there are levels.
#[derive(Debug, Clone)]
pub(super) struct LevelledVotes(PairSample<VoteCounts>);

impl LevelledVotes {
    /// The votes of all measures that have any, without those of some raters.
    pub(super) fn all(sums: &PreferenceVotes, without: &HashSet<u32>) -> Vec<Self> {
        sums.measures().iter().filter_map(|measure| sums.sample(measure, without)).map(Self).collect()
    }

    pub(super) fn measure(&self) -> &Measure {
        &self.0.measure
    }

    pub(super) fn models(&self) -> &[Arc<str>] {
        &self.0.models
    }

    pub(super) fn generalize_to(&self) -> GeneralizeTo {
        self.0.generalize_to
    }

    pub(super) fn raters(&self) -> u64 {
        self.0.raters()
    }

    pub(super) fn sides(&self) -> Sides {
        self.0.sides
    }

    /// A warning that some raters or items have no level.
    pub(super) fn without_level(&self, levels: &FacetLevels) -> Option<Note> {
        self.0.without_level(levels)
    }

    /// The levels that have votes.
    pub(super) fn levels(&self) -> BTreeSet<usize> {
        self.0.levels()
    }

    /// The votes cast at one level, with `name` added to the label of their measure; `None` if none were cast.
    pub(super) fn at(&self, level: usize, name: &str, families: usize) -> Option<Sample> {
        let mut sample = Sample::assembled(self.0.at(level)?).ok()?;
        sample.measure.label = format!("{}, {name}", sample.measure.label).into();
        Some(Sample { families, ..sample })
    }

    /// The votes that have a level, with its number. Models, raters and items have the same numbers at all levels.
    pub(super) fn with_levels(&self) -> impl Iterator<Item = (usize, CellVotes)> + '_ {
        self.0.cells.iter().filter_map(|cell| Some((cell.level()?, cell_votes(cell))))
    }
}

impl Sample {
    /// The votes of all measures over all levels.
    pub(super) fn all(of: &[LevelledVotes]) -> Result<Vec<Self>, StatError> {
        let found = of.iter().map(|LevelledVotes(votes)| votes.clone().over_levels());
        let mut all = found.map(Self::assembled).collect::<Result<Vec<Self>, StatError>>()?;
        let families = all.len();
        all.iter_mut().for_each(|sample| sample.families = families);
        Ok(all)
    }

    fn assembled(from: PairSample<VoteCounts>) -> Result<Self, StatError> {
        let PairSample {
            measure, models, cells, covariates, generalize_to, items, sides, one_of_all, ..
        } = from;
        let difference = |covariate: usize| -> Vec<f64> {
            cells.iter().map(|cell| from.differences[cell.difference as usize][covariate]).collect()
        };
        let differences: Vec<Vec<f64>> = (0..covariates.len()).map(difference).collect();
        let mut votes = ClusteredComparisons::new(models.len())?;
        let mut by_rater: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
        let cells: Vec<CellVotes> = cells.iter().map(cell_votes).collect();
        for &CellVotes { rater, first, second, counts, .. } in &cells {
            let of_rater = by_rater.entry(rater).or_insert_with(|| vec![(0.0, 0.0); models.len()]);
            for (outcome, count) in ComparisonOutcome::ALL.into_iter().zip(counts) {
                let times = count as usize;
                votes.add(
                    &vec![rater; times],
                    &vec![first; times],
                    &vec![second; times],
                    &vec![outcome; times],
                )?;
                let share = match outcome {
                    ComparisonOutcome::First => 1.0,
                    ComparisonOutcome::Second => 0.0,
                    ComparisonOutcome::Tie => 0.5,
                };
                let total = count as f64;
                for (model, share) in [(first, share), (second, 1.0 - share)] {
                    let (wins, met) = &mut of_rater[model as usize];
                    *wins += share * total;
                    *met += total;
                }
            }
        }
        Ok(Self {
            measure,
            models,
            votes,
            cells,
            covariates,
            differences,
            generalize_to,
            items,
            sides,
            one_of_all,
            by_rater,
            families: 1,
        })
    }
}

fn cell_votes(cell: &PairCell<VoteCounts>) -> CellVotes {
    let [second, tie, first] = cell.tally.0;
    CellVotes {
        rater: cell.rater,
        item: cell.item,
        first: cell.first,
        second: cell.second,
        counts: [first, second, tie],
    }
}

/// The place of a vote's count: for the second, a tie, for the first.
pub(crate) fn place_of(value: f64) -> Option<usize> {
    [0.0, 0.5, 1.0].iter().position(|vote| (vote - value).abs() < 1e-12)
}
