//! Every call of a market does at the platform what the interface says.

use hype_backends::crowd::platform::{
    ListingAdmission, ListingState, MadePayment, Platform as _, Settlement, SubmissionState,
};
use hype_core::Amount;
use hype_fakes::prolific::{NoEntry, ProlificSetup};

use super::support::{Lab, kind, listing, order, reason};

#[tokio::test]
async fn a_study_is_published_paused_enlarged_and_stopped() {
    let Lab { fake, market, served: _served, .. } = Lab::new().await;
    let state = market.create(&listing("m1", 2)).await.unwrap();
    let id = &*state.id;
    assert_eq!(fake.open_studies(), [id]);
    assert_eq!(
        market.listing(id).await,
        Ok(ListingState { admission: ListingAdmission::Open, ..state.clone() })
    );
    assert_eq!(market.find("m1").await.unwrap().map(|found| found.id), Some(state.id.clone()));
    assert_eq!(market.find("m2").await, Ok(None));

    for _ in 0..2 {
        market.admit(id, ListingAdmission::Paused).await.unwrap();
        assert_eq!(fake.arrive(id), Err(NoEntry::Closed));
        assert_eq!(market.listing(id).await.unwrap().admission, ListingAdmission::Paused);
    }
    for _ in 0..2 {
        market.admit(id, ListingAdmission::Open).await.unwrap();
        assert_eq!(market.listing(id).await.unwrap().admission, ListingAdmission::Open);
    }
    fake.arrive(id).unwrap();
    fake.arrive(id).unwrap();
    assert_eq!(fake.arrive(id), Err(NoEntry::Closed), "both places are taken");
    for _ in 0..2 {
        market.resize(id, 3).await.unwrap();
        assert_eq!(market.listing(id).await.unwrap().places, 3);
    }
    fake.arrive(id).unwrap();
    assert_eq!(kind(&market.resize(id, 2).await.unwrap_err()), "refused", "places can only be added");
    market.resize(id, 4).await.unwrap();
    for _ in 0..2 {
        market.admit(id, ListingAdmission::Closed).await.unwrap();
        assert_eq!(market.listing(id).await.unwrap().admission, ListingAdmission::Closed);
    }
    assert_eq!(kind(&market.admit(id, ListingAdmission::Open).await.unwrap_err()), "refused");
    market.resize(id, 5).await.unwrap();
    assert_eq!(
        market.listing(id).await.unwrap().admission,
        ListingAdmission::Open,
        "more places open it again"
    );
}

#[tokio::test]
async fn participants_arrive_with_their_ids() {
    let Lab { fake, market, served: _served, .. } = Lab::new().await;
    let study = market.create(&listing("m1", 2)).await.unwrap().id;
    let arrival = fake.arrive(&study).unwrap();
    let (participant, submission) = (&arrival.participant, &arrival.submission);
    let expected = format!(
        "https://rate.example.org/?PROLIFIC_PID={participant}&STUDY_ID={study}&SESSION_ID={submission}"
    );
    assert_eq!(arrival.url, expected);
    assert_eq!(fake.arrive_as(&study, participant), Err(NoEntry::TookPart));
}

#[tokio::test]
async fn full_studies_count_as_open() {
    let lab = Lab::new().await;
    let study = lab.study(1).await;
    let arrival = lab.finished(&study, 1).remove(0);
    assert_eq!(lab.fake.study_status(&study), "AWAITING REVIEW");
    assert_eq!(lab.market.listing(&study).await.unwrap().admission, ListingAdmission::Open);
    lab.market.admit(&study, ListingAdmission::Open).await.unwrap();
    let submission = lab.submission(&study, &arrival).await;
    lab.market.approve(&submission).await.unwrap();
    assert_eq!(lab.fake.study_status(&study), "COMPLETED");
    lab.market.admit(&study, ListingAdmission::Closed).await.unwrap();
    lab.market.resize(&study, 2).await.unwrap();
    lab.fake.arrive(&study).unwrap();
}

