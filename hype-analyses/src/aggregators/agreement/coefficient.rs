//! Coefficients of agreement over one sample of ratings.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::model::findings::{Agreement, Column, Interval, Table};
use hype_core::{MeasureScale, Streams};
use hype_stats::StatError;
use hype_stats::agreement::{
    AgreementCoefficient, AgreementOverItems, AgreementRatings, CompleteRatings, GwetWeights, Icc, IccModel,
    IccUnit, ScaleDifference, Weights, bootstrap_icc, bootstrap_items, bootstrap_items_and_raters,
    bootstrap_raters, cohen_kappa, has_few_items, icc, kendall_w,
};
use hype_stats::bootstrap::{CrossedResamples, statistic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::AgreementUnit;
use crate::aggregators::resampling::{Resampling, interval};
use crate::score_rows::{ScoreRow, ScoreRows, distinct};

/// A coefficient of agreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CoefficientKind {
    /// The share of agreeing pairs of ratings of an item, averaged over items.
    Percent,
    /// Cohen's kappa of every two raters, and its mean (Light 1971).
    Cohen,
    /// Cohen's kappa with linear weights of every two raters, and its mean.
    CohenLinear,
    /// Cohen's kappa with quadratic weights of every two raters, and its mean.
    CohenQuadratic,
    /// Fleiss' kappa; its generalised form where items have unequal numbers of ratings.
    Fleiss,
    /// Krippendorff's alpha by what the values are: of categories for codes of options without an order, of numbers for
    /// answers that are numbers, else of ordered categories.
    Krippendorff,
    /// Krippendorff's alpha of categories.
    KrippendorffNominal,
    /// Krippendorff's alpha of ordered categories.
    KrippendorffOrdinal,
    /// Krippendorff's alpha of numbers with meaningful differences.
    KrippendorffInterval,
    /// Krippendorff's alpha of numbers with a true zero.
    KrippendorffRatio,
    /// Gwet's AC1 or AC2 by what the values are, as for `krippendorff`. It stays near percent agreement where nearly all answers are
    /// the same, where kappa and alpha fall to 0.
    Gwet,
    /// Gwet's AC1, of categories.
    GwetNominal,
    /// Gwet's AC2 of ordered categories, with ordinal weights.
    GwetOrdinal,
    /// Gwet's AC2 of numbers with meaningful differences, with quadratic weights.
    GwetInterval,
    /// ICC(1,1): different raters for each item.
    Icc1,
    /// ICC(2,1): the same raters, taken from many; absolute agreement.
    Icc2,
    /// ICC(3,1): these raters only; consistency.
    Icc3,
    /// ICC(1,k) of the mean over raters.
    Icc1k,
    /// ICC(2,k) of the mean over raters.
    Icc2k,
    /// ICC(3,k) of the mean over raters.
    Icc3k,
    /// Kendall's W of the items' order by each rater.
    KendallW,
}

