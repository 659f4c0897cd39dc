//! Runs a collection in its own thread, without blocking an async runtime.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::thread;

use hype_core::study::backend::Watch;

/// The number of messages that are handled at a time, before other tasks of the runtime have their turn.
const AT_ONCE: usize = 64;

/// A message or a question from the thread to the caller's task.
enum Message<T> {
    Acknowledged(String, u64),
    Settled(u32, bool),
    Stop(Sender<bool>),
    Ended(Result<T, Box<dyn Any + Send>>),
}

/// A watch that passes everything on to the caller's.
struct Relay<T> {
    messages: Sender<Message<T>>,
    waker: Arc<Mutex<Option<Waker>>>,
}

impl<T> Relay<T> {
    /// Sends a message, unless the caller's future was dropped.
    fn send(&self, message: Message<T>) {
        if self.messages.send(message).is_ok()
            && let Some(waker) = self.waker.lock().unwrap_or_else(PoisonError::into_inner).as_ref()
        {
            waker.wake_by_ref();
        }
    }
}

impl<T: Send> Watch for Relay<T> {
    fn acknowledged(&self, session: &str, events: u64) {
        self.send(Message::Acknowledged(session.to_owned(), events));
    }

    fn settled(&self, place: u32, completed: bool) {
        self.send(Message::Settled(place, completed));
    }

    fn stop(&self) -> bool {
        let (sender, answer) = mpsc::channel();
        self.send(Message::Stop(sender));
        // Without a caller the collection is not wanted.
        answer.recv().unwrap_or(true)
    }
}

/// Runs `collect` in its own thread, with a watch whose calls arrive at `watch` in the caller's task. If the future is dropped,
/// the collection is asked to stop.
pub(super) async fn apart<T: Send + 'static>(
    watch: &dyn Watch,
    collect: impl FnOnce(&dyn Watch) -> T + Send + 'static,
) -> T {
    let (messages, received) = mpsc::channel();
    let waker = Arc::new(Mutex::new(None));
    let relay = Relay { messages, waker: Arc::clone(&waker) };
    thread::spawn(move || {
        let ended = catch_unwind(AssertUnwindSafe(|| collect(&relay)));
        relay.send(Message::Ended(ended));
    });
    poll_fn(move |context| {
        *waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(context.waker().clone());
        for _ in 0..AT_ONCE {
            match received.try_recv() {
                Ok(Message::Acknowledged(session, events)) => watch.acknowledged(&session, events),
                Ok(Message::Settled(place, completed)) => watch.settled(place, completed),
                // The thread waits for the answer.
                Ok(Message::Stop(answer)) => drop(answer.send(watch.stop())),
                Ok(Message::Ended(Ok(result))) => return Poll::Ready(result),
                Ok(Message::Ended(Err(panic))) => resume_unwind(panic),
                Err(_) => return Poll::Pending,
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}
