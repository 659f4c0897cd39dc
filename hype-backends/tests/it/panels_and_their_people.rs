//! Raters who come from a panel: previews, the same person twice, people of other studies, the ways back, and freed places.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::sync::Arc;

use hype_backends::web::settings::{Completion, Handover};
use hype_backends::web::wire::request::Whereabouts;
use hype_backends::web::wire::screen::{
    ClosedReason, EndScreen, HandIn, Screen, ScreenKind, SessionElsewhere, WayBack,
};
use hype_backends::web::{
    PANEL_PARAMETERS, Page, PanelRules, Participants, PreviewMark, ReturnSignature, Services, StudyPeople,
    SubmitForm,
};
use hype_core::plugin::store::all_sessions;
use hype_core::protocol::places::{PlaceChange, Release};
use hype_core::study::places::StudyPlaces;
use hype_core::study::session::place_and_attempt;
use hype_core::{
    Amount, Ending, PassMark, PassRule, Payment, Phase, Qualification, Session, SessionRecord, StoreExt as _,
    Study,
};
use hype_store::MemoryStore;
use hype_tasks::{HypeInfinity, HypeTime};
use serde_json::json;

use crate::fixture::{Browser, Fixture, kind};
use crate::small_task::{SmallTask, study};

const PLATFORM: &str = "https://www.mturk.com";

/// A study of three trials without a qualification.
fn short(per_model: u32, seed: u64) -> Study {
    study(SmallTask { trials: 3, qualifying: 0, needed: 0 }, |spec| {
        spec.protocol.seed = seed;
        spec.collection.raters.per_model = per_model;
        spec.collection.raters.replacements = 2;
    })
}

/// A study with a qualification of two trials, which pays 1 USD and 2 cents for each right answer.
fn tested(seed: u64, at_least: f64) -> Study {
    study(HypeInfinity { generated: 2.into(), real: 2.into() }, |spec| {
        spec.protocol.seed = seed;
        spec.collection.raters.per_model = 4;
        spec.protocol.qualification =
            Some(Qualification { trials: 2, pass: PassMark { rule: PassRule::Overall, at_least } });
        let (base, per_correct) = (Amount(1_000_000), Amount(20_000));
        spec.protocol.payment = Some(Payment { base, per_correct, ..Payment::default() });
    })
}

/// The rules of a panel like Mechanical Turk.
fn turk() -> PanelRules {
    let code = |code: &str| Some(Handover { code: Some(code.into()), redirect: None });
    PanelRules {
        participant: Some("workerId".into()),
        preview: Some(PreviewMark {
            parameter: "assignmentId".into(),
            value: "ASSIGNMENT_ID_NOT_AVAILABLE".into(),
        }),
        framed_by: vec![PLATFORM.into()],
        completion: Completion {
            screened_out: None,
            completed: code("D0NE"),
            disqualified: code("0UT"),
            left: code("L3FT"),
            declined: None,
        },
        submit: Some(SubmitForm {
            address: "turkSubmitTo".into(),
            origins: vec![PLATFORM.into()],
            path: "/mturk/externalSubmit".into(),
            fields: vec!["assignmentId".into()],
        }),
        ..PanelRules::default()
    }
}

/// A worker with an assignment, in a separate browser.
fn worker(service: &Services, id: &str, assignment: &str) -> Browser {
    Browser::new(service)
        .coming_by("workerId", id)
        .coming_by("assignmentId", assignment)
        .coming_by("hitId", "H")
        .coming_by("turkSubmitTo", PLATFORM)
}

fn end(screen: Screen) -> EndScreen {
    let ScreenKind::End(end) = screen.shown else { panic!("not the end but {screen:?}") };
    end
}

fn closed(screen: &Screen) -> ClosedReason {
    let ScreenKind::Closed { reason } = screen.shown else { panic!("not closed but {screen:?}") };
    reason
}

/// The form that hands an assignment in.
fn form(assignment: &str, code: &str, ending: &str) -> HandIn {
    let fields = [("assignmentId", assignment), ("code", code), ("ending", ending)];
    HandIn {
        action: format!("{PLATFORM}/mturk/externalSubmit"),
        fields: fields.map(|(name, value)| (name.into(), value.to_owned())).into(),
    }
}

