//! A task that is sabotaged in any of many ways is caught by a check whose name describes the fault; a sound one
//! passes.

use hype_core::Raters;
use hype_sim::conformance::{Subject, faults};
use hype_sim::fixtures;

use crate::sabotaged::{Sabotage, Sabotaged, now};

fn subject(task: &Sabotaged) -> Subject {
    let subject = Subject::new(task, fixtures::stimuli(24, &[("wgan", 24), ("stylegan", 24)]));
    if task.sabotage == Sabotage::QualifiesAgain {
        return subject;
    }
    // Without a qualification, raters with wrong answers reach the main phase too.
    subject.with_raters(Raters { per_model: 2, qualification: None, payment: None, ..Raters::default() })
}

/// The most memory that this process has taken, as Linux says it.
#[expect(clippy::disallowed_methods, reason = "what the suite takes is printed")]
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default().to_owned()
}

/// Runs the whole suite on a sabotaged task, and expects the reason of one check.
#[track_caller]
fn caught(sabotage: Sabotage, name: &str, reason: &str) {
    let task = Sabotaged::new(sabotage);
    let began = now();
    let found = faults(&subject(&task));
    task.release();
    eprintln!("{sabotage:?}: {} ms, {} faults; {}", (now() - began).as_millis(), found.len(), peak());
    let is_found = found.iter().any(|(check, fault)| *check == name && fault.contains(reason));
    assert!(is_found, "{sabotage:?}: {name} should say {reason:?}, and the suite says: {found:#?}");
}

#[test]
fn an_honest_task_passes_every_check() {
    for beside in [false, true] {
        let mut task = Sabotaged::default();
        task.inner.beside = beside;
        let stimuli = fixtures::stimuli(24, &[("wgan", 24), ("stylegan", 24)]);
        assert_eq!(faults(&Subject::new(&task, stimuli)), [], "beside: {beside}");
    }
}

#[test]
fn machines_that_are_not_pure_are_caught() {
    caught(Sabotage::ImpureNext, "next_changes_nothing", "asked twice for the next step");
    caught(Sabotage::ImpureNext, "replays_from_every_cut", "or the trials differ");
    caught(Sabotage::ComesBackToLife, "next_changes_nothing", "asked twice for the next step");
    caught(Sabotage::ChangesOnRefusal, "rejections_change_nothing", "changes the state");
    caught(Sabotage::SharesState, "forks_are_independent", "changes the original");
    caught(Sabotage::ReadsTheWorld, "replays_from_every_cut", "");
    caught(Sabotage::ReadsTheWorld, "seeds_decide_sessions", "the same seed gives different logs");
    caught(Sabotage::IgnoresTheSeed, "seeds_decide_sessions", "two seeds give the same trials");
}

#[test]
fn sessions_without_a_proper_end_are_caught() {
    caught(Sabotage::NeverEnds, "every_rater_comes_to_an_end", "more than its bound of 12 trials");
    caught(Sabotage::EndsAsLeft, "every_rater_comes_to_an_end", "although the rater did not leave");
}

#[test]
fn trials_that_cannot_be_asked_are_caught() {
    caught(Sabotage::SameOptions, "questions_can_be_answered", "two options with one value");
    caught(Sabotage::NoQuestion, "questions_can_be_answered", "nothing is asked");
    caught(Sabotage::CountsDown, "trials_count_up", "begins with trial 12 of a block");
    caught(Sabotage::LongerThanItsBlock, "trials_count_up", "trial 4 of a block of 3 trials");
    caught(Sabotage::DisturbanceSkips, "disturbed_trials_are_shown_again", "a disturbed trial is replaced");
    caught(Sabotage::DisturbanceEnds, "disturbed_trials_are_shown_again", "the session ends");
    caught(Sabotage::WrongUpcoming, "upcoming_stimuli_hold_what_follows", "was not announced");
    caught(Sabotage::UnknownUpcoming, "upcoming_stimuli_hold_what_follows", "no such stimulus");
    caught(Sabotage::HastyFollowing, "following_trials_follow", "does not follow the answer");
    caught(Sabotage::EndlessFollowing, "following_trials_follow", "does not follow the answer");
    caught(Sabotage::AnswersBack, "corrections_replace_answers", "would change what comes next");
}

#[test]
fn answers_that_are_judged_wrongly_are_caught() {
    caught(Sabotage::TakesAnyOption, "rejections_change_nothing", "is accepted, although `seen` is \"\"");
    caught(
        Sabotage::ContradictoryTruth,
        "verdicts_follow_the_truth",
        "is judged wrong, but the truth calls it right",
    );
    caught(Sabotage::TruthIsNoOption, "right_answers_can_be_given", "`seen: \"painted\"` cannot be given");
    caught(Sabotage::TruthAnswersNothing, "right_answers_can_be_given", "`heard: \"real\"` cannot be given");
    caught(Sabotage::EverybodyIsRight, "verdicts_follow_the_truth", "no answer to `seen` is judged wrong");
    caught(
        Sabotage::NobodyIsRight,
        "verdicts_follow_the_truth",
        "is judged wrong, but the truth calls it right",
    );
    caught(Sabotage::FastIsRight, "verdicts_follow_the_truth", "is judged wrong");
    caught(
        Sabotage::JudgesWithoutTruth,
        "verdicts_follow_the_truth",
        "the truth calls it neither right nor wrong",
    );
}

