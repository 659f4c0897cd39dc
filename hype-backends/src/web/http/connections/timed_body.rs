//! A request's body that has to arrive in time.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

/// A body that fails if it has not arrived when its time is over.
pub(super) struct TimedBody {
    body: Incoming,
    ends: Instant,
    /// Begins when the body is waited for, which is seldom: most bodies arrive with their heads.
    over: Option<Pin<Box<Sleep>>>,
}

impl TimedBody {
    pub(super) fn new(body: Incoming, limit: Duration) -> Self {
        Self { body, ends: Instant::now() + limit, over: None }
    }
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(io::Error::other)));
        }
        let ends = self.ends;
        let over = self.over.get_or_insert_with(|| Box::pin(sleep_until(ends)));
        over.as_mut().poll(context).map(|()| Some(Err(io::ErrorKind::TimedOut.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
