//! `hype serve` as an operator uses it: several servers with one database, links, participants, an orderly shutdown.

#![cfg(all(unix, feature = "web", feature = "postgres"))]
#![allow(clippy::unwrap_used, dead_code, unreachable_pub, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{self, fails, succeeds};
use crate::served::{Browser, Served, request, untimed_study};

use crate::server;

const SPEC: &str = "study/evaluation.yaml";

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn any_server_continues_any_session_and_one_may_be_killed() {
    let server = server::Server::start(&["fsync=off"]);
    let [url, _] = server.urls("served");
    let variables = [("HYPE_TEST_STORE", &*url)];
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 1, ", contact: lab@example.org", "store: { env: HYPE_TEST_STORE }");
    let first = Served::start(folder.path(), &["serve", SPEC], &variables);
    let second = Served::start(folder.path(), &["serve", SPEC], &variables);
    assert_ne!(first.address, second.address);
    assert_eq!(first.token, second.token, "all servers share one secret");

    let mut raters: Vec<Browser> = (0..3).map(|_| Browser::new(json!({}))).collect();
    let mut screens: Vec<Value> = Vec::new();
    for rater in &mut raters {
        assert_eq!(rater.consent(&first.address)["screen"], "instructions");
        screens.push(rater.begin(&second.address));
    }
    let mut late = Browser::new(json!({}));
    assert_eq!(late.consent(&second.address)["screen"], "closed", "three places, and no more");
    let others = [first.address.clone(), second.address.clone()];
    for trial in 0..3 {
        for (number, rater) in raters.iter_mut().enumerate() {
            let next = rater.judge(&others[(trial + number) % 2], &screens[number], "real");
            screens[number] = next;
        }
    }
    first.kill();
    for (number, rater) in raters.iter_mut().enumerate() {
        while screens[number]["screen"] == "trial" {
            screens[number] = rater.judge(&second.address, &screens[number], "generated");
        }
        assert_eq!(screens[number]["screen"], "end");
    }
    let token = format!("Bearer {}", second.token);
    // The operator sees the places as they were a moment ago.
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let headers = [("Authorization", &*token)];
        let status = request(&second.address, "GET", "/operator/status", &headers, "").json();
        if (&status["done"], &status["held"]) == (&json!(3), &json!(0)) {
            break;
        }
        assert!(Instant::now() < until, "{status}");
        thread::sleep(Duration::from_millis(100));
    }
    assert!(second.terminate().success(), "an orderly shutdown");

    // Scores are read from the database, which requires its address.
    let score = |variable: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_hype"))
            .current_dir(folder.path())
            .args(["score", SPEC, "--verify", "--json"])
            .env("HYPE_TEST_STORE", variable)
            .output()
            .unwrap()
    };
    let found: Value = serde_json::from_slice(&score(&url).stdout).unwrap();
    assert_eq!((&found["collected"]["completed"], &found["collected"]["responses"]), (&json!(3), &json!(18)));
    let refused = score("");
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && message.contains("HYPE_TEST_STORE, which the spec names"),
        "{message}"
    );

    // The folder belongs to that database.
    let spec = folder.path().join(SPEC);
    let text = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, text.replace("store: { env: HYPE_TEST_STORE }", "")).unwrap();
    let message = fails(folder.path(), &["serve", SPEC]);
    assert!(
        message.contains("are stored in a database, but the spec's `store` now says in the folder"),
        "{message}"
    );
    // Synthetic raters never use it.
    fs::write(&spec, text).unwrap();
    succeeds(folder.path(), &["run", SPEC, "--simulate", "1", "--progress", "none"]);
    assert!(folder.path().join("study/evaluation.simulated/study.db").exists());
}

#[test]
fn commands_need_the_spec_and_the_database_alone() {
    let database = server::Server::start(&["fsync=off"]);
    let [url, _] = database.urls("elsewhere");
    let variables = [("HYPE_TEST_STORE", &*url)];
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 1, "", "store: { env: HYPE_TEST_STORE }");
    let run =
        |arguments: &[&str], succeeds: bool| program::ends(folder.path(), &variables, arguments, succeeds);
    let message = run(&["score", SPEC], false);
    assert!(message.contains("nothing was collected for study/evaluation.yaml"), "{message}");
    let server = Served::start(folder.path(), &["serve", SPEC], &variables);
    let mut rater = Browser::new(json!({}));
    rater.consent(&server.address);
    let mut screen = rater.begin(&server.address);
    while screen["screen"] == "trial" {
        screen = rater.judge(&server.address, &screen, "real");
    }
    // Another computer has the spec and its images, and no folder of the study.
    for command in [&["score", SPEC][..], &["export", SPEC], &["operator", SPEC, "pause"]] {
        fs::remove_dir_all(folder.path().join("study/evaluation.study")).unwrap();
        run(command, true);
    }
    assert!(run(&["operator", SPEC, "log"], true).contains("paused the study"));
    assert!(run(&["export", SPEC], true).lines().count() > 1);
}

