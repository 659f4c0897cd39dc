use hype_backends::crowd::platform::*;
use hype_fakes::mturk::{TurkRefusal, TurkWorker};
use hype_mturk::{MechanicalTurkSettings, WorkerRequirements};

use crate::bench::{Bench, worker};

#[tokio::test]
async fn members_of_an_excluded_pool_cannot_accept() {
    let bench = Bench::new().await;
    let mut listing = bench.listing("mark", 9);
    listing.excluded_pools = vec!["took part".into()];
    let first = bench.market.create(&listing).await.unwrap().id;
    listing.mark = "other".into();
    let second = bench.market.create(&listing).await.unwrap().id;
    bench.fake.accept(&first, &worker(0)).unwrap();
    // Added after both listings were created, and twice.
    for _ in 0..2 {
        bench.market.add_to_pool("took part", &[&worker(0)]).await.unwrap();
    }
    assert_eq!(bench.fake.accept(&second, &worker(0)), Err(TurkRefusal::NotQualified));
    bench.fake.accept(&second, &worker(1)).unwrap();
    assert_eq!(bench.fake.qualified("took part").into_iter().collect::<Vec<_>>(), [worker(0)]);
    bench.passes();
}

#[tokio::test]
async fn only_a_pool_that_exists_can_be_required() {
    let bench = Bench::new().await;
    let mut listing = bench.listing("mark", 9);
    listing.pool = Some("qualified".into());
    let refused = bench.market.create(&listing).await.unwrap_err();
    assert!(refused.to_string().contains("none named `qualified`"), "{refused}");
    bench.market.add_to_pool("qualified", &[&worker(0)]).await.unwrap();
    let hit = bench.market.create(&listing).await.unwrap().id;
    assert_eq!(bench.fake.accept(&hit, &worker(1)), Err(TurkRefusal::NotQualified));
    bench.fake.accept(&hit, &worker(0)).unwrap();
    bench.passes();
}

#[tokio::test]
async fn pools_are_found_on_any_page_and_by_their_whole_name() {
    let bench = Bench::new().await;
    bench.fake.limit_pages(2);
    for number in (0..12).rev() {
        bench.market.add_to_pool(&format!("pool {number}"), &[&worker(number)]).await.unwrap();
    }
    bench.market.add_to_pool("pool 1", &[&worker(99)]).await.unwrap();
    assert_eq!(bench.fake.qualified("pool 1").into_iter().collect::<Vec<_>>(), [worker(1), worker(99)]);
    assert_eq!(bench.fake.qualified("pool 11").len(), 1);
    bench.passes();
}

#[tokio::test]
async fn requirements_of_the_settings_hold() {
    let requirements = WorkerRequirements {
        approved_assignments: Some(500),
        locales: vec!["DE".into(), "US-CA".into()],
        ..WorkerRequirements::default()
    };
    let bench =
        Bench::with(MechanicalTurkSettings { requirements, ..MechanicalTurkSettings::default() }).await;
    let hit = bench.create("mark", 9).await;
    let from = |country: &str, subdivision: Option<&str>| TurkWorker {
        country: country.into(),
        subdivision: subdivision.map(Into::into),
        ..TurkWorker::default()
    };
    let cases = [
        (TurkWorker::default(), true),
        (from("DE", None), true),
        (from("US", Some("NY")), false),
        (from("FR", None), false),
        (TurkWorker { approval_rate: 98, ..TurkWorker::default() }, true),
        (TurkWorker { approval_rate: 97, ..TurkWorker::default() }, false),
        (TurkWorker { approved_assignments: 499, ..TurkWorker::default() }, false),
    ];
    for (number, (facts, can)) in cases.into_iter().enumerate() {
        bench.fake.worker(&worker(number), facts.clone());
        assert_eq!(bench.fake.accept(&hit, &worker(number)).is_ok(), can, "{facts:?}");
    }
}

#[tokio::test]
async fn more_than_ten_requirements_are_refused() {
    let bench = Bench::new().await;
    let mut listing = bench.listing("mark", 9);
    listing.excluded_pools = (0..10).map(|number| format!("pool {number}").into()).collect();
    let refused = bench.market.create(&listing).await.unwrap_err();
    assert!(refused.to_string().contains("it has 11 requirements"), "{refused}");
    listing.excluded_pools.pop();
    bench.market.create(&listing).await.unwrap();
    bench.passes();
}
