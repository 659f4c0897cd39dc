//! Raters who come from a panel, such as Prolific or Amazon Mechanical Turk, and are paid through it.
//!
//! A backend of this kind is the rater page with a [`Panel`]: the panel says how its participants arrive and return, and, if it
//! has an interface for programs, offers a [`Market`], through which work is listed, followed, approved and paid. Which work is
//! approved and what is paid is decided by the [`Recruiter`](recruiter::Recruiter) alone, from the logs of sessions and the
//! ledger; a market only carries out requests and reports what the platform says.

pub mod access;
mod backend;
mod collect;
pub mod generic;
pub mod market;
#[cfg(feature = "mturk")]
pub mod mturk;
pub mod panel;
pub mod platform;
pub mod prolific;
pub mod recruiter;
pub mod recruits;
pub mod settings;
pub mod shared_recruiter;
mod transport;
