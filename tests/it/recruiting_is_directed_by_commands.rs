//! `hype crowd` as an operator uses it, with a fake of Prolific, a served page, and participants with browsers.

#![cfg(all(unix, feature = "fakes"))]

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use hype_fakes::faults::InjectedFault;
use hype_fakes::prolific::{BegunWork, FakeProlific, ProlificSetup};
use hype_fakes::serve::Served as ServedFake;
use serde_json::{Value, json};

use crate::program::ends;
use crate::served::{Browser, Served};

const SPEC: &str = "study/evaluation.yaml";

/// A reason that is long enough for Prolific.
const REASON: &str = "You handed in a code that the study has not given to anybody, and no session of yours was found. Please \
                      write to us if you did take part.";

/// A fake of Prolific that runs during a test.
struct Platform {
    fake: FakeProlific,
    served: ServedFake,
    token: String,
    _runtime: tokio::runtime::Runtime,
}

impl Platform {
    fn start() -> Self {
        let setup = ProlificSetup::default();
        let token = setup.token.clone();
        let fake = FakeProlific::new(setup);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let served = runtime.block_on(fake.serve()).unwrap();
        Self { fake, served, token, _runtime: runtime }
    }

    /// A participant comes to the only study that is open.
    fn arrive(&self) -> BegunWork {
        let open = self.fake.open_studies();
        assert_eq!(open.len(), 1);
        self.fake.arrive(&open[0]).unwrap()
    }

    fn variables(&self) -> [(&str, &str); 1] {
        [("PROLIFIC_TOKEN", &self.token)]
    }

    /// Runs a command of `hype crowd`, which must succeed.
    fn crowd(&self, folder: &Path, arguments: &[&str]) -> String {
        ends(folder, &self.variables(), &[&["crowd"], arguments].concat(), true)
    }

    /// The state of the study after a command.
    fn status(&self, folder: &Path, command: &[&str]) -> Value {
        let arguments = [command, &["--production", "--json"]].concat();
        serde_json::from_str(&self.crowd(folder, &arguments)).unwrap()
    }

    /// Runs a command of `hype crowd`, which must fail, and returns its message.
    fn refuses(&self, folder: &Path, arguments: &[&str]) -> String {
        ends(folder, &self.variables(), &[&["crowd"], arguments, &["--production"]].concat(), false)
    }
}

/// A study of six untimed judgments by one rater for each of three models.
fn study(folder: &Path, backend: &str, payment: &str) {
    let new = ["new", "study", "--task", "hype-infinity", "--images", "24", "--size", "32"];
    crate::program::succeeds(folder, &new);
    let spec = folder.join(SPEC);
    let text = fs::read_to_string(&spec).unwrap();
    let stimuli = text.split("\ntask:").next().unwrap();
    // Free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let text = format!(
        "{stimuli}\ntask: {{ kind: hype_infinity, generated: 3, real: 3 }}\nraters: {{ per_model: 1, qualification: null, \
         payment: {{ base: 1.00, per_correct: 0.02{payment} }} }}\nbackend:\n  page: {{ listen: \"127.0.0.1:{port}\", public_url: \
         \"http://127.0.0.1:{port}/\", contact: lab@example.org }}\n  {backend}\n"
    );
    fs::write(&spec, text).unwrap();
}

/// A participant takes part from the first to the last page. Returns the code that the last one shows.
fn takes_part(server: &Served, arrival: Value) -> String {
    let mut browser = Browser::new(arrival);
    assert_eq!(browser.consent(&server.address)["screen"], "instructions");
    let mut screen = browser.begin(&server.address);
    while screen["screen"] == "trial" {
        screen = browser.judge(&server.address, &screen, "real");
    }
    assert_eq!(screen["screen"], "end", "{screen}");
    screen["code"].as_str().unwrap().to_owned()
}

fn arrival(work: &BegunWork, study: &str) -> Value {
    json!({ "PROLIFIC_PID": work.participant, "STUDY_ID": study, "SESSION_ID": work.submission })
}