#[test]
fn truths_about_something_else_are_caught() {
    caught(Sabotage::ReversedShown, "truths_name_what_is_shown", "side by side");
    caught(Sabotage::SwappedRoles, "truths_name_what_is_shown", "no stimulus shown is");
    caught(Sabotage::MissingModel, "truths_name_what_is_shown", "the truth names no model");
    caught(Sabotage::RealModel, "truths_name_what_is_shown", "which is not a model");
    caught(Sabotage::SkipsModels, "every_model_is_judged", "which its session does not judge");
}

#[test]
fn pages_that_tell_what_is_right_are_caught() {
    for (sabotage, cue) in [
        (Sabotage::MarkedLabel, "the form of answers"),
        (Sabotage::MarkedKey, "the form of answers"),
        (Sabotage::TellingExposure, "the exposure"),
        (Sabotage::TellingHelp, "the help"),
        (Sabotage::TellingQuestion, "the questions"),
        (Sabotage::TellingPrompt, "the conditions"),
        (Sabotage::TellingName, "the conditions"),
        (Sabotage::TellingMasks, "the parts"),
        (Sabotage::TellingCountdown, "the parts"),
        (Sabotage::TellingRest, "the rest"),
        (Sabotage::TellingFeedback, "the feedback"),
        (Sabotage::TellingUpcoming, "the number of stimuli to come"),
        (Sabotage::TellingOrder, "the exposure"),
    ] {
        caught(sabotage, "raters_without_eyes_guess", &format!("predicted without pixels: by {cue} alone"));
    }
}

#[test]
fn answers_that_need_no_look_are_caught() {
    caught(Sabotage::RightFirst, "right_answers_vary", "always answering the options at 1");
    caught(Sabotage::OnlyReal, "right_answers_vary", "always answering \"real\"");
    caught(Sabotage::TellingOrder, "right_answers_vary", "the right answer differs");
    caught(Sabotage::FixedSides, "right_answers_vary", "always answering \"A\"");
}

#[test]
fn pages_that_tell_the_model_are_caught() {
    caught(Sabotage::NamesTheModel, "pages_see_no_secrets", "reveals the secret `qzx-set-1-xzq`");
    caught(Sabotage::NamesTheModel, "pages_tell_no_model_from_another", "by the questions alone");
    caught(Sabotage::HelpTellsTheModel, "pages_tell_no_model_from_another", "by the help alone");
    caught(Sabotage::FixedSides, "pages_tell_no_model_from_another", "comes first in");
}

#[test]
fn a_task_without_a_bound_is_stopped() {
    caught(Sabotage::NoBound, "every_rater_comes_to_an_end", "up to 4294967295 trials");
}

#[test]
fn a_call_that_never_returns_is_abandoned() {
    caught(Sabotage::NeverReturns, "replays_from_every_cut", "has not returned");
}

#[test]
fn a_call_that_fills_memory_is_abandoned() {
    caught(Sabotage::FillsMemory, "replays_from_every_cut", "MB of memory");
}

#[test]
fn states_that_grow_are_caught() {
    caught(Sabotage::GrowingState, "replays_from_every_cut", "MB of memory");
}

#[test]
fn a_panic_is_a_fault_of_the_task() {
    caught(Sabotage::Panics, "every_rater_comes_to_an_end", "panics: the sixth trial is missing");
}

#[test]
fn texts_that_name_a_model_are_caught() {
    caught(Sabotage::HelpNamesAModel, "pages_see_no_secrets", "names the model `wgan`");
    caught(Sabotage::HelpNamesInCapitals, "pages_see_no_secrets", "reveals the secret");
    caught(Sabotage::OptionNamesAModel, "pages_see_no_secrets", "reveals the secret");
    caught(Sabotage::InstructionsNameModels, "pages_see_no_secrets", "the instructions");
}

#[test]
fn truths_without_a_model_are_caught() {
    caught(Sabotage::MissingModelBeside, "truths_name_what_is_shown", "the truth names no model");
    caught(Sabotage::MissingModelOfReal, "truths_name_what_is_shown", "the truth names no model");
    caught(Sabotage::LogsRepeats, "every_model_is_judged", "which its session does not judge");
}

#[test]
fn tasks_that_read_a_clock_are_caught() {
    caught(Sabotage::KeepsTheTime, "sessions_read_no_clock", "the time of day");
    caught(Sabotage::FollowsMilliseconds, "sessions_read_no_clock", "a moment later");
    caught(Sabotage::FollowsSeconds, "sessions_read_no_clock", "a moment later");
}

#[test]
fn tasks_that_forget_are_caught() {
    caught(Sabotage::LosesASetting, "written_tasks_ask_the_same", "once written and read");
    caught(Sabotage::DisturbanceLeavesTruth, "disturbed_trials_are_shown_again", "the truth");
    caught(Sabotage::UnsteadyChecks, "checks_keep_their_names", "not every session has the check");
    caught(Sabotage::QualifiesAgain, "qualified_raters_skip_the_qualification", "asks for the qualification");
    caught(Sabotage::OneOrderForAll, "raters_see_orders_of_their_own", "the same trials");
}
