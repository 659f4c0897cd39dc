//! Serving the page: a study's services at an address, or a whole collection.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hype_core::protocol::control::Admission;
use hype_core::study::backend::{Addresses, BackendError, Watch};
use hype_core::{CohortSpec, Collected, Store, StoreError, Study};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{Notify, oneshot};
use tokio::task::{JoinError, JoinHandle};

use crate::clock::SystemClock;
use crate::web::http::companion::{Companion, accompany};
use crate::web::http::connections::Server;
use crate::web::http::connections::limits::Limits;
use crate::web::http::server;
use crate::web::http::tls::{Certified, TlsError};
use crate::web::http::visitor::{self, Visiting};
use crate::web::service::context::Context;
use crate::web::service::image_source::ImageSource;
use crate::web::service::panel_rules::PanelRules;
#[cfg(feature = "media")]
use crate::web::service::prepared::media::PreparedMedia;
use crate::web::service::prepared::{PreparationStep, PreparedImages};
use crate::web::service::recruiting_control::RecruitingControl;
use crate::web::service::services::{Services, Visitors};
use crate::web::settings::Page;

/// How often a collection checks whether it is finished.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// The folder next to a spec for its prepared images and masks.
pub const PREPARED_FOLDER: &str = ".hype-page";

/// A panel as the page knows it, and who deals with it.
pub(crate) struct Accompanied {
    pub(crate) rules: PanelRules,
    /// `None` where another process deals with the panel.
    pub(crate) companion: Option<Arc<dyn Companion>>,
    /// The operator page's control over the panel; `None` where another process deals with it.
    pub(crate) control: Option<Arc<dyn RecruitingControl>>,
    /// Wakes the companion up.
    pub(crate) wake: Arc<Notify>,
    /// Synthetic people who come through the panel; `None` for real ones.
    pub(crate) visitors: Option<Visiting>,
}

/// The page cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is not available; the operator frees it or chooses another.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The certificate cannot be used; the operator corrects it.
    #[error("the certificate of the page: {0}")]
    Tls(#[from] TlsError),
}

