//! The aggregator `by_model`: for each model an estimate with its interval, tests over models, and pairs.
//!
//! The target of generalization decides the rest. For other raters of the same items, a rater's values for a model are
//! averaged first, and those means are the sample. Where items vary too, the estimate is the mean of all responses, and
//! errors come from the sums over raters and over items. Estimates, intervals, tests and pairs of one measure all follow
//! the same target.
//!
//! Values stream in; the state is one sum and one count for each rater, model and measure (and item, if items vary).

use std::sync::Arc;

use hype_core::model::findings::{Exclusion, GeneralizeTo};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{
    AggregateError, Aggregated, Aggregator, Bounded, Diagnostics, Measure, NumberBounds, PlannedComparisons,
    RaterDesign, ScoreTable, Streams, register_aggregator,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aggregators::DeclaredMargin;
use crate::aggregators::measures::is_preference;
use crate::aggregators::resampling::{Bootstrap, LEVEL};
use crate::score_rows::check_measures;

mod basis;
mod censored;
mod comparisons;
mod conclusions;
mod errors;
mod estimates;
mod notes;
mod of_raters;
mod settings;
mod skewness;
mod sums;
mod untested;
mod within;

pub(in crate::aggregators) use self::censored::check_inferred;
pub(in crate::aggregators) use self::errors::{clustered, value};
use self::notes::descriptive_notes;
pub(in crate::aggregators) use self::of_raters::about_raters;
pub use self::settings::{IntervalMethod, Pairs, PublishedAnalysis, TestFamily};
pub use self::sums::Sums;
pub(in crate::aggregators) use self::sums::{ModelSample, Sample, distinct_items, distinct_raters};
pub(in crate::aggregators) use self::untested::no_test;

/// How the models of samples were judged.
#[derive(Debug, Clone, Copy)]
pub(in crate::aggregators) struct Judged<'s> {
    /// How they were assigned to raters.
    pub(in crate::aggregators) design: RaterDesign,
    /// Those of them that are real sets.
    pub(in crate::aggregators) real: &'s [Arc<str>],
    /// The number of levels whose pairs are one family; 1 for values over all levels.
    pub(in crate::aggregators) levels: usize,
}

/// The aggregator `by_model`.
///
/// By default intervals are Student's t over what the results generalize to, and pairs are compared as [`Pairs::Auto`]
/// says; docs/why/statistics.md has the reasons. `preset: hype-2019` is the analysis of the HYPE paper.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ByModel {
    /// The measures to report, the study's score first; by default all that the aggregator is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Vec<String>>,
    /// An analysis as a paper describes it; it sets everything below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<PublishedAnalysis>,
    /// The population to which results generalize: by default other raters, and other items where items have prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generalize_to: Option<GeneralizeTo>,
    /// How intervals are computed: by default Student's t, or the percentiles of a `bootstrap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<IntervalMethod>,
    /// The confidence level: by default 0.95.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: Option<f64>,
    /// Computes intervals from percentiles of a bootstrap, which are too narrow with few units; without it they are by standard
    /// errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<Bootstrap>,
    /// How pairs of models are compared.
    pub pairs: Pairs,
    /// The comparisons among which p values are adjusted.
    #[serde(skip_serializing_if = "is_default")]
    pub family: TestFamily,
    /// How far a model may be from a measure's reference value, such as a fooling rate of 0.5, and still count as equivalent
    /// to it. By default it is about the first measure with a reference value. Without it, findings have the smallest margin
    /// that the data support.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equivalence: Option<DeclaredMargin>,
    /// By how much a model may be worse than real stimuli and still count as no worse, if the same is asked about them. By
    /// default it is about the first measure that has a better direction. Without it, findings have the smallest margin that
    /// the data support.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub non_inferiority: Option<DeclaredMargin>,
}

fn is_default(family: &TestFamily) -> bool {
    *family == TestFamily::default()
}

/// How many resamples Zhou et al. 2019 take, and we unless a spec has another number.
const RESAMPLES: u32 = 10_000;

/// The settings with their defaults filled in.
#[derive(Debug, Clone, Copy)]
struct Plan {
    generalize_to: GeneralizeTo,
    interval: IntervalMethod,
    level: f64,
    resamples: u32,
    pairs: Pairs,
    preset: Option<PublishedAnalysis>,
    /// The number of measures, times that of levels, whose pairs are adjusted together.
    families: usize,
    /// The number of measures whose comparisons with a reference value are adjusted together.
    reference_families: usize,
    /// The declared margins of the measure.
    equivalence: Option<f64>,
    non_inferiority: Option<f64>,
}

/// The numbers of measures that are tested.
#[derive(Debug, Clone, Copy, Default)]
struct Families {
    /// Those whose models are compared.
    compared: usize,
    /// Those with a reference value.
    with_reference: usize,
}

impl Families {
    fn of(measures: &[&Measure]) -> Self {
        let count = |is: fn(&Measure) -> bool| measures.iter().filter(|one| is(one)).count();
        Self {
            compared: count(Measure::is_compared),
            with_reference: count(|measure| measure.reference.is_some()),
        }
    }