#[test]
fn a_collection_continues_after_a_restart_of_its_database() {
    for command in ["run", "serve"] {
        let mut database = server::Server::start(&["fsync=off"]);
        let [url, _] = database.urls("restarted");
        let folder = tempfile::tempdir().unwrap();
        untimed_study(folder.path(), 1, "", "store: { env: HYPE_TEST_STORE }");
        let server = Served::start(
            folder.path(),
            &[command, SPEC, "--log-format", "json"],
            &[("HYPE_TEST_STORE", &*url)],
        );
        let mut raters: Vec<Browser> = (0..3).map(|_| Browser::new(json!({}))).collect();
        let mut screens = Vec::new();
        for rater in &mut raters {
            assert_eq!(rater.consent(&server.address)["screen"], "instructions");
            let first = rater.begin(&server.address);
            screens.push(rater.judge(&server.address, &first, "real"));
        }
        database.end("INT");
        let problem = &server.health(503)["problems"][0];
        assert_eq!(problem["problem"], "store-unavailable", "{problem}");
        // Nothing is acknowledged that is not stored, and the page is asked to repeat its report.
        let (status, refused) = raters[0].answer(&server.address, &screens[0], "real");
        assert_eq!((status, &refused["error"]["code"]), (503, &json!("unavailable")), "{refused}");
        let metrics = String::from_utf8(server.operator("/metrics").body).unwrap();
        assert!(metrics.contains("hype_problem{problem=\"store-unavailable\"} 1\n"), "{metrics}");
        let status = server.operator("/operator/status").json();
        assert_eq!((&status["places"], &status["alerts"][0]["problem"]), (&json!(3), &problem["problem"]));
        database.run();
        assert_eq!(server.health(200), json!({ "status": "ok" }));
        for level in ["ERROR", "WARN"] {
            server.logged(level, "store-unavailable");
        }
        for (rater, screen) in raters.iter_mut().zip(&mut screens) {
            while screen["screen"] == "trial" {
                *screen = rater.judge(&server.address, screen, "generated");
            }
            assert_eq!(screen["screen"], "end");
        }
        let status = if command == "run" { server.wait() } else { server.terminate() };
        assert!(status.success(), "{command}: {status}");
    }
}

#[test]
fn operators_have_keys_of_their_own_which_can_be_replaced() {
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 1, "", "");
    let server = Served::start(folder.path(), &["serve", SPEC], &[]);
    let made = |arguments: &[&str]| {
        let said = succeeds(folder.path(), &[&["operator", SPEC, "key"], arguments].concat());
        said.trim().split('#').nth(1).unwrap().to_owned()
    };
    let asked = |token: &str, method: &str, path: &str, body: &str| {
        let headers = [("Authorization", &*format!("Bearer {token}")), ("Content-Type", "application/json")];
        request(&server.address, method, path, &headers, body).status
    };
    let has_status = |token: &str, expected: u16| {
        let until = Instant::now() + Duration::from_secs(10);
        while asked(token, "GET", "/operator/status", "") != expected {
            assert!(Instant::now() < until, "{token} has no status {expected}");
            thread::sleep(Duration::from_millis(50));
        }
    };
    let anna = made(&["anna"]);
    has_status(&anna, 200);
    let [replaced, anna] = [anna, made(&["anna"])];
    has_status(&anna, 200);
    has_status(&replaced, 401);
    let ben = made(&["ben", "--look"]);
    has_status(&ben, 200);
    let pause = json!({ "id": "0".repeat(32), "act": { "kind": "pause" } }).to_string();
    assert_eq!(asked(&ben, "POST", "/operator/act", &pause), 403);
    assert_eq!(asked(&anna, "POST", "/operator/act", &pause), 200);
    let log = succeeds(folder.path(), &["operator", SPEC, "log"]);
    assert!(log.contains("  anna  paused the study") && log.contains("made key 2 of anna"), "{log}");
    // So can the key that the program prints.
    has_status(&server.token, 200);
    let own = made(&["operator"]);
    has_status(&own, 200);
    has_status(&server.token, 401);
    let refused = fails(folder.path(), &["operator", SPEC, "key", "anna.b"]);
    assert!(refused.contains("letters, digits"), "{refused}");
}

