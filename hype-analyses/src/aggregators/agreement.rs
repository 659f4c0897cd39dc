//! The aggregator `agreement`: the agreement of raters on the same items.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use hype_core::model::findings::{Exclusion, MeasureFindings, Note};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::words::counted;
use hype_core::{
    AggregateError, Aggregated, Aggregator, Diagnostics, Measure, NumberBounds, Streams, register_aggregator,
};
use hype_stats::StatError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::resampling::{Bootstrap, Resampling};
use crate::score_rows::{ScoreRow, ScoreRows, aggregates_score_rows, check_measures, distinct};

mod coefficient;
mod without_rater;

pub use self::coefficient::CoefficientKind;
pub(crate) use self::coefficient::{AgreementIntervals, Sample};
use self::without_rater::without_rater;

/// The aggregator `agreement`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RaterAgreement {
    /// The measures to report, the study's score first; by default all that the aggregator is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Vec<String>>,
    /// The coefficients.
    pub coefficients: Vec<CoefficientKind>,
    /// The models whose items are pooled.
    pub over: Over,
    /// The unit whose variation the intervals account for.
    pub unit: AgreementUnit,
    /// The confidence level: by default 0.95.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: Option<f64>,
    /// Computes intervals from percentiles of a bootstrap, which are too narrow with few units; without it they are by standard
    /// errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<Bootstrap>,
}

/// The models whose items are pooled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// All models together, then each model separately.
    #[default]
    Both,
    /// All models together.
    All,
    /// Each model separately.
    Model,
}

/// The unit whose variation the intervals of agreement account for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgreementUnit {
    /// Items, with the raters fixed.
    #[default]
    Item,
    /// Raters, with the items fixed.
    Rater,
    /// Raters and items, each independently.
    RaterItem,
}

impl Default for RaterAgreement {
    fn default() -> Self {
        Self {
            measures: None,
            coefficients: vec![
                CoefficientKind::Percent,
                CoefficientKind::Krippendorff,
                CoefficientKind::Gwet,
            ],
            over: Over::default(),
            unit: AgreementUnit::default(),
            level: None,
            bootstrap: None,
        }
    }
}

/// How many resamples agreement takes without a bootstrap, for what the jackknife does not reach: raters, and coefficients
/// without one.
const RESAMPLES: u32 = 1_000;

impl RaterAgreement {
    fn intervals(&self) -> AgreementIntervals {
        let given = Bootstrap::resampling(self.bootstrap, self.level);
        let resamples = self.bootstrap.map_or(RESAMPLES, |_| given.resamples);
        AgreementIntervals {
            unit: self.unit,
            by_jackknife: self.bootstrap.is_none(),
            resampling: Resampling { resamples, ..given },
        }
    }
}

impl RaterAgreement {
    fn found_of(
        &self,
        score_rows: &ScoreRows,
        measure: &Measure,
        rows: &[ScoreRow],
        chance: &Streams,
        notes: &mut Vec<Note>,
    ) -> MeasureFindings {
        let mut found = MeasureFindings {
            raters: distinct(rows.iter().map(|row| row.rater)),
            items: distinct(rows.iter().map(|row| row.item)),
            responses: rows.len() as u64,
            ..MeasureFindings::new(measure.clone())
        };
        let mut models: BTreeMap<Arc<str>, Vec<ScoreRow>> = BTreeMap::new();
        if self.over != Over::All {
            rows.iter().for_each(|row| models.entry(score_rows.model(row.model)).or_default().push(*row));
        }
        let all = (self.over != Over::Model).then(|| (None, Sample::new(score_rows, rows)));
        // With a single model the pooled sample is that model's.
        let single = models.len() == 1 && all.is_some();
        let each = score_rows.in_order(models).into_iter().filter(|_| !single);
        let each = each.map(|(model, rows)| (Some(model), Sample::new(score_rows, &rows)));
        let mut few = FewItems::default();
        for (model, sample) in all.into_iter().chain(each) {
            if self.unit != AgreementUnit::Rater {
                few.add(model.clone(), &sample);
            }
            let chance = chance.child(model.as_deref().unwrap_or_default(), 0);
            for kind in self.coefficients.iter().map(|kind| kind.for_scale(measure.scale)) {
                let (agreement, table) = sample.agreement(kind, self.intervals(), model.clone(), &chance);
                found.agreement.push(agreement);
                found.tables.extend(table);
            }
        }
        notes.extend(few.notes(&measure.name));
        if self.over != Over::Model {
            let kind =
                self.coefficients.iter().find(|kind| kind.is_corrected_for_chance() && kind.is_by_value());
            let all = kind.map(|kind| kind.for_scale(measure.scale)).and_then(|kind| {
                let of_all = found.agreement.iter().filter(|one| one.model.is_none());
                Some((kind, of_all.into_iter().find(|one| &*one.coefficient == kind.name())?))
            });
            notes.extend(
                all.and_then(|(kind, all)| without_rater(score_rows, &measure.name, rows, kind, all)),
            );
        }
        if score_rows.units().are_clusters() && self.coefficients.iter().any(|kind| !kind.is_by_value()) {
            let text = "kappas of pairs, intraclass correlations and Kendall's W have no intervals, as items are clustered; percent \
                        agreement, Fleiss' kappa, alpha and Gwet's coefficient have some";
            notes.push(Note::precision("no-interval", text).about(&measure.name));
        }
        if self.coefficients.iter().any(|kind| kind.is_corrected_for_chance()) {
            notes.extend(one_value(&measure.name, rows));
        }
        found
    }
}

