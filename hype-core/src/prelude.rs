//! Everything needed to write a plugin or to embed studies: the traits with their argument and return types, studies and what
//! they are made of, the registration macros, and the attributes and derives of settings.
//!
//! ```
//! use hype_core::prelude::*;
//!
//! /// Settings of a plugin. A crate that depends on `hype` writes `#[settings]`.
//! #[settings(crate = hype_core)]
//! #[derive(Debug, Clone)]
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
//!
//! let read: Settings = hype_core::serde_json::from_str("{}")?;
//! assert_eq!(read.trials.get(), 40);
//! assert!(hype_core::serde_json::from_str::<Settings>(r#"{ "trails": 7 }"#).is_err());
//! # Ok::<(), hype_core::serde_json::Error>(())
//! ```

pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};

pub use crate::model::answer::{Answer, AnswerValue};
pub use crate::model::bounds::{Bounded, NumberBounds};
pub use crate::model::check::{Check, CheckState, Consequence};
pub use crate::model::digest::Digest;
pub use crate::model::findings::{Estimate, Exclusion, Fact, Findings, Interval, MeasureFindings, Note};
pub use crate::model::ids::{ItemId, SetId, StimulusId};
pub use crate::model::item::{Condition, ConditionKind, Content, Item};
pub use crate::model::media::{Media, MediaKind};
pub use crate::model::record::{Answered, Ending, Outcome, Place, SessionRecord};
pub use crate::model::score::{Direction, Measure, Row, ScoreTable};
pub use crate::model::stimulus::{Role, Stimuli, Stimulus, StimulusSet, Use};
pub use crate::model::trial::{
    Candidate, ChoiceOption, Feedback, Form, Part, Phase, Question, Rest, Timing, Trial, Truth,
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
pub use crate::plugin::store::{Store, StoreError};
pub use crate::plugin::surroundings::Surroundings;
pub use crate::plugin::survey::{Survey, SurveyPage, SurveySpec};
pub use crate::plugin::task::{
    ByItem, Defaults, Design, Inputs, Learner, Next, Pace, Profile, Refusal, StartError, Task, TaskSpec,
    Verdict,
};
pub use crate::protocol::chance::{Stream, Streams};
pub use crate::protocol::qualification::Qualification;
pub use crate::protocol::raters::{RaterDesign, Raters};
pub use crate::study::Study;
pub use crate::study::analysis::analyse;
pub use crate::study::backend::{Backend, BackendError, BackendSpec, Collected, Unwatched, Watch, Wraps};
pub use crate::study::spec::Spec;
pub use crate::{
    Diagnostics, async_trait, register_aggregator, register_backend, register_cohort, register_metric,
    register_rubric, register_survey, register_task, schema, settings,
};
