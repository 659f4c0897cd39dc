//! Measures how long a synthetic rater takes to answer a trial, including random draws.

#![allow(missing_docs, reason = "criterion writes undocumented functions")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hype_core::model::trial::{ChoiceOption, Form, Part};
use hype_core::{Millis, Question, Rater, Role, SetId, StimulusId, Streams, Trial, Truth};
use hype_sim::{Behaviour, Population, SyntheticRater, Traits, fixtures};

fn trial() -> (Trial, Truth) {
    let option = |value: &str| ChoiceOption::new(value, value, None);
    let form = Form::Choice { options: vec![option("real"), option("generated")] };
    let trial = Trial::new(
        vec![Part::Stimulus { stimulus: StimulusId(0), exposure: Some(Millis(500)) }],
        [Question::new("seen", "?", form)],
    )
    .in_block(0, 0, 150);
    let answer = hype_core::Answer::one("seen", "real");
    (trial, Truth { model: Some(SetId(1)), role: Some(Role::Real), answer: Some(answer), ..Truth::default() })
}

fn respond(criterion: &mut Criterion) {
    let stimuli = fixtures::stimuli(1, &[("wgan", 1)]);
    let (mut trial, truth) = trial();
    for (name, fatigue, behaviour) in [
        ("honest", 0.0, Behaviour::Honest),
        ("tiring", 0.1, Behaviour::Honest),
        ("random", 0.0, Behaviour::Random),
    ] {
        let population = Population { fatigue, ..Population::default() };
        let traits = Traits { behaviour, difficulty: 0.0, leniency: 0.0, habit: 0.0 };
        let Ok(mut rater) = SyntheticRater::new(&population, &stimuli, traits) else {
            return;
        };
        let mut chance = Streams::new(1).stream("responses");
        criterion.bench_function(&format!("respond/{name}"), |bencher| {
            bencher.iter(|| {
                trial.number = (trial.number + 1) % 450;
                rater.respond(black_box(&trial), Some(&truth), &mut chance)
            });
        });
        criterion.bench_function(&format!("seek and respond/{name}"), |bencher| {
            bencher.iter(|| {
                trial.number = (trial.number + 1) % 450;
                chance.seek(u64::from(trial.number));
                rater.respond(black_box(&trial), Some(&truth), &mut chance)
            });
        });
    }
}

criterion_group!(benches, respond);
criterion_main!(benches);
