//! Webhooks: a wrong signature, an old time, a replay and another order change nothing.

use hype_backends::crowd::platform::{Platform as _, Submission};
use hype_backends::crowd::prolific::webhook::{ReportError, SeenReports, TOLERANCE_MS, Topic, verify};
use hype_fakes::prolific::{Delivery, FakeProlific, disturbed};
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use super::support::Lab;

const SECRET: &[u8] = b"a-secret-for-tests";

fn headers(delivery: &Delivery) -> HeaderMap {
    let header = |(name, value): &(&str, String)| {
        (HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_str(value).unwrap())
    };
    delivery.headers.iter().map(header).collect()
}

/// The receiver of reports asks the platform after each new one.
async fn seen_after(lab: &Lab, study: &str, deliveries: &[Delivery]) -> (usize, Vec<Submission>) {
    let mut seen = SeenReports::default();
    let mut asked = 0;
    let mut known = Vec::new();
    for delivery in deliveries {
        let now = lab.fake.clock().unix_ms();
        let report = verify(SECRET, &headers(delivery), delivery.body.as_bytes(), now).unwrap();
        if seen.is_new(&report) {
            asked += 1;
            known = lab.market.submissions(study).await.unwrap();
        }
    }
    (asked, known)
}

#[tokio::test]
async fn replayed_and_reordered_reports_leave_the_same_picture() {
    let lab = Lab::new().await;
    let study = lab.study(3).await;
    let people = lab.finished(&study, 2);
    lab.fake.give_back(&people[0].submission).unwrap();
    let deliveries = lab.fake.deliveries();
    assert_eq!(deliveries.len(), 6, "one of the study, two of each submission, and one of the return");
    let truth = lab.market.submissions(&study).await.unwrap();
    for seed in 0..20 {
        let (asked, known) = seen_after(&lab, &study, &disturbed(&deliveries, seed)).await;
        assert_eq!(known, truth);
        assert_eq!(asked, 6, "each event costs one look");
    }
}

fn delivery(fake: &FakeProlific) -> Delivery {
    fake.deliveries().pop().unwrap()
}

#[tokio::test]
async fn forged_and_stale_reports_are_refused() {
    let lab = Lab::new().await;
    let study = lab.study(1).await;
    let fake = &lab.fake;
    fake.arrive(&study).unwrap();
    let delivery = delivery(fake);
    let headers = headers(&delivery);
    let body = delivery.body.as_bytes();
    let now = fake.clock().unix_ms();
    assert_eq!(verify(SECRET, &headers, body, now).unwrap().topic, Topic::Submission);

    assert_eq!(verify(b"another secret", &headers, body, now), Err(ReportError::WrongSignature));
    let forged = delivery.body.replace("ACTIVE", "APPROVED");
    assert_ne!(forged, delivery.body);
    assert_eq!(verify(SECRET, &headers, forged.as_bytes(), now), Err(ReportError::WrongSignature));
    let mut renewed = headers.clone();
    let later = HeaderValue::from_str(&(now / 1_000 + 3_600).to_string()).unwrap();
    renewed.insert("x-prolific-request-timestamp", later);
    assert_eq!(verify(SECRET, &renewed, body, now + 3_600_000), Err(ReportError::WrongSignature));
    let old = verify(SECRET, &headers, body, now + TOLERANCE_MS + 1_000);
    assert_eq!(old, Err(ReportError::WrongTime));
    let mut unsigned = headers.clone();
    unsigned.remove("x-prolific-request-signature");
    assert_eq!(verify(SECRET, &unsigned, body, now), Err(ReportError::NotSigned));
}
