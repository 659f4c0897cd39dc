//! Lists that are longer than a page are read whole, also while they change.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use hype_backends::crowd::platform::Platform as _;
use hype_backends::crowd::prolific::{Transport, Unanswered};
use hype_fakes::prolific::{FakeProlific, ProlificSetup};
use hyper::body::Bytes;
use hyper::{Request, Response};

use super::support::{Direct, Lab, NoTime, TOKEN, listing, market};

#[tokio::test]
async fn every_page_is_read_with_and_without_links() {
    for (has_links, has_counts) in [(true, true), (true, false), (false, true), (false, false)] {
        let setup = ProlificSetup { page: 3, has_links, has_counts, ..ProlificSetup::default() };
        let lab = Lab::with(setup).await;
        let study = lab.study(10).await;
        for other in 0..7 {
            lab.market.create(&listing(&format!("other-{other}"), 1)).await.unwrap();
        }
        let people = lab.finished(&study, 10);
        let listed = lab.market.submissions(&study).await.unwrap();
        let ids: BTreeSet<&str> = listed.iter().map(|one| &*one.id).collect();
        assert_eq!(listed.len(), 10, "links: {has_links}, counts: {has_counts}");
        assert_eq!(ids, people.iter().map(|one| one.submission.as_str()).collect());
        // The first study is on the last page, since the latest come first.
        assert_eq!(lab.market.find("a-mark").await.unwrap().map(|found| found.id.to_string()), Some(study));
        for (pool, person) in people.iter().take(7).enumerate() {
            lab.market.add_to_pool(&format!("pool-{pool}"), &[&person.participant]).await.unwrap();
        }
        lab.market.add_to_pool("pool-6", &[&people[0].participant]).await.unwrap();
        assert_eq!(
            lab.fake.group("pool-6").len(),
            2,
            "the pool of the last page is found, not created again"
        );
    }
}

/// A participant arrives after each page, and another's place becomes free.
struct Busy {
    direct: Direct,
    study: String,
}

impl fmt::Debug for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Busy")
    }
}

#[async_trait]
impl Transport for Busy {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Unanswered> {
        let answer = self.direct.send(request).await;
        let _ = self.direct.0.arrive(&self.study);
        answer
    }
}

#[tokio::test]
async fn each_arrival_is_listed_exactly_once() {
    let lab = Lab::direct(ProlificSetup { page: 4, ..ProlificSetup::default() });
    let study = lab.study(25).await;
    let there: Vec<String> = (0..10).map(|_| lab.fake.arrive(&study).unwrap().submission).collect();
    let busy = Busy { direct: Direct(lab.fake.clone()), study: study.clone() };
    let market = market("http://127.0.0.1", TOKEN, Arc::new(busy), &lab.waiting);
    let listed = market.submissions(&study).await.unwrap();
    let ids: BTreeSet<&str> = listed.iter().map(|one| &*one.id).collect();
    assert_eq!(ids.len(), listed.len());
    assert!(there.iter().all(|id| ids.contains(id.as_str())));
}

/// Leaves out the last entry of each page but says how many there are, as a list does after an entry moved.
struct Shifting(Direct);

impl fmt::Debug for Shifting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shifting")
    }
}

#[async_trait]
impl Transport for Shifting {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Unanswered> {
        let answer = self.0.send(request).await?;
        let mut body: serde_json::Value = serde_json::from_slice(answer.body()).unwrap();
        if let Some(results) = body.get_mut("results").and_then(serde_json::Value::as_array_mut) {
            results.pop();
        }
        Ok(answer.map(|_| body.to_string().into()))
    }
}

#[tokio::test]
async fn incomplete_lists_are_not_accepted_as_whole() {
    let fake = FakeProlific::default();
    let lab = Lab::direct(ProlificSetup::default());
    let study = lab.study(5).await;
    lab.finished(&study, 5);
    let shifting = Shifting(Direct(lab.fake.clone()));
    let market = market("http://127.0.0.1", TOKEN, Arc::new(shifting), &NoTime::of(&fake));
    let error = market.submissions(&study).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Prolific cannot be reached to list submissions: the list changes while it is read"
    );
}
