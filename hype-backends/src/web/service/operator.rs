//! The operators' view of a study, and their decisions. Its state is computed at most once a second for all viewers.

use std::fmt::{self, Write as _};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hype_core::protocol::places::PlaceCounts;
use hype_core::study::backend::{Downloads, LiveFigure, LiveFigures, LiveRecruiting, LiveStatus};
use hype_core::{Findings, Micros};
use tokio::sync::Mutex;

use crate::web::service::census::Follower;
use crate::web::service::context::Context;
use crate::web::service::fault::Fault;
use crate::web::service::health::{Area, Health};
use crate::web::service::keys::OperatorKey;
use crate::web::service::recruiting_control::RecruitingControl;
use crate::web::service::running::RunningStudy;
use crate::web::wire::crowd::CrowdOverview;
use crate::web::wire::status::{OpenProblem, OperatorRole, Overview, ServerProblem, Status};

mod actions;
mod alerts;
mod analysis;
mod overview;
mod raters;

use self::alerts::AlertLog;
use self::analysis::Analyses;

/// How long a state is shown to all who ask.
const SHOWN_FOR: Micros = Micros(1_000_000);

/// The same while the server has not read every log once.
const SHOWN_WHILE_READING: Micros = Micros(100_000);

/// How long those wait for the store who ask whether the server works. They often wait for two seconds themselves.
const ANSWERS_WITHIN: Duration = Duration::from_millis(1_500);

/// Shows operators a study, and carries out what they decide.
#[derive(Debug)]
pub struct OperatorService {
    context: Arc<Context>,
    running: Arc<RunningStudy>,
    census: Arc<Follower>,
    health: Arc<Health>,
    analyses: Analyses,
    latest: Mutex<Option<Latest>>,
    alerts: std::sync::Mutex<AlertLog>,
    /// When this server began.
    started: Micros,
    /// Files that operators can download.
    downloads: Offered<dyn Downloads>,
    /// The control over the panel.
    recruiting: Arc<Offered<dyn RecruitingControl>>,
    /// The number of open streams of the operator's page.
    pub(crate) viewers: Arc<AtomicUsize>,
}

/// The latest state, with the findings behind it.
#[derive(Debug, Clone)]
struct Latest {
    at: Micros,
    overview: Arc<Overview>,
    findings: Option<Arc<Findings>>,
}

/// Something that the program hands in once.
pub(crate) struct Offered<T: ?Sized>(OnceLock<Arc<T>>);

impl<T: ?Sized> Offered<T> {
    /// The first offer counts.
    fn offer(&self, offered: Arc<T>) {
        let _ = self.0.set(offered);
    }

    pub(crate) fn get(&self) -> Option<Arc<T>> {
        self.0.get().cloned()
    }
}

impl<T: ?Sized> Default for Offered<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T: ?Sized> fmt::Debug for Offered<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Offered(..)")
    }
}

impl OperatorService {
    pub(crate) fn new(
        context: &Arc<Context>,
        running: &Arc<RunningStudy>,
        census: Arc<Follower>,
        health: Arc<Health>,
    ) -> Self {
        Self {
            context: Arc::clone(context),
            running: Arc::clone(running),
            analyses: Analyses::new(context, &health),
            census,
            health,
            latest: Mutex::default(),
            alerts: std::sync::Mutex::default(),
            started: context.now(),
            downloads: Offered::default(),
            recruiting: Arc::default(),
            viewers: Arc::default(),
        }
    }

    /// The token of the operator's page that permits acting.
    #[must_use]
    pub fn token(&self) -> String {
        own_token(self, OperatorRole::Operator)
    }

    /// The token of the operator's page that allows only to look.
    #[must_use]
    pub fn reader_token(&self) -> String {
        own_token(self, OperatorRole::Reader)
    }

    /// The key that a token of the operator's page is of; `None` if it is not valid, or was replaced.
    pub(crate) fn key(&self, token: &str) -> Option<OperatorKey> {
        let key = self.context.keys.operator_key(token)?;
        (self.running.current().control().keys_of(&key.name) == key.number).then_some(key)
    }

    /// Sets what operators can download and what draws figures; the first call counts.
    pub(crate) fn offer(&self, downloads: Option<Arc<dyn Downloads>>, figures: Option<Arc<dyn LiveFigures>>) {
        if let Some(downloads) = downloads {
            self.downloads.offer(downloads);
        }
        if let Some(figures) = figures {
            self.analyses.drawing.offer(figures);
        }
    }

    /// Shows on the operator's page how recruiting goes, and lets operators decide about it; the first call counts.
    pub fn offer_recruiting(&self, control: Arc<dyn RecruitingControl>) {
        self.recruiting.offer(control);
    }

    /// Returns the control over the panel, once it is offered.
    pub(crate) fn recruiting(&self) -> Arc<Offered<dyn RecruitingControl>> {
        Arc::clone(&self.recruiting)
    }

    /// Returns the operators' downloads, if there are any.
    pub(crate) fn downloads(&self) -> Option<Arc<dyn Downloads>> {
        self.downloads.get()
    }

    /// The figure of the latest analysis with this key.
    pub(crate) fn figure(&self, key: &str) -> Option<LiveFigure> {
        self.analyses.figure(key)
    }

