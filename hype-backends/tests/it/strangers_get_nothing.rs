//! Forged cookies, names of other raters, unknown addresses, malformed HTTP, and a flood of all of them: no request reads
//! another rater's data, changes anything, or crashes the server.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeSet;
use std::sync::Arc;

use hype_backends::web::Page;
use hype_core::{Event, StoreExt as _};
use serde_json::json;

use crate::connection::{Connection, Reply, request};
use crate::http_client::HttpClient;
use crate::proof::sized;
use crate::served_study::{ServedStudy, assert_client_fault};

const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn forged_cookies_and_stolen_image_names_open_nothing() {
    let served = ServedStudy::new(3, Page::default()).await;
    let (mut one, first) = served.rater().await;
    let (mut other, second) = served.rater().await;
    let before = served.state().await;
    let names = |reply: &Reply| -> Vec<String> {
        reply.json()["block"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect()
    };
    let (ones, others) = (names(&first), names(&second));
    assert!(ones.iter().all(|name| !others.contains(name)));

    // A rater's images open only with that rater's cookie.
    let mut stranger = HttpClient::to(served.address()).await;
    for name in &ones {
        let address = format!("/image/{name}");
        assert_eq!(one.get(&address).await.status, 200);
        assert_eq!(other.get(&address).await.code(), "no-such-image");
        assert_eq!(stranger.get(&address).await.code(), "no-session");
    }
    // The cookie of another rater without that rater's page is not enough to report in that rater's name.
    let cookie = one.cookie.clone().unwrap();
    let mut thief = stranger;
    thief.cookie = Some(cookie.clone());
    thief.tab = format!("{:032x}", 9);
    let trial = json!({ "number": 0, "showing": 0 });
    let reply = thief.answer(&trial, json!({ "judgment": "fake" })).await;
    assert_eq!(reply.code(), "taken-over");
    served.assert_refused(&before, &reply, "another page").await;

    let (name, value) = cookie.split_once('=').unwrap();
    let theirs = other.cookie.clone().unwrap();
    let parts: Vec<&str> = value.split('.').collect();
    let their_parts: Vec<&str> = theirs.split_once('=').unwrap().1.split('.').collect();
    let mut forged: Vec<String> = (0..value.len())
        .map(|at| {
            let mut bytes = value.as_bytes().to_vec();
            bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
            String::from_utf8(bytes).unwrap()
        })
        .collect();
    forged.extend((0..value.len()).map(|end| value[..end].to_owned()));
    forged.extend([
        [parts[0], their_parts[1], parts[2]].join("."),
        [parts[0], their_parts[1], their_parts[2]].join("."),
        [their_parts[0], parts[1], parts[2]].join("."),
        format!("{value}."),
        format!("{value}.{value}"),
        format!(" {value} x"),
        value.to_uppercase(),
        format!("\"{value}\""),
        value.repeat(100),
        "%00".into(),
        "..".into(),
    ]);
    for forged in &forged {
        let mut forger = HttpClient::to(served.address()).await;
        forger.cookie = Some(format!("{name}={forged}"));
        let reply = forger.answer(&trial, json!({ "judgment": "fake" })).await;
        assert_eq!(reply.code(), "no-session", "{forged}");
        served.assert_refused(&before, &reply, forged).await;
        assert_eq!(forger.get(&format!("/image/{}", ones[0])).await.code(), "no-session", "{forged}");
        assert_eq!(forger.open().await.json()["screen"], "consent", "{forged}");
    }
    // Other cookies of the browser, or ones that are not text, are ignored.
    let mut odd = request("POST", "/api/answer", &[JSON], b"");
    odd.truncate(odd.len() - 2);
    odd.extend(b"cookie: \xff\xfe=\xfd\r\ncontent-length: 2\r\n\r\n{}");
    let mut wire = Connection::to(served.address()).await;
    wire.send(&odd).await.unwrap();
    assert_client_fault(&wire.reply().await.unwrap(), "a cookie that is not text");
    one.cookie = Some(format!("session=1; {cookie}; {name}x=1"));
    assert_eq!(one.open().await.json()["screen"], "trial");
    assert_eq!(served.state().await, before);
}

#[tokio::test]
async fn unknown_addresses_and_methods_are_refused() {
    let served = ServedStudy::new(3, Page::default()).await;
    let (mut rater, _) = served.rater().await;
    let before = served.state().await;
    let long = format!("/image/{}", "a".repeat(20_000));
    let addresses = [
        "/",
        "/operator",
        "/operator/status",
        "/metrics",
        "/health",
        "/assets/icon.svg",
        "/image/0",
        "/api/open",
        "/api/consent",
        "/api/begin",
        "/api/answer",
        "/api/disturbed",
        "/api/leave",
        "/api/next",
    ];
    for address in addresses {
        for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "FOO", "get"] {
            let reply = rater.send(method, address, &[JSON], b"{}").await;
            served.assert_refused(&before, &reply, &format!("{method} {address}")).await;
        }
    }
    for address in [
        "/api",
        "/api/",
        "/api/answer/",
        "/api/answers",
        "/API/answer",
        "//api/answer",
        "/image",
        "/image/",
        "/image/0/0",
        "/image/..",
        "/image/../",
        "/image/%2e%2e%2fevaluation.yaml",
        "/image/%00",
        "/image/%ff%fe",
        "/image/%",
        "/image/%zz",
        "/assets",
        "/assets/",
        "/assets/../index.html",
        "/assets/../../Cargo.toml",
        "/assets/%2e%2e/%2e%2e/Cargo.toml",
        "/assets/..%5c..%5cCargo.toml",
        "/assets//etc/passwd",
        "/assets/%2fetc%2fpasswd",
        "/assets/icon.svg%00.css",
        "/assets/%ff",
        "/.hype-page",
        "/evaluation.yaml",
        "/study.db",
        "/operator/",
        "/operator/status/",
        "/metrics/",
        "/?/../api",
        "/%2fapi%2fanswer",
        &long,
    ] {
        if address == "/?/../api" {
            assert_eq!(rater.get(address).await.status, 200, "a query changes nothing");
            continue;
        }
        let reply = rater.get(address).await;
        served.assert_refused(&before, &reply, address).await;
    }
    // Reports cannot be sent by GET, and pages cannot be loaded by POST.
    for address in ["/api/answer", "/api/leave", "/api/open"] {
        served.assert_refused(&before, &rater.get(address).await, address).await;
    }
    for address in ["/", "/operator", "/health", "/image/0"] {
        served.assert_refused(&before, &rater.send("POST", address, &[JSON], b"{}").await, address).await;
    }
    assert_eq!(rater.open().await.json()["screen"], "trial");
}

