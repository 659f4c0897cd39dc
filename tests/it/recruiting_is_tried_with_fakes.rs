//! The examples of recruiting studies: planned, checked, and run on one machine with fakes of their platforms.

#![cfg(feature = "fakes")]

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use serde_json::Value;

use crate::program::{ends, fails, hype, json, succeeds};

/// The folder of the examples.
const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");

/// Kinds of backends and the variables with their secrets. Values are made up.
const KINDS: [(&str, &[(&str, &str)]); 3] = [
    ("mturk", &[("AWS_ACCESS_KEY_ID", "AKIAMADEUP"), ("AWS_SECRET_ACCESS_KEY", "made-up")]),
    ("prolific", &[("PROLIFIC_TOKEN", "made-up")]),
    ("panel", &[]),
];

/// The kinds that this program has.
fn kinds() -> impl Iterator<Item = (&'static str, &'static [(&'static str, &'static str)])> {
    KINDS.into_iter().filter(|(kind, _)| cfg!(feature = "mturk") || *kind != "mturk")
}

/// An example, in a folder of its own and with a port of its own.
fn example(folder: &Path, kind: &str) -> String {
    let text = fs::read_to_string(format!("{EXAMPLES}/crowd/{kind}.yaml")).unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let listen = text.split("listen: \"").nth(1).unwrap().split('"').next().unwrap();
    let text = text.replace(listen, &format!("127.0.0.1:{port}"));
    let name = format!("{kind}.yaml");
    fs::write(folder.join(&name), text.replace("../quickstart", &format!("{EXAMPLES}/quickstart"))).unwrap();
    name
}

/// An amount in cents; nothing if there is none.
fn cents(amount: &Value) -> i64 {
    (amount.as_f64().unwrap_or_default() * 100.0).round() as i64
}

#[test]
fn fakes_pay_exactly_the_earnings() {
    for (kind, _) in kinds() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let spec = example(folder, kind);
        let found = json(folder, &["run", &spec, "--fake", "--json", "--progress", "none"]);
        let collected = &found["collected"];
        assert_eq!((&collected["completed"], &collected["places"]), (&12.into(), &12.into()), "{kind}");
        assert!(found["notes"].as_array().unwrap().iter().any(|note| note["code"] == "simulated"), "{kind}");
        let ledger = json(folder, &["crowd", "ledger", &spec, "--json"]);
        let paid = |state: &str| {
            let payments = ledger["payments"].as_array().unwrap().iter();
            payments.filter(|one| one["state"] == state).map(|one| cents(&one["amount"])).sum::<i64>()
        };
        // People pay for a panel without an interface.
        let state = if kind == "panel" { "planned" } else { "confirmed" };
        assert_eq!(paid(state), cents(&found["earnings"]["total"]), "{kind}");
        assert_eq!(ledger["listings"].as_array().unwrap().is_empty(), kind == "panel");
        // A fake that is gone cannot say what it has paid.
        let again = fails(folder, &["run", &spec, "--fake", "--progress", "none"]);
        assert!(again.contains("no fake remembers it"), "{kind}: {again}");
    }
}

#[test]
fn raters_of_a_fake_wait_are_called_and_are_paid_for_it() {
    for (kind, _) in kinds() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let spec = example(folder, kind);
        let text = fs::read_to_string(folder.join(&spec)).unwrap();
        let held = "raters:\n  hold_open: { raters: 3, per_hour: 9.00, minutes_at_most: 20 }\n";
        fs::write(folder.join(&spec), text.replacen("raters:\n", held, 1)).unwrap();
        let output = hype(folder, &["run", &spec, "--fake", "--json", "--progress", "none"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.success() && said.contains("the study is held open: 3 raters at most"),
            "{kind}: {said}"
        );
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["collected"]["completed"], 12, "{kind}");
        // Those who waited got a minute or so.
        let raters = found["earnings"]["raters"].as_array().unwrap();
        let waited: Vec<i64> =
            raters.iter().map(|one| cents(&one["waiting"])).filter(|cents| *cents > 0).collect();
        assert!(
            (3..=4).contains(&waited.len()) && waited.iter().all(|cents| cents % 15 == 0),
            "{kind}: {waited:?}"
        );
        let ledger = json(folder, &["crowd", "ledger", &spec, "--json"]);
        let payments = ledger["payments"].as_array().unwrap().iter();
        let paid: i64 = payments.map(|one| cents(&one["amount"])).sum();
        assert_eq!(paid, cents(&found["earnings"]["total"]), "{kind}");
    }
}

