//! The rules of collection: raters, payment, places, comprehension, speed, order and randomness.

pub mod comprehension;
pub mod control;
pub mod cost;
pub mod draw;
pub mod fees;
pub mod ledger;
pub mod payment;
pub mod places;
pub mod playback;
pub mod qualification;
pub mod questions;
pub mod raters;
pub mod recruitment;
pub mod speed;
pub mod terms;
pub mod waiting;

pub use hype_chance as chance;
