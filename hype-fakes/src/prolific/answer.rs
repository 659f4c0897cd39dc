//! Requests: who may make them, and what they ask for.

use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, USER_AGENT};
use hyper::{Method, Request, Response};

use super::contract;
use super::json::{Fields, Refusal, Reply, error};
use super::signing;
use super::state::State;

/// The prefix of every request's path.
const VERSION: &str = "/api/v1/";

/// The path of a request without its version.
fn path(request: &Request<Bytes>) -> Option<&str> {
    request.uri().path().strip_prefix(VERSION)
}

fn is_id(part: &str) -> bool {
    part.len() == 24 && part.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The method and the path, with `{id}` in place of ids.
pub(super) fn label(request: &Request<Bytes>) -> String {
    let path = path(request).unwrap_or_else(|| request.uri().path());
    let parts: Vec<&str> = path.split('/').map(|part| if is_id(part) { "{id}" } else { part }).collect();
    format!("{} {}", request.method(), parts.join("/"))
}

impl State {
    /// Carries out a request.
    pub(super) fn answer(&mut self, request: &Request<Bytes>) -> Response<Bytes> {
        let label = label(request);
        self.requests.push(label.clone());
        let agent = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
        self.user_agents.push(agent.unwrap_or_default().to_owned());
        let (status, body) = match self.carry_out(&label, request) {
            Ok((status, body)) => {
                let faults = contract::objections_to_answer(&label, status, &body);
                self.objections.extend(faults.into_iter().map(|fault| format!("answer: {fault}")));
                (status, body.to_string().into())
            }
            Err(Refusal { status, title, detail }) => (status, error(status, title, &detail)),
        };
        let answer = Response::builder().status(status).header("content-type", "application/json");
        answer.body(body).unwrap_or_default()
    }

    fn carry_out(&mut self, label: &str, request: &Request<Bytes>) -> Reply {
        // The keys are for everybody.
        if request.uri().path() == "/.well-known/study/jwks.json" {
            return Ok((200, signing::keys()));
        }
        let authorization = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        if authorization != Some(&*format!("Token {}", self.setup.token)) {
            return Err(Refusal { status: 401, title: "Unauthorized", detail: "Invalid token.".into() });
        }
        let faults = contract::objections(label, request);
        if let Some(first) = faults.first().cloned() {
            self.objections.extend(faults);
            return Err(Refusal::because(first));
        }
        let path = path(request).ok_or_else(Refusal::not_found)?;
        let parts: Vec<&str> = path.split('/').collect();
        let query = request.uri().query().unwrap_or_default();
        let fields = || Fields::of(request.body());
        // Paths end with a slash; the only one that does not is written so in the reference, too.
        match (request.method(), &*parts) {
            (&Method::GET, ["users", "me", ""]) => Ok((200, Self::account())),
            (&Method::GET, ["workspaces", id, "balance", ""]) => self.workspace_balance(id),
            (&Method::GET, ["studies", id, "cost", ""]) => self.study_cost(id, query),
            (&Method::GET, ["studies", ""]) => Ok((200, self.list_studies(path, query))),
            (&Method::POST, ["studies", ""]) => self.create_study(fields()?),
            (&Method::GET, ["studies", id, ""]) => self.show_study(id),
            (&Method::PATCH, ["studies", id, ""]) => self.update_study(id, fields()?),
            (&Method::POST, ["studies", id, "transition", ""]) => self.transition_study(id, &fields()?),
            (&Method::POST, ["studies", id, "test-study"]) => self.create_test_study(id),
            (&Method::GET, ["studies", id, "submissions", ""]) => self.list_submissions(id, path, query),
            (&Method::POST, ["submissions", "bonus-payments", ""]) => self.set_up_bonuses(&fields()?),
            (&Method::POST, ["bulk-bonus-payments", id, "pay", ""]) => self.pay_bonuses(id),
            (&Method::GET, ["submissions", id, ""]) => self.show_submission(id),
            (&Method::POST, ["submissions", id, "transition", ""]) => {
                self.transition_submission(id, &fields()?)
            }
            (&Method::POST, ["submissions", id, "request-return", ""]) => self.request_return(id),
            (&Method::GET, ["participant-groups", ""]) => self.list_groups(path, query),
            (&Method::POST, ["participant-groups", ""]) => self.create_group(&fields()?),
            (&Method::POST, ["participant-groups", id, "participants", ""]) => {
                self.add_to_group(id, &fields()?)
            }
            _ => Err(Refusal::not_found()),
        }
    }
}
