use hype_backends::crowd::platform::*;
use hype_fakes::mturk::TurkRefusal;

use crate::bench::{Bench, HOUR_MS, limits, worker};

#[tokio::test]
async fn hits_never_get_ten_assignments() {
    let bench = Bench::new().await;
    assert_eq!(limits().places_per_listing, 9);
    let hit = bench.create("mark", 8).await;
    bench.market.resize(&hit, 9).await.unwrap();
    bench.market.resize(&hit, 9).await.unwrap();
    assert_eq!(bench.market.listing(&hit).await.unwrap().places, 9);
    let refused = bench.market.resize(&hit, 10).await.unwrap_err();
    assert!(refused.to_string().contains("more cost twice the fee"), "{refused}");
    let refused = bench.market.resize(&hit, 7).await.unwrap_err();
    assert!(refused.to_string().contains("cannot take places back"), "{refused}");
    // The service itself would have refused it.
    let body = format!("{{\"HITId\":\"{hit}\",\"NumberOfAdditionalAssignments\":1}}");
    let request = bench.fake.signed("CreateAdditionalAssignmentsForHIT", &body);
    let answer = hype_fakes::serve::FakePlatform::answer(&bench.fake, &request);
    assert!(String::from_utf8_lossy(answer.body()).contains("InvalidMaximumAssignmentsIncrease"));
    for number in 0..9 {
        bench.hand_in(&hit, &worker(number));
    }
    assert_eq!(bench.fake.accept(&hit, &worker(9)), Err(TurkRefusal::NotAvailable));
    bench.passes();
}

#[tokio::test]
async fn hits_of_one_study_have_one_type_and_are_created_once() {
    let bench = Bench::new().await;
    let mut ids = Vec::new();
    for number in 0..4 {
        ids.push(bench.create(&format!("mark-{number}"), 9).await);
    }
    assert_eq!(bench.fake.hit_types(), 1);
    // Repeating a request within a day creates nothing; after that, the caller asks for its mark before repeating it.
    assert_eq!(bench.create("mark-2", 9).await, ids[2]);
    bench.clock.advance(24 * HOUR_MS - 1);
    assert_eq!(bench.create("mark-2", 9).await, ids[2]);
    bench.clock.advance(1);
    assert_eq!(bench.market.find("mark-2").await.unwrap().unwrap().id, ids[2]);
    assert_ne!(bench.create("mark-2", 9).await, ids[2]);
    assert_eq!(bench.fake.hits().len(), 5);
    bench.passes();
}

#[tokio::test]
async fn hits_are_found_on_any_page() {
    let bench = Bench::new().await;
    bench.fake.limit_pages(3);
    let mut ids = Vec::new();
    for number in 0..11 {
        ids.push(bench.create(&format!("mark-{number}"), 1).await);
    }
    for (number, id) in ids.iter().enumerate() {
        let found = bench.market.find(&format!("mark-{number}")).await.unwrap().unwrap();
        assert_eq!(&found.id, id);
    }
    assert_eq!(bench.market.find("mark-11").await, Ok(None));
    bench.passes();
}

#[tokio::test]
async fn hits_are_paused_continued_and_closed() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 2).await;
    let accepts = |number| bench.fake.accept(&hit, &worker(number)).map(drop);
    let admission = async || bench.market.listing(&hit).await.unwrap().admission;
    // The service considers a time that is set again a repetition.
    for _ in 0..3 {
        for _ in 0..2 {
            bench.market.admit(&hit, ListingAdmission::Paused).await.unwrap();
            assert_eq!(admission().await, ListingAdmission::Paused);
            assert_eq!(accepts(0), Err(TurkRefusal::NotAvailable));
        }
        for _ in 0..2 {
            bench.market.admit(&hit, ListingAdmission::Open).await.unwrap();
            assert_eq!(admission().await, ListingAdmission::Open);
        }
    }
    assert_eq!(accepts(0), Ok(()));
    bench.market.admit(&hit, ListingAdmission::Closed).await.unwrap();
    assert_eq!(accepts(1), Err(TurkRefusal::NotAvailable));
    // A worker is at work on it, so it stays readable.
    assert_eq!(bench.fake.hits(), [hit.to_string()]);
    bench.market.admit(&hit, ListingAdmission::Closed).await.unwrap();
    // It is continued until the end that it was created with, and not beyond.
    bench.clock.advance(48 * HOUR_MS);
    let over = bench.market.admit(&hit, ListingAdmission::Open).await.unwrap_err();
    assert!(over.to_string().contains("the time of the listing is over"), "{over}");
    bench.passes();
}

/// Its places can then be listed anew.
#[tokio::test]
async fn a_hit_whose_time_is_over_is_closed() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 2).await;
    let admission = async || bench.market.listing(&hit).await.unwrap().admission;
    bench.clock.advance(47 * HOUR_MS);
    assert_eq!(admission().await, ListingAdmission::Open);
    bench.market.admit(&hit, ListingAdmission::Paused).await.unwrap();
    assert_eq!(admission().await, ListingAdmission::Paused);
    bench.clock.advance(HOUR_MS);
    assert_eq!(admission().await, ListingAdmission::Closed);
    assert!(limits().listings_end);
}

#[tokio::test]
async fn hits_without_work_are_deleted_when_they_are_closed() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 2).await;
    for _ in 0..2 {
        bench.market.admit(&hit, ListingAdmission::Closed).await.unwrap();
        assert_eq!(bench.market.listing(&hit).await.unwrap().admission, ListingAdmission::Closed);
    }
    assert_eq!(bench.fake.hits(), [""; 0]);
    assert_eq!(bench.market.find("mark").await, Ok(None));
    let over = bench.market.admit(&hit, ListingAdmission::Open).await.unwrap_err();
    assert!(matches!(over, PlatformError::Refused { .. }), "{over}");
    bench.passes();
}

#[tokio::test]
async fn an_account_without_money_lists_nothing() {
    let bench = Bench::new().await;
    // Nine rewards of 1.00 with fees of 0.20 each.
    bench.fake.set_balance(9 * 120 - 1);
    let refused = bench.market.create(&bench.listing("mark", 9)).await.unwrap_err();
    assert!(refused.to_string().contains("AWS.MechanicalTurk.InsufficientFunds"), "{refused}");
    bench.fake.set_balance(9 * 120);
    bench.create("mark", 9).await;
    bench.passes();
}
