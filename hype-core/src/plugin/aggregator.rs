//! Aggregators: from scores to findings.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;

use crate::diagnostics::Diagnostics;
use crate::model::facet::{Facet, FacetCell, LevelsByName};
use crate::model::findings::{Exclusion, GeneralizeTo, MeasureFindings, Note};
use crate::model::output_facts::OutputFacts;
use crate::model::score::{Measure, Row, ScoreTable};
use crate::model::stimulus::{Role, Stimuli, StimulusSet};
use crate::protocol::chance::Streams;
use crate::protocol::raters::RaterDesign;

mod by_kind;

pub use self::by_kind::AggregatorByKind;

/// Turns scores into findings. Aggregation is streaming: tables of scores are added one after the other, in chunks of
/// any size.
///
/// Register an implementation with [`register_aggregator!`](crate::register_aggregator) to use it from YAML.
pub trait Aggregator: Debug + Clone + Send + Sync + 'static {
    /// The state of an aggregation: what is kept of the rows added so far.
    type Sums: Send + 'static;

    /// Checks the rules across fields and the measures of the rubric. Adds every fault to `at`.
    fn check(&self, _measures: &[Measure], _at: &mut Diagnostics) {}

    /// Returns the target that the settings themselves declare for results to generalize to; `None` if it follows from
    /// the context.
    fn generalizes_to(&self) -> Option<GeneralizeTo> {
        None
    }

    /// The measure by which findings compare models on a measure of the rubric; by default that measure itself. Preferences,
    /// for example, become strengths.
    fn reported(&self, measure: &Measure) -> Measure {
        measure.clone()
    }

    /// The facet that the settings name, if any.
    fn used_facet(&self) -> Option<UsedFacet<'_>> {
        None
    }

    /// The facts of outputs that the settings name, by [`Media::facts`](crate::model::media::Media::facts).
    fn covariates(&self) -> &[String] {
        &[]
    }

    /// How models would be compared on a measure if each had this many raters, for planning. `None`, as by default, if the
    /// estimates are not means over independent raters; such studies are planned by simulation.
    fn planned_comparisons(
        &self,
        _context: &Aggregation,
        _measure: &Measure,
        _models: usize,
        _raters: u32,
    ) -> Option<PlannedComparisons> {
        None
    }

    /// Begins an aggregation.
    fn begin(&self, context: &Aggregation) -> Self::Sums;

    /// Adds the rows of a table.
    ///
    /// # Errors
    /// If a row cannot be aggregated.
    fn add(&self, sums: &mut Self::Sums, scores: &ScoreTable) -> Result<(), AggregateError>;

    /// Computes the findings without excluded raters and, for comparison, with them.
    ///
    /// # Errors
    /// If there is nothing to compute findings from. Undefined statistics are marked as such in the findings.
    fn findings(
        &self,
        sums: Self::Sums,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError>;
}

/// Knowledge of an aggregator in addition to the scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregation {
    /// The measures of the rubric; the score of the study comes first.
    pub measures: Vec<Measure>,
    /// How models were assigned to raters.
    pub design: RaterDesign,
    /// How the levels of models were assigned to them, where cells are models.
    pub cell_design: RaterDesign,
    /// The names of the stimulus sets in the order of the spec, in which findings list models that have no better order.
    /// Empty for scores without a study.
    pub models: Vec<Arc<str>>,
    /// Those of them whose stimuli are real. Scores of a rubric that asks the same about real stimuli have them as models.
    pub real: Vec<Arc<str>>,
    /// The target to which results generalize unless the aggregator's settings say otherwise.
    pub generalize_to: GeneralizeTo,
    /// The limit of that target, if there is one.
    pub limit: Option<Limit>,
    /// The facets of models, of items and of raters, in the order of the spec; empty for a study without facets.
    pub facets: Vec<Facet>,
    /// The models at the levels of facets; scores have their names as models.
    pub cells: Vec<FacetCell>,
    /// The levels of items, by item. Empty if no facet is one of items.
    pub item_levels: LevelsByName,
    /// The levels of raters, by rater. Empty if no facet is one of raters, and until something is known of them.
    pub rater_levels: LevelsByName,
    /// Clusters of items that were drawn together, such as the prompt of outputs with several seeds, by item. Results about other
    /// items are about other clusters of them. Empty where no two items share one.
    pub item_clusters: Arc<BTreeMap<Arc<str>, Arc<str>>>,
    /// The model that every comparison is between and another one, if the study compares it with each of the others and these never
    /// with one another.
    pub compared_with: Option<Arc<str>>,
    /// Measures of the judged outputs. Empty for images, and for scores without a study.
    pub facts: Arc<OutputFacts>,
}

