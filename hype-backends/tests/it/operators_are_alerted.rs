//! The operator's page says what raters do now, how fast they complete, and what needs the operator; all of it in little.

use std::sync::Arc;

use hype_backends::web::wire::operator::{Act, ActRequest, RaterGroup, RaterQuery, RaterState};
use hype_backends::web::wire::status::{Alert, RaterGroups};
use hype_backends::web::{OperatorRole, Overview, Page, Services};
use hype_core::{Amount, Payment};
use serde_json::json;

use crate::fixture::{Browser, Fixture};
use crate::small_task::{SmallTask, study};

const SECOND: u64 = 1_000_000;
const MINUTE: u64 = 60 * SECOND;

fn fixture(trials: u32, per_model: u32) -> Fixture {
    let study = study(SmallTask { trials, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = per_model;
        spec.collection.raters.replacements = 2;
        spec.protocol.payment = Some(Payment {
            currency: "USD".into(),
            base: Amount::from_units(1.4).unwrap(),
            per_correct: Amount::default(),
            ..Payment::default()
        });
    });
    Fixture::new(study, Page::default())
}

/// The state after some time.
async fn after(fixture: &Fixture, service: &Services, micros: u64) -> Arc<Overview> {
    fixture.clock.forward(micros);
    service.operator.status(OperatorRole::Reader).await.unwrap().overview
}

async fn begun(service: &Services) -> Browser {
    let mut browser = Browser::new(service);
    browser.agree().await.unwrap();
    browser.begin().await.unwrap();
    browser
}

/// Answers trials, each after a second and with this response time.
async fn answer(fixture: &Fixture, browser: &Browser, trials: std::ops::Range<u32>, rt_us: u64) {
    for trial in trials {
        fixture.clock.forward(SECOND);
        browser.answer_in(trial, 0, json!({ "judgment": "fake" }), rt_us).await.unwrap();
    }
}

async fn in_group(service: &Services, group: RaterGroup) -> Vec<(RaterState, u32)> {
    let query = RaterQuery { group: Some(group), ..RaterQuery::default() };
    let found = service.operator.raters(&query).await.unwrap();
    found.raters.iter().map(|row| (row.state, row.answered)).collect()
}

#[tokio::test]
async fn raters_are_active_for_a_minute_and_in_one_group() {
    let fixture = fixture(20, 8);
    let service = fixture.service().await;
    let [silent, resting, quick] = [begun(&service).await, begun(&service).await, begun(&service).await];
    answer(&fixture, &silent, 0..3, 900_000).await;
    fixture.clock.forward(30 * SECOND);
    answer(&fixture, &resting, 0..9, 900_000).await;
    answer(&fixture, &quick, 0..2, 900_000).await;
    let seen = after(&fixture, &service, 20 * SECOND).await;
    assert_eq!(seen.raters, RaterGroups { active: 2, idle: 1, ..RaterGroups::default() });
    let active = in_group(&service, RaterGroup::Active).await;
    assert_eq!(active, [(RaterState::Resting, 9), (RaterState::Rating, 2)]);
    assert_eq!(in_group(&service, RaterGroup::Idle).await, [(RaterState::Idle, 3)]);

    answer(&fixture, &silent, 3..20, 900_000).await;
    quick.leave().await.unwrap();
    let seen = after(&fixture, &service, 2 * SECOND).await;
    let groups = RaterGroups { active: 1, completed: 1, left: 1, ..RaterGroups::default() };
    assert_eq!(seen.raters, groups);
    // Whose place others may claim has left, unless the rater returns.
    let seen = after(&fixture, &service, 60 * MINUTE).await;
    assert_eq!(seen.raters, RaterGroups { completed: 1, left: 2, ..RaterGroups::default() });
    assert_eq!(in_group(&service, RaterGroup::Left).await[0], (RaterState::Away, 9));
}

#[tokio::test]
async fn the_pace_covers_the_last_minutes_on_every_server() {
    let fixture = fixture(2, 40);
    let service = fixture.service().await;
    for _ in 0..3 {
        answer(&fixture, &begun(&service).await, 0..2, 900_000).await;
    }
    fixture.clock.forward(21 * MINUTE);
    for _ in 0..2 {
        answer(&fixture, &begun(&service).await, 0..2, 900_000).await;
    }
    for service in [service, fixture.service().await] {
        let seen = after(&fixture, &service, 2 * SECOND).await;
        assert_eq!((seen.pace.ten_minutes, seen.pace.hour), (2, 5));
        assert_eq!(seen.pace.bins, [3, 0, 0, 0, 2]);
        assert_eq!(seen.opened_unix_ms, 1_700_000_000_000);
        let cost = seen.cost.as_ref().unwrap();
        assert_eq!((cost.so_far.unwrap().to_string(), cost.each.to_string()), ("7.00".into(), "1.40".into()));
        assert_eq!(
            seen.models.iter().map(|model| (model.raters, model.places)).collect::<Vec<_>>(),
            [(5, 40)]
        );
    }
}