#[tokio::test]
async fn work_is_followed_approved_rejected_and_asked_back() {
    let lab = Lab::new().await;
    let Lab { fake, market, .. } = &lab;
    let study = lab.study(6).await;
    let [approved, rejected, returned, late, working, asked] = [(); 6].map(|()| fake.arrive(&study).unwrap());
    fake.clock().advance(600_000);
    for done in [&approved, &rejected, &asked] {
        fake.submit(&done.submission, "DONE").unwrap();
    }
    fake.give_back(&returned.submission).unwrap();
    fake.time_out(&late.submission).unwrap();

    let first = lab.submission(&study, &approved).await;
    assert_eq!(first.state, SubmissionState::ToReview);
    assert_eq!(first.code.as_deref(), Some("DONE"));
    assert_eq!(*first.participant, *approved.participant);
    let began = first.began_unix_ms.unwrap();
    assert_eq!(first.ended_unix_ms, Some(began + 600_000));
    assert_eq!(began, fake.clock().unix_ms() - 600_000);

    for _ in 0..2 {
        market.approve(&first).await.unwrap();
    }
    let second = lab.submission(&study, &rejected).await;
    assert_eq!(kind(&market.reject(&second, "too short").await.unwrap_err()), "refused");
    for _ in 0..2 {
        market.reject(&second, &reason()).await.unwrap();
    }
    assert_eq!(kind(&market.approve(&second).await.unwrap_err()), "refused", "it is decided");
    let third = lab.submission(&study, &asked).await;
    for _ in 0..2 {
        market.request_return(&third, "No session of yours was finished.").await.unwrap();
    }
    let returns = fake.requests().iter().filter(|label| label.ends_with("request-return/")).count();
    assert_eq!(returns, 1, "each request is a message to the participant");

    for (arrival, state) in [
        (&approved, SubmissionState::Approved),
        (&rejected, SubmissionState::Rejected),
        (&returned, SubmissionState::Returned),
        (&late, SubmissionState::TimedOut),
        (&working, SubmissionState::Working),
        (&asked, SubmissionState::ToReview),
    ] {
        assert_eq!(lab.submission(&study, arrival).await.state, state);
    }
    assert_eq!(fake.paid()[&approved.submission].rewards, [150]);
    assert_eq!(fake.paid().len(), 1);
    // Three places are free again.
    for _ in 0..3 {
        fake.arrive(&study).unwrap();
    }
    assert_eq!(fake.arrive(&study), Err(NoEntry::Closed));
}

#[tokio::test]
async fn time_runs_out_by_the_platforms_clock() {
    let lab = Lab::new().await;
    let study = lab.study(1).await;
    let arrival = lab.fake.arrive(&study).unwrap();
    lab.fake.clock().advance(60 * 60_000);
    assert_eq!(lab.submission(&study, &arrival).await.state, SubmissionState::TimedOut);
}

#[tokio::test]
async fn a_status_without_a_meaning_leaves_everything_else_as_it_is() {
    let lab = Lab::new().await;
    let study = lab.study(2).await;
    let (arrival, other) = (lab.fake.arrive(&study).unwrap(), lab.finished(&study, 1).remove(0));
    for (status, state) in
        [("SCREENED OUT", SubmissionState::Returned), ("PARTIALLY APPROVED", SubmissionState::Approved)]
    {
        lab.fake.set_submission_status(&arrival.submission, status);
        assert_eq!(lab.submission(&study, &arrival).await.state, state);
    }
    for status in ["UNKNOWN", "APPEALED"] {
        lab.fake.set_submission_status(&arrival.submission, status);
        assert_eq!(lab.submission(&study, &arrival).await.state, SubmissionState::Unknown);
        assert_eq!(lab.submission(&study, &other).await.state, SubmissionState::ToReview);
    }
    lab.market.approve(&lab.submission(&study, &other).await).await.unwrap();
    assert_eq!(lab.submission(&study, &other).await.state, SubmissionState::Approved);
    assert_eq!(lab.fake.paid().get(&arrival.submission).map(|paid| paid.rewards.len()), None);

    lab.fake.archive_by_hand(&study);
    assert_eq!(lab.market.listing(&study).await.unwrap().admission, ListingAdmission::Unknown);
    assert_eq!(lab.market.submissions(&study).await.unwrap().len(), 2);
    for admission in [ListingAdmission::Open, ListingAdmission::Paused, ListingAdmission::Closed] {
        let error = lab.market.admit(&study, admission).await.unwrap_err();
        assert_eq!(kind(&error), "not understood");
        assert!(error.to_string().ends_with("its status is `ARCHIVED`"), "{error}");
    }
}