/// A facet that an aggregator uses.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "aggregators make it")]
pub struct UsedFacet<'a> {
    /// The setting that names it.
    pub field: &'static str,
    /// Its name.
    pub name: &'a str,
    /// Whether its levels have to be numbers.
    pub is_number: bool,
    /// The levels that a further setting names, which have to be all of them; `None` without one.
    pub levels: Option<NamedLevels<'a>>,
}

/// The levels of a facet that a setting names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "aggregators make it")]
pub struct NamedLevels<'a> {
    /// The setting.
    pub field: &'static str,
    /// The levels.
    pub levels: Vec<&'a str>,
}

/// How an aggregator compares means over independent raters.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "aggregators make it")]
pub struct PlannedComparisons {
    /// The level of intervals, and of all pairs together.
    pub level: f64,
    /// How the interval of a mean is computed; `None` if there are too few raters for one.
    pub interval: Option<PlannedInterval>,
    /// How pairs are tested.
    pub pairs: PlannedPairs,
    /// The number of measures whose pairs are adjusted together.
    pub families: u32,
    /// The number of measures whose comparisons with a reference value are adjusted together.
    pub reference_families: u32,
    /// The margin within which a model is to be shown equivalent to the measure's reference value; `None` if none is declared.
    pub margin: Option<f64>,
}

/// How the interval of a mean is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "plans have to know them all")]
pub enum PlannedInterval {
    /// By Student's t.
    StudentT,
    /// By Student's t on the scale of ratios, for times.
    Times,
    /// By Wilson's interval for shares of raters' answers.
    Share,
    /// By percentiles of resampled means.
    Percentile,
}

/// How pairs of models are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "plans have to know them all")]
pub enum PlannedPairs {
    /// Each by Welch's t at an equal share of the error.
    Welch,
    /// All at once by Games-Howell.
    GamesHowell,
    /// All at once by Tukey-Kramer.
    TukeyKramer,
}

/// A limit on the target to which results can generalize.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "raters and items are all that can vary")]
pub enum Limit {
    /// The study declares its items as fixed: they are not a sample of others.
    FixedItems,
    /// The raters are places in lists of answers that name no raters, so the answers of one are not one person's.
    MadeUpRaters,
}

impl Limit {
    /// The only thing that results can generalize to.
    #[must_use]
    pub const fn target(self) -> GeneralizeTo {
        match self {
            Self::FixedItems => GeneralizeTo::Raters,
            Self::MadeUpRaters => GeneralizeTo::Items,
        }
    }
}

impl Aggregation {
    /// Scores of these measures without a study, whose models have no inherent order.
    #[must_use]
    pub fn new(measures: Vec<Measure>, design: RaterDesign) -> Self {
        Self {
            measures,
            design,
            cell_design: RaterDesign::Between,
            models: Vec::new(),
            real: Vec::new(),
            generalize_to: GeneralizeTo::Raters,
            limit: None,
            facets: Vec::new(),
            cells: Vec::new(),
            item_levels: LevelsByName::new(),
            rater_levels: LevelsByName::new(),
            item_clusters: Arc::default(),
            compared_with: None,
            facts: Arc::default(),
        }
    }

