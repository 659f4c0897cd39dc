//! A served study under attack: whatever is refused, its store stays as it was.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};

use hype_backends::web::{Page, Serving, serve};
use hype_core::plugin::store::all_sessions;
use hype_core::protocol::places::PlaceChange;
use hype_core::{Session, Store};

use crate::toy::{Toy, study};
use crate::visitor::Visitor;
use crate::visits::House;
use crate::wire::Reply;

/// Time that passes between two requests, so that no session meets the bound on requests.
const BETWEEN: u64 = 30_000;

pub(crate) struct Fortress {
    pub(crate) house: House,
    pub(crate) token: String,
    serving: Serving,
    raters: AtomicU32,
}

/// What a store holds: all logs, and what happened to places.
#[derive(Debug, PartialEq)]
pub(crate) struct State {
    logs: Vec<(String, Vec<String>)>,
    places: Vec<PlaceChange>,
}

impl Fortress {
    pub(crate) async fn new(trials: u32, page: Page) -> Self {
        let house = House::new(study(Toy { trials, qualifying: 0, needed: 0 }, |_| {}), page);
        let service = house.service().await;
        let token = service.operator_token();
        let serving = serve(service, "127.0.0.1:0".parse().unwrap()).await.unwrap();
        Self { house, token, serving, raters: AtomicU32::new(0) }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.serving.address()
    }

    /// A rater who has begun, with the first trial; the page of the first rater has the number 1, and so on.
    pub(crate) async fn rater(&self) -> (Visitor, Reply) {
        let mut visitor = Visitor::to(self.address()).await;
        visitor.tab = format!("{:032x}", self.raters.fetch_add(1, Ordering::Relaxed) + 1);
        assert_eq!(visitor.agree().await.status, 200);
        let first = visitor.begin().await;
        assert_eq!(first.json()["screen"], "trial");
        (visitor, first)
    }

    /// Lets so much time pass as there is between requests.
    pub(crate) fn pass(&self) {
        self.house.hands.forward(BETWEEN);
    }

    pub(crate) async fn state(&self) -> State {
        let store = &self.house.store;
        let mut logs = Vec::new();
        for name in all_sessions(store).await.unwrap() {
            let log = store.load(&name).await.unwrap();
            Session::replay(&self.house.study, log.iter().cloned()).unwrap();
            logs.push((name, log.iter().map(|event| serde_json::to_string(event).unwrap()).collect()));
        }
        let (places, _) = store.place_changes(0).await.unwrap();
        State { logs, places }
    }

    /// Asserts that a request was refused and has changed nothing.
    pub(crate) async fn assert_refused(&self, before: &State, reply: &Reply, what: &str) {
        assert_client_fault(reply, what);
        assert_eq!(self.state().await, *before, "{what} has changed something");
        self.pass();
    }
}

/// Asserts that the fault is the client's, that it is none of too many requests, and that it is told as `docs/PAGE.md`
/// says.
pub(crate) fn assert_client_fault(reply: &Reply, what: &str) {
    assert!((400..500).contains(&reply.status), "{what}: {} {:?}", reply.status, reply.json());
    assert_ne!(reply.status, 429, "{what} was not looked at");
    assert!(!reply.code().is_empty(), "{what} is refused without a code");
    assert_eq!(reply.header("cache-control"), Some("no-store"), "{what}");
    assert_eq!(reply.header("set-cookie"), None, "{what}");
}
