//! Findings: the results of a study, as data for terminals, files and pages.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::digest::Digest;
use crate::model::facet::FacetCell;
use crate::model::labels::{Labels, ModelLabel};
use crate::model::media::MediaKind;
use crate::model::note::{Disturbance, SessionNote};
use crate::model::record::{Ending, SessionRecord};
use crate::model::score::{Direction, Measure};
use crate::model::units::Amount;

mod checks;
mod conclusions;
mod estimates;
mod facets;
mod generalization;
mod metrics;
mod notes;
mod stopping;
mod surveys;

pub use self::checks::{CheckFindings, Flagged, RaterShare};
pub use self::conclusions::{
    AgainstReal, AgainstReference, MarginTest, ModelRanks, RankFindings, RankRange, RealComparison,
    ReferenceComparison, ResampledLead, ResampledOrder, ResampledOrders,
};
pub use self::estimates::{Comparison, Effect, Estimate, Interval, Test, WithExcluded};
pub use self::facets::{FacetInteraction, FacetLevelFindings, FacetTrend, WeightedMeans};
pub use self::generalization::{GeneralizeTo, MeanOver};
pub use self::metrics::{FEW_MODELS, MetricFindings, ModelMetric};
pub use self::notes::{Note, NoteClass};
pub use self::stopping::{StoppingFindings, StoppingLook, StoppingTest};
pub(crate) use self::surveys::SurveyCounter;
pub use self::surveys::{NumberSummary, OptionCount, SurveyCounts, SurveyFindings};

/// The version of this layout; raised when a field changes its meaning or is removed.
pub const FORMAT: u32 = 1;

/// The results of a study or of a table of scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Findings {
    /// The version of this layout.
    pub format: u32,
    /// The program that computed the findings, with its version.
    pub software: Arc<str>,
    /// The identity of the study; absent for bare tables of scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study: Option<StudyCard>,
    /// The size of the collection; absent for bare tables of scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collected: Option<Collection>,
    /// Findings for each measure; the study's score comes first.
    pub measures: Vec<MeasureFindings>,
    /// The findings of the stopping rule at its looks, if the study has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopping: Option<StoppingFindings>,
    /// Automated metrics of the models.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<MetricFindings>,
    /// Correlations of the models' estimates with other measures of the same models, such as automated metrics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub correlations: Vec<Correlation>,
    /// Excluded raters, with the rule and the reason.
    pub exclusions: Vec<Exclusion>,
    /// The results of quality checks for raters who completed the study, including excluded ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckFindings>,
    /// The answers to the study's surveys, counted over the raters who count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surveys: Vec<SurveyFindings>,
    /// The raters' earnings, if the study pays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earnings: Option<Earnings>,
    /// How accurately limited exposures were displayed, if the raters' page measured them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<TimingQuality>,
    /// How the study calls models where results are shown, if it says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<Arc<str>, ModelLabel>,
    /// Notes for readers of the findings, by number; [`Findings::add_notes`] adds some.
    pub notes: Vec<Note>,
}

impl Findings {
    /// The kind of media that raters judged: images, where findings do not say.
    #[must_use]
    pub fn media(&self) -> MediaKind {
        self.study.as_ref().map_or(MediaKind::Image, |card| card.media)
    }

    /// Gives models and measures these labels. Names that findings do not have are left out.
    pub fn label(&mut self, labels: &Labels) {
        for found in &mut self.measures {
            let name = &*found.measure.name;
            let criterion = name.split_once('.').map_or(name, |(_, criterion)| criterion);
            let known = labels.measures.get(name).or_else(|| labels.measures.get(criterion));
            found.measure.shown = known.cloned().or_else(|| found.measure.shown.take());
        }
        for (name, label) in &labels.models {
            let estimates = self.measures.iter().flat_map(|found| &found.estimates);
            if estimates.into_iter().any(|one| one.model == *name) {
                self.models.insert(Arc::clone(name), label.clone());
            }
        }
    }
}