/// The sum of a column of an exported table, in millionths.
fn sum(table: &str, column: &str) -> i64 {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let place = reader.headers().unwrap().iter().position(|name| name == column).unwrap();
    let cells = reader.records().map(|row| row.unwrap()[place].parse::<f64>().unwrap());
    cells.map(|amount| (amount * 1e6).round() as i64).sum()
}

fn millionths(amount: &Value) -> i64 {
    (amount.as_f64().unwrap() * 1e6).round() as i64
}

#[test]
fn a_study_is_published_reviewed_paid_audited_and_closed() {
    let platform = Platform::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let url = platform.served.url();
    study(folder, &format!("kind: prolific\n  platform: {{ base_url: \"{url}\" }}"), ", limit: 20.00");

    assert!(platform.refuses(folder, &["status", SPEC]).contains("nothing was published"));
    let published = platform.status(folder, &["publish", SPEC]);
    assert_eq!((&published["demand"], &published["supply"]), (&json!(3), &json!(3)));
    assert_eq!(published["listings"][0]["state"], "open");
    // A rehearsal needs a folder of its own.
    let rehearsal = ends(folder, &platform.variables(), &["crowd", "publish", SPEC], false);
    assert!(rehearsal.contains("has a study with real money"), "{rehearsal}");
    // Nothing more is created when it is repeated.
    platform.status(folder, &["publish", SPEC]);
    platform.status(folder, &["top-up", SPEC]);
    assert_eq!(platform.fake.studies().len(), 1);
    let study = platform.fake.studies()[0].clone();

    let server = Served::start(folder, &["serve", SPEC], &platform.variables());
    let work: Vec<BegunWork> = (0..2).map(|_| platform.arrive()).collect();
    for one in &work {
        let code = takes_part(&server, arrival(one, &study));
        platform.fake.submit(&one.submission, &code).unwrap();
    }
    // A participant hands in a made-up code, and never opens the page.
    let stranger = platform.arrive();
    platform.fake.submit(&stranger.submission, "MADEUP").unwrap();

    let status = platform.status(folder, &["status", SPEC]);
    assert_eq!(
        ["recruited", "finished", "to_review", "approved"].map(|name| status["work"][name].as_u64().unwrap()),
        [3, 2, 3, 0]
    );
    let held = &status["held"].as_array().unwrap()[..];
    assert_eq!((held.len(), &held[0]["rater"]), (1, &Value::Null));
    let name = held[0]["name"].as_str().unwrap();
    let listed = platform.crowd(folder, &["review", SPEC, "--production"]);
    assert!(listed.contains(name) && listed.contains("it was handed in without a session"), "{listed}");

    // A participant cannot be forgotten before the money is paid.
    let forget = ["forget", SPEC, &work[0].participant];
    let refused = ends(folder, &[], &forget, false);
    assert!(refused.contains("no rater was forgotten") && refused.contains("were not paid"), "{refused}");
    assert!(!refused.contains(&work[0].participant), "{refused}");

    let short = platform.refuses(folder, &["review", SPEC, "--reject", name, "--reason", "no"]);
    assert!(short.contains("at least 100 characters"), "{short}");
    platform.crowd(folder, &["review", SPEC, "--production", "--reject", name, "--reason", REASON]);
    assert_eq!(platform.fake.submission_status(&stranger.submission).as_deref(), Some("REJECTED"));

    let paid = platform.status(folder, &["pay", SPEC]);
    assert_eq!((&paid["work"]["approved"], &paid["money"]["promised"]), (&json!(2), &json!(0.0)));
    // Both rewards, and two cents for each of the three real images.
    assert_eq!(millionths(&paid["money"]["paid"]), 2 * 1_060_000);
    assert_eq!(platform.status(folder, &["pay", SPEC])["money"], paid["money"], "nothing is paid twice");
    for one in &work {
        let got = &platform.fake.paid()[&one.submission];
        assert_eq!((&got.rewards[..], &got.bonuses[..]), (&[100][..], &[6][..]));
    }

    let audit: Value =
        serde_json::from_str(&platform.crowd(folder, &["audit", SPEC, "--production", "--json"])).unwrap();
    let sums = ["ledger", "earned", "platform"].map(|name| millionths(&audit[name]));
    assert_eq!(sums, [2_120_000; 3]);
    let exported = ends(folder, &[], &["export", SPEC, "--what", "ledger"], true);
    assert_eq!(sum(&exported, "amount"), 2_120_000);
    assert_eq!(exported.lines().count(), 1 + 4 + 1, "two rewards, two bonuses, a rejection: {exported}");
    let ledger: Value = serde_json::from_str(&platform.crowd(folder, &["ledger", SPEC, "--json"])).unwrap();
    assert_eq!(ledger["payments"].as_array().unwrap().len(), 4);
    assert_eq!(ledger["rejections"][0]["reason"], REASON);
    // No table names a person or a listing.
    let texts = [&exported, &ledger.to_string(), &audit.to_string(), &paid.to_string(), &listed];
    for id in
        work.iter().chain([&stranger]).flat_map(|one| [&one.participant, &one.submission]).chain([&study])
    {
        assert!(texts.iter().all(|text| !text.contains(&**id)), "{id}");
    }

    // The place of the rejected work is listed again.
    let offered = platform.status(folder, &["top-up", SPEC]);
    assert_eq!((&offered["demand"], &offered["supply"]), (&json!(1), &json!(1)));
    let more = platform.status(folder, &["top-up", SPEC, "--places", "1"]);
    assert_eq!((&more["demand"], &more["supply"]), (&json!(2), &json!(2)));
    let closed = platform.status(folder, &["close", SPEC]);
    assert_eq!((&closed["demand"], &closed["listings"][0]["state"]), (&json!(0), &json!("closed")));
    assert!(platform.fake.open_studies().is_empty());
    platform.status(folder, &["publish", SPEC]);
    assert!(platform.fake.open_studies().is_empty(), "a closed study stays closed");
    assert!(server.terminate().success());

    let forgotten = ends(folder, &[], &forget, true);
    assert!(forgotten.contains("1 participant forgotten"), "{forgotten}");
    // What the platform lists of the person is neither paid nor counted again.
    assert_eq!(platform.status(folder, &["pay", SPEC])["money"], paid["money"]);
    let after: Value =
        serde_json::from_str(&platform.crowd(folder, &["audit", SPEC, "--production", "--json"])).unwrap();
    assert_eq!(after, audit);
}

