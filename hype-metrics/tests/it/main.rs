//! Integration tests of the metrics: against values of independent implementations, and properties that hold for any data.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")]

mod faults_are_typed;
mod features_equal_reference;
mod frechet_keeps_its_digits;
mod heim_equals_reference;
mod intervals_hold_their_level;
mod layers_and_embeddings;
mod moments_stream_and_merge;
mod pairs_equal_reference;
#[path = "../../../tests/it/support/proof.rs"]
mod proof;
mod properties;
mod support;
