//! Conclusions from estimates: differences from a reference, equivalence, non-inferiority to real stimuli, and how
//! sure the order of models is.

use std::sync::Arc;

use hype_core::model::findings::{
    AgainstReal, AgainstReference, Estimate, MarginTest, ModelRanks, RankFindings, RankRange, RealComparison,
    ReferenceComparison, ResampledLead, ResampledOrder, ResampledOrders,
};
use hype_core::{Diagnostics, Direction, Measure, NumberBounds, ReferenceValue};
use hype_stats::StatError;
use hype_stats::bootstrap::IntervalEstimate;
use hype_stats::clustered::ClusteredEstimate;
use hype_stats::equivalence::{
    Better, EquivalenceRegion, MeanEvidence, equivalence, non_inferiority, smallest_margin,
};
use hype_stats::ordering::{PairwiseOrder, RankSet, order_shares};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use super::inference::{Compared, Difference, family_of};
use super::many::are_compared;
use super::measures::PROPORTION;
use crate::score_rows::check_measures;

/// Margins in the unit of a measure.
const MARGIN: NumberBounds = NumberBounds::positive(f64::INFINITY, 0.05);
/// How many of the most frequent orders are kept.
const ORDERS: usize = 5;

/// A margin that is declared before the results are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeclaredMargin {
    /// The margin, in the unit of the measures that it is about.
    #[schemars(transform = MARGIN.schema())]
    pub margin: f64,
    /// The measures that it is about; by default the first one to which the question applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measures: Option<Vec<String>>,
}

impl DeclaredMargin {
    /// Checks the measures and that the margin leaves values outside, at the path of the settings. `first` is the first measure to
    /// which the question applies, and `widest` the distance within which all values of a measure with these ends lie.
    pub(crate) fn check(
        &self,
        measures: &[Measure],
        first: Option<&Measure>,
        widest: impl Fn(&Measure, [f64; 2]) -> f64,
        at: &mut Diagnostics,
    ) {
        at.within("measures", |at| check_measures(self.measures.as_deref(), measures, at));
        let meant = measures.iter().filter(|one| self.of(one, first).is_some());
        let bounded = meant.filter_map(|one| Some((one, widest(one, one.ends()?))));
        for (measure, widest) in bounded.filter(|(_, widest)| self.margin >= *widest) {
            let (what, such_as) = match &*measure.unit {
                PROPORTION => (" is a proportion, of which", ", such as 0.05 for five percentage points"),
                _ => (":", ""),
            };
            at.field("margin")
                .error(
                    "margin-too-wide",
                    format!("{}{what} every value lies within {}", measure.label, self.margin),
                )
                .help(format!("give a margin below {widest}{such_as}"));
        }
    }

    /// The margin for a measure, where `first` is the first one to which the question applies.
    pub(crate) fn of(&self, measure: &Measure, first: Option<&Measure>) -> Option<f64> {
        let is_meant = match &self.measures {
            Some(names) => names.iter().any(|name| *name == *measure.name),
            None => first.is_some_and(|first| first.name == measure.name),
        };
        is_meant.then_some(self.margin)
    }
}

/// Compares estimates with a reference value. P values, intervals and margins hold for all models and `measures` together, by
/// Bonferroni's correction.
pub(crate) fn against_reference(
    reference: &ReferenceValue,
    margin: Option<f64>,
    level: f64,
    measures: usize,
    models: Vec<(Arc<str>, f64, Result<Evidence, StatError>)>,
) -> Option<AgainstReference> {
    if models.is_empty() {
        return None;
    }
    let family = (models.len() * measures) as f64;
    let alpha = (1.0 - level) / family;
    let family_name = family_of(models.len(), ["model", "models"], measures);
    let compared = |(model, value, evidence): (Arc<str>, f64, Result<Evidence, StatError>)| {
        let bare = ReferenceComparison {
            model,
            difference: value - reference.value,
            interval: None,
            p: None,
            within_margin: None,
            smallest_margin: None,
            undefined: None,
        };
        let found = evidence.and_then(|evidence| {
            let region = |margin| EquivalenceRegion::symmetric(reference.value, margin);
            let tested = margin.map(|margin| equivalence(&evidence, region(margin), alpha)).transpose()?;
            let mut interval = evidence.finding(1.0 - alpha)?;
            interval.level = level;
            Ok(ReferenceComparison {
                interval: Some(interval),
                p: Some((family * evidence.p_equal(reference.value)?).min(1.0)),
                within_margin: tested
                    .map(|found| MarginTest { p: (family * found.p).min(1.0), shown: found.shown }),
                smallest_margin: Some(smallest_margin(&evidence, reference.value, alpha)?),
                ..bare.clone()
            })
        });
        found
            .unwrap_or_else(|error| ReferenceComparison { undefined: Some(error.to_string().into()), ..bare })
    };
    Some(AgainstReference {
        reference: reference.clone(),
        level,
        margin,
        family: family_name,
        models: models.into_iter().map(compared).collect(),
    })
}

