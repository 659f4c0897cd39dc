//! Synthetic raters answer according to their settings: frequencies, populations, behaviours, drift.
//!
//! Seeds are fixed. Bounds of four standard errors would fail once in 16,000 comparisons with other seeds.

use std::sync::Arc;

use hype_core::model::trial::{ChoiceOption, Form, Part, Phase};
use hype_core::{Answer, Millis, Question, Rater, Response, Role, SetId, StimulusId, Streams, Trial, Truth};
use hype_sim::{
    Behaviour, Behaviours, Observer, Population, Quality, Spammers, SyntheticRater, Traits, Untimed, fixtures,
};

const WGAN: SetId = SetId(1);

fn trial(exposure_ms: Option<u32>) -> Trial {
    let option = |value: &str| ChoiceOption::new(value, value, None);
    let form = Form::Choice { options: vec![option("real"), option("generated")] };
    Trial::new(
        vec![Part::Stimulus { stimulus: StimulusId(0), exposure: exposure_ms.map(Millis) }],
        [Question::new("seen", "?", form)],
    )
    .in_block(0, 0, 1)
}

fn truth(role: Role) -> Truth {
    let value = if role == Role::Real { "real" } else { "generated" };
    Truth {
        model: Some(WGAN),
        role: Some(role),
        answer: Some(Answer::one("seen", value)),
        ..Truth::default()
    }
}

fn typical(behaviour: Behaviour) -> Traits {
    Traits { behaviour, difficulty: 0.0, leniency: 0.0, habit: 0.3 }
}

fn rater(population: &Population, behaviour: Behaviour) -> SyntheticRater {
    SyntheticRater::new(
        population,
        &fixtures::stimuli(1, &[("wgan", 1), ("stylegan", 1)]),
        typical(behaviour),
    )
    .unwrap()
}

fn with_observer(observer: Observer) -> Population {
    Population { default_observer: observer, ..Population::default() }
}

fn answer_of(response: &Response) -> &Answer {
    match response {
        Response::Answer { answer, .. } => answer,
        Response::Leave => panic!("the rater has left"),
    }
}

/// Asks 20,000 times and compares the share of right answers.
fn check_share(rater: &mut SyntheticRater, trial: &Trial, truth: &Truth, expected: f64) {
    let asked = 20_000;
    let mut chance = Streams::new(17).stream("responses");
    let right = (0..asked)
        .filter(|&index| {
            chance.seek(index);
            Some(answer_of(&rater.respond(trial, Some(truth), &mut chance))) == truth.answer.as_ref()
        })
        .count();
    let share = right as f64 / asked as f64;
    let error = (expected * (1.0 - expected) / asked as f64).sqrt();
    assert!((share - expected).abs() <= 4.0 * error, "{share}, not {expected} ± {error}");
}

#[test]
fn frequencies_agree_with_the_psychometric_function() {
    // From the closed form, F at t / threshold = 1/2 and 2 with a slope of 2.
    for (exposure_ms, seen) in [(100, 0.2), (400, 0.8)] {
        let observer = Observer { threshold_ms: Some(200.0), slope: 2.0, lapse: 0.1, ..Observer::default() };
        let mut rater = rater(&with_observer(observer), Behaviour::Honest);
        check_share(&mut rater, &trial(Some(exposure_ms)), &truth(Role::Generated), 0.5 + 0.4 * seen);
    }
}

#[test]
fn untimed_errors_differ_by_class() {
    let observer = Observer {
        threshold_ms: Some(300.0),
        untimed: Some(Untimed { fakes_error: 0.3, reals_error: 0.1 }),
        ..Observer::default()
    };
    let mut rater = rater(&with_observer(observer), Behaviour::Honest);
    for (exposure, role, expected) in [
        (Some(300), Role::Real, 0.74),
        (Some(300), Role::Generated, 0.74),
        (None, Role::Real, 0.9),
        (None, Role::Generated, 0.7),
    ] {
        check_share(&mut rater, &trial(exposure), &truth(role), expected);
    }
}

#[test]
fn the_qualification_has_its_own_accuracy_or_none() {
    let qualifying = trial(None).in_phase(Phase::Qualification);
    let mut own = rater(&Population::default(), Behaviour::Honest);
    check_share(&mut own, &qualifying, &truth(Role::Real), 0.85);
    let population = Population { qualification_accuracy: None, ..Population::default() };
    let mut none = rater(&population, Behaviour::Honest);
    check_share(&mut none, &qualifying, &truth(Role::Real), 0.6);
}

