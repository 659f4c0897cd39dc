//! A study whose listing is refused says so and ends, and a place that was given back is free as soon as the platform offers it.

#![cfg(all(unix, feature = "fakes", feature = "mturk"))]

use std::fs;
use std::time::{Duration, Instant};

use crate::recruiting::{Arrived, Conduct, Kind, Participant, Recruiting, SPEC};

/// Long enough for the program to start and to be refused.
const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_refused_listing_ends_the_run_with_the_words_of_the_platform() {
    let study = Recruiting::new(Kind::Prolific, 4);
    let spec = study.path(SPEC);
    let text = fs::read_to_string(&spec).unwrap();
    // More than the account has.
    fs::write(&spec, text.replace("base: 1.00", "base: 3000.00").replace("limit: 900.00", "limit: 90000.00"))
        .unwrap();
    let said = study.run(&[]).fails_within(LONG);
    assert!(said.contains("There is not enough money in the account."), "{said}");
    assert!(said.contains("nothing was listed"), "{said}");
}

/// People come, answer something and return their work; others come in their places. Returns how many of those read that the study
/// is full.
fn turned_away(kind: Kind) -> usize {
    let study = Recruiting::new(kind, 2);
    let _running = study.run(&[]);
    let until = Instant::now() + LONG;
    let mut first = Vec::new();
    while first.len() < study.places as usize {
        assert!(Instant::now() < until, "no rater can come");
        match study.platform.arrive() {
            Some(arrived) => first.push(Participant::new(arrived, Conduct::Perfect)),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    for one in &mut first {
        while one.answered < 3 {
            assert!(Instant::now() < until && one.step(&study).is_none(), "{one:?}");
        }
    }
    for one in &first {
        study.platform.give_back(&one.arrived.work);
    }
    let others = (0..study.places).map(|_| study.platform.arrive().unwrap()).collect::<Vec<_>>();
    others.into_iter().filter(|arrived| !gets_in(&study, arrived.clone(), until)).count()
}

/// Whether a participant gets as far as the first answers.
fn gets_in(study: &Recruiting, arrived: Arrived, until: Instant) -> bool {
    let mut one = Participant::new(arrived, Conduct::Perfect);
    while one.answered < 2 {
        assert!(Instant::now() < until, "{one:?}");
        if one.step(study).is_some() {
            return false;
        }
    }
    true
}

#[test]
fn a_place_given_back_is_free_when_prolific_offers_it() {
    assert_eq!(turned_away(Kind::Prolific), 0);
}

#[test]
fn a_place_given_back_is_free_when_mechanical_turk_offers_it() {
    assert_eq!(turned_away(Kind::MechanicalTurk), 0);
}
