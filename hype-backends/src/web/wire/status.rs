//! Responses to the operator's page: `GET operator/status`, and each event of `GET operator/events`.
//!
//! Every message is bounded, however large the study is. What the server does not know is `null`, never 0.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::model::action::LoggedAction;
use hype_core::model::findings::{StoppingFindings, TimingQuality, WithExcluded};
use hype_core::model::score::Measure;
use hype_core::protocol::control::Admission;
use hype_core::protocol::waiting::WaitingRoom;
use hype_core::{Amount, Consequence, Interval, Micros};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::web::wire::crowd::CrowdOverview;

/// The state of a study, for the holder of a key.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct Status {
    /// The role that the key grants.
    pub role: OperatorRole,
    /// The state of the study, the same for all keys.
    #[serde(flatten)]
    pub overview: Arc<Overview>,
}

/// The role that a key of the operator's page grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OperatorRole {
    /// To look.
    Reader,
    /// To look and to act.
    Operator,
}

impl OperatorRole {
    /// The name of the key that a study has for it from the beginning.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Operator => "operator",
        }
    }
}

/// The state of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct Overview {
    /// The study's name.
    pub name: Arc<str>,
    /// The kind of its task, as in its spec.
    pub task: Arc<str>,
    /// When it opened: when its first session began, or this server if that was earlier or there is none.
    pub opened_unix_ms: u64,
    /// When this was computed, on the server's clock.
    pub unix_ms: u64,
    /// Places in the plan, with those that operators added.
    pub places: u32,
    /// Places completed.
    pub done: u32,
    /// Places held by a rater now.
    pub held: u32,
    /// Raters by what they do, as far as their sessions were read.
    pub raters: RaterGroups,
    /// Places given up because no replacement completed them.
    pub given_up: u32,
    /// Places without a holder.
    pub free: u32,
    /// Raters who wait until the study begins; `None` if its spec does not say that it is held open.
    pub waiting: Option<WaitingRoom>,
    /// The counts of sessions; `None` until the server has read every log once.
    pub counted: Option<SessionCounts>,
    /// The sessions that the server has read so far.
    pub sessions_read: u64,
    /// Sessions whose logs cannot be read, which are not counted.
    pub sessions_unreadable: u64,
    /// `None` in a study without payment.
    pub cost: Option<Cost>,
    /// The operators' decisions.
    pub control: ControlState,
    /// How fast places are completed.
    pub pace: CompletionPace,
    /// The age of the estimates; `None` before the first analysis succeeds.
    pub estimates_age_us: Option<Micros>,
    /// The estimates so far, by measure.
    pub estimates: Vec<MeasureEstimates>,
    /// The number of measures that are left out.
    pub measures_left_out: u32,
    /// Figures of the estimates, each at `operator/figure/KEY/wide` and `operator/figure/KEY/narrow`.
    pub figures: Vec<ShownFigure>,
    /// The findings of the stopping rule: the looks around the last one, and the tests of that look, as far as they fit; `None`
    /// in a study without a rule, and before the first analysis succeeds.
    pub stopping: Option<StoppingFindings>,
    /// How accurately limited exposures were displayed, if any were.
    pub timing: Option<TimingQuality>,
    /// The results of quality checks.
    pub checks: Vec<CheckCounts>,
    /// Raters and answers by model, as far as they have been counted; the models with the fewest answers first.
    pub models: Vec<ModelCoverage>,
    /// Answers by item.
    pub items: ItemCoverage,
    /// The problems that need the operator now, the worst first.
    pub alerts: Vec<Alert>,
    /// The number of alerts that are left out.
    pub alerts_left_out: u32,
    /// The number of alerts that are over, since this server began.
    pub alerts_resolved: u64,
    /// The requests that this server has refused, by code.
    pub refused: BTreeMap<String, u64>,
    /// How recruiting goes; `None` in a study without a panel, and on servers that leave the panel to another one.
    pub crowd: Option<Arc<CrowdOverview>>,
}

/// A figure of a running study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ShownFigure {
    /// Its key.
    pub key: Arc<str>,
    /// Its title.
    pub title: Arc<str>,
    /// A description for readers who cannot see it.
    pub about: Arc<str>,
    /// Changes when the figure does.
    pub version: String,
}