#[test]
fn fatigue_moves_the_threshold() {
    let population = Population {
        fatigue: 2.0_f64.ln(),
        ..with_observer(Observer { threshold_ms: Some(100.0), ..Observer::default() })
    };
    let mut rater = rater(&population, Behaviour::Honest);
    // It doubles every 100 trials.
    for (number, threshold_ms) in [(0, 100), (100, 200), (300, 800)] {
        let tired = trial(Some(threshold_ms)).numbered(number);
        assert!((rater.probability(&tired, Some(&truth(Role::Real))) - 0.74).abs() < 1e-9, "trial {number}");
        let tired = trial(None).numbered(number);
        let odds = 0.111_111_111_111_111_1 / 0.888_888_888_888_888_8 * f64::from(threshold_ms) / 100.0;
        let probability = rater.probability(&tired, Some(&truth(Role::Real)));
        assert!((probability - 1.0 / (1.0 + odds)).abs() < 1e-9, "trial {number}: {probability}");
    }
}

#[test]
fn thresholds_over_a_population_are_log_normal() {
    let population = Population {
        rater_sd: 0.5,
        ..with_observer(Observer { threshold_ms: Some(250.0), ..Observer::default() })
    };
    let stimuli = fixtures::stimuli(1, &[("wgan", 1)]);
    let raters = 4000;
    let logs: Vec<f64> = (0..raters)
        .map(|index| {
            let chance = Streams::new(9).child("rater", index);
            population.rater(&stimuli, &chance).unwrap().threshold_ms(WGAN).unwrap().ln()
        })
        .collect();
    let n = raters as f64;
    let mean = logs.iter().sum::<f64>() / n;
    let sd = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    assert!((mean - 250.0_f64.ln()).abs() < 4.0 * 0.5 / n.sqrt(), "mean {mean}");
    // The standard error of a normal sample's standard deviation is sd / sqrt(2 (n - 1)).
    assert!((sd - 0.5).abs() < 4.0 * 0.5 / (2.0 * (n - 1.0)).sqrt(), "sd {sd}");
}

#[test]
fn shares_of_behaviours_are_those_declared() {
    let population = Population {
        behaviours: Behaviours {
            spammers: Spammers { constant: 0.05, random: 0.1, alternating: 0.15 },
            inattentive: 0.2,
            bots: 0.15,
            machines: 0.1,
        },
        ..Population::default()
    };
    let raters = 8000;
    let drawn: Vec<Behaviour> = (0..raters)
        .map(|index| population.traits(&Streams::new(4).child("rater", index)).behaviour)
        .collect();
    for (behaviour, share) in [
        (Behaviour::Constant, 0.05),
        (Behaviour::Random, 0.1),
        (Behaviour::Alternating, 0.15),
        (Behaviour::Inattentive, 0.2),
        (Behaviour::Bot, 0.15),
        (Behaviour::Machine, 0.1),
        (Behaviour::Honest, 0.25),
    ] {
        let count = drawn.iter().filter(|&&one| one == behaviour).count() as f64;
        let error: f64 = (share * (1.0 - share) * raters as f64).sqrt();
        assert!((count - share * raters as f64).abs() < 4.0 * error, "{behaviour:?}: {count}");
    }
}

#[test]
fn each_behaviour_answers_in_its_way() {
    let population = with_observer(Observer { threshold_ms: Some(10.0), slope: 20.0, ..Observer::default() });
    let easy = trial(Some(500));
    // An honest rater lapses in 2 % of the trials; an inattentive one guesses in 30 %.
    for (behaviour, expected) in [
        (Behaviour::Honest, 0.98),
        (Behaviour::Inattentive, 0.7 * 0.98 + 0.15),
        (Behaviour::Random, 0.5),
        (Behaviour::Bot, 1.0),
    ] {
        check_share(&mut rater(&population, behaviour), &easy, &truth(Role::Generated), expected);
    }
    // A program sees what people cannot see at any exposure, also in the qualification.
    let glimpse = trial(Some(16));
    let blind = with_observer(Observer { threshold_ms: Some(400.0), ..Observer::default() });
    for (behaviour, expected) in [(Behaviour::Honest, 0.5), (Behaviour::Machine, 0.98)] {
        check_share(&mut rater(&blind, behaviour), &glimpse, &truth(Role::Real), expected);
    }
    let qualifying = trial(None).in_phase(Phase::Qualification);
    check_share(&mut rater(&blind, Behaviour::Machine), &qualifying, &truth(Role::Real), 0.98);
    let mut chance = Streams::new(8).stream("responses");
    let mut answers = |behaviour| -> Vec<String> {
        let mut rater = rater(&population, behaviour);
        (0..4)
            .map(|number| {
                let response =
                    rater.respond(&easy.clone().numbered(number), Some(&truth(Role::Real)), &mut chance);
                answer_of(&response).text("seen").unwrap().to_owned()
            })
            .collect()
    };
    assert_eq!(answers(Behaviour::Constant), ["real"; 4]);
    assert_eq!(answers(Behaviour::Alternating), ["real", "generated", "real", "generated"]);
}

