//! The pages of the platform that people see in a browser: a study to take part in, and the way back with a code.

use hyper::body::Bytes;
use hyper::{Method, Request, Response, StatusCode};

use super::FakeProlific;
use crate::desk::{button, escaped, page, remembered, sent_to};

/// Where participants are sent back to, with their code.
const COMPLETE: &str = "/submissions/complete";
const TAKE_PART: &str = "/take-part";
const TITLE: &str = "A fake of Prolific";
/// The submission of a browser's person.
const SUBMISSION: &str = "submission";

/// The answer to a person's browser; `None` if a program asks.
pub(super) fn answer(fake: &FakeProlific, request: &Request<Bytes>) -> Option<Response<Bytes>> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/") => Some(offers(fake)),
        (&Method::POST, TAKE_PART) => Some(take_part(fake)),
        (&Method::GET, COMPLETE) => Some(complete(fake, request)),
        _ => None,
    }
}

fn offers(fake: &FakeProlific) -> Response<Bytes> {
    let open = fake.open_studies();
    let names: Vec<String> = {
        let state = fake.state();
        open.iter().filter_map(|id| state.studies.get(id)).map(|study| escaped(study.text("name"))).collect()
    };
    match names.first() {
        Some(name) => {
            page(StatusCode::OK, TITLE, &format!("<p>{name}</p>{}", button(TAKE_PART, "Take part")))
        }
        None => page(StatusCode::OK, TITLE, "<p>No study is open now.</p>"),
    }
}

fn take_part(fake: &FakeProlific) -> Response<Bytes> {
    match fake.open_studies().iter().find_map(|study| fake.arrive(study).ok()) {
        Some(work) => sent_to(&work.url, [SUBMISSION, &work.submission]),
        None => page(StatusCode::CONFLICT, TITLE, "<p>No study has a free place now.</p>"),
    }
}

fn complete(fake: &FakeProlific, request: &Request<Bytes>) -> Response<Bytes> {
    let query = request.uri().query().unwrap_or_default();
    let code = query.split('&').find_map(|pair| pair.strip_prefix("cc=")).unwrap_or_default();
    let submission = remembered(request, SUBMISSION).unwrap_or_default();
    match fake.submit(&submission, code) {
        Ok(()) => page(StatusCode::OK, TITLE, "<p>Your work was handed in. You can close this page.</p>"),
        Err(why) => {
            let why = escaped(&why.to_string());
            page(StatusCode::CONFLICT, TITLE, &format!("<p>Your work was not handed in: {why}.</p>"))
        }
    }
}