async fn people(store: &MemoryStore) -> Participants {
    Participants::of(Arc::new(store.clone())).await.unwrap()
}

/// Returns what is kept of a session's assignment.
async fn assignment(store: &MemoryStore, session: &str) -> String {
    people(store).await.roster().await.unwrap().ids(session).unwrap().parameters["assignmentId"].clone()
}

#[tokio::test]
async fn a_preview_says_what_the_task_is_and_stores_nothing() {
    let mut fixture = Fixture::new(tested(7, 0.0), Page::default());
    fixture.page.title = Some("Faces".into());
    let service = fixture.panel(turk()).await;
    for arrival in [
        vec![("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE"), ("hitId", "H")],
        vec![("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE"), ("workerId", "W1")],
    ] {
        for (language, word) in
            [("en", "image"), ("de", "Bild"), ("es", "imágenes"), ("zh", "图"), ("ar", "صور")]
        {
            let mut browser = Browser { language, ..Browser::new(&service) };
            browser.arrival = arrival.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
            for shown in [Whereabouts::Frame, Whereabouts::Window, Whereabouts::Aside] {
                browser.shown = shown;
                let screen = browser.open().await.unwrap();
                assert_eq!((&*screen.language, screen.study.title.as_deref()), (language, Some("Faces")));
                let ScreenKind::Preview(preview) = screen.shown else { panic!("{screen:?}") };
                let guidance = format!("{:?}", preview.guidance).to_lowercase();
                assert!(guidance.contains(&word.to_lowercase()), "{language}: {guidance}");
                assert!(!preview.consent.is_empty());
                assert_eq!(preview.pay.unwrap().base, "1.00");
                assert_eq!((preview.test.unwrap().trials, preview.minutes.is_some()), (2, true));
            }
            // A consent that is made up gets no further.
            let consent = Browser::new(&service).coming_by("workerId", "W1").open().await.unwrap();
            let ScreenKind::Consent(consent) = consent.shown else { panic!("{consent:?}") };
            assert_eq!(kind(&browser.agree_to(&consent.text, Some(true)).await.unwrap()), "preview");
            assert_eq!(browser.cookie, None);
        }
    }
    assert!(all_sessions(&fixture.store).await.unwrap().is_empty());
    assert_eq!(fixture.store.entries::<PlaceChange>(0).await.unwrap().0, []);
    assert!(people(&fixture.store).await.roster().await.unwrap().is_empty());
}

#[tokio::test]
async fn every_ending_has_its_own_way_back() {
    let fixture = Fixture::new(tested(7, 1.0), Page::default());
    let service = fixture.panel(turk()).await;
    let mut outcomes = Vec::new();
    for (id, judged) in [("W1", "real"), ("W2", "generated"), ("W3", "real")] {
        let mut browser = worker(&service, id, &format!("A of {id}"));
        browser.agree().await.unwrap();
        let mut screen = browser.begin().await.unwrap();
        if id == "W3" {
            outcomes.push(end(browser.leave().await.unwrap()));
            continue;
        }
        while let ScreenKind::Trial(shown) = &screen.shown {
            let answer = json!({ "judgment": judged });
            screen = browser.answer_with(shown.trial.number, 0, answer).await.unwrap().next;
        }
        outcomes.push(end(screen));
    }
    // Half of the images are real, so raters who always give one answer do not pass.
    let endings = outcomes.iter().map(|end| (end.ending, end.hand_in.clone(), end.again));
    let expected = [
        (Ending::Disqualified, Some(form("A of W1", "0UT", "disqualified")), false),
        (Ending::Disqualified, Some(form("A of W2", "0UT", "disqualified")), false),
        (Ending::Left, Some(form("A of W3", "L3FT", "left")), false),
    ];
    assert_eq!(endings.collect::<Vec<_>>(), expected);
    let short = Fixture::new(short(2, 7), Page::default());
    let plain = short.service().await;
    let service = short.panel(turk()).await;
    // Who declines returns to the panel, which has no code for that.
    for (service, expected) in [(&service, Some(WayBack::default())), (&plain, None)] {
        let screen = worker(service, "W0", "A").open().await.unwrap();
        let ScreenKind::Consent(consent) = screen.shown else { panic!("no consent") };
        assert_eq!(consent.declined, expected);
    }
    let done = end(worker(&service, "W1", "A").take_part().await);
    assert_eq!(done.hand_in, Some(form("A", "D0NE", "completed")));
    // Without an address for the form, raters get the code.
    let mut other = worker(&service, "W2", "A");
    other.arrival.retain(|(name, _)| name != "turkSubmitTo");
    other.arrival.push(("turkSubmitTo".into(), "https://www.mturk.com.evil.example".into()));
    let done = end(other.take_part().await);
    assert_eq!((done.hand_in, done.code.as_deref()), (None, Some("D0NE")));
}