#[test]
fn a_link_is_for_one_rater() {
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 2, ", access: links, public_url: \"https://rate.example.org/faces/\"", "");
    let printed = succeeds(folder.path(), &["links", SPEC, "--count", "3"]);
    let links = lines(&printed);
    assert_eq!(links.len(), 3);
    let again = succeeds(folder.path(), &["links", SPEC, "--count", "2", "--from", "2"]);
    assert_eq!(lines(&again), &links[1..], "a number is always the same link");
    let token = |link: &str| {
        let token = link.strip_prefix("https://rate.example.org/faces/?link=").unwrap();
        json!({ "link": token })
    };
    // Links name the public address of the page; this test asks the server itself.
    let spec = folder.path().join(SPEC);
    let text = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, text.replace(", public_url: \"https://rate.example.org/faces/\"", "")).unwrap();
    let message = fails(folder.path(), &["links", SPEC, "--count", "1"]);
    assert!(message.contains("set a port in `listen`, or a `public_url`"), "{message}");
    let server = Served::start(folder.path(), &["serve", SPEC], &[]);
    let mut rater = Browser::new(token(links[0]));
    assert_eq!(rater.consent(&server.address)["screen"], "instructions");
    let reason = |screen: Value| screen["reason"].as_str().unwrap().to_owned();
    assert_eq!(reason(Browser::new(token(links[0])).consent(&server.address)), "link-used");
    assert_eq!(reason(Browser::new(json!({})).consent(&server.address)), "link-invalid");
    assert_eq!(reason(Browser::new(json!({ "link": "1.00" })).consent(&server.address)), "link-invalid");
    assert_eq!(
        rater.open(&server.address)["screen"],
        "instructions",
        "the rater's own page can be loaded again"
    );
}

/// Whether a file of the study's folder contains a text.
fn is_kept(folder: &Path, text: &str) -> bool {
    is_within(&folder.join("study/evaluation.study"), text)
}

/// Whether a file of a folder, or of a folder in it, contains a text.
fn is_within(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        let contains = || fs::read(&path).unwrap().windows(text.len()).any(|part| part == text.as_bytes());
        if path.is_dir() { is_within(&path, text) } else { contains() }
    })
}

#[test]
fn a_panels_export_says_which_raters_have_which_level() {
    let folder = tempfile::tempdir().unwrap();
    let facet = "{ of: raters, table: prolific.csv, participants: Participant id, column: Sex }";
    let age =
        "{ of: raters, table: prolific.csv, participants: Participant id, column: Age, bands: [32, 34] }";
    let facets =
        format!("facets: {{ sex: {facet}, age: {age} }}\naggregate: {{ kind: by_facet, within: sex }}");
    untimed_study(folder.path(), 2, ", participant: PROLIFIC_PID", &facets);
    let server = Served::start(folder.path(), &["run", SPEC], &[]);
    for number in 0..6 {
        let mut rater = Browser::new(json!({ "PROLIFIC_PID": format!("5f3c0ffee{number}") }));
        assert_eq!(rater.consent(&server.address)["screen"], "instructions");
        let mut screen = rater.begin(&server.address);
        while screen["screen"] == "trial" {
            screen = rater.judge(&server.address, &screen, "real");
        }
    }
    assert!(server.wait().success());

    // The export comes after the answers. One person in it never entered the study, and another withdrew consent.
    let mut export =
        "Submission id,Participant id,Status,Age,Sex\n9,5f3c0ffee9,RETURNED,41,Male\n".to_owned();
    for (number, sex) in ["Female", "Male", "Female", "Male", "CONSENT_REVOKED", "Female"].iter().enumerate()
    {
        export += &format!("{number},5f3c0ffee{number},APPROVED,3{number},{sex}\n");
    }
    fs::write(folder.path().join("study/prolific.csv"), export).unwrap();
    let levels = || {
        let said = succeeds(folder.path(), &["run", SPEC, "--progress", "none", "--full"]);
        let findings = fs::read(folder.path().join("study/evaluation.study/findings.json")).unwrap();
        let findings: Value = serde_json::from_slice(&findings).unwrap();
        let of_level = |level: &Value| (level["level"].clone(), level["raters"].clone());
        let levels = findings["measures"][0]["facets"].as_array().unwrap().iter().map(of_level);
        (said, levels.collect::<Vec<_>>())
    };
    let (said, found) = levels();
    assert_eq!(found, [(json!("Female"), json!(3)), (json!("Male"), json!(2))]);
    assert!(said.contains("1 rater without a level of sex"), "{said}");
    for (text, kept) in
        [("Female", true), ("32 to under 34", true), ("5f3c0ffee", false), ("APPROVED", false)]
    {
        assert_eq!(is_kept(folder.path(), text), kept, "{text}");
    }

    // A forgotten person is no longer recognized in the export.
    succeeds(folder.path(), &["forget", SPEC, "5f3c0ffee1"]);
    assert_eq!(levels().1, [(json!("Female"), json!(3)), (json!("Male"), json!(1))]);
}

