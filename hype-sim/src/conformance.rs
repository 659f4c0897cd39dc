//! The behaviour suites that every task, every rubric and every metric has to pass.
//!
//! [`task_conformance!`](crate::task_conformance) turns the suite for tasks into tests of a task, and
//! [`rubric_conformance!`](crate::rubric_conformance) the suite for rubrics into tests of a rubric, and
//! [`metric_conformance!`](crate::metric_conformance) that for metrics into tests of a metric. Each check is
//! also a function that returns the fault instead of panicking, for programs that load plugins they did not write.

use hype_core::Step;

mod blind;
mod corrections;
mod documents;
mod endings;
mod macros;
mod metrics;
mod replays;
mod reports;
mod rubrics;
mod secrets;
mod subject;
mod trials;
mod truths;

pub use self::blind::{pages_tell_no_model_from_another, raters_without_eyes_guess, right_answers_vary};
pub use self::corrections::corrections_replace_answers;
pub use self::documents::{answers_fit_the_schema, example_fits_the_schema};
pub use self::endings::{every_rater_comes_to_an_end, seeds_decide_sessions};
pub use self::metrics::{
    METRIC_CHECKS, MetricCheck, MetricSubject, identical_sets_have_the_known_value,
    metric_example_fits_the_schema, metric_values_are_declared, order_changes_no_value,
    outliers_are_never_silent, rows_depend_on_their_unit_alone,
};
pub use self::replays::{forks_are_independent, next_changes_nothing, replays_from_every_cut};
pub use self::reports::{rejections_change_nothing, repeats_are_harmless};
pub use self::rubrics::{
    cut_logs_are_scored, measures_are_declared_once, rows_name_the_rater_and_models,
    rubric_example_fits_the_schema, scores_are_finite_and_declared, scoring_twice_gives_the_same,
};
pub use self::secrets::pages_see_no_secrets;
pub use self::subject::Subject;
pub use self::trials::{
    disturbed_trials_are_shown_again, following_trials_follow, questions_can_be_answered, trials_count_up,
    upcoming_stimuli_hold_what_follows,
};
pub use self::truths::{
    every_model_is_judged, right_answers_can_be_given, truths_name_what_is_shown, verdicts_follow_the_truth,
};

/// A check of a suite, which returns the fault that it finds.
pub type ConformanceCheck = fn(&Subject) -> Result<(), String>;

/// All checks of tasks, by name.
pub const CHECKS: [(&str, ConformanceCheck); 23] = [
    ("replays_from_every_cut", replays_from_every_cut),
    ("next_changes_nothing", next_changes_nothing),
    ("forks_are_independent", forks_are_independent),
    ("rejections_change_nothing", rejections_change_nothing),
    ("repeats_are_harmless", repeats_are_harmless),
    ("corrections_replace_answers", corrections_replace_answers),
    ("every_rater_comes_to_an_end", every_rater_comes_to_an_end),
    ("seeds_decide_sessions", seeds_decide_sessions),
    ("example_fits_the_schema", example_fits_the_schema),
    ("answers_fit_the_schema", answers_fit_the_schema),
    ("pages_see_no_secrets", pages_see_no_secrets),
    ("questions_can_be_answered", questions_can_be_answered),
    ("trials_count_up", trials_count_up),
    ("disturbed_trials_are_shown_again", disturbed_trials_are_shown_again),
    ("upcoming_stimuli_hold_what_follows", upcoming_stimuli_hold_what_follows),
    ("following_trials_follow", following_trials_follow),
    ("right_answers_can_be_given", right_answers_can_be_given),
    ("verdicts_follow_the_truth", verdicts_follow_the_truth),
    ("truths_name_what_is_shown", truths_name_what_is_shown),
    ("every_model_is_judged", every_model_is_judged),
    ("raters_without_eyes_guess", raters_without_eyes_guess),
    ("right_answers_vary", right_answers_vary),
    ("pages_tell_no_model_from_another", pages_tell_no_model_from_another),
];

/// All checks of rubrics, by name.
pub const RUBRIC_CHECKS: [(&str, ConformanceCheck); 6] = [
    ("rubric_example_fits_the_schema", rubric_example_fits_the_schema),
    ("measures_are_declared_once", measures_are_declared_once),
    ("scores_are_finite_and_declared", scores_are_finite_and_declared),
    ("scoring_twice_gives_the_same", scoring_twice_gives_the_same),
    ("cut_logs_are_scored", cut_logs_are_scored),
    ("rows_name_the_rater_and_models", rows_name_the_rater_and_models),
];

/// Panics with the reason if a check fails; the body of the tests that the macro generates.
///
/// # Panics
/// If the check fails.
#[track_caller]
pub fn expect_conformance(found: Result<(), String>) {
    if let Err(reason) = found {
        panic!("{reason}");
    }
}

/// Fails with a reason unless a condition holds.
fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(reason()) }
}

/// A step in a few words.
fn describe(step: &Step) -> String {
    match step {
        Step::Show(trial) => format!("trial {}", trial.number),
        Step::Finished(outcome) => format!("the end ({:?})", outcome.ending),
    }
}
