//! `hype check` checks the parts of specs on recruiting.

#![cfg(feature = "crowd")]

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{self, succeeds};

/// A panel that needs no secrets.
const PANEL: &str = "kind: panel, platform: { participant: workerId }, page: { public_url: \"https://rate.example.org/\", \
                     contact: lab@example.org }";

/// Writes a spec of HYPE-infinity with a section `raters` and a backend.
fn write(folder: &Path, name: &str, raters: &str, backend: &str) {
    if !folder.join("study").exists() {
        succeeds(folder, &["new", "study", "--task", "hype-infinity", "--images", "40", "--size", "16"]);
    }
    let text = fs::read_to_string(folder.join("study/evaluation.yaml")).unwrap();
    let stimuli = text.split("\ntask:").next().unwrap();
    let text = format!(
        "{stimuli}\ntask: {{ kind: hype_infinity, generated: 10, real: 10 }}\nraters: {{ per_model: 2, qualification: {{ trials: \
         20 }}, {raters} }}\nbackend: {{ {backend} }}\n"
    );
    fs::write(folder.join("study").join(name), text).unwrap();
}

/// The diagnostics of a spec that are about recruiting and money: severity, path and code.
fn found(folder: &Path, name: &str) -> Vec<String> {
    let output = program::hype(folder, &["check", &format!("study/{name}"), "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |one: &Value, field: &str| one[field].as_str().unwrap().to_owned();
    let diagnostics = found["diagnostics"].as_array().unwrap().iter();
    let mut found: Vec<String> = diagnostics
        .map(|one| format!("{} {} {}", text(one, "severity"), text(one, "path"), text(one, "code")))
        .collect();
    found.sort_unstable();
    found
}

fn check(raters: &str, backend: &str, expected: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "spec.yaml", raters, backend);
    assert_eq!(found(folder.path(), "spec.yaml"), expected, "{raters}\n{backend}");
}

#[test]
fn links_or_a_panel_are_recommended_where_strangers_can_enter() {
    let public = "kind: web, public_url: \"https://rate.example.org/\"";
    check("", public, &["note backend.access open-to-strangers"]);
    check("", "kind: web, listen: \"0.0.0.0:7850\"", &["note backend.access open-to-strangers"]);
    check("", &format!("{public}, access: links"), &[]);
    check("", "kind: web", &[]);
    check("", PANEL, &[]);
}

#[test]
fn a_page_alone_does_not_recruit() {
    check(
        "payment: { base: 1.00, limit: 100.00 }, qualified_by: a.study, exclude_participants_of: [b.study], hold_open: { raters: 3, \
         per_hour: 9.00, minutes_at_most: 20 }",
        "kind: web",
        &[
            "error raters.exclude_participants_of not-recruiting",
            "error raters.hold_open not-recruiting",
            "error raters.qualified_by not-recruiting",
            "warning raters.payment.limit unused-limit",
        ],
    );
}

#[test]
fn people_from_elsewhere_need_an_address_and_a_contact() {
    check(
        "payment: { base: 1.00, limit: 100.00 }",
        "kind: panel, platform: { participant: workerId }",
        &["error backend.page.public_url no-public-url", "warning backend.page.contact no-contact"],
    );
    check("payment: { base: 1.00, limit: 100.00 }", PANEL, &[]);
}

#[test]
fn a_panel_pays_whole_cents_within_a_limit() {
    check(
        "payment: { base: 1.005, per_correct: 0.002 }",
        PANEL,
        &[
            "error raters.payment.base too-many-decimals",
            "error raters.payment.per_correct too-many-decimals",
            "warning raters.payment.limit no-limit",
        ],
    );
    check("payment: { base: 1.00, limit: 3.00 }", PANEL, &["warning raters.payment.limit low-limit"]);
    for (held, fault) in [
        ("raters: 3, per_hour: 0", "error raters.hold_open.per_hour unpaid"),
        ("raters: 0, per_hour: 9", "error raters.hold_open.raters out-of-range"),
    ] {
        let held = format!("hold_open: {{ {held}, minutes_at_most: 20 }}");
        check(&format!("payment: {{ base: 1.00, limit: 30.00 }}, {held}"), PANEL, &[fault]);
    }
    // A panel of students, for example, pays no reward.
    check("payment: null", PANEL, &[]);
}

#[test]
fn prolific_asks_for_an_hourly_pay() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let backend =
        "kind: prolific, page: { public_url: \"https://rate.example.org/\", contact: lab@example.org }";
    write(folder, "spec.yaml", "payment: { base: 0.20, per_correct: 0.02, limit: 100.00 }", backend);
    let found = found(folder, "spec.yaml");
    let expected = [
        "error backend.platform no-secret",
        "error raters.payment.base low-hourly-pay",
        "warning backend.platform.vat no-vat",
    ];
    assert_eq!(found, expected);
    write(folder, "spec.yaml", "payment: null", backend);
    assert!(self::found(folder, "spec.yaml").contains(&"error raters.payment no-reward".to_owned()));
}