/// How accurately limited exposures were displayed, over all presentations that a page reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimingQuality {
    /// Answered trials with limited parts.
    pub displayed: u64,
    /// Those whose parts were all shown for the planned number of frames.
    pub exact: u64,
    /// Those whose onset or end came late by more than about half a frame.
    pub suspect: u64,
    /// Presentations that were disturbed, by the reason.
    pub disturbed: BTreeMap<Disturbance, u64>,
    /// Raters by the refresh rate of their screens, in hertz, rounded.
    pub refresh_hz: BTreeMap<u32, u64>,
}

impl TimingQuality {
    /// Adds a session.
    pub fn count(&mut self, record: &SessionRecord) {
        for shown in record.displays() {
            self.displayed += 1;
            self.exact += u64::from(shown.display.is_exact());
            self.suspect += u64::from(shown.display.suspect);
        }
        for noted in &record.notes {
            if let SessionNote::Environment(environment) = &noted.note {
                *self
                    .refresh_hz
                    .entry(environment.refresh_hz.round().clamp(0.0, 10_000.0) as u32)
                    .or_default() += 1;
            }
        }
        for void in &record.disturbed {
            *self.disturbed.entry(void.reason).or_default() += 1;
        }
    }

    /// The accuracy, or `None` if no page reported anything.
    #[must_use]
    pub fn reported(self) -> Option<Self> {
        (self != Self::default()).then_some(self)
    }
}

/// The identity of a study, from which its findings can be recomputed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyCard {
    /// The study's name.
    pub name: Arc<str>,
    /// The seed of all its randomness.
    pub seed: u64,
    /// The session digest: of the task, the raters' protocol, the stimuli and the seed.
    pub study: Digest,
    /// The digest of the whole resolved spec.
    pub spec: Digest,
    /// The digest of the stimuli by name and content.
    pub stimuli: Digest,
    /// The kind of media that raters judged; absent for images.
    #[serde(default, skip_serializing_if = "MediaKind::is_image")]
    pub media: MediaKind,
    /// The task's kind.
    pub task: Arc<str>,
    /// The task's version.
    pub task_version: u32,
    /// The rubric's kind.
    pub rubric: Arc<str>,
    /// The aggregator's kind.
    pub aggregator: Arc<str>,
    /// The random generator's name.
    pub generator: Arc<str>,
    /// Facts of the protocol that follow from the spec, such as a staircase's target.
    pub protocol: Vec<Fact>,
    /// The models at the levels of facets, by the names that estimates have for them; absent without facets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<FacetCell>,
}

/// A fact of the protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// Its key, such as `staircase_target`.
    pub name: Arc<str>,
    /// Its text for people.
    pub label: Arc<str>,
    /// Its value.
    pub value: Value,
}

impl Fact {
    /// Creates a fact.
    #[must_use]
    pub fn new(name: &str, label: &str, value: impl Into<Value>) -> Self {
        Self { name: name.into(), label: label.into(), value: value.into() }
    }
}

/// The size of a collection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Collection {
    /// Places in the plan: sessions that have to be completed.
    pub places: u32,
    /// Sessions opened.
    pub sessions: u64,
    /// Sessions completed.
    pub completed: u64,
    /// Completed sessions whose rater is excluded by a rule of the task.
    #[serde(default)]
    pub excluded: u64,
    /// Sessions that ended with the qualification.
    pub disqualified: u64,
    /// Sessions whose rater left.
    pub left: u64,
    /// Sessions that ended with a survey before the task, whose answers screened the rater out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub screened_out: u64,
    /// Sessions that have not ended.
    pub running: u64,
    /// Sessions whose answers were erased on request, which count nowhere else but in `sessions`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub erased: u64,
    /// Answers in all sessions and phases.
    pub responses: u64,
}

impl Collection {
    /// Counts a session whose answers were erased.
    pub fn count_erased(&mut self) {
        self.sessions += 1;
        self.erased += 1;
    }