impl CoefficientKind {
    /// The name in findings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Percent => "percent agreement",
            Self::Cohen => "Cohen's kappa, mean over pairs",
            Self::CohenLinear => "Cohen's kappa (linear weights), mean over pairs",
            Self::CohenQuadratic => "Cohen's kappa (quadratic weights), mean over pairs",
            Self::Fleiss => "Fleiss' kappa",
            Self::Krippendorff => "Krippendorff's alpha",
            Self::KrippendorffNominal => "Krippendorff's alpha (nominal)",
            Self::KrippendorffOrdinal => "Krippendorff's alpha (ordinal)",
            Self::KrippendorffInterval => "Krippendorff's alpha (interval)",
            Self::KrippendorffRatio => "Krippendorff's alpha (ratio)",
            Self::Gwet => "Gwet's AC",
            Self::GwetNominal => "Gwet's AC1",
            Self::GwetOrdinal => "Gwet's AC2 (ordinal)",
            Self::GwetInterval => "Gwet's AC2 (interval)",
            Self::Icc1 => "ICC(1,1)",
            Self::Icc2 => "ICC(2,1)",
            Self::Icc3 => "ICC(3,1)",
            Self::Icc1k => "ICC(1,k)",
            Self::Icc2k => "ICC(2,k)",
            Self::Icc3k => "ICC(3,k)",
            Self::KendallW => "Kendall's W",
        }
    }

    /// The coefficient for values of a scale, for one that leaves that to the measure.
    pub(crate) const fn for_scale(self, scale: Option<MeasureScale>) -> Self {
        match (self, scale) {
            (Self::Krippendorff, Some(MeasureScale::Nominal)) => Self::KrippendorffNominal,
            (Self::Krippendorff, Some(MeasureScale::Interval)) => Self::KrippendorffInterval,
            (Self::Krippendorff, Some(MeasureScale::Ordinal) | None) => Self::KrippendorffOrdinal,
            (Self::Gwet, Some(MeasureScale::Nominal)) => Self::GwetNominal,
            (Self::Gwet, Some(MeasureScale::Interval)) => Self::GwetInterval,
            (Self::Gwet, Some(MeasureScale::Ordinal) | None) => Self::GwetOrdinal,
            (chosen, _) => chosen,
        }
    }

    /// Whether it falls where nearly all answers are the same.
    pub(crate) const fn is_corrected_for_chance(self) -> bool {
        let is_alpha = matches!(self.by_value(), Some(AgreementCoefficient::KrippendorffAlpha(_)));
        is_alpha || matches!(self, Self::Fleiss) || self.weights().is_some()
    }

    /// Whether it works on ratings by value, for which there are intervals over clusters of items.
    pub(crate) const fn is_by_value(self) -> bool {
        self.by_value().is_some()
    }

    /// The coefficient, if it works on ratings by value, whose raters may differ between items.
    const fn by_value(self) -> Option<AgreementCoefficient> {
        Some(match self {
            Self::Percent => AgreementCoefficient::PercentAgreement,
            Self::Fleiss => AgreementCoefficient::FleissKappa,
            Self::KrippendorffNominal => AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Nominal),
            Self::Krippendorff | Self::KrippendorffOrdinal => {
                AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Ordinal)
            }
            Self::KrippendorffInterval => AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Interval),
            Self::KrippendorffRatio => AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Ratio),
            Self::GwetNominal => AgreementCoefficient::Gwet(GwetWeights::Identity),
            Self::Gwet | Self::GwetOrdinal => AgreementCoefficient::Gwet(GwetWeights::Ordinal),
            Self::GwetInterval => AgreementCoefficient::Gwet(GwetWeights::Quadratic),
            _ => return None,
        })
    }

    const fn weights(self) -> Option<Weights> {
        match self {
            Self::Cohen => Some(Weights::Unweighted),
            Self::CohenLinear => Some(Weights::Linear),
            Self::CohenQuadratic => Some(Weights::Quadratic),
            _ => None,
        }
    }

    const fn icc(self) -> Option<(IccModel, IccUnit)> {
        match self {
            Self::Icc1 => Some((IccModel::OneWay, IccUnit::Single)),
            Self::Icc2 => Some((IccModel::Agreement, IccUnit::Single)),
            Self::Icc3 => Some((IccModel::Consistency, IccUnit::Single)),
            Self::Icc1k => Some((IccModel::OneWay, IccUnit::Average)),
            Self::Icc2k => Some((IccModel::Agreement, IccUnit::Average)),
            Self::Icc3k => Some((IccModel::Consistency, IccUnit::Average)),
            _ => None,
        }
    }
}

/// How intervals of agreement are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AgreementIntervals {
    /// The unit that varies.
    pub(crate) unit: AgreementUnit,
    /// Whether the jackknife replaces resamples of items, where it is defined.
    pub(crate) by_jackknife: bool,
    /// How many resamples, and the level.
    pub(crate) resampling: Resampling,
}

/// Ratings of a measure: an item is one model's output for an item.
pub(crate) struct Sample {
    ratings: Result<AgreementRatings, StatError>,
    raters: Vec<Arc<str>>,
    /// Whether items vary in clusters.
    is_clustered: bool,
    /// Input of coefficients by value and of pairs of raters: items with at least two ratings.
    paired: Used,
}

/// The input of a coefficient.
#[derive(Debug, Clone, Copy)]
struct Used {
    raters: u64,
    items: u64,
    ratings: u64,
}

impl Used {
    /// The items that every rater rated.
    fn complete(complete: &CompleteRatings) -> Self {
        let (items, raters) = (complete.rows.len() as u64, complete.raters.len() as u64);
        Self { raters: if items == 0 { 0 } else { raters }, items, ratings: items * raters }
    }
}

