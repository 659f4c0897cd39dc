//! Every request of the client is one that Prolific's OpenAPI document knows.

use std::collections::BTreeSet;
use std::sync::Arc;

use hype_backends::crowd::access::Money;
use hype_backends::crowd::platform::{ListingAdmission, ListingRequest, Platform as _};
use hype_backends::crowd::prolific::{Prolific, ProlificSettings};
use hype_fakes::prolific::{FakeProlific, PROJECT, ProlificSetup, WORKSPACE};
use hype_fakes::serve::FakePlatform as _;
use hyper::body::Bytes;
use hyper::{Request, StatusCode};
use serde_json::{Value, json};

use super::support::{Direct, NoTime, TOKEN, listing, order, reason};

/// Every operation that the client uses.
const OPERATIONS: [&str; 14] = [
    "GET participant-groups/",
    "GET studies/",
    "GET studies/{id}/",
    "GET studies/{id}/submissions/",
    "GET submissions/{id}/",
    "PATCH studies/{id}/",
    "POST bulk-bonus-payments/{id}/pay/",
    "POST participant-groups/",
    "POST participant-groups/{id}/participants/",
    "POST studies/",
    "POST studies/{id}/test-study",
    "POST studies/{id}/transition/",
    "POST submissions/bonus-payments/",
    "POST submissions/{id}/request-return/",
];

/// A client that uses every setting of a draft.
fn market(fake: &FakeProlific, money: Money) -> Prolific {
    let filters = json!([{ "filter_id": "age", "selected_range": { "lower": 18, "upper": 60 } }]);
    let settings = ProlificSettings {
        workspace: Some(WORKSPACE.into()),
        project: Some(PROJECT.into()),
        filters: serde_json::from_value(filters).unwrap(),
        ..ProlificSettings::default()
    };
    let (transport, clock) = (Arc::new(Direct(fake.clone())), Arc::new(NoTime::of(fake)));
    Prolific::new(settings, money, ("http://127.0.0.1", TOKEN), transport, clock).unwrap()
}

#[tokio::test]
async fn every_call_passes_the_judge() {
    let fake = FakeProlific::new(ProlificSetup { lists_bonuses: false, ..ProlificSetup::default() });
    let market = market(&fake, Money::Real);
    market.add_to_pool("qualified", &["5f1c0de5ec2e7a1100000001"]).await.unwrap();
    let pools = |mark: &str| ListingRequest {
        pool: Some("qualified".into()),
        excluded_pools: vec!["took part".into()],
        ..listing(mark, 3)
    };
    let study = market.create(&pools("first")).await.unwrap().id;
    market.resize(&study, 4).await.unwrap();
    for admission in [ListingAdmission::Paused, ListingAdmission::Open] {
        market.admit(&study, admission).await.unwrap();
    }
    let open = market.create(&listing("open", 3)).await.unwrap().id;
    let people = [(); 3].map(|()| fake.arrive(&open).unwrap());
    people.iter().for_each(|one| fake.submit(&one.submission, "DONE").unwrap());
    let [first, second, third] = &*market.submissions(&open).await.unwrap() else {
        panic!("three submissions");
    };
    market.approve(first).await.unwrap();
    market.reject(second, &reason()).await.unwrap();
    market.request_return(third, "No session of yours was finished.").await.unwrap();
    market.pay(&open, &[order(&people[0], 120_000)]).await.unwrap();
    market.settle(&open, &[order(&people[0], 120_000)]).await.unwrap();
    market.payments(&open).await.unwrap();
    market.admit(&study, ListingAdmission::Closed).await.unwrap();
    self::market(&fake, Money::Test).create(&listing("test", 1)).await.unwrap();
    assert_eq!(fake.objections(), [""; 0]);
    let used: BTreeSet<String> = fake.requests().into_iter().collect();
    let missing: Vec<_> = OPERATIONS.into_iter().filter(|one| !used.contains(*one)).collect();
    assert_eq!(missing, [""; 0]);
}

/// A request that the document does not know is refused, and the test that sends it can see why.
#[test]
fn undocumented_requests_are_refused() {
    let judged = |method: &str, path: &str, body: &Value| {
        let fake = FakeProlific::default();
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/v1/{path}"))
            .header("authorization", format!("Token {TOKEN}"))
            .body(Bytes::from(body.to_string()));
        (fake.answer(&request.unwrap()).status(), fake.objections())
    };
    let id = "5f1c0de5ec2e7a1100000001";
    for (method, path, body, fault) in [
        ("POST", "studies/".to_owned(), json!({ "title": "A study" }), "POST studies/: name is missing"),
        ("PATCH", format!("studies/{id}/"), json!({ "places": 3 }), "PATCH studies/{id}/: places is unknown"),
        (
            "POST",
            format!("submissions/{id}/transition/"),
            json!({ "action": "REJECT" }),
            "POST submissions/{id}/transition/: message is missing",
        ),
        ("PUT", format!("studies/{id}/"), json!({}), "the document has no PUT studies/{id}/"),
    ] {
        let (status, objections) = judged(method, &path, &body);
        assert_eq!((status, &*objections[0]), (StatusCode::BAD_REQUEST, fault));
    }
}
