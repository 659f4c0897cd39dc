//! A study's folder is copied while its program is paying, and the original goes on. The copy says that its ledger is behind, pays
//! nothing again, and takes over what was paid by one command.

#![cfg(all(unix, feature = "fakes", feature = "mturk"))]

use std::fs;
use std::path::Path;
use std::time::Duration;

use hype_fakes::faults::InjectedFault;
use serde_json::Value;

use crate::recruiting::{Crowd, Kind, Recruiting, SPEC, key, paid_once, reject_strangers};

const COPY: &str = "copy.study";

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Lets people come until a condition holds, which receives the number of idle rounds.
fn until(study: &Recruiting, crowd: &mut Crowd, mut is_over: impl FnMut(u32) -> bool) {
    let mut idle = 0;
    while !is_over(idle) {
        if crowd.step(study) {
            idle = 0;
            continue;
        }
        idle += 1;
        if idle % 60 == 0 {
            let status = study.status(&["status"]);
            reject_strangers(study, &status);
            for open in status["by_hand"].as_array().unwrap() {
                // The only request that was lost did not arrive.
                study.status(&["pay", "--not-made", &key(&open["payment"])]);
            }
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn restored(kind: Kind, pay: &str) {
    let study = Recruiting::new(kind, 4);
    let faults = study.platform.faults();
    faults.on(pay, InjectedFault::HungBefore);
    let running = study.run(&["--log-level", "off"]);
    let mut crowd = Crowd::new();
    // The others finish while the program waits for the answer to the bonus of the first, and are too few for the study: the original
    // has bonuses to pay that the copy knows, and people to ask.
    crowd.at_most = 1;
    until(&study, &mut crowd, |_| !faults.happened().is_empty());
    crowd.at_most = usize::try_from(study.places).unwrap() - 1;
    until(&study, &mut crowd, |idle| idle > 50);
    running.kill();
    copy_folder(&study.path("study/evaluation.study"), &study.path(COPY));
    crowd.at_most = usize::MAX;
    let mut running = study.run(&["--log-level", "off"]);
    until(&study, &mut crowd, |_| running.has_ended());
    study.platform.faults().end();
    paid_once(&study, &crowd);

    let copy =
        |command: &[&'static str]| [&["crowd"], command, &[SPEC, "--study", COPY, "--production"]].concat();
    let said = study.refuses(&copy(&["status"]));
    assert!(said.contains("that this ledger does not have; nothing is paid again"), "{said}");
    assert!(said.contains("`hype crowd pay SPEC --adopt`"), "{said}");
    if kind == Kind::Prolific {
        let said = study.refuses(&copy(&["pay"]));
        assert!(said.contains("that this ledger does not have"), "{said}");
    }
    let adopted = study.hype(&[&copy(&["pay", "--adopt"])[..], &["--json"]].concat());
    let status: Value = serde_json::from_str(&adopted).unwrap();
    assert_eq!(status["by_hand"], serde_json::json!([]));
    paid_once(&study, &crowd);
    assert_eq!(study.platform.objections(), Vec::<String>::new());
}

#[test]
fn a_copy_of_a_study_with_prolific_pays_nothing() {
    restored(Kind::Prolific, "POST submissions/bonus-payments/");
}

#[test]
fn a_copy_of_a_study_with_mechanical_turk_pays_nothing() {
    restored(Kind::MechanicalTurk, "SendBonus");
}