impl Sample {
    /// Numbers items and raters in the order of their names: the result does not depend on how the rows were split.
    pub(crate) fn new(score_rows: &ScoreRows, rows: &[ScoreRow]) -> Self {
        let mut items: Vec<(u32, u32)> = rows.iter().map(|row| (row.model, row.item)).collect();
        items.sort_unstable();
        items.dedup();
        items.sort_by_cached_key(|&(model, item)| (score_rows.model(model), score_rows.item(item)));
        let mut raters: Vec<u32> = rows.iter().map(|row| row.rater).collect();
        raters.sort_unstable();
        raters.dedup();
        raters.sort_by_cached_key(|&rater| score_rows.rater(rater));
        let places: HashMap<(u32, u32), u32> = items.iter().copied().zip(0..).collect();
        let rater_places: HashMap<u32, u32> = raters.iter().copied().zip(0..).collect();
        let mut cells: Vec<(u32, u32, f64)> = rows
            .iter()
            .map(|row| (places[&(row.model, row.item)], rater_places[&row.rater], row.value))
            .collect();
        cells.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        let pairable = || cells.chunk_by(|a, b| a.0 == b.0).filter(|own| own.len() > 1);
        let paired = Used {
            raters: distinct(pairable().flatten().map(|cell| cell.1)),
            items: pairable().count() as u64,
            ratings: pairable().map(|own| own.len() as u64).sum(),
        };
        let columns = cells.iter().fold((Vec::new(), Vec::new(), Vec::new()), |mut all, cell| {
            all.0.push(cell.0);
            all.1.push(cell.1);
            all.2.push(cell.2);
            all
        });
        let is_clustered = score_rows.units().are_clusters();
        let clusters = || {
            let mut numbers: HashMap<Arc<str>, u32> = HashMap::new();
            let mut number = |&(_, item): &(u32, u32)| {
                let next = numbers.len() as u32;
                *numbers.entry(score_rows.units().name_of(&score_rows.item(item))).or_insert(next)
            };
            items.iter().map(&mut number).collect()
        };
        let ratings = AgreementRatings::from_columns(&columns.0, &columns.1, &columns.2);
        Self {
            ratings: ratings.map(|all| if is_clustered { all.with_clusters(clusters()) } else { all }),
            is_clustered,
            raters: raters.into_iter().map(|rater| score_rows.rater(rater)).collect(),
            paired,
        }
    }

    /// Whether intervals over the items cover less often than stated.
    pub(crate) fn has_few_items(&self) -> bool {
        let counts = self.ratings.as_ref().ok().and_then(|ratings| ratings.item_counts().ok());
        counts.is_some_and(|counts| has_few_items(&counts))
    }

    /// A coefficient by value; `None` if it is not defined.
    pub(super) fn value(&self, kind: CoefficientKind) -> Option<f64> {
        kind.by_value()?.estimate(&self.ratings.as_ref().ok()?.item_counts().ok()?).ok()
    }

    /// Why there are no intervals over clusters of items, if these are too few.
    pub(crate) fn lacks_clusters(&self) -> Option<StatError> {
        let counts = self.ratings.as_ref().ok().filter(|_| self.is_clustered)?.item_counts().ok()?;
        let found = AgreementOverItems::new(&counts, AgreementCoefficient::PercentAgreement).err();
        found.filter(|error| matches!(error, StatError::TooFew { .. }))
    }

    /// One coefficient with its interval, and a table of rater pairs if it compares pairs.
    pub(crate) fn agreement(
        &self,
        kind: CoefficientKind,
        intervals: AgreementIntervals,
        model: Option<Arc<str>>,
        chance: &Streams,
    ) -> (Agreement, Option<Table>) {
        let (seed, resampling) = (chance.seed(kind.name()), &intervals.resampling);
        let (mut table, mut used) = (None, self.paired);
        let found = self.ratings.as_ref().map_err(Clone::clone).and_then(|ratings| {
            if let Some(coefficient) = kind.by_value() {
                let items = if self.is_clustered { "clusters of items" } else { "items" };
                return by_value(ratings, coefficient, (intervals, items), seed);
            }
            if let Some(weights) = kind.weights() {
                let (found, pairs) = self.cohen(ratings, weights, kind, model.as_deref(), resampling)?;
                table = Some(pairs);
                return Ok(found);
            }
            let complete = ratings.complete()?;
            used = Used::complete(&complete);
            match kind.icc() {
                Some((model, unit)) => of_icc(&complete, model, unit, resampling, seed),
                None => of_kendall(&complete, resampling, seed),
            }
        });
        // Other intervals are those of independent items.
        let holds = !self.is_clustered
            || (kind.is_by_value()
                && (intervals.unit == AgreementUnit::Rater || self.lacks_clusters().is_none()));
        let found = found.map(|(value, range)| (value, range.filter(|_| holds)));
        let (value, range, undefined) = match found {
            Ok((value, range)) => (Some(value), range, None),
            Err(error) => (None, None, Some(error.to_string().into())),
        };
        let agreement = Agreement {
            coefficient: kind.name().into(),
            model,
            value,
            interval: range,
            raters: used.raters,
            items: used.items,
            ratings: used.ratings,
            items_left_out: self.paired.items - used.items.min(self.paired.items),
            undefined,
        };
        (agreement, table)
    }