#[test]
fn an_audit_fails_while_something_earned_is_not_paid() {
    let platform = Platform::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let url = platform.served.url();
    // With the limit, a place can be listed, but a typical study cannot be paid.
    study(folder, &format!("kind: prolific\n  platform: {{ base_url: \"{url}\" }}"), ", limit: 5.00");
    platform.status(folder, &["publish", SPEC]);
    let study = platform.fake.studies()[0].clone();
    let server = Served::start(folder, &["serve", SPEC], &platform.variables());
    let work = platform.arrive();
    let code = takes_part(&server, arrival(&work, &study));
    platform.fake.submit(&work.submission, &code).unwrap();
    let message = platform.refuses(folder, &["audit", SPEC]);
    assert!(message.contains("do not agree on 2 payments"), "{message}");

    let spec = folder.join(SPEC);
    let text = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, text.replace("limit: 5.00", "limit: 1.00")).unwrap();
    let message = platform.refuses(folder, &["pay", SPEC]);
    assert!(message.contains("would exceed the spending limit of 1.00"), "{message}");
    assert_eq!(platform.fake.paid().get(&work.submission).map(|paid| paid.rewards.len()), None);
    fs::write(&spec, text).unwrap();
    platform.status(folder, &["pay", SPEC]);
    platform.crowd(folder, &["audit", SPEC, "--production"]);
}