#[tokio::test]
async fn people_are_redirected_with_their_ids_and_a_signature() {
    let redirect = |address: &str| Some(Handover { code: None, redirect: Some(address.into()) });
    let own = Handover { code: Some("0WN".into()), redirect: Some("https://own.example/".into()) };
    let rules = PanelRules {
        participant: Some("PID".into()),
        completion: Completion {
            screened_out: None,
            completed: redirect(
                "https://panel.example/done?p={participant}&s={SESSION_ID}&k={session}&e={ending}&x={STUDY_ID}",
            ),
            declined: redirect("https://panel.example/declined?p={participant}&e={ending}&c={code}"),
            left: redirect("https://panel.example/left"),
            disqualified: None,
        },
        signature: Some(ReturnSignature::new("sig", b"secret")),
        ..PanelRules::default()
    };
    let page =
        Page { completion: Completion { left: Some(own), ..Completion::default() }, ..Page::default() };
    let fixture = Fixture::new(short(3, 7), page);
    let service = fixture.panel(rules).await;
    let from = |id: &str| Browser::new(&service).coming_by("PID", id).coming_by("SESSION_ID", "s/1 ");
    let mut browser = from("a&b");
    let ScreenKind::Consent(consent) = browser.open().await.unwrap().shown else { panic!("no consent") };
    let declined = consent.declined.clone().unwrap().redirect.unwrap();
    // Computed by Python's `hmac` with the key `secret`.
    assert_eq!(
        &*declined,
        "https://panel.example/declined?p=a%26b&e=declined&c=&sig=76782d0309da46fcd60b4a789d497d878d17e00079aabcb8e0c1d7f9d16ffee7"
    );
    browser.arrival[1].1 = "s/1".into();
    let done = end(browser.take_part().await).redirect.unwrap();
    let address = "https://panel.example/done?p=a%26b&s=s%2F1&k=p000000-000&e=completed&x=";
    assert_eq!(
        *done,
        format!("{address}&sig=e89dc78e3663001201e25a1c96a7f1f5caf510373ace361346178d7e716e67e5")
    );
    // The page's own way comes first.
    let mut leaver = from("c");
    leaver.agree().await.unwrap();
    let left = end(leaver.leave().await.unwrap());
    assert_eq!(left.code.as_deref(), Some("0WN"));
    assert!(left.redirect.unwrap().starts_with("https://own.example/?sig="));
    // People who were forgotten meanwhile are not named.
    let mut forgotten = from("d");
    forgotten.agree().await.unwrap();
    assert!(people(&fixture.store).await.forget("d", 0).await.unwrap());
    let done = end(forgotten.play().await).redirect.unwrap();
    assert!(done.starts_with("https://panel.example/done?p=&s=&k=p000001-001&e=completed&x=&sig="), "{done}");
}

