//! Effects shared by the raters of a study, and comparisons in the order shown.
//!
//! Seeds are fixed. Bounds of four standard errors would fail once in 16,000 comparisons with other seeds.

use std::f64::consts::PI;

use hype_core::model::trial::{Form, Part};
use hype_core::{
    Candidate, ConditionKind, Question, Rater as _, Response, Role, SetId, Stimuli, StimulusId, Streams,
    Trial, Truth,
};
use hype_sim::{Behaviour, Observer, Population, Quality, SyntheticRater, Traits, fixtures};

const ITEMS: u32 = 3_000;

/// A question whose answer is a worth, or the difference of two.
fn question() -> Question {
    Question::new("worth", "?", Form::Number { minimum: -1.0, maximum: 1.0, whole: false })
}

fn trial(part: Part, question: Question) -> Trial {
    Trial::new(vec![part], [question]).in_block(0, 0, 1)
}

fn population(quality: Quality) -> Population {
    let observer = Observer { quality: Some(0.5), ..Observer::default() };
    Population { default_observer: observer, quality, ..Population::default() }
}

fn rater(quality: Quality, stimuli: &Stimuli, behaviour: Behaviour, seed: u64) -> SyntheticRater {
    let traits = Traits { behaviour, difficulty: 0.0, leniency: 1.5, habit: 0.3 };
    let rater = SyntheticRater::new(&population(quality), stimuli, traits).unwrap();
    rater.in_study(stimuli, &Streams::new(seed))
}

fn answer(rater: &mut SyntheticRater, trial: &Trial, truth: &Truth, step: u64) -> f64 {
    let mut chance = Streams::new(3).stream("responses");
    chance.seek(step);
    match rater.respond(trial, Some(truth), &mut chance) {
        Response::Answer { answer, .. } => answer.number("worth").unwrap(),
        Response::Leave => panic!("nobody leaves"),
    }
}

/// The quality of each of two models' outputs compared with the model's, by item; raters have neither noise nor
/// leniency.
fn effects(quality: Quality, seed: u64) -> Vec<[f64; 2]> {
    let quality = Quality { rater_sd: 0.0, trial_sd: 0.0, ..quality };
    let stimuli = fixtures::items(ITEMS, &["a", "b"], &[ConditionKind::Prompt]);
    let mut rater = rater(quality, &stimuli, Behaviour::Honest, seed);
    let mut of = |set: u16, item: u32| {
        let stimulus = StimulusId(u32::from(set) * ITEMS + item);
        let shown = trial(Part::Stimulus { stimulus, exposure: None }, question());
        let truth = Truth { model: Some(SetId(set)), role: Some(Role::Generated), ..Truth::default() };
        // The position from 0 to 1 is that of a number from -1 to 1.
        (answer(&mut rater, &shown, &truth, 0) + 1.0) / 2.0 - 0.5
    };
    (0..ITEMS).map(|item| [of(0, item), of(1, item)]).collect()
}

#[test]
fn items_and_outputs_spread_as_declared() {
    let n = f64::from(ITEMS);
    let all = effects(Quality { item_sd: 0.08, output_sd: 0.06, ..Quality::default() }, 1);
    let (shared, own) = (0.0064, 0.0036);
    let moment = |of: &dyn Fn(&[f64; 2]) -> f64| all.iter().map(of).sum::<f64>() / n;
    for model in 0..2 {
        let mean = moment(&|pair| pair[model]);
        assert!(mean.abs() < 4.0 * 0.1 / n.sqrt(), "mean {mean}");
        let variance = moment(&|pair| pair[model].powi(2));
        assert!((variance - 0.01).abs() < 4.0 * 0.01 * (2.0 / n).sqrt(), "variance {variance}");
    }
    // The covariance of two outputs of one item is the variance of items.
    let covariance = moment(&|pair| pair[0] * pair[1]);
    let error = (((shared + own) * (shared + own) + shared * shared) / n).sqrt();
    assert!((covariance - shared).abs() < 4.0 * error, "covariance {covariance}");
}

