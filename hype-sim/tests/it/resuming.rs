//! A synthetic rater continues after an interruption exactly as without it.

use crate::two_choice::TwoChoice;
use hype_core::study::session::Accepted;
use hype_core::{
    Answered, Cohort, Event, Micros, Place, Response, Session, Spec, Step, Study, Timing, Trial, Wanted,
};
use hype_sim::{Behaviours, Observer, Population, Spammers, fixtures};

fn study(population: Population) -> Study {
    let mut spec = Spec::new("raters", 5, Box::new(TwoChoice { trials: 30, ..TwoChoice::default() }));
    spec.collection.simulate = Some(Box::new(population));
    Study::new(spec, fixtures::stimuli(40, &[("wgan", 40), ("stylegan", 40)])).unwrap()
}

fn wanted<'a>(study: &'a Study, place: &'a Place) -> Wanted<'a> {
    study.wanted(place, 0, "r1")
}

/// Runs a session at a place to its end; the rater is replaced by a fresh one, which recalls the log, after
/// `cut` answers.
fn play(study: &Study, place: u32, cut: Option<usize>) -> Vec<Event> {
    let cohort = study.spec().collection.simulate.as_ref().unwrap();
    let chance = study.session_chance(place, 0).child("rater", 0);
    let at = study.place(place);
    let mut rater = cohort.rater(&wanted(study, &at), &chance).unwrap();
    let (mut session, mut log) = Session::open(study, "r1", place, 0).unwrap();
    let mut before: Vec<(Trial, Answered)> = Vec::new();
    let mut stream = chance.stream("responses");
    while let Step::Show(trial) = session.step() {
        let (trial, truth) = (trial.clone(), session.truth().cloned());
        if cut == Some(before.len()) {
            rater = cohort.rater(&wanted(study, &at), &chance).unwrap();
            for (trial, answered) in &before {
                rater.recall(trial, answered);
            }
        }
        stream.seek(u64::from(trial.number));
        match rater.respond(&trial, truth.as_ref(), &mut stream) {
            Response::Leave => log.extend(session.handle_leave(Micros(0)).unwrap().into_events()),
            Response::Answer { answer, rt } => {
                let timing = Timing { at: Micros(0), rt, exposure: None };
                let Accepted::Recorded(recorded) =
                    session.handle_answer(trial.number, answer, timing).unwrap()
                else {
                    panic!("a first answer is not a repeat");
                };
                let Event::Answered(answered) = &recorded.event else { panic!("an answer is answered") };
                before.push((trial, answered.clone()));
                log.extend(recorded.into_events());
            }
        }
    }
    log
}

#[test]
fn interrupted_sessions_continue_as_uninterrupted_ones() {
    for spammers in [
        Spammers::default(),
        Spammers { alternating: 1.0, ..Spammers::default() },
        Spammers { constant: 1.0, ..Spammers::default() },
    ] {
        let study = study(Population {
            fatigue: 1.0,
            dropout: 0.01,
            behaviours: Behaviours { spammers, ..Behaviours::default() },
            ..Population::default()
        });
        for place in 0..4 {
            let whole = play(&study, place, None);
            for cut in 0..whole.len() {
                assert_eq!(play(&study, place, Some(cut)), whole, "place {place}, cut {cut}");
            }
        }
    }
}

#[test]
fn a_cohort_that_was_not_checked_says_why_it_has_no_rater() {
    let study = study(Population::default());
    let population = Population {
        default_observer: Observer { slope: -1.0, ..Observer::default() },
        ..Population::default()
    };
    let place = study.place(3);
    let error = Cohort::rater(&population, &wanted(&study, &place), study.chance()).err().unwrap();
    assert_eq!(error.to_string(), "no rater for place 3: slope must be positive and finite, got -1");
}
