//! The configurations of `docs/hosting` work: a session through nginx and Caddy is one without a proxy, byte by byte
//! where it matters, and the service of systemd is valid.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use hype_backends::web::settings::EntryLimits;
use hype_backends::web::{ImageSource, PreparedImages, Services, Serving, SystemClock, serve};
use hype_core::{Event, Store, StoreExt as _};
use hype_store::MemoryStore;
use hype_tasks::HypeInfinity;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::connection::Reply;
use crate::features::shown;
use crate::http_client::HttpClient;
use crate::originals::{Amount, Originals};
use crate::proxy::{Kind, Proxy};

const PROXIES: [Kind; 2] = [Kind::Nginx, Kind::Caddy];

/// Headers that a proxy adds or writes anew, and those of the connection itself.
const OF_PROXIES: [&str; 6] = ["server", "date", "connection", "alt-svc", "via", "strict-transport-security"];

/// A study with images, served behind a proxy at `https://test/`.
struct Served {
    /// The folder of its images, which is removed with it.
    _originals: Originals,
    serving: Serving,
    store: MemoryStore,
    pictures: Arc<PreparedImages>,
    /// The operator's key.
    operator: String,
}

async fn served(entries: EntryLimits) -> Served {
    let task = Box::new(HypeInfinity { generated: 6.into(), real: 6.into() });
    // Large enough that proxies do not hold them in memory as a whole.
    let mut originals = Originals::new(Amount { each: 12, side: 160 }, task, |_| {});
    originals.page.public_url = Some("https://test/".into());
    originals.page.entries = entries;
    let pictures = Arc::new(originals.prepare());
    let store = MemoryStore::new();
    store.secret([7; 32]).await.unwrap();
    store.bind(originals.study.digest()).await.unwrap();
    let (study, page) = (originals.study.clone(), originals.page.clone());
    let (kept, clock) = (Arc::new(store.clone()), Arc::new(SystemClock));
    let service = Services::new(study, kept, pictures.clone(), page, clock).await.unwrap();
    let operator = service.operator.token();
    let serving = serve(service, "127.0.0.1:0".parse().unwrap()).await.unwrap();
    Served { _originals: originals, serving, store, pictures, operator }
}

/// The responses to a rater: the kinds of requests, each with the headers of a response to it, and the images.
struct Session {
    headers: BTreeMap<&'static str, BTreeMap<String, String>>,
    images: Vec<Reply>,
    visitor: HttpClient,
}

fn headers(reply: &Reply) -> BTreeMap<String, String> {
    let all = reply.headers().map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
    all.filter(|(name, _)| !OF_PROXIES.contains(&name.as_str())).collect()
}

/// A rater who takes part, with a browser that accepts compression.
async fn session(address: SocketAddr) -> Session {
    let mut visitor = HttpClient::to(address).await;
    let module = visitor.module().await;
    let mut seen = BTreeMap::new();
    for (kind, path) in [("page", "/"), ("script", &module), ("health", "/health")] {
        let accept = [("accept-encoding", "gzip, deflate, br, zstd")];
        let reply = visitor.send("GET", path, &accept, b"").await;
        assert_eq!(reply.status, 200, "{path}: {}", String::from_utf8_lossy(&reply.body));
        seen.insert(kind, headers(&reply));
    }
    let consent = visitor.agree().await;
    let cookie = consent.header("set-cookie").unwrap();
    assert!(
        cookie.contains("; Path=/; ") && cookie.ends_with("; HttpOnly; SameSite=Strict; Secure"),
        "{cookie}"
    );
    let mut screen = visitor.begin().await;
    seen.insert(
        "screen",
        headers(&screen).into_iter().filter(|(name, _)| name != "content-length").collect(),
    );
    let mut images = Vec::new();
    loop {
        let now = shown(&screen);
        if now["screen"] != "trial" {
            assert_eq!(now["screen"], "end");
            return Session { headers: seen, images, visitor };
        }
        for name in now["block"].as_array().unwrap() {
            let path = format!("/image/{}", name.as_str().unwrap());
            let accept = [("accept-encoding", "gzip, deflate, br, zstd")];
            let reply = visitor.send("GET", &path, &accept, b"").await;
            assert_eq!(reply.status, 200);
            seen.insert("image", headers(&reply));
            images.push(reply);
        }
        screen = visitor.answer(&now["trial"], json!({ "judgment": "real" })).await;
        assert_eq!(screen.status, 200, "{:?}", screen.json());
    }
}

