//! Everything needed to write a plugin: the traits with their argument and return types, the registration macros and
//! the derives.
//!
//! ```
//! use hype_core::prelude::*;
//!
//! /// Settings of a plugin. The attributes name the crate through which the derives are reached.
//! #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
//! #[serde(crate = "hype_core::serde", default, deny_unknown_fields)]
//! #[schemars(crate = "hype_core::schemars")]
//! struct Settings {
//!     /// Trials of a session.
//!     trials: Bounded<1, 1000>,
//! }
//!
//! impl Default for Settings {
//!     fn default() -> Self {
//!         Self { trials: 40.into() }
//!     }
//! }
//! ```

pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};

pub use crate::model::answer::{Answer, AnswerValue};
pub use crate::model::bounds::{Bounded, NumberBounds};
pub use crate::model::check::{Check, CheckState, Consequence};
pub use crate::model::findings::{Estimate, Exclusion, Fact, Findings, MeasureFindings, Note};
pub use crate::model::ids::ItemId;
pub use crate::model::ids::{SetId, StimulusId};
pub use crate::model::item::{Condition, ConditionKind, Content, Item};
pub use crate::model::media::Media;
pub use crate::model::record::{Answered, Ending, Outcome, Place, SessionRecord};
pub use crate::model::score::{Direction, Measure, Row, ScoreTable};
pub use crate::model::stimulus::{Role, Stimuli, Stimulus, StimulusSet, Use};
pub use crate::model::trial::{
    ChoiceOption, Feedback, Form, Part, Phase, Question, Rest, Timing, Trial, Truth,
};
pub use crate::model::units::{Amount, Micros, Millis};
pub use crate::plugin::aggregator::{AggregateError, Aggregated, Aggregation, Aggregator, AggregatorSpec};
pub use crate::plugin::cohort::{Cohort, CohortError, CohortSpec, Rater, Response, Wanted};
pub use crate::plugin::description::{Description, RatedStimuli};
pub use crate::plugin::metric::{
    BesideRows, Metric, MetricFault, MetricInputs, MetricSample, MetricSpec, MetricUnit, MetricValue,
    Observed,
};
pub use crate::plugin::rubric::{Asked, Reads, Rubric, RubricSpec, ScoreError, Scoring};
pub use crate::plugin::survey::{Survey, SurveyPage, SurveySpec};
pub use crate::plugin::task::{
    ByItem, Defaults, Design, Inputs, Learner, Next, Pace, Profile, Refusal, StartError, Task, TaskSpec,
    Verdict,
};
pub use crate::protocol::chance::{Stream, Streams};
pub use crate::protocol::raters::{RaterDesign, Raters};
pub use crate::{
    Diagnostics, register_aggregator, register_backend, register_cohort, register_metric, register_rubric,
    register_survey, register_task,
};