#[test]
fn a_panel_without_an_interface_is_paid_by_hand() {
    let platform = Platform::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(folder, "kind: panel\n  platform: { preset: cloudresearch }", ", limit: 20.00");
    let published = platform.crowd(folder, &["publish", SPEC]);
    assert!(published.contains("/?participantId=ID"), "{published}");
    let server = Served::start(folder, &["serve", SPEC], &[]);
    let code = takes_part(&server, json!({ "participantId": "worker-of-the-panel" }));
    assert!(published.contains(&code), "{published}");

    let due = platform.status(folder, &["pay", SPEC]);
    let open: Vec<String> = due["by_hand"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let payment = &one["payment"];
            format!("{}/{}", payment["session"].as_str().unwrap(), payment["purpose"].as_str().unwrap())
        })
        .collect();
    assert_eq!(open.len(), 2, "{due}");
    let refused = ends(folder, &[], &["forget", SPEC, "worker-of-the-panel"], false);
    assert!(refused.contains("is planned"), "{refused}");
    assert!(platform.refuses(folder, &["audit", SPEC]).contains("do not agree"));
    let unknown = platform.refuses(folder, &["pay", SPEC, "--made", "p000009-000/bonus"]);
    assert!(unknown.contains("the ledger has no payment p000009-000/bonus"), "{unknown}");
    let made = ["pay", SPEC, "--made", &open[0], "--made", &open[1]];
    let paid = platform.status(folder, &made);
    assert_eq!(paid["by_hand"], json!([]));
    assert_eq!(platform.status(folder, &made)["money"], paid["money"], "saying it again changes nothing");
    let audit = platform.crowd(folder, &["audit", SPEC]);
    assert!(audit.contains("all agree on 2 payments"), "{audit}");
}

/// Payments to people are entered at the panel from a sheet, which is read back line by line.
#[test]
fn a_panel_is_paid_by_a_sheet_that_is_read_back() {
    let platform = Platform::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(folder, "kind: panel\n  platform: { preset: cloudresearch }", ", limit: 20.00");
    platform.crowd(folder, &["publish", SPEC]);
    let server = Served::start(folder, &["serve", SPEC], &[]);
    for person in ["first-of-the-panel", "second-of-the-panel", "third-of-the-panel"] {
        takes_part(&server, json!({ "participantId": person }));
    }
    platform.crowd(folder, &["pay", SPEC, "--sheet", "pay.csv"]);
    let sheet = fs::read_to_string(folder.join("pay.csv")).unwrap();
    let lines: Vec<&str> = sheet.lines().collect();
    assert_eq!((lines.len(), lines[0]), (4, "participant,reward,bonus,reason"));
    let first = lines.iter().find(|line| line.starts_with("first-of-the-panel,1.00,0.0")).unwrap();
    assert!(first.ends_with("For your right answers. Thank you!"), "{first}");

    // The sheet has another reward, a line twice, an unknown person and a word.
    let changed = sheet.replace("second-of-the-panel,1.00", "second-of-the-panel,2.00");
    fs::write(
        folder.join("paid.csv"),
        format!("{changed}{first}\nnobody,1.00,,\nthird-of-the-panel,much,,\n"),
    )
    .unwrap();
    let told = platform.refuses(folder, &["pay", SPEC, "--made", "paid.csv"]);
    let second = lines.iter().position(|line| line.starts_with("second")).unwrap() + 1;
    for words in [
        "paid.csv: 4 payments marked as made; 0 lines had been before; 4 lines do not agree with the ledger",
        &format!("paid.csv, line {second}: the ledger has a reward of 1.00, and the sheet 2.00"),
        "paid.csv, line 5: an earlier line has the same participant",
        "paid.csv, line 6: no one with this id took part in the study",
        "paid.csv, line 7: the reward is not an amount such as 2.50",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains("of-the-panel"), "{told}");
    let status = platform.status(folder, &["status", SPEC]);
    assert_eq!(status["by_hand"].as_array().unwrap().len(), 2, "those of the second person: {status}");

    // The rest is made, and reading a sheet again changes nothing.
    platform.crowd(folder, &["pay", SPEC, "--sheet", "rest.csv"]);
    let rest = fs::read_to_string(folder.join("rest.csv")).unwrap();
    assert_eq!(rest.lines().skip(1).map(|line| &line[..6]).collect::<Vec<_>>(), ["second"]);
    let paid = platform.status(folder, &["pay", SPEC, "--made", "rest.csv"]);
    assert_eq!(paid["by_hand"], json!([]));
    for again in ["pay.csv", "rest.csv"] {
        assert_eq!(platform.status(folder, &["pay", SPEC, "--made", again])["money"], paid["money"]);
    }
    let audit = platform.crowd(folder, &["audit", SPEC]);
    assert!(audit.contains("all agree on 6 payments"), "{audit}");
    let unknown = platform.refuses(folder, &["pay", SPEC, "--made", "no.csv"]);
    assert!(unknown.contains("neither a payment, such as p000003-000/bonus, nor a file"), "{unknown}");
}

