//! The strategies generate what they document, and a sound session keeps its promises under any schedule.

use crate::sabotaged::{Sabotage, Sabotaged};
use hype_core::model::trial::{ChoiceOption, Form};
use hype_core::plugin::surroundings::Surroundings;
use hype_core::{Cohort, Diagnostics, Question, Spec, Step, Streams, Study, Trial};
use hype_sim::strategies::{deliver, invalid_answers, populations, schedules, traits, valid_answers};
use hype_sim::{SyntheticRater, answers, fixtures};
use proptest::prelude::*;

fn study(sabotage: Sabotage) -> Study {
    let spec = Spec::new("strategies", 3, Box::new(Sabotaged::new(sabotage)));
    Study::new(spec, fixtures::stimuli(12, &[("wgan", 12)])).unwrap()
}

/// A trial with a question of every form.
fn trial() -> Trial {
    let options = ["bad", "fair", "good"].map(|value| ChoiceOption::new(value, value, None));
    let question = |id: &str, form| Question::new(id, "?", form);
    Trial::new(
        Vec::new(),
        [
            question("choice", Form::Choice { options: options.to_vec() }),
            question("whole", Form::Number { minimum: 1.0, maximum: 7.0, whole: true }),
            question("slider", Form::Number { minimum: 0.0, maximum: 1.0, whole: false }),
        ],
    )
    .in_block(0, 3, 10)
    .numbered(3)
}

fn is_valid(trial: &Trial, answer: &hype_core::Answer) -> bool {
    trial
        .questions
        .iter()
        .all(|question| answer.get(&question.id).is_some_and(|value| answers::accepts(&question.form, value)))
}

proptest! {
    #[test]
    fn populations_pass_their_check(population in populations()) {
        let stimuli = fixtures::stimuli(2, &[("wgan", 2)]);
        let mut at = Diagnostics::new();
        population.check(&Surroundings { stimuli: &stimuli, outside: None }, &mut at);
        prop_assert!(at.is_empty(), "{}", at);
        let text = serde_json::to_string(&population).unwrap();
        prop_assert_eq!(serde_json::from_str::<hype_sim::Population>(&text).unwrap(), population);
    }

    #[test]
    fn raters_of_any_kind_answer_validly(population in populations(), traits in traits(), seed: u64) {
        use hype_core::{Rater, Response};
        let stimuli = fixtures::stimuli(2, &[("wgan", 2)]);
        let mut rater = SyntheticRater::new(&population, &stimuli, traits).unwrap();
        let mut chance = Streams::new(seed).stream("rater");
        let trial = trial();
        if let Response::Answer { answer, .. } = rater.respond(&trial, None, &mut chance) {
            prop_assert!(is_valid(&trial, &answer), "{}", answer);
        }
    }

    #[test]
    fn valid_answers_are_valid(answer in valid_answers(&trial())) {
        prop_assert!(is_valid(&trial(), &answer), "{}", answer);
    }

    #[test]
    fn invalid_answers_are_not(answer in invalid_answers(&trial())) {
        prop_assert!(!is_valid(&trial(), &answer), "{}", answer);
    }

    #[test]
    fn sessions_keep_their_promises_under_any_schedule(reports in schedules(60), place in 0..4_u32) {
        let found = deliver(&study(Sabotage::None), place, &reports);
        prop_assert!(found.is_ok(), "{}", found.unwrap_err());
    }
}

#[test]
fn schedules_find_broken_promises() {
    use proptest::test_runner::{Config, TestRunner};
    for sabotage in [Sabotage::ChangesOnRefusal, Sabotage::TakesAnyOption, Sabotage::ReadsTheWorld] {
        let study = study(sabotage);
        let mut runner = TestRunner::new_with_rng(
            Config { failure_persistence: None, ..Config::default() },
            proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
        );
        let found = runner.run(&schedules(60), |reports| {
            deliver(&study, 0, &reports).map(|_| ()).map_err(TestCaseError::fail)
        });
        assert!(found.is_err(), "{sabotage:?}");
    }
    let (session, _) = hype_core::Session::open(&study(Sabotage::None), "r1", 0, 0).unwrap();
    assert!(matches!(session.step(), Step::Show(_)));
}
