//! A response whose body is written while it is sent.

use std::fs::File;
use std::io::{self, Read as _};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::Frame;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

/// The number of chunks that wait for the client.
const WAITING: usize = 8;

/// The bytes of a file that are read at once.
const PIECE: u64 = 32 * 1024;

/// A message from a writer: a chunk, or the reason why the body ends too early, upon which the connection is closed.
pub(super) type Chunk = Result<Bytes, io::Error>;

/// A body, and where to write it. It ends when the sender is dropped; sending fails when the client has gone.
pub(super) fn body() -> (mpsc::Sender<Chunk>, Body) {
    let (sender, chunks) = mpsc::channel(WAITING);
    (sender, Body::new(Streamed { chunks }))
}

/// A body that is read from a file as the client's line carries it, in memory that does not grow with the file.
pub(super) fn body_of(file: File) -> Body {
    let (sender, body) = body();
    tokio::spawn(async move {
        let mut file = file;
        loop {
            let read = spawn_blocking(move || {
                let mut piece = Vec::new();
                (&file).take(PIECE).read_to_end(&mut piece).map(|_| (Bytes::from(piece), file))
            });
            let chunk = match read.await.map_err(io::Error::other).flatten() {
                Ok((piece, _)) if piece.is_empty() => return,
                Ok((piece, rest)) => {
                    file = rest;
                    Ok(piece)
                }
                Err(error) => {
                    let _ = sender.send(Err(error)).await;
                    return;
                }
            };
            if sender.send(chunk).await.is_err() {
                return;
            }
        }
    });
    body
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
