//! The core of hype: specs, studies, sessions, events, scores and findings, and the traits that plugins implement.
//!
//! This crate is sans-IO. It never reads a clock, an environment variable, a socket or ambient randomness; the only
//! text it reads is handed to it. Time and chance are arguments.
//!
//! The way of the data is one direction: a [`Spec`] and its stimuli make a [`Study`]; each rater has a [`Session`],
//! a machine that only [`Event`]s move; a [`Rubric`] turns sessions into a [`ScoreTable`]; an [`Aggregator`] turns
//! scores into [`Findings`].

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

pub mod aggregator;
pub mod analysis;
pub mod backend;
pub mod chance;
pub mod check;
pub mod diagnostics;
pub mod digest;
pub mod draw;
pub mod event;
pub mod findings;
pub mod item;
pub mod note;
pub mod rater;
pub mod record;
pub mod registry;
pub mod rubric;
pub mod schema;
pub mod score;
pub mod session;
pub mod spec;
pub mod stimulus;
pub mod store;
pub mod study;
pub mod task;
pub mod trial;
pub mod units;
pub mod words;
pub mod yaml;

pub use aggregator::{Accumulator, AggregateError, Aggregated, Aggregation, Aggregator, ErasedAggregator};
pub use analysis::{AnalysisError, analyse};
pub use backend::{Backend, BackendError, Capabilities, Collected, Unwatched, Watch};
pub use chance::{Stream, Streams};
pub use check::{Check, CheckState, Consequence};
pub use diagnostics::{Diagnostic, Diagnostics, Severity};
pub use digest::Digest;
pub use event::Event;
pub use findings::{Estimate, Exclusion, Fact, Findings, Interval, MeasureFindings, Note};
pub use item::{Condition, ConditionKind, Content, Item, ItemId};
pub use rater::{Cohort, CohortError, Rater, Response, Wanted};
pub use record::{Answered, Ending, Outcome, Place, SessionRecord};
pub use registry::{Entry, Part, Registry};
pub use rubric::{Asked, ErasedRubric, Rubric, ScoreError, Scoring};
pub use score::{Direction, Measure, Row, ScoreTable};
pub use session::Session;
pub use spec::{Payment, Qualification, RaterDesign, Raters, Spec};
pub use stimulus::{Role, SetId, Stimuli, Stimulus, StimulusId, StimulusSet, Use};
pub use store::{Store, StoreError};
pub use study::Study;
pub use task::{Design, Effort, ErasedTask, Inputs, Machine, Next, Refusal, StartError, Task, Verdict};
pub use trial::{Candidate, ChoiceOption, Form, Phase, Question, Scale, Step, Timing, Trial, Truth};
pub use units::{Amount, Micros, Millis};

/// What the registration macros name; not for other use.
#[doc(hidden)]
pub mod __private {
    pub use inventory;
    pub use schemars::JsonSchema;
    pub use serde_json::Value;
    pub use typetag;

    pub use crate::aggregator::begin_typed;
    pub use crate::task::start_typed;
}
