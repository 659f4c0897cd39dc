//! Malformed reports, reports that violate their schema, and reports out of order are refused and change no byte.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::sync::Arc;

use hype_backends::web::settings::Access;
use hype_backends::web::wire::request::{
    AnswerReport, BeginRequest, ConsentRequest, DisturbedReport, LeaveRequest, NextRequest, OpenRequest,
};
use hype_backends::web::{Page, Participants, Services, serve};
use hype_core::Store as _;
use hype_core::plugin::store::all_sessions;
use hype_store::SqliteStore;
use jsonschema::Validator;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use schemars::schema_for;
use serde_json::{Value, json};

use crate::http_client::{HttpClient, environment};
use crate::proof::sized;
use crate::served_study::{ServedStudy, assert_client_fault};

use crate::fixture;
use crate::small_task;

/// A display report for a trial of the task: its image and the masks after it.
fn display() -> Value {
    let part = |part: u32, image: u32| {
        json!({
            "part": part, "image": image, "requested_ms": 30, "planned_frames": 2, "frames": 2,
            "onset_us": 1_500_000, "shown_us": 33_333,
        })
    };
    let parts: Vec<Value> = std::iter::once(part(1, 0)).chain((0..5).map(|image| part(2, image))).collect();
    json!({
        "frame_us": 16_667, "grain_us": 5, "skipped": 0, "worst_late_us": 0, "suspect": false, "parts": parts,
    })
}

/// Every kind of report: its address, its schema, and an example that is valid for a rater who has
/// begun.
fn reports() -> Vec<(&'static str, Value, Value)> {
    let tab = format!("{:032x}", 1);
    let came = json!({ "tab": tab, "arrival": { "from": "somewhere" }, "language": "en" });
    let mut agree = came.clone();
    agree["text"] = "0".into();
    agree["adult"] = true.into();
    let (answer, reason) = (json!({ "judgment": "fake" }), "blur");
    let look = json!({ "from_us": 0, "for_us": 250_000, "factor": 2.5, "x": 0.5, "y": 0.25, "front": 1, "divider": 0.75 });
    let looked = json!({
        "tab": tab, "trial": 0, "showing": 0, "answer": answer, "rt_us": 400_000,
        "inspection": { "looks": [look], "further_us": 5 },
    });
    vec![
        ("/api/open", schema_for!(OpenRequest).to_value(), came),
        ("/api/consent", schema_for!(ConsentRequest).to_value(), agree),
        (
            "/api/begin",
            schema_for!(BeginRequest).to_value(),
            json!({ "tab": tab, "environment": environment() }),
        ),
        (
            "/api/answer",
            schema_for!(AnswerReport).to_value(),
            json!({
                "tab": tab, "trial": 0, "showing": 0, "answer": answer, "rt_us": 400_000, "display": display(),
            }),
        ),
        ("/api/answer", schema_for!(AnswerReport).to_value(), looked),
        (
            "/api/disturbed",
            schema_for!(DisturbedReport).to_value(),
            json!({ "tab": tab, "trial": 0, "showing": 0, "reason": reason, "display": display() }),
        ),
        ("/api/leave", schema_for!(LeaveRequest).to_value(), json!({ "tab": tab })),
        ("/api/next", schema_for!(NextRequest).to_value(), json!({ "tab": tab })),
    ]
}

/// Values of every kind in JSON, and extreme numbers and texts.
fn kinds() -> Vec<Value> {
    let nested = (0..100).fold(json!(0), |inner, _| json!([inner]));
    vec![
        Value::Null,
        json!(true),
        json!(-1),
        json!(0.5),
        json!(1e300),
        json!(i64::MIN),
        json!(100_001),
        json!(u32::MAX),
        json!(u64::from(u32::MAX) + 1),
        json!(u64::MAX),
        json!(""),
        json!("\0"),
        json!("../../etc/passwd"),
        json!("'; drop table events; --"),
        json!("g".repeat(32)),
        json!("é".repeat(10_000)),
        json!([]),
        json!([[], {}]),
        json!({}),
        json!({ "kind": "toy" }),
        nested,
    ]
}

