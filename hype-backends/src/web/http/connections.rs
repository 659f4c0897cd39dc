//! Connections: accepted without waiting for one another, and bounded in number and time.
//!
//! Clients that do nothing, or little, cannot lock raters out: a client has limited time for the TLS handshake, for the head
//! of a request, for its body, and to take the response. When there are as many connections as the process can have, a new
//! one replaces the one that was idle longest. When the process can open no file, it refuses new ones.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::{Instant, timeout};

use self::limits::Limits;
use self::spare_file::SpareFile;
use self::timed_body::TimedBody;
use self::timed_stream::TimedStream;
use crate::web::http::tls::Certified;
use crate::web::service::traffic::ConnectionCounts;

pub(crate) mod limits;
mod spare_file;
#[cfg(test)]
mod tests;
mod timed_body;
mod timed_stream;

/// How long the server waits after it could not accept a connection, as with too many open files.
const PAUSE: Duration = Duration::from_millis(200);

/// The largest head of a request, in bytes.
const HEAD: usize = 32 * 1024;

/// The number of connections that were closed to make room and may still be open.
const CLOSING: usize = 16;

/// Serves a router on a listener's connections.
pub(super) struct Server {
    pub(super) router: Router,
    pub(super) tls: Option<Certified>,
    pub(super) limits: Limits,
    pub(super) counts: Arc<ConnectionCounts>,
}

/// The open connections, by the tasks that serve them.
#[derive(Debug, Default)]
struct Open {
    connections: HashMap<Id, (Active, AbortHandle)>,
}

/// When a connection was active last, in microseconds since the server began.
#[derive(Debug, Clone)]
struct Active {
    begun: Instant,
    last: Arc<AtomicU64>,
}

impl Active {
    fn new(begun: Instant) -> Self {
        let active = Self { begun, last: Arc::default() };
        active.touch();
        active
    }

    fn touch(&self) {
        let now = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.last.store(now, Ordering::Relaxed);
    }
}

impl Open {
    /// Closes the connection that was idle longest.
    fn close_one(&mut self) {
        let oldest =
            self.connections.iter().min_by_key(|(_, (active, _))| active.last.load(Ordering::Relaxed));
        let Some((&id, _)) = oldest else { return };
        if let Some((_, task)) = self.connections.remove(&id) {
            task.abort();
        }
    }

    fn ended(&mut self, task: &Result<(Id, ()), JoinError>) {
        let id = task.as_ref().map_or_else(JoinError::id, |(id, ())| *id);
        self.connections.remove(&id);
    }
}

impl Server {
    /// Answers requests until asked to stop, then finishes the open ones.
    pub(super) async fn answer(self, listener: TcpListener, mut stopped: oneshot::Receiver<()>) {
        let server = Arc::new(self);
        let (stop, _) = watch::channel(());
        let mut tasks = JoinSet::new();
        let mut open = Open::default();
        let begun = Instant::now();
        let mut spare = SpareFile::new();
        loop {
            let accepted = tokio::select! {
                // Dropping the sender stops the server as well.
                _ = &mut stopped => break,
                Some(ended) = tasks.join_next_with_id() => {
                    open.ended(&ended);
                    server.counts.open(open.connections.len());
                    continue;
                }
                accepted = listener.accept() => accepted,
            };
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    server.counts.not_accepted(&error);
                    let Some(accepted) = spare.accept_after(&error, &listener).await else { continue };
                    accepted
                }
            };
            if open.connections.len() >= server.limits.connections {
                server.counts.replaced(server.limits.connections);
                open.close_one();
            }
            let active = Active::new(begun);
            let task =
                tasks.spawn(Arc::clone(&server).serve((stream, peer), active.clone(), stop.subscribe()));
            open.connections.insert(task.id(), (active, task));
            server.counts.open(open.connections.len());
            while tasks.len() > server.limits.connections + CLOSING {
                let Some(ended) = tasks.join_next_with_id().await else { break };
                open.ended(&ended);
            }
        }
        drop(listener);
        drop(stop);
        while tasks.join_next().await.is_some() {}
    }

    /// Serves one connection until it ends.
    async fn serve(
        self: Arc<Self>,
        (stream, peer): (TcpStream, SocketAddr),
        active: Active,
        stopped: watch::Receiver<()>,
    ) {
        // Responses are written as a whole, so nothing is gained by waiting for more.
        let _ = stream.set_nodelay(true);
        let Some(tls) = &self.tls else { return self.http((stream, peer), active, stopped).await };
        // A client that fails the handshake is not a rater's browser and needs no answer.
        match timeout(self.limits.handshake, tls.accept(stream)).await {
            Ok(Ok(stream)) => self.http((stream, peer), active, stopped).await,
            Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
            Err(_) => tracing::debug!("TLS handshake took too long"),
        }
    }

    async fn http<S>(&self, (stream, peer): (S, SocketAddr), active: Active, mut stopped: watch::Receiver<()>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let router = TowerToHyperService::new(self.router.clone());
        let limit = self.limits.body;
        let service = service_fn(move |mut request: Request<Incoming>| {
            active.touch();
            request.extensions_mut().insert(ConnectInfo(peer));
            let response = router.call(request.map(|body| Body::new(TimedBody::new(body, limit))));
            let active = active.clone();
            async move {
                let response = response.await;
                active.touch();
                response
            }
        });
        let io = TokioIo::new(TimedStream::new(stream, self.limits.write));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.head)
            .max_buf_size(HEAD)
            .serve_connection(io, service);
        tokio::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            // Fails when the server stops, as nothing is ever sent.
            _ = stopped.changed() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "connection ended");
        }
    }
}