const fn better(direction: Direction) -> Option<Better> {
    match direction {
        Direction::Higher => Some(Better::Higher),
        Direction::Lower => Some(Better::Lower),
        Direction::Neither => None,
    }
}

/// Compares models with real stimuli. P values, bounds and margins hold for all comparisons together, by Bonferroni's
/// correction. `None` if there is nothing real, or nothing else, or the measure has no better direction.
pub(crate) fn against_real(
    compared: &Compared<'_>,
    direction: Direction,
    real: &[Arc<str>],
    margin: Option<f64>,
    estimates: &[Estimate],
    difference_of: impl Fn(usize, usize) -> Difference,
) -> Option<AgainstReal> {
    let better = better(direction)?;
    let is_real = |model: &Arc<str>| real.contains(model);
    let place = |model: &Arc<str>| compared.models.iter().position(|known| known == model);
    let pairs: Vec<(&Arc<str>, &Arc<str>)> = estimates
        .iter()
        .filter(|one| !is_real(&one.model))
        .flat_map(|one| {
            estimates.iter().filter(|other| is_real(&other.model)).map(|other| (&one.model, &other.model))
        })
        .collect();
    if pairs.is_empty() {
        return None;
    }
    let family = (pairs.len() * compared.families) as f64;
    let alpha = (1.0 - compared.level) / family;
    let tested = |model: &Arc<str>, real: &Arc<str>| {
        let (difference, variance) = difference_of(place(model)?, place(real)?);
        let bare = RealComparison {
            model: Arc::clone(model),
            real: Arc::clone(real),
            difference,
            se: None,
            df: Vec::new(),
            bound: None,
            within_margin: None,
            smallest_margin: None,
            undefined: None,
        };
        let found = variance.and_then(|variance| {
            let evidence = ClusteredEstimate::new(difference, variance)?;
            let range = evidence.interval(1.0 - 2.0 * alpha)?;
            let (bound, smallest) = match better {
                Better::Higher => (range.lower, -range.lower),
                Better::Lower => (range.upper, range.upper),
            };
            let test = |margin| non_inferiority(&evidence, 0.0, margin, better, alpha);
            let tested = margin.map(test).transpose()?;
            Ok(RealComparison {
                se: Some(variance.standard_error()),
                df: variance.degrees_of_freedom(),
                bound: Some(bound),
                within_margin: tested
                    .map(|found| MarginTest { p: (family * found.p).min(1.0), shown: found.shown }),
                smallest_margin: Some(smallest),
                ..bare.clone()
            })
        });
        Some(
            found
                .unwrap_or_else(|error| RealComparison { undefined: Some(error.to_string().into()), ..bare }),
        )
    };
    Some(AgainstReal {
        level: compared.level,
        method: compared.method.as_str().into(),
        margin,
        family: family_of(
            pairs.len(),
            ["comparison with real stimuli", "comparisons with real stimuli"],
            compared.families,
        ),
        models: pairs.iter().filter_map(|(model, real)| tested(model, real)).collect(),
    })
}

/// Evidence about the difference of two models. A difference of unknown error shows nothing.
enum PairEvidence {
    Known(ClusteredEstimate),
    None(f64),
}

impl PairEvidence {
    fn of((difference, variance): Difference) -> Self {
        variance
            .and_then(|variance| ClusteredEstimate::new(difference, variance))
            .map_or(Self::None(difference), Self::Known)
    }
}