#[tokio::test]
async fn malformed_http_is_refused_or_cut_off() {
    let served = ServedStudy::new(3, Page::default()).await;
    let (mut rater, _) = served.rater().await;
    let before = served.state().await;
    let cookie = rater.cookie.clone().unwrap();
    let many: String = (0..5_000).map(|number| format!("x-{number}: 1\r\n")).collect();
    let post = |headers: &str, body: &str| {
        format!("POST /api/answer HTTP/1.1\r\nhost: x\r\ncookie: {cookie}\r\ncontent-type: application/json\r\n{headers}\r\n{body}")
            .into_bytes()
    };
    let get = |target: &str, headers: &str| {
        format!("GET {target} HTTP/1.1\r\nhost: x\r\n{headers}\r\n").into_bytes()
    };
    let mut hostile: Vec<(String, Vec<u8>)> = vec![
        ("nothing".into(), Vec::new()),
        ("a byte".into(), b"\0".to_vec()),
        ("the beginning of TLS".into(), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec()),
        ("the beginning of HTTP/2".into(), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec()),
        ("HTTP/0.9".into(), b"GET /\r\n\r\n".to_vec()),
        ("HTTP/9.9".into(), b"GET / HTTP/9.9\r\n\r\n".to_vec()),
        ("no target".into(), b"GET HTTP/1.1\r\n\r\n".to_vec()),
        ("a zero byte in the target".into(), get("/image/\0", "")),
        ("a space in the target".into(), get("/image/a b", "")),
        ("a target of a megabyte".into(), get(&format!("/image/{}", "a".repeat(1 << 20)), "")),
        ("5,000 headers".into(), get("/", &many)),
        ("a header of a megabyte".into(), get("/", &format!("x: {}\r\n", "a".repeat(1 << 20)))),
        (
            "a cookie of 200,000 pairs".into(),
            get("/image/0", &format!("cookie: {}\r\n", "a=b; ".repeat(200_000))),
        ),
        ("a zero byte in a header".into(), get("/image/0", "x: a\0b\r\n")),
        ("a header without a name".into(), get("/image/0", ": a\r\n")),
        ("two lengths".into(), post("content-length: 2\r\ncontent-length: 3\r\n", "{}")),
        ("a length below zero".into(), post("content-length: -1\r\n", "{}")),
        ("a length that overflows".into(), post("content-length: 99999999999999999999999\r\n", "{}")),
        ("a length of a gigabyte".into(), post("content-length: 1073741824\r\n", "{}")),
        ("a body shorter than its length".into(), post("content-length: 10\r\n", "{}")),
        ("no length".into(), post("", "{}")),
        ("a length and chunks".into(), post("content-length: 2\r\ntransfer-encoding: chunked\r\n", "{}")),
        ("an unknown coding".into(), post("transfer-encoding: gzip\r\n", "{}")),
        ("a chunk without a size".into(), post("transfer-encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n")),
        (
            "a chunk size that overflows".into(),
            post("transfer-encoding: chunked\r\n", "ffffffffffffffffff\r\n{}\r\n"),
        ),
        (
            "chunks beyond the limit".into(),
            post(
                "transfer-encoding: chunked\r\n",
                &format!("{}0\r\n\r\n", format!("400\r\n{}\r\n", "a".repeat(1_024)).repeat(80)),
            ),
        ),
        (
            "a body that waits for 100-continue".into(),
            post("content-length: 2\r\nexpect: 100-continue\r\n", "{}"),
        ),
        ("packed JSON".into(), post("content-length: 2\r\ncontent-encoding: gzip\r\n", "\x1f\x08")),
        (
            "an upgrade".into(),
            get("/image/0", "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\n"),
        ),
        ("a tunnel".into(), b"CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n".to_vec()),
        ("a proxy's target".into(), get("http://example.org/image/0", "")),
    ];
    // Bytes of a generator with a fixed seed.
    let mut state = 20_261_122_u64;
    for round in 0..50 {
        let bytes = (0..200).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        });
        hostile.push((format!("noise {round}"), bytes.collect()));
    }
    for (what, bytes) in hostile {
        let mut wire = Connection::to(served.address()).await;
        // The server may close the connection before it has read everything.
        let _ = wire.send(&bytes).await;
        let _ = wire.finish().await;
        while let Ok(reply) = wire.reply().await {
            assert!(reply.status < 500, "{what}: {}", reply.head);
            assert!(reply.status >= 400, "{what} was accepted: {}", reply.head);
        }
        assert_eq!(served.state().await, before, "{what} has changed something");
    }
    assert_eq!(rater.open().await.json()["screen"], "trial");
}

