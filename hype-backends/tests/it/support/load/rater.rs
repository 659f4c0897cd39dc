//! Raters who answer without a pause, and repeat interrupted requests as the page does.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::client::Connection;

/// How long a rater waits for a server that is down or asks to wait.
const PAUSE: Duration = Duration::from_millis(20);

const ENVIRONMENT: &str = r#"{"width":1280,"height":800,"pixel_ratio":1.0,"touch":false,"refresh_hz":60.0,"frame_us":16667,"frame_spread":0.0,"grain_us":5,"reduced_motion":false}"#;

/// How a rater chooses among several servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Balance {
    /// The same one, until it is down.
    Sticky,
    /// The next one for each request.
    Turns,
}

/// The state shared by all raters.
pub(crate) struct Crowd<T> {
    pub(crate) servers: Vec<SocketAddr>,
    pub(crate) balance: Balance,
    /// The display report of a trial, as JSON.
    pub(crate) display: &'static str,
    pub(crate) tally: T,
}

/// Receives the replies to raters.
pub(crate) trait Tally: Send + Sync + 'static {
    /// An answer was acknowledged, this long after it was first sent. `rt_us` identifies the answer.
    fn acknowledged(&self, session: &str, trial: u32, rt_us: u64, took: Duration);

    /// A request was interrupted, or the server asked to wait. The rater repeats it.
    fn again(&self);
}

/// How a rater's visit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    /// At the end of the session.
    Ended,
    /// There was no place.
    NoPlace,
}

/// A rater with a page.
pub(crate) struct Rater<T> {
    crowd: Arc<Crowd<T>>,
    number: u32,
    visits: u32,
    answers: u64,
    server: usize,
    connections: BTreeMap<usize, Connection>,
    cookie: Option<String>,
    tab: String,
}

#[derive(Deserialize)]
struct Screen {
    screen: String,
    text: Option<String>,
    trial: Option<TrialAt>,
}

#[derive(Clone, Copy, Deserialize)]
struct TrialAt {
    number: u32,
    showing: u32,
}

#[derive(Deserialize)]
struct Receipt {
    saved: bool,
    next: Screen,
}

impl<T: Tally> Rater<T> {
    pub(crate) fn new(crowd: &Arc<Crowd<T>>, number: u32) -> Self {
        let server = number as usize % crowd.servers.len();
        Self {
            crowd: Arc::clone(crowd),
            number,
            visits: 0,
            answers: 0,
            server,
            connections: BTreeMap::new(),
            cookie: None,
            tab: String::new(),
        }
    }

    /// The session of the last visit, by its cookie.
    pub(crate) fn session(&self) -> Option<&str> {
        self.cookie.as_deref()?.split_once('=')?.1.split('.').next()
    }

    /// Takes part once, in a new browser: to the end of the session, or until the rater leaves after a number of
    /// answers.
    pub(crate) async fn visit(&mut self, leave_after: u32) -> Visit {
        self.cookie = None;
        self.visits += 1;
        self.tab = format!("{:016x}{:016x}", self.number, self.visits);
        let came = r#""arrival":{},"language":"en""#;
        let mut screen: Screen = self.post("open", came).await;
        if screen.screen != "consent" {
            return Visit::NoPlace;
        }
        let text = screen.text.unwrap();
        screen = self.post("consent", &format!(r#"{came},"text":"{text}","adult":true"#)).await;
        if screen.screen != "instructions" {
            return Visit::NoPlace;
        }
        screen = self.post("begin", &format!(r#""environment":{ENVIRONMENT}"#)).await;
        let mut answered = 0;
        while let Some(trial) = screen.trial {
            if answered == leave_after {
                screen = self.post("leave", "").await;
                break;
            }
            screen = self.answer(trial).await;
            answered += 1;
        }
        assert_eq!(screen.screen, "end");
        Visit::Ended
    }

    async fn answer(&mut self, TrialAt { number, showing }: TrialAt) -> Screen {
        self.answers += 1;
        let rt = u64::from(self.number) << 20 | self.answers;
        let display = self.crowd.display;
        let report = format!(
            r#""trial":{number},"showing":{showing},"answer":{{"judgment":"real"}},"rt_us":{rt},"display":{display}"#
        );
        let begun = Instant::now();
        let Receipt { saved, next } = self.post("answer", &report).await;
        assert!(saved);
        let session = self.session().unwrap();
        self.crowd.tally.acknowledged(session, number, rt, begun.elapsed());
        next
    }

    /// Sends a report until the server accepts it.
    async fn post<R: for<'a> Deserialize<'a>>(&mut self, to: &str, report: &str) -> R {
        let comma = if report.is_empty() { "" } else { "," };
        let body = format!(r#"{{"tab":"{}"{comma}{report}}}"#, self.tab);
        let cookie = self.cookie.as_ref().map_or(String::new(), |cookie| format!("cookie: {cookie}\r\n"));
        let request = format!(
            "POST /api/{to} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{cookie}\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        if self.crowd.balance == Balance::Turns {
            self.go_elsewhere();
        }
        loop {
            if let Some(taken) = self.send(request.as_bytes()).await {
                return taken;
            }
            self.crowd.tally.again();
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// The server's reply; `None` if the request must be repeated.
    async fn send<R: for<'a> Deserialize<'a>>(&mut self, request: &[u8]) -> Option<R> {
        let connection = match self.connections.remove(&self.server) {
            Some(connection) => Some(connection),
            None => Connection::open(self.crowd.servers[self.server]).await.ok(),
        };
        let Some(mut connection) = connection else {
            self.go_elsewhere();
            return None;
        };
        let Ok(reply) = connection.send(request).await else {
            self.go_elsewhere();
            return None;
        };
        let taken = match reply.status {
            200 => Some(serde_json::from_slice(reply.body).unwrap()),
            429 | 503 => None,
            status => panic!("{status}: {}", String::from_utf8_lossy(reply.body)),
        };
        if let Some(cookie) = reply.cookie {
            self.cookie = Some(cookie.to_owned());
        }
        self.connections.insert(self.server, connection);
        taken
    }

    fn go_elsewhere(&mut self) {
        self.server = (self.server + 1) % self.crowd.servers.len();
    }
}
