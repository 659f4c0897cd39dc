//! A study's folder is copied while its program is paying, or backed up while people answer, and the original goes on. The copy has
//! every answer that was acknowledged before, says that its ledger is behind, pays nothing again, and takes over what was paid by one
//! command.

#![cfg(all(unix, feature = "fakes", feature = "mturk"))]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use hype_fakes::faults::InjectedFault;
use serde_json::Value;

use crate::proof::{row, sized};
use crate::recruiting::{Crowd, Kind, Recruiting, SPEC, key, paid_once, reject_strangers};

const COPY: &str = "copy.study";

/// The rounds of backup and restore with each platform in `./test` and in a proof.
const ROUNDS: [usize; 2] = [2, 25];

/// The answers between two backups.
const APART: u64 = 12;

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

/// Lets people come until a condition holds, which receives them and the number of idle rounds.
fn until(study: &Recruiting, crowd: &mut Crowd, mut is_over: impl FnMut(&Crowd, u32) -> bool) {
    let mut idle = 0;
    while !is_over(crowd, idle) {
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
    until(&study, &mut crowd, |_, _| !faults.happened().is_empty());
    crowd.at_most = usize::try_from(study.places).unwrap() - 1;
    until(&study, &mut crowd, |_, idle| idle > 50);
    running.kill();
    copy_folder(&study.path("study/evaluation.study"), &study.path(COPY));
    crowd.at_most = usize::MAX;
    let mut running = study.run(&["--log-level", "off"]);
    until(&study, &mut crowd, |_, _| running.has_ended());
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

/// Backs a study up while people answer and are paid. Returns the number of answers that were acknowledged before.
fn backed_up(study: &Recruiting, crowd: &mut Crowd, to: &str) -> u64 {
    let before = crowd.answered();
    let mut backup = Command::new(env!("CARGO_BIN_EXE_hype"))
        .current_dir(study.folder())
        .args(["backup", "study/evaluation.study", to])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    loop {
        if let Some(status) = backup.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            return before;
        }
        if !crowd.step(study) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The answers in a study's logs, with those of people who have left.
fn answers(study: &Recruiting, folder: &str) -> u64 {
    let text = study.hype(&["export", folder, "--what", "events", "--format", "jsonl"]);
    text.lines().filter(|line| line.contains("\"answered\"")).count() as u64
}

fn backups(kind: Kind) {
    let [small, proof] = ROUNDS;
    let (rounds, mut done) = (sized(small, proof), 0);
    while done < rounds {
        let study = Recruiting::new(kind, 4);
        let mut crowd = Crowd::new();
        let mut running = study.run(&["--log-level", "off"]);
        let mut acknowledged = Vec::new();
        while done + acknowledged.len() < rounds {
            let wanted = crowd.answered() + APART;
            until(&study, &mut crowd, |crowd, _| running.has_ended() || crowd.answered() >= wanted);
            if running.has_ended() {
                break;
            }
            let to = format!("backup-{}", acknowledged.len());
            acknowledged.push(backed_up(&study, &mut crowd, &to));
        }
        until(&study, &mut crowd, |_, _| running.has_ended());
        paid_once(&study, &crowd);
        for (number, before) in acknowledged.iter().enumerate() {
            study.hype(&["restore", &format!("backup-{number}"), COPY]);
            let kept = answers(&study, COPY);
            assert!(kept >= *before, "{before} answers were acknowledged, {kept} are kept");
            study.hype(&["crowd", "pay", SPEC, "--study", COPY, "--production", "--adopt"]);
            paid_once(&study, &crowd);
            fs::remove_dir_all(study.path(COPY)).unwrap();
        }
        assert_eq!(study.platform.objections(), Vec::<String>::new());
        assert!(!acknowledged.is_empty(), "the study ended before it was backed up");
        done += acknowledged.len();
    }
    row(&[
        &format!("rounds of backup and restore while a study with {} pays", kind.name()),
        &format!("{rounds}, none paid twice"),
    ]);
}

#[test]
fn backups_of_a_study_with_prolific_pay_nothing() {
    backups(Kind::Prolific);
}

#[test]
fn backups_of_a_study_with_mechanical_turk_pay_nothing() {
    backups(Kind::MechanicalTurk);
}
