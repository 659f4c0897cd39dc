//! Failures are counted, and shown to the operator with their reasons and to everyone else without them.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use hype_backends::web::{ImageSource, Page, Services, serve};
use hype_core::{Event, Micros, StimulusId, StoreExt as _};
use serde_json::{Value, json};

use crate::connection::Reply;
use crate::http_client::HttpClient;
use crate::served_study::ServedStudy;

async fn operator(study: &ServedStudy, path: &str) -> Reply {
    let token = format!("Bearer {}", study.token);
    HttpClient::to(study.address()).await.send("GET", path, &[("authorization", &token)], b"").await
}

async fn metrics(study: &ServedStudy) -> String {
    String::from_utf8(operator(study, "/metrics").await.body).unwrap()
}

#[tokio::test]
async fn an_analysis_that_fails_is_reported_and_answers_are_still_stored() {
    let study = ServedStudy::new(3, Page::default()).await;
    let (mut rater, first) = study.rater().await;
    // A log that no program of this version has written.
    study.fixture.store.append_events("p000099-000", 0, &[Event::Left { at: Micros(1) }]).await.unwrap();
    let mut status = operator(&study, "/operator/status").await.json();
    // The analysis runs in the background.
    for _ in 0..600 {
        if status["alerts"] != json!([]) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        study.fixture.clock.forward(1_100_000);
        status = operator(&study, "/operator/status").await.json();
    }
    let problem = &status["alerts"][0];
    assert_eq!(
        (&problem["problem"], &status["estimates_age_us"]),
        (&json!("analysis-failed"), &Value::Null),
        "{status}"
    );
    assert_eq!((&status["estimates"], &status["sessions_unreadable"]), (&json!([]), &json!(1)));
    assert!(problem["reason"].as_str().unwrap().contains("p000099-000"), "{problem}");
    let health = rater.get("/health").await;
    assert_eq!((health.status, &health.json()["problems"][0]["problem"]), (503, &json!("analysis-failed")));
    assert!(!String::from_utf8_lossy(&health.body).contains("p000099-000"), "the reason is for the operator");
    assert!(metrics(&study).await.contains("hype_problem{problem=\"analysis-failed\"} 1\n"));
    let trial = &first.json()["trial"];
    assert_eq!(rater.answer(trial, json!({ "judgment": "real" })).await.status, 200);
}

#[tokio::test]
async fn refused_reports_are_counted_by_kind() {
    let study = ServedStudy::new(3, Page::default()).await;
    let (mut rater, first) = study.rater().await;
    for _ in 0..2 {
        assert_eq!(rater.post_bytes("/api/answer", b"{").await.code(), "bad-request");
    }
    let trial = &first.json()["trial"];
    assert_eq!(rater.answer(trial, json!({ "judgment": "unreal" })).await.code(), "refused");
    assert_eq!(rater.get("/nothing").await.code(), "not-found");
    let status = operator(&study, "/operator/status").await.json();
    assert_eq!(status["refused"], json!({ "bad-request": 2, "not-found": 1, "refused": 1 }));
    assert_eq!(status["alerts"], json!([]), "those who are refused are at fault, not the server");
    let metrics = metrics(&study).await;
    for line in ["status=\"400\",code=\"bad-request\"} 2", "status=\"422\",code=\"refused\"} 1"] {
        assert!(metrics.contains(&format!("hype_refused_total{{{line}\n")), "{metrics}");
    }
    assert_eq!(rater.get("/health").await.json(), json!({ "status": "ok" }));
}

/// Images that cannot be read.
struct Unreadable;

impl ImageSource for Unreadable {
    fn stimulus(&self, _: StimulusId) -> io::Result<Vec<u8>> {
        Err(io::Error::other("the file is gone"))
    }

    fn size(&self, _: StimulusId) -> (u32, u32) {
        (8, 8)
    }

    fn masks(&self, _: StimulusId) -> Range<u32> {
        0..0
    }

    fn mask(&self, _: u32) -> io::Result<Vec<u8>> {
        Err(io::Error::other("the file is gone"))
    }
}

#[tokio::test]
async fn an_image_that_cannot_be_read_is_reported() {
    let fixture = ServedStudy::new(3, Page::default()).await.fixture;
    let (store, clock) = (Arc::new(fixture.store.clone()), Arc::clone(&fixture.clock));
    let service = Services::new(fixture.study.clone(), store, Arc::new(Unreadable), Page::default(), clock);
    let serving = serve(service.await.unwrap(), "127.0.0.1:0".parse().unwrap()).await.unwrap();
    let mut rater = HttpClient::to(serving.address()).await;
    rater.agree().await;
    let first = rater.begin().await.json();
    let name = first["block"][0].as_str().unwrap().to_owned();
    assert_eq!(rater.get(&format!("/image/{name}")).await.status, 503);
    assert_eq!(rater.get("/health").await.json()["problems"][0]["problem"], "image-unreadable");
}
