//! Searches the program's output for ids of people and for secrets, byte by byte.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hype::core::plugin::store::all_sealed;
use serde_json::json;

use super::desk::Finished;
use super::{Crowd, Recruiting, Running, SPEC};
use crate::served::{Browser, Served};

/// The files of `hype export`, without the ids of participants.
const EXPORTS: [&str; 8] =
    ["scores", "trials", "answers", "corrections", "events", "earnings", "ledger", "findings"];

/// The folder of the study's data.
const DATA: &str = "study/evaluation.study";

/// A later study, without the people of the first one.
const LATER: &str = "study/later.yaml";

/// Searches everything that the program has written, but for the export of participants and the links of the operator, for the ids of
/// people, submissions and listings, and for secrets.
pub fn nothing_is_betrayed(study: &Recruiting, crowd: &Crowd, running: &Running) {
    let [out, err] = running.output();
    let mut written = vec![("standard output".to_owned(), out), ("standard error".to_owned(), err)];
    written.extend(exported(study));
    written.extend(told(study));
    written.push(("the later study".to_owned(), turned_away(study, crowd)));
    let (listings, _) = study.platform.listings();
    let secrets = study.platform.variables().iter().map(|(_, secret)| (*secret).to_owned());
    let people: BTreeSet<String> =
        crowd.finished().iter().flat_map(|one| [one.person.clone(), one.work.clone()]).collect();
    let needles: BTreeSet<String> = people.iter().cloned().chain(listings).chain(secrets).collect();
    let found = |needles: &BTreeSet<String>, text: &[u8]| {
        let text = text.to_ascii_lowercase();
        needles.iter().find(|needle| contains(&text, needle.to_ascii_lowercase().as_bytes())).cloned()
    };
    for (name, text) in &written {
        assert_eq!(found(&needles, text.as_bytes()), None, "in {name}");
    }
    let mut files = 0;
    each_file(study.folder(), &mut |path| {
        let name = path.file_name().unwrap().to_string_lossy();
        // The ledger has the names of listings, and no others.
        let needles = if name.contains(".db") { &people } else { &needles };
        files += 1;
        assert_eq!(found(needles, &fs::read(path).unwrap()), None, "in {}", path.display());
    });
    assert!(files >= 20, "databases, findings, two reports, a package and logs are among them: {files}");
    // The search finds what is there.
    let participants = study.hype(&["export", SPEC, "--what", "participants"]);
    assert!(found(&people, participants.as_bytes()).is_some(), "{participants}");
}

/// Everything that can be exported but the ids of participants; a package and a report are written into the folder.
fn exported(study: &Recruiting) -> Vec<(String, String)> {
    let mut exported = Vec::new();
    for what in EXPORTS {
        let format = if what == "events" { "jsonl" } else { "csv" };
        let table = study.hype(&["export", SPEC, "--what", what, "--format", format]);
        assert!(!table.is_empty(), "{what}");
        exported.push((format!("the export of {what}"), table));
    }
    study.hype(&["export", SPEC, "--package", "package"]);
    study.hype(&["report", SPEC]);
    exported
}

/// Returns the output of the commands.
fn told(study: &Recruiting) -> Vec<(String, String)> {
    let mut told = vec![("hype score".to_owned(), study.hype(&["score", SPEC]))];
    for command in ["status", "review", "pay", "ledger", "audit"] {
        for format in [&[][..], &["--json"]] {
            let money: &[&str] = if command == "ledger" { &[] } else { &["--production"] };
            let arguments = [&[command, SPEC], money, format].concat();
            told.push((format!("hype crowd {command}"), study.crowd(&arguments)));
        }
    }
    told
}

/// Lists and serves a study without the people of the first one, to which one of them comes and is turned away. Returns what the
/// commands have said.
fn turned_away(study: &Recruiting, crowd: &Crowd) -> String {
    let text = fs::read_to_string(study.path(SPEC)).unwrap();
    let without = "raters:\n  exclude_participants_of: [evaluation.study]\n";
    // Of the same images, and not the same study.
    let text = text.replacen("seed: 20190401", "seed: 1", 1).replacen("raters:\n", without, 1);
    fs::write(study.path(LATER), text).unwrap();
    let mut said = study.crowd(&["publish", LATER, "--production"]);
    let arguments = ["serve", LATER, "--log-level", "debug"];
    let server = Served::start(study.folder(), &arguments, study.platform.variables());
    let is_done = |one: &&Finished| one.earned.1 > 0;
    let known = crowd.finished().iter().find(is_done).unwrap();
    let arrival = study.platform.parameters_of(&known.person);
    let screen = Browser::new(arrival).open(&server.address);
    assert_eq!((&screen["screen"], &screen["reason"]), (&json!("closed"), &json!("excluded")), "{screen}");
    said.push_str(&screen.to_string());
    said.push_str(&server.log());
    assert!(server.terminate().success());
    said.push_str(&study.crowd(&["close", LATER, "--production"]));
    said
}

/// Forgets a person; the database's files contain no trace afterwards.
pub fn person_is_forgotten(study: &Recruiting, person: &str) {
    let path = study.path(DATA).join("study.db");
    let sealed = || {
        let store = hype::store::SqliteStore::open_existing(&path).unwrap();
        let sealed = hype::block_on(all_sealed(&store)).unwrap();
        sealed.into_iter().map(|(_, bytes)| bytes).collect::<BTreeSet<Vec<u8>>>()
    };
    let is_somewhere = |bytes: &[u8]| {
        let files = ["study.db", "study.db-wal"].map(|name| fs::read(path.with_file_name(name)));
        files.into_iter().flatten().any(|file| contains(&file, bytes))
    };
    let before = sealed();
    let forgotten = study.hype(&["forget", SPEC, person]);
    assert!(forgotten.contains("1 participant forgotten"), "{forgotten}");
    let after = sealed();
    let gone: Vec<&Vec<u8>> = before.difference(&after).collect();
    assert_eq!(gone.len(), 1);
    assert!(!is_somewhere(gone[0]), "the sealed ids are still in the file");
    assert!(after.iter().all(|kept| is_somewhere(kept)), "a search of the file finds sealed ids");
    assert!(!is_somewhere(person.as_bytes()));
}

fn each_file(folder: &Path, look: &mut dyn FnMut(&Path)) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { each_file(&path, look) } else { look(&path) }
    }
}

fn contains(text: &[u8], needle: &[u8]) -> bool {
    let first = needle[0];
    let is_there = |(place, _): (usize, &u8)| text[place..].starts_with(needle);
    text.iter().enumerate().filter(|(_, byte)| **byte == first).any(is_there)
}
