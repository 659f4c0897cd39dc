use hype_backends::crowd::platform::*;
use hype_core::Amount;
use hype_fakes::mturk::TurkWorker;
use hype_mturk::{MechanicalTurkSettings, WorkerRequirements};

use crate::bench::{Bench, CENT, worker};

/// Every operation of the protocol that the client knows.
const OPERATIONS: [&str; 16] = [
    "ApproveAssignment",
    "AssociateQualificationWithWorker",
    "CreateAdditionalAssignmentsForHIT",
    "CreateHITType",
    "CreateHITWithHITType",
    "CreateQualificationType",
    "DeleteHIT",
    "GetAssignment",
    "GetHIT",
    "ListAssignmentsForHIT",
    "ListBonusPayments",
    "ListHITs",
    "ListQualificationTypes",
    "RejectAssignment",
    "SendBonus",
    "UpdateExpirationForHIT",
];

#[tokio::test]
async fn every_call_passes_the_judge() {
    let requirements = WorkerRequirements {
        approved_assignments: Some(100),
        locales: vec!["US".into(), "DE-BY".into()],
        adult: true,
        masters: true,
        ..WorkerRequirements::default()
    };
    let bench =
        Bench::with(MechanicalTurkSettings { requirements, ..MechanicalTurkSettings::default() }).await;
    let market = &bench.market;
    let facts = TurkWorker { adult: true, masters: true, ..TurkWorker::default() };
    for number in 0..3 {
        bench.fake.worker(&worker(number), facts.clone());
    }
    market.add_to_pool("qualified", &[&worker(0), &worker(1), &worker(2)]).await.unwrap();
    let mut listing = bench.listing("mark-0", 3);
    listing.pool = Some("qualified".into());
    listing.excluded_pools = vec!["took part".into(), "another".into()];
    let created = market.create(&listing).await.unwrap();
    let hit = &*created.id;
    assert_eq!((created.places, created.admission), (3, ListingAdmission::Open));
    assert_eq!(market.find("mark-0").await, Ok(Some(created.clone())));
    assert_eq!(market.listing(hit).await, Ok(created.clone()));
    market.resize(hit, 9).await.unwrap();
    for number in 0..3 {
        bench.hand_in(hit, &worker(number));
    }
    let [first, second, third] = &*market.submissions(hit).await.unwrap() else {
        panic!("three submissions")
    };
    market.approve(first).await.unwrap();
    market.approve(first).await.unwrap();
    market.reject(second, "The completion code is missing.").await.unwrap();
    market.reject(third, "The wrong study.").await.unwrap();
    let rejected = Submission { state: SubmissionState::Rejected, ..third.clone() };
    market.approve(&rejected).await.unwrap();
    let order = bench.order(first, "token", 150);
    market.pay(hit, std::slice::from_ref(&order)).await.unwrap();
    assert_eq!(market.settle(hit, std::slice::from_ref(&order)).await, Ok(vec![Settlement::Made]));
    let made = MadePayment { submission: first.id.clone(), amount: Amount(150 * CENT) };
    assert_eq!(market.payments(hit).await, Ok(vec![made]));
    for admission in [ListingAdmission::Paused, ListingAdmission::Open, ListingAdmission::Closed] {
        market.admit(hit, admission).await.unwrap();
    }
    let unused = bench.create("mark-1", 2).await;
    market.admit(&unused, ListingAdmission::Closed).await.unwrap();
    bench.passes();
    let mut asked: Vec<_> = bench.fake.operations().into_iter().collect();
    asked.sort();
    assert_eq!(asked, OPERATIONS);
    // Three rewards or bonuses of 1.00, 1.00 and 1.50, with a fee of 25 %.
    let paid = bench.fake.paid();
    assert_eq!((paid.rewards.values().sum::<u64>(), paid.fees), (200, 25 + 25 + 38));
    assert_eq!(paid.balance, 1_000_000 - 200 - 150 - paid.fees);
}

#[tokio::test]
async fn texts_of_every_kind_arrive_as_they_are() {
    let bench = Bench::new().await;
    let mut listing = bench.listing("mark with a space", 1);
    listing.title = "Bilder beurteilen – \"schön\" & <gut>?".into();
    listing.keywords = Vec::new();
    let created = bench.market.create(&listing).await.unwrap();
    assert_eq!(bench.market.find("mark with a space").await.unwrap().unwrap().id, created.id);
    assert_eq!(bench.market.find("mark").await, Ok(None));
    bench.passes();
}
