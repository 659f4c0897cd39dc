//! Work in a state that this version does not know waits for the operator, and stops nothing else.

use hype_backends::crowd::platform::SubmissionState;
use hype_core::{Amount, Streams};

use crate::market::{Kind, TestMarket};
use crate::recruited::{BASE, PEOPLE, collected, recruiter, work_of};

#[tokio::test]
async fn it_is_counted_never_paid_and_never_a_free_place() {
    let (study, store, worked) = collected().await;
    for kind in [Kind::Tokens, Kind::Blind] {
        let market = TestMarket::new(kind, BASE, Streams::new(1).stream("faults"), 0);
        for person in PEOPLE {
            market.submit(&work_of(person), person);
        }
        market.set(&work_of(PEOPLE[1]), SubmissionState::Unknown);
        let recruiter = recruiter(&study, &store.copy().await, &market, None, "only").await;
        recruiter.publish(0).await.unwrap();
        for _ in 0..3 {
            recruiter.step(market.now()).await.unwrap();
            market.forward(60_000);
        }
        let status = recruiter.status(market.now()).await.unwrap();
        assert_eq!(status.problems, [""; 0]);
        let held = status.held.iter().find(|held| *held.name == *worked[1].session).unwrap();
        assert_eq!(
            held.why,
            "the platform gives it a status that this version does not know: look at it there"
        );
        assert_eq!((status.work.to_review, status.work.approved), (2, 2), "{kind:?}: who left is held too");
        assert_eq!(market.paid(&work_of(PEOPLE[1])), (0, Amount(0)));
        for person in 2..4 {
            assert_eq!(market.paid(&work_of(PEOPLE[person])), (1, worked[person].bonus));
        }
        assert!(!status.is_settled());
        // One place is missing, that of the rater who left. Nothing is listed for the unknown work.
        assert_eq!(status.demand, 1);
        let taken: u32 = status.listings.iter().map(|listing| listing.taken).sum();
        assert_eq!(taken, 4, "{:?}", status.listings);
        // The operator cannot decide on it here, and learns of it once it is known.
        let refused = recruiter.approve(&worked[1].session, "operator", market.now()).await.unwrap_err();
        assert!(refused.to_string().contains("no work of"), "{refused}");
        market.set(&work_of(PEOPLE[1]), SubmissionState::ToReview);
        recruiter.step(market.now()).await.unwrap();
        assert_eq!(market.paid(&work_of(PEOPLE[1])).0, 1);
    }
}
