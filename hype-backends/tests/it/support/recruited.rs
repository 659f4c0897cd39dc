//! A study whose raters came through a panel, and the recruiter that pays them.

use std::sync::Arc;

use hype_backends::crowd::platform::{PlatformFacts, Settlement};
use hype_backends::crowd::recruiter::{Recruiter, Recruiting};
use hype_backends::crowd::settings::{ListingSettings, ReviewSettings};
use hype_backends::web::{Page, Participants};
use hype_core::model::ledger::PaymentPurpose;
use hype_core::protocol::ledger::PaymentState;
use hype_core::{Amount, Payment, SessionRecord, StoreExt as _, Study};

use crate::crashing_store::CrashingStore;
use crate::fixture::{Browser, Fixture};
use crate::market::{Kind, TestMarket};
use crate::proof::row;
use crate::small_task::{SmallTask, study};

/// The address parameter with a participant's id.
pub(crate) const PARTICIPANT: &str = "PROLIFIC_PID";

/// Participants of a study with four places: one leaves, and three complete it.
/// Keys of raters are random hexadecimal digits, which contain none of these.
pub(crate) const PEOPLE: [&str; 4] = ["xx01", "xx02", "xx03", "xx04"];

/// Longer than the longest pause before a payment that failed is sent again.
pub(crate) const LONG_MS: u64 = 7 * 3_600_000;

pub(crate) const BASE: Amount = Amount(1_000_000);
const PER_CORRECT: Amount = Amount(50_000);

fn paid_study() -> Study {
    study(SmallTask { trials: 8, qualifying: 0, needed: 0 }, |spec| {
        spec.collection.raters.per_model = 4;
        let payment = Payment { base: BASE, per_correct: PER_CORRECT, ..Payment::default() };
        spec.protocol.payment = Some(payment);
    })
}

/// The work of a person.
#[derive(Debug)]
pub(crate) struct Worked {
    pub(crate) session: String,
    pub(crate) base: Amount,
    pub(crate) bonus: Amount,
}

/// A study that one rater has left and three have completed, with each one's session and what it earned.
pub(crate) async fn collected() -> (Study, CrashingStore, Vec<Worked>) {
    let study = paid_study();
    let page = Page { participant: Some(PARTICIPANT.into()), ..Page::default() };
    let store = CrashingStore::new();
    let fixture = Fixture::new(study.clone(), page);
    let service = fixture.service_with(Arc::new(store.clone())).await;
    let people = Participants::of(Arc::new(store.clone())).await.unwrap();
    let mut worked = Vec::new();
    for person in PEOPLE {
        let mut browser =
            Browser::new(&service).coming_by(PARTICIPANT, person).coming_by("SESSION_ID", &work_of(person));
        browser.agree().await.unwrap();
        if person == PEOPLE[0] {
            browser.begin().await.unwrap();
            browser.leave().await.unwrap();
        } else {
            browser.play().await;
        }
    }
    for person in PEOPLE {
        let session = people.session(person).await.unwrap().unwrap();
        let log = store.load(&session).await.unwrap();
        let earned = SessionRecord::from_events(log).unwrap().earned().unwrap();
        worked.push(Worked { session, base: earned.base, bonus: earned.bonus });
    }
    (study, store, worked)
}

pub(crate) fn work_of(person: &str) -> String {
    format!("work-of-{person}")
}

pub(crate) fn recruiting(facts: PlatformFacts, limit: Option<Amount>) -> Recruiting {
    Recruiting {
        facts,
        listing: ListingSettings::default(),
        review: ReviewSettings::default(),
        address: "https://rate.example.org/".into(),
        limit,
        pool: None,
        excluded_pools: Vec::new(),
    }
}

pub(crate) async fn recruiter(
    study: &Study,
    store: &CrashingStore,
    market: &TestMarket,
    limit: Option<Amount>,
    writer: &str,
) -> Recruiter {
    recruiter_with(study, store, market, recruiting(market.facts(), limit), writer).await
}

pub(crate) async fn recruiter_with(
    study: &Study,
    store: &CrashingStore,
    market: &TestMarket,
    settings: Recruiting,
    writer: &str,
) -> Recruiter {
    let store = Arc::new(store.clone());
    Recruiter::new(study.clone(), store, Arc::new(market.clone()), settings, writer).await.unwrap()
}

/// Runs so many schedules on copies of one collected study, and prints how many payments were unclear at their ends, which it returns.
pub(crate) async fn for_all(
    schedules: u64,
    schedule: impl AsyncFn(&Study, &CrashingStore, &[Worked], u64) -> u32,
) -> u32 {
    let (study, collected, worked) = collected().await;
    let mut unclear = 0;
    for number in 0..schedules {
        unclear += schedule(&study, &collected, &worked, number).await;
    }
    row(&[&schedules.to_string(), &unclear.to_string()]);
    unclear
}

/// An operator looks at the platform for what cannot be known. Returns how many payments that was.
pub(crate) async fn settle_by_hand(
    recruiter: &Recruiter,
    market: &TestMarket,
    worked: &[Worked],
    (kind, number): (Kind, u64),
) -> u32 {
    let mut settled = 0;
    for (key, payment) in recruiter.ledger().await.unwrap().payments() {
        assert!(!matches!(payment.state, PaymentState::Sent { .. }), "schedule {number}: {key} is under way");
        if !matches!(payment.state, PaymentState::Unclear { .. }) {
            continue;
        }
        let can_be_unclear = (Kind::Blind, PaymentPurpose::Bonus);
        assert_eq!((kind, key.purpose), can_be_unclear, "schedule {number}: {key} can be known");
        let place = worked.iter().position(|worked| worked.session == *key.session).unwrap();
        let is_paid = market.paid(&work_of(PEOPLE[place])).1 > Amount(0);
        let settlement = if is_paid { Settlement::Made } else { Settlement::NotMade };
        recruiter.settle_by_hand(key, settlement, "operator", market.now()).await.unwrap();
        settled += 1;
    }
    settled
}
