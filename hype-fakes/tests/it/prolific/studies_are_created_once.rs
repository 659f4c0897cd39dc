//! A study is created once, wherever its creation was interrupted.

use hype_backends::crowd::access::Money;
use hype_backends::crowd::platform::{ListingAdmission, Platform as _};
use hype_backends::crowd::prolific::{HttpTransport, Prolific};
use hype_fakes::faults::InjectedFault;
use hype_fakes::prolific::ProlificSetup;
use std::sync::Arc;

use super::support::{Lab, TOKEN, kind, listing, settings};

const CREATE: &str = "POST studies/";
const PUBLISH: &str = "POST studies/{id}/transition/";

/// Acts as a caller that has lost its memory: it looks for the mark, and creates the study if there is none.
async fn resumed(lab: &Lab) {
    match lab.market.find("m1").await.unwrap() {
        Some(state) if state.admission != ListingAdmission::Open => {
            lab.market.admit(&state.id, ListingAdmission::Open).await.unwrap();
        }
        Some(_) => {}
        None => {
            lab.market.create(&listing("m1", 3)).await.unwrap();
        }
    }
}

#[tokio::test]
async fn interrupted_creations_are_continued() {
    for label in [CREATE, PUBLISH] {
        for fault in InjectedFault::ALL {
            let lab = Lab::new().await;
            lab.fake.faults().on(label, fault);
            let created = lab.market.create(&listing("m1", 3)).await;
            let unanswered = match fault {
                InjectedFault::Duplicated if label == CREATE => "nothing",
                // The second one finds a published study.
                InjectedFault::Duplicated => "nothing",
                InjectedFault::Throttled => "unavailable",
                _ => "unclear",
            };
            assert_eq!(created.as_ref().map_or_else(kind, |_| "nothing"), unanswered, "{label} {fault:?}");
            resumed(&lab).await;
            assert_eq!(lab.fake.open_studies().len(), 1, "{label} {fault:?}");
            let drafts = lab.fake.studies().len() - 1;
            assert_eq!(
                drafts,
                usize::from(label == CREATE && fault == InjectedFault::Duplicated),
                "{label} {fault:?}"
            );
            let found = lab.market.find("m1").await.unwrap().unwrap();
            assert_eq!(*found.id, *lab.fake.open_studies()[0]);
            assert_eq!((found.admission, found.places), (ListingAdmission::Open, 3));
        }
    }
}

#[tokio::test]
async fn creating_twice_gives_one_study() {
    let lab = Lab::new().await;
    let first = lab.market.create(&listing("m1", 3)).await.unwrap();
    let second = lab.market.create(&listing("m1", 3)).await.unwrap();
    assert_eq!(first, second);
    assert_eq!(lab.fake.studies(), [&*first.id]);
}

#[tokio::test]
async fn drafts_do_not_count_as_studies() {
    let lab = Lab::new().await;
    lab.fake.faults().on(PUBLISH, InjectedFault::Throttled);
    lab.market.create(&listing("m2", 1)).await.unwrap_err();
    assert_eq!(lab.market.find("m2").await, Ok(None));
    let draft = lab.fake.studies()[0].clone();
    assert_eq!(kind(&lab.market.admit(&draft, ListingAdmission::Open).await.unwrap_err()), "refused");
    // Closing a draft needs no request.
    for admission in [ListingAdmission::Closed, ListingAdmission::Paused] {
        lab.market.admit(&draft, admission).await.unwrap();
    }
    assert_eq!(lab.fake.study_status(&draft), "UNPUBLISHED");
}

/// The account of a laboratory, without money.
fn rehearsing(lab: &Lab) -> Prolific {
    let url = lab.served.as_ref().unwrap().url();
    let waiting = Arc::new(lab.waiting.clone());
    let transport = HttpTransport::new(&url, waiting.clone()).unwrap();
    Prolific::new(settings(), Money::Test, (&url, TOKEN), Arc::new(transport), waiting).unwrap()
}

#[tokio::test]
async fn workspaces_without_test_studies_are_told_what_to_do() {
    let setup = ProlificSetup { has_test_studies: false, ..ProlificSetup::default() };
    let lab = Lab::with(setup).await;
    let refused = rehearsing(&lab).create(&listing("m1", 2)).await.unwrap_err();
    assert_eq!(kind(&refused), "refused");
    let said = refused.to_string();
    for words in ["not enabled for your workspace", "select workspaces only", "hype run --fake"] {
        assert!(said.contains(words), "{said}");
    }
    let tried = lab.fake.requests().iter().filter(|label| label.ends_with("/test-study")).count();
    assert_eq!(tried, 1);
}

#[tokio::test]
async fn tests_are_published_for_test_participants() {
    let lab = Lab::new().await;
    let market = rehearsing(&lab);
    let test = market.create(&listing("m1", 2)).await.unwrap();
    assert_eq!(lab.fake.open_studies(), [&*test.id]);
    let requests = lab.fake.requests();
    assert!(requests.iter().any(|label| label == "POST studies/{id}/test-study"));
    assert!(!requests.iter().any(|label| label == PUBLISH), "no money is spent");
    assert_eq!(market.find("m1").await, Ok(Some(test.clone())), "the draft is not taken for the study");
    assert_eq!(market.create(&listing("m1", 2)).await, Ok(test));
}