/// All reports that differ from a valid one in one place: a missing field, a value of another kind, or an extra field.
fn altered(right: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    let mut places = Vec::new();
    places_in(right, "", &mut places);
    for place in places {
        for kind in kinds() {
            let mut report = right.clone();
            *report.pointer_mut(&place).unwrap() = kind.clone();
            all.push((format!("{place} = {kind:.60}"), report));
        }
        let mut report = right.clone();
        if let Some(map) = report.pointer_mut(&place).unwrap().as_object_mut() {
            map.insert("truth".into(), json!("real"));
            all.push((format!("{place} with an extra field"), report));
        }
        let (parent, last) = place.rsplit_once('/').unwrap_or_default();
        let mut report = right.clone();
        if let Some(map) = report.pointer_mut(parent).and_then(Value::as_object_mut)
            && map.remove(last).is_some()
        {
            all.push((format!("{place} missing"), report));
        }
    }
    let mut crowded = right.clone();
    if let Some(parts) = crowded.pointer_mut("/display/parts").and_then(Value::as_array_mut) {
        *parts = vec![parts[0].clone(); 257];
        all.push(("257 displayed images".into(), crowded));
    }
    let mut long = right.clone();
    if let Some(looks) = long.pointer_mut("/inspection/looks").and_then(Value::as_array_mut) {
        *looks = vec![looks[0].clone(); 65];
        all.push(("65 views".into(), long));
    }
    all
}

fn places_in(value: &Value, at: &str, places: &mut Vec<String>) {
    places.push(at.to_owned());
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, item)| places_in(item, &format!("{at}/{key}"), places))
        }
        // All items of an array are equal.
        Value::Array(items) => {
            items.iter().take(1).for_each(|item| places_in(item, &format!("{at}/0"), places))
        }
        _ => {}
    }
}

#[tokio::test]
async fn reports_that_violate_their_schema_are_refused() {
    let (mut refused, mut fitting) = (0, 0);
    for (address, schema, right) in reports() {
        let schema: Validator = jsonschema::validator_for(&schema).unwrap();
        assert!(schema.is_valid(&right), "{address}: {right}");
        let page = Page { zoom: right.get("inspection").is_some(), ..Page::default() };
        let served = ServedStudy::new(3, page.clone()).await;
        let (mut rater, _) = served.rater().await;
        let before = served.state().await;
        for (what, report) in altered(&right) {
            let bytes = report.to_string();
            if schema.is_valid(&report) {
                // It may be accepted, so it is sent to a separate study.
                let other = ServedStudy::new(3, page.clone()).await;
                let (mut rater, _) = other.rater().await;
                let reply = rater.post_bytes(address, bytes.as_bytes()).await;
                assert!(reply.status < 500, "{address}, {what}: {}", reply.status);
                other.state().await;
                fitting += 1;
            } else {
                let reply = rater.post_bytes(address, bytes.as_bytes()).await;
                served.assert_refused(&before, &reply, &format!("{address}, {what}")).await;
                refused += 1;
            }
        }
        // A stranger's report is always refused, whether before or after it is read.
        let mut stranger = HttpClient::to(served.address()).await;
        if !matches!(address, "/api/open" | "/api/consent") {
            let reply = stranger.post_bytes(address, right.to_string().as_bytes()).await;
            let expected = if address == "/api/next" { (422, "refused") } else { (401, "no-session") };
            assert_eq!((reply.status, reply.code().as_str()), expected, "{address}");
            served.assert_refused(&before, &reply, address).await;
        }
    }
    println!("{refused} reports violate their schemas, {fitting} do not");
    assert!(refused > 1_000 && fitting > 100, "{refused} {fitting}");
}

