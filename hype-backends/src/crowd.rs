//! Raters who come from a panel, such as Prolific or Amazon Mechanical Turk, and are paid through it.
//!
//! A backend of this kind is a [`Crowd`]: the rater page with a [`Platform`](platform::Platform), which says how its participants
//! arrive and return, and, if it has an interface for programs, lists work, follows it, and pays. Which work is approved and what is
//! paid is decided by the [`Recruiter`](recruiter::Recruiter) alone, from the logs of sessions and the ledger; a platform only
//! carries out requests and reports what it is told.

pub mod access;
mod backend;
pub mod generic;
pub mod platform;
pub mod prolific;
pub mod recruiter;
pub mod settings;
pub mod shared_recruiter;
pub mod transport;

pub use self::backend::{Crowd, RecruitingBackend, Visitors, recruiting};
