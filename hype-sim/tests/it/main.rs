//! Integration tests of synthetic raters and of the test tools for tasks.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")]

#[cfg(feature = "conformance")]
mod brightness;
#[cfg(feature = "conformance")]
mod conformance;
mod items;
#[cfg(feature = "conformance")]
mod metric_conformance;
mod raters;
mod resuming;
#[cfg(feature = "conformance")]
mod rubric_conformance;
#[cfg(feature = "conformance")]
mod sabotage;
#[cfg(any(feature = "conformance", feature = "proptest"))]
mod sabotaged;
mod settings;
#[cfg(feature = "conformance")]
mod share_right;
#[cfg(feature = "proptest")]
mod strategies;
mod two_choice;