#[tokio::test]
async fn bodies_that_are_not_json_are_refused() {
    let served = ServedStudy::new(3, Page::default()).await;
    let (mut rater, _) = served.rater().await;
    let before = served.state().await;
    let right = reports().into_iter().find(|report| report.0 == "/api/answer").unwrap().2.to_string();
    let mut bodies: Vec<(String, Vec<u8>)> = (0..right.len())
        .step_by(sized(5, 1))
        .map(|end| (format!("the first {end} bytes"), right.as_bytes()[..end].to_vec()))
        .collect();
    let with = |from: &str, to: &[u8]| -> Vec<u8> {
        let at = right.find(from).unwrap();
        [&right.as_bytes()[..at], to, &right.as_bytes()[at + from.len()..]].concat()
    };
    let deep = |open: &str, close: &str| {
        format!("{}{}", open.repeat(30_000), close.repeat(30_000 / close.len().max(1)))
    };
    for (what, body) in [
        ("a byte order mark", [b"\xef\xbb\xbf", right.as_bytes()].concat()),
        ("trailing text", [right.as_bytes(), b"{}"].concat()),
        ("a trailing zero byte", [right.as_bytes(), b"\0"].concat()),
        ("a zero byte in a word", with("fake", b"fa\0ke")),
        ("invalid UTF-8", with("fake", b"fa\xff\xfeke")),
        ("half a surrogate pair", with("fake", b"\\ud800")),
        ("a field twice", with("\"trial\":0", b"\"trial\":0,\"trial\":0")),
        ("a number too large", with("400000", b"1e999")),
        ("a number of many digits", with("400000", "9".repeat(40_000).as_bytes())),
        ("not a number", with("400000", b"NaN")),
        ("a hexadecimal number", with("400000", b"0x10")),
        ("single quotes", right.replace('"', "'").into_bytes()),
        ("deep lists", deep("[", "").into_bytes()),
        ("deep lists that end", deep("[", "]").into_bytes()),
        ("deep maps", deep("{\"a\":", "").into_bytes()),
        (
            "a deep answer",
            with("\"fake\"", format!("{}{}", "[".repeat(20_000), "]".repeat(20_000)).as_bytes()),
        ),
        ("UTF-16", right.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("a form", b"tab=1&trial=0".to_vec()),
    ] {
        bodies.push((what.into(), body));
    }
    for (what, body) in bodies {
        for (address, ..) in reports() {
            let reply = rater.post_bytes(address, &body).await;
            served.assert_refused(&before, &reply, &format!("{address}: {what}")).await;
        }
    }
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "",
    ] {
        let reply = rater.send("POST", "/api/answer", &[("content-type", kind)], right.as_bytes()).await;
        assert_eq!(reply.status, 400, "{kind}");
        served.assert_refused(&before, &reply, kind).await;
    }
    let large = right.replace("fake", &"f".repeat(64 * 1024));
    let reply = rater.post_bytes("/api/answer", large.as_bytes()).await;
    assert_eq!(reply.status, 413);
    served.assert_refused(&before, &reply, "a report that is too large").await;
    // After all of these, the valid report is still accepted.
    assert_eq!(rater.post_bytes("/api/answer", right.as_bytes()).await.status, 200);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: sized(4, 16), rng_seed: RngSeed::Fixed(20_261_122), failure_persistence: None, ..ProptestConfig::default()
    })]

    /// Reports with some bytes replaced may still be valid, but never crash the server; refused ones change nothing.
    #[test]
    fn corrupted_bytes_do_no_harm(
        changes in proptest::collection::vec(
            (0..6_usize, proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)), 60
        )
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let served = ServedStudy::new(3, Page::default()).await;
            let (mut rater, _) = served.rater().await;
            for (report, bytes) in changes {
                let (address, _, right) = &reports()[report];
                let mut body = right.to_string().into_bytes();
                for (at, byte) in bytes {
                    let at = at.index(body.len());
                    body[at] = byte;
                }
                let before = served.state().await;
                let reply = rater.post_bytes(address, &body).await;
                let sent = String::from_utf8_lossy(&body);
                assert!(reply.status < 500, "{address} {sent}: {}", reply.status);
                if reply.status != 200 {
                    served.assert_refused(&before, &reply, &sent).await;
                }
            }
        });
    }
}

