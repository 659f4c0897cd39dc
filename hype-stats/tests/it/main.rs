//! Integration tests of the statistics: against cases computed by independent implementations, and against theory.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")]

mod covariates_are_recovered;
#[path = "../../../tests/it/support/proof.rs"]
mod proof;
mod psychometric_staircases;
mod reference;
mod reference_agreement;
mod reference_anova;
mod reference_bootstrap;
mod reference_confidence_sequences;
mod reference_consensus;
mod reference_correlation;
mod reference_counts;
mod reference_covariates;
mod reference_images;
mod reference_letters;
mod reference_means;
mod reference_opinion;
mod reference_orders;
mod reference_pairwise;
mod reference_power;
mod reference_preference;
mod reference_psychometric;
mod staircase_quest_plus;
mod staircase_rules;
mod staircase_simulation;
mod staircase_traces;
mod theory_reference;
mod theory_simulation;