/// The sessions of a study by their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct SessionCounts {
    /// Sessions opened.
    pub sessions: u64,
    /// Sessions completed, among them those of raters who are excluded.
    pub completed: u64,
    /// Sessions that ended with the qualification.
    pub disqualified: u64,
    /// Those whose rater was screened out by a survey before the task.
    pub screened_out: u64,
    /// Sessions whose rater left.
    pub left: u64,
    /// Sessions that have not ended.
    pub in_progress: u64,
    /// Sessions whose answers were erased on request, which count nowhere else but in `sessions`.
    pub erased: u64,
    /// Answers in all sessions and phases.
    pub answers: u64,
}

/// The operators' decisions, and those that are open to them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ControlState {
    /// Whether raters may enter.
    pub admission: Admission,
    /// Places in addition to those of the spec.
    pub extra_places: u32,
    /// Raters excluded by the operator.
    pub excluded: u32,
    /// Whether raters come by one-time links.
    pub takes_links: bool,
    /// The files that can be downloaded.
    pub downloads: Vec<Download>,
    /// The number of actions so far.
    pub actions: u64,
    /// The latest of them, the last one first.
    pub recent: Vec<LoggedAction>,
}

/// A file that the operator can download.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct Download {
    /// Its name.
    pub file: Arc<str>,
    /// A description of the contents.
    pub about: Arc<str>,
}

/// The raters of a study by what they do. Each rater is in one of the groups.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct RaterGroups {
    /// See [`RaterGroup::Active`](crate::web::wire::operator::RaterGroup::Active), and so on.
    pub active: u64,
    /// Idle.
    pub idle: u64,
    /// Completed.
    pub completed: u64,
    /// Did not qualify.
    pub not_qualified: u64,
    /// Left.
    pub left: u64,
    /// Excluded.
    pub excluded: u64,
}

/// How fast sessions are completed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct CompletionPace {
    /// Sessions completed in the last ten minutes.
    pub ten_minutes: u32,
    /// Sessions completed in the last sixty minutes.
    pub hour: u32,
    /// Sessions completed in each five minutes since the study opened; the last are not over. The latest four hours.
    pub bins: Vec<u32>,
}

/// The estimates of a measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct MeasureEstimates {
    /// The measure.
    pub measure: Measure,
    /// One estimate for each model, the best first if the measure has a direction.
    pub estimates: Vec<ModelEstimate>,
    /// The number of models that are left out.
    pub left_out: u32,
}

/// An estimate for a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ModelEstimate {
    /// The model.
    pub model: Arc<str>,
    /// The estimate.
    pub value: f64,
    /// Its interval; `None` if there are too few raters to know one.
    pub interval: Option<Interval>,
    /// Raters whose values count.
    pub raters: u64,
    /// The estimate if excluded raters counted; `None` if no rater with a value was excluded.
    pub with_excluded: Option<WithExcluded>,
}

/// The results of a quality check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct CheckCounts {
    /// The rule.
    pub name: Arc<str>,
    /// The consequence of failing.
    pub consequence: Consequence,
    /// Raters who pass.
    pub passed: u64,
    /// Raters who fail.
    pub failed: u64,
    /// Raters with an unclear result of the check.
    pub unclear: u64,
}

/// How many answers there are about something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct Coverage {
    /// Its name.
    pub name: Arc<str>,
    /// Answers of the main phase.
    pub answers: u64,
}

/// The raters and answers of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ModelCoverage {
    /// Its name.
    pub name: Arc<str>,
    /// Its place among the models of the spec, from 0, which sets its colour and shape.
    pub place: u32,
    /// Answers of the main phase.
    pub answers: u64,
    /// Raters who completed a session with it.
    pub raters: u64,
    /// The places of the plan with it.
    pub places: u32,
}

/// Answers by item, or by stimulus in a study without items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ItemCoverage {
    /// The number of items.
    pub items: u32,
    /// The number of answers of the median item.
    pub median: u64,
    /// The number of items by answers, in at most eight ranges without gaps.
    pub bins: Vec<ItemBin>,
    /// The items with less than half the answers of the median item; `None` without items.
    pub few: Option<ItemBin>,
    /// The items with the fewest answers, the fewest first.
    pub least: Vec<Coverage>,
}

/// The items whose answers are in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ItemBin {
    /// The fewest answers.
    pub from: u64,
    /// The most answers.
    pub to: u64,
    /// The number of items.
    pub items: u32,
}