    /// The state of the study for the holder of a key. Estimates are at most a few seconds old in a small study, and older
    /// in a large one, where an analysis takes longer.
    ///
    /// While the store fails, the figures are those from before, and the problems say why.
    ///
    /// # Errors
    /// If the store has failed since the service began.
    pub async fn status(&self, role: OperatorRole) -> Result<Status, Fault> {
        Ok(Status { role, overview: self.latest().await?.overview })
    }

    /// The part of the state that a [`Watch`](hype_core::study::backend::Watch) follows.
    pub(crate) async fn live(&self) -> Result<LiveStatus, Fault> {
        let Latest { overview, findings, .. } = self.latest().await?;
        let spent = overview.cost.as_ref().and_then(|cost| Some((Arc::clone(&cost.currency), cost.so_far?)));
        Ok(LiveStatus {
            held: overview.held,
            done: overview.done,
            given_up: overview.given_up,
            free: overview.free,
            waiting: overview.waiting,
            spent,
            recruiting: overview.crowd.as_deref().and_then(live_recruiting),
            findings,
        })
    }

    /// The open problems of the server, once it was tried whether the store can be reached. One that does not answer within
    /// [`ANSWERS_WITHIN`] is unavailable.
    pub(crate) async fn health(&self) -> (Result<PlaceCounts, Fault>, Vec<OpenProblem>) {
        let reached = tokio::time::timeout(ANSWERS_WITHIN, self.running.counts()).await;
        let now = self.context.now();
        let reached = reached.unwrap_or_else(|_| {
            let reason = "the store has not answered for a second and a half";
            self.health.failed(Area::Reading, ServerProblem::StoreUnavailable, &reason, now);
            Err(Fault::Unavailable)
        });
        let mut problems = self.health.problems(now);
        // The server works, whatever its raters do.
        problems.retain(|open| open.problem != ServerProblem::PlacesGoFast);
        (reached, problems)
    }

    /// All counts in Prometheus' text format.
    pub(crate) async fn metrics(&self) -> String {
        let mut text = String::new();
        // While the store fails, its problem is more important than the number of places.
        if let Ok(counts) = self.running.counts().await {
            let places = [
                ("all", self.running.current().places()),
                ("done", counts.done),
                ("held", counts.held),
                ("given_up", counts.given_up),
            ];
            text.push_str("# HELP hype_places Places in the study's plan.\n# TYPE hype_places gauge\n");
            for (state, count) in places {
                let _ = writeln!(text, "hype_places{{state=\"{state}\"}} {count}");
            }
        }
        self.health.write(&mut text, self.context.now());
        self.context.traffic.write(&mut text);
        text
    }

    async fn latest(&self) -> Result<Latest, Fault> {
        let mut latest = self.latest.lock().await;
        let now = self.context.now();
        if let Some(latest) = &*latest {
            let shown_for = if latest.overview.counted.is_some() { SHOWN_FOR } else { SHOWN_WHILE_READING };
            if now.0.saturating_sub(latest.at.0) < shown_for.0 {
                return Ok(latest.clone());
            }
        }
        // While the store fails, the problems say so, and what is known stays.
        let _ = self.running.follow_actions().await;
        self.look().await;
        let counts = match self.running.counts().await {
            Ok(counts) => counts,
            Err(fault) => self.running.latest_counts().await.ok_or(fault)?,
        };
        let actions = self.running.current().control().log().len();
        let analysis = self.analyses.latest(actions).await;
        let overview = Arc::new(self.overview(counts, &analysis));
        let found = Latest { at: self.context.now(), overview, findings: analysis.findings };
        *latest = Some(found.clone());
        Ok(found)
    }

    /// Lets the next look compute the state again.
    async fn outdate(&self) {
        self.latest.lock().await.take();
    }

    /// Reads what is new in the logs, on a thread that may wait.
    async fn look(&self) {
        let (context, census) = (Arc::clone(&self.context), Arc::clone(&self.census));
        let read = self.running.places.position();
        let runtime = tokio::runtime::Handle::current();
        let look = move || runtime.block_on(census.look(&context.store, read));
        // A failure of the store is recorded with its health, and the next look continues.
        let _ = tokio::task::spawn_blocking(look).await;
    }
}

/// The token of the key that a study has from the beginning, or of the one that has replaced it.
fn own_token(service: &OperatorService, role: OperatorRole) -> String {
    let number = service.running.current().control().keys_of(role.name());
    service.context.keys.operator(&OperatorKey { role, name: role.name().into(), number })
}

/// The numbers of what was seen of recruiting; `None` before the panel was asked once.
fn live_recruiting(crowd: &CrowdOverview) -> Option<LiveRecruiting> {
    let seen = crowd.seen.as_ref()?;
    Some(LiveRecruiting {
        panel: Arc::clone(&crowd.panel),
        recruited: seen.recruited,
        working: seen.working,
        returned: seen.returned,
        to_review: seen.to_review,
        paid: seen.money.paid,
        committed: seen.money.committed,
        limit: seen.money.limit,
        currency: Arc::clone(&seen.money.currency),
        is_reached: crowd.not_reached.is_none(),
    })
}
