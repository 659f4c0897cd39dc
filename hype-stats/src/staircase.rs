//! Staircases: adaptive rules that move an exposure toward a threshold.
//!
//! [`Rule`] says by how much a level moves after correct and wrong answers, [`Staircase`] applies it
//! trial by trial in whole milliseconds, and [`mode`], [`mean_last_half`] and [`mean_reversals`] turn a finished block into a threshold. [`Chain`] lists every state that a rule
//! can reach, [`theory`] computes where it converges, and [`simulate`] runs many blocks over it. [`Reach`] says which thresholds
//! blocks of some trials reach, and whether a block has arrived.
//!
//! A log replays identically everywhere, as the next level of a [`Staircase`] is computed only with
//! integers, and that of the Bayesian procedure [`quest_plus`] in portable arithmetic.

mod arrival;
mod chain;
mod error;
mod estimate;
mod machine;
mod preset;
mod rule;
pub mod simulate;
pub mod theory;

pub use arrival::{Approach, Reach};
pub use chain::{Chain, ChainState};
pub use error::StaircaseError;
pub use estimate::{
    Censoring, MeanReversals, Mode, Reversal, mean_last_half, mean_reversals, mode, reversals,
};
pub use machine::{Range, Staircase, StepDirection, Transition};
pub use preset::Preset;
pub use rule::{Counting, Reachability, Rule};

#[doc(inline)]
pub use hype_adaptive as quest_plus;