    fn of_samples(samples: &[Sample]) -> Self {
        let with_models = |fewest: usize| -> Vec<&Measure> {
            let enough = samples.iter().filter(|sample| sample.models.len() >= fewest);
            enough.map(|sample| &sample.measure).collect()
        };
        Self {
            compared: Self::of(&with_models(2)).compared,
            with_reference: Self::of(&with_models(1)).with_reference,
        }
    }
}

impl Plan {
    /// The plan with the declared margins of one of the `measures`.
    fn for_measure(self, settings: &ByModel, measure: &Measure, measures: &[&Measure]) -> Self {
        let first = |is: fn(&Measure) -> bool| measures.iter().copied().find(|one| is(one));
        let margin = |declared: &Option<DeclaredMargin>, first| declared.as_ref()?.of(measure, first);
        Self {
            equivalence: margin(&settings.equivalence, first(|measure| measure.reference.is_some())),
            non_inferiority: margin(&settings.non_inferiority, first(Measure::is_compared)),
            ..self
        }
    }

    /// The plan whose pairs at so many levels are one family. A published analysis tests each level by itself.
    fn at_levels(self, levels: usize) -> Self {
        match self.preset {
            Some(PublishedAnalysis::Hype2019) => self,
            None => Self { families: self.families * levels, ..self },
        }
    }
}

impl ByModel {
    /// The measures to report.
    fn wanted(&self, context: &Aggregation) -> Vec<Measure> {
        let Some(names) = &self.measures else { return context.measures.clone() };
        let named = |name: &String| context.measures.iter().find(|measure| &*measure.name == name).cloned();
        names.iter().filter_map(named).collect()
    }

    /// Whether responses are kept by item.
    fn by_item(&self, context: &Aggregation) -> bool {
        self.target(context.generalize_to) != GeneralizeTo::Raters
    }

    /// Returns the target that the settings ask for, where the study's items suggest `otherwise`.
    fn target(&self, otherwise: GeneralizeTo) -> GeneralizeTo {
        Aggregator::generalizes_to(self).unwrap_or(otherwise)
    }

    /// The plan for samples that allow for a target.
    fn plan(&self, generalize_to: GeneralizeTo, families: Families) -> Plan {
        let together = |measures: usize| if self.family == TestFamily::Rubric { measures.max(1) } else { 1 };
        let resamples = self.bootstrap.and_then(|bootstrap| bootstrap.resamples);
        let plan = Plan {
            generalize_to,
            interval: self.interval.unwrap_or(match self.bootstrap {
                Some(_) => IntervalMethod::Percentile,
                None => IntervalMethod::T,
            }),
            level: self.level.unwrap_or(LEVEL),
            resamples: resamples.map_or(RESAMPLES, Bounded::get),
            pairs: self.pairs,
            preset: self.preset,
            families: together(families.compared),
            reference_families: together(families.with_reference),
            equivalence: None,
            non_inferiority: None,
        };
        match self.preset {
            None => plan,
            Some(PublishedAnalysis::Hype2019) => Plan {
                interval: IntervalMethod::Percentile,
                level: LEVEL,
                resamples: RESAMPLES,
                pairs: Pairs::TukeyKramer,
                families: 1,
                reference_families: 1,
                ..plan
            },
        }
    }
}

