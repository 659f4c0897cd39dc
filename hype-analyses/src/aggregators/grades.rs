//! The aggregator `grades`: strengths from comparisons in which raters say by how much.
//!
//! A grade is one row: the model shown first, the model that it was compared with, and by how many grades the first was
//! preferred; negative if the other was. The sums are a count, a sum and a sum of squares for each rater and ordered pair of
//! models, and for each item where results generalize to other items. With `within` they are kept by level of a facet, too.

use hype_core::model::findings::{Exclusion, GeneralizeTo};
use hype_core::plugin::aggregator::{Aggregation, UsedFacet};
use hype_core::{
    AggregateError, Aggregated, Aggregator, Diagnostics, Measure, NumberBounds, ScoreTable, Streams,
    register_aggregator,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::measures::GRADE;
use super::pairs::{PairCounts, PairTally};
use super::resampling::LEVEL;
use super::sides::unless_said;

mod findings;
mod levels;

use super::measures::is_grade;

/// The greatest grade, either way.
const MOST: f64 = 1_000.0;

/// The aggregator `grades`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GradedPreferences {
    /// The population to which results generalize: by default other raters, and other items where items have prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generalize_to: Option<GeneralizeTo>,
    /// The confidence level: by default 0.95.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: Option<f64>,
    /// Whether the model has a term for the order of presentation. Unless it is said, a table of votes has one if models did not
    /// stand first equally often, and a study's has none.
    #[serde(serialize_with = "unless_said")]
    #[schemars(with = "bool")]
    pub order_effect: Option<bool>,
    /// A facet, by its name in the section `facets`: results are also given at each of its levels, with one family of pairs over
    /// all levels, and whether they depend on the level is tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

impl GradedPreferences {
    fn confidence(&self) -> f64 {
        self.level.unwrap_or(LEVEL)
    }
}

/// Grades counted so far.
pub type PreferenceGrades = PairCounts<GradeSums>;

/// The grades of one rater's comparisons of two models on an item, summed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GradeSums {
    count: u64,
    sum: i64,
    squares: i64,
}

impl PairTally for GradeSums {
    const RULE: &'static str = "a grade is a whole number up to 1000 either way: by how much the model was preferred, \
                                negative if the other was, 0 for neither";

    fn count(&mut self, value: f64) -> Option<()> {
        if !(value.abs() <= MOST && value.fract() == 0.0) {
            return None;
        }
        let grade = value as i64;
        self.count += 1;
        self.sum += grade;
        self.squares += grade * grade;
        Some(())
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    fn comparisons(&self) -> u64 {
        self.count
    }

    fn mean_outcome(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }
}

impl Aggregator for GradedPreferences {
    type Sums = PreferenceGrades;

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        if !measures.iter().any(is_grade) {
            at.error("wrong-aggregator", format!("the aggregator grades needs graded comparisons, `{GRADE}`"))
                .help(
                    "the task and rubric `contrast` give them for criteria with `grades`; use `contrast` for votes",
                );
        }
    }

    fn generalizes_to(&self) -> Option<GeneralizeTo> {
        self.generalize_to
    }

    fn reported(&self, measure: &Measure) -> Measure {
        if is_grade(measure) { findings::strength(measure) } else { measure.clone() }
    }

    fn used_facet(&self) -> Option<UsedFacet<'_>> {
        let name = self.within.as_deref()?;
        Some(UsedFacet { field: "within", name, is_number: false, levels: None })
    }

    fn begin(&self, context: &Aggregation) -> PreferenceGrades {
        let measures = context.measures.iter().filter(|measure| is_grade(measure)).cloned().collect();
        let grades =
            PreferenceGrades::new(measures, self.generalize_to.unwrap_or(context.generalize_to), context)
                .with_sides(self.order_effect, context);
        match &self.within {
            Some(facet) => grades.within(facet, context),
            None => grades,
        }
    }

    fn add(&self, sums: &mut PreferenceGrades, scores: &ScoreTable) -> Result<(), AggregateError> {
        sums.add(scores)
    }

    fn findings(
        &self,
        sums: PreferenceGrades,
        exclusions: &[Exclusion],
        _: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let mut found = self.found(&sums, exclusions)?;
        sums.withhold_missing(exclusions, &mut found);
        Ok(found)
    }
}

register_aggregator!(
    GradedPreferences,
    "grades",
    summary = "Graded comparisons: strengths in grades by least squares, with clustered intervals",
    citation = "Scheffé 1952, An analysis of variance for paired comparisons, JASA; ITU-T P.910 (2023); by level: Boos 1992, The \
         American Statistician",
    example = "{ kind: grades, generalize_to: raters }",
);