#[test]
fn examples_are_checked_and_planned() {
    let folder = Path::new(EXAMPLES).join("crowd");
    for (kind, secrets) in kinds() {
        let spec = format!("{kind}.yaml");
        let checked = ends(&folder, secrets, &["check", &spec], true);
        assert!(checked.contains("with the fees of"), "{checked}");
        let plan = json(&folder, &["crowd", "plan", &spec, "--json"]);
        assert_eq!(plan["sessions"], 12);
        let listings: Vec<u64> =
            plan["listings"].as_array().unwrap().iter().map(|places| places.as_u64().unwrap()).collect();
        let expected: &[u64] = match kind {
            "mturk" => &[9, 3],
            "prolific" => &[12],
            _ => &[],
        };
        assert_eq!(listings, expected, "{kind}");
        // `check` and `plan` agree about the cost.
        let own = &plan["cost"]["platforms"][0];
        assert!(
            checked.contains(&format!(
                "{:.2} USD with the fees of {}",
                own["total"].as_f64().unwrap(),
                own["platform"].as_str().unwrap()
            )),
            "{kind}: {checked}"
        );
        succeeds(&folder, &["crowd", "plan", &spec]);
    }
}

#[test]
fn mechanical_turk_announces_its_end() {
    if cfg!(not(feature = "mturk")) {
        return;
    }
    let folder = Path::new(EXAMPLES).join("crowd");
    let output = hype(&folder, &["check", "mturk.yaml"]);
    let message = String::from_utf8(output.stderr).unwrap();
    for words in [
        "the closure of Mechanical Turk for 30 September 2026",
        "`kind: prolific` or `kind: panel`",
        "by `endpoint`",
        "AWS_ACCESS_KEY_ID",
    ] {
        assert!(message.contains(words), "{message}");
    }
}

/// Zhou et al. (2019): 1.00 USD for the qualification and 0.02 USD for each right answer, 30 raters of a model, half real and half
/// fake, three blocks of 150 trials with a target of 75 % right.
#[test]
fn the_plan_of_the_hype_paper_is_compared_with_its_reported_cost() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["new", "study", "--images", "300", "--size", "16"]);
    let path = folder.join("study/evaluation.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let backend = text.lines().find(|line| line.starts_with("backend:")).unwrap();
    let one_model: Vec<&str> = text
        .lines()
        .filter(|line| {
            !["  middling:", "  weak:", "    middling:", "    weak:"]
                .iter()
                .any(|start| line.starts_with(start))
        })
        .collect();
    let text = one_model
        .join("\n")
        // Prolific refuses such a pay for such a time.
        .replace(
            backend,
            "backend: { kind: panel, platform: { participant: workerId }, page: { public_url: \"https://rate.example.org/\" } }",
        );
    fs::write(&path, &text).unwrap();
    let plan = ["crowd", "plan", "study/evaluation.yaml", "--cohort", "4"];
    let shown = succeeds(folder, &plan);
    assert!(
        shown.contains("a completed session pays about 7.76 USD (estimated), all of them 232.80 USD"),
        "{shown}"
    );
    assert!(shown.contains("the HYPE paper reports about 360.00 USD for a model"), "{shown}");
    is_in_the_docs(folder, 1);
    // Without time limit.
    let task = text.split("task:").nth(1).unwrap().split("\n\n").next().unwrap();
    fs::write(&path, text.replace(task, " { kind: hype_infinity }")).unwrap();
    let shown = succeeds(folder, &plan);
    assert!(shown.contains("the HYPE paper reports about 60.00 USD for a model"), "{shown}");
    is_in_the_docs(folder, 2);
    // Another pay is another setting.
    fs::write(&path, text.replace("base: 1.00", "base: 2.00")).unwrap();
    assert!(!succeeds(folder, &plan).contains("the HYPE paper"));
}

/// Compares the costs that `docs/reference/crowd.md` states, in one of its columns, with those of the plan.
fn is_in_the_docs(folder: &Path, column: usize) {
    let plan = json(folder, &["crowd", "plan", "study/evaluation.yaml", "--cohort", "4", "--json"]);
    let docs =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/crowd.md")).unwrap();
    let cost = &plan["cost"];
    let at = |platform: &str| {
        let all = cost["platforms"].as_array().unwrap();
        all.iter().find(|one| one["platform"] == platform).unwrap()["total"].clone()
    };
    for (row, amount) in [
        ("30 completed sessions", cost["completed"].clone()),
        ("with 4 raters who fail the qualification", cost["total"].clone()),
        ("with the fees of Mechanical Turk", at("MTurk")),
        ("in HITs of ten or more assignments", at("MTurk, ten or more assignments")),
        ("with the fees of Prolific, academic", at("Prolific, academic")),
    ] {
        let line = docs.lines().find(|line| line.starts_with(&format!("| {row} |"))).unwrap();
        let stated = line.split('|').nth(column + 1).unwrap().trim();
        assert!(stated.starts_with(&format!("{:.2} USD", amount.as_f64().unwrap())), "{row}: {stated}");
    }
}