impl Aggregator for ByModel {
    type Sums = Sums;

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        let plan = self.plan(self.target(GeneralizeTo::Raters), Families::default());
        if plan.generalize_to != GeneralizeTo::Raters
            && matches!(plan.interval, IntervalMethod::Bca | IntervalMethod::BootstrapT)
        {
            at.field("interval")
                .error(
                    "no-such-interval",
                    format!("there is no such bootstrap over {}", plan.generalize_to.units()),
                )
                .help("use `interval: t` or `interval: percentile`, or `generalize_to: raters`");
        }
        if plan.generalize_to == GeneralizeTo::Items && plan.interval == IntervalMethod::Percentile {
            at.field("interval")
                .error("no-such-interval", "there is no bootstrap over items alone")
                .help("use `interval: t`");
        }
        at.within("measures", |at| check_measures(self.measures.as_deref(), measures, at));
        for measure in measures {
            let (Some(reference), Some([least, most])) = (&measure.reference, measure.ends()) else {
                continue;
            };
            if !(least..=most).contains(&reference.value) {
                at.error(
                    "reference-outside",
                    format!("{}: no value can be {}", measure.label, reference.value),
                )
                .help(format!("give a reference value between {least} and {most}"));
            }
        }
        let first = |is: fn(&Measure) -> bool| measures.iter().find(|one| is(one));
        if let Some(declared) = &self.equivalence {
            at.within("equivalence", |at| {
                let widest = |measure: &Measure, [least, most]: [f64; 2]| {
                    let reference = measure.reference.as_ref().map_or(least, |reference| reference.value);
                    (reference - least).max(most - reference)
                };
                declared.check(measures, first(|measure| measure.reference.is_some()), widest, at);
                if !measures.iter().any(|measure| measure.reference.is_some()) {
                    at.error(
                        "no-reference",
                        "no measure of the rubric has a reference value to be equivalent to",
                    )
                    .help("leave `equivalence` out");
                }
            });
        }
        if let Some(declared) = &self.non_inferiority {
            at.within("non_inferiority", |at| {
                declared.check(measures, first(Measure::is_compared), |_, [least, most]| most - least, at);
            });
        }
        if measures.iter().any(is_preference) {
            at.error(
                "wrong-aggregator",
                "the rubric gives votes between two models, which `by_model` cannot analyse",
            )
            .help("use `contrast`, or leave `aggregate` out");
        }
    }

    fn generalizes_to(&self) -> Option<GeneralizeTo> {
        let resampled = self.bootstrap.map(|_| GeneralizeTo::Raters);
        let preset = self.preset.map(|PublishedAnalysis::Hype2019| GeneralizeTo::Raters);
        preset.or(self.generalize_to).or(resampled)
    }

    fn planned_comparisons(
        &self,
        context: &Aggregation,
        measure: &Measure,
        models: usize,
        raters: u32,
    ) -> Option<PlannedComparisons> {
        let wanted = self.wanted(context);
        let measures: Vec<&Measure> = wanted.iter().collect();
        let families = if models > 1 { Families::of(&measures) } else { Families::default() };
        let plan =
            self.plan(self.target(context.generalize_to), families).for_measure(self, measure, &measures);
        let is_planned = plan.is_between(context.design_of_all())
            && measure.descriptive.is_none()
            && wanted.iter().any(|one| one.name == measure.name);
        is_planned.then(|| plan.planned_comparisons(&measure.unit, models, raters))
    }

    fn begin(&self, context: &Aggregation) -> Sums {
        Sums::new(self.wanted(context), context, self.by_item(context), self.preset.is_none())
    }

    fn add(&self, sums: &mut Sums, scores: &ScoreTable) -> Result<(), AggregateError> {
        sums.add(scores)
    }

    fn findings(
        &self,
        sums: Sums,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let samples = sums.samples(exclusions);
        sums.check_scores(&samples)?;
        let judged = Judged { design: sums.design(), real: sums.real(), levels: 1 };
        let mut found = self.of_samples(&sums, &samples, (exclusions, judged), chance);
        self.about_raters(&sums, &samples, &mut found);
        sums.withhold_missing(exclusions, &mut found);
        Ok(found)
    }
}

impl ByModel {
    /// The level of intervals.
    pub(in crate::aggregators) fn confidence_level(&self) -> f64 {
        self.plan(GeneralizeTo::Raters, Families::default()).level
    }

    /// Adds what raters have to do with the values, each once.
    fn about_raters(&self, sums: &Sums, samples: &[Sample], found: &mut Aggregated) {
        let mut notes = about_raters(samples, &mut found.measures);
        let first = samples.iter().find(|sample| sample.measure.is_compared() && sample.models.len() > 1);
        let found_first =
            first.and_then(|first| found.measures.iter().find(|one| one.measure.name == first.measure.name));
        if let (Some(sample), Some(found)) = (first, found_first) {
            let families = Families::of_samples(samples);
            let plan = self.plan(found.generalize_to.unwrap_or(GeneralizeTo::Raters), families);
            notes.extend(plan.without_rater(sample, sums.design(), found, |number| sums.rater(number)));
        }
        found.notes.extend(notes);
    }

    /// The findings of samples from these sums.
    pub(in crate::aggregators) fn of_samples(
        &self,
        sums: &Sums,
        samples: &[Sample],
        (exclusions, Judged { design, real, levels }): (&[Exclusion], Judged<'_>),
        chance: &Streams,
    ) -> Aggregated {
        let mut found = Aggregated::default();
        let families = Families::of_samples(samples);
        let all: Vec<&Measure> = samples.iter().map(|sample| &sample.measure).collect();
        let wanted = self.target(sums.context_target());
        for sample in samples {
            if sample.models.is_empty() {
                continue;
            }
            let possible = sample.has_items();
            let generalize_to = if possible { wanted } else { GeneralizeTo::Raters };
            let plan =
                self.plan(generalize_to, families).for_measure(self, &sample.measure, &all).at_levels(levels);
            found.notes.extend(plan.design_notes(&sample.inferred(), design, wanted));
            let mut findings = plan.measure_findings(sample, (design, real), chance, &mut found.notes);
            let other = |name: &str| sums.sample_of(name, exclusions);
            plan.add_basis(&mut findings, sample, other, &mut found.notes);
            found.measures.push(findings);
        }
        found.notes.extend(censored::withheld_notes(sums, samples, exclusions));
        found.notes.extend(descriptive_notes(&found.measures));
        found
    }
}

register_aggregator!(
    ByModel,
    "by_model",
    summary = "For each model an estimate with its interval; tests over models and compared pairs",
    citation = "Student 1908; Banerjee 1960; Games & Howell 1976; Zhou et al. 2019, HYPE, NeurIPS (preset: hype-2019)",
    example = "{ kind: by_model, generalize_to: raters, level: 0.95 }",
);
