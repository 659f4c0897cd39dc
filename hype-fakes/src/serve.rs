//! A platform on loopback: requests arrive, break by plan, and are answered.

use std::convert::Infallible;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};

use crate::faults::{FaultPlan, InjectedFault};

/// A platform, as its HTTP interface shows it.
pub trait FakePlatform: Send + Sync + 'static {
    /// The name of what is requested, by which a fault is [planned](FaultPlan::on).
    fn label(&self, request: &Request<Bytes>) -> String;

    /// Carries out a request.
    fn answer(&self, request: &Request<Bytes>) -> Response<Bytes>;

    /// The platform's answer if it has failed.
    fn failure(&self) -> Response<Bytes>;

    /// The platform's answer to too many requests.
    fn throttled(&self) -> Response<Bytes>;
}

/// The outcome of a request for a client.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "transports handle every value")]
pub enum Exchange {
    /// An answer.
    Answer(Response<Bytes>),
    /// Nothing: the connection is closed.
    Dropped,
    /// Nothing, however long the client waits.
    Hung,
}

/// Carries out a request as the plan says.
pub fn exchange(platform: &dyn FakePlatform, faults: &FaultPlan, request: &Request<Bytes>) -> Exchange {
    let Some(fault) = faults.next(&platform.label(request)) else {
        return Exchange::Answer(platform.answer(request));
    };
    let answer = (0..fault.deliveries()).map(|_| platform.answer(request)).last();
    match fault {
        InjectedFault::HungBefore | InjectedFault::HungAfter => Exchange::Hung,
        InjectedFault::DroppedBefore | InjectedFault::DroppedAfter => Exchange::Dropped,
        InjectedFault::FailedBefore | InjectedFault::FailedAfter => Exchange::Answer(platform.failure()),
        InjectedFault::Throttled => Exchange::Answer(platform.throttled()),
        InjectedFault::Duplicated => answer.map_or(Exchange::Dropped, Exchange::Answer),
    }
}

/// A platform that listens on loopback until it is dropped.
#[derive(Debug)]
pub struct Served {
    address: SocketAddr,
    task: AbortHandle,
}

impl Served {
    /// Serves a platform on a free port of loopback.
    ///
    /// # Errors
    /// If no port is free.
    pub async fn start(platform: Arc<dyn FakePlatform>, faults: FaultPlan) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move {
            // Connections end with the listener.
            let mut connections = JoinSet::new();
            loop {
                let Ok((stream, _)) = listener.accept().await else { continue };
                while connections.try_join_next().is_some() {}
                let (platform, faults) = (Arc::clone(&platform), faults.clone());
                connections.spawn(async move {
                    let service = service_fn(|request| handle(&*platform, &faults, request));
                    // A connection that breaks is the client's to notice.
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Ok(Self { address, task: task.abort_handle() })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address for browsers and clients, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The connection has to be closed without an answer.
#[derive(Debug)]
struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection is closed by plan")
    }
}

impl std::error::Error for Closed {}

/// hyper closes a connection whose service fails.
async fn handle(
    platform: &dyn FakePlatform,
    faults: &FaultPlan,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Closed> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| Closed)?.to_bytes();
    match exchange(platform, faults, &Request::from_parts(parts, body)) {
        Exchange::Answer(response) => Ok(response.map(Full::new)),
        Exchange::Dropped => Err(Closed),
        Exchange::Hung => {
            faults.hang();
            match std::future::pending::<Infallible>().await {}
        }
    }
}
