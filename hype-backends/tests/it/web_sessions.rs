//! Sessions at the service behind the rater page: nothing is lost or doubled, and any process can continue any session.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use hype_backends::web::settings::Access;
use hype_backends::web::wire::screen::{ClosedReason, ScreenKind, ScreenPart};
use hype_backends::web::{Fault, Page, StimulusFile};
use hype_core::model::inspection::{CloseLook, Inspection};
use hype_core::model::note::{Enlargement, ImageScale, Noted, Overrun, SessionNote};
use hype_core::plugin::store::all_sessions;
use hype_core::protocol::speed::CLOCK;
use hype_core::{CheckState, Ending, Event, Micros, Session, SessionRecord, Step, StoreExt as _};
use serde_json::json;

use crate::fixture::{Browser, Fixture, kind, tab};
use crate::small_task::{SmallTask, study};

fn fixture(per_model: u32, page: Page) -> Fixture {
    let study = study(SmallTask { trials: 3, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = per_model;
        spec.collection.raters.replacements = 2;
    });
    Fixture::new(study, page)
}

async fn log(fixture: &Fixture, session: &str) -> Vec<Event> {
    fixture.store.load(session).await.unwrap()
}

#[tokio::test]
async fn nothing_is_stored_before_consent_and_everything_after() {
    let fixture = fixture(1, Page::default());
    let service = fixture.service().await;
    let mut browser = Browser::new(&service);
    assert_eq!(kind(&browser.open().await.unwrap()), "consent");
    assert!(all_sessions(&fixture.store).await.unwrap().is_empty());
    let end = browser.take_part().await;
    let ScreenKind::End(end) = end.shown else { panic!("{end:?}") };
    assert_eq!(end.ending, Ending::Completed);
    let log = log(&fixture, "p000000-000").await;
    let record = SessionRecord::from_events(log.clone()).unwrap();
    assert_eq!(record.trials.len(), 3);
    let kinds: Vec<&str> = record
        .notes
        .iter()
        .map(|noted| match noted.note {
            SessionNote::Consented(_) => "consented",
            SessionNote::Attached(_) => "attached",
            SessionNote::Environment(_) => "environment",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["consented", "attached", "environment"]);
    assert!(record.is_complete());
    Session::replay(&fixture.study, log).unwrap();
    fixture.clock.forward(3_000_000);
    let after = Browser::new(&service).open().await.unwrap();
    assert_eq!(after.shown, ScreenKind::Closed { reason: ClosedReason::Full });
}

#[tokio::test]
async fn any_process_continues_any_session() {
    let fixture = fixture(1, Page::default());
    let mut browser = Browser::new(&fixture.service().await);
    browser.agree().await.unwrap();
    browser.begin().await.unwrap();
    for trial in 0..3 {
        // Each answer goes to another process, and the previous one is repeated to check that nothing is stored twice.
        browser.service = fixture.service().await;
        let receipt = browser.answer(trial).await.unwrap();
        browser.service = fixture.service().await;
        let again = browser.answer(trial).await.unwrap();
        assert_eq!(again.next, receipt.next);
    }
    let log = log(&fixture, "p000000-000").await;
    assert_eq!(log.iter().filter(|event| matches!(event, Event::Answered(_))).count(), 3);
}

#[tokio::test]
async fn the_scale_of_images_is_logged_whenever_it_changes() {
    let study = study(SmallTask { trials: 6, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = 1;
    });
    let fixture = Fixture::new(study, Page::default());
    let mut browser = Browser::new(&fixture.service().await);
    browser.agree().await.unwrap();
    browser.begin().await.unwrap();
    let scale = |factor: f64, enlarge| ImageScale { factor, pixel_ratio: 1.5, enlarge };
    let reduced = scale(0.5, Enlargement::Nearest);
    let [nearest, lanczos] = [Enlargement::Nearest, Enlargement::Lanczos].map(|how| scale(2.0, how));
    let refused = scale(9.0, Enlargement::Nearest);
    let scales = [Some(reduced), Some(reduced), None, Some(nearest), Some(lanczos), Some(reduced)];
    for (trial, scale) in (0..).zip(scales) {
        // A process that takes the session over reads the scale from the log.
        if trial % 2 == 1 {
            browser.service = fixture.service().await;
        }
        // An answer that is refused leaves no scale behind.
        browser.answer_at(trial, 0, json!({ "judgment": "neither" }), Some(refused)).await.unwrap_err();
        for _ in 0..2 {
            browser.answer_at(trial, 0, json!({ "judgment": "fake" }), scale).await.unwrap();
        }
    }
    let log = log(&fixture, "p000000-000").await;
    let logged: Vec<(u32, ImageScale)> = log
        .iter()
        .filter_map(|event| match event {
            Event::Noted(noted) => match noted.note {
                SessionNote::Scaled(scaled) => Some((scaled.trial, scaled.scale)),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert_eq!(logged, [(0, reduced), (3, nearest), (4, lanczos), (5, reduced)]);
    assert_eq!(serde_json::to_value(nearest).unwrap(), json!({ "factor": 2.0, "pixel_ratio": 1.5 }));
    assert_eq!(serde_json::to_value(lanczos).unwrap()["enlarge"], "lanczos");
    Session::replay(&fixture.study, log).unwrap();
}

fn inspection() -> Inspection {
    let look =
        CloseLook { from_us: 5, for_us: 250_000, factor: 4.0, x: 0.5, y: 0.125, front: None, divider: None };
    let flipped = CloseLook { front: Some(1), from_us: 300_000, ..look.clone() };
    Inspection { looks: vec![look, flipped], further_us: 0 }
}

#[tokio::test]
async fn close_looks_are_logged_once_with_their_answer() {
    let study = study(SmallTask { trials: 3, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = 1;
    });
    let fixture = Fixture::new(study, Page { zoom: true, ..Page::default() });
    let mut browser = Browser::new(&fixture.service().await);
    browser.agree().await.unwrap();
    browser.begin().await.unwrap();
    browser.answer(0).await.unwrap();
    // A repeated report changes nothing, at another process either.
    for _ in 0..2 {
        browser.answer_after_a_look(1, inspection()).await.unwrap();
        browser.service = fixture.service().await;
    }
    browser.answer(2).await.unwrap();
    let log = log(&fixture, "p000000-000").await;
    let looked: Vec<(u32, Inspection)> = log
        .iter()
        .filter_map(|event| match event {
            Event::Noted(Noted { note: SessionNote::Inspected(inspected), .. }) => {
                Some((inspected.trial, inspected.inspection.clone()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(looked, [(1, inspection())]);
    Session::replay(&fixture.study, log).unwrap();
}

#[tokio::test]
async fn a_closer_look_needs_the_studys_permission() {
    let fixture = fixture(1, Page::default());
    let mut browser = Browser::new(&fixture.service().await);
    browser.agree().await.unwrap();
    browser.begin().await.unwrap();
    let refused = browser.answer_after_a_look(0, inspection()).await.unwrap_err();
    assert!(matches!(refused, Fault::Refused(_)), "{refused:?}");
    browser.answer(0).await.unwrap();
}

#[tokio::test]
async fn outdated_copies_catch_up_with_other_processes() {
    let fixture = fixture(1, Page::default());
    let services = [fixture.service().await, fixture.service().await];
    let mut browser = Browser::new(&services[0]);
    browser.agree().await.unwrap();
    browser.service = services[1].clone();
    browser.begin().await.unwrap();
    for trial in 0..3 {
        // Before each process gets its first report, the other one has accepted one in between.
        browser.service = services[trial as usize % 2].clone();
        let next = match trial {
            1 => {
                browser.disturbed(1, 0).await.unwrap();
                browser.service = services[0].clone();
                browser.answer_with(1, 1, json!({ "judgment": "fake" })).await.unwrap().next
            }
            _ => browser.answer(trial).await.unwrap().next,
        };
        let ScreenKind::Trial(shown) = &next.shown else { continue };
        for part in &shown.trial.parts {
            let ScreenPart::Image { image, .. } = part else { continue };
            for service in &services {
                service.images.image(browser.cookie.as_deref(), image).await.unwrap();
            }
        }
    }
    browser.service = services[1].clone();
    assert_eq!(kind(&browser.open().await.unwrap()), "end");
    Session::replay(&fixture.study, log(&fixture, "p000000-000").await).unwrap();
}

#[tokio::test]
async fn a_repeated_consent_returns_the_same_session() {
    let panel = Page { participant: Some("PID".into()), ..Page::default() };
    let links = Page { access: Access::Links, ..Page::default() };
    for page in [Page::default(), panel, links] {
        let fixture = fixture(2, page);
        let services = [fixture.service().await, fixture.service().await];
        let link = fixture.link(1).await;
        let mut browser = Browser::new(&services[0]).coming_by("PID", "5f3c").coming_by("link", &link);
        browser.agree().await.unwrap();
        // The response was lost, and the cookie with it.
        let cookie = browser.cookie.take();
        browser.service = services[1].clone();
        let mut other = Browser::new(&services[1]).coming_by("PID", "new").coming_by("link", &link);
        let ScreenKind::Consent(consent) = other.open().await.unwrap().shown else { panic!("no consent") };
        assert_eq!(kind(&browser.agree_to(&consent.text, Some(true)).await.unwrap()), "instructions");
        assert_eq!(browser.cookie, cookie);
        assert_eq!(all_sessions(&fixture.store).await.unwrap(), ["p000000-000"]);
    }
}

#[tokio::test]
async fn a_reloaded_page_resumes_and_a_second_tab_takes_over() {
    let fixture = fixture(1, Page::default());
    let service = fixture.service().await;
    let mut first = Browser::new(&service);
    first.agree().await.unwrap();
    first.begin().await.unwrap();
    first.answer(0).await.unwrap();
    let mut second = Browser { tab: tab(2), ..first.clone() };
    let ScreenKind::Trial(resumed) = second.open().await.unwrap().shown else { panic!("no trial") };
    assert_eq!(resumed.trial.number, 1);
    assert!(!resumed.block.is_empty(), "a reloaded page gets the images to load");
    assert_eq!(first.answer(1).await, Err(Fault::TakenOver));
    // The first tab's process does not have to be the one that the second opened.
    let elsewhere = Browser { service: fixture.service().await, ..first.clone() };
    assert_eq!(elsewhere.answer(1).await, Err(Fault::TakenOver));
    second.answer(1).await.unwrap();
    assert_eq!(kind(&first.open().await.unwrap()), "trial");
    assert_eq!(second.answer(2).await, Err(Fault::TakenOver));
    first.answer(2).await.unwrap();
    assert_eq!(kind(&first.open().await.unwrap()), "end", "the end page can be loaded again");
}

#[tokio::test]
async fn refused_requests_change_nothing() {
    let fixture = fixture(1, Page::default());
    let service = fixture.service().await;
    let mut browser = Browser::new(&service);
    browser.agree().await.unwrap();
    browser.begin().await.unwrap();
    browser.answer(0).await.unwrap();
    let before = log(&fixture, "p000000-000").await;
    let judgment = || json!({ "judgment": "fake" });
    for (trial, showing, answer) in [
        (1, 0, json!({ "judgment": "maybe" })),
        (1, 0, json!({})),
        (1, 0, json!(["fake"])),
        (1, 1, judgment()),
        (2, 0, judgment()),
        (u32::MAX, u32::MAX, judgment()),
        (0, 0, json!({ "judgment": "real" })),
    ] {
        assert!(
            browser.answer_with(trial, showing, answer.clone()).await.is_err(),
            "{trial} {showing} {answer}"
        );
    }
    for cookie in [None, Some("x"), Some("p000000-000.r0.00000000000000000000000000000000")] {
        let stranger = Browser { cookie: cookie.map(str::to_owned), ..browser.clone() };
        assert_eq!(stranger.answer(1).await, Err(Fault::NoSession));
        assert_eq!(stranger.leave().await, Err(Fault::NoSession));
    }
    assert_eq!(log(&fixture, "p000000-000").await, before);
    browser.answer(1).await.unwrap();
}

#[tokio::test]
async fn a_disturbed_showing_is_void_and_shown_again() {
    let fixture = fixture(1, Page::default());
    let service = fixture.service().await;
    let mut browser = Browser::new(&service);
    browser.agree().await.unwrap();
    browser.begin().await.unwrap();
    let next = browser.disturbed(0, 0).await.unwrap().next;
    let ScreenKind::Trial(again) = &next.shown else { panic!("{next:?}") };
    assert_eq!((again.trial.number, again.trial.showing), (0, 1));
    assert_eq!(browser.disturbed(0, 0).await.unwrap().next, next, "a repeated report changes nothing");
    assert_eq!(browser.answer(0).await, Err(Fault::NotThisTrial), "the void showing is not answered");
    browser.answer_with(0, 1, json!({ "judgment": "fake" })).await.unwrap();
    let record = SessionRecord::from_events(log(&fixture, "p000000-000").await).unwrap();
    assert_eq!((record.disturbed.len(), record.trials.len()), (1, 1));
    Session::replay(&fixture.study, log(&fixture, "p000000-000").await).unwrap();
}

#[tokio::test]
async fn places_of_absent_raters_are_given_to_others() {
    let fixture = fixture(1, Page::default());
    let service = fixture.service().await;
    let mut gone = Browser::new(&service);
    gone.agree().await.unwrap();
    gone.begin().await.unwrap();
    assert_eq!(kind(&gone.leave().await.unwrap()), "end");
    let mut idle = Browser::new(&service);
    idle.agree().await.unwrap();
    fixture.clock.forward(60_000_000);
    assert_eq!(
        Browser::new(&service).open().await.unwrap().shown,
        ScreenKind::Closed { reason: ClosedReason::Full }
    );
    fixture.clock.forward(31 * 60_000_000);
    let mut last = Browser::new(&service);
    assert_eq!(kind(&last.take_part().await), "end");
    let names = all_sessions(&fixture.store).await.unwrap();
    assert_eq!(names, ["p000000-000", "p000000-001", "p000000-002"]);
    let mut endings = Vec::new();
    for name in names {
        let session = Session::replay(&fixture.study, log(&fixture, &name).await).unwrap();
        let Step::Finished(outcome) = session.step() else { panic!("{name} is not over") };
        endings.push(outcome.ending);
    }
    assert_eq!(endings, [Ending::Left, Ending::Left, Ending::Completed]);
    // The copy of the session is outdated; the page asks again.
    assert_eq!(idle.begin().await, Err(Fault::Unavailable));
    assert_eq!(
        idle.begin().await.map(|screen| kind(&screen)),
        Ok("end".into()),
        "a rater who is too late gets the reason"
    );
}

#[tokio::test]
async fn quotas_are_exact_under_concurrent_arrivals() {
    let fixture = fixture(5, Page::default());
    let services = [fixture.service().await, fixture.service().await, fixture.service().await];
    let visits = (0..40).map(|number| {
        let mut browser = Browser::new(&services[number % 3]);
        tokio::spawn(async move {
            match browser.open().await.unwrap().shown {
                ScreenKind::Consent(consent) => {
                    let screen = browser.agree_to(&consent.text, Some(true)).await.unwrap();
                    kind(&screen) == "instructions"
                }
                _ => false,
            }
        })
    });
    let mut begun = 0;
    for visit in visits.collect::<Vec<_>>() {
        begun += u32::from(visit.await.unwrap());
    }
    assert_eq!(begun, 5);
    assert_eq!(all_sessions(&fixture.store).await.unwrap().len(), 5);
}

#[tokio::test]
async fn consent_needs_the_right_text_and_age() {
    let fixture = fixture(1, Page::default());
    let service = fixture.service().await;
    let mut browser = Browser::new(&service);
    let ScreenKind::Consent(consent) = browser.open().await.unwrap().shown else { panic!("no consent") };
    assert!(matches!(browser.agree_to("0", Some(true)).await, Err(Fault::Refused(_))));
    for adult in [None, Some(false)] {
        assert!(matches!(browser.agree_to(&consent.text, adult).await, Err(Fault::Refused(_))));
    }
    assert!(all_sessions(&fixture.store).await.unwrap().is_empty());
    let screen = browser.agree_to(&consent.text, Some(true)).await.unwrap();
    assert_eq!(kind(&screen), "instructions");
    assert_eq!(kind(&browser.agree_to(&consent.text, Some(true)).await.unwrap()), "instructions", "repeated");
    assert_eq!(all_sessions(&fixture.store).await.unwrap().len(), 1);
}

#[tokio::test]
async fn links_and_participants_get_one_session_each() {
    let links = fixture(3, Page { access: Access::Links, ..Page::default() });
    let service = links.service().await;
    let stranger =
        Browser::new(&service).coming_by("link", "1.00000000000000000000000000000000").open().await.unwrap();
    assert_eq!(stranger.shown, ScreenKind::Closed { reason: ClosedReason::LinkInvalid });
    let link = links.link(1).await;
    let mut invited = Browser::new(&service).coming_by("link", &link);
    invited.agree().await.unwrap();
    let ScreenKind::Consent(consent) =
        Browser::new(&service).coming_by("link", &link).open().await.unwrap().shown
    else {
        panic!("a used link was accepted again")
    };
    let again =
        Browser::new(&service).coming_by("link", &link).agree_to(&consent.text, Some(true)).await.unwrap();
    assert_eq!(again.shown, ScreenKind::Closed { reason: ClosedReason::LinkUsed });

    let panel = fixture(3, Page { participant: Some("PID".into()), ..Page::default() });
    let service = panel.service().await;
    let mut known = Browser::new(&service).coming_by("PID", "5f3c");
    known.agree().await.unwrap();
    let mut elsewhere = Browser { tab: tab(2), ..Browser::new(&service).coming_by("PID", "5f3c") };
    assert_eq!(
        kind(&elsewhere.open().await.unwrap()),
        "instructions",
        "the session resumes without a cookie"
    );
    assert!(elsewhere.cookie.is_some());
    assert_eq!(all_sessions(&panel.store).await.unwrap().len(), 1);
    let text = format!("{:?}", panel.store.load("p000000-000").await.unwrap());
    assert!(!text.contains("5f3c"), "the panel's id is in the log");
}

#[tokio::test]
async fn two_browsers_never_share_a_session_because_their_ids_are_missing() {
    let panel = fixture(3, Page { participant: Some("PID".into()), ..Page::default() });
    let service = panel.service().await;
    let mut known = Browser::new(&service).coming_by("PID", "5f3c");
    let ScreenKind::Consent(consent) = known.open().await.unwrap().shown else { panic!("no consent") };
    for id in [None, Some(""), Some(" "), Some("undefined"), Some("{{%PROLIFIC_PID%}}")] {
        for _ in 0..2 {
            let mut browser = Browser::new(&service);
            browser.arrival.extend(id.map(|id| ("PID".to_owned(), id.to_owned())));
            let refused = ScreenKind::Closed { reason: ClosedReason::ParticipantInvalid };
            assert_eq!(browser.open().await.unwrap().shown, refused, "{id:?}");
            assert_eq!(browser.agree_to(&consent.text, Some(true)).await.unwrap().shown, refused, "{id:?}");
            assert_eq!(browser.cookie, None);
        }
    }
    assert!(all_sessions(&panel.store).await.unwrap().is_empty());
    assert_eq!(kind(&known.agree().await.unwrap()), "instructions");
}

#[tokio::test]
async fn response_times_longer_than_the_server_saw_are_noted_by_every_process() {
    let fixture = fixture(1, Page::default());
    let services = [fixture.service().await, fixture.service().await];
    let mut browser = Browser::new(&services[0]);
    browser.agree().await.unwrap();
    // Time before the first trial is sent does not count.
    fixture.clock.forward(60_000_000);
    browser.begin().await.unwrap();
    // Each answer reports 400 ms; clocks may be wrong by 100 ms and a hundredth.
    for (trial, waited) in [310_000, 250_000, 400_000].into_iter().enumerate() {
        fixture.clock.forward(waited);
        let (trial, answer) = (u32::try_from(trial).unwrap(), json!({ "judgment": "fake" }));
        browser.answer_in(trial, 0, answer, 400_000).await.unwrap();
        browser.service = services[1].clone();
        browser.open().await.unwrap();
    }
    let log = log(&fixture, "p000000-000").await;
    let overruns: Vec<Overrun> = log
        .iter()
        .filter_map(|event| match event {
            Event::Noted(Noted { note: SessionNote::Overrun(overrun), .. }) => Some(*overrun),
            _ => None,
        })
        .collect();
    assert_eq!(overruns, [Overrun { trial: 1, seen: Micros(250_000) }]);
    let record = SessionRecord::from_events(log.iter().cloned()).unwrap();
    let checks = fixture.study.checks(&record);
    let check = checks.iter().find(|check| &*check.name == CLOCK).unwrap();
    assert_eq!(
        (check.state, &*check.why),
        (CheckState::Unclear, "1 of 3 response times longer than the server saw")
    );
    Session::replay(&fixture.study, log).unwrap();
}

#[tokio::test]
async fn a_session_expires_at_its_age_limit() {
    let fixture = fixture(1, Page { session_hours: 1, ..Page::default() });
    let service = fixture.service().await;
    let mut browser = Browser::new(&service);
    browser.agree().await.unwrap();
    browser.begin().await.unwrap();
    fixture.clock.forward(3_600_000_000);
    browser.answer(0).await.unwrap();
    fixture.clock.forward(1);
    assert_eq!(browser.answer(1).await, Err(Fault::NoSession));
    assert_eq!(browser.open().await.unwrap().shown, ScreenKind::Closed { reason: ClosedReason::Expired });
}

#[tokio::test]
async fn raters_take_turns_at_a_shared_computer() {
    let fixture = fixture(3, Page { session_hours: 1, shared_computer: Some(true), ..Page::default() });
    let service = fixture.service().await;
    let mut browser = Browser::new(&service);
    for ending in [Ending::Completed, Ending::Left] {
        assert_eq!(kind(&browser.agree().await.unwrap()), "instructions");
        assert_eq!(browser.next().await, Err(Fault::NotThisTrial), "an unfinished session was released");
        let end = match ending {
            Ending::Left => browser.leave().await.unwrap(),
            _ => browser.play().await,
        };
        let ScreenKind::End(end) = end.shown else { panic!("{end:?}") };
        assert_eq!((end.ending, end.next_rater), (ending, true));
        assert_eq!(kind(&browser.open().await.unwrap()), "end", "a reload does not bring another rater");
        browser.next().await.unwrap();
    }
    assert_eq!(browser.next().await, Ok(()), "a browser without a session is ready for the next rater");
    browser.agree().await.unwrap();
    browser.begin().await.unwrap();
    fixture.clock.forward(3_600_000_001);
    assert_eq!(kind(&browser.open().await.unwrap()), "consent", "an expired session was resumed");
    browser.tab = tab(7);
    assert_eq!(kind(&browser.agree().await.unwrap()), "instructions");
    let logs = all_sessions(&fixture.store).await.unwrap();
    assert_eq!(logs, ["p000000-000", "p000001-000", "p000001-001", "p000001-002"]);
}

#[tokio::test]
async fn another_link_or_participant_at_a_shared_computer_is_another_rater() {
    let shared = Page { shared_computer: Some(true), ..Page::default() };
    let links = Page { access: Access::Links, ..shared.clone() };
    let names = Page { participant: Some("PID".into()), ..shared };
    for (page, parameter) in [(links, "link"), (names, "PID")] {
        let fixture = fixture(3, page);
        let service = fixture.service().await;
        let [first, second] = match parameter {
            "link" => [fixture.link(1).await, fixture.link(2).await],
            _ => ["5f3c".to_owned(), "77ab".to_owned()],
        };
        let mut browser = Browser::new(&service).coming_by(parameter, &first);
        browser.agree().await.unwrap();
        browser.begin().await.unwrap();
        let mut next = Browser { cookie: browser.cookie.clone(), ..Browser::new(&service) };
        next.arrival = vec![(parameter.to_owned(), second)];
        assert_eq!(
            kind(&next.open().await.unwrap()),
            "trial",
            "an unfinished session stays with the computer"
        );
        next.leave().await.unwrap();
        let mut same = Browser { arrival: browser.arrival.clone(), ..next.clone() };
        assert_eq!(kind(&same.open().await.unwrap()), "end");
        assert_eq!(kind(&next.agree().await.unwrap()), "instructions");
        assert_ne!(next.cookie, browser.cookie);
        assert_eq!(all_sessions(&fixture.store).await.unwrap(), ["p000000-000", "p000000-001"]);
    }
}

#[tokio::test]
async fn an_unshared_computer_is_not_passed_on() {
    let fixture = fixture(2, Page::default());
    let service = fixture.service().await;
    let mut browser = Browser::new(&service);
    let ScreenKind::End(end) = browser.take_part().await.shown else { panic!("no end") };
    assert!(!end.next_rater);
    assert!(matches!(browser.next().await, Err(Fault::Refused(_))));
}

#[tokio::test]
async fn image_names_differ_and_only_the_current_block_is_served() {
    let fixture = fixture(2, Page::default());
    let service = fixture.service().await;
    let (mut one, mut other) = (Browser::new(&service), Browser::new(&service));
    let mut names = Vec::new();
    for browser in [&mut one, &mut other] {
        browser.agree().await.unwrap();
        let ScreenKind::Trial(shown) = browser.begin().await.unwrap().shown else { panic!("no trial") };
        names.push(shown.block);
    }
    assert!(names[0].iter().all(|name| !names[1].contains(name)));
    for name in &*names[0] {
        let file = service.images.image(one.cookie.as_deref(), name).await.unwrap().1;
        assert!(matches!(file, StimulusFile::Memory(bytes) if bytes.len() == 1));
        assert_eq!(
            service.images.image(other.cookie.as_deref(), name).await.map(drop),
            Err(Fault::NoSuchImage)
        );
        assert_eq!(service.images.image(None, name).await.map(drop), Err(Fault::NoSession));
    }
    assert_eq!(service.images.image(one.cookie.as_deref(), "0").await.map(drop), Err(Fault::NoSuchImage));
}

#[tokio::test]
async fn no_screen_reveals_models_files_or_right_answers() {
    let fixture = fixture(8, Page::default());
    let service = fixture.service().await;
    for _ in 0..8 {
        let mut browser = Browser::new(&service);
        browser.agree().await.unwrap();
        let mut screen = browser.begin().await.unwrap();
        let mut texts = Vec::new();
        while let ScreenKind::Trial(shown) = &screen.shown {
            texts.push(serde_json::to_value(&screen).unwrap());
            let receipt = browser.answer(shown.trial.number).await.unwrap();
            // Every other trial of the toy has feedback.
            assert_eq!(receipt.correct.is_some(), shown.trial.number % 2 == 0);
            screen = receipt.next;
        }
        for mut text in texts {
            // The options of the question are the same for all.
            text["trial"]["questions"] = json!(null);
            let text = text.to_string();
            for secret in ["gan", "png", "real", "fake", "role", "model", "correct"] {
                assert!(!text.contains(secret), "{secret} in {text}");
            }
        }
    }
}