#[tokio::test]
async fn reports_out_of_order_are_refused() {
    let served = ServedStudy::new(3, Page::default()).await;
    let report = |trial: u32, showing: u32, answer: &str| json!({ "trial": trial, "showing": showing, "answer": { "judgment": answer }, "rt_us": 1, "display": null });
    let disturbed = |trial: u32, showing: u32| json!({ "trial": trial, "showing": showing, "reason": "blur", "display": null });

    let mut rater = HttpClient::to(served.address()).await;
    let nobody = served.state().await;
    for (address, body) in [
        ("/api/begin", json!({ "environment": environment() })),
        ("/api/answer", report(0, 0, "fake")),
        ("/api/disturbed", disturbed(0, 0)),
        ("/api/leave", json!({})),
    ] {
        let reply = rater.post(address, body).await;
        assert_eq!(reply.code(), "no-session", "{address} before consent");
        served.assert_refused(&nobody, &reply, address).await;
    }
    assert_eq!(rater.agree().await.json()["screen"], "instructions");
    let agreed = served.state().await;
    for (address, body) in [("/api/answer", report(0, 0, "fake")), ("/api/disturbed", disturbed(0, 0))] {
        let reply = rater.post(address, body).await;
        assert_eq!(reply.code(), "not-this-trial", "{address} before the first trial was shown");
        served.assert_refused(&agreed, &reply, address).await;
    }
    assert_eq!(rater.begin().await.json()["screen"], "trial");
    let begun = served.state().await;
    assert_eq!(rater.begin().await.json()["screen"], "trial");
    assert_eq!(rater.agree().await.json()["screen"], "trial");
    assert_eq!(served.state().await, begun, "a session began twice");

    assert_eq!(rater.post("/api/answer", report(0, 0, "fake")).await.status, 200);
    let answered = served.state().await;
    assert_eq!(rater.post("/api/answer", report(0, 0, "fake")).await.status, 200);
    assert_eq!(rater.post("/api/disturbed", disturbed(0, 0)).await.status, 200);
    assert_eq!(served.state().await, answered, "repeated reports change nothing");
    for (what, address, body) in [
        ("another answer", "/api/answer", report(0, 0, "real")),
        ("a showing that never took place", "/api/answer", report(1, 1, "real")),
        ("a trial ahead", "/api/answer", report(2, 0, "real")),
        ("a trial after the last", "/api/answer", report(3, 0, "real")),
        ("the largest trial", "/api/answer", report(u32::MAX, u32::MAX, "real")),
        ("a disturbed showing ahead", "/api/disturbed", disturbed(1, 1)),
        ("a disturbed trial ahead", "/api/disturbed", disturbed(2, 0)),
    ] {
        let reply = rater.post(address, body).await;
        assert_eq!((reply.status, reply.code().as_str()), (409, "not-this-trial"), "{what}");
        served.assert_refused(&answered, &reply, what).await;
    }
    let mut crowded = report(1, 0, "real");
    crowded["display"] = display();
    let parts = crowded["display"]["parts"].as_array_mut().unwrap();
    parts.resize(10, parts[0].clone());
    let reply = rater.post("/api/answer", crowded).await;
    assert_eq!(reply.code(), "refused", "a display of more images than the trial has");
    served.assert_refused(&answered, &reply, "a crowded display").await;
    for trial in 1..3 {
        assert_eq!(rater.post("/api/answer", report(trial, 0, "fake")).await.status, 200);
    }
    let over = served.state().await;
    for (address, body) in [("/api/answer", report(3, 0, "fake")), ("/api/disturbed", disturbed(3, 0))] {
        served.assert_refused(&over, &rater.post(address, body).await, address).await;
    }
    assert_eq!(rater.post("/api/leave", json!({})).await.json()["ending"], "completed");
    assert_eq!(served.state().await, over);
}

