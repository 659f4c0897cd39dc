//! `hype run` of a recruiting study is killed with SIGKILL again and again: while a platform has a request of it that was or was not
//! carried out, and while participants answer. Started again, it loses no answer that it acknowledged, lists nothing twice, and
//! pays no rater twice. The operator decides on payments of unknown outcome.

#![cfg(all(unix, feature = "fakes", feature = "mturk"))]

use std::collections::BTreeMap;
use std::time::Duration;

use hype::core::{Stream, Streams};
use hype_fakes::faults::InjectedFault;
use serde_json::Value;

use crate::proof::{row, sized};
use crate::recruiting::{
    Crowd, Kind, Recruiting, Running, SPEC, cents, key, made_by_hand, paid_once, reject_strangers,
};

/// The number of kills in `./test` and in a proof.
const KILLS: [u32; 2] = [8, 200];

/// The number of idle rounds before the operator looks at the study.
const PATIENCE: u32 = 60;

/// When the program is killed.
enum Moment {
    /// When the platform has got a request that it will never answer.
    Request { before: usize },
    /// When participants have had so many answers acknowledged.
    Answers(u64),
    /// Not any more.
    Never,
}

impl Moment {
    fn draw(study: &Recruiting, crowd: &Crowd, chance: &mut Stream, left: u32) -> Self {
        if left == 0 {
            return Self::Never;
        }
        if study.platform.kind() == Kind::Panel || chance.below(3) == 0 {
            return Self::Answers(crowd.answered() + 1 + u64::from(chance.below(20)));
        }
        let faults = study.platform.faults();
        let fault = if chance.below(2) == 0 { InjectedFault::HungBefore } else { InjectedFault::HungAfter };
        let before = faults.happened().len();
        faults.at(faults.requests() + u64::from(chance.below(25)), fault);
        Self::Request { before }
    }

    fn has_come(&self, study: &Recruiting, crowd: &Crowd) -> bool {
        match self {
            Self::Request { before } => study.platform.faults().happened().len() > *before,
            Self::Answers(answers) => crowd.answered() >= *answers,
            Self::Never => false,
        }
    }
}

/// Kills one study's program up to so many times. Returns how many times, and how many payments the operator had to settle.
fn killed(kind: Kind, at_most: u32, chance: &mut Stream) -> (u32, usize) {
    let study = Recruiting::new(kind, 4);
    let start = || study.run(&["--log-level", "off"]);
    let mut running: Running = start();
    let mut crowd = Crowd::new();
    let (mut kills, mut settled, mut idle) = (0, 0, 0);
    let mut moment = Moment::draw(&study, &crowd, chance, at_most - kills);
    loop {
        if moment.has_come(&study, &crowd) {
            running.kill();
            kills += 1;
            running = start();
            moment = Moment::draw(&study, &crowd, chance, at_most - kills);
        }
        if running.has_ended() {
            break;
        }
        if crowd.step(&study) {
            idle = 0;
            continue;
        }
        idle += 1;
        if idle % PATIENCE == 0 {
            // Requests of the operator's commands do not break.
            study.platform.faults().end();
            if moment.has_come(&study, &crowd) {
                continue;
            }
            let status = study.status(&["status"]);
            reject_strangers(&study, &status);
            settled += settle(&study, &status);
            moment = Moment::draw(&study, &crowd, chance, at_most - kills);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    study.platform.faults().end();
    assert_eq!(crowd.completed(), study.places as usize, "every place is filled");
    if kind == Kind::Panel {
        made_by_hand(&study, &crowd);
    }
    let status = study.status(&["status"]);
    let (listings, kinds) = study.platform.listings();
    assert_eq!(listings.len(), status["listings"].as_array().unwrap().len(), "{status}");
    assert_eq!(kinds, usize::from(kind != Kind::Panel));
    assert_eq!(status["by_hand"], serde_json::json!([]));
    let audit: Value =
        serde_json::from_str(&study.crowd(&["audit", SPEC, "--production", "--json"])).unwrap();
    let earned = crowd.earned();
    assert_eq!((cents(&audit["ledger"]), cents(&audit["earned"])), (earned, earned));
    if kind != Kind::Panel {
        assert_eq!(cents(&audit["platform"]), earned);
        paid_once(&study, &crowd);
    }
    assert_eq!(study.platform.objections(), Vec::<String>::new());
    (kills, settled)
}

/// Says of each payment that is unclear whether the platform has made it. Returns how many there were.
fn settle(study: &Recruiting, status: &Value) -> usize {
    let open = status["by_hand"].as_array().unwrap();
    if open.is_empty() || study.platform.kind() == Kind::Panel {
        return 0;
    }
    assert_eq!(study.platform.kind(), Kind::Prolific, "everything can be known: {open:?}");
    let table = study.hype(&["export", SPEC, "--what", "participants"]);
    let work: BTreeMap<String, String> = {
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        let columns = reader.headers().unwrap().clone();
        let column = |name: &str| columns.iter().position(|column| column == name).unwrap();
        let (session, work) = (column("session"), column("panel_session"));
        let rows = reader.records().map(|row| row.unwrap());
        rows.map(|row| (row[session].to_owned(), row[work].to_owned())).collect()
    };
    let paid = study.platform.paid();
    for one in open {
        let session = one["payment"]["session"].as_str().unwrap();
        let is_made = paid.get(&work[session]).is_some_and(|paid| !paid.bonuses.is_empty());
        study.status(&["pay", if is_made { "--made" } else { "--not-made" }, &key(&one["payment"])]);
    }
    open.len()
}

fn no_kill_pays_anybody_twice(kind: Kind) {
    let [small, proof] = KILLS;
    let wanted = sized(small, proof);
    let mut chance = Streams::new(16).stream(kind.name());
    let (mut kills, mut settled) = (0, 0);
    while kills < wanted {
        let (more, unclear) = killed(kind, wanted - kills, &mut chance);
        kills += more;
        settled += unclear;
    }
    row(&[&kills.to_string(), &settled.to_string()]);
}

#[test]
fn a_study_with_prolific_is_killed() {
    no_kill_pays_anybody_twice(Kind::Prolific);
}

#[test]
fn a_study_with_mechanical_turk_is_killed() {
    no_kill_pays_anybody_twice(Kind::MechanicalTurk);
}

#[test]
fn a_study_with_a_panel_is_killed() {
    no_kill_pays_anybody_twice(Kind::Panel);
}