    /// Counts one session.
    pub fn count(&mut self, ending: Option<Ending>, responses: u64) {
        self.sessions += 1;
        self.responses += responses;
        match ending {
            Some(Ending::Completed) => self.completed += 1,
            Some(Ending::Disqualified) => self.disqualified += 1,
            Some(Ending::Left) => self.left += 1,
            Some(Ending::ScreenedOut) => self.screened_out += 1,
            None => self.running += 1,
        }
    }
}

/// Findings for one measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasureFindings {
    /// The measure.
    pub measure: Measure,
    /// Raters whose values count.
    pub raters: u64,
    /// Distinct items judged; 0 where values are not by item.
    pub items: u64,
    /// Values that count.
    pub responses: u64,
    /// The population to which intervals and tests generalize; absent if the aggregator does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generalize_to: Option<GeneralizeTo>,
    /// The units over which estimates are means; absent if they are not means, or the aggregator does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_over: Option<MeanOver>,
    /// The comparisons among which p values are adjusted, such as `3 pairs of models`; absent if none are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<Arc<str>>,
    /// One estimate for each model, the best first if the measure has a direction.
    pub estimates: Vec<Estimate>,
    /// Tests over all models.
    pub tests: Vec<Test>,
    /// Comparisons of pairs of models.
    pub comparisons: Vec<Comparison>,
    /// How estimates compare with the measure's reference value, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_reference: Option<AgainstReference>,
    /// How models compare with real stimuli, if the same was asked about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_real: Option<AgainstReal>,
    /// How sure the order of models is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<RankFindings>,
    /// How often each order came up among resamples, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resampled_orders: Option<ResampledOrders>,
    /// The agreement of raters, if they share items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreement: Vec<Agreement>,
    /// The models at each level of a facet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<FacetLevelFindings>,
    /// Whether differences between models are the same at all levels of a facet, and the models' means over its levels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interactions: Vec<FacetInteraction>,
    /// How models change along facets that are numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trends: Vec<FacetTrend>,
    /// Results for which there is no other field, such as counts of votes or estimates for each rater.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
}

impl MeasureFindings {
    /// Creates empty findings for a measure.
    #[must_use]
    pub const fn new(measure: Measure) -> Self {
        Self {
            measure,
            raters: 0,
            items: 0,
            responses: 0,
            generalize_to: None,
            mean_over: None,
            family: None,
            estimates: Vec::new(),
            tests: Vec::new(),
            comparisons: Vec::new(),
            against_reference: None,
            against_real: None,
            ranks: None,
            resampled_orders: None,
            agreement: Vec::new(),
            facets: Vec::new(),
            interactions: Vec::new(),
            trends: Vec::new(),
            tables: Vec::new(),
        }
    }

    /// Adds an estimate, and its raters and values to the counts.
    pub fn add(&mut self, estimate: Estimate) {
        self.responses += estimate.responses;
        self.raters = self.raters.max(estimate.raters);
        let worse = |other: &Estimate| match self.measure.direction {
            Direction::Higher => other.value < estimate.value,
            Direction::Lower => other.value > estimate.value,
            Direction::Neither => false,
        };
        let place = self.estimates.iter().position(worse).unwrap_or(self.estimates.len());
        self.estimates.insert(place, estimate);
    }

    /// Adds the findings of another aggregator for the same measure. Its estimates, tests and comparisons are used only
    /// where these findings have none.
    pub fn join(&mut self, other: Self) {
        fn unless_there<T>(into: &mut Vec<T>, from: Vec<T>) {
            if into.is_empty() {
                *into = from;
            }
        }
        self.raters = self.raters.max(other.raters);
        self.items = self.items.max(other.items);
        self.responses = self.responses.max(other.responses);
        self.generalize_to = self.generalize_to.or(other.generalize_to);
        if self.estimates.is_empty() {
            self.mean_over = other.mean_over;
        }
        if self.comparisons.is_empty() {
            self.family = other.family;
        }
        unless_there(&mut self.estimates, other.estimates);
        unless_there(&mut self.tests, other.tests);
        unless_there(&mut self.comparisons, other.comparisons);
        self.against_reference = self.against_reference.take().or(other.against_reference);
        self.against_real = self.against_real.take().or(other.against_real);
        self.ranks = self.ranks.take().or(other.ranks);
        self.resampled_orders = self.resampled_orders.take().or(other.resampled_orders);
        self.agreement.extend(other.agreement);
        self.facets.extend(other.facets);
        self.interactions.extend(other.interactions);
        self.trends.extend(other.trends);
        self.tables.extend(other.tables);
    }
}