#[tokio::test]
async fn a_person_with_another_assignment_resumes_and_hands_in_the_newest() {
    let fixture = Fixture::new(short(4, 7), Page::default());
    let services = [fixture.panel(turk()).await, fixture.panel(turk()).await];
    let mut first = worker(&services[0], "W1", "A1");
    first.agree().await.unwrap();
    first.begin().await.unwrap();
    first.answer(0).await.unwrap();
    assert_eq!(assignment(&fixture.store, "p000000-000").await, "A1");
    // Another browser, at another server, through another HIT.
    let mut second = worker(&services[1], "W1", "A2");
    assert_eq!(kind(&second.open().await.unwrap()), "trial");
    assert_eq!(assignment(&fixture.store, "p000000-000").await, "A2");
    assert_eq!(all_sessions(&fixture.store).await.unwrap().len(), 1);
    second.answer(1).await.unwrap();
    let done = end(second.answer(2).await.unwrap().next);
    assert_eq!((done.hand_in, done.again), (Some(form("A2", "D0NE", "completed")), false));
    // The first browser, whose page is behind, hands in what it came with, and is told so.
    let late = end(first.open().await.unwrap());
    assert_eq!((late.hand_in, late.again), (Some(form("A1", "D0NE", "completed")), true));
    // The session is over: what it was handed in through stays.
    let again = end(worker(&services[0], "W1", "A3").open().await.unwrap());
    assert_eq!((again.hand_in, again.again), (Some(form("A3", "D0NE", "completed")), true));
    assert_eq!(assignment(&fixture.store, "p000000-000").await, "A2");
    // Who left has taken part.
    let mut leaver = worker(&services[0], "W2", "A4");
    leaver.agree().await.unwrap();
    leaver.leave().await.unwrap();
    let screen = worker(&services[1], "W2", "A5").open().await.unwrap();
    assert_eq!(closed(&screen), ClosedReason::TookPart);
}

#[tokio::test]
async fn people_who_share_a_browser_keep_their_own_sessions() {
    let fixture = Fixture::new(short(4, 7), Page::default());
    let service = fixture.panel(turk()).await;
    let mut one = worker(&service, "W1", "A1");
    one.agree().await.unwrap();
    let mut other = worker(&service, "W2", "A2");
    other.cookie = one.cookie.clone();
    let done = end(other.take_part().await);
    assert_eq!(done.hand_in, Some(form("A2", "D0NE", "completed")));
    assert_ne!(other.cookie, one.cookie);
    one.cookie = other.cookie.clone();
    assert_eq!(kind(&one.open().await.unwrap()), "instructions");
    assert_eq!(all_sessions(&fixture.store).await.unwrap().len(), 2);
    // A page that was reloaded has no parameters any more.
    let reload = Browser { arrival: Vec::new(), ..one.clone() };
    assert_eq!(kind(&reload.clone().open().await.unwrap()), "instructions");
    // Without a panel, the browser's session comes first.
    let page = Page { participant: Some("workerId".into()), ..Page::default() };
    let plain = Fixture::new(short(4, 7), page).service().await;
    let mut one = worker(&plain, "W1", "A1");
    one.agree().await.unwrap();
    let mut other = worker(&plain, "W2", "A2");
    other.cookie = one.cookie.clone();
    assert_eq!(kind(&other.open().await.unwrap()), "instructions");
}

#[tokio::test]
async fn people_of_excluded_studies_are_closed_out_before_anything_is_stored() {
    let earlier = Fixture::new(short(4, 1), Page::default());
    let service = earlier.panel(turk()).await;
    worker(&service, "W1", "A1").take_part().await;
    worker(&service, "W2", "A2").open().await.unwrap();
    let excluded = StudyPeople::of(earlier.study.digest(), Arc::new(earlier.store.clone())).await.unwrap();
    assert!(excluded.took_part("W1").await.unwrap());
    assert!(!excluded.took_part("W2").await.unwrap(), "who only looked did not take part");
    let fixture = Fixture::new(short(4, 2), Page::default());
    let open = fixture.panel(turk()).await;
    let mut early = worker(&open, "W1", "B0");
    early.agree().await.unwrap();
    let service = fixture.panel(PanelRules { excluded: vec![excluded.clone()], ..turk() }).await;
    // Who is in a session already finishes it.
    early.service = service.clone();
    assert_eq!(kind(&early.open().await.unwrap()), "instructions");
    people(&fixture.store).await.forget("W1", 0).await.unwrap();
    let (changes, sessions) =
        (fixture.store.entries::<PlaceChange>(0).await.unwrap(), all_sessions(&fixture.store).await.unwrap());
    let mut returned = worker(&service, "W1", "B1");
    assert_eq!(closed(&returned.open().await.unwrap()), ClosedReason::Excluded);
    let mut other = worker(&service, "W2", "B2");
    let ScreenKind::Consent(consent) = other.open().await.unwrap().shown else { panic!("no consent") };
    assert_eq!(closed(&returned.agree_to(&consent.text, Some(true)).await.unwrap()), ClosedReason::Excluded);
    assert_eq!(returned.cookie, None);
    assert_eq!(fixture.store.entries::<PlaceChange>(0).await.unwrap(), changes);
    assert_eq!(all_sessions(&fixture.store).await.unwrap(), sessions);
    assert!(people(&fixture.store).await.roster().await.unwrap().is_empty());
    assert_eq!(end(other.take_part().await).ending, Ending::Completed);
    // A person forgotten by the earlier study can take part.
    people(&earlier.store).await.forget("W1", 0).await.unwrap();
    assert_eq!(kind(&worker(&service, "W1", "B3").open().await.unwrap()), "consent");
    assert!(!format!("{excluded:?}").contains("W1"));
}

