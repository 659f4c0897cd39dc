//! The rules of collecting: who rates, for what pay, in which order, by which chance.

pub mod chance;
pub mod draw;
pub mod raters;