/// Agreement of raters on the same items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agreement {
    /// The coefficient, such as `Krippendorff's alpha (ordinal)`.
    pub coefficient: Arc<str>,
    /// The model whose items are covered; absent for the items of all models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<str>>,
    /// The coefficient's value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Raters behind it.
    pub raters: u64,
    /// The number of items used: those with at least two ratings or, if the coefficient needs complete ratings, those
    /// that every rater rated.
    pub items: u64,
    /// Ratings behind it.
    pub ratings: u64,
    /// Items with at least two ratings that are omitted because not all raters rated them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub items_left_out: u64,
    /// Why it is not defined for these data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Arc<str>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A table of findings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// Its key, such as `votes`; no two tables of a measure have the same.
    pub name: Arc<str>,
    /// The heading above it.
    pub label: Arc<str>,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows: a text, a number or `null` for each column.
    pub rows: Vec<Vec<Value>>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// Its key.
    pub name: Arc<str>,
    /// The heading above it.
    pub label: Arc<str>,
    /// The unit of its numbers; empty for bare numbers and texts.
    pub unit: Arc<str>,
}

impl Column {
    /// Creates a column.
    #[must_use]
    pub fn new(name: &str, label: &str, unit: &str) -> Self {
        Self { name: name.into(), label: label.into(), unit: unit.into() }
    }
}

/// The correlation of the models' estimates of a measure with another number for each model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Correlation {
    /// The measure's name.
    pub measure: Arc<str>,
    /// The other number, such as `fid`.
    pub with: Arc<str>,
    /// The coefficient, such as `Spearman's rho`.
    pub coefficient: Arc<str>,
    /// The model over whose levels of facets it is; absent over models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Arc<str>>,
    /// Models with both numbers, or levels of the model within which it is.
    pub models: u64,
    /// Outputs with both numbers, if the numbers are those of outputs and not of models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<u64>,
    /// The coefficient's value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The p value against no association.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The p value corrected for the family by Holm's method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_adjusted: Option<f64>,
    /// The coefficients among which p values are corrected, such as `6 coefficients of mode_ms with 2 metrics`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<Arc<str>>,
    /// Why it is not defined for these data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Arc<str>>,
}

/// A rater excluded from the findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exclusion {
    /// The rater.
    pub rater: Arc<str>,
    /// The rule, such as `left` or `disqualified`.
    pub rule: Arc<str>,
    /// Why the rule applies to this rater.
    pub reason: Arc<str>,
}

/// The earnings of raters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Earnings {
    /// The currency, by its ISO 4217 code.
    pub currency: Arc<str>,
    /// The total owed.
    pub total: Amount,
    /// The earnings of each rater, in the order of sessions.
    pub raters: Vec<RaterEarnings>,
}

/// The earnings of one rater.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RaterEarnings {
    /// The rater.
    pub rater: Arc<str>,
    /// For the qualification or for taking part.
    pub base: Amount,
    /// For right answers.
    pub bonus: Amount,
    /// For waiting until the study needed the rater.
    #[serde(default, skip_serializing_if = "Amount::is_zero")]
    pub waiting: Amount,
}

impl RaterEarnings {
    /// All of it.
    #[must_use]
    pub const fn total(&self) -> Amount {
        self.base.plus(self.bonus).plus(self.waiting)
    }
}
