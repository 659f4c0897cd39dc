//! The aggregator `by_facet`: models at each level of a facet, and what the levels say together.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::model::findings::{
    Estimate, Exclusion, FacetInteraction, FacetLevelFindings, GeneralizeTo, MeasureFindings, Note, Test,
};
use hype_core::plugin::aggregator::{Aggregation, NamedLevels, UsedFacet};
use hype_core::words::first_few;
use hype_core::{
    AggregateError, Aggregated, Aggregator, Diagnostics, Facet, Measure, NumberBounds, ScoreTable, Streams,
    register_aggregator,
};
use hype_stats::facets::interaction;
use hype_stats::multiple::holm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cells::{Comparability, FacetSums, ModelCells};
use super::contrasts::Contrasts;
use super::means::Means;
use super::population;
use crate::aggregators::ByModel;
use crate::aggregators::by_model::{Pairs, PublishedAnalysis, no_test};
use crate::aggregators::inference::{SMALLEST_P, family_of_levels};
use crate::aggregators::ordering::best_first;

/// The aggregator `by_facet`.
///
/// At each level of the facet, models are estimated, tested and compared as `by_model` does. The p value of each kind of test
/// is adjusted over the levels, and pairs at all levels are one family. The interaction tells whether differences between models depend on the level. Means over levels
/// give each level the same weight and, with `shares`, that of a population.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ByFacet {
    /// The facet, by its name in the section `facets`.
    pub within: String,
    /// The shares of the levels in the population that results are about, such as `{ under 40: 0.45, 40 and over: 0.55 }`. Means
    /// over levels are then given with these weights as well (post-stratification), with their design effects, and compared.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub shares: BTreeMap<Arc<str>, f64>,
    /// The measures to report, the study's score first; by default all that the aggregator is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Vec<String>>,
    /// An analysis as a paper describes it; it sets everything below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<PublishedAnalysis>,
    /// The population to which results generalize: by default other raters, and other items where items have prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generalize_to: Option<GeneralizeTo>,
    /// The confidence level: by default 0.95.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: Option<f64>,
    /// How pairs of models are compared.
    pub pairs: Pairs,
}

impl ByFacet {
    fn by_model(&self) -> ByModel {
        ByModel {
            measures: self.measures.clone(),
            preset: self.preset,
            generalize_to: self.generalize_to,
            level: self.level,
            pairs: self.pairs,
            ..ByModel::default()
        }
    }
}

impl Aggregator for ByFacet {
    type Sums = FacetSums;

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        self.by_model().check(measures, at);
        population::check(&self.shares, at);
    }

    fn generalizes_to(&self) -> Option<GeneralizeTo> {
        Aggregator::generalizes_to(&self.by_model())
    }

    fn used_facet(&self) -> Option<UsedFacet<'_>> {
        let names = || self.shares.keys().map(|level| &**level).collect();
        let levels =
            (!self.shares.is_empty()).then(|| NamedLevels { field: population::FIELD, levels: names() });
        Some(UsedFacet { field: "within", name: &self.within, is_number: false, levels })
    }

    fn begin(&self, context: &Aggregation) -> FacetSums {
        FacetSums::new(self.by_model(), &self.within, context)
    }

    fn add(&self, sums: &mut FacetSums, scores: &ScoreTable) -> Result<(), AggregateError> {
        sums.add(scores)
    }

    fn findings(
        &self,
        sums: FacetSums,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let facet = &sums.facet(exclusions)?;
        let samples = sums.samples(exclusions);
        let mut found = sums.estimates(&samples, exclusions, chance)?;
        let levels = sums.by_level(facet, &samples, exclusions);
        let compared = levels.iter().filter(|own| own.samples.iter().any(|one| one.models.len() > 1)).count();
        for (place, own) in levels.iter().enumerate() {
            let chance = chance.child("level", place as u64);
            let judged = own.judged(compared.max(1));
            let at = sums.by_model().of_samples(own.sums, &own.samples, (exclusions, judged), &chance);
            add_level(&mut found.measures, at.measures, facet, &own.level);
        }
        found.notes.extend(sums.unknown_raters(facet, exclusions));
        if facet.levels.is_empty() {
            return Ok(found);
        }
        let shares = match population::along(&self.shares, facet).transpose() {
            Ok(shares) => shares,
            Err(note) => {
                found.notes.push(note);
                None
            }
        };
        for sample in &samples {
            let own = found.measures.iter_mut().find(|known| known.measure.name == sample.measure.name);
            let Some(into) = own.filter(|known| known.measure.descriptive.is_none()) else { continue };
            let family = self.family(&mut into.facets, facet);
            adjust_tests(&mut into.facets);
            let models = sums.along(&levels, &sample.measure.name);
            found.notes.extend(missing_levels(&models, facet, &into.measure.name));
            let generalize_to = into.generalize_to.unwrap_or(GeneralizeTo::Raters);
            let level = sums.by_model().confidence_level();
            let contrasts = Contrasts::new(&models, generalize_to, level);
            let means = Means { contrasts: &contrasts, levels_are: sums.levels_are(generalize_to), level };
            let means_with = |weights: &[f64]| {
                let mean = |place| means.mean(&models, place, weights, &into.measure);
                let mut all: Vec<Estimate> = (0..models.len()).filter_map(mean).collect();
                all.sort_by(|a, b| best_first(into.measure.direction, a, b));
                all
            };
            let macro_means = means_with(&vec![1.0; facet.levels.len()]);
            let weighted = shares
                .as_ref()
                .map(|shares| population::weighted(&sums, &means, &models, shares, means_with(shares)));
            if shares.is_some() && means.levels_are == Comparability::InCommon {
                found.notes.extend(population::few_units(&sums, &models, facet, &into.measure.name));
            }
            let name = format!("interaction of {} and model", facet.name);
            let test =
                (models.len() > 1 && facet.levels.len() > 1).then(|| match sums.cells_are(generalize_to) {
                    Comparability::OtherRaters => of_other_raters(&models, facet, &name),
                    Comparability::InCommon => contrasts.interaction(&name),
                });
            into.interactions.push(FacetInteraction {
                facet: Arc::clone(&facet.name),
                levels: facet.levels.clone(),
                test,
                macro_means,
                weighted,
                family,
            });
        }
        sums.about_raters(&samples, &mut found);
        sums.withhold_missing(exclusions, &mut found);
        Ok(found)
    }
}

