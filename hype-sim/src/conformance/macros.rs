//! The macro that turns the suite into tests.

/// Generates a module of tests that a task behaves as every task must.
///
/// `stimuli` is a design's stimuli, such as [`fixtures::stimuli`](crate::fixtures::stimuli) makes; `raters`,
/// which may be omitted, is the raters' protocol, by default the task's own with two raters for each model or item;
/// `rubric`, which may be omitted too, is the rubric, by default the task's own. The task has to be registered. Every
/// check runs whole sessions at every place of the plan, and some simulate hundreds of sessions, so use a design with
/// short sessions; several modules can test several designs.
///
/// # Examples
/// In a test of the crate that registers the task `TwoChoice`:
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/two_choice.rs"));
/// use hype_sim::{fixtures, task_conformance};
///
/// task_conformance!(
///     with_qualification,
///     task = TwoChoice::default(),
///     stimuli = fixtures::stimuli(12, &[("wgan", 12), ("stylegan", 12)]),
/// );
/// task_conformance!(
///     without_qualification,
///     task = TwoChoice { trials: 10, ..TwoChoice::default() },
///     stimuli = fixtures::stimuli(12, &[("wgan", 12)]),
///     raters = Raters { per_model: 1, qualification: None, ..Raters::default() },
/// );
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! task_conformance {
    ($name:ident, task = $task:expr, stimuli = $stimuli:expr
     $(, raters = $raters:expr)? $(, rubric = $rubric:expr)? $(,)?) => {
        mod $name {
            #[allow(unused_imports, reason = "the expressions may use names from the caller's scope")]
            use super::*;

            fn subject() -> $crate::conformance::Subject {
                let subject = $crate::conformance::Subject::new(&$task, $stimuli);
                $(let subject = subject.with_raters($raters);)?
                $(let subject = subject.with_rubric(&$rubric);)?
                subject
            }

            $crate::__task_checks! { [$crate::__conformance_tests] of_task: }
        }
    };
}

/// Generates a module of tests that a rubric behaves as every rubric must.
///
/// The arguments are those of [`task_conformance!`](crate::task_conformance): the rubric scores sessions of the task,
/// run at every place of the plan with raters of every behaviour. The rubric has to be registered.
///
/// # Examples
/// In a test of the crate that registers the rubric `ShareRight` of the task `TwoChoice`:
/// ```
/// # mod two_choice { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/two_choice.rs")); }
/// # mod rubric { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/share_right.rs")); }
/// # use rubric::ShareRight;
/// # use two_choice::TwoChoice;
/// use hype_sim::{fixtures, rubric_conformance};
///
/// rubric_conformance!(
///     share_right,
///     rubric = ShareRight::default(),
///     task = TwoChoice::default(),
///     stimuli = fixtures::stimuli(12, &[("wgan", 12), ("stylegan", 12)]),
/// );
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! rubric_conformance {
    ($name:ident, rubric = $rubric:expr, task = $task:expr, stimuli = $stimuli:expr
     $(, raters = $raters:expr)? $(,)?) => {
        mod $name {
            #[allow(unused_imports, reason = "the expressions may use names from the caller's scope")]
            use super::*;

            fn subject() -> $crate::conformance::Subject {
                let subject = $crate::conformance::Subject::new(&$task, $stimuli).with_rubric(&$rubric);
                $(let subject = subject.with_raters($raters);)?
                subject
            }

            $crate::__conformance_tests! {
                of_task:
                rubric_example_fits_the_schema
                measures_are_declared_once
                scores_are_finite_and_declared
                scoring_twice_gives_the_same
                cut_logs_are_scored
                rows_name_the_rater_and_models
            }
        }
    };
}

/// Generates a module of tests that a metric behaves as every metric must.
///
/// Images, features or layers are drawn at random, by what the metric reads. `rows`, which may be omitted, are rows in place
/// of random features, such as class probabilities; `origins`, which may be omitted too, says where they come from. The metric
/// has to be registered.
///
/// # Examples
/// In a test of the crate that registers the metric `Brightness`:
/// ```
/// # mod brightness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/brightness.rs")); }
/// # use brightness::Brightness;
/// use hype_sim::metric_conformance;
///
/// metric_conformance!(brightness_of_images, metric = Brightness::default());
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! metric_conformance {
    ($name:ident, metric = $metric:expr $(, rows = $rows:expr)? $(, origins = $origins:expr)? $(,)?) => {
        mod $name {
            #[allow(unused_imports, reason = "the expressions may use names from the caller's scope")]
            use super::*;

            fn subject() -> $crate::conformance::MetricSubject {
                let subject = $crate::conformance::MetricSubject::new(&$metric);
                $(let subject = subject.with_rows($rows);)?
                $(let subject = subject.with_origins($origins);)?
                subject
            }

            $crate::__conformance_tests! {
                of_metric:
                metric_example_fits_the_schema
                metric_values_are_declared
                order_changes_no_value
                identical_sets_have_the_known_value
                rows_depend_on_their_unit_alone
                outliers_are_never_silent
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_tests {
    (of_task: $($check:ident)*) => {$(
        #[test]
        fn $check() {
            $crate::conformance::expect_conformance($crate::conformance::run(stringify!($check), &subject()));
        }
    )*};
    (of_metric: $($check:ident)*) => {$(
        #[test]
        fn $check() {
            $crate::conformance::expect_conformance($crate::conformance::$check(&subject()));
        }
    )*};
}

/// Hands the names of the checks of tasks to a macro, after its own arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! __task_checks {
    ([$($callback:tt)*] $($arguments:tt)*) => {
        $($callback)* ! {
            $($arguments)*
            replays_from_every_cut
            next_changes_nothing
            forks_are_independent
            rejections_change_nothing
            repeats_are_harmless
            corrections_replace_answers
            every_rater_comes_to_an_end
            seeds_decide_sessions
            sessions_read_no_clock
            example_fits_the_schema
            written_tasks_ask_the_same
            answers_fit_the_schema
            pages_see_no_secrets
            questions_can_be_answered
            trials_count_up
            disturbed_trials_are_shown_again
            upcoming_stimuli_hold_what_follows
            following_trials_follow
            right_answers_can_be_given
            verdicts_follow_the_truth
            truths_name_what_is_shown
            every_model_is_judged
            checks_keep_their_names
            qualified_raters_skip_the_qualification
            raters_see_orders_of_their_own
            raters_without_eyes_guess
            right_answers_vary
            pages_tell_no_model_from_another
        }
    };
}
