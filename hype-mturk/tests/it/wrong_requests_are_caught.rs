use hype_backends::crowd::platform::*;
use hype_fakes::serve::FakePlatform as _;
use hyper::StatusCode;
use serde_json::{Value, json};

use crate::bench::{Bench, model};

/// The status and the objections to a signed request.
async fn judged(operation: &str, body: &Value) -> (StatusCode, Vec<String>) {
    let bench = Bench::new().await;
    let answer = bench.fake.answer(&bench.fake.signed(operation, &body.to_string()));
    (answer.status(), bench.fake.objections())
}

#[tokio::test]
async fn a_wrong_signature_is_caught() {
    let bench = Bench::new().await;
    let refused = bench.with_secret("another secret").find("mark").await.unwrap_err();
    assert!(matches!(refused, PlatformError::Refused { .. }), "{refused}");
    let expected = "signature: the signature is another one than the request's";
    assert_eq!(bench.fake.objections(), [expected]);
}

#[tokio::test]
async fn requests_that_were_changed_or_are_old_are_caught() {
    let bench = Bench::new().await;
    let request = || bench.fake.signed("GetAccountBalance", "{}");
    let mut changed = vec![request(), request(), request(), request(), request()];
    *changed[0].body_mut() = "{ }".into();
    *changed[1].uri_mut() = "/other".parse().unwrap();
    changed[2]
        .headers_mut()
        .insert("x-amz-target", "MTurkRequesterServiceV20170117.ListHITs".parse().unwrap());
    changed[3].headers_mut().remove("authorization");
    changed[4].headers_mut().insert("host", "elsewhere".parse().unwrap());
    for request in &changed {
        assert_eq!(bench.fake.answer(request).status(), StatusCode::FORBIDDEN);
    }
    let old = request();
    assert_eq!(bench.fake.answer(&old).status(), StatusCode::OK);
    bench.clock.advance(16 * 60_000);
    assert_eq!(bench.fake.answer(&old).status(), StatusCode::FORBIDDEN);
    assert_eq!(bench.fake.objections().len(), changed.len() + 1);
}

#[tokio::test]
async fn violations_of_the_model_are_caught() {
    if model().is_none() {
        return;
    }
    let bonus = |change: Value| {
        let mut bonus = json!({
            "WorkerId": "A2WORKER00001", "BonusAmount": "1.50", "AssignmentId": "3ABC", "Reason": "Thank you",
        });
        for (name, value) in change.as_object().unwrap() {
            bonus[name] = value.clone();
        }
        bonus
    };
    let cases = [
        (
            "a pattern",
            bonus(json!({ "WorkerId": "a2worker" })),
            "SendBonus.WorkerId: \"a2worker\" does not match ^A[A-Z0-9]+$",
        ),
        (
            "a fraction of a cent",
            bonus(json!({ "BonusAmount": "1.505" })),
            "SendBonus.BonusAmount: \"1.505\" does not match ^[0-9]+(\\.)?[0-9]{0,2}$",
        ),
        ("an unknown member", bonus(json!({ "Currency": "USD" })), "SendBonus: Currency is unknown"),
        (
            "a length",
            bonus(json!({ "UniqueRequestToken": "x".repeat(65) })),
            "SendBonus.UniqueRequestToken: 65 characters",
        ),
        ("a type", bonus(json!({ "Reason": 1 })), "SendBonus.Reason: 1 is not of the type String"),
    ];
    for (name, body, expected) in cases {
        let judged = judged("SendBonus", &body).await;
        assert_eq!(judged, (StatusCode::BAD_REQUEST, vec![expected.to_owned()]), "{name}");
    }
    let missing = judged("SendBonus", &json!({ "WorkerId": "A2" })).await.1;
    let expected =
        ["AssignmentId", "BonusAmount", "Reason"].map(|name| format!("SendBonus: {name} is missing"));
    assert!(expected.iter().all(|fault| missing.contains(fault)), "{missing:?}");
    let too_many = judged("ListHITs", &json!({ "MaxResults": 101 })).await.1;
    assert_eq!(too_many, ["ListHITs.MaxResults: 101 is out of range"]);
    let requirement = json!({ "QualificationTypeId": "X", "Comparator": "Has" });
    let hit_type = json!({
        "AssignmentDurationInSeconds": 60, "Reward": "1.00", "Title": "t", "Description": "d",
        "QualificationRequirements": [requirement],
    });
    let unknown = judged("CreateHITType", &hit_type).await.1;
    assert!(
        unknown[0].starts_with("CreateHITType.QualificationRequirements[0].Comparator: \"Has\" is none of")
    );
    assert_eq!(judged("Undo", &json!({})).await.1, ["the model has no operation Undo"]);
}

#[tokio::test]
async fn violations_of_the_documentation_alone_are_caught() {
    let hit_type = |title: &str| json!({ "AssignmentDurationInSeconds": 60, "Reward": "1.00", "Title": title, "Description": "d" });
    assert_eq!(judged("CreateHITType", &hit_type(&"x".repeat(128))).await, (StatusCode::OK, Vec::new()));
    let (status, faults) = judged("CreateHITType", &hit_type(&"x".repeat(129))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(faults, ["CreateHITType.Title: more than 128 characters"]);
    let workers: Vec<_> = (0..101).map(|number| format!("A{number}")).collect();
    let message = json!({ "Subject": "s", "MessageText": "m", "WorkerIds": workers });
    assert_eq!(judged("NotifyWorkers", &message).await.1, ["NotifyWorkers.WorkerIds: more than 100 entries"]);
    let short = json!({ "HITTypeId": "3ABC", "LifetimeInSeconds": 29 });
    let faults = judged("CreateHITWithHITType", &short).await.1;
    assert_eq!(faults, ["CreateHITWithHITType.LifetimeInSeconds: not from 30 to 31536000"]);
}

/// Requests that the client itself refuses never arrive.
#[tokio::test]
async fn listings_that_the_service_would_refuse_are_not_sent() {
    let bench = Bench::new().await;
    let change = |change: fn(&mut ListingRequest)| {
        let mut listing = bench.listing("mark", 9);
        change(&mut listing);
        listing
    };
    let cases = [
        ("the title is longer than 128 characters", change(|one| one.title = "x".repeat(129).into())),
        (
            "the description is longer than 2000 characters",
            change(|one| one.description = "x".repeat(2_001).into()),
        ),
        (
            "the list of keywords is longer than 1000 characters",
            change(|one| one.keywords = vec!["x".repeat(1_001).into()]),
        ),
        ("the service pays in USD, not in EUR", change(|one| one.currency = "EUR".into())),
        ("the reward is not a number of whole cents", change(|one| one.reward.0 += 1)),
        ("it would expire at once", change(|one| one.expires_unix_ms = 0)),
        ("a HIT has 1 to 9 assignments, since more cost twice the fee", change(|one| one.places = 10)),
        ("a HIT has 1 to 9 assignments, since more cost twice the fee", change(|one| one.places = 0)),
    ];
    for (reason, listing) in cases {
        let refused = bench.market.create(&listing).await.unwrap_err();
        assert_eq!(refused.to_string(), format!("Mechanical Turk refused to create a HIT: {reason}"));
    }
    assert_eq!(bench.faults.requests(), 0);
}
