//! The progress of a study, with findings that are recomputed now and then.

use std::sync::Arc;

use hype_core::study::backend::LiveStatus;
use hype_core::{AggregateError, Amount, AnalysisError, Findings, Micros, StoreError, analyse};
use tokio::sync::Mutex;

use super::{Fault, RaterService};
use crate::web::service::health::Area;
use crate::web::wire::status::{Cost, ServerProblem, Status};

/// The pause after an analysis, as a multiple of how long it took. Analyses then take at most a twentieth of one
/// processor, however large the study is.
const PAUSE_PER_ANALYSIS: u64 = 20;

/// The shortest time between two analyses.
const ANALYSIS_EVERY: Micros = Micros(5_000_000);

/// The latest analysis, if there was one.
#[derive(Debug, Default)]
pub(crate) struct LatestAnalysis(Mutex<Option<Analysis>>);

#[derive(Debug, Clone)]
struct Analysis {
    findings: Option<Arc<Findings>>,
    /// When the analysis of these findings began.
    at: Micros,
    /// When the latest analysis began, which may have failed.
    tried: Micros,
    took: Micros,
}

/// What came of an analysis.
enum Analysed {
    /// `None` while there is too little to aggregate.
    Findings(Option<Arc<Findings>>),
    /// The store cannot be read, which is a problem of the store.
    Interrupted,
    /// The answers cannot be analysed.
    Failed(ServerProblem, String),
}

impl From<Result<Findings, AnalysisError>> for Analysed {
    fn from(analysed: Result<Findings, AnalysisError>) -> Self {
        match analysed {
            Ok(findings) => Self::Findings(Some(Arc::new(findings))),
            Err(AnalysisError::Aggregate(AggregateError::NoScores { .. } | AggregateError::Other(_))) => {
                Self::Findings(None)
            }
            Err(error @ AnalysisError::Store(StoreError::Damaged(_))) => {
                Self::Failed(ServerProblem::StoreDamaged, error.to_string())
            }
            Err(AnalysisError::Store(_)) => Self::Interrupted,
            Err(error) => Self::Failed(ServerProblem::AnalysisFailed, error.to_string()),
        }
    }
}

impl RaterService {
    /// The progress of the study. Findings are at most a few seconds old in a small study, and older in a large one,
    /// where an analysis takes longer.
    ///
    /// While the store fails, the figures are those from before, and the problems say why.
    ///
    /// # Errors
    /// If the store has failed since the service began.
    pub async fn status(&self) -> Result<Status, Fault> {
        let counts = match self.counts().await {
            Ok(counts) => counts,
            Err(fault) => self.latest_counts().await.ok_or(fault)?,
        };
        let latest = self.latest_analysis().await;
        let places = self.study.places();
        let open = places.saturating_sub(counts.settled());
        Ok(Status {
            name: Arc::clone(&self.study.spec().name),
            places,
            done: counts.done,
            held: counts.held,
            given_up: counts.given_up,
            free: open.saturating_sub(counts.held),
            cost: self.cost(latest.findings.as_deref(), open),
            findings_age_us: Micros(self.now().0.saturating_sub(latest.at.0)),
            findings: latest.findings,
            problems: self.health.problems(self.now()),
            refused: self.traffic.refusals(),
        })
    }

    /// The latest analysis, repeated if it is too old. The lock lets only one run at a time.
    async fn latest_analysis(&self) -> Analysis {
        let mut latest = self.analysis.0.lock().await;
        let now = self.now();
        if let Some(analysis) = &*latest {
            let pause = ANALYSIS_EVERY.0.max(analysis.took.0.saturating_mul(PAUSE_PER_ANALYSIS));
            if now.0.saturating_sub(analysis.tried.0) < pause {
                return analysis.clone();
            }
        }
        let (study, store) = (self.study.clone(), Arc::clone(&self.store));
        let runtime = tokio::runtime::Handle::current();
        let computed = tokio::task::spawn_blocking(move || runtime.block_on(analyse(&study, &*store))).await;
        let analysed = match computed {
            Ok(analysed) => analysed.into(),
            Err(error) => Analysed::Failed(ServerProblem::AnalysisFailed, error.to_string()),
        };
        let finished = self.now();
        if let Analysed::Failed(problem, reason) = &analysed {
            self.health.failed(Area::Analysis, *problem, reason, finished);
        }
        let (findings, at) = match analysed {
            Analysed::Findings(findings) => {
                self.health.works(Area::Analysis, finished);
                (findings, now)
            }
            // The earlier findings stay, with their age.
            _ => latest.take().map_or((None, now), |before| (before.findings, before.at)),
        };
        let took = Micros(finished.0.saturating_sub(now.0));
        let analysis = Analysis { findings, at, tried: now, took };
        *latest = Some(analysis.clone());
        analysis
    }

    fn cost(&self, findings: Option<&Findings>, open: u32) -> Option<Cost> {
        let payment = self.study.raters().payment.as_ref()?;
        let earned = findings.and_then(|findings| findings.earnings.as_ref());
        let right = self.study.profile().effort.map_or(0.0, |effort| effort.correct);
        let bonus = Amount::from_units(payment.per_correct.as_units() * right).unwrap_or_default();
        Some(Cost {
            currency: Arc::clone(&payment.currency),
            so_far: earned.map_or(Amount::default(), |earned| earned.total),
            to_come: payment.base.plus(bonus).times(u64::from(open)),
        })
    }
}

impl Status {
    /// The part of the status that a [`Watch`](hype_core::study::backend::Watch) follows.
    pub(crate) fn live(&self) -> LiveStatus {
        LiveStatus {
            held: self.held,
            done: self.done,
            given_up: self.given_up,
            free: self.free,
            spent: self.cost.as_ref().map(|cost| (Arc::clone(&cost.currency), cost.so_far)),
            findings: self.findings.clone(),
        }
    }
}