#[tokio::test]
async fn only_people_of_the_pool_take_part_and_skip_the_qualification() {
    let earlier = Fixture::new(tested(1, 0.0), Page::default());
    let service = earlier.panel(turk()).await;
    let answer = json!({ "judgment": "real" });
    for (id, answers) in [("W1", 6), ("W2", 2)] {
        let mut browser = worker(&service, id, "A");
        browser.agree().await.unwrap();
        browser.begin().await.unwrap();
        for number in 0..answers {
            browser.answer_with(number, 0, answer.clone()).await.unwrap();
        }
    }
    let pool = StudyPeople::of(earlier.study.digest(), Arc::new(earlier.store.clone())).await.unwrap();
    assert!(pool.has_qualified("W1").await.unwrap());
    assert!(!pool.has_qualified("W2").await.unwrap(), "the log does not say how the test went");
    assert!(!pool.has_qualified("W3").await.unwrap());

    let fixture = Fixture::new(tested(2, 0.0), Page::default());
    let service = fixture.panel(PanelRules { qualified: Some(pool), ..turk() }).await;
    let mut known = worker(&service, "W1", "B1");
    let ScreenKind::Consent(shown) = known.open().await.unwrap().shown else { panic!("no consent") };
    let consent = shown.text.clone();
    let ScreenKind::Instructions(instructions) = known.agree().await.unwrap().shown else { panic!("none") };
    assert_eq!(instructions.test, None);
    let mut screen = known.begin().await.unwrap();
    let ScreenKind::Trial(first) = &screen.shown else { panic!("{screen:?}") };
    assert_eq!((first.trial.phase, first.progress.at_most), (Phase::Main, 4));
    while let ScreenKind::Trial(shown) = &screen.shown {
        // Any process continues the session without the qualification.
        known.service = fixture.service().await;
        screen = known.answer_with(shown.trial.number, 0, answer.clone()).await.unwrap().next;
    }
    let done = end(screen);
    assert_eq!((done.ending, done.earned.unwrap().base), (Ending::Completed, "1.00".to_owned()));
    let log = fixture.store.load("p000000-000").await.unwrap();
    Session::replay(&fixture.study, log.clone()).unwrap();
    let record = SessionRecord::from_events(log).unwrap();
    assert_eq!(record.header.qualified_in.as_deref(), Some(&*earlier.study.digest().short()));
    assert!(record.trials.iter().all(|trial| trial.shown.phase == Phase::Main));

    // People who have not passed it there cannot take part, whether or not they took part there.
    let changes = fixture.store.entries::<PlaceChange>(0).await.unwrap();
    for id in ["W2", "W3"] {
        let mut other = worker(&service, id, "B2");
        assert_eq!(closed(&other.open().await.unwrap()), ClosedReason::NotQualified, "{id}");
        assert_eq!(closed(&other.agree_to(&consent, Some(true)).await.unwrap()), ClosedReason::NotQualified);
        assert_eq!(other.cookie, None);
    }
    assert_eq!(fixture.store.entries::<PlaceChange>(0).await.unwrap(), changes);
    assert_eq!(all_sessions(&fixture.store).await.unwrap().len(), 1);
    // Who skipped it belongs to the pool of the next study.
    let next = StudyPeople::of(fixture.study.digest(), Arc::new(fixture.store.clone())).await.unwrap();
    assert!(next.has_qualified("W1").await.unwrap());
    // Also a study without its own qualification.
    let plain = Fixture::new(short(4, 3), Page::default());
    let service = plain.panel(PanelRules { qualified: Some(next), ..turk() }).await;
    assert_eq!(kind(&worker(&service, "W1", "C1").open().await.unwrap()), "consent");
    assert_eq!(closed(&worker(&service, "W2", "C2").open().await.unwrap()), ClosedReason::NotQualified);
}