    /// Cohen's kappa of every two raters who share items.
    fn cohen(
        &self,
        ratings: &AgreementRatings,
        weights: Weights,
        kind: CoefficientKind,
        model: Option<&str>,
        resampling: &Resampling,
    ) -> Result<((f64, Option<Interval>), Table), StatError> {
        let (mut values, mut rows) = (Vec::new(), Vec::new());
        let mut only = None;
        let mut last = None;
        let count = self.raters.len() as u32;
        for (a, b) in (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))) {
            let (first, second) = ratings.paired(a, b)?;
            if first.is_empty() {
                continue;
            }
            let names = [&self.raters[a as usize], &self.raters[b as usize]];
            let found = cohen_kappa(&first, &second, weights);
            let range = found.as_ref().ok().filter(|_| !self.is_clustered);
            let range = range.and_then(|kappa| kappa.interval(resampling.level).ok());
            let kappa = found.as_ref().ok().map(|kappa| kappa.kappa);
            rows.push(vec![
                json!(model),
                json!(names[0]),
                json!(names[1]),
                json!(first.len()),
                json!(kappa),
                json!(range.map(|range| range.lower)),
                json!(range.map(|range| range.upper)),
                json!(found.as_ref().err().map(ToString::to_string)),
            ]);
            values.extend(kappa);
            last = found.err().or(last);
            only = range.map(|range| interval(range, "asymptotic (Fleiss, Cohen and Everitt 1969)"));
        }
        if values.is_empty() {
            let none = StatError::TooFew {
                statistic: "Cohen's kappa",
                needed: 1,
                of: "pairs of raters who share items",
                got: 0,
            };
            return Err(last.unwrap_or(none));
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let table = Table {
            name: "kappas".into(),
            label: format!("{}, each pair", kind.name()).into(),
            columns: vec![
                Column::new("model", "model", ""),
                Column::new("a", "rater", ""),
                Column::new("b", "other rater", ""),
                Column::new("items", "items", ""),
                Column::new("kappa", "kappa", ""),
                Column::new("low", "low", ""),
                Column::new("high", "high", ""),
                Column::new("undefined", "why undefined", ""),
            ],
            rows,
        };
        Ok(((mean, only.filter(|_| values.len() == 1)), table))
    }
}

/// A coefficient of ratings by value, with its interval; `items` names what varies with items.
fn by_value(
    ratings: &AgreementRatings,
    coefficient: AgreementCoefficient,
    (intervals, items): (AgreementIntervals, &str),
    seed: u64,
) -> Result<(f64, Option<Interval>), StatError> {
    let counts = ratings.item_counts()?;
    let value = coefficient.estimate(&counts)?;
    let resampling = intervals.resampling;
    let resamples = resampling.seeded(seed);
    let both = format!("raters and {items}");
    let (distribution, units, name) = match intervals.unit {
        AgreementUnit::Item if intervals.by_jackknife => {
            let range =
                AgreementOverItems::new(&counts, coefficient).and_then(|all| all.interval(resampling.level));
            let method = format!("jackknife over {items}, Student's t");
            return Ok((value, range.ok().map(|range| interval(range, &method))));
        }
        AgreementUnit::Item => (bootstrap_items(&counts, coefficient, resamples), ratings.units(), items),
        AgreementUnit::Rater => {
            (bootstrap_raters(ratings, coefficient, resamples), ratings.raters(), "raters")
        }
        AgreementUnit::RaterItem => {
            let crossed = CrossedResamples::seeded(resampling.resamples as usize, seed);
            let units = ratings.raters().min(ratings.units());
            (bootstrap_items_and_raters(ratings, coefficient, crossed), units, both.as_str())
        }
    };
    Ok((value, resampling.expanded(distribution.ok().as_ref(), units, name)))
}

fn of_icc(
    complete: &CompleteRatings,
    model: IccModel,
    unit: IccUnit,
    resampling: &Resampling,
    seed: u64,
) -> Result<(f64, Option<Interval>), StatError> {
    let found: Icc = icc(&complete.rows, model, unit)?;
    let by_f = found.interval(resampling.level).map(|range| interval(range, "F distribution")).ok();
    let resampled = || {
        let all = bootstrap_icc(&complete.rows, model, unit, resampling.seeded(seed)).ok()?;
        resampling.expanded(Some(&all), complete.rows.len(), "items")
    };
    Ok((found.icc, by_f.or_else(resampled)))
}

fn of_kendall(
    complete: &CompleteRatings,
    resampling: &Resampling,
    seed: u64,
) -> Result<(f64, Option<Interval>), StatError> {
    let value = kendall_w(&complete.rows)?.w;
    let distribution = statistic(complete.rows.len(), resampling.seeded(seed), |drawn| {
        let rows: Vec<&[f64]> = drawn.iter().map(|&row| &*complete.rows[row as usize]).collect();
        kendall_w(&rows).map_or(f64::NAN, |found| found.w)
    });
    Ok((value, resampling.expanded(distribution.ok().as_ref(), complete.rows.len(), "items")))
}
