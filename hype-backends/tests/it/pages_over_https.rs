//! The page over HTTPS, with a certificate made by the test.

#![allow(clippy::unwrap_used, dead_code, reason = "tests may panic")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hype_backends::web::settings::Tls;
use hype_backends::web::{Page, ServeError, Serving, serve};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::fixture::Fixture;
use crate::small_task::{SmallTask, study};

/// Writes a certificate for `localhost` and its key, and returns a client that trusts it.
fn certify(folder: &Path) -> (Tls, TlsConnector) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let file = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        Arc::from(path.to_str().unwrap())
    };
    let tls = Tls {
        certificate: file("certificate.pem", made.cert.pem()),
        key: file("key.pem", made.signing_key.serialize_pem()),
    };
    let mut trusted = RootCertStore::empty();
    trusted.add(made.cert.der().clone()).unwrap();
    let client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(trusted)
        .with_no_client_auth();
    (tls, TlsConnector::from(Arc::new(client)))
}

async fn served(tls: Tls) -> Result<Serving, ServeError> {
    let study =
        study(SmallTask { trials: 3, qualifying: 0, needed: 0 }, |spec| spec.collection.raters.per_model = 2);
    let page = Page { tls: Some(tls), ..Page::default() };
    serve(Fixture::new(study, page).service().await, ([127, 0, 0, 1], 0).into()).await
}

/// Sends one request over TLS and reads the whole response.
async fn ask(serving: &Serving, client: &TlsConnector, request: &str) -> String {
    let stream = TcpStream::connect(serving.address()).await.unwrap();
    let mut stream = client.connect(ServerName::try_from("localhost").unwrap(), stream).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn the_page_is_served_by_https_and_cookies_are_secure() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, client) = certify(folder.path());
    let serving = served(tls).await.unwrap();
    // An idle connection does not delay others.
    let silent = TcpStream::connect(serving.address()).await.unwrap();
    let page = ask(&serving, &client, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
    assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
    assert!(page.contains("\r\nstrict-transport-security: max-age="), "{page}");
    let post = |path: &str, body: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let tab = "0123456789abcdef0123456789abcdef";
    let opened =
        ask(&serving, &client, &post("/api/open", &format!("{{\"tab\":\"{tab}\",\"language\":\"en\"}}")))
            .await;
    let text = opened.split("\"text\":\"").nth(1).unwrap().split('"').next().unwrap();
    let body = format!("{{\"tab\":\"{tab}\",\"language\":\"en\",\"text\":\"{text}\",\"adult\":true}}");
    let agreed = ask(&serving, &client, &post("/api/consent", &body)).await;
    let cookie = agreed.lines().find(|line| line.to_ascii_lowercase().starts_with("set-cookie:")).unwrap();
    assert!(cookie.contains("; HttpOnly; SameSite=Strict; Secure"), "{cookie}");

    // A plain HTTP request gets nothing of the study.
    let mut plain = TcpStream::connect(serving.address()).await.unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP/1.1"), "{answer:?}");
    drop(silent);
    serving.stop().await;
}

/// The number of clients that connect and say nothing.
const SILENT: usize = 300;

#[tokio::test]
async fn unfinished_handshakes_delay_no_one() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, client) = certify(folder.path());
    let serving = served(tls).await.unwrap();
    let mut silent = Vec::new();
    for _ in 0..SILENT {
        silent.push(TcpStream::connect(serving.address()).await.unwrap());
    }
    let request = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    // Less than the time that a handshake may take: the request does not wait for the end of another handshake.
    let asked = tokio::time::timeout(Duration::from_secs(8), ask(&serving, &client, request)).await;
    let answer = asked.expect("300 silent clients delay the next one");
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    drop(silent);
    serving.stop().await;
}

#[tokio::test]
async fn an_unusable_certificate_is_reported_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, _) = certify(folder.path());
    let other = tempfile::tempdir().unwrap();
    let (others, _) = certify(other.path());
    let empty = folder.path().join("empty.pem");
    fs::write(&empty, "").unwrap();
    let empty: Arc<str> = Arc::from(empty.to_str().unwrap());
    for (tls, reason) in [
        (Tls { certificate: "none.pem".into(), ..tls.clone() }, "none.pem"),
        (
            Tls { certificate: Arc::clone(&empty), ..tls.clone() },
            "empty.pem: the file contains no certificate",
        ),
        (Tls { key: empty, ..tls.clone() }, "empty.pem"),
        (Tls { key: others.key, ..tls }, "key.pem"),
    ] {
        let fault = served(tls).await.unwrap_err().to_string();
        assert!(fault.starts_with("the certificate of the page: ") && fault.contains(reason), "{fault}");
    }
}
