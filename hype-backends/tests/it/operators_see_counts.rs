//! The operator's numbers come from the logs: right on every server, after a restart, and when the answers cannot be
//! analysed; bounded in size and in reading, however large the study is.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hype_backends::web::wire::operator::{RaterGroup, RaterQuery};
use hype_backends::web::{OperatorRole, Overview, Page, Services};
use hype_core::model::note::{Attached, SessionNote};
use hype_core::{Amount, Event, Micros, Payment, Session, Store, StoreExt as _};
use serde_json::json;

use crate::counting_store::CountingStore;
use crate::fixture::{Browser, Fixture, OneByteImages};
use crate::small_task::{SmallTask, study};

/// A study with a qualification of two trials, and with pay.
fn paying() -> Fixture {
    let study = study(SmallTask { trials: 3, qualifying: 2, needed: 2 }, |spec| {
        spec.collection.raters.per_model = 8;
        spec.protocol.payment = Some(Payment {
            currency: "USD".into(),
            base: Amount::from_units(1.5).unwrap(),
            per_correct: Amount::default(),
            ..Payment::default()
        });
    });
    Fixture::new(study, Page::default())
}

async fn overview(service: &Services, fixture: &Fixture) -> Arc<Overview> {
    fixture.clock.forward(2_500_000);
    service.operator.status(OperatorRole::Reader).await.unwrap().overview
}

/// Computes the expected counts from the logs.
async fn expected(fixture: &Fixture) -> serde_json::Value {
    let mut counts = [0_u64; 6];
    fixture
        .store
        .visit(|_, log| {
            counts[0] += 1;
            counts[5] += log.iter().filter(|event| matches!(event, Event::Answered(_))).count() as u64;
            let ending = match log.last() {
                Some(Event::Finished(outcome)) => outcome.ending as usize + 1,
                _ => 4,
            };
            counts[ending] += 1;
            std::ops::ControlFlow::Continue(())
        })
        .await
        .unwrap();
    let [sessions, completed, disqualified, left, in_progress, answers] = counts;
    json!({ "sessions": sessions, "completed": completed, "disqualified": disqualified, "left": left, "screened_out": 0,
            "in_progress": in_progress, "erased": 0, "answers": answers })
}

/// Plays sessions that end in every way.
async fn play_all(service: &Services) {
    for _ in 0..6 {
        Browser::new(service).take_part().await;
    }
    let mut leaver = Browser::new(service);
    leaver.agree().await.unwrap();
    leaver.begin().await.unwrap();
    leaver.answer(0).await.unwrap();
    leaver.leave().await.unwrap();
    let mut open = Browser::new(service);
    open.agree().await.unwrap();
    open.begin().await.unwrap();
    open.answer(0).await.unwrap();
}

#[tokio::test]
async fn sessions_answers_and_earnings_are_counted_from_the_logs_by_every_server() {
    let fixture = paying();
    let [first, second] = [fixture.service().await, fixture.service().await];
    let before = overview(&second, &fixture).await;
    assert_eq!(before.counted.map(|counted| counted.sessions), Some(0));
    play_all(&first).await;
    let counted = expected(&fixture).await;
    assert!(counted["disqualified"] != 0 && counted["left"] == 1 && counted["in_progress"] == 1, "{counted}");
    let restarted = fixture.service().await;
    for service in [first, second, restarted] {
        let mut seen = overview(&service, &fixture).await;
        // The other server's sessions are read within a few looks.
        for _ in 0..20 {
            seen = overview(&service, &fixture).await;
        }
        assert_eq!(json!(seen.counted), counted);
        let earned = seen.cost.as_ref().unwrap().so_far.unwrap();
        let outcomes = seen.counted.unwrap();
        assert!(earned > Amount::default() && outcomes.completed + outcomes.disqualified > 0);
    }
}

#[tokio::test]
async fn counts_are_right_while_the_analysis_fails() {
    let fixture = paying();
    let service = fixture.service().await;
    play_all(&service).await;
    let counted = expected(&fixture).await;
    // A log that no program of this version has written.
    fixture.store.append_events("p000099-000", 0, &[Event::Left { at: Micros(1) }]).await.unwrap();
    for service in [service, fixture.service().await] {
        let seen = overview(&service, &fixture).await;
        assert_eq!(json!(seen.counted), counted);
        assert!(seen.estimates.is_empty() && seen.estimates_age_us.is_none());
    }
}