#[test]
fn sheets_are_for_panels_without_an_interface() {
    let platform = Platform::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(
        folder,
        &format!("kind: prolific\n  platform: {{ base_url: \"{}\" }}", platform.served.url()),
        ", limit: 20.00",
    );
    platform.status(folder, &["publish", SPEC]);
    let refused = platform.refuses(folder, &["pay", SPEC, "--sheet", "pay.csv"]);
    assert!(refused.contains("Prolific is paid through its interface"), "{refused}");
    assert!(!folder.join("pay.csv").exists());
}

/// Operators read what happened, and not where in the program.
#[test]
fn warnings_name_no_modules() {
    let platform = Platform::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(
        folder,
        &format!("kind: prolific\n  platform: {{ base_url: \"{}\" }}", platform.served.url()),
        ", limit: 20.00",
    );
    platform.fake.faults().on("POST studies/", InjectedFault::FailedBefore);
    let server = Served::start(folder, &["run", SPEC, "--production"], &platform.variables());
    let warning = server.said("WARN");
    assert!(warning.contains("the panel") && !warning.contains("hype_"), "{warning}");
}

#[test]
fn raters_who_wait_begin_at_the_call() {
    let platform = Platform::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let backend = format!("kind: prolific\n  platform: {{ base_url: \"{}\" }}", platform.served.url());
    let hold_open = ", limit: 40.00 }, hold_open: { raters: 1, per_hour: 9.00, minutes_at_most: 20";
    study(folder, &backend, hold_open);
    let published = platform.status(folder, &["publish", SPEC]);
    assert_eq!((&published["demand"], &published["supply"]), (&json!(1), &json!(1)));
    let listed = platform.fake.studies()[0].clone();
    let server = Served::start(folder, &["serve", SPEC], &platform.variables());
    let work = platform.arrive();
    let mut browser = Browser::new(arrival(&work, &listed));
    browser.consent(&server.address);
    let waiting = browser.begin(&server.address);
    assert_eq!((&waiting["screen"], &waiting["pay"]), (&json!("waiting"), &json!("0.15")));
    let told = platform.crowd(folder, &["status", SPEC, "--production"]);
    assert!(told.contains("waiting now: 1 of 1"), "{told}");

    let called = platform.status(folder, &["call", SPEC]);
    assert_eq!(called["waiting"], json!({ "waiting": 1, "raters": 1, "is_called": true }));
    assert_eq!((&called["demand"], &called["supply"]), (&json!(3), &json!(3)));
    assert_eq!(platform.status(folder, &["call", SPEC])["demand"], 3, "calling again changes nothing");
    let mut screen = browser.post(&server.address, "/api/wait", json!({})).1;
    while screen["screen"] == "trial" {
        screen = browser.judge(&server.address, &screen, "real");
    }
    assert_eq!(screen["earned"]["waiting"], "0.15");
    platform.fake.submit(&work.submission, screen["code"].as_str().unwrap()).unwrap();
    platform.status(folder, &["pay", SPEC]);
    // Two cents for each of the three real images, and a minute of waiting.
    let got = &platform.fake.paid()[&work.submission];
    assert_eq!((&got.rewards[..], &got.bonuses[..]), (&[100][..], &[21][..]));
    let log = ends(folder, &[], &["operator", "study/evaluation.study", "log"], true);
    assert_eq!(log.matches("called the raters who wait").count(), 1, "{log}");
    let earnings = ends(folder, &[], &["export", "study/evaluation.study", "--what", "earnings"], true);
    assert_eq!(sum(&earnings, "waiting"), 150_000);
    platform.status(folder, &["audit", SPEC]);
}

