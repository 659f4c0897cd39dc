//! The pages of the service that workers see in a browser: a HIT in its frame, before and after it is accepted.

use hyper::body::Bytes;
use hyper::{Method, Request, Response, StatusCode};

use super::FakeTurk;
use crate::desk::{button, escaped, page};

const ACCEPT: &str = "/accept";
const TITLE: &str = "A fake of Mechanical Turk";

/// The answer to a worker's browser; `None` if a program asks.
pub(super) fn answer(fake: &FakeTurk, request: &Request<Bytes>) -> Option<Response<Bytes>> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/") => Some(preview(fake)),
        (&Method::POST, ACCEPT) => Some(accept(fake)),
        _ => None,
    }
}

fn frame(address: &str) -> String {
    format!("<iframe title=\"The HIT\" src=\"{}\"></iframe>", escaped(address))
}

fn preview(fake: &FakeTurk) -> Response<Bytes> {
    match fake.hits().iter().find_map(|hit| fake.preview(hit).ok()) {
        Some(url) => page(StatusCode::OK, TITLE, &format!("{}{}", button(ACCEPT, "Accept"), frame(&url))),
        None => page(StatusCode::OK, TITLE, "<p>No HIT is available now.</p>"),
    }
}

fn accept(fake: &FakeTurk) -> Response<Bytes> {
    let worker = format!("AVISITOR{:06}", fake.state().assignments.len());
    match fake.hits().iter().find_map(|hit| fake.accept(hit, &worker).ok()) {
        Some(work) => page(StatusCode::OK, TITLE, &frame(&work.url)),
        None => page(StatusCode::CONFLICT, TITLE, "<p>No HIT is available now.</p>"),
    }
}