#[tokio::test]
async fn uncounted_numbers_are_unknown() {
    let fixture = paying();
    let (mut session, mut events) = Session::open(&fixture.study, "r", 0, 0).unwrap();
    let attached = SessionNote::Attached(Attached { tab: "t".into(), unix_ms: 1_700_000_000_000 });
    events.extend(session.handle_note(attached, Micros(0)).unwrap().into_events());
    for place in 0..1_100 {
        fixture.store.append_events(&format!("p{place:06}-000"), 0, &events).await.unwrap();
    }
    let service = fixture.service().await;
    let first = overview(&service, &fixture).await;
    assert_eq!((first.counted, first.sessions_read), (None, 1_024));
    assert_eq!(first.cost.as_ref().unwrap().so_far, None);
    let status = serde_json::to_value(service.operator.status(OperatorRole::Reader).await.unwrap()).unwrap();
    assert!(status["counted"].is_null() && status["cost"]["so_far"].is_null(), "{status}");
    let second = overview(&service, &fixture).await;
    assert_eq!(second.counted.map(|counted| counted.sessions), Some(1_100));
}

#[tokio::test]
async fn a_hundred_thousand_sessions_are_read_once_and_told_in_little() {
    const SESSIONS: u32 = 100_000;
    let study = study(SmallTask { trials: 2, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = SESSIONS + 100;
    });
    let fixture = Fixture::new(study, Page::default());
    let service = fixture.service().await;
    Browser::new(&service).take_part().await;
    let template = fixture.store.load("p000000-000").await.unwrap();
    let store = Arc::new(CountingStore::default());
    store.bind(fixture.study.digest()).await.unwrap();
    for place in 0..SESSIONS {
        let mut log = template.clone();
        let Some(Event::Opened(header)) = log.first_mut() else { panic!("{log:?}") };
        header.rater = format!("r{place:032x}").into();
        header.place.number = place;
        // Every hundredth session is still open.
        if place % 100 == 0 {
            log.truncate(log.len() - 2);
        }
        store.store.append_events(&format!("p{place:06}-000"), 0, &log).await.unwrap();
    }
    let service = Services::new(
        fixture.study.clone(),
        Arc::clone(&store) as Arc<dyn Store>,
        Arc::new(OneByteImages),
        Page::default(),
        Arc::clone(&fixture.clock) as Arc<dyn hype_backends::web::Clock>,
    );
    let service = service.await.unwrap();
    let mut looks = 0;
    while overview(&service, &fixture).await.counted.is_none() {
        looks += 1;
        assert!(looks < 200, "the server does not come to an end");
    }
    // An analysis reads every log, on its own account.
    fixture.clock.forward(1);
    let rest = service.operator.status(OperatorRole::Reader).await.unwrap();
    assert_eq!(rest.overview.counted.unwrap().sessions, u64::from(SESSIONS));
    // Until it has ended, which takes a while.
    for _ in 0..1_200 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        if store.read() == (0, 0) {
            break;
        }
    }
    // Less than the pause between two analyses.
    fixture.clock.forward(1_100_000);
    let status = service.operator.status(OperatorRole::Operator).await.unwrap();
    let (logs, rows) = store.read();
    assert!(logs <= 64 && rows <= 64, "{logs} logs and {rows} rows for a look");
    assert_eq!(status.overview.counted.unwrap().in_progress, u64::from(SESSIONS / 100));
    let size = serde_json::to_vec(&status).unwrap().len();
    assert!(size < 8_000, "{size} bytes");

    let query = RaterQuery { group: Some(RaterGroup::Completed), skip: 50, ..RaterQuery::default() };
    let list = service.operator.raters(&query).await.unwrap();
    assert_eq!((list.matching, list.raters.len()), (SESSIONS - SESSIONS / 100, 50));
    assert!(serde_json::to_vec(&list).unwrap().len() < 20_000);
    let find = format!("r{:032x}", 4_711);
    let found =
        service.operator.raters(&RaterQuery { find: find.clone(), ..RaterQuery::default() }).await.unwrap();
    assert_eq!((found.matching, &*found.raters[0].rater), (1, &*find));
    assert_eq!(store.logs.load(Ordering::Relaxed), 0, "lists are made from what was read");
}
