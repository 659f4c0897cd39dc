//! Consensus of categorical answers by several raters.
//!
//! [`LabelVotes`] holds the answers: any number for each item, gaps and repetitions included. From them
//! [`majority_vote`] takes the most frequent label, and four models estimate the true label of each
//! item together with how each rater answers: [`dawid_skene`] (a confusion matrix for each rater),
//! [`one_coin`] (one probability of a correct answer for each rater), [`glad`] (ability of raters and
//! difficulty of items) and [`mace`] (how often a rater guesses, and which labels). [`agreement`] measures how well
//! raters agree with given labels.
//!
//! # Method
//!
//! The models are latent class models fitted by expectation and maximization. The assumptions and the
//! objective of each model are documented at its function; [`EmFit`] reports whether it converged.
//!
//! Only the votes identify the classes: the likelihood of Dawid and Skene's model does not change if
//! classes exchange their names. The search therefore starts from the shares of the votes, and
//! class k is the one that raters mostly call k. The other models relate truth and answer, and start
//! with raters who are better than chance.
//!
//! # Numerics
//!
//! An item without votes belongs to no estimate; its posterior is the class prior and it has no label.
//! Votes are sorted by item, rater and label, and sums run over blocks of items that depend only on the
//! votes: results have the same bits for any order of votes and any number of threads.

use crate::StatError;

mod dawid_skene;
mod em;
mod glad;
mod mace;
mod majority;
mod one_coin;
mod posterior;
#[cfg(test)]
mod tests;
mod votes;

pub use dawid_skene::{DawidSkene, dawid_skene};
pub use em::{EmFit, EmOptions};
pub use glad::{Glad, GladOptions, glad};
pub use mace::{Mace, MaceOptions, mace};
pub use majority::{Majority, agreement, majority_vote};
pub use one_coin::{OneCoin, one_coin};
pub use posterior::LabelPosteriors;
pub use votes::{LabelVotes, VotesBuilder};

/// The maximum number of cells of a table, 4 GiB: more is refused before memory runs out.
const MOST_CELLS: usize = 1 << 29;

/// The product of sizes, unless it exceeds [`MOST_CELLS`].
fn check_cells(parameter: &'static str, sizes: &[usize]) -> Result<usize, StatError> {
    sizes
        .iter()
        .try_fold(1_usize, |product, &size| product.checked_mul(size))
        .filter(|&cells| cells <= MOST_CELLS)
        .ok_or_else(|| StatError::Parameter {
            parameter,
            expected: "at most 2^29",
            got: sizes.iter().map(|&size| size as f64).product(),
        })
}