#[tokio::test]
async fn no_session_can_write_without_limit() {
    let served = ServedStudy::new(3, Page::default()).await;
    let (mut rater, _) = served.rater().await;
    let mut showing = 0;
    let refused = loop {
        let body = json!({ "trial": 0, "showing": showing, "reason": "blur", "display": display() });
        let reply = rater.post("/api/disturbed", body).await;
        served.pass();
        if reply.status != 200 {
            break reply;
        }
        showing += 1;
        assert!(showing < 2_000, "a session can write without limit");
    };
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("60")));
    let before = served.state().await;
    for tab in 2..5 {
        rater.tab = format!("{tab:032x}");
        assert_eq!(rater.open().await.status, 429, "repeated takeovers are limited too");
    }
    assert_eq!(served.state().await, before);
    // The session itself continues.
    rater.tab = format!("{:032x}", 1);
    for trial in 0..3 {
        let showing = if trial == 0 { showing } else { 0 };
        let trial = json!({ "number": trial, "showing": showing });
        assert_eq!(rater.answer(&trial, json!({ "judgment": "fake" })).await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_uses_of_a_link_take_one_place() {
    // The store is on a disk, so concurrent arrivals interleave at every step.
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path().join("study.db")).unwrap());
    let study = small_task::study(small_task::SmallTask { trials: 3, qualifying: 0, needed: 0 }, |_| {});
    store.bind(study.digest()).await.unwrap();
    let page = Page { access: Access::Links, ..Page::default() };
    let (kept, clock) = (Arc::clone(&store), Arc::<fixture::ManualClock>::default());
    let service = Services::new(study, kept, Arc::new(fixture::OneByteImages), page, clock).await.unwrap();
    let serving = serve(service, "127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = serving.address();

    let people = Participants::of(Arc::<SqliteStore>::clone(&store)).await.unwrap();
    let arrival = json!({ "link": people.link(1) });
    let mut visitor = HttpClient::to(address).await;
    let opened = visitor.post("/api/open", json!({ "arrival": arrival, "language": "en" })).await.json();
    let agree = |link: &str| json!({ "arrival": { "link": link }, "text": opened["text"], "adult": true });
    // Each arrival comes from a different page, as if the link had been shared.
    let on_page = async move |page: u64| {
        let mut visitor = HttpClient::to(address).await;
        visitor.tab = format!("{page:032x}");
        visitor
    };
    let visits: Vec<_> = (0..40)
        .map(|number| {
            let agree = agree(&people.link(1));
            tokio::spawn(async move { on_page(100 + number).await.post("/api/consent", agree).await.json() })
        })
        .collect();
    let mut begun = 0;
    for visit in visits {
        let screen = visit.await.unwrap();
        begun += u32::from(screen["screen"] == "instructions");
        assert!(screen["screen"] == "instructions" || screen["reason"] == "link-used", "{screen}");
    }
    assert_eq!(begun, 1);
    // No place has lost an attempt: each later session is the first at its place.
    for number in 2..9 {
        let mut visitor = on_page(number).await;
        let screen = visitor.post("/api/consent", agree(&people.link(number))).await.json();
        assert_eq!(screen["screen"], "instructions");
    }
    let names = all_sessions(&*store).await.unwrap();
    assert!(names.len() == 8 && names.iter().all(|name| name.ends_with("-000")), "{names:?}");
    let stranger = HttpClient::to(address).await.post("/api/consent", json!({})).await;
    assert_client_fault(&stranger, "a consent without a text");
}