#[test]
fn all_raters_of_a_study_meet_the_same_items_and_another_study_has_others() {
    let quality = Quality { item_sd: 0.1, ..Quality::default() };
    let first = effects(quality, 1);
    assert_eq!(first, effects(quality, 1));
    assert!(first.iter().zip(effects(quality, 2)).all(|(one, other)| *one != other));
    assert!(first.iter().all(|[a, b]| a == b), "without `output_sd` the models' outputs are equally good");
    assert!(effects(Quality::default(), 1).iter().flatten().all(|&effect| effect.abs() < 1e-12));
}

#[test]
fn images_without_items_are_items_by_themselves() {
    let quality = Quality { rater_sd: 0.0, trial_sd: 0.0, item_sd: 0.1, ..Quality::default() };
    let stimuli = fixtures::stimuli(1, &[("gan", 2)]);
    let mut rater = rater(quality, &stimuli, Behaviour::Honest, 1);
    let truth = Truth { model: Some(SetId(1)), role: Some(Role::Generated), ..Truth::default() };
    let [one, other] = [1, 2].map(|stimulus| {
        let part = Part::Stimulus { stimulus: StimulusId(stimulus), exposure: None };
        answer(&mut rater, &trial(part, question()), &truth, 0)
    });
    assert_ne!(one, other);
}

#[test]
fn effects_of_outputs_tell_images_of_equal_models_apart() {
    let quality = Quality { rater_sd: 0.0, trial_sd: 0.0, output_sd: 0.1, ..Quality::default() };
    let stimuli = fixtures::items(1, &["a", "b"], &[]);
    let [a, b] = [0, 1].map(|set: u32| {
        let mut rater = rater(quality, &stimuli, Behaviour::Honest, 9);
        let shown = trial(Part::Stimulus { stimulus: StimulusId(set), exposure: None }, question());
        let model = Some(SetId(set as u16));
        answer(&mut rater, &shown, &Truth { model, role: Some(Role::Generated), ..Truth::default() }, 0)
    });
    let mut rater = rater(quality, &stimuli, Behaviour::Honest, 9);
    let (gallery, truth) = beside([(0, 0), (1, 1)]);
    let difference = answer(&mut rater, &trial(gallery, question().of_difference()), &truth, 0);
    // A number from -1 to 1 is twice the effect if one image is judged, and the difference if two are compared.
    assert!((difference - (b - a) / 2.0).abs() < 1e-12, "{difference}, not {}", (b - a) / 2.0);
}

/// Two images side by side, by stimulus and set.
fn beside(shown: [(u32, u16); 2]) -> (Part, Truth) {
    let candidate = |(label, (stimulus, _)): (&str, (u32, u16))| Candidate {
        label: label.into(),
        stimulus: StimulusId(stimulus),
    };
    let candidates = ["A", "B"].into_iter().zip(shown).map(candidate).collect();
    let shown = shown.iter().map(|&(_, set)| SetId(set)).collect();
    let truth = Truth { model: Some(SetId(1)), role: Some(Role::Generated), shown, ..Truth::default() };
    (Part::Gallery { candidates, exposure: None }, truth)
}

#[test]
fn differences_have_the_sign_of_the_order_shown() {
    let quality = Quality { reals: 0.8, trial_sd: 0.05, ..Quality::default() };
    let stimuli = fixtures::stimuli(1, &[("gan", 1)]);
    let (real, gan) = ((0, 0), (1, 1));
    for (shown, expected) in [([real, gan], -0.3), ([gan, real], 0.3)] {
        let (gallery, truth) = beside(shown);
        let shown = trial(gallery, question().of_difference());
        let mut honest = rater(quality, &stimuli, Behaviour::Honest, 1);
        let draws = 4_000_u64;
        let mean =
            (0..draws).map(|step| answer(&mut honest, &shown, &truth, step)).sum::<f64>() / draws as f64;
        // The difference of two Gumbel values is logistic, with the standard deviation π / √3.
        let error = 0.05 * PI / 3.0_f64.sqrt() / (draws as f64).sqrt();
        assert!((mean - expected).abs() < 4.0 * error, "{mean}, not {expected}");
        let mut bot = rater(quality, &stimuli, Behaviour::Bot, 1);
        assert!((answer(&mut bot, &shown, &truth, 0) - expected).abs() < 1e-12);
    }
}
