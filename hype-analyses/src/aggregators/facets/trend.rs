//! The aggregator `trend`: whether models rise or fall along a facet whose levels are numbers.

use std::sync::Arc;

use hype_core::model::facet::level_number;
use hype_core::model::findings::{Exclusion, FacetTrend, GeneralizeTo, Test};
use hype_core::plugin::aggregator::{Aggregation, UsedFacet};
use hype_core::{
    AggregateError, Aggregated, Aggregator, Diagnostics, Facet, FacetScale, Measure, NumberBounds,
    ScoreTable, Streams, register_aggregator,
};
use hype_stats::facets::{TrendScale, trend};
use hype_stats::multiple::holm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cells::{Comparability, FacetSums, ModelCells};
use super::contrasts::Contrasts;
use super::means::interval_over_levels;
use crate::aggregators::ByModel;
use crate::aggregators::by_model::no_test;

/// The aggregator `trend`: for each model the slope of its means along a facet, and whether the means depart from a line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TrendAlong {
    /// The facet, by its name in the section `facets`; its levels have to be numbers.
    pub along: String,
    /// The measures to report, the study's score first; by default all that the aggregator is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Vec<String>>,
    /// The population to which results generalize: by default other raters, and other items where items have prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generalize_to: Option<GeneralizeTo>,
    /// The confidence level: by default 0.95.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: Option<f64>,
}

impl TrendAlong {
    fn by_model(&self) -> ByModel {
        ByModel {
            measures: self.measures.clone(),
            generalize_to: self.generalize_to,
            level: self.level,
            ..ByModel::default()
        }
    }
}

impl Aggregator for TrendAlong {
    type Sums = FacetSums;

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        self.by_model().check(measures, at);
    }

    fn generalizes_to(&self) -> Option<GeneralizeTo> {
        self.generalize_to
    }

    fn used_facet(&self) -> Option<UsedFacet<'_>> {
        Some(UsedFacet { field: "along", name: &self.along, is_number: true, levels: None })
    }

    fn begin(&self, context: &Aggregation) -> FacetSums {
        FacetSums::new(self.by_model(), &self.along, context)
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
        found.notes.extend(sums.unknown_raters(facet, exclusions));
        for sample in &samples {
            let own = found.measures.iter_mut().find(|known| known.measure.name == sample.measure.name);
            let Some(into) = own.filter(|known| known.measure.descriptive.is_none()) else { continue };
            let models = sums.along(&levels, &sample.measure.name);
            let generalize_to = into.generalize_to.unwrap_or(GeneralizeTo::Raters);
            let level = sums.by_model().confidence_level();
            into.trends = match sums.levels_are(generalize_to) {
                Comparability::OtherRaters => {
                    models.iter().map(|model| self.of_other_raters(model, facet, level)).collect()
                }
                Comparability::InCommon => {
                    let contrasts = Contrasts::new(&models, generalize_to, level);
                    let in_common = |(place, model)| self.in_common(&contrasts, place, model, facet);
                    models.iter().enumerate().map(in_common).collect()
                }
            };
            adjust_trends(&mut into.trends);
        }
        sums.about_raters(&samples, &mut found);
        sums.withhold_missing(exclusions, &mut found);
        Ok(found)
    }
}

impl TrendAlong {
    /// A trend without values.
    fn bare(&self, model: &ModelCells, facet: &Facet) -> FacetTrend {
        FacetTrend {
            model: Arc::clone(&model.model),
            facet: Arc::clone(&facet.name),
            scale: facet.scale.unwrap_or_default(),
            slope: None,
            se: None,
            interval: None,
            t: None,
            df: None,
            p: None,
            p_adjusted: None,
            departure: None,
            undefined: None,
        }
    }

    /// The trend of a model over the levels at which it has values, which have raters or items in common.
    fn in_common(
        &self,
        contrasts: &Contrasts<'_>,
        place: usize,
        model: &ModelCells,
        facet: &Facet,
    ) -> FacetTrend {
        let numbers: Vec<f64> =
            facet.levels.iter().map(|level| level_number(level).unwrap_or(f64::NAN)).collect();
        contrasts.trend(
            place,
            &numbers,
            trend_scale(facet.scale.unwrap_or_default()),
            self.bare(model, facet),
        )
    }

    /// The trend of a model over the levels at which it has values, which have other raters each.
    fn of_other_raters(&self, model: &ModelCells, facet: &Facet, level: f64) -> FacetTrend {
        let bare = self.bare(model, facet);
        let (at, groups): (Vec<f64>, Vec<Vec<f64>>) = facet
            .levels
            .iter()
            .zip(&model.samples)
            .filter_map(|(level, sample)| Some((level_number(level)?, sample.as_ref()?.rater_means())))
            .unzip();
        let scale = trend_scale(facet.scale.unwrap_or_default());
        match model.check_inferred().and_then(|()| trend(&at, &groups, scale, level)) {
            Ok(found) => FacetTrend {
                slope: Some(found.slope.value),
                se: Some(found.slope.standard_error),
                interval: Some(interval_over_levels(&found.slope, groups.len())),
                t: Some(found.slope.value / found.slope.standard_error),
                df: Some(found.slope.degrees_of_freedom),
                p: Some(found.slope.p),
                departure: found.departure.map(|departure| Test {
                    statistic: Some(departure.f),
                    df: vec![departure.df_numerator, departure.df_denominator],
                    p: Some(departure.p),
                    ..no_test("departure from a line (ANOVA-type)", "F", None)
                }),
                ..bare
            },
            Err(error) => FacetTrend { undefined: Some(error.to_string().into()), ..bare },
        }
    }
}

const fn trend_scale(scale: FacetScale) -> TrendScale {
    match scale {
        FacetScale::Linear => TrendScale::Identity,
        FacetScale::Log => TrendScale::Log,
    }
}

/// Adjusts the p values of several models' trends.
fn adjust_trends(trends: &mut [FacetTrend]) {
    let raw: Vec<f64> = trends.iter().filter_map(|trend| trend.p).collect();
    if let Ok(adjusted) = holm(&raw)
        && adjusted.len() > 1
    {
        let tested = trends.iter_mut().filter(|trend| trend.p.is_some());
        tested.zip(adjusted).for_each(|(trend, p)| trend.p_adjusted = Some(p));
    }
}

register_aggregator!(
    TrendAlong,
    "trend",
    summary = "Whether models rise or fall along a facet of numbers, and whether they depart from a line",
    citation = "Brunner, Dette & Munk 1997; Satterthwaite 1946; Zhou et al. 2019, HYPE, NeurIPS, section 4.5",
    example = "{ kind: trend, along: epoch }",
);
