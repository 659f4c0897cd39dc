//! Nests a study's page in the axum server of another program, below an address of that program's choice.
//!
//! ```text
//! cargo run --example nested
//! ```
//!
//! The program serves a page of its own at `/` and the study at `/study/`, until it is stopped. Answers are kept in memory.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::response::{Html, Redirect};
use axum::routing::get;
use hype::backends::web::{Page, PreparedImages, Services, SystemClock, router};
use hype::prelude::*;
use hype::store::MemoryStore;
use tokio::net::TcpListener;

/// Addresses on the page are relative to the page's own, which has to end with a slash.
const STUDY: &str = "/study/";

fn main() -> Result<(), Box<dyn Error>> {
    let prepared = tempfile::tempdir()?;
    hype::runtime()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:7850").await?;
        println!("raters come to http://{}{STUDY}", listener.local_addr()?);
        axum::serve(listener, application(prepared.path()).await?).await?;
        Ok(())
    })
}

/// The program's own routes, and those of the study.
async fn application(prepared: &Path) -> Result<Router, Box<dyn Error>> {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/studies/contrast.yaml");
    let services = services(hype::open(&spec, &hype::Quiet)?.study, prepared).await?;
    Ok(Router::new()
        .route("/", get(|| async { Html("<a href=study>Take part</a>") }))
        // The study's routes do not include its address without the slash.
        .route(STUDY.trim_end_matches('/'), get(|| async { Redirect::permanent(STUDY) }))
        .nest(STUDY, router(services)))
}

/// The services of a study, whose images are prepared in a folder.
async fn services(study: Study, prepared: &Path) -> Result<Services, Box<dyn Error>> {
    let page = Page::default();
    let images = PreparedImages::prepare(&study, &page, prepared, &|_, _, _| {})?;
    // A `SqliteStore` would keep the answers.
    let store = Arc::new(MemoryStore::new());
    store.bind(study.digest()).await?;
    Ok(Services::new(study, store, Arc::new(images), page, Arc::new(SystemClock)).await?)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    /// The response to a request without cookies.
    async fn answer(server: std::net::SocketAddr, request: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(server).await.expect("a connection");
        let length = body.len();
        let request = format!(
            "{request} HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.expect("a request");
        let mut response = Vec::new();
        stream.read_to_end(&mut response).await.expect("a response");
        String::from_utf8_lossy(&response).into_owned()
    }

    #[test]
    fn the_study_answers_below_its_address() {
        let prepared = tempfile::tempdir().expect("a folder");
        hype::runtime().expect("a runtime").block_on(async {
            let application = application(prepared.path()).await.expect("an application");
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let server = listener.local_addr().expect("an address");
            tokio::spawn(async { axum::serve(listener, application).await });

            assert!(answer(server, "GET /", "").await.contains("Take part"));
            let moved = answer(server, "GET /study", "").await;
            assert!(moved.starts_with("HTTP/1.1 308") && moved.contains("location: /study/"), "{moved}");
            let page = answer(server, "GET /study/", "").await;
            assert!(page.starts_with("HTTP/1.1 200") && page.contains("<html"), "{page}");
            // The page names its files and requests relative to its own address.
            let script =
                page.split("data-main=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a module");
            let script = answer(server, &format!("GET /study/{script}"), "").await;
            assert!(script.starts_with("HTTP/1.1 200"), "{script}");
            let tab = "00112233445566778899aabbccddeeff";
            let opened = answer(server, "POST /study/api/open", &format!("{{\"tab\": \"{tab}\"}}")).await;
            assert!(opened.starts_with("HTTP/1.1 200"), "{opened}");
            let cookie = opened.to_lowercase();
            assert!(!cookie.contains("set-cookie") || cookie.contains("path=/study/"), "{opened}");
        });
    }
}
