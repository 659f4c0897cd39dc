//! Aggregators: from scores to findings.

use std::any::Any;
use std::fmt::Debug;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::diagnostics::Diagnostics;
use crate::model::findings::{Exclusion, MeasureFindings, Note};
use crate::model::score::{Measure, ScoreTable};
use crate::protocol::chance::Streams;
use crate::study::spec::RaterDesign;

/// From scores to findings, streaming: tables of scores go in one after the other, in chunks of any size.
///
/// Register an implementation with [`register_aggregator!`](crate::register_aggregator) to use it from YAML.
pub trait Aggregator:
    Debug + Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// What is kept of the rows seen so far.
    type Sums: Send + 'static;

    /// Checks the rules across fields against what the rubric measures; adds every fault to `at`.
    fn check(&self, measures: &[Measure], at: &mut Diagnostics);

    /// Begins with no rows.
    fn begin(&self, context: &Aggregation) -> Self::Sums;

    /// Adds the rows of a table.
    ///
    /// # Errors
    /// If a row has no place in this aggregation.
    fn add(&self, sums: &mut Self::Sums, scores: &ScoreTable) -> Result<(), AggregateError>;

    /// Joins what two workers have seen. The result is that of all rows added to `into`.
    fn merge(&self, into: &mut Self::Sums, other: Self::Sums);

    /// Computes the findings, without the values of excluded raters and, beside them, with.
    ///
    /// # Errors
    /// If the rows allow none at all. What is merely undefined is said in the findings.
    fn findings(
        &self,
        sums: Self::Sums,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError>;
}

/// What an aggregator may know beside the scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregation {
    /// What the rubric measures, the study's score first.
    pub measures: Vec<Measure>,
    /// How models were shared out among raters.
    pub design: RaterDesign,
}

/// What an aggregator found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aggregated {
    /// Findings for each measure, the study's score first.
    pub measures: Vec<MeasureFindings>,
    /// What a reader has to know.
    pub notes: Vec<Note>,
}

/// Scores cannot be aggregated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AggregateError {
    /// There are no scores of a measure that was asked for; the author named it wrongly, or nothing was
    /// collected.
    #[error("there are no scores of `{measure}`; there are {known}")]
    NoScores {
        /// The measure asked for.
        measure: String,
        /// What there is.
        known: String,
    },
    /// A value is not finite; whoever made the scores has to correct it.
    #[error("rater {rater}, model {model}: the value of `{measure}` is {value}, which is no number")]
    NotFinite {
        /// The rater.
        rater: String,
        /// The model.
        model: String,
        /// The measure.
        measure: String,
        /// The value as text.
        value: String,
    },
    /// Something else that the aggregator names.
    #[error("{0}")]
    Other(String),
}

/// The untyped twin of [`Aggregator`]. Written by [`register_aggregator!`](crate::register_aggregator).
#[typetag::serde(tag = "kind")]
pub trait ErasedAggregator: Debug + Send + Sync {
    /// [`Aggregator::check`].
    fn check(&self, measures: &[Measure], at: &mut Diagnostics);
    /// [`Aggregator::begin`].
    fn begin(&self, context: &Aggregation) -> Box<dyn Accumulator>;
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn ErasedAggregator>;
}

impl Clone for Box<dyn ErasedAggregator> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// An aggregation in progress, with its types erased.
pub trait Accumulator: Send {
    /// [`Aggregator::add`].
    ///
    /// # Errors
    /// As [`Aggregator::add`].
    fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError>;
    /// [`Aggregator::merge`].
    ///
    /// # Errors
    /// If the other one belongs to another kind of aggregator.
    fn merge(&mut self, other: Box<dyn Accumulator>) -> Result<(), AggregateError>;
    /// [`Aggregator::findings`].
    ///
    /// # Errors
    /// As [`Aggregator::findings`].
    fn findings(
        self: Box<Self>,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError>;
    /// The accumulator by its own type, for [`merge`](Self::merge).
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

struct TypedAccumulator<A: Aggregator> {
    aggregator: A,
    sums: A::Sums,
}

impl<A: Aggregator> Accumulator for TypedAccumulator<A> {
    fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        self.aggregator.add(&mut self.sums, scores)
    }

    fn merge(&mut self, other: Box<dyn Accumulator>) -> Result<(), AggregateError> {
        let other = other
            .into_any()
            .downcast::<Self>()
            .map_err(|_| AggregateError::Other("two kinds of aggregator cannot be merged".into()))?;
        self.aggregator.merge(&mut self.sums, other.sums);
        Ok(())
    }

    fn findings(
        self: Box<Self>,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        self.aggregator.findings(self.sums, exclusions, chance)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Begins an aggregation of a typed aggregator; the body of [`ErasedAggregator::begin`].
#[must_use]
pub fn begin_typed<A: Aggregator>(aggregator: &A, context: &Aggregation) -> Box<dyn Accumulator> {
    Box::new(TypedAccumulator { sums: aggregator.begin(context), aggregator: aggregator.clone() })
}
