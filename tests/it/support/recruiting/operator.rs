//! What an operator does, and what has to be true of money afterwards.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Crowd, Recruiting};

/// A reason that is long enough for Prolific.
const REASON: &str = "You handed in a code that the study has not given to anybody, and no session of yours was found. Please \
                      write to us if you did take part.";

/// Rejects work of people who were never on the page. No other work waits.
pub fn reject_strangers(study: &Recruiting, status: &Value) {
    for held in status["held"].as_array().unwrap() {
        assert_eq!(held["rater"], Value::Null, "only work without a session waits: {held}");
        study.status(&["review", "--reject", held["name"].as_str().unwrap(), "--reason", REASON]);
    }
}

/// Says of payments that people make by hand that they were made.
pub fn made_by_hand(study: &Recruiting, status: &Value) {
    let open = status["by_hand"].as_array().unwrap();
    let open: Vec<String> = open.iter().map(|one| key(&one["payment"])).collect();
    if !open.is_empty() {
        let made = open.iter().flat_map(|payment| ["--made", payment]);
        study.status(&["pay"].into_iter().chain(made).collect::<Vec<_>>());
    }
}

/// The name of a payment.
pub fn key(payment: &Value) -> String {
    format!("{}/{}", payment["session"].as_str().unwrap(), payment["purpose"].as_str().unwrap())
}

/// Whoever has earned something got one reward and at most one bonus, and nobody else got anything.
pub fn paid_once(study: &Recruiting, crowd: &Crowd) {
    let paid = study.platform.paid();
    let earned = crowd.earned_by_work();
    let payees: BTreeSet<&str> = paid.keys().map(|work| &**work).collect();
    assert_eq!(payees, earned.keys().copied().collect());
    for (work, (base, bonus)) in earned {
        let one = &paid[work];
        let bonuses: &[u64] = if bonus > 0 { &[bonus] } else { &[] };
        assert_eq!((&one.rewards[..], &one.bonuses[..]), (&[base][..], bonuses), "{:?}", crowd.finished());
    }
}