/// A running server. It runs until it is stopped or dropped.
#[derive(Debug)]
pub struct Serving {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// Serves a study's page at an address, within a tokio runtime: by HTTPS if its page has a certificate, otherwise by HTTP.
///
/// # Errors
/// If the address is not available, or the certificate cannot be used.
pub async fn serve(services: Services, listen: SocketAddr) -> Result<Serving, ServeError> {
    let failed = |source| ServeError::Listen { address: listen, source };
    let Context { page, study, traffic, .. } = &*services.context;
    let tls = page.tls.as_ref().map(|tls| Certified::read(tls, study.folder())).transpose()?;
    let listener = TcpListener::bind(listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let (stop, stopped) = oneshot::channel();
    let counts = Arc::clone(&traffic.connections);
    let server = Server { router: server::router(services), tls, limits: Limits::of_process(), counts };
    let task = tokio::spawn(server.answer(listener, stopped));
    Ok(Serving { address, stop, task })
}

impl Serving {
    /// The address that the server listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops accepting connections, and waits at most two seconds for open requests.
    pub async fn stop(self) {
        drop(self.stop);
        let mut task = self.task;
        if tokio::time::timeout(Duration::from_secs(2), &mut task).await.is_err() {
            task.abort();
        }
    }
}

/// Serves a study until every place is completed or given up, the operator or the stopping rule has closed it and no session is
/// open, or `watch` asks to stop. If there is a cohort, its raters visit the page.
pub(crate) async fn collect(
    page: &Page,
    study: &Study,
    store: Arc<dyn Store>,
    watch: &dyn Watch,
    cohort: Option<&dyn CohortSpec>,
) -> Result<Collected, BackendError> {
    serve_study(page, study, store, watch, Raters::of(cohort), Until::Settled).await
}

/// As [`collect`], with raters who come from a panel: also waits until nothing is left to do there.
#[cfg_attr(not(feature = "crowd"), expect(dead_code, reason = "only recruiting backends have panels"))]
pub(crate) async fn collect_accompanied(
    page: &Page,
    study: &Study,
    store: Arc<dyn Store>,
    watch: &dyn Watch,
    accompanied: Accompanied,
) -> Result<Collected, BackendError> {
    serve_study(page, study, store, watch, Raters::Panel(Box::new(accompanied)), Until::Settled).await
}

/// Serves a study until `watch` asks to stop, as one of any number of processes. When all places are taken, new raters
/// are informed, and those who have finished can still see their last screen.
///
/// # Errors
/// If the images cannot be prepared, the address is not available, or the store fails.
pub async fn host(
    page: &Page,
    study: &Study,
    store: Arc<dyn Store>,
    watch: &dyn Watch,
) -> Result<Collected, BackendError> {
    serve_study(page, study, store, watch, Raters::People, Until::Stopped).await
}

/// As [`host`], with raters who come from a panel that another process deals with.
///
/// # Errors
/// As [`host`].
pub async fn host_panel(
    page: &Page,
    study: &Study,
    store: Arc<dyn Store>,
    watch: &dyn Watch,
    rules: PanelRules,
) -> Result<Collected, BackendError> {
    let (companion, control, wake) = (None, None, Arc::default());
    let accompanied = Accompanied { rules, companion, control, wake, visitors: None };
    serve_study(page, study, store, watch, Raters::Panel(Box::new(accompanied)), Until::Stopped).await
}

/// Who visits the page.
enum Raters<'a> {
    /// People.
    People,
    /// People who come from a panel.
    Panel(Box<Accompanied>),
    /// Synthetic raters.
    Cohort(&'a dyn CohortSpec),
}

impl<'a> Raters<'a> {
    fn of(cohort: Option<&'a dyn CohortSpec>) -> Self {
        cohort.map_or(Self::People, Self::Cohort)
    }
}

/// When serving ends, unless it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// When every place is settled, or the watch asks to stop.
    Settled,
    /// When the watch asks to stop.
    Stopped,
}

async fn serve_study(
    page: &Page,
    study: &Study,
    store: Arc<dyn Store>,
    watch: &dyn Watch,
    raters: Raters<'_>,
    until: Until,
) -> Result<Collected, BackendError> {
    let (mut visitors, accompanied) = match raters {
        Raters::People => (None, None),
        Raters::Panel(accompanied) => (None, Some(*accompanied)),
        Raters::Cohort(cohort) => {
            (Some(Visiting { cohort: Arc::from(cohort.boxed_clone()), source: None, after: 0 }), None)
        }
    };
    // Those of a panel come to the address that the panel knows.
    let has_own_port = visitors.is_none();
    if let Some(panel) = accompanied.as_ref().and_then(|accompanied| accompanied.visitors.clone()) {
        visitors = Some(panel);
    }
    let listen: SocketAddr = match has_own_port {
        // Synthetic raters use any free port and leave the page's own to people.
        false => (Ipv4Addr::LOCALHOST, 0).into(),
        true => page
            .listen
            .parse()
            .map_err(|_| BackendError::Settings(format!("{:?} is not a listen address", page.listen)))?,
    };
    let images = prepare(page, study, watch)?;
    let (runtime, handle) = runtime()?;
    let simulated = visitors.is_some();
    // Synthetic raters connect from this process, without TLS.
    let tls = page.tls.clone().filter(|_| !simulated);
    let (own_page, own_study) = (Page { tls, ..page.clone() }, study.clone());
    let rules = accompanied.as_ref().map(|accompanied| accompanied.rules.clone());
    let begun = handle.spawn(async move {
        store.bind(own_study.digest()).await?;
        let who = Visitors { panel: rules, are_synthetic: simulated };
        let services = Services::open((own_study, own_page), store, images, Arc::new(SystemClock), who).await;
        let services = services.map_err(|fault| BackendError::Settings(fault.to_string()))?;
        let serving = serve(services.clone(), listen).await;
        let serving = serving.map_err(|error| BackendError::Settings(error.to_string()))?;
        Ok::<_, BackendError>((services, serving))
    });
    let (services, serving) = begun.await.map_err(|error| of_join(&error))??;
    tracing::info!(address = %serving.address(), version = env!("CARGO_PKG_VERSION"), "listening");
    services.operator.offer(watch.downloads(), watch.figures());
    if let Some(control) = accompanied.as_ref().and_then(|accompanied| accompanied.control.clone()) {
        services.operator.offer_recruiting(control);
    }
    watch.opened(&addresses(&services, serving.address()));
    // Why the collection cannot continue, once a task in the background has failed.
    let failure = Arc::new(OnceLock::new());
    if let Some(visitors) = visitors {
        let visitors = visitor::start(services.clone(), serving.address(), visitors, Arc::clone(&failure));
        handle.spawn(visitors).await.map_err(|error| of_join(&error))??;
    }
    let companion = accompanied.and_then(|Accompanied { companion, wake, .. }| Some((companion?, wake)));
    let at_work = companion.map(|(companion, wake)| work(&handle, companion, wake, &failure));
    let is_settled = || at_work.as_ref().is_none_or(|(_, settled)| settled.load(Ordering::Relaxed));
    let collected = wait(&handle, &services, &failure, watch, until, simulated, &is_settled).await;
    if let Some((task, _)) = &at_work {
        task.abort();
    }
    let _ = handle.spawn(serving.stop()).await;
    services.context.traffic.log_rest(services.context.now());
    tracing::info!("stopped");
    if let Some(runtime) = runtime {
        runtime.shutdown_background();
    }
    collected
}

/// Lets a companion work in the background. Returns its task, and whether it has nothing left to do.
fn work(
    handle: &Handle,
    companion: Arc<dyn Companion>,
    wake: Arc<Notify>,
    failure: &Arc<OnceLock<String>>,
) -> (JoinHandle<()>, Arc<AtomicBool>) {
    let (settled, failure) = (Arc::new(AtomicBool::new(false)), Arc::clone(failure));
    let has_settled = Arc::clone(&settled);
    let task = handle.spawn(async move {
        let error = accompany(&*companion, &wake, &has_settled, &SystemClock).await;
        let _ = failure.set(error.to_string());
    });
    (task, settled)
}

/// A task has panicked, or was aborted with its runtime.
fn of_join(error: &JoinError) -> BackendError {
    BackendError::Settings(format!("the server has ended: {error}"))
}

/// The caller's runtime, or a new one.
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

fn prepare(page: &Page, study: &Study, watch: &dyn Watch) -> Result<Arc<dyn ImageSource>, BackendError> {
    let folder = study.folder().join(PREPARED_FOLDER);
    let progress = |what: PreparationStep, done: usize, all: usize| watch.prepared(what.name(), done, all);
    #[cfg(feature = "media")]
    if !study.stimuli().kind().is_image() {
        let media =
            PreparedMedia::prepare(study, page, &folder, &progress).map_err(BackendError::Settings)?;
        return Ok(Arc::new(media));
    }
    let images = PreparedImages::prepare(study, page, &folder, &progress);
    let images = images.and_then(|images| images.with_examples(study, page, &folder));
    images.map(|images| Arc::new(images) as _).map_err(|faults| BackendError::Settings(faults.to_string()))
}

fn addresses(services: &Services, listening: SocketAddr) -> Addresses {
    let page = &services.context.page;
    let base = match &page.public_url {
        Some(url) => format!("{}/", url.trim_end_matches('/')),
        None if page.tls.is_some() => format!("https://{listening}/"),
        None => format!("http://{listening}/"),
    };
    let page = |token: &str| format!("{base}operator#{token}");
    let (operator, reader) = (page(&services.operator.token()), page(&services.operator.reader_token()));
    Addresses { operator, reader, raters: base }
}

/// Whether a collection outlasts a failure of its store: if it may pass, or the operator can mend it while people wait.
fn waits(error: &BackendError, simulated: bool) -> bool {
    match error {
        BackendError::Store(StoreError::Full { .. } | StoreError::Gone { .. }) => !simulated,
        error => error.is_retryable(),
    }
}

/// Waits for serving to end, and reports progress to the watch.
async fn wait(
    handle: &Handle,
    services: &Services,
    failure: &OnceLock<String>,
    watch: &dyn Watch,
    until: Until,
    simulated: bool,
    is_settled: &(dyn Fn() -> bool + Sync),
) -> Result<Collected, BackendError> {
    let mut reported = 0;
    loop {
        if let Some(reason) = failure.get() {
            return Err(BackendError::Settings(reason.clone()));
        }
        // The caller need not run this within a runtime.
        let Services { running, operator, .. } = services.clone();
        let follows = watch.follows();
        let looked = handle.spawn(async move {
            tokio::time::sleep(LOOK_EVERY).await;
            running.follow_actions().await?;
            let counts = running.count().await?;
            let stopped = running.has_stopped().await?;
            // An analysis is worth its cost only if someone sees the findings.
            let live = if follows { operator.live().await.ok() } else { None };
            Ok::<_, BackendError>((counts, stopped, live))
        });
        let (counts, stopped, live) = match looked.await.map_err(|error| of_join(&error))? {
            Ok(looked) => looked,
            // The page asks raters to wait, and the operator is informed.
            Err(error) if waits(&error, simulated) && !watch.stop() => continue,
            Err(error) => return Err(error),
        };
        let settled = counts.settled();
        for place in reported..settled {
            watch.settled(place, place < counts.done);
        }
        reported = reported.max(settled);
        if let Some(live) = live {
            watch.live(&live);
        }
        let study = services.running.current();
        let places = study.places();
        // Those who have entered a study that was closed, by the operator or by its stopping rule, may finish.
        let closed = stopped || study.control().admission() == Admission::Closed;
        let is_over = (settled >= places || (closed && counts.held == 0)) && is_settled();
        if (is_over && until == Until::Settled) || watch.stop() {
            return Ok(Collected::new(counts.done, counts.given_up, places.saturating_sub(settled)));
        }
    }
}
