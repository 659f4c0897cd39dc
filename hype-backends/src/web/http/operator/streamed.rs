//! A response whose body is written while it is sent.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::Frame;
use tokio::sync::mpsc;

/// The number of chunks that wait for the client.
const WAITING: usize = 8;

/// A message from a writer: a chunk, or the reason why the body ends too early, upon which the connection is closed.
pub(super) type Chunk = Result<Bytes, io::Error>;

/// A body, and where to write it. It ends when the sender is dropped; sending fails when the client has gone.
pub(super) fn body() -> (mpsc::Sender<Chunk>, Body) {
    let (sender, chunks) = mpsc::channel(WAITING);
    (sender, Body::new(Streamed { chunks }))
}

struct Streamed {
    chunks: mpsc::Receiver<Chunk>,
}

impl hyper::body::Body for Streamed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        self.chunks.poll_recv(context).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }
}