#[test]
fn careless_raters_and_programs_are_fast() {
    let mut chance = Streams::new(8).stream("responses");
    let mut median = |behaviour| -> u64 {
        let mut rater = rater(&Population::default(), behaviour);
        let mut times: Vec<u64> = (0..1001)
            .map(|_| match rater.respond(&trial(Some(300)), Some(&truth(Role::Real)), &mut chance) {
                Response::Answer { rt, .. } => rt.0 / 1000,
                Response::Leave => panic!("the rater has left"),
            })
            .collect();
        times.sort_unstable();
        times[500]
    };
    let (honest, spammer, bot, machine) = (
        median(Behaviour::Honest),
        median(Behaviour::Constant),
        median(Behaviour::Bot),
        median(Behaviour::Machine),
    );
    assert!((500..650).contains(&honest), "{honest}");
    assert!((200..240).contains(&spammer), "{spammer}");
    assert!((48..52).contains(&bot), "{bot}");
    assert!((450..650).contains(&machine), "machines hide among people: {machine}");
}

#[test]
fn raters_leave_with_the_hazard_declared() {
    let population = Population { dropout: 0.05, ..Population::default() };
    let mut rater = rater(&population, Behaviour::Honest);
    let mut chance = Streams::new(6).stream("responses");
    let left = (0..20_000_u64)
        .filter(|&index| {
            chance.seek(index);
            rater.respond(&trial(None), None, &mut chance) == Response::Leave
        })
        .count() as f64;
    assert!((left - 1000.0).abs() < 4.0 * 950.0_f64.sqrt(), "{left}");
}

#[test]
fn without_a_right_answer_quality_decides() {
    let quality = Quality { reals: 1.0, rater_sd: 0.0, trial_sd: 0.1, ..Quality::default() };
    let population =
        Population { quality, ..with_observer(Observer { quality: Some(0.25), ..Observer::default() }) };
    let mut rater = rater(&population, Behaviour::Honest);
    let form = Form::Number { minimum: 0.0, maximum: 100.0, whole: false };
    let mut slider = trial(None);
    slider.questions = Arc::new([Question::new("quality", "?", form)]);
    let mut chance = Streams::new(21).stream("responses");
    let mut mean = |role| {
        let truth = Truth { model: Some(WGAN), role: Some(role), answer: None, ..Truth::default() };
        let sum: f64 = (0..4000)
            .map(|_| answer_of(&rater.respond(&slider, Some(&truth), &mut chance)).number("quality").unwrap())
            .sum();
        sum / 4000.0
    };
    // A normal value with mean 25 and sd 10, clipped at 0, has the mean 25.02; one with mean 100, clipped
    // there, has 100 - 10 / sqrt(2 π) = 96.01.
    let (generated, real) = (mean(Role::Generated), mean(Role::Real));
    assert!((generated - 25.02).abs() < 4.0 * 10.0 / 4000.0_f64.sqrt(), "{generated}");
    assert!((real - 96.01).abs() < 4.0 * 5.9 / 4000.0_f64.sqrt(), "{real}");
}

#[test]
fn the_same_streams_give_the_same_rater_and_others_another() {
    let population = Population::default();
    let traits = |index| population.traits(&Streams::new(1).child("rater", index));
    assert_eq!(traits(0), traits(0));
    assert_ne!(traits(0).difficulty, traits(1).difficulty);
    assert_ne!(traits(0).difficulty, traits(0).leniency);
}

#[test]
fn named_observers_belong_to_their_models() {
    let mut population = Population { rater_sd: 0.0, ..Population::default() };
    population
        .observers
        .insert("stylegan".into(), Observer { threshold_ms: Some(555.0), ..Observer::default() });
    let rater = rater(&population, Behaviour::Honest);
    for (set, expected) in [(1, 360.0), (2, 555.0)] {
        assert!((rater.threshold_ms(SetId(set)).unwrap() - expected).abs() < 1e-9);
    }
    assert_eq!(rater.threshold_ms(SetId(0)), None);
}
