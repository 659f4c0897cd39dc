use hype_backends::crowd::platform::*;
use hype_fakes::mturk::TurkRefusal;

use crate::bench::{Bench, HOUR_MS, limits, worker};

#[tokio::test]
async fn previews_and_work_are_told_apart_by_their_addresses() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 1).await;
    let page = "https://rate.example.org/study?a=1&b=2";
    let preview = bench.fake.preview(&hit).unwrap();
    assert_eq!(preview, format!("{page}&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId={hit}"));
    let work = bench.fake.accept(&hit, &worker(1)).unwrap();
    let expected = format!(
        "{page}&assignmentId={}&hitId={hit}&workerId={}&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com",
        work.assignment,
        worker(1)
    );
    assert_eq!(work.url, expected);
    assert_eq!(bench.fake.preview(&hit), Err(TurkRefusal::NotAvailable));
}

#[tokio::test]
async fn submissions_are_what_was_handed_in() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 5).await;
    let began = bench.clock.unix_ms();
    let works: Vec<_> = (0..5).map(|number| bench.fake.accept(&hit, &worker(number)).unwrap()).collect();
    assert_eq!(bench.market.submissions(&hit).await, Ok(Vec::new()));
    bench.clock.advance(600_000);
    bench.fake.submit(&works[0].assignment, &[("code", "C0DE & <1>"), ("ending", "completed")]).unwrap();
    bench.fake.submit(&works[1].assignment, &[("other", "field")]).unwrap();
    bench.fake.return_(&works[2].assignment).unwrap();
    bench.fake.abandon(&works[3].assignment).unwrap();
    let submissions = bench.market.submissions(&hit).await.unwrap();
    let expected = Submission {
        id: works[0].assignment.as_str().into(),
        participant: worker(0).into(),
        state: SubmissionState::ToReview,
        code: Some("C0DE & <1>".into()),
        began_unix_ms: Some(began),
        ended_unix_ms: Some(began + 600_000),
    };
    assert_eq!(submissions[0], expected);
    assert_eq!((submissions.len(), submissions[1].code.as_ref()), (2, None));
    // Others can accept work that was returned or abandoned, and work that takes too long is abandoned.
    for number in [5, 6] {
        bench.fake.accept(&hit, &worker(number)).unwrap();
    }
    assert_eq!(bench.fake.accept(&hit, &worker(7)), Err(TurkRefusal::NotAvailable));
    bench.clock.advance(HOUR_MS);
    assert_eq!(bench.fake.submit(&works[4].assignment, &[("code", "x")]), Err(TurkRefusal::Over));
    bench.fake.accept(&hit, &worker(7)).unwrap();
    assert_eq!(bench.fake.accept(&hit, &worker(0)), Err(TurkRefusal::Taken));
    bench.passes();
}

#[tokio::test]
async fn submissions_are_read_to_the_last_page() {
    let bench = Bench::new().await;
    bench.fake.limit_pages(2);
    let hit = bench.create("mark", 9).await;
    for number in 0..9 {
        bench.hand_in(&hit, &worker(number));
    }
    assert_eq!(bench.market.submissions(&hit).await.unwrap().len(), 9);
    bench.passes();
}

#[tokio::test]
async fn decisions_can_be_repeated_but_not_turned() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 2).await;
    bench.hand_in(&hit, &worker(0));
    bench.hand_in(&hit, &worker(1));
    let (first, second) =
        (bench.submission(&hit, &worker(0)).await, bench.submission(&hit, &worker(1)).await);
    for _ in 0..2 {
        bench.market.approve(&first).await.unwrap();
        bench.market.reject(&second, "No answers were given.").await.unwrap();
    }
    let refused = bench.market.reject(&first, "No.").await.unwrap_err();
    assert!(refused.to_string().contains("InvalidAssignmentState"), "{refused}");
    let refused = bench.market.approve(&second).await.unwrap_err();
    assert!(matches!(refused, PlatformError::Refused { .. }), "{refused}");
    // A requester who knows that it was rejected can approve it nevertheless, for 30 days.
    let rejected = bench.submission(&hit, &worker(1)).await;
    assert_eq!(rejected.state, SubmissionState::Rejected);
    bench.market.approve(&rejected).await.unwrap();
    assert_eq!(bench.submission(&hit, &worker(1)).await.state, SubmissionState::Approved);
    assert_eq!(bench.fake.paid().rewards.len(), 2);
    bench.passes();
}

#[tokio::test]
async fn work_without_a_decision_is_approved_by_the_service() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 1).await;
    let assignment = bench.hand_in(&hit, &worker(0));
    bench.clock.advance(72 * HOUR_MS - 1);
    assert_eq!(bench.submission(&hit, &worker(0)).await.state, SubmissionState::ToReview);
    bench.clock.advance(1);
    assert_eq!(bench.submission(&hit, &worker(0)).await.state, SubmissionState::Approved);
    assert_eq!(bench.fake.paid().rewards.get(&assignment), Some(&100));
}

#[tokio::test]
async fn work_cannot_be_asked_back() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 1).await;
    bench.hand_in(&hit, &worker(0));
    let submission = bench.submission(&hit, &worker(0)).await;
    assert!(!limits().has_return_requests);
    let refused = bench.market.request_return(&submission, "Please").await.unwrap_err();
    assert!(matches!(refused, PlatformError::Refused { .. }), "{refused}");
}
