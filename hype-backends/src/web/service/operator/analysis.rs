//! Findings that are recomputed now and then, in the background.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hype_core::study::backend::{LiveFigure, LiveFigures};
use hype_core::{AggregateError, AnalysisError, Findings, Micros, StoreError, analyse};
use tokio::sync::Notify;

use super::Offered;
use crate::web::service::context::Context;
use crate::web::service::health::{Area, Health};
use crate::web::wire::status::ServerProblem;

/// The pause after an analysis, as a multiple of how long it took. Analyses then take at most a twentieth of one
/// processor, however large the study is.
const PAUSE_PER_ANALYSIS: u64 = 20;

/// The shortest time between two analyses.
const ANALYSIS_EVERY: Micros = Micros(5_000_000);

/// How long a look waits for an analysis. Those of small studies are finished by then.
const PATIENCE: Duration = Duration::from_millis(250);

/// Analyses a study whose answers keep coming.
#[derive(Debug)]
pub(super) struct Analyses {
    context: Arc<Context>,
    health: Arc<Health>,
    /// Draws figures of the answers, if anything does.
    pub(super) drawing: Offered<dyn LiveFigures>,
    latest: Arc<LatestAnalysis>,
}

/// The latest analysis, if there was one.
#[derive(Debug, Default)]
struct LatestAnalysis {
    state: Mutex<State>,
    /// Notified at the end of each analysis.
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    latest: Option<Analysis>,
    is_running: bool,
    /// The number of operators' actions when the latest analysis began. The findings depend on them as on answers.
    actions: usize,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Analysis {
    pub(super) findings: Option<Arc<Findings>>,
    /// Figures of these findings.
    pub(super) figures: Arc<[LiveFigure]>,
    /// When the analysis of these findings began.
    pub(super) at: Micros,
    /// When the latest analysis began, which may have failed.
    tried: Micros,
    took: Micros,
}

/// The outcome of an analysis.
enum Analysed {
    /// `None` while there is too little to aggregate.
    Findings(Option<Found>),
    /// The store cannot be read, which is a problem of the store.
    Interrupted,
    /// The answers cannot be analysed.
    Failed(ServerProblem, String),
}

/// Findings and their figures.
type Found = (Arc<Findings>, Arc<[LiveFigure]>);

impl From<Result<(Findings, Vec<LiveFigure>), AnalysisError>> for Analysed {
    fn from(analysed: Result<(Findings, Vec<LiveFigure>), AnalysisError>) -> Self {
        match analysed {
            Ok((findings, figures)) => Self::Findings(Some((Arc::new(findings), figures.into()))),
            Err(AnalysisError::Aggregate(AggregateError::NoScores { .. } | AggregateError::Other(_))) => {
                Self::Findings(None)
            }
            Err(error @ AnalysisError::Store(StoreError::Damaged { .. })) => {
                Self::Failed(ServerProblem::StoreDamaged, error.to_string())
            }
            Err(AnalysisError::Store(_)) => Self::Interrupted,
            Err(error) => Self::Failed(ServerProblem::AnalysisFailed, error.to_string()),
        }
    }
}

impl LatestAnalysis {
    /// No panic can leave the state half-changed, so a poisoned lock is safe to use.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an analysis has to begin; it counts as running then. `actions` is how many operators have taken.
    fn begins(&self, now: Micros, actions: usize) -> bool {
        let mut state = self.state();
        let is_due = state.actions != actions
            || state.latest.as_ref().is_none_or(|latest| {
                let pause = ANALYSIS_EVERY.0.max(latest.took.0.saturating_mul(PAUSE_PER_ANALYSIS));
                now.0.saturating_sub(latest.tried.0) >= pause
            });
        if !is_due || state.is_running {
            return false;
        }
        (state.is_running, state.actions) = (true, actions);
        true
    }

    /// Records the end of an analysis. After a failure the earlier findings stay, with their age.
    fn end(&self, began: Micros, ended: Micros, found: Option<Option<Found>>) {
        let mut state = self.state();
        let before = state.latest.take().unwrap_or(Analysis { at: began, ..Analysis::default() });
        let (findings, figures, at) = match found {
            Some(Some((findings, figures))) => (Some(findings), figures, began),
            Some(None) => (None, Arc::default(), began),
            None => (before.findings, before.figures, before.at),
        };
        let took = Micros(ended.0.saturating_sub(began.0));
        state.latest = Some(Analysis { findings, figures, at, tried: began, took });
        state.is_running = false;
        drop(state);
        self.ended.notify_waiters();
    }
}

impl Analyses {
    pub(super) fn new(context: &Arc<Context>, health: &Arc<Health>) -> Self {
        Self {
            context: Arc::clone(context),
            health: Arc::clone(health),
            drawing: Offered::default(),
            latest: Arc::default(),
        }
    }

    /// The figure of the latest analysis with this key.
    pub(super) fn figure(&self, key: &str) -> Option<LiveFigure> {
        let state = self.latest.state();
        let figures = &state.latest.as_ref()?.figures;
        figures.iter().find(|figure| &*figure.key == key).cloned()
    }

    /// The latest analysis. Begins another one if it is too old, or operators have acted since, and waits for it a moment.
    pub(super) async fn latest(&self, actions: usize) -> Analysis {
        let ended = self.latest.ended.notified();
        tokio::pin!(ended);
        ended.as_mut().enable();
        let began = self.context.now();
        if self.latest.begins(began, actions) {
            self.begin(began);
        }
        let is_running = self.latest.state().is_running;
        if is_running {
            // A longer analysis is shown when it has ended.
            let _ = tokio::time::timeout(PATIENCE, ended).await;
        }
        self.latest.state().latest.clone().unwrap_or_default()
    }

    fn begin(&self, began: Micros) {
        let (context, health) = (Arc::clone(&self.context), Arc::clone(&self.health));
        let (latest, figures) = (Arc::clone(&self.latest), self.drawing.get());
        let runtime = tokio::runtime::Handle::current();
        tokio::spawn(async move {
            let analysed = Arc::clone(&context);
            let analysis = move || {
                let (study, store) = (&analysed.study, &*analysed.store);
                match figures {
                    Some(figures) => figures.analyse(study, store),
                    None => runtime.block_on(analyse(study, store)).map(|findings| (findings, Vec::new())),
                }
            };
            let analysed = match tokio::task::spawn_blocking(analysis).await {
                Ok(analysed) => analysed.into(),
                Err(error) => Analysed::Failed(ServerProblem::AnalysisFailed, error.to_string()),
            };
            let now = context.now();
            let found = match analysed {
                Analysed::Findings(found) => {
                    health.works(Area::Analysis, now);
                    Some(found)
                }
                Analysed::Interrupted => None,
                Analysed::Failed(problem, reason) => {
                    health.failed(Area::Analysis, problem, &reason, now);
                    None
                }
            };
            latest.end(began, now, found);
        });
    }
}