#[tokio::test]
async fn timed_tasks_continue_outside_the_frame() {
    let timed = |seed| {
        study(HypeTime { blocks: 1.into(), trials_per_block: 2.into(), ..HypeTime::default() }, |spec| {
            spec.protocol.seed = seed;
            spec.collection.raters.per_model = 4;
            spec.protocol.qualification = None;
        })
    };
    let fixture = Fixture::new(timed(7), Page::default());
    let service = fixture.panel(turk()).await;
    let aside = |screen: &Screen| match screen.shown {
        ScreenKind::Aside { session } => session,
        _ => panic!("not aside but {screen:?}"),
    };
    let mut frame = Browser { shown: Whereabouts::Frame, ..worker(&service, "W1", "A1") };
    assert_eq!(aside(&frame.open().await.unwrap()), SessionElsewhere::None);
    let mut window = worker(&service, "W1", "A1");
    window.agree().await.unwrap();
    window.begin().await.unwrap();
    let log = fixture.store.load("p000000-000").await.unwrap();
    // The frame asks often, changes nothing, and does not take the session over.
    for _ in 0..3 {
        assert_eq!(aside(&frame.open().await.unwrap()), SessionElsewhere::Open);
        let mut other = Browser { shown: Whereabouts::Frame, ..worker(&service, "W1", "A0") };
        assert_eq!(aside(&other.open().await.unwrap()), SessionElsewhere::Open);
    }
    assert_eq!(fixture.store.load("p000000-000").await.unwrap(), log);
    assert_eq!(assignment(&fixture.store, "p000000-000").await, "A1");
    let answer = json!({ "judgment": "real" });
    window.answer_with(0, 0, answer.clone()).await.unwrap();
    window.answer_with(1, 0, answer).await.unwrap();
    let done = end(frame.open().await.unwrap());
    assert_eq!(done.hand_in, Some(form("A1", "D0NE", "completed")));
    // A session that has expired cannot be waited for.
    worker(&service, "W2", "A2").agree().await.unwrap();
    fixture.clock.forward(25 * 3_600_000_000);
    let mut late = Browser { shown: Whereabouts::Frame, ..worker(&service, "W2", "A2") };
    assert_eq!(closed(&late.open().await.unwrap()), ClosedReason::Expired);
    // Who cannot take part is told so in the frame.
    let full = Fixture::new(short(1, 7), Page::default()).panel(turk()).await;
    worker(&full, "W1", "A1").take_part().await;
    let mut frame = Browser { shown: Whereabouts::Aside, ..worker(&full, "W2", "A2") };
    assert_eq!(aside(&frame.open().await.unwrap()), SessionElsewhere::None, "the counts are two seconds old");
    // Tasks without time limits stay in the frame, unless it holds no session.
    let untimed = Fixture::new(short(4, 7), Page::default()).panel(turk()).await;
    let mut frame = Browser { shown: Whereabouts::Frame, ..worker(&untimed, "W1", "A1") };
    assert_eq!(kind(&frame.open().await.unwrap()), "consent");
    frame.shown = Whereabouts::Aside;
    assert_eq!(kind(&frame.open().await.unwrap()), "aside");
    // Without a panel, there are no frames.
    let plain = Fixture::new(timed(7), Page::default()).service().await;
    let mut frame = Browser { shown: Whereabouts::Frame, ..Browser::new(&plain) };
    assert_eq!(kind(&frame.open().await.unwrap()), "consent");
}