impl RaterAgreement {
    fn found(
        &self,
        sums: &ScoreRows,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let excluded: HashSet<u32> = sums.excluded(exclusions);
        let mut found = Aggregated::default();
        for (place, measure) in sums.measures().iter().enumerate() {
            let about_items = |row: &&ScoreRow| !sums.item(row.item).is_empty();
            let mut rows: Vec<ScoreRow> = sums.rows(place, &excluded).filter(about_items).copied().collect();
            // A second rating by the same rater does not count as another rater's.
            let mut rated = HashSet::new();
            let all = rows.len();
            rows.retain(|row| rated.insert((row.rater, row.model, row.item)));
            if rows.len() < all {
                let again = all - rows.len();
                let text = format!(
                    "left out of the agreement: {} of images that the rater had rated before",
                    counted(again, "rating")
                );
                found.notes.push(Note::setting("rated-again", text).about(&measure.name));
            }
            if !rows.is_empty() {
                let chance = chance.child("agreement", 0).child(&measure.name, 0);
                let measure = self.found_of(sums, measure, &rows, &chance, &mut found.notes);
                found.measures.push(measure);
            }
        }
        if found.measures.is_empty() {
            let wanted = sums.measures().first().map_or("", |measure| &*measure.name);
            return Err(sums.no_scores(wanted));
        }
        Ok(found)
    }
}

/// The share of all answers from which their commonest value makes kappa and alpha fall.
const NEARLY_ALL: f64 = 0.9;

/// A remark that nearly all answers are the same.
fn one_value(measure: &str, rows: &[ScoreRow]) -> Option<Note> {
    let mut values: Vec<f64> = rows.iter().map(|row| row.value).collect();
    values.sort_unstable_by(f64::total_cmp);
    let alike = values.chunk_by(|a, b| a.total_cmp(b).is_eq()).max_by_key(|alike| alike.len())?;
    let share = alike.len() as f64 / values.len() as f64;
    let text = format!(
        "{:.0}% of the answers are {}, where kappa and alpha fall towards 0 however well raters agree: read Gwet's coefficient",
        100.0 * share,
        alike[0]
    );
    (share >= NEARLY_ALL && alike.len() < values.len())
        .then(|| Note::precision("one-value", text).about(measure))
}

/// The models whose few items, or clusters of items, limit intervals of agreement over them; `None` for the items of all models.
#[derive(Debug, Default)]
pub(crate) struct FewItems {
    few: Vec<Option<Arc<str>>>,
    /// Those without intervals, and why.
    without: Vec<Option<Arc<str>>>,
    reason: Option<StatError>,
}

impl FewItems {
    /// Adds the sample of a model.
    pub(crate) fn add(&mut self, model: Option<Arc<str>>, sample: &Sample) {
        if let Some(reason) = sample.lacks_clusters() {
            self.without.push(model);
            self.reason = Some(reason);
        } else if sample.has_few_items() {
            self.few.push(model);
        }
    }

    /// Notes that intervals cover too rarely, and that there are none.
    pub(crate) fn notes(self, measure: &str) -> Vec<Note> {
        fn on(note: Note, models: &[Option<Arc<str>>]) -> Note {
            note.on_models(models.iter().flatten().filter(|_| models.iter().all(Option::is_some)))
        }
        let few = || {
            let text = "with so few items, 95% intervals of agreement may cover the truth in less than 93% of studies; rate 100, \
                        or 200 if one answer dominates";
            on(Note::precision("few-items", text).about(measure), &self.few)
        };
        let without = |reason| {
            let text = format!("no intervals of agreement: {reason}");
            on(Note::precision("no-interval", text).about(measure), &self.without)
        };
        let few = (!self.few.is_empty()).then(few);
        few.into_iter().chain(self.reason.as_ref().map(without)).collect()
    }
}

impl Aggregator for RaterAgreement {
    aggregates_score_rows!();

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        at.within("measures", |at| check_measures(self.measures.as_deref(), measures, at));

        if self.coefficients.is_empty() {
            at.field("coefficients")
                .error("empty", "there are no coefficients")
                .help("name some, such as `[percent, krippendorff]`, or leave them out");
        }
    }

    fn begin(&self, context: &Aggregation) -> ScoreRows {
        let judged = context.measures.iter().filter(|measure| measure.is_judged());
        let judged: Vec<String> = judged.map(|measure| measure.name.to_string()).collect();
        ScoreRows::new(Some(self.measures.as_deref().unwrap_or(&judged)), context)
    }
}

register_aggregator!(
    RaterAgreement,
    "agreement",
    summary = "How far raters agree about the same items, with intervals",
    citation = "Krippendorff 2011; Gwet 2008; Fleiss 1971; Cohen 1960; Shrout & Fleiss 1979; Kendall & Babington Smith 1939",
    example = "{ kind: agreement, coefficients: [percent, fleiss, krippendorff], over: both, unit: item }",
);
