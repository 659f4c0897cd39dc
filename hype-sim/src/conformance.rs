//! The behaviour suites that every task, every rubric and every metric has to pass.
//!
//! [`task_conformance!`](crate::task_conformance) turns the suite for tasks into tests of a task, and
//! [`rubric_conformance!`](crate::rubric_conformance) the suite for rubrics into tests of a rubric, and
//! [`metric_conformance!`](crate::metric_conformance) that for metrics into tests of a metric. [`faults`] and [`run`]
//! return faults instead of panicking, for programs that load plugins they did not write.
//!
//! A session may declare at most 2,000 trials. A check that takes more than 250 MB of memory (on Linux), or calls a task
//! that does not return within five seconds, is abandoned.

use hype_core::Step;

mod blind;
mod clocks;
mod corrections;
mod documents;
mod endings;
mod limits;
mod macros;
mod metrics;
mod raters;
mod replays;
mod reports;
mod rubrics;
mod secrets;
mod subject;
mod trials;
mod truths;

use self::blind::{pages_tell_no_model_from_another, raters_without_eyes_guess, right_answers_vary};
use self::clocks::sessions_read_no_clock;
use self::corrections::corrections_replace_answers;
use self::documents::{answers_fit_the_schema, example_fits_the_schema, written_tasks_ask_the_same};
use self::endings::{every_rater_comes_to_an_end, seeds_decide_sessions};
use self::limits::Fault;
pub use self::metrics::{
    METRIC_CHECKS, MetricCheck, MetricSubject, identical_sets_have_the_known_value,
    metric_example_fits_the_schema, metric_values_are_declared, order_changes_no_value,
    outliers_are_never_silent, rows_depend_on_their_unit_alone,
};
use self::raters::{
    checks_keep_their_names, qualified_raters_skip_the_qualification, raters_see_orders_of_their_own,
};
use self::replays::{forks_are_independent, next_changes_nothing, replays_from_every_cut};
use self::reports::{rejections_change_nothing, repeats_are_harmless};
use self::rubrics::{
    cut_logs_are_scored, measures_are_declared_once, rows_name_the_rater_and_models,
    rubric_example_fits_the_schema, scores_are_finite_and_declared, scoring_twice_gives_the_same,
};
use self::secrets::pages_see_no_secrets;
pub use self::subject::Subject;
use self::trials::{
    disturbed_trials_are_shown_again, following_trials_follow, questions_can_be_answered, trials_count_up,
    upcoming_stimuli_hold_what_follows,
};
use self::truths::{
    every_model_is_judged, right_answers_can_be_given, truths_name_what_is_shown, verdicts_follow_the_truth,
};

/// A check with its name.
type Check = (&'static str, fn(&Subject) -> Result<(), String>);

macro_rules! checks {
    ($($check:ident)*) => { &[$((stringify!($check), $check)),*] };
}

/// All checks of tasks.
const OF_TASKS: &[Check] = crate::__task_checks!([checks]);

/// All checks of rubrics.
const OF_RUBRICS: &[Check] = checks![
    rubric_example_fits_the_schema
    measures_are_declared_once
    scores_are_finite_and_declared
    scoring_twice_gives_the_same
    cut_logs_are_scored
    rows_name_the_rater_and_models
];

/// Runs the whole suite for tasks, and returns the reasons of the checks that fail, with their names. Ends early if a
/// check has to be abandoned.
#[must_use]
pub fn faults(subject: &Subject) -> Vec<(&'static str, String)> {
    let mut faults = Vec::new();
    for &(name, check) in OF_TASKS {
        match limits::watched(subject, check) {
            Ok(()) => {}
            Err(Fault::Found(reason)) => faults.push((name, reason)),
            Err(Fault::Abandoned(reason)) => {
                faults.push((name, reason));
                break;
            }
        }
    }
    faults
}

/// Runs the check of tasks or rubrics that has this name.
///
/// # Errors
/// The first fault found, or that no check has this name.
pub fn run(name: &str, subject: &Subject) -> Result<(), String> {
    let check = OF_TASKS.iter().chain(OF_RUBRICS).find(|(known, _)| *known == name);
    let (_, check) = check.ok_or_else(|| format!("there is no check `{name}`"))?;
    limits::watched(subject, *check).map_err(|fault| match fault {
        Fault::Found(reason) | Fault::Abandoned(reason) => reason,
    })
}

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
    limits::step()?;
    if holds { Ok(()) } else { Err(reason()) }
}

/// A step in a few words.
fn describe(step: &Step) -> String {
    match step {
        Step::Show(trial) => format!("trial {}", trial.number),
        Step::Finished(outcome) => format!("the end ({:?})", outcome.ending),
    }
}
