//! Actions of an operator, and the invariants of money after them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

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

/// Pays by hand the amounts on the sheet, which are the earnings of all, and reads the sheet back.
pub fn made_by_hand(study: &Recruiting, crowd: &Crowd) {
    study.status(&["pay", "--sheet", "pay.csv"]);
    let path = study.path("pay.csv");
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let cents = |cell: &str| (cell.parse::<f64>().unwrap_or(0.0) * 100.0).round() as u64;
    let rows = reader.records().map(|row| row.unwrap());
    let named: BTreeMap<String, (u64, u64)> =
        rows.map(|row| (row[0].to_owned(), (cents(&row[1]), cents(&row[2])))).collect();
    let earned = crowd.finished().iter().filter(|one| one.earned != (0, 0));
    assert_eq!(named, earned.map(|one| (one.person.clone(), one.earned)).collect());
    study.status(&["pay", "--made", "pay.csv"]);
    fs::remove_file(path).unwrap();
}

/// The name of a payment.
pub fn key(payment: &Value) -> String {
    format!("{}/{}", payment["session"].as_str().unwrap(), payment["purpose"].as_str().unwrap())
}

/// Checks that each participant with earnings got one reward and at most one bonus, and that the others got nothing.
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
