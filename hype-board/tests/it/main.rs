//! Boards from their folders to their pages.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

#[path = "../../../tests/it/support/proof.rs"]
mod proof;
mod support;

mod archives_are_refused_within_limits;
mod boards_are_published_and_verified;
mod few_answers_claim_little;
mod kills_lose_nothing;
mod simulated_years_show_what_is_wrong;
mod submissions_are_validated;
