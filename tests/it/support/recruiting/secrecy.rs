//! What the program writes is searched for ids of people and for secrets, byte by byte.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hype::core::plugin::store::all_sealed;

use super::{Crowd, Recruiting, Running, SPEC};

/// What `hype export` writes, without the ids of participants.
const EXPORTS: [&str; 7] = ["scores", "trials", "answers", "events", "earnings", "ledger", "findings"];

/// The folder of the study's data.
const DATA: &str = "study/evaluation.study";

/// Searches everything that the program has written, but for its database and the links of the operator, for the ids of people,
/// submissions and listings, and for secrets.
pub fn nothing_is_betrayed(study: &Recruiting, crowd: &Crowd, running: &Running) {
    let [out, err] = running.output();
    let mut written = vec![("standard output".to_owned(), out), ("standard error".to_owned(), err)];
    for what in EXPORTS {
        let format = if what == "events" { "jsonl" } else { "csv" };
        let exported = study.hype(&["export", SPEC, "--what", what, "--format", format]);
        assert!(!exported.is_empty(), "{what}");
        written.push((format!("the export of {what}"), exported));
    }
    for command in ["status", "ledger", "audit"] {
        for format in [&[][..], &["--json"]] {
            let money: &[&str] = if command == "ledger" { &[] } else { &["--production"] };
            let arguments = [&[command, SPEC], money, format].concat();
            written.push((format!("hype crowd {command}"), study.crowd(&arguments)));
        }
    }
    written.push(("hype score".to_owned(), study.hype(&["score", SPEC])));
    let (listings, _) = study.platform.listings();
    let secrets = study.platform.variables().iter().map(|(_, secret)| (*secret).to_owned());
    let people = crowd.finished().iter().flat_map(|one| [one.person.clone(), one.work.clone()]);
    let needles: BTreeSet<String> = people.chain(listings).chain(secrets).collect();
    let found = |text: &[u8]| needles.iter().find(|needle| contains(text, needle.as_bytes()));
    for (name, text) in &written {
        assert_eq!(found(text.as_bytes()), None, "in {name}");
    }
    let mut files = 0;
    each_file(&study.path(DATA), &mut |path| {
        if !path.file_name().unwrap().to_string_lossy().starts_with("study.db") {
            files += 1;
            assert_eq!(found(&fs::read(path).unwrap()), None, "in {}", path.display());
        }
    });
    assert!(files >= 2, "findings and a report are among them");
}

/// Forgets a person, of whom nothing is left in the database's files afterwards.
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
