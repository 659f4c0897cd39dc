//! Studies that Prolific would refuse, or would publish in another currency, are not published.

use hype_backends::crowd::platform::{ListingRequest, Platform as _};
use hype_fakes::prolific::ProlificSetup;

use super::support::{Lab, listing, without_workspace};

fn paid_in(currency: &str) -> ListingRequest {
    ListingRequest { currency: currency.into(), ..listing("m1", 3) }
}

fn account_in(currency: &str) -> ProlificSetup {
    ProlificSetup { currency: currency.into(), ..ProlificSetup::default() }
}

#[tokio::test]
async fn the_workspace_sets_the_currency() {
    for (account, study) in [("USD", "JPY"), ("GBP", "USD"), ("USD", "GBP"), ("", "USD")] {
        let lab = Lab::with(account_in(account)).await;
        let created = lab.market.create(&paid_in(study)).await;
        assert!(created.is_err(), "an account in {account:?} has published a study in {study}");
        assert_eq!(lab.fake.studies(), [""; 0], "no draft is left behind: {account:?}, {study}");
    }
    let lab = Lab::with(account_in("GBP")).await;
    lab.market.create(&paid_in("GBP")).await.unwrap();
    assert_eq!(lab.fake.open_studies().len(), 1);
}

#[tokio::test]
async fn without_a_workspace_the_draft_sets_the_currency() {
    for (account, study) in [("USD", "JPY"), ("GBP", "USD"), ("", "USD")] {
        let lab = Lab::with(account_in(account)).await;
        let market = without_workspace(&lab);
        let created = market.create(&paid_in(study)).await;
        assert!(created.is_err(), "an account in {account:?} has published a study in {study}");
        assert_eq!(lab.fake.open_studies(), [""; 0], "{account:?}, {study}");
        // Nor does a second attempt publish the draft.
        assert!(market.create(&paid_in(study)).await.is_err());
        assert_eq!(lab.fake.open_studies(), [""; 0], "{account:?}, {study}");
    }
    let lab = Lab::with(account_in("GBP")).await;
    without_workspace(&lab).create(&paid_in("GBP")).await.unwrap();
    assert_eq!(lab.fake.open_studies().len(), 1);
}

#[tokio::test]
async fn the_time_that_participants_have_is_within_the_documented_bounds() {
    // At least 2 + 2e + 2√e minutes for an estimate of e, and less than a day.
    for (minutes, at_most, is_fine) in [
        (10, 28, false),
        (10, 29, true),
        (9, 26, true),
        (9, 25, false),
        (10, 1_439, true),
        (10, 1_440, false),
    ] {
        let lab = Lab::new().await;
        let created = lab
            .market
            .create(&ListingRequest { minutes, minutes_at_most: at_most, ..listing("m1", 1) })
            .await;
        assert_eq!(created.is_ok(), is_fine, "{minutes} and {at_most} minutes: {created:?}");
    }
}

#[tokio::test]
async fn a_draft_that_was_refused_is_published_as_it_was_corrected() {
    let lab = Lab::with(ProlificSetup { balance: 1_000, ..ProlificSetup::default() }).await;
    lab.market.create(&listing("m1", 30)).await.unwrap_err();
    let corrected = ListingRequest { title: "Another title".into(), ..listing("m1", 3) };
    let created = lab.market.create(&corrected).await.unwrap();
    assert_eq!(lab.fake.open_studies(), [&*created.id]);
    assert_eq!(lab.fake.studies().len(), 1, "the same draft");
    let state = lab.market.listing(&created.id).await.unwrap();
    assert_eq!(state.places, 3);
    assert_eq!(lab.fake.field(&created.id, "name").as_deref(), Some("Another title"));
}

#[tokio::test]
async fn requests_say_which_program_makes_them() {
    let lab = Lab::new().await;
    lab.study(1).await;
    let expected = format!("hype/{}", env!("CARGO_PKG_VERSION"));
    assert!(!lab.fake.user_agents().is_empty());
    assert!(lab.fake.user_agents().iter().all(|agent| *agent == expected), "{:?}", lab.fake.user_agents());
}