    /// Sets the facets of models, and the cells that scores name as models.
    #[must_use]
    pub fn with_facets(self, facets: Vec<Facet>, cells: Vec<FacetCell>) -> Self {
        Self { facets, cells, ..self }
    }

    /// Sets how the levels of models were assigned to raters.
    #[must_use]
    pub fn with_cell_design(self, cell_design: RaterDesign) -> Self {
        Self { cell_design, ..self }
    }

    /// How all models, each cell one of them, were assigned to raters: between raters if no rater judged two of them.
    #[must_use]
    pub fn design_of_all(&self) -> RaterDesign {
        if self.cells.is_empty() || self.design == RaterDesign::Within {
            self.design
        } else {
            self.cell_design
        }
    }

    /// Sets the levels of items, by item.
    #[must_use]
    pub fn with_item_levels(self, item_levels: LevelsByName) -> Self {
        Self { item_levels, ..self }
    }

    /// Sets the levels of raters, by rater.
    #[must_use]
    pub fn with_rater_levels(self, rater_levels: LevelsByName) -> Self {
        Self { rater_levels, ..self }
    }

    /// Sets the clusters of items, by item, unless each item is one of its own or all are in one: these are a sample of its items.
    #[must_use]
    pub fn with_item_clusters(self, clusters: BTreeMap<Arc<str>, Arc<str>>) -> Self {
        let distinct: BTreeSet<&Arc<str>> = clusters.values().collect();
        if distinct.len() == clusters.len() || distinct.len() == 1 {
            return self;
        }
        Self { item_clusters: Arc::new(clusters), ..self }
    }

    /// Sets the model that every comparison is between and another one.
    #[must_use]
    pub fn with_compared_with(self, compared_with: Option<Arc<str>>) -> Self {
        Self { compared_with, ..self }
    }

    /// Sets what is known of outputs.
    #[must_use]
    pub fn with_facts(self, facts: OutputFacts) -> Self {
        Self { facts: Arc::new(facts), ..self }
    }

    /// Limits what results generalize to, which is also the default then.
    #[must_use]
    pub fn limited_by(self, limit: Limit) -> Self {
        Self { generalize_to: limit.target(), limit: Some(limit), ..self }
    }

    /// Sets what results generalize to by default.
    #[must_use]
    pub fn generalizing_to(self, generalize_to: GeneralizeTo) -> Self {
        Self { generalize_to, ..self }
    }

    /// Lists models in the order of a study's sets, and those whose stimuli are real.
    #[must_use]
    pub fn in_order_of(mut self, stimuli: &Stimuli) -> Self {
        let names = |is: fn(&StimulusSet) -> bool| {
            stimuli.sets().iter().filter(|set| is(set)).map(|set| Arc::clone(&set.name)).collect()
        };
        self.models = names(|_| true);
        self.real = names(|set| set.role == Role::Real);
        self
    }

    /// Declares that the stimuli of a model are real.
    #[must_use]
    pub fn with_real(mut self, model: &str) -> Self {
        self.real.push(model.into());
        self
    }
}

/// The findings of an aggregator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aggregated {
    /// Findings for each measure; the score of the study comes first.
    pub measures: Vec<MeasureFindings>,
    /// Notes for readers of the findings.
    pub notes: Vec<Note>,
}

/// Scores cannot be aggregated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AggregateError {
    /// There are no scores for a measure because its name is wrong or nothing was collected.
    #[error("there are no scores of `{measure}`; there are {known}")]
    NoScores {
        /// The requested measure.
        measure: String,
        /// The measures with scores.
        known: String,
    },
    /// A value is not finite; the author of the scores has to correct it.
    #[error(
        "rater {rater}, model {model}: the value of `{measure}` is {value}, which is not a finite number"
    )]
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
    /// A value is too large for sums of squares in double precision; the author of the scores has to use another unit.
    #[error(
        "rater {rater}, model {model}: the value of `{measure}` is {value}, which is too large to be averaged in double \
         precision: use another unit"
    )]
    TooLarge {
        /// The rater.
        rater: String,
        /// The model.
        model: String,
        /// The measure.
        measure: String,
        /// The value as text.
        value: String,
    },
    /// Another reason.
    #[error("{0}")]
    Other(String),
}

