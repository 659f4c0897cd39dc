//! The core of hype: specs, studies, sessions, events, scores and findings, and the traits that plugins implement.
//!
//! This crate is sans-IO. It never reads a clock, an environment variable, a file, a socket or ambient randomness.
//! Text, time and chance are arguments.
//!
//! Data flow in one direction: a [`Spec`] and its stimuli form a [`Study`]; each rater has a [`Session`], a state
//! machine driven by [`Event`]s; a [`Rubric`] turns sessions into a [`ScoreTable`]; an [`Aggregator`] turns scores into
//! [`Findings`].

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

pub mod model;
pub mod plugin;
pub mod protocol;
pub mod study;

pub use hype_yaml as yaml;
pub use hype_yaml::{Diagnostic, Diagnostics, Severity, diagnostics, words};

pub use self::model::answer::{Answer, AnswerValue};
pub use self::model::bounds::{Bounded, NumberBounds};
pub use self::model::check::{Check, CheckState, Consequence};
pub use self::model::digest::Digest;
pub use self::model::event::Event;
pub use self::model::facet::{Facet, FacetCell, FacetScale, Levels, LevelsByName};
pub use self::model::findings::{Estimate, Exclusion, Fact, Findings, Interval, MeasureFindings, Note};
pub use self::model::ids::ItemId;
pub use self::model::ids::{SetId, StimulusId};
pub use self::model::item::{Condition, ConditionKind, Content, Item};
pub use self::model::media::{Media, MediaKind};
pub use self::model::record::{Answered, Ending, Outcome, Place, SessionRecord};
pub use self::model::score::{Basis, Direction, Measure, MeasureScale, ReferenceValue, Row, ScoreTable};
pub use self::model::stimulus::{Role, Stimuli, Stimulus, StimulusSet, Use};
pub use self::model::trial::{Candidate, ChoiceOption, Form, Phase, Question, Scale, Timing, Trial, Truth};
pub use self::model::units::{Amount, Micros, Millis};
pub use self::plugin::aggregator::{
    Accumulator, AggregateError, Aggregated, Aggregation, Aggregator, AggregatorSpec, Limit, NamedLevels,
    PlannedComparisons, PlannedInterval, PlannedPairs, UsedFacet,
};
pub use self::plugin::cohort::{Cohort, CohortError, CohortSpec, Rater, Response, Wanted};
pub use self::plugin::description::{Asks, ComparedWith, Description, RatedStimuli};
pub use self::plugin::extractor::{
    ExtractedLayer, Extractor, ExtractorError, ExtractorReads, ExtractorSpec, OpenExtractor, RgbPixels,
    ToExtract, ToExtractContent,
};
pub use self::plugin::metric::{
    BesideRows, Metric, MetricBeside, MetricFault, MetricInputs, MetricReads, MetricRows, MetricSample,
    MetricSpec, MetricUnit, MetricValue, Observed, RowOrigin, RowValues,
};
pub use self::plugin::registry::{PluginEntry, Registry, SpecPart};
pub use self::plugin::rubric::{
    Asked, PublishedSpread, Reads, Recommended, Rubric, RubricSpec, ScoreError, Scoring,
};
pub use self::plugin::stopping::{StoppingPlan, StoppingRule, StoppingSpec};
pub use self::plugin::store::{Store, StoreError, StoreExt};
pub use self::plugin::survey::{Survey, SurveyPage, SurveySpec};
pub use self::plugin::task::{
    ByItem, Defaults, Design, Effort, Inputs, Learner, Machine, Next, Pace, Passing, Profile, Refusal,
    StartError, Task, TaskSpec, Verdict,
};
pub use self::protocol::chance::{Stream, Streams};
pub use self::protocol::payment::{ExpectedPay, Payment};
pub use self::protocol::playback::Playback;
pub use self::protocol::qualification::{PassMark, PassRule, Qualification};
pub use self::protocol::raters::{RaterCounts, RaterDesign, Raters};
pub use self::protocol::recruitment::{Recruitment, Retainer};
pub use self::protocol::speed::SpeedRule;
pub use self::study::Study;
pub use self::study::analysis::{AnalysisError, analyse};
pub use self::study::backend::{
    Backend, BackendError, BackendSpec, Collected, Recruits, Unwatched, View, Watch, Wraps,
};
pub use self::study::session::{Session, Step};
pub use self::study::spec::Spec;

// Re-exported for plugins, which then need no further dependencies.
pub use async_trait::async_trait;
pub use hype_macros::{schema, settings};
pub use schemars;
pub use serde;
pub use serde_json;

pub mod prelude;

/// Names used by the registration macros; not for other use.
#[doc(hidden)]
pub mod __private {
    pub use crate::plugin::kinds::KindReader;
    pub use inventory;
    pub use schemars::JsonSchema;
    pub use typetag;
}