/// Prolific, with a secret that every machine has.
const PROLIFIC: &str = "kind: prolific, page: { public_url: \"https://rate.example.org/\", contact: lab@example.org }, platform: { \
                        token: { env: PATH }, vat: 0.2 }";

#[test]
fn prolific_lists_what_it_documents() {
    let listed = |listing: &str| format!("{PROLIFIC}, listing: {{ {listing} }}");
    let paid = "payment: { base: 2.00, limit: 100.00 }";
    check(paid, &listed("minutes: 10, minutes_at_most: 29"), &[]);
    // 2 + 2e + 2√e minutes, and less than a day.
    let too_short = "error backend.listing.minutes_at_most too-short";
    check(paid, &listed("minutes: 10, minutes_at_most: 28"), &[too_short]);
    check(
        paid,
        &listed("minutes: 10, minutes_at_most: 1440"),
        &["error backend.listing.minutes_at_most too-long"],
    );
    // Twelve minutes at 8.00 an hour; the study's own estimate is shorter than what people are told.
    let minutes = |base: &str| format!("payment: {{ base: {base}, limit: 100.00 }}");
    check(&minutes("1.60"), &listed("minutes: 12"), &[]);
    check(&minutes("1.59"), &listed("minutes: 12"), &["error raters.payment.base low-hourly-pay"]);
    // Whether tax is due, only the operator knows.
    check(paid, &PROLIFIC.replace(", vat: 0.2", ""), &["warning backend.platform.vat no-vat"]);
    check(paid, &PROLIFIC.replace("0.2", "0"), &[]);
}

#[test]
fn amounts_are_in_a_currency_that_the_platform_pays() {
    check("payment: { currency: GBP, base: 2.00, limit: 100.00 }", PROLIFIC, &[]);
    for currency in ["JPY", "EUR"] {
        check(
            &format!("payment: {{ currency: {currency}, base: 200, limit: 10000 }}"),
            PROLIFIC,
            &["error raters.payment.currency bad-currency"],
        );
    }
    check(
        "payment: { currency: JPY, base: 0.5, per_correct: 1.5, limit: 1000.1 }",
        PANEL,
        &[
            "error raters.payment.base too-many-decimals",
            "error raters.payment.limit too-many-decimals",
            "error raters.payment.per_correct too-many-decimals",
        ],
    );
    check("payment: { currency: JPY, base: 150, per_correct: 2, limit: 10000 }", PANEL, &[]);
    check("payment: { currency: KWD, base: 1.005, per_correct: 0.002, limit: 100 }", PANEL, &[]);
    check(
        "payment: { currency: KWD, base: 1.0005, limit: 100 }",
        PANEL,
        &["error raters.payment.base too-many-decimals"],
    );
    check(
        "payment: { currency: JPY, base: 0.5 }",
        "kind: web",
        &["error raters.payment.base too-many-decimals"],
    );
}

