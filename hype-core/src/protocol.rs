//! The rules of collection: raters, payment, places, order and randomness.

pub mod chance;
pub mod draw;
pub mod payment;
pub mod places;
pub mod qualification;
pub mod raters;