impl ByFacet {
    /// The words for the pairs at all levels, among which p values are adjusted, in place of those of single levels; `None` in a
    /// published analysis, where each level has its own.
    fn family(&self, at: &mut [FacetLevelFindings], facet: &Facet) -> Option<Arc<str>> {
        if self.preset.is_some() {
            return None;
        }
        for level in &mut *at {
            level.family = None;
            // Pairs at all levels are one family; their smallest p value at each level would be another.
            level.tests.retain(|test| !test.name.starts_with(SMALLEST_P));
        }
        family_of_levels(at, facet, "")
    }
}

/// Adds the findings at a level to those of their measures.
fn add_level(measures: &mut [MeasureFindings], at: Vec<MeasureFindings>, facet: &Facet, level: &Arc<str>) {
    for at in at {
        let name = &at.measure.name;
        if let Some(into) = measures.iter_mut().find(|known| known.measure.name == *name) {
            into.facets.push(FacetLevelFindings {
                facet: Arc::clone(&facet.name),
                level: Arc::clone(level),
                raters: at.raters,
                estimates: at.estimates,
                tests: at.tests,
                comparisons: at.comparisons,
                family: at.family,
            });
        }
    }
}

/// A warning that models were not judged at every level.
fn missing_levels(models: &[ModelCells], facet: &Facet, measure: &str) -> Option<Note> {
    let missing: Vec<&str> = models
        .iter()
        .filter(|model| model.samples.iter().any(Option::is_none))
        .map(|model| &*model.model)
        .collect();
    let text = format!(
        "{} not judged at every level of {}, and left out of means over levels",
        first_few(&missing),
        facet.name
    );
    (!missing.is_empty()).then(|| Note::meaning("missing-levels", text).about(measure).on_models(&missing))
}

/// Adjusts the p values of each kind of test over the levels.
fn adjust_tests(levels: &mut [FacetLevelFindings]) {
    let mut names: Vec<Arc<str>> =
        levels.iter().flat_map(|level| level.tests.iter().map(|test| Arc::clone(&test.name))).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let mut tests: Vec<&mut Test> = levels
            .iter_mut()
            .flat_map(|level| &mut level.tests)
            .filter(|test| test.name == name && test.p.is_some())
            .collect();
        let raw: Vec<f64> = tests.iter().filter_map(|test| test.p).collect();
        if let Ok(adjusted) = holm(&raw)
            && adjusted.len() > 1
        {
            tests.iter_mut().zip(adjusted).for_each(|(test, p)| test.p_adjusted = Some(p));
        }
    }
}

/// The interaction of levels and models whose cells have other raters each.
fn of_other_raters(models: &[ModelCells], facet: &Facet, name: &str) -> Test {
    let bare = || no_test(&format!("{name} (ANOVA-type)"), "F", None);
    let undefined = |why: String| Test { undefined: Some(why.into()), ..bare() };
    let complete: Option<Vec<Vec<Vec<f64>>>> = models.iter().map(ModelCells::complete).collect();
    let Some(complete) = complete else {
        return undefined(format!("a model has no values at a level of {}", facet.name));
    };
    let rows: Vec<Vec<&Vec<f64>>> =
        (0..facet.levels.len()).map(|level| complete.iter().map(|model| &model[level]).collect()).collect();
    match models.iter().try_for_each(ModelCells::check_inferred).and_then(|()| interaction(&rows)) {
        Ok(found) => Test {
            statistic: Some(found.f),
            df: vec![found.df_numerator, found.df_denominator],
            p: Some(found.p),
            ..bare()
        },
        Err(error) => undefined(error.to_string()),
    }
}

register_aggregator!(
    ByFacet,
    "by_facet",
    summary = "Models at each level of a facet, adjusted over levels; the interaction, and means over levels",
    citation = "Holm 1979; Brunner, Dette & Munk 1997; Satterthwaite 1946; Banerjee 1961; Zhou et al. 2019, HYPE, NeurIPS, section 4.4",
    example = "{ kind: by_facet, within: class, level: 0.95 }",
);
