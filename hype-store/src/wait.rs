use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Runs a future on this thread, which sleeps while the future waits. As the example of [`Wake`].
///
/// For programs without an asynchronous runtime; within one, it holds up a thread of the runtime.
///
/// # Examples
/// ```
/// assert_eq!(hype_store::block_on(async { 2 + 2 }), 4);
/// ```
pub fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        thread::park();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Poll;
    use std::thread;

    use super::block_on;

    #[test]
    fn a_future_is_woken_from_another_thread() {
        let mut polls = 0;
        block_on(poll_fn(|context| {
            polls += 1;
            if polls == 3 {
                return Poll::Ready(());
            }
            let waker = context.waker().clone();
            thread::spawn(move || waker.wake());
            Poll::Pending
        }));
        assert_eq!(polls, 3);
    }
}
