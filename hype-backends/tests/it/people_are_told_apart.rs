//! Who is who: spellings of an id that are one person, values that are not an id, and ids that a platform does not give.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::sync::Arc;

use async_trait::async_trait;
use hype_backends::crowd::access::Money;
use hype_backends::crowd::platform::{Codes, Platform as _};
use hype_backends::crowd::prolific::{HttpTransport, Prolific, ProlificSettings};
use hype_backends::web::wire::request::Arrival;
use hype_backends::web::wire::screen::{ClosedReason, Screen, ScreenKind};
use hype_backends::web::{ArrivalProof, Page, PanelRules, Participants, Services, StudyPeople, SystemClock};
use hype_core::plugin::store::all_sessions;
use hype_core::{Amount, Streams, Study};

use crate::fixture::{Browser, Fixture};
use crate::market::{Kind, TestMarket};
use crate::recruited::{PEOPLE, collected, recruiter, work_of};
use crate::small_task::{SmallTask, study};

fn short(seed: u64) -> Study {
    study(SmallTask { trials: 3, qualifying: 0, needed: 0 }, |spec| {
        spec.protocol.seed = seed;
        spec.collection.raters.per_model = 9;
    })
}

/// A page whose raters come from a panel that names them in the parameter `pid`.
fn panel() -> PanelRules {
    PanelRules { participant: Some("pid".into()), ..PanelRules::default() }
}

async fn opens(service: &Services, parameter: &str, id: &str) -> Screen {
    Browser::new(service).coming_by(parameter, id).open().await.unwrap()
}

fn closed(screen: &Screen) -> Option<ClosedReason> {
    match screen.shown {
        ScreenKind::Closed { reason } => Some(reason),
        _ => None,
    }
}

#[tokio::test]
async fn missing_ids_identify_no_one_in_any_spelling() {
    let page = Page { participant: Some("PROLIFIC_PID".into()), ..Page::default() };
    let fixture = Fixture::new(short(1), page);
    let service = fixture.service().await;
    let mut let_in = Vec::new();
    for id in [
        "undefined",
        "Undefined",
        "null",
        "NULL",
        "None",
        "none",
        "NaN",
        "nil",
        "(null)",
        "<null>",
        "[object Object]",
        "PROLIFIC_PID",
        "prolific_pid",
        "\"\"",
        "''",
        "\u{201c}\u{201d}",
        "\"undefined\"",
        "'null'",
        "",
        " ",
        "\u{200b}",
        "{{%PROLIFIC_PID%}}",
        "%7B%7B%25PROLIFIC_PID%25%7D%7D",
        "participantId",
        "workerId",
        "-",
        "?",
    ] {
        if closed(&opens(&service, "PROLIFIC_PID", id).await) != Some(ClosedReason::ParticipantInvalid) {
            let_in.push(id);
        }
    }
    assert_eq!(let_in, [""; 0]);
}

#[tokio::test]
async fn spellings_of_an_id_are_one_person() {
    let fixture = Fixture::new(short(2), Page::default());
    let service = fixture.panel(panel()).await;
    let mut first = Browser::new(&service).coming_by("pid", "AB12CD34");
    first.agree().await.unwrap();
    first.play().await;
    let mut others = Vec::new();
    for id in [
        "ab12cd34",
        "Ab12Cd34",
        " AB12CD34",
        "AB12CD34\n",
        "AB12\u{200b}CD34",
        "\u{feff}ab12cd34",
        "AB12\u{ad}CD34",
        "\"AB12CD34\"",
        "AB12CD34\u{2060}",
    ] {
        if !matches!(opens(&service, "pid", id).await.shown, ScreenKind::End(_)) {
            others.push(id);
        }
    }
    assert_eq!(others, [""; 0], "mistaken for another person");
    assert_eq!(all_sessions(&fixture.store).await.unwrap().len(), 1);
}

#[tokio::test]
async fn people_of_another_study_are_excluded_in_every_spelling() {
    let earlier = Fixture::new(short(3), Page::default());
    let service = earlier.panel(panel()).await;
    let mut person = Browser::new(&service).coming_by("pid", "AB12CD34");
    person.agree().await.unwrap();
    let people = StudyPeople::of(earlier.study.digest(), Arc::new(earlier.store.clone())).await.unwrap();
    let fixture = Fixture::new(short(4), Page::default());
    let service = fixture.panel(PanelRules { excluded: vec![people], ..panel() }).await;
    for id in ["AB12CD34", "ab12cd34", "ab12\u{200b}cd34"] {
        assert_eq!(closed(&opens(&service, "pid", id).await), Some(ClosedReason::Excluded), "{id:?}");
    }
}