#[test]
fn calls_need_a_study_that_is_held_open() {
    let platform = Platform::start();
    let folder = tempfile::tempdir().unwrap();
    let backend = format!("kind: prolific\n  platform: {{ base_url: \"{}\" }}", platform.served.url());
    study(folder.path(), &backend, ", limit: 40.00");
    platform.status(folder.path(), &["publish", SPEC]);
    let refused = platform.refuses(folder.path(), &["call", SPEC]);
    assert!(refused.contains("no rater waits in this study"), "{refused}");
}

#[test]
fn real_money_is_spent_within_a_limit() {
    let platform = Platform::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(folder, &format!("kind: prolific\n  platform: {{ base_url: \"{}\" }}", platform.served.url()), "");
    let run =
        ends(folder, &platform.variables(), &["run", SPEC, "--production", "--progress", "none"], false);
    for refused in [platform.refuses(folder, &["publish", SPEC]), run] {
        assert!(refused.contains("raters.payment.limit: `--production` spends real money"), "{refused}");
        assert!(refused.contains("limit: 60.00"), "{refused}");
    }
    assert!(platform.fake.studies().is_empty());
    assert!(!folder.join("study/evaluation.study").exists());
    // A rehearsal needs none.
    platform.crowd(folder, &["publish", SPEC]);
    assert_eq!(platform.fake.open_studies().len(), 1);
}

#[test]
fn nothing_is_owed_for_rejected_work() {
    let platform = Platform::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let backend = format!(
        "kind: prolific\n  platform: {{ base_url: \"{}\" }}\n  review: {{ finished: hold }}",
        platform.served.url()
    );
    study(folder, &backend, ", limit: 20.00");
    platform.status(folder, &["publish", SPEC]);
    let listed = platform.fake.studies()[0].clone();
    let server = Served::start(folder, &["serve", SPEC], &platform.variables());
    let work = platform.arrive();
    let code = takes_part(&server, arrival(&work, &listed));
    platform.fake.submit(&work.submission, &code).unwrap();
    let status = platform.status(folder, &["status", SPEC]);
    let held = &status["held"][0];
    assert_eq!(millionths(&held["earned"]), 1_060_000, "a reward and a bonus");
    let forget = ["forget", SPEC, &work.participant];
    assert!(ends(folder, &[], &forget, false).contains("were not paid"));
    let name = held["name"].as_str().unwrap();
    platform.crowd(folder, &["review", SPEC, "--production", "--reject", name, "--reason", REASON]);
    let paid = platform.status(folder, &["pay", SPEC]);
    assert_eq!((&paid["work"]["rejected"], millionths(&paid["money"]["paid"])), (&json!(1), 0));
    assert!(server.terminate().success());
    let forgotten = ends(folder, &[], &forget, true);
    assert!(forgotten.contains("1 participant forgotten"), "{forgotten}");
}

#[cfg(feature = "mturk")]
#[test]
fn a_service_without_a_sandbox_is_used_with_real_money_only() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    study(
        folder,
        "kind: mturk\n  platform: { endpoint: \"https://turk.example.org\", worker_site: \"https://turk.example.org\", access_key: { env: PATH }, secret_key: { env: PATH } }",
        ", limit: 20.00",
    );
    for command in [&["crowd", "publish", SPEC][..], &["run", SPEC, "--progress", "none"]] {
        let refused = ends(folder, &[], command, false);
        assert!(refused.contains("`platform.endpoint` is https://turk.example.org"), "{refused}");
        assert!(refused.contains("add `--production`"), "{refused}");
    }
    // No folder of a rehearsal is left behind, in which `--production` would be refused.
    assert!(!folder.join("study/evaluation.study").exists());
}
