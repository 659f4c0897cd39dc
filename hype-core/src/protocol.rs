//! The rules of collecting: who rates, for what pay, in which places and order, by which chance.

pub mod chance;
pub mod draw;
pub mod payment;
pub mod places;
pub mod qualification;
pub mod raters;
