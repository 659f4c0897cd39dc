//! A recruiting study from `hype crowd plan` to `hype crowd close`: participants who finish, fail the qualification, return their
//! work, run out of time, hand in wrong codes and come twice. Ledger, platform and findings agree to the cent.

#![cfg(all(unix, feature = "fakes", feature = "mturk"))]

use std::time::Duration;

use serde_json::{Value, json};

use crate::proof::{row, sized};
use crate::recruiting::{
    Conduct, Crowd, Kind, Recruiting, SPEC, cents, looks, made_by_hand, nothing_is_betrayed, paid_once,
    person_is_forgotten, reject_strangers,
};

/// A rater who is owed money is not forgotten.
fn refuses_to_forget(study: &Recruiting, crowd: &Crowd) {
    let owed = crowd.finished().iter().find(|one| one.earned.1 > 0).unwrap();
    let refused = study.refuses(&["forget", SPEC, &owed.person]);
    assert!(refused.contains("no rater was forgotten"), "{refused}");
    assert!(!refused.contains(&owed.person), "{refused}");
}

/// The sum of the payments in the ledger's export, in cents.
fn exported(study: &Recruiting) -> u64 {
    let table = study.hype(&["export", SPEC, "--what", "ledger"]);
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let column = reader.headers().unwrap().iter().position(|name| name == "amount").unwrap();
    reader
        .records()
        .map(|row| row.unwrap()[column].parse::<f64>().unwrap_or(0.0))
        .map(|amount| (amount * 100.0).round() as u64)
        .sum()
}

fn from_plan_to_close(kind: Kind) {
    let study = Recruiting::new(kind, sized(4, 30));
    let plan: Value = serde_json::from_str(&study.crowd(&["plan", SPEC, "--json", "--cohort", "4"])).unwrap();
    assert_eq!(plan["sessions"], study.places, "{plan}");
    assert_eq!(study.platform.listings().0.len(), 0, "a plan creates nothing");

    let mut running = study.run(&["--log-level", "debug", "--log-format", "json"]);
    let mut crowd = Crowd::new();
    let mut has_looked = false;
    while !running.has_ended() {
        if !has_looked && let Some(parameters) = study.platform.preview() {
            // A visitor who only looks sees the task, and gets no session.
            if let Some(screen) = looks(&study, &parameters) {
                assert_eq!(screen["screen"], "preview");
                has_looked = true;
            }
        }
        if crowd.step(&study) {
            continue;
        }
        // Without participants, the recruiter lists, pays, or waits for the operator. A rejected stranger's place is listed again.
        if kind != Kind::Panel && !study.platform.listings().0.is_empty() {
            let status = study.status(&["status"]);
            if status["supply"] == 0 {
                reject_strangers(&study, &status);
            }
        }
        std::thread::sleep(Duration::from_millis(10));
    }

    assert_eq!(crowd.completed(), study.places as usize, "every place is filled");
    assert_eq!(has_looked, kind == Kind::MechanicalTurk);
    for conduct in Conduct::ALL {
        assert!(
            crowd.finished().iter().any(|one| one.conduct == conduct),
            "no rater behaves like {conduct:?}"
        );
    }
    if kind == Kind::Panel {
        // What people pay by hand is promised when the collection ends.
        refuses_to_forget(&study, &crowd);
        made_by_hand(&study, &crowd);
    }
    let findings: Value = serde_json::from_str(
        &std::fs::read_to_string(study.path("study/evaluation.study/findings.json")).unwrap(),
    )
    .unwrap();
    assert_eq!(findings["collected"]["completed"], study.places);
    let earned = crowd.earned();
    assert_eq!(cents(&findings["earnings"]["total"]), earned, "{}", findings["earnings"]);
    assert_eq!(exported(&study), earned);
    let audit: Value =
        serde_json::from_str(&study.crowd(&["audit", SPEC, "--production", "--json"])).unwrap();
    let platform = if kind == Kind::Panel { json!(null) } else { audit["ledger"].clone() };
    assert_eq!((cents(&audit["ledger"]), cents(&audit["earned"])), (earned, earned));
    assert_eq!(audit["platform"], platform);
    if kind != Kind::Panel {
        paid_once(&study, &crowd);
    }
    assert_eq!(study.platform.objections(), Vec::<String>::new());

    nothing_is_betrayed(&study, &crowd, &running);

    let closed = study.status(&["close"]);
    assert_eq!(closed["demand"], 0);
    assert!(closed["listings"].as_array().unwrap().iter().all(|one| one["state"] == "closed"), "{closed}");
    assert_eq!(study.platform.arrive().is_some(), kind == Kind::Panel, "no one else can enter");
    drop(running);
    person_is_forgotten(&study, &crowd.finished().iter().find(|one| one.earned.1 > 0).unwrap().person);
    let unclear = closed["unclear"].as_array().unwrap().len();
    row(&[&crowd.finished().len().to_string(), &unclear.to_string()]);
}

#[test]
fn participants_of_prolific_are_recruited_and_paid() {
    from_plan_to_close(Kind::Prolific);
}

#[test]
fn workers_of_mechanical_turk_are_recruited_and_paid() {
    from_plan_to_close(Kind::MechanicalTurk);
}

#[test]
fn people_of_a_panel_are_recruited_and_paid() {
    from_plan_to_close(Kind::Panel);
}