/// The images of a finished session as the server holds them, in the order of its log.
async fn expected(served: &Served, session: &Session) -> Vec<Vec<u8>> {
    let log = served.store.load(&session.visitor.session()).await.unwrap();
    let shown = log.iter().filter_map(|event| match event {
        Event::Answered(answered) => answered.shown.stimuli.first().copied(),
        _ => None,
    });
    shown.map(|id| served.pictures.stimulus(id).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_behind_proxies_are_those_without() {
    let served = served(EntryLimits::default()).await;
    let direct = session(served.serving.address()).await;
    for kind in PROXIES {
        let proxy = Proxy::start(kind, served.serving.address()).await;
        let files = proxy.files();
        let behind = session(proxy.reached().await).await;
        assert_eq!(behind.headers, direct.headers, "{kind:?}");
        let expected = expected(&served, &behind).await;
        assert_eq!(expected.len(), 12);
        assert!(behind.images.iter().map(|reply| &reply.body).eq(&expected), "{kind:?} changes images");
        let lengths: BTreeSet<_> = behind.images.iter().map(|reply| reply.header("content-length")).collect();
        assert_eq!(lengths.len(), 1, "{kind:?}: all images have one length on the network");
        assert!(behind.images.iter().all(|reply| reply.header("content-encoding").is_none()));
        // HTTPS is insisted on, once.
        let strict = |reply: &Reply| {
            let values =
                reply.headers().filter(|(name, _)| name.eq_ignore_ascii_case("strict-transport-security"));
            values.map(|(_, value)| value.to_owned()).collect::<Vec<_>>()
        };
        assert!(behind.images.iter().all(|reply| strict(reply) == ["max-age=2592000"]), "{kind:?}");
        assert_eq!(proxy.files(), files, "{kind:?} writes what passes through it to the disk");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn proxies_refuse_what_is_too_long_and_lead_to_https() {
    let served = served(EntryLimits::default()).await;
    for kind in PROXIES {
        let proxy = Proxy::start(kind, served.serving.address()).await;
        let mut visitor = HttpClient::to(proxy.reached().await).await;
        // A little more than the limit in place of a report, by the proxy or by the server behind it.
        let refused = visitor.post_bytes("/api/open", &vec![b' '; 66_000]).await;
        assert_eq!(refused.status, 413, "{kind:?}");
        // A request that is far too long does not reach the server as a whole. Versions of Caddy before 2.7 blame the server.
        let mut visitor = HttpClient::to(proxy.reached().await).await;
        let refused = visitor.post_bytes("/api/open", &vec![b' '; 3 << 20]).await;
        assert!([413, 502].contains(&refused.status), "{kind:?}: {}", refused.status);
        let mut visitor = HttpClient::to(proxy.reached().await).await;
        assert_eq!(visitor.open().await.json()["screen"], "consent", "{kind:?}");
        // Reports of other pages are refused behind a proxy, and the page's own are not.
        let body = json!({ "tab": format!("{:032x}", 1), "arrival": {}, "language": "en" }).to_string();
        for (origin, status) in [("https://test", 200), ("https://other.example", 403)] {
            let headers = [("content-type", "application/json"), ("origin", origin)];
            let reply = visitor.send("POST", "/api/open", &headers, body.as_bytes()).await;
            assert_eq!(reply.status, status, "{kind:?}, {origin}");
        }
        if kind == Kind::Nginx {
            let mut plain = HttpClient::to(proxy.http).await;
            let reply = plain.get("/?PROLIFIC_PID=1").await;
            let to = reply.header("location").map(str::to_owned);
            assert_eq!((reply.status, to.as_deref()), (308, Some("https://test/?PROLIFIC_PID=1")));
        }
        assert!(!proxy.log().contains("PROLIFIC_PID"), "{kind:?} logs the ids of a panel: {}", proxy.log());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn raters_behind_proxies_are_told_apart_by_addresses_that_they_cannot_choose() {
    for kind in PROXIES {
        let entries = EntryLimits { source_burst: 2 };
        let served = served(entries).await;
        let proxy = Proxy::start(kind, served.serving.address()).await;
        let (flooded, other) =
            (proxy.reached().await, proxy.reached_from(Ipv4Addr::new(127, 0, 0, 2).into()).await);
        let mut entered = 0;
        for stranger in 1..=6 {
            let mut visitor = HttpClient::to(flooded).await;
            let text = visitor.open().await.json()["text"].as_str().unwrap().to_owned();
            // Each pretends to come from elsewhere.
            let claims = [
                ("x-forwarded-for", format!("198.51.100.{stranger}")),
                ("forwarded", format!("for=192.0.2.{stranger}")),
            ];
            let mut headers = vec![("content-type", "application/json")];
            headers.extend(claims.iter().map(|(name, value)| (*name, value.as_str())));
            let agreed =
                json!({ "tab": visitor.tab, "arrival": {}, "language": "en", "text": text, "adult": true });
            match visitor.send("POST", "/api/consent", &headers, agreed.to_string().as_bytes()).await.status {
                200 => entered += 1,
                status => assert_eq!(status, 429, "{kind:?}"),
            }
        }
        assert_eq!(entered, 2, "{kind:?}");
        assert_eq!(HttpClient::to(other).await.agree().await.status, 200, "{kind:?}: others may enter");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn proxies_pass_on_events_as_they_happen() {
    for kind in PROXIES {
        let served = served(EntryLimits::default()).await;
        let proxy = Proxy::start(kind, served.serving.address()).await;
        let mut stream = TcpStream::connect(proxy.reached().await).await.unwrap();
        let request = format!(
            "GET /operator/events HTTP/1.1\r\nhost: test\r\naccept: text/event-stream\r\nauthorization: Bearer {}\r\n\r\n",
            served.operator
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut received = String::new();
        // The state at once, and again when a rater has entered, while the response goes on.
        for entered in 0..2 {
            if entered > 0 {
                assert_eq!(HttpClient::to(proxy.reached().await).await.agree().await.status, 200, "{kind:?}");
            }
            while received.matches("event: status\n").count() <= entered || !received.ends_with('\n') {
                let mut part = [0; 4_096];
                let more = tokio::time::timeout(Duration::from_secs(60), stream.read(&mut part)).await;
                let length = more
                    .unwrap_or_else(|_| panic!("{kind:?} holds back event {entered}: {received}"))
                    .unwrap();
                assert!(length > 0, "{kind:?} ends the stream after {received:?}: {}", proxy.log());
                received.push_str(&String::from_utf8_lossy(&part[..length]));
            }
        }
        assert!(received.starts_with("HTTP/1.1 200 OK\r\n"), "{kind:?}: {received}");
    }
}

#[test]
fn the_service_behind_proxies_is_valid_and_confined() {
    let Some(analyze) = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"]
        .into_iter()
        .find(|path| Path::new(path).exists())
    else {
        eprintln!("skipped: there is no systemd-analyze");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/hosting/hype.service");
    let unit = std::fs::read_to_string(path).unwrap();
    // A program that exists, in a folder whose name needs no quotes.
    let unit = unit.replace("/usr/local/bin/hype", "/bin/sh");
    let file = folder.path().join("hype.service");
    std::fs::write(&file, unit).unwrap();
    let verified = Command::new(analyze).args(["verify", "--man=no"]).arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&verified.stderr).into_owned();
    assert!(verified.status.success() && !said.contains("hype.service"), "{said}");
    // Exposure from 0 to 100; distributions call 20 and less safe.
    let confined = Command::new(analyze)
        .args(["security", "--offline=yes", "--threshold=20", "--no-pager"])
        .arg(&file)
        .output()
        .unwrap();
    assert!(confined.status.success(), "{}", String::from_utf8_lossy(&confined.stdout));
}
