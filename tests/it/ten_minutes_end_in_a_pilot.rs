//! The first section of `docs/how-to/crowd.md`, followed to the letter: its commands in their order, with a fake in place of Prolific.

#![cfg(all(unix, feature = "fakes"))]

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hype_fakes::prolific::{FakeProlific, ProlificSetup};
use serde_json::json;

use crate::program::ends;
use crate::served::Browser;

const PAGE: &str = include_str!("../../docs/how-to/crowd.md");

/// The heading of the section.
const SECTION: &str = "## Ten minutes from an account to a pilot";

/// The spec that the section names.
const SPEC: &str = "study/evaluation.yaml";

/// The fenced blocks of the section: their language and their lines without indentation.
fn blocks() -> Vec<(&'static str, Vec<&'static str>)> {
    let section = PAGE.split(SECTION).nth(1).unwrap().split("\n## ").next().unwrap();
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut indent = None;
    for line in section.lines() {
        match (line.trim().strip_prefix("```"), indent) {
            (Some(language), None) => {
                indent = Some(line.len() - line.trim_start().len());
                blocks.push((language, Vec::new()));
            }
            (Some(_), Some(_)) => indent = None,
            (None, Some(indent)) => blocks.last_mut().unwrap().1.push(line.get(indent..).unwrap_or_default()),
            (None, None) => {}
        }
    }
    blocks
}

/// Puts sections in the place of those of the spec with the same names.
pub(crate) fn replace_sections(spec: &Path, sections: &str) {
    let text = fs::read_to_string(spec).unwrap();
    let is_begin = |line: &str| line.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let name = |line: &str| line.split(':').next().unwrap_or_default().to_owned();
    let new: Vec<String> = sections.lines().filter(|line| is_begin(line)).map(name).collect();
    let mut kept = Vec::new();
    let mut is_kept = true;
    for line in text.lines() {
        if is_begin(line) {
            is_kept = !new.contains(&name(line));
        }
        if is_kept {
            kept.push(line);
        }
    }
    fs::write(spec, format!("{}\n{sections}\n", kept.join("\n"))).unwrap();
}

/// People who come as long as there are places, take part, and hand in the code that they read.
fn take_part(fake: &FakeProlific, address: &str, program: &mut Child) {
    let until = Instant::now() + Duration::from_secs(240);
    while program.try_wait().unwrap().is_none() {
        assert!(Instant::now() < until, "the pilot does not end");
        let open = fake.open_studies();
        let Some((study, work)) = open.iter().find_map(|study| Some((study, fake.arrive(study).ok()?)))
        else {
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        let arrival =
            json!({ "PROLIFIC_PID": work.participant, "STUDY_ID": study, "SESSION_ID": work.submission });
        let mut browser = Browser::new(arrival);
        assert_eq!(browser.consent(address)["screen"], "instructions");
        let mut screen = browser.begin(address);
        while screen["screen"] == "trial" {
            screen = browser.judge(address, &screen, "real");
        }
        fake.submit(&work.submission, screen["code"].as_str().unwrap()).unwrap();
    }
}

#[test]
fn the_page_is_followed_to_the_letter() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let fake = FakeProlific::new(ProlificSetup::default());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let served = runtime.block_on(fake.serve()).unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let mut variables: BTreeMap<String, String> = BTreeMap::new();
    let mut followed = Vec::new();
    for (language, lines) in blocks() {
        if language == "yaml" {
            // The test alone knows where its fake and a free port are.
            let sections = lines.join("\n").replace("127.0.0.1:7850", &address)
                + &format!("\n  platform: {{ base_url: \"{}\" }}", served.url());
            replace_sections(&folder.join(SPEC), &sections);
            continue;
        }
        assert_eq!(language, "sh");
        for line in lines {
            let command = line.split(" #").next().unwrap().trim();
            if let Some((name, _)) = command.strip_prefix("export ").and_then(|rest| rest.split_once('=')) {
                variables.insert(name.to_owned(), ProlificSetup::default().token);
                continue;
            }
            let Some(arguments) = command.strip_prefix("hype ") else {
                assert!(command.starts_with("cargo install "), "{command}");
                continue;
            };
            let arguments: Vec<&str> = arguments.split_whitespace().collect();
            let given: Vec<(&str, &str)> =
                variables.iter().map(|(name, value)| (&**name, &**value)).collect();
            followed.push(arguments[..arguments.len().min(2)].join(" "));
            if arguments[0] == "run" && arguments.contains(&"--production") {
                let mut program = Command::new(env!("CARGO_BIN_EXE_hype"));
                let program = program.current_dir(folder).args(&arguments).envs(given);
                let mut program = program.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
                take_part(&fake, &address, &mut program);
                assert!(program.wait().unwrap().success());
            } else {
                ends(folder, &given, &arguments, true);
            }
        }
    }
    let expected = [
        "new study".to_owned(),
        format!("check {SPEC}"),
        "crowd plan".into(),
        format!("run {SPEC}"),
        format!("run {SPEC}"),
        "crowd audit".into(),
    ];
    assert_eq!(followed, expected);
    // Everybody was paid, by requests that Prolific's document knows.
    let paid = fake.paid();
    assert_eq!(paid.len(), 9);
    assert!(paid.values().all(|one| one.rewards == [200] && one.bonuses.len() == 1), "{paid:?}");
    assert_eq!(fake.objections(), [""; 0]);
}
