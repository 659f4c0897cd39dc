//! Requests of the operator's page: raters, and actions.

use std::sync::Arc;

use hype_core::{CheckState, Micros};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::web::wire::crowd::CrowdAct;

/// `POST operator/raters`, which changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RaterQuery {
    /// Only raters of this group.
    pub group: Option<RaterGroup>,
    /// Only raters whose keys begin with this.
    pub find: String,
    /// The number of raters to skip.
    pub skip: u32,
}

/// The raters of a tab of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RaterGroup {
    /// Rating, waiting, or in a rest.
    Active,
    /// With a place, and not heard of for a minute.
    Idle,
    /// Completed, and not excluded.
    Completed,
    /// Disqualified, or screened out.
    NotQualified,
    /// Left, away, or erased.
    Left,
    /// Completed, and excluded.
    Excluded,
}

/// The state of a rater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RaterState {
    /// In a session, with a place, and heard of within the last minute.
    Rating,
    /// In a session with a place, and waiting until the study begins.
    Waiting,
    /// In a session with a place, and in a rest between blocks, as far as this server knows.
    Resting,
    /// In a session with a place, and not heard of for a minute.
    Idle,
    /// In a session whose place others may claim.
    Away,
    /// Completed.
    Completed,
    /// Completed, and excluded by a rule or by the operator.
    Excluded,
    /// Did not pass the qualification.
    Disqualified,
    /// A survey before the task screened the rater out.
    ScreenedOut,
    /// Left.
    Left,
    /// Answers were erased on request.
    Erased,
}

impl RaterState {
    /// The group of raters in this state.
    #[must_use]
    pub const fn group(self) -> RaterGroup {
        match self {
            Self::Rating | Self::Waiting | Self::Resting => RaterGroup::Active,
            Self::Idle => RaterGroup::Idle,
            Self::Completed => RaterGroup::Completed,
            Self::Excluded => RaterGroup::Excluded,
            Self::Disqualified | Self::ScreenedOut => RaterGroup::NotQualified,
            Self::Away | Self::Left | Self::Erased => RaterGroup::Left,
        }
    }
}

/// The response to `POST operator/raters`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct RaterList {
    /// The raters that match the query.
    pub matching: u32,
    /// The response time below which an answer is too fast: that of the study's rule on speed, or 250 ms.
    pub below_ms: u32,
    /// At most fifty of them: those who need attention first, then those with the most answers.
    pub raters: Vec<RaterRow>,
}

/// A rater and the rater's session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct RaterRow {
    /// The rater's key in this study, which identifies no person.
    pub rater: Arc<str>,
    /// The state.
    pub state: RaterState,
    /// The models of the session.
    pub models: Vec<Arc<str>>,
    /// Trials answered.
    pub answered: u32,
    /// An upper bound on the trials of a session.
    pub at_most: u32,
    /// The time since something last happened; `None` in a session without a page.
    pub idle_us: Option<Micros>,
    /// The median response time; `None` before the first answer.
    pub median_us: Option<Micros>,
    /// Answers that came too fast; see [`RaterList::below_ms`].
    pub fast: u32,
    /// How many times the page was hidden or left during a brief display.
    pub hidden: u32,
    /// Whether the operator should look: checks fail, or too many answers are too fast.
    pub attention: bool,
    /// The checks that the session did not pass; `None` if it was not checked.
    pub flags: Option<Vec<RaterFlag>>,
    /// Why the operator excludes the rater.
    pub excluded: Option<ExcludedBy>,
}

/// A check that a session did not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct RaterFlag {
    /// The rule.
    pub name: Arc<str>,
    /// `fail` or `unclear`.
    pub state: CheckState,
    /// Why.
    pub why: Arc<str>,
    /// Whether the rule excludes the rater.
    pub excludes: bool,
}

/// An exclusion by the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ExcludedBy {
    /// Why.
    pub reason: Arc<str>,
    /// Who excluded the rater.
    pub by: Arc<str>,
    /// When, in milliseconds since the Unix epoch.
    pub unix_ms: u64,
}

/// `POST operator/act`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ActRequest {
    /// The name of the request: 32 hexadecimal digits, drawn at random. Repeating a request changes nothing.
    pub id: String,
    /// The action to take.
    pub act: Act,
}

/// An action that operators may take.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Act {
    /// The study admits no raters until it is resumed.
    Pause,
    /// Raters may enter again.
    Resume,
    /// The collection ends.
    Close,
    /// Raters who wait begin, and later ones need not wait.
    Call,
    /// Adds places to the plan.
    TopUp {
        /// How many.
        places: u32,
    },
    /// Excludes a rater.
    Exclude {
        /// The rater's key.
        rater: String,
        /// Why.
        reason: String,
    },
    /// Takes an exclusion back.
    Include {
        /// The rater's key.
        rater: String,
        /// Why.
        reason: String,
    },
    /// Lets places be claimed again that were given up.
    Reopen,
    /// Hands out one-time links.
    Links {
        /// How many.
        count: u32,
    },
    /// Decides about recruiting.
    Crowd {
        /// What.
        decision: CrowdAct,
    },
}

/// The response to `POST operator/act`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ActReceipt {
    /// A description of the effect; `None` if the study was in the requested state already.
    pub done: Option<String>,
    /// Why what was decided is not carried out yet. It is repeated.
    pub pending: Option<String>,
    /// The links that were handed out, to be appended to the page's address.
    pub links: Vec<String>,
}