#[test]
fn participants_are_recognized_exported_on_request_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 1, ", participant: PROLIFIC_PID", "");
    let server = Served::start(folder.path(), &["serve", SPEC], &[]);
    let participant = json!({ "PROLIFIC_PID": "5f3c0ffee" });
    let mut rater = Browser::new(participant.clone());
    assert_eq!(rater.consent(&server.address)["screen"], "instructions");
    assert_eq!(Browser::new(json!({})).consent(&server.address)["screen"], "closed");
    // In another browser the same person resumes the session.
    let mut elsewhere = Browser::new(participant.clone());
    assert_eq!(elsewhere.open(&server.address)["screen"], "instructions");
    assert!(server.terminate().success());

    let exported = |what: &str| succeeds(folder.path(), &["export", SPEC, "--what", what]);
    let participants = exported("participants");
    let rows = lines(&participants);
    assert_eq!((rows[0], rows.len()), ("rater,session,participant", 2));
    assert!(rows[1].ends_with(",p000000-000,5f3c0ffee"), "{participants}");
    for what in ["trials", "answers", "earnings"] {
        assert!(!exported(what).contains("5f3c0ffee"), "{what}");
    }
    assert!(!is_kept(folder.path(), "5f3c0ffee"));
    let message = succeeds(folder.path(), &["forget", SPEC, "5f3c0ffee"]);
    assert!(message.contains("1 participant forgotten"), "{message}");
    assert_eq!(lines(&exported("participants")).len(), 1);
    let message = fails(folder.path(), &["forget", SPEC, "5f3c0ffee"]);
    assert!(message.contains("1 participant of those named did not take part"), "{message}");
}

#[test]
fn the_panels_other_ids_are_exported_with_the_participants_and_forgotten_with_them() {
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 1, ", participant: PROLIFIC_PID", "");
    let server = Served::start(folder.path(), &["serve", SPEC], &[]);
    for arrival in [json!({}), json!({ "PROLIFIC_PID": "" }), json!({ "PROLIFIC_PID": "{{%PROLIFIC_PID%}}" })]
    {
        let screen = Browser::new(arrival).consent(&server.address);
        assert_eq!((&screen["screen"], &screen["reason"]), (&json!("closed"), &json!("participant-invalid")));
    }
    let arrival = json!({
        "PROLIFIC_PID": "5f3c0ffee", "STUDY_ID": "57d0beef", "SESSION_ID": "5e55cafe", "utm": "elsewhere",
    });
    assert_eq!(Browser::new(arrival).consent(&server.address)["screen"], "instructions");
    assert!(server.terminate().success());
    let exported = |what: &str| succeeds(folder.path(), &["export", SPEC, "--what", what]);
    let participants = exported("participants");
    let rows = lines(&participants);
    assert_eq!(rows[0], "rater,session,participant,panel_study,panel_session,assignment,hit");
    assert!(rows[1].ends_with(",p000000-000,5f3c0ffee,57d0beef,5e55cafe,,"), "{participants}");
    for id in ["5f3c0ffee", "57d0beef", "5e55cafe"] {
        assert!(!is_kept(folder.path(), id), "{id}");
    }
    succeeds(folder.path(), &["forget", SPEC, "5f3c0ffee"]);
    assert_eq!(exported("participants"), "rater,session,participant\n");
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 1, ", tls: { certificate: none.pem, key: none.pem }", "");
    let message = fails(folder.path(), &["serve", SPEC]);
    assert!(message.contains("none.pem"), "{message}");
    let spec = folder.path().join(SPEC);
    let text = fs::read_to_string(&spec).unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fs::write(&spec, text.replace(", tls: { certificate: none.pem, key: none.pem }", "")).unwrap();
    let message = fails(folder.path(), &["serve", SPEC, "--listen", &address]);
    assert!(message.contains("cannot listen on") && message.contains(&address), "{message}");
    fs::write(&spec, format!("{text}\nstore: \"postgres://hype:geheim@localhost/db\"\n")).unwrap();
    let message = fails(folder.path(), &["check", SPEC]);
    assert!(
        message.contains("secret-in-spec") && message.contains("store: { env: HYPE_STORE }"),
        "{message}"
    );
}