#[tokio::test]
async fn bonuses_are_paid_and_found_again() {
    for setup in
        [ProlificSetup::default(), ProlificSetup { lists_bonuses: false, ..ProlificSetup::default() }]
    {
        let lab = Lab::with(setup).await;
        let study = lab.study(2).await;
        let people = lab.finished(&study, 2);
        let orders = [order(&people[0], 1_500_000), order(&people[1], 20_000)];
        assert_eq!(lab.market.settle(&study, &orders[..1]).await, Ok(vec![Settlement::Unknown]));
        lab.market.pay(&study, &orders).await.unwrap();
        for order in &orders {
            assert_eq!(
                lab.market.settle(&study, std::slice::from_ref(order)).await,
                Ok(vec![Settlement::Made])
            );
        }
        let payments = lab.market.payments(&study).await.unwrap();
        let expected = orders
            .each_ref()
            .map(|order| MadePayment { submission: order.submission.clone(), amount: order.amount });
        assert_eq!(payments, expected);
        assert_eq!(lab.fake.paid()[&people[1].submission].bonuses, [2]);
    }
}

#[tokio::test]
async fn money_is_in_the_currency_of_the_account() {
    let lab = Lab::new().await;
    let study = lab.study(2).await;
    let people = lab.finished(&study, 2);
    let submission = lab.submission(&study, &people[0]).await;
    lab.market.approve(&submission).await.unwrap();
    assert_eq!(lab.fake.balance(), 1_000_000 - 200);
    let poor = Lab::with(ProlificSetup { balance: 399, ..ProlificSetup::default() }).await;
    let error = poor.market.create(&listing("m", 2)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Prolific refused to publish a study: status 400 (Bad request: There is not enough money in the account.)"
    );
}

#[tokio::test]
async fn pools_let_people_in_or_keep_them_out() {
    let lab = Lab::new().await;
    let study = lab.study(3).await;
    let people = lab.finished(&study, 3);
    let [good, other, stranger] = [0, 1, 2].map(|index: usize| people[index].participant.as_str());
    for _ in 0..2 {
        lab.market.add_to_pool("qualified", &[good, other]).await.unwrap();
    }
    assert_eq!(lab.fake.group("qualified"), [good, other]);

    let mut next = listing("next", 5);
    next.pool = Some("qualified".into());
    next.excluded_pools = vec!["took part".into()];
    let next = lab.market.create(&next).await.unwrap().id;
    assert_eq!(lab.fake.arrive_as(&next, stranger), Err(NoEntry::NotEligible));
    lab.fake.arrive_as(&next, good).unwrap();
    // People who are added to an excluded pool later are kept out, too.
    lab.market.add_to_pool("took part", &[other]).await.unwrap();
    assert_eq!(lab.fake.arrive_as(&next, other), Err(NoEntry::NotEligible));

    let mut unknown = listing("unknown", 5);
    unknown.pool = Some("nobody's".into());
    let error = lab.market.create(&unknown).await.unwrap_err();
    assert!(error.to_string().ends_with("there is no participant group `nobody's`"), "{error}");
}

#[tokio::test]
async fn money_of_another_currency_or_of_fractions_is_not_promised() {
    let lab = Lab::new().await;
    let mut pounds = listing("pounds", 1);
    pounds.currency = "GBP".into();
    let mut fractions = listing("fractions", 1);
    fractions.reward = Amount(1_505_000);
    let mut little = listing("little", 1);
    little.reward = Amount(1_000_000);
    for (listing, reason) in [
        (pounds, "the account pays in USD, and the study in GBP"),
        (fractions, "1.505 has fractions of a cent"),
        (little, "status 400 (Bad request: reward: The reward is below the minimum reward per hour.)"),
    ] {
        let error = lab.market.create(&listing).await.unwrap_err();
        assert_eq!(error.to_string(), format!("Prolific refused to create a study: {reason}"));
    }
    assert_eq!(lab.fake.studies(), [""; 0]);
}
