//! Strengths of models from paired comparisons and rankings.
//!
//! [`Comparisons`] counts who was preferred to whom, and [`ClusteredComparisons`] does so by rater.
//! [`BradleyTerry`] fits strengths to the counts, with ties as half wins, ignored or by Davidson's
//! model, and optionally with an effect of being shown first; [`PlackettLuce`] fits them to
//! [`Rankings`], full or partial. For groups that were never compared or never lost both return an
//! error that names them. [`pair_gains`] determines which pair to show next.

mod active;
mod bradley_terry;
mod cells;
mod clustered;
mod comparisons;
mod connection;
mod covariance;
mod crossed;
mod elo;
mod matrix;
mod newton;
mod plackett_luce;
mod rankings;
mod recession;
mod record;
mod replicates;
mod robust;
mod settings;

pub use active::{PairGain, PairGains, least_compared, pair_gains};
pub use bradley_terry::{ClusterCorrection, PreferenceFit};
pub use clustered::ClusteredComparisons;
pub use comparisons::{ComparisonOutcome, Comparisons};
pub use connection::Connection;
pub use covariance::Covariance;
pub use crossed::CellVotes;
pub use elo::{EloSystem, OrderAveraged};
pub use plackett_luce::{PlackettLuce, RankingFit};
pub use rankings::{RankOrder, Rankings};
pub use record::Record;
pub use replicates::Replicates;
pub use settings::{BradleyTerry, Ties};

#[cfg(test)]
mod tests;