#[tokio::test]
async fn raters_who_cannot_have_seen_the_images_are_alerts_until_they_are_excluded() {
    let fixture = fixture(20, 8);
    let service = fixture.service().await;
    let [slow, fast] = [begun(&service).await, begun(&service).await];
    answer(&fixture, &slow, 0..14, 800_000).await;
    answer(&fixture, &fast, 0..9, 120_000).await;
    let raters = |seen: &Arc<Overview>| {
        let alerts = seen.alerts.iter().filter(|alert| matches!(alert, Alert::Fast { .. }));
        alerts.cloned().collect::<Vec<_>>()
    };
    assert_eq!(raters(&after(&fixture, &service, 2 * SECOND).await), [], "nine answers do not tell");
    answer(&fixture, &fast, 9..12, 700_000).await;
    let alerts = raters(&after(&fixture, &service, 2 * SECOND).await);
    let [Alert::Fast { rater, fast: number, answered, below_ms }] = &alerts[..] else { panic!("{alerts:?}") };
    assert_eq!((*number, *answered, *below_ms), (9, 12, 250));
    // The rater is first, although the other one has answered more.
    let list = service.operator.raters(&RaterQuery::default()).await.unwrap();
    let [first, second] = &list.raters[..] else { panic!("{list:?}") };
    assert_eq!((&first.rater, first.attention, second.attention), (rater, true, false));
    assert_eq!((first.median_us.unwrap().0, second.median_us.unwrap().0), (120_000, 800_000));

    let exclude = Act::Exclude { rater: rater.to_string(), reason: "did not look".into() };
    let request = ActRequest { id: format!("{:032x}", 1), act: exclude };
    service.operator.act("operator", &request).await.unwrap();
    let seen = after(&fixture, &service, 2 * SECOND).await;
    assert_eq!((raters(&seen), seen.alerts_resolved), (Vec::new(), 1));
}

#[tokio::test]
async fn a_study_without_completions_raises_an_alert_while_places_are_open() {
    let fixture = fixture(2, 2);
    let service = fixture.service().await;
    answer(&fixture, &begun(&service).await, 0..2, 900_000).await;
    assert_eq!(after(&fixture, &service, 9 * MINUTE).await.alerts, []);
    let seen = after(&fixture, &service, MINUTE).await;
    assert_eq!(seen.alerts, [Alert::Stalled { since_unix_ms: 1_700_000_002_000, places: 1 }]);
    let pause = ActRequest { id: format!("{:032x}", 1), act: Act::Pause };
    service.operator.act("operator", &pause).await.unwrap();
    let seen = after(&fixture, &service, 2 * SECOND).await;
    assert_eq!((&seen.alerts[..], seen.alerts_resolved), (&[][..], 1), "no rater can come");
    let resume = ActRequest { id: format!("{:032x}", 2), act: Act::Resume };
    service.operator.act("operator", &resume).await.unwrap();
    assert_eq!(after(&fixture, &service, 9 * MINUTE).await.alerts, []);
    assert_eq!(after(&fixture, &service, MINUTE).await.alerts.len(), 1);
    answer(&fixture, &begun(&service).await, 0..2, 900_000).await;
    assert_eq!(after(&fixture, &service, 20 * MINUTE).await.alerts, [], "all places are completed");
}

#[tokio::test]
async fn answers_by_item_are_told_in_ranges_and_those_that_fall_behind_are_an_alert() {
    let fixture = fixture(20, 40);
    let service = fixture.service().await;
    for _ in 0..4 {
        answer(&fixture, &begun(&service).await, 0..20, 900_000).await;
    }
    let seen = after(&fixture, &service, 2 * SECOND).await;
    let items = &seen.items;
    assert_eq!(items.bins.iter().map(|bin| bin.items).sum::<u32>(), items.items);
    assert!(items.bins.len() <= 8 && items.bins.windows(2).all(|bins| bins[0].to + 1 == bins[1].from));
    let few = items.few.unwrap();
    assert_eq!(few.to + 1, items.median.div_ceil(2));
    let expected = items.least.iter().filter(|item| item.answers <= few.to).count();
    assert_eq!(few.items as usize, expected);
    let alert = Alert::FewAnswers { items: few.items, fewer_than: few.to + 1 };
    assert_eq!(seen.alerts.contains(&alert), few.items > 0, "{:?}", seen.alerts);
}

#[tokio::test]
async fn an_update_with_three_hundred_raters_is_small() {
    let fixture = fixture(12, 300);
    let service = fixture.service().await;
    for number in 0..300 {
        let browser = begun(&service).await;
        answer(&fixture, &browser, 0..if number % 6 == 0 { 12 } else { number % 12 }, 150_000).await;
    }
    let status = service.operator.status(OperatorRole::Operator).await.unwrap();
    let seen = after(&fixture, &service, 2 * SECOND).await;
    let groups = seen.raters;
    assert_eq!(groups.active + groups.idle + groups.completed + groups.left, 300);
    assert!(seen.alerts.len() == 8 && seen.alerts_left_out > 20, "{} more", seen.alerts_left_out);
    let list = service.operator.raters(&RaterQuery::default()).await.unwrap();
    assert_eq!((list.matching, list.raters.len()), (300, 50));
    let (status, list) =
        (serde_json::to_vec(&status).unwrap().len(), serde_json::to_vec(&list).unwrap().len());
    assert!(status + list < 30_000, "{status} and {list} bytes");
}
