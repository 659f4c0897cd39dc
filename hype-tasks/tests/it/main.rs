//! Behaviour of tasks, rubrics and aggregators, with one module for each.

#![allow(
    missing_docs,
    dead_code,
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::disallowed_methods,
    reason = "tests, which decide no trial"
)]

mod aggregate_agreement;
mod aggregate_components;
mod aggregate_consensus;
mod aggregate_facets;
mod aggregate_grades;
mod aggregate_grades_and_ranks_by_level;
mod aggregate_imagenhub;
mod aggregate_opinion;
mod aggregate_pooled;
mod aggregate_votes;
mod aggregate_votes_by_level;
mod bounds_hold;
mod catch_trials;
mod clips_are_screened;
mod clips_give_published_values;
mod conformance;
mod conformance_side_by_side;
mod equal_answers_have_no_errors;
mod excluded_raters_are_replaced;
mod imagenhub_cells;
mod images_reach_their_raters;
mod inference_holds;
mod known_qualities_are_recovered;
mod learning_sessions_resume;
mod limits_change_no_session;
mod machines_are_caught;
mod many_models_are_not_compared;
mod measures_say_what_limits_them;
mod protocol;
mod published_tables;
mod quest_plus;
mod quest_plus_needs_fewer_trials;
mod raters_judge_several_levels;
mod rating_checks;
mod rating_rubrics;
mod ratings_recover_quality;
mod readers_questions_are_answered;
mod rows_in_any_order;
mod scores_and_findings;
mod side_by_side_faults;
mod side_by_side_scores;
mod skewed_values_are_named;
mod spammers_are_caught;
mod studies_stop;
mod surveys;
mod texts_are_timed;
mod votes_are_balanced;

#[path = "support/aggregating.rs"]
mod aggregating;
#[path = "support/ratings.rs"]
mod ratings;
#[path = "support/reference.rs"]
mod reference;
#[path = "support/sessions.rs"]
mod sessions;
#[path = "support/side_by_side.rs"]
mod side_by_side;
#[path = "support/tables.rs"]
mod tables;

#[path = "../../../tests/it/support/proof.rs"]
mod proof;
