//! Only participants sent by Prolific can enter studies with signed addresses.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_backends::crowd::access::PlatformAccess;
use hype_backends::crowd::platform::{Codes, Platform as _};
use hype_backends::crowd::prolific::{Prolific, ProlificSettings};
use hype_backends::web::{ArrivalProof, Clock as _, SystemClock};
use hype_fakes::clock::FakeClock;
use hype_fakes::prolific::{FakeProlific, ProlificSetup, SignedArrival};
use hype_fakes::serve::Served;

use super::support::{TOKEN, listing, settings};

const PAGE: &str = "https://rate.example.org/";

/// The platform at the system's time, by which tokens are checked.
async fn platform() -> (FakeProlific, Served) {
    let clock = FakeClock::at(SystemClock.now().0 / 1_000);
    let fake = FakeProlific::with_clock(ProlificSetup::default(), clock);
    let served = fake.serve().await.unwrap();
    (fake, served)
}

fn connected(served: &Served, settings: &ProlificSettings) -> Prolific {
    let secrets = [("PROLIFIC_TOKEN".into(), TOKEN.to_owned())];
    Prolific::connect(settings, &PlatformAccess::given(served.url(), secrets)).unwrap()
}

fn proof_of(account: &Prolific) -> Option<Arc<dyn ArrivalProof>> {
    account.rules(&Codes { completed: "A".into(), disqualified: "B".into() }).proof
}

fn parameters(url: &str) -> BTreeMap<String, String> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

#[tokio::test]
async fn participants_sent_by_prolific_are_known_by_signature() {
    let (fake, served) = platform().await;
    let signed = ProlificSettings { signed_addresses: true, ..settings() };
    let account = connected(&served, &signed);
    let study = account.create(&listing("m1", 3)).await.unwrap().id;
    let work = fake.arrive(&study).unwrap();
    let arrival = parameters(&work.url);
    let proof = proof_of(&account).unwrap();
    let known = proof.signed(&arrival, PAGE).await.unwrap();
    let of = |name: &str| known[name].clone();
    assert_eq!(
        [of("PROLIFIC_PID"), of("STUDY_ID"), of("SESSION_ID")],
        [work.participant.clone(), study.to_string(), work.submission.clone()]
    );
    // Ids in the address count for nothing.
    let other = BTreeMap::from([("PROLIFIC_PID".to_owned(), "5f3c0ffee0ddba11cafe1234".to_owned())]);
    let mixed = arrival.clone().into_iter().chain(other.clone()).collect();
    assert_eq!(proof.signed(&mixed, PAGE).await.unwrap()["PROLIFIC_PID"], work.participant);
    assert_eq!(proof.signed(&other, PAGE).await, None, "without a token");
    assert_eq!(proof.signed(&arrival, "https://other.example/").await, None, "for another site");
    let keys = fake.requests().iter().filter(|label| label.contains("jwks")).count();
    assert_eq!(keys, 1, "keys are kept");
}

#[tokio::test]
async fn tokens_that_prolific_has_not_made_for_now_are_none() {
    let (_fake, served) = platform().await;
    let account = connected(&served, &ProlificSettings { signed_addresses: true, ..settings() });
    let proof = proof_of(&account).unwrap();
    let now = SystemClock.now().0 / 1_000;
    let token = |unix_ms| {
        let arrival = SignedArrival {
            audience: "rate.example.org".into(),
            participant: "5f3c0ffee0ddba11cafe1234".into(),
            study: "5f3c0ffee0ddba11cafe1235".into(),
            submission: "5f3c0ffee0ddba11cafe1236".into(),
        };
        arrival.token(unix_ms)
    };
    let check = async |token: String| {
        let arrival = BTreeMap::from([("prolific_token".to_owned(), token)]);
        proof.signed(&arrival, PAGE).await.is_some()
    };
    assert!(check(token(now)).await);
    assert!(!check(token(now - 3_600_000)).await, "an hour old");
    let fine = token(now);
    let parts: Vec<&str> = fine.split('.').collect();
    let later = token(now + 1_000);
    let other: Vec<&str> = later.split('.').collect();
    assert!(!check(format!("{}.{}.{}", parts[0], other[1], parts[2])).await, "other claims");
    assert!(!check(format!("{}.{}.", parts[0], parts[1])).await, "no signature");
    // {"alg":"none","kid":"a-key-for-tests"}
    let none = "eyJhbGciOiJub25lIiwia2lkIjoiYS1rZXktZm9yLXRlc3RzIn0";
    assert!(!check(format!("{none}.{}.", parts[1])).await, "no algorithm");
    for junk in ["", ".", "..", "a.b.c", "\u{fc}.\u{fc}.\u{fc}"] {
        assert!(!check(junk.to_owned()).await, "{junk}");
    }
    // Another workspace's participants are not this study's.
    let elsewhere = ProlificSettings {
        signed_addresses: true,
        workspace: Some("60aca280709ee40ec37d4886".into()),
        ..settings()
    };
    let elsewhere = proof_of(&connected(&served, &elsewhere)).unwrap();
    let arrival = BTreeMap::from([("prolific_token".to_owned(), fine)]);
    assert_eq!(elsewhere.signed(&arrival, PAGE).await, None);
}

#[tokio::test]
async fn addresses_are_not_signed_unless_the_spec_says_so() {
    let (fake, served) = platform().await;
    let account = connected(&served, &settings());
    let study = account.create(&listing("m1", 1)).await.unwrap().id;
    assert!(!fake.arrive(&study).unwrap().url.contains("prolific_token"));
    assert!(proof_of(&account).is_none());
}