/// Frees the place of a session whose work was returned, as the recruiter does.
async fn give_back(fixture: &Fixture, session: &str) {
    let record = SessionRecord::from_events(fixture.store.load(session).await.unwrap()).unwrap();
    let places = StudyPlaces::open(&fixture.study, &fixture.store).await.unwrap();
    let (place, _) = place_and_attempt(session).unwrap();
    let release = Release::after(false, !record.trials.is_empty());
    places.release(&fixture.store, place, &record.header.rater, release).await.unwrap();
}

#[tokio::test]
async fn places_of_returned_work_are_free() {
    let fixture = Fixture::new(short(1, 7), Page::default());
    let service = fixture.panel(turk()).await;
    let mut first = worker(&service, "W1", "A1");
    first.agree().await.unwrap();
    first.begin().await.unwrap();
    first.answer(0).await.unwrap();
    fixture.clock.forward(3_000_000);
    assert_eq!(closed(&worker(&service, "W2", "B").open().await.unwrap()), ClosedReason::Full);
    give_back(&fixture, "p000000-000").await;
    fixture.clock.forward(3_000_000);
    let mut second = worker(&service, "W2", "B");
    assert_eq!(end(second.take_part().await).ending, Ending::Completed);
    fixture.clock.forward(3_000_000);
    assert_eq!(closed(&worker(&service, "W3", "C").open().await.unwrap()), ClosedReason::Full);
}

#[tokio::test]
async fn the_roster_has_all_who_were_not_forgotten() {
    let fixture = Fixture::new(short(2_100, 7), Page::default());
    let service = fixture.panel(turk()).await;
    let people = people(&fixture.store).await;
    assert!(people.roster().await.unwrap().is_empty());
    // More than are read at once.
    for number in 0..2_050_u32 {
        if number % 50 == 0 {
            fixture.clock.forward(60_000_000);
        }
        let browser = worker(&service, &format!("W{number}"), &format!("A{number}"));
        browser.at(&format!("10.0.{}.{}", number / 250, number % 250)).agree().await.unwrap();
    }
    people.forget("W7", 0).await.unwrap();
    let roster = people.roster().await.unwrap();
    assert_eq!((roster.len(), roster.iter().count()), (2_049, 2_049));
    assert_eq!((roster.session("W7"), roster.session("nobody")), (None, None));
    for number in [0, 6, 8, 999, 1_000, 1_001, 2_049] {
        let session = roster.session(&format!("W{number}")).unwrap();
        let ids = roster.ids(session).unwrap();
        assert_eq!(ids.participant, format!("W{number}"));
        assert_eq!(ids.parameters["assignmentId"], format!("A{number}"));
        assert_eq!(ids.parameters["turkSubmitTo"], PLATFORM);
    }
    assert!(!format!("{roster:?} {:?}", roster.iter().next()).contains("W0"));
}

#[tokio::test]
async fn rules_that_are_left_out_change_nothing() {
    let page = Page { participant: Some("PID".into()), ..Page::default() };
    let fixtures = [Fixture::new(short(2, 7), page.clone()), Fixture::new(short(2, 7), page)];
    let services = [fixtures[0].service().await, fixtures[1].panel(PanelRules::default()).await];
    let mut logs = Vec::new();
    for (fixture, service) in fixtures.iter().zip(&services) {
        let mut browser = Browser::new(service).coming_by("PID", "p").coming_by("STUDY_ID", "s");
        browser.tab = crate::fixture::tab(1);
        let done = browser.take_part().await;
        let ids = people(&fixture.store).await.roster().await.unwrap().ids("p000000-000").unwrap().clone();
        assert_eq!(ids.parameters.keys().collect::<Vec<_>>(), [PANEL_PARAMETERS[0]]);
        logs.push((done, fixture.store.load("p000000-000").await.unwrap().len()));
    }
    assert_eq!(logs[0], logs[1]);
}