/// A problem that needs the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Alert {
    /// Something does not work on this server, or its places are used up too fast.
    Problem {
        /// What.
        problem: ServerProblem,
        /// The reason in full.
        reason: Arc<str>,
        /// Since when, in milliseconds since the Unix epoch.
        since_unix_ms: u64,
    },
    /// The panel cannot be asked.
    PanelLost {
        /// The panel's name for people.
        panel: Arc<str>,
        /// Since when, in milliseconds since the Unix epoch.
        since_unix_ms: u64,
    },
    /// The panel refuses single requests.
    PanelRefuses {
        /// The panel's name for people.
        panel: Arc<str>,
        /// How many.
        requests: u32,
    },
    /// Places have to be filled, and nearly all that may be spent is spent or promised.
    Budget {
        /// ISO 4217.
        currency: Arc<str>,
        /// The amount spent or promised, with fees.
        committed: Amount,
        /// The spending limit.
        limit: Amount,
    },
    /// No session was completed for ten minutes, although places are open.
    Stalled {
        /// Since when, in milliseconds since the Unix epoch.
        since_unix_ms: u64,
        /// Places that are not completed.
        places: u32,
    },
    /// A rater answers faster than images can be seen.
    Fast {
        /// The rater's key.
        rater: Arc<str>,
        /// Answers that came too fast.
        fast: u32,
        /// All answers.
        answered: u32,
        /// The time below which an answer is too fast.
        below_ms: u32,
    },
    /// Items have less than half the answers of the median item.
    FewAnswers {
        /// How many items.
        items: u32,
        /// They have fewer answers than this.
        fewer_than: u64,
    },
}

/// A problem that is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct OpenProblem {
    /// Its kind.
    pub problem: ServerProblem,
    /// The reason in full, for the operator only.
    pub reason: Arc<str>,
    /// How long it has been open.
    pub lasts_us: Micros,
}

/// A problem that can stop a server from working, a study from being analysed, or its places from being filled by people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ServerProblem {
    /// The store has no space left. Answers are refused until the operator makes room; the page keeps them.
    DiskFull,
    /// The database's file is no longer at its path. Answers are refused until the operator puts it back.
    DatabaseGone,
    /// The database cannot be reached at the moment. The page keeps answers and repeats them.
    StoreUnavailable,
    /// The store fails. The operator checks the disk, the permissions and the settings.
    StoreFailed,
    /// A log was altered. The operator restores a backup.
    StoreDamaged,
    /// An image cannot be read. The operator restores the study's prepared images.
    ImageUnreadable,
    /// The answers cannot be analysed. They are stored and not at risk.
    AnalysisFailed,
    /// Places are used up faster than people can answer. The operator hands out links or recruits through a panel.
    PlacesGoFast,
}

impl ServerProblem {
    /// All problems.
    pub const ALL: [Self; 8] = [
        Self::DiskFull,
        Self::DatabaseGone,
        Self::StoreUnavailable,
        Self::StoreFailed,
        Self::StoreDamaged,
        Self::ImageUnreadable,
        Self::AnalysisFailed,
        Self::PlacesGoFast,
    ];

    /// The name in `/health`, `/metrics` and the log.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::DiskFull => "disk-full",
            Self::DatabaseGone => "database-gone",
            Self::StoreUnavailable => "store-unavailable",
            Self::StoreFailed => "store-failed",
            Self::StoreDamaged => "store-damaged",
            Self::ImageUnreadable => "image-unreadable",
            Self::AnalysisFailed => "analysis-failed",
            Self::PlacesGoFast => "places-go-fast",
        }
    }

    /// Explains it in one sentence.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::DiskFull => "the store has no space left: answers are refused until there is room",
            Self::DatabaseGone => {
                "the database's file is no longer at its path: answers are refused until it is back"
            }
            Self::StoreUnavailable => "the database cannot be reached: raters are asked to wait",
            Self::StoreFailed => "the store fails: answers are refused",
            Self::StoreDamaged => "a stored log is damaged: restore a backup",
            Self::ImageUnreadable => "an image cannot be read: its trials cannot be shown",
            Self::AnalysisFailed => "the answers cannot be analysed; they are stored",
            Self::PlacesGoFast => "places are used up faster than people can answer",
        }
    }
}

/// The cost of a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct Cost {
    /// ISO 4217.
    pub currency: Arc<str>,
    /// Earned so far; `None` until the server has read every log once.
    pub so_far: Option<Amount>,
    /// The expected cost of the open places, for typical raters, without pay for waiting, which depends on the call.
    pub to_come: Amount,
    /// The expected cost of one place.
    pub each: Amount,
}