#[tokio::test]
async fn operator_addresses_need_the_token_in_its_header() {
    let served = ServedStudy::new(3, Page::default()).await;
    let (mut rater, _) = served.rater().await;
    let token = served.token.clone();
    let bearer = format!("Bearer {token}");
    let mut wrong: Vec<String> = (0..token.len())
        .map(|at| {
            let mut bytes = token.as_bytes().to_vec();
            bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
            format!("Bearer {}", String::from_utf8(bytes).unwrap())
        })
        .collect();
    wrong.extend((0..token.len()).map(|end| format!("Bearer {}", &token[..end])));
    wrong.extend([
        String::new(),
        token.clone(),
        format!("Basic {token}"),
        format!("Bearer {token}0"),
        format!("Bearer  {token}"),
        format!("Bearer {bearer}"),
        format!("Bearer {}", token.to_uppercase()),
        format!("Bearer {}", served.fixture.link(1).await),
        format!("Bearer {}", rater.cookie.clone().unwrap().split_once('=').unwrap().1),
        "Bearer null".into(),
    ]);
    for address in ["/operator/status", "/metrics"] {
        let refused = rater.get(address).await;
        assert_eq!((refused.status, refused.code().as_str()), (401, "not-the-operator"));
        for wrong in &wrong {
            let reply = rater.send("GET", address, &[("authorization", wrong)], b"").await;
            assert_eq!((reply.status, &reply.body), (401, &refused.body), "{address} with {wrong}");
        }
        // Addresses end up in logs and browser histories.
        for query in ["token", "access_token", "operator", "authorization", "key"] {
            let reply = rater.get(&format!("{address}?{query}={token}")).await;
            assert_eq!(reply.status, 401, "{address}?{query}");
        }
        let mut wire = Connection::to(served.address()).await;
        let named = format!("token={token}; operator={token}; authorization={token}");
        wire.send(&request("GET", address, &[("cookie", &named)], b"")).await.unwrap();
        assert_eq!(wire.reply().await.unwrap().status, 401, "{address} with a cookie");
        let reply = rater.send("GET", address, &[("authorization", &bearer)], b"").await;
        assert_eq!(reply.status, 200, "{address}");
        assert!(!String::from_utf8_lossy(&reply.body).contains(&token));
    }
    let page = rater.get("/operator").await;
    assert_eq!(page.status, 200);
    assert!(!String::from_utf8_lossy(&page.body).contains(&token));
}

