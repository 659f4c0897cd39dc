//! Serving: a desk behind an address, and a whole collection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hype_core::backend::{Addresses, BackendError, Watch};
use hype_core::{Cohort, Collected, Store, Study};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinHandle};

use super::clock::SystemClock;
use super::desk::Desk;
use super::prepared::{PreparedPictures, Preparing};
use super::server;
use super::settings::Page;
use super::visitor;

/// How often a collection looks whether it is over.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// The folder beside a spec in which its images and masks are prepared.
pub const PREPARED_FOLDER: &str = ".hype-page";

/// The page cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be listened at; the operator frees it or names another.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// A served page. It is served until it is stopped or dropped.
#[derive(Debug)]
pub struct Serving {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<std::io::Result<()>>,
}

/// Serves a desk at an address, within a tokio runtime.
///
/// # Errors
/// If the address cannot be listened at.
pub async fn serve(desk: Arc<Desk>, listen: SocketAddr) -> Result<Serving, ServeError> {
    let failed = |source| ServeError::Listen { address: listen, source };
    let listener = TcpListener::bind(listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let (stop, stopped) = oneshot::channel::<()>();
    let task = tokio::spawn(async move {
        let served = axum::serve(listener, server::router(desk));
        served
            .with_graceful_shutdown(async {
                // Whoever drops the sender wants an end as well.
                let _ = stopped.await;
            })
            .await
    });
    Ok(Serving { address, stop, task })
}

impl Serving {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no more connections, and ends once open requests are answered, or after two seconds.
    pub async fn stop(self) {
        drop(self.stop);
        let mut task = self.task;
        if tokio::time::timeout(Duration::from_secs(2), &mut task).await.is_err() {
            task.abort();
        }
    }
}

/// Serves a study until every place is completed or given up, or `watch` says to stop; with a cohort, its raters come
/// to the page by themselves.
pub(crate) async fn collect(
    page: &Page,
    study: &Study,
    store: Arc<dyn Store>,
    watch: &dyn Watch,
    cohort: Option<&dyn Cohort>,
) -> Result<Collected, BackendError> {
    let listen: SocketAddr = page
        .listen
        .parse()
        .map_err(|_| BackendError::Settings(format!("{:?} is no address to listen at", page.listen)))?;
    let pictures = prepare(page, study, watch)?;
    let (runtime, handle) = runtime()?;
    let (own_page, own_study) = (page.clone(), study.clone());
    let begun = handle.spawn(async move {
        store.bind(own_study.digest()).await?;
        let desk = Desk::new(own_study, store, pictures, own_page, Arc::new(SystemClock)).await;
        let desk = Arc::new(desk.map_err(|fault| BackendError::Settings(fault.to_string()))?);
        let serving = serve(Arc::clone(&desk), listen).await;
        let serving = serving.map_err(|error| BackendError::Settings(error.to_string()))?;
        Ok::<_, BackendError>((desk, serving))
    });
    let (desk, serving) = begun.await.map_err(|error| of_join(&error))??;
    watch.opened(&addresses(&desk, serving.address()));
    if let Some(cohort) = cohort {
        visitor::start(&handle, &desk, serving.address(), cohort);
    }
    let collected = wait(&handle, &desk, watch).await;
    let _ = handle.spawn(serving.stop()).await;
    if let Some(runtime) = runtime {
        runtime.shutdown_background();
    }
    collected
}

/// A task of ours has panicked or was ended with its runtime.
fn of_join(error: &JoinError) -> BackendError {
    BackendError::Settings(format!("the server has ended: {error}"))
}

/// The runtime that the caller runs in, or a new one.
fn runtime() -> Result<(Option<Runtime>, Handle), BackendError> {
    if let Ok(handle) = Handle::try_current() {
        return Ok((None, handle));
    }
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| BackendError::Settings(format!("cannot start threads: {error}")))?;
    let handle = runtime.handle().clone();
    Ok((Some(runtime), handle))
}

fn prepare(page: &Page, study: &Study, watch: &dyn Watch) -> Result<Arc<PreparedPictures>, BackendError> {
    let folder = study.folder().join(PREPARED_FOLDER);
    let progress = |what: Preparing, done: usize, all: usize| watch.prepared(what.name(), done, all);
    let pictures = PreparedPictures::prepare(study, page.resize, &folder, &progress);
    pictures.map(Arc::new).map_err(|faults| BackendError::Settings(faults.to_string()))
}

fn addresses(desk: &Desk, listening: SocketAddr) -> Addresses {
    let base = match &desk.page.public_url {
        Some(url) => format!("{}/", url.trim_end_matches('/')),
        None => format!("http://{listening}/"),
    };
    Addresses { operator: format!("{base}operator#{}", desk.keys.operator()), raters: base }
}

/// Waits until the study is over.
async fn wait(handle: &Handle, desk: &Arc<Desk>, watch: &dyn Watch) -> Result<Collected, BackendError> {
    let places = desk.study.places();
    let mut told = 0;
    loop {
        if let Some(reason) = desk.failure() {
            return Err(BackendError::Settings(reason.to_owned()));
        }
        // The caller may run this in no runtime at all.
        let asked = Arc::clone(desk);
        let looked = handle.spawn(async move {
            tokio::time::sleep(LOOK_EVERY).await;
            asked.store.standing(asked.now(), asked.study.raters().replacements).await
        });
        let standing = looked.await.map_err(|error| of_join(&error))??;
        let settled = standing.done + standing.given_up;
        for place in told..settled {
            watch.settled(place, place < standing.done);
        }
        told = told.max(settled);
        if settled >= places || watch.stop() {
            return Ok(Collected {
                completed: standing.done,
                given_up: standing.given_up,
                open: places.saturating_sub(settled),
            });
        }
    }
}
