//! Platforms keep the pool of those who took part in a study, for other studies to exclude.

use hype_backends::crowd::platform::SubmissionState;
use hype_core::Streams;

use crate::market::{Kind, TestMarket};
use crate::recruited::{BASE, PEOPLE, collected, recruiter, work_of};

#[tokio::test]
async fn all_participants_are_in_the_pool_however_places_are_listed() {
    let (study, store, _) = collected().await;
    for (kind, by) in [
        (Kind::Tokens, "step"),
        (Kind::Blind, "step"),
        // The commands of an operator who runs no collection.
        (Kind::Blind, "pay"),
        (Kind::Blind, "close"),
    ] {
        let market = TestMarket::new(kind, BASE, Streams::new(1).stream("faults"), 0);
        for person in PEOPLE {
            market.submit(&work_of(person), person);
        }
        // A person who handed in work without coming to the page, and people who gave their places back or only have one.
        for (person, state) in [
            ("bb01", SubmissionState::ToReview),
            ("bb02", SubmissionState::Returned),
            ("bb03", SubmissionState::TimedOut),
            ("bb04", SubmissionState::Working),
            ("bb05", SubmissionState::Unknown),
        ] {
            market.submit(&work_of(person), person);
            market.set(&work_of(person), state);
        }
        let recruiter = recruiter(&study, &store.copy().await, &market, None, "only").await;
        recruiter.publish(0).await.unwrap();
        assert!(market.pools().is_empty());
        let done = match by {
            "step" => recruiter.step(0).await,
            "pay" => recruiter.pay(0).await,
            _ => recruiter.close(0).await,
        };
        assert_eq!(done.unwrap().problems, [""; 0]);
        let pool = format!("hype-took-part-{}", study.digest().short());
        let people = PEOPLE.iter().chain(&["bb01"]).map(|person| (*person).to_owned()).collect();
        assert_eq!(market.pools(), [(pool, people)].into(), "{kind:?}, {by}");
    }
}