/// Requests in flight on each connection of the flood.
const ON_EACH: usize = 50;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_requests_leaves_an_honest_rater_alone() {
    // A proof sends ten thousand requests.
    let connections = sized(20, 200);
    let served = Arc::new(ServedStudy::new(6, Page::default()).await);
    let (mut honest, mut screen) = served.rater().await;
    let (victim, of_victim) = served.rater().await;
    let before = served.fixture.store.load(&victim.session()).await.unwrap();
    let cookie = victim.cookie.clone().unwrap();
    let image = format!("/image/{}", of_victim.json()["block"][0].as_str().unwrap());
    let tab = format!("{:032x}", 9);
    let answer = |tab: &str| {
        json!({ "tab": tab, "trial": 0, "showing": 0, "answer": { "judgment": "real" }, "rt_us": 1, "display": null })
            .to_string()
    };
    let (sealed, last) = cookie.split_at(cookie.len() - 1);
    let forged = format!("{sealed}{}", if last == "0" { '1' } else { '0' });
    let kinds: [Vec<u8>; 10] = [
        request("GET", &image, &[], b""),
        request("GET", &image, &[("cookie", &forged)], b""),
        request("GET", "/assets/../../Cargo.toml", &[], b""),
        request("GET", "/operator/status", &[("authorization", "Bearer 0")], b""),
        request("POST", "/api/answer", &[JSON, ("cookie", &cookie)], answer(&tab).as_bytes()),
        request("POST", "/api/answer", &[JSON, ("cookie", &forged)], answer(&tab).as_bytes()),
        request("POST", "/api/answer", &[JSON, ("cookie", &cookie)], b"{\"tab\":"),
        request("POST", "/api/begin", &[JSON, ("cookie", &cookie)], b"[[[[[[[["),
        request("POST", "/api/consent", &[JSON], format!("{{\"tab\":\"{tab}\",\"text\":\"0\"}}").as_bytes()),
        request("DELETE", "/api/answer", &[], b""),
    ];
    let mut flood = Vec::new();
    for connection in 0..connections {
        let mut wire = Connection::to(served.address()).await;
        let bytes: Vec<u8> =
            (0..ON_EACH).flat_map(|number| kinds[(connection + number) % kinds.len()].clone()).collect();
        flood.push(tokio::spawn(async move {
            wire.send(&bytes).await.unwrap();
            let mut statuses = Vec::new();
            for _ in 0..ON_EACH {
                statuses.push(wire.reply().await.unwrap().status);
            }
            statuses
        }));
    }
    for number in 0..6 {
        let trial = screen.json()["trial"].take();
        assert_eq!(trial["number"], number);
        for name in screen.json()["block"].as_array().unwrap() {
            assert_eq!(honest.get(&format!("/image/{}", name.as_str().unwrap())).await.status, 200);
        }
        screen = honest.answer(&trial, json!({ "judgment": "fake" })).await;
        assert_eq!(screen.status, 200);
        let mut next = screen.json();
        screen.body = serde_json::to_vec(&next["next"].take()).unwrap();
    }
    assert_eq!(screen.json()["ending"], "completed");
    let mut statuses = BTreeSet::new();
    let mut replies = 0;
    for flood in flood {
        let found = flood.await.unwrap();
        replies += found.len();
        statuses.extend(found);
    }
    assert_eq!(replies, connections * ON_EACH);
    assert!(statuses.iter().all(|status| (400..500).contains(status)), "{statuses:?}");
    assert_eq!(served.fixture.store.load(&victim.session()).await.unwrap(), before);
    let log = served.fixture.store.load(&honest.session()).await.unwrap();
    let answered: Vec<u32> = log
        .iter()
        .filter_map(|event| match event {
            Event::Answered(answered) => Some(answered.trial),
            _ => None,
        })
        .collect();
    assert_eq!(answered, [0, 1, 2, 3, 4, 5]);
    // Besides the answers: the opening, the consent, the page, its environment, and the end.
    assert_eq!(log.len(), 6 + 5);
}

#[tokio::test]
async fn other_pages_in_the_raters_browser_change_nothing() {
    let served = ServedStudy::new(3, Page::default()).await;
    let (mut rater, first) = served.rater().await;
    let before = served.state().await;
    let trial = &first.json()["trial"];
    let body = json!({
        "tab": rater.tab, "trial": trial["number"], "showing": trial["showing"], "answer": { "judgment": "real" },
        "rt_us": 90_000, "display": null,
    });
    let body = body.to_string();
    for header in [("origin", "https://evil.example"), ("origin", "null"), ("sec-fetch-site", "same-site")] {
        let reply = rater.send("POST", "/api/answer", &[JSON, header], body.as_bytes()).await;
        assert_eq!((reply.status, &*reply.code()), (403, "other-origin"), "{header:?}");
        served.assert_refused(&before, &reply, header.1).await;
    }
    // The page itself, by plain HTTP and by HTTPS.
    for header in [("origin", "http://test"), ("sec-fetch-site", "same-origin")] {
        let reply = rater.send("POST", "/api/answer", &[JSON, header], body.as_bytes()).await;
        assert_eq!(reply.status, 200, "{header:?}");
    }
    // There is no HTTPS that this server could insist on.
    assert_eq!(rater.get("/").await.header("strict-transport-security"), None);
}
