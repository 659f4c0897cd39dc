//! Values that are bounds of what they are about, and models of whose values too many are.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::model::findings::{Exclusion, Note};
use hype_core::words::first_few;
use hype_core::{Basis, Measure};
use hype_stats::StatError;

use super::sums::{Cell, ModelSample, Sample, Sums};

/// The share of values that are bounds above which nothing is inferred from the values of a model.
const MOST_BOUNDS: f64 = 0.25;
/// The share of values with an unknown distance from the true ones above which nothing is inferred from so many raters is this,
/// divided by the root of their number: the bias of the mean is at most some such distances times the share, and the standard
/// error falls with that root (docs/measured/coverage.md, question 17). A value at the lower bound has a known distance at most.
const MOST_OPEN: f64 = 0.5;

/// The sides on which the true values may lie beyond a rater's values.
#[derive(Debug, Clone, Copy, Default)]
struct Sides {
    values: u64,
    under: f64,
    over: f64,
    /// Those of either whose distance from the true value is unknown.
    open: f64,
}

impl Sums {
    /// The samples of the wanted measures, in their order, with the models about which nothing is inferred marked.
    pub(in crate::aggregators) fn samples(&self, exclusions: &[Exclusion]) -> Vec<Sample> {
        let of_measure = |measure: &Measure| {
            let mut sample = self.sample(measure, exclusions);
            if self.withholds
                && let Some(bounds) = self.bounds(measure, exclusions)
            {
                sample.models.iter_mut().for_each(|model| model.withheld = bounds.withheld(model));
            }
            sample
        };
        self.measures.iter().map(of_measure).collect()
    }

    /// Which of a measure's values are bounds, if its basis tells.
    fn bounds(&self, measure: &Measure, exclusions: &[Exclusion]) -> Option<Bounds> {
        Bounds::of(measure, |name| self.sample_of(name, exclusions))
    }
}

/// Refuses to infer from values if too many of them are bounds.
pub(in crate::aggregators) fn check_inferred(models: &[&ModelSample]) -> Result<(), StatError> {
    models.iter().find_map(|model| model.withheld.clone()).map_or(Ok(()), Err)
}

/// For models about which nothing is inferred by some measures, a warning with what is known of their raters by the first of
/// these measures.
pub(super) fn withheld_notes(sums: &Sums, samples: &[Sample], exclusions: &[Exclusion]) -> Option<Note> {
    let is_withheld = |sample: &&Sample| sample.models.iter().any(|model| model.withheld.is_some());
    let mut measures: Vec<&Arc<str>> = Vec::new();
    let mut known: Vec<(Arc<str>, String)> = Vec::new();
    for sample in samples.iter().filter(is_withheld) {
        measures.push(&sample.measure.name);
        let bounds = sums.bounds(&sample.measure, exclusions);
        for model in &sample.models {
            let (Some(StatError::Censored { bounds: count, of, .. }), Some(bounds)) =
                (&model.withheld, &bounds)
            else {
                continue;
            };
            if known.iter().all(|(name, _)| *name != model.model) {
                let beyond = bounds.beyond(model, &sample.measure.unit);
                let beyond = beyond.map(|text| format!(", {text}")).unwrap_or_default();
                known.push((Arc::clone(&model.model), format!("{} ({count} of {of}{beyond})", model.model)));
            }
        }
    }
    let (models, known): (Vec<Arc<str>>, Vec<String>) = known.into_iter().unzip();
    (!known.is_empty()).then(|| {
        let text = format!("too many values are only bounds for intervals and tests: {}", first_few(&known));
        let note = Note::meaning("no-interval", text).on_models(models);
        measures.into_iter().fold(note, |note, measure| note.about(measure))
    })
}

/// Which values of a measure are bounds: for each model the numbers of such values by rater.
pub(super) struct Bounds(HashMap<Arc<str>, HashMap<u32, Sides>>);

impl Bounds {
    /// By the measures that the measure names; `other` finds the values of one.
    pub(super) fn of(measure: &Measure, other: impl Fn(&str) -> Sample) -> Option<Self> {
        let Some(Basis::Censoring { at_most, at_least, falling, rising }) = &measure.basis else {
            return None;
        };
        let mut found: HashMap<Arc<str>, HashMap<u32, Sides>> = HashMap::new();
        let mut add = |name: &str, into: fn(&mut Sides, Cell)| {
            for model in other(name).models {
                let of_model = found.entry(model.model).or_default();
                model.raters.iter().for_each(|&(rater, cell)| into(of_model.entry(rater).or_default(), cell));
            }
        };
        add(at_most, |sides, cell| sides.values += cell.count);
        add(at_most, |sides, cell| sides.under += cell.sum());
        if let Some(falling) = falling {
            add(falling, |sides, cell| {
                sides.under += cell.sum();
                sides.open += cell.sum();
            });
        }
        for name in [Some(at_least), rising.as_ref()].into_iter().flatten() {
            add(name, |sides, cell| {
                sides.over += cell.sum();
                sides.open += cell.sum();
            });
        }
        Some(Self(found))
    }

    fn sides(&self, model: &ModelSample, rater: u32) -> Sides {
        self.0.get(&model.model).and_then(|raters| raters.get(&rater)).copied().unwrap_or_default()
    }

    /// Why nothing is inferred from the values of a model, if too many are bounds.
    pub(super) fn withheld(&self, model: &ModelSample) -> Option<StatError> {
        let sides = || model.raters.iter().map(|&(rater, _)| self.sides(model, rater));
        let of: u64 = sides().map(|sides| sides.values).sum();
        let bounds: f64 = sides().map(|sides| sides.under + sides.over).sum();
        let open: f64 = sides().map(|sides| sides.open).sum();
        let most_open = MOST_OPEN / (model.raters.len() as f64).sqrt();
        let is_beyond = bounds > MOST_BOUNDS * of as f64 || open > most_open * of as f64;
        // Sums of zeros and ones are exact.
        is_beyond.then_some(StatError::Censored {
            statistic: "an interval",
            bounds: bounds as usize,
            of: of as usize,
        })
    }

    /// How many raters' true values lie beyond a value that their bounds reach, in words.
    ///
    /// Of the raters with bounds on the side that has more of them, the median bound; a rater's true value lies beyond it if the own
    /// value does and no bound is on the other side.
    fn beyond(&self, model: &ModelSample, unit: &str) -> Option<String> {
        let all = || model.raters.iter().map(|&(rater, cell)| (cell.mean(), self.sides(model, rater)));
        let bounds = |is: fn(Sides) -> bool| -> Vec<f64> {
            let mut values: Vec<f64> =
                all().filter(|(_, sides)| is(*sides)).map(|(value, _)| value).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let under = bounds(|sides| sides.under > 0.0 && sides.over == 0.0);
        let over = bounds(|sides| sides.over > 0.0 && sides.under == 0.0);
        let (values, is_over) = if over.len() >= under.len() { (over, true) } else { (under, false) };
        let median = *values.get(values.len() / 2)?;
        let lies = |(value, sides): &(f64, Sides)| {
            if is_over {
                *value >= median && sides.under == 0.0
            } else {
                *value <= median && sides.over == 0.0
            }
        };
        let share = 100.0 * all().filter(lies).count() as f64 / model.raters.len() as f64;
        let side = if is_over { "over" } else { "under" };
        Some(format!("at or {side} {median:.0} {unit} for at least {share:.0}% of raters"))
    }
}
