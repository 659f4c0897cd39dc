//! A study that is held open: raters wait until the operator calls.

use hype_backends::crowd::generic::{PanelBackend, PanelSettings};
use hype_backends::web::wire::operator::{Act, ActRequest};
use hype_backends::web::wire::screen::{Screen, ScreenKind, WaitingScreen};
use hype_backends::web::{Page, PanelRules, Services};
use hype_core::plugin::store::all_sessions;
use hype_core::{Amount, Payment, Recruitment, Retainer, SessionRecord, Store, StoreExt as _, Study};

use crate::fixture::{Browser, Fixture};
use crate::recruited::{BASE, PARTICIPANT, work_of};
use crate::small_task::{SmallTask, study};

/// A second, in microseconds.
pub(crate) const SECOND: u64 = 1_000_000;
/// A minute.
pub(crate) const MINUTE: u64 = 60 * SECOND;

/// Two raters are let in, and wait for at most five minutes at 15 cents a minute.
pub(crate) fn retainer() -> Retainer {
    Retainer { raters: 2.into(), per_hour: Amount(9_000_000), minutes_at_most: 5.into() }
}

/// A study of four places with three trials; each right answer pays five cents.
pub(crate) fn held_open(hold_open: Option<Retainer>) -> Study {
    study(SmallTask { trials: 3, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = 4;
        spec.collection.recruitment = Recruitment { hold_open, ..Recruitment::default() };
        let platform = PanelSettings { participant: Some(PARTICIPANT.into()), ..PanelSettings::default() };
        spec.collection.backend = Some(Box::new(PanelBackend { platform, ..PanelBackend::default() }));
        let payment = Payment { base: BASE, per_correct: Amount(50_000), ..Payment::default() };
        spec.protocol.payment = Some(payment);
    })
}

pub(crate) fn fixture() -> Fixture {
    Fixture::new(held_open(Some(retainer())), Page::default())
}

pub(crate) fn rules() -> PanelRules {
    PanelRules { participant: Some(PARTICIPANT.into()), ..PanelRules::default() }
}

/// A process that serves the study.
pub(crate) async fn service(fixture: &Fixture) -> Services {
    fixture.panel(rules()).await
}

/// A participant in a separate browser.
pub(crate) fn person(service: &Services, id: &str) -> Browser {
    Browser::new(service).coming_by(PARTICIPANT, id).coming_by("SESSION_ID", &work_of(id))
}

/// A participant who has read the instructions.
pub(crate) async fn begun(service: &Services, id: &str) -> (Browser, Screen) {
    let mut browser = person(service, id);
    browser.agree().await.unwrap();
    let screen = browser.begin().await.unwrap();
    (browser, screen)
}

#[track_caller]
pub(crate) fn waiting(screen: &Screen) -> &WaitingScreen {
    match &screen.shown {
        ScreenKind::Waiting(waiting) => waiting,
        other => panic!("not the waiting screen but {other:?}"),
    }
}

/// Answers every trial, from the first one on.
pub(crate) async fn answer_all(browser: &Browser, mut screen: Screen) -> Screen {
    while let ScreenKind::Trial(shown) = &screen.shown {
        screen = browser.answer(shown.trial.number).await.unwrap().next;
    }
    screen
}

/// Lets a page ask every five seconds until so many seconds have passed, and returns what it was shown last.
pub(crate) async fn ask_for(fixture: &Fixture, browsers: &[&Browser], seconds: u64) -> Vec<Screen> {
    let mut shown = Vec::new();
    for _ in 0..seconds / 5 {
        fixture.clock.forward(5 * SECOND);
        shown.clear();
        for browser in browsers {
            shown.push(browser.wait().await.unwrap());
        }
    }
    shown
}

pub(crate) async fn call(service: &Services, number: u32) -> Option<String> {
    let request = ActRequest { id: format!("{number:032x}"), act: Act::Call };
    service.operator.act("operator", &request).await.unwrap().done
}

/// The records of all sessions, in the order of their names.
pub(crate) async fn records(store: &dyn Store) -> Vec<SessionRecord> {
    let mut records = Vec::new();
    for name in all_sessions(store).await.unwrap() {
        records.push(SessionRecord::from_events(store.load(&name).await.unwrap()).unwrap());
    }
    records
}