#[tokio::test]
async fn prolific_gives_ids_of_24_lower_case_digits() {
    let clock = Arc::new(SystemClock);
    let address = "http://127.0.0.1:9";
    let transport = HttpTransport::new(address, clock.clone()).unwrap();
    let settings = ProlificSettings::default();
    let participant = Prolific::facts(&settings).participant;
    let account = Prolific::new(settings, Money::Test, (address, "t"), Arc::new(transport), clock).unwrap();
    let codes = Codes { completed: "A".into(), disqualified: "B".into() };
    let rules = PanelRules { participant, ..account.rules(&codes) };
    let fixture = Fixture::new(short(5), Page::default());
    let service = fixture.panel(rules).await;
    let fine = "5f3c0ffee0ddba11cafe1234";
    assert_eq!(closed(&opens(&service, "PROLIFIC_PID", fine).await), None);
    let mut let_in = Vec::new();
    for id in [
        "5F3C0FFEE0DDBA11CAFE1234",
        "5f3c0ffee0ddba11cafe123\u{200b}4",
        "5f3c0ffee0ddba11cafe1234\u{200b}",
        "5f3c0ffee0ddba11cafe123",
        "5f3c0ffee0ddba11cafe12345",
        "5f3c0ffee0ddba11cafe123g",
        "\u{ff15}f3c0ffee0ddba11cafe1234",
        "anybody",
    ] {
        if closed(&opens(&service, "PROLIFIC_PID", id).await) != Some(ClosedReason::ParticipantInvalid) {
            let_in.push(id);
        }
    }
    assert_eq!(let_in, [""; 0]);
}

/// A panel whose signature is the word `signed` before the id.
#[derive(Debug)]
struct Signs;

#[async_trait]
impl ArrivalProof for Signs {
    async fn signed(&self, arrival: &Arrival, page: &str) -> Option<Arrival> {
        assert_eq!(page, "https://rate.example.org/");
        let id = arrival.get("token")?.strip_prefix("signed ")?;
        Some(Arrival::from([("pid".to_owned(), id.to_owned())]))
    }
}

#[tokio::test]
async fn signed_addresses_admit_no_other_name() {
    let page = Page { public_url: Some("https://rate.example.org/".into()), ..Page::default() };
    let fixture = Fixture::new(short(6), page);
    let service = fixture.panel(PanelRules { proof: Some(Arc::new(Signs)), ..panel() }).await;
    assert_eq!(closed(&opens(&service, "pid", "ab12").await), Some(ClosedReason::ParticipantInvalid));
    assert_eq!(
        closed(&opens(&service, "token", "forged ab12").await),
        Some(ClosedReason::ParticipantInvalid)
    );
    let mut signed = Browser::new(&service).coming_by("token", "signed ab12").coming_by("pid", "cd34");
    signed.agree().await.unwrap();
    // The token of a page that is loaded again may be over: its cookie is enough.
    signed.arrival.retain(|(name, _)| name != "token");
    signed.play().await;
    assert!(matches!(signed.open().await.unwrap().shown, ScreenKind::End(_)));
    let people = Participants::of(Arc::new(fixture.store.clone())).await.unwrap();
    assert!(people.session("ab12").await.unwrap().is_some());
    assert!(people.session("cd34").await.unwrap().is_none());
}

#[tokio::test]
async fn sessions_that_the_platform_does_not_list_yet_are_pending() {
    let (study, store, _) = collected().await;
    let market = TestMarket::new(Kind::Blind, Amount(1_000_000), Streams::new(1).stream("faults"), 0);
    let recruiter = recruiter(&study, &store, &market, None, "only").await;
    let counts = async |now| {
        let work = serde_json::to_value(recruiter.step(now).await.unwrap().work).unwrap();
        ["recruited", "finished", "pending"].map(|name| work[name].clone())
    };
    recruiter.publish(0).await.unwrap();
    // One of four has left; no one is listed.
    assert_eq!(counts(0).await, [0, 0, 4]);
    for person in &PEOPLE[1..3] {
        market.submit(&work_of(person), person);
    }
    assert_eq!(counts(1).await, [2, 2, 2]);
    for person in PEOPLE {
        market.submit(&work_of(person), person);
    }
    let all = counts(2).await;
    assert_eq!((&all[0], &all[2]), (&4.into(), &0.into()), "no one was dropped");
}