impl MeanEvidence for PairEvidence {
    fn estimate(&self) -> f64 {
        match self {
            Self::Known(known) => known.estimate(),
            Self::None(difference) => *difference,
        }
    }

    fn p_at_most(&self, value: f64) -> Result<f64, StatError> {
        match self {
            Self::Known(known) => known.p_at_most(value),
            Self::None(_) => Ok(1.0),
        }
    }

    fn p_at_least(&self, value: f64) -> Result<f64, StatError> {
        match self {
            Self::Known(known) => known.p_at_least(value),
            Self::None(_) => Ok(1.0),
        }
    }

    fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        match self {
            Self::Known(known) => known.interval(level),
            Self::None(_) => Ok(IntervalEstimate { lower: f64::NEG_INFINITY, upper: f64::INFINITY, level }),
        }
    }
}

/// The ranks that the models may have, in the order of the estimates. `None` if the measure has no better direction or there
/// is no pair of models whose difference has an error, for [too many](super::many) models, and where only one model is compared with
/// the others.
pub(crate) fn ranks(
    compared: &Compared<'_>,
    direction: Direction,
    estimates: &[Estimate],
    difference_of: impl Fn(usize, usize) -> Difference,
) -> Option<RankFindings> {
    let better =
        better(direction).filter(|_| are_compared(compared.models.len()) && compared.one_of_all.is_none())?;
    let mut is_known = false;
    let order = PairwiseOrder::new(compared.models.len(), better, |a, b| {
        let evidence = PairEvidence::of(difference_of(a, b));
        is_known |= matches!(evidence, PairEvidence::Known(_));
        Ok(evidence)
    })
    .ok()?;
    if !is_known {
        return None;
    }
    let level = 1.0 - (1.0 - compared.level) / compared.families as f64;
    let (simultaneous, marginal) = (order.simultaneous(level).ok()?, order.marginal(level).ok()?);
    let range = |set: RankSet| RankRange { best: set.best as u64, worst: set.worst as u64 };
    let of_model = |estimate: &Estimate| {
        let place = compared.models.iter().position(|model| *model == estimate.model)?;
        Some(ModelRanks {
            model: Arc::clone(&estimate.model),
            simultaneous: range(simultaneous[place]),
            marginal: range(marginal[place]),
        })
    };
    Some(RankFindings {
        level: compared.level,
        method: format!("{}, Holm over all ordered pairs", compared.method).into(),
        models: estimates.iter().filter_map(of_model).collect(),
    })
}

/// How often each order came up among resamples of `units`, whose `values` are one resample after the other, each with one
/// value for each of the `models`. `None` if the measure has no better direction or no resample has all values.
pub(crate) fn resampled_orders(
    units: &str,
    models: &[Arc<str>],
    direction: Direction,
    values: &[f64],
    estimates: &[Estimate],
) -> Option<ResampledOrders> {
    let found = order_shares(values, models.len(), better(direction)?).ok()?;
    let lead = |estimate: &Estimate| {
        let place = models.iter().position(|model| *model == estimate.model)?;
        Some(ResampledLead { model: Arc::clone(&estimate.model), share: found.lead[place] })
    };
    let named = |group: &Vec<usize>| group.iter().map(|&place| Arc::clone(&models[place])).collect();
    Some(ResampledOrders {
        units: units.into(),
        resamples: found.resamples as u64,
        undefined: found.undefined as u64,
        lead: estimates.iter().filter_map(lead).collect(),
        orders: found
            .orders
            .iter()
            .take(ORDERS)
            .map(|one| ResampledOrder { order: one.order.iter().map(named).collect(), share: one.share })
            .collect(),
    })
}

/// The values of several distributions, one resample after the other; `None` if they do not have the same resamples.
pub(crate) fn side_by_side(columns: &[&[f64]]) -> Option<Vec<f64>> {
    let resamples = columns.first()?.len();
    if columns.iter().any(|column| column.len() != resamples) {
        return None;
    }
    Some((0..resamples).flat_map(|row| columns.iter().map(move |column| column[row])).collect())
}
