//! Strengths of models from paired comparisons and rankings.
//!
//! [`Comparisons`] counts preferences by pair, and [`ClusteredComparisons`] does so by rater.
//! [`BradleyTerry`] fits strengths to the counts, with ties as half wins, ignored or by Davidson's
//! model, and optionally with an effect of being shown first; [`PlackettLuce`] fits them to
//! [`Rankings`], full or partial; an [`AdjustedFit`] holds covariates of the outputs, such as their length, equal; [`GradeFit`] fits them to graded comparisons. For groups that were
//! never compared or never lost they return an error that names them. [`OutcomeCorrelation`] says
//! how far two criteria agree on comparisons. A [`Departure`] compares how a model fares at one level of a facet with what one
//! fit to all levels predicts. [`pair_gains`] determines which pair to show next.

mod active;
mod adjusted;
mod bradley_terry;
mod cells;
mod clustered;
mod comparisons;
mod connection;
mod covariance;
mod crossed;
mod departures;
mod elo;
mod grades;
mod matrix;
mod newton;
mod outcome_correlation;
mod plackett_luce;
mod rankings;
mod recession;
mod record;
mod replicates;
mod scores;
mod settings;

pub use active::{PairGain, PairGains, pair_gains};
pub use adjusted::{AdjustedFit, relative_difference};
pub use bradley_terry::PreferenceFit;
pub use clustered::ClusteredComparisons;
pub use comparisons::{ComparisonOutcome, Comparisons};
pub use connection::Connection;
pub use covariance::Covariance;
pub use crossed::CellVotes;
pub use departures::Departure;
pub use elo::{EloSystem, OrderAveraged};
pub use grades::{CellGrades, GradeFit};
pub use outcome_correlation::{JointOutcome, OutcomeCorrelation};
pub use plackett_luce::{PlackettLuce, RankingFit};
pub use rankings::Rankings;
pub use record::Record;
pub use replicates::Replicates;
pub use settings::{BradleyTerry, Ties};

#[cfg(test)]
mod tests;