impl AggregateError {
    /// A row's value is not finite.
    #[must_use]
    pub fn not_finite(row: &Row<'_>) -> Self {
        Self::NotFinite {
            rater: row.rater.to_owned(),
            model: row.model.to_owned(),
            measure: row.measure.to_owned(),
            value: row.value.to_string(),
        }
    }

    /// A row's value is too large for sums of squares.
    #[must_use]
    pub fn too_large(row: &Row<'_>) -> Self {
        Self::TooLarge {
            rater: row.rater.to_owned(),
            model: row.model.to_owned(),
            measure: row.measure.to_owned(),
            value: format!("{:e}", row.value),
        }
    }
}

/// An aggregator as a spec holds it, by its `kind`. Implemented by
/// [`register_aggregator!`](crate::register_aggregator).
#[typetag::serialize(tag = "kind")]
pub trait AggregatorSpec: DynAggregator {}

crate::plugin::kinds::read_by_kind!(AggregatorSpec);

/// The dyn-compatible counterpart of [`Aggregator`], implemented for every registered aggregator.
pub trait DynAggregator: Any + Debug + Send + Sync {
    /// [`Aggregator::check`].
    fn check(&self, measures: &[Measure], at: &mut Diagnostics);
    /// [`Aggregator::generalizes_to`].
    fn generalizes_to(&self) -> Option<GeneralizeTo>;
    /// [`Aggregator::reported`].
    fn reported(&self, measure: &Measure) -> Measure;
    /// [`Aggregator::used_facet`].
    fn used_facet(&self) -> Option<UsedFacet<'_>>;
    /// [`Aggregator::covariates`].
    fn covariates(&self) -> &[String];
    /// [`Aggregator::planned_comparisons`].
    fn planned_comparisons(
        &self,
        context: &Aggregation,
        measure: &Measure,
        models: usize,
        raters: u32,
    ) -> Option<PlannedComparisons>;
    /// [`Aggregator::begin`].
    fn begin(&self, context: &Aggregation) -> Box<dyn Accumulator>;
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn AggregatorSpec>;
}

impl<A: Aggregator + AggregatorSpec> DynAggregator for A {
    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        Aggregator::check(self, measures, at);
    }
    fn generalizes_to(&self) -> Option<GeneralizeTo> {
        Aggregator::generalizes_to(self)
    }
    fn reported(&self, measure: &Measure) -> Measure {
        Aggregator::reported(self, measure)
    }
    fn used_facet(&self) -> Option<UsedFacet<'_>> {
        Aggregator::used_facet(self)
    }
    fn covariates(&self) -> &[String] {
        Aggregator::covariates(self)
    }
    fn planned_comparisons(
        &self,
        context: &Aggregation,
        measure: &Measure,
        models: usize,
        raters: u32,
    ) -> Option<PlannedComparisons> {
        Aggregator::planned_comparisons(self, context, measure, models, raters)
    }
    fn begin(&self, context: &Aggregation) -> Box<dyn Accumulator> {
        Box::new(TypedAccumulator { sums: Aggregator::begin(self, context), aggregator: self.clone() })
    }
    fn boxed_clone(&self) -> Box<dyn AggregatorSpec> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn AggregatorSpec> {
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
    /// [`Aggregator::findings`].
    ///
    /// # Errors
    /// As [`Aggregator::findings`].
    fn findings(
        self: Box<Self>,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError>;
}

struct TypedAccumulator<A: Aggregator> {
    aggregator: A,
    sums: A::Sums,
}

impl<A: Aggregator> Accumulator for TypedAccumulator<A> {
    fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        self.aggregator.add(&mut self.sums, scores)
    }

    fn findings(
        self: Box<Self>,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        self.aggregator.findings(self.sums, exclusions, chance)
    }
}
