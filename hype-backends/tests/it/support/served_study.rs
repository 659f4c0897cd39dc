//! A served study under attack: refused requests must not change its store.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};

use hype_backends::web::{Page, Serving, serve};
use hype_core::plugin::store::all_sessions;
use hype_core::protocol::places::PlaceChange;
use hype_core::{Session, StoreExt as _};

use crate::connection::Reply;
use crate::fixture::Fixture;
use crate::http_client::HttpClient;
use crate::small_task::{SmallTask, study};

/// The time between two requests, long enough for the rate limit of sessions.
const BETWEEN: u64 = 30_000;

pub(crate) struct ServedStudy {
    pub(crate) fixture: Fixture,
    pub(crate) token: String,
    /// The key that allows only to look.
    pub(crate) reader: String,
    serving: Serving,
    raters: AtomicU32,
}

/// The content of a store: all logs, and the log of places.
#[derive(Debug, PartialEq)]
pub(crate) struct State {
    logs: Vec<(String, Vec<String>)>,
    places: Vec<PlaceChange>,
}

impl ServedStudy {
    pub(crate) async fn new(trials: u32, page: Page) -> Self {
        let fixture = Fixture::new(study(SmallTask { trials, qualifying: 0, needed: 0 }, |_| {}), page);
        let service = fixture.service().await;
        let (token, reader) = (service.operator.token(), service.operator.reader_token());
        let serving = serve(service, "127.0.0.1:0".parse().unwrap()).await.unwrap();
        Self { fixture, token, reader, serving, raters: AtomicU32::new(0) }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.serving.address()
    }

    /// A rater who has begun, with the first trial; the page of the first rater has the number 1, and so on.
    pub(crate) async fn rater(&self) -> (HttpClient, Reply) {
        let mut visitor = HttpClient::to(self.address()).await;
        visitor.tab = format!("{:032x}", self.raters.fetch_add(1, Ordering::Relaxed) + 1);
        assert_eq!(visitor.agree().await.status, 200);
        let first = visitor.begin().await;
        assert_eq!(first.json()["screen"], "trial");
        (visitor, first)
    }

    /// Advances the clock to the next request.
    pub(crate) fn pass(&self) {
        self.fixture.clock.forward(BETWEEN);
    }

    pub(crate) async fn state(&self) -> State {
        let store = &self.fixture.store;
        let mut logs = Vec::new();
        for name in all_sessions(store).await.unwrap() {
            let log = store.load(&name).await.unwrap();
            Session::replay(&self.fixture.study, log.iter().cloned()).unwrap();
            logs.push((name, log.iter().map(|event| serde_json::to_string(event).unwrap()).collect()));
        }
        let (places, _) = store.entries::<PlaceChange>(0).await.unwrap();
        State { logs, places }
    }

    /// Asserts that a request was refused and changed nothing.
    pub(crate) async fn assert_refused(&self, before: &State, reply: &Reply, what: &str) {
        assert_client_fault(reply, what);
        assert_eq!(self.state().await, *before, "{what} has changed something");
        self.pass();
    }
}

/// Asserts that a request was refused as the client's fault, but not for its rate, in the form of `docs/reference/protocol.md`.
pub(crate) fn assert_client_fault(reply: &Reply, what: &str) {
    assert!((400..500).contains(&reply.status), "{what}: {} {:?}", reply.status, reply.json());
    assert_ne!(reply.status, 429, "{what} was refused for its rate only");
    assert!(!reply.code().is_empty(), "{what} is refused without a code");
    assert_eq!(reply.header("cache-control"), Some("no-store"), "{what}");
    assert_eq!(reply.header("set-cookie"), None, "{what}");
}
