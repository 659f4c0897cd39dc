//! Strangers who enter an open study and leave, or answer nothing: no place is spent, and other raters get in.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use hype_backends::web::wire::screen::{ClosedReason, ScreenKind};
use hype_backends::web::{Fault, Page};
use hype_core::Micros;
use hype_core::plugin::store::all_sessions;
use hype_core::protocol::places::PlaceCounts;
use hype_core::study::places::StudyPlaces;

use crate::fixture::{Browser, Fixture, kind};
use crate::small_task::{SmallTask, study};

const MINUTE: u64 = 60_000_000;

fn fixture(per_model: u32) -> Fixture {
    let study = study(SmallTask { trials: 3, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = per_model;
        spec.collection.raters.replacements = 1;
    });
    Fixture::new(study, Page::default())
}

async fn counts(fixture: &Fixture, at: u64) -> PlaceCounts {
    let places = StudyPlaces::open(&fixture.study, &fixture.store).await.unwrap();
    places.counts(&fixture.store, Micros(at)).await.unwrap()
}

/// A rater from elsewhere enters and answers everything.
async fn a_rater_takes_part(service: &hype_backends::web::Services) {
    let mut rater = Browser::new(service).at("203.0.113.7");
    rater.agree().await.unwrap();
    rater.begin().await.unwrap();
    for trial in 0..3 {
        rater.answer(trial).await.unwrap();
    }
    assert!(matches!(rater.open().await.unwrap().shown, ScreenKind::End(_)));
}

#[tokio::test]
async fn a_thousand_who_consent_and_leave_spend_no_place() {
    let fixture = fixture(8);
    let service = fixture.service().await;
    let (mut entered, mut refused) = (0, 0);
    while entered < 1_000 {
        let mut stranger = Browser::new(&service).at("198.51.100.1");
        match stranger.agree().await {
            Ok(_) => {
                entered += 1;
                stranger.leave().await.unwrap();
            }
            Err(Fault::Crowded { seconds }) => {
                refused += 1;
                assert!((1..=3).contains(&seconds), "{seconds}");
                fixture.clock.forward(u64::from(seconds) * 1_000_000);
            }
            Err(fault) => panic!("{fault}"),
        }
    }
    assert!(refused > 900, "{entered} entered while {refused} were refused");
    let now = hype_backends::web::Clock::now(&*fixture.clock);
    assert_eq!(counts(&fixture, now.0).await, PlaceCounts::default());
    a_rater_takes_part(&service).await;
    // So does another process, which reads the whole log.
    a_rater_takes_part(&fixture.service().await).await;
    assert_eq!(counts(&fixture, now.0).await, PlaceCounts { done: 2, held: 0, given_up: 0 });
    assert_eq!(all_sessions(&fixture.store).await.unwrap().len(), 1_002);
}

#[tokio::test]
async fn a_thousand_idle_sessions_keep_no_one_out() {
    let fixture = fixture(8);
    let service = fixture.service().await;
    let places = fixture.study.places();
    let (mut entered, mut full, mut refused) = (0, 0, 0);
    let mut strangers = Vec::new();
    for _ in 0..1_000 {
        let mut stranger = Browser::new(&service).at("198.51.100.1");
        match stranger.open().await.unwrap().shown {
            ScreenKind::Consent(consent) => match stranger.agree_to(&consent.text, Some(true)).await {
                Ok(screen) if matches!(screen.shown, ScreenKind::Closed { .. }) => full += 1,
                Ok(_) => {
                    entered += 1;
                    strangers.push(stranger);
                }
                Err(Fault::Crowded { .. }) => refused += 1,
                Err(fault) => panic!("{fault}"),
            },
            ScreenKind::Closed { reason: ClosedReason::Full } => full += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((entered, full + refused), (places, 1_000 - places));
    // While others may still be reading the instructions, the study is full.
    let mut rater = Browser::new(&service).at("203.0.113.7");
    fixture.clock.forward(4 * MINUTE);
    let early = rater.open().await.unwrap().shown;
    assert!(matches!(early, ScreenKind::Closed { reason: ClosedReason::Full }), "{early:?}");
    fixture.clock.forward(2 * MINUTE);
    a_rater_takes_part(&service).await;
    // Those who are displaced can no longer answer, and the others can.
    let mut answered = 0;
    for stranger in &mut strangers {
        if stranger.begin().await.is_ok() && stranger.answer(0).await.is_ok() {
            answered += 1;
        }
    }
    assert_eq!(answered, places - 1);
    // Their leases end, and all places are there for others, as one holder each has answered.
    fixture.clock.forward(31 * MINUTE);
    for _ in 1..places {
        a_rater_takes_part(&service).await;
    }
    let now = hype_backends::web::Clock::now(&*fixture.clock);
    assert_eq!(counts(&fixture, now.0).await, PlaceCounts { done: places, held: 0, given_up: 0 });
}

#[tokio::test]
async fn a_course_behind_one_address_and_the_rush_of_a_panel_are_not_limited() {
    let fixture = fixture(1_000);
    let service = fixture.service().await;
    for student in 0..40 {
        // Every second one closes the window and begins again.
        for _ in 0..=student % 2 {
            Browser::new(&service).at("192.0.2.1").agree().await.unwrap();
        }
    }
    for participant in 0..500_u32 {
        let address = std::net::Ipv4Addr::from_bits(0x0A00_0000 + participant).to_string();
        Browser::new(&service).at(&address).agree().await.unwrap();
    }
    // A rater who has a session is never limited.
    let mut rater = Browser::new(&service).at("192.0.2.2");
    rater.agree().await.unwrap();
    while Browser::new(&service).at("192.0.2.2").agree().await.is_ok() {}
    assert_eq!(kind(&rater.open().await.unwrap()), "instructions");
    assert_eq!(kind(&rater.agree_to("", None).await.unwrap()), "instructions");
}