#[test]
fn studies_that_are_named_exist_and_are_other_ones() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let paid = "payment: { base: 1.00, limit: 100.00 }";
    write(folder, "pilot.yaml", paid, PANEL);
    succeeds(folder, &["crowd", "publish", "study/pilot.yaml"]);
    succeeds(folder, &["run", "study/pilot.yaml", "--simulate", "--progress", "none"]);
    let paid_more = "payment: { base: 2.00, limit: 100.00 }";
    let named = |more: &str| {
        write(folder, "next.yaml", &format!("{paid_more}, {more}"), PANEL);
        found(folder, "next.yaml")
    };
    assert!(named("qualified_by: pilot.study, exclude_participants_of: []").is_empty());
    assert!(named("exclude_participants_of: [pilot.study]").is_empty());
    assert_eq!(
        named("qualified_by: nowhere.study, exclude_participants_of: [pilot.study, pilot.simulated, images]"),
        [
            "error raters.exclude_participants_of[1] simulated-study",
            "error raters.exclude_participants_of[2] no-study",
            "error raters.qualified_by no-study",
        ]
    );
    assert_eq!(
        named("qualified_by: pilot.study, exclude_participants_of: [pilot.study]"),
        ["error raters.exclude_participants_of nobody-left"]
    );
    // Prolific keeps pools in a workspace, if the account has one.
    let prolific = |settings: &str| {
        let backend = format!(
            "kind: prolific, page: {{ public_url: \"https://rate.example.org/\", contact: lab@example.org }}, platform: {{ token: {{ env: \
             PATH }}{settings} }}"
        );
        write(folder, "next.yaml", &format!("{paid_more}, exclude_participants_of: [pilot.study]"), &backend);
        let found = found(folder, "next.yaml");
        found.into_iter().filter(|fault| fault.contains("workspace")).collect::<Vec<_>>()
    };
    assert_eq!(prolific(""), ["error backend.platform.workspace no-workspace"]);
    assert!(prolific(", workspace: 60aca280709ee40ec37d4885").is_empty());
    // The recruitment of a study is not part of its digest.
    write(folder, "again.yaml", &format!("{paid}, exclude_participants_of: [pilot.study]"), PANEL);
    assert_eq!(found(folder, "again.yaml"), ["error raters.exclude_participants_of own-study"]);
}

#[test]
fn a_panel_without_an_interface_reviews_by_hand() {
    let paid = "payment: { base: 1.00, limit: 100.00 }";
    for review in ["finished: hold", "unfinished: request-return", "reject: [{ check: cath, reason: \"\" }]"]
    {
        check(paid, &format!("{PANEL}, review: {{ {review} }}"), &["error backend.review by-hand"]);
    }
    check(paid, &format!("{PANEL}, review: {{}}"), &[]);
}

#[test]
fn work_is_rejected_by_checks_that_the_study_has() {
    let reason = "You answered much faster than anybody can look at an image, although the instructions say that such work is not \
                  paid.";
    let check = |check: &str, expected: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let raters = "payment: { base: 1.00, limit: 100.00 }, speed: {}";
        let backend = format!(
            "kind: prolific, page: {{ public_url: \"https://rate.example.org/\", contact: lab@example.org }}, platform: {{ token: {{ env: \
             PATH }} }}, review: {{ reject: [{{ check: {check}, reason: \"{reason}\" }}] }}"
        );
        write(folder.path(), "spec.yaml", raters, &backend);
        let mut found = found(folder.path(), "spec.yaml");
        found.retain(|one| one.contains("review"));
        assert_eq!(found, expected, "{check}");
        folder
    };
    for known in ["speed", "clock", "comprehension", "timing"] {
        check(known, &[]);
    }
    // HYPE-infinity has no catch trials.
    check("catch", &["error backend.review.reject[0].check unknown-check"]);
    check("accuracy", &["error backend.review.reject accuracy"]);
    let folder = check("sped", &["error backend.review.reject[0].check unknown-check"]);
    let output = program::hype(folder.path(), &["check", "study/spec.yaml"]);
    let printed =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("rejects no one") && printed.contains("did you mean `speed`"), "{printed}");
}

/// CloudResearch Connect saves no study that pays less than 7.50 USD an hour, and takes 40 % of those who are not researchers
/// of a university or a charity.
#[test]
fn connect_has_its_minimum_and_its_fees() {
    let connect = "kind: panel, platform: { preset: cloudresearch }, page: { public_url: \"https://rate.example.org/\", contact: \
                   lab@example.org }";
    check("payment: { base: 0.10, limit: 100.00 }", connect, &["error raters.payment.base low-hourly-pay"]);
    check("payment: { base: 2.00, limit: 100.00 }", connect, &[]);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "spec.yaml", "payment: { base: 2.00, limit: 100.00 }", connect);
    let plan = program::json(folder.path(), &["crowd", "plan", "study/spec.yaml", "--json"]);
    let all = plan["cost"]["platforms"].as_array().unwrap();
    let total =
        |name: &str| all.iter().find(|one| one["platform"] == name).map(|one| one["total"].as_f64().unwrap());
    // A fee of a quarter, and of two fifths.
    let (academic, others) =
        (total("CloudResearch Connect").unwrap(), total("CloudResearch Connect, others").unwrap());
    assert!((others / academic - 1.4 / 1.25).abs() < 1e-9, "{academic} {others}");
}
