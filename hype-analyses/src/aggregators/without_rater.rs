//! The rater whose removal changes a conclusion.

use std::collections::BTreeMap;

use hype_core::model::findings::{Comparison, MeasureFindings, Note};

/// By how many times a p value on the other side of the level has to be beyond it for a conclusion to be another one.
const BEYOND: f64 = 5.0;
/// The raters up to which single ones are left out.
const MOST_RATERS: u64 = 2_000;

/// The difference of two models, which is that of the better one, and its p value.
struct Lead {
    difference: f64,
    p: Option<f64>,
}

impl Lead {
    /// The difference of two models times a sign.
    fn of(pairs: &[Comparison], [a, b]: [&str; 2], sign: f64) -> Option<Self> {
        let names = |pair: &&Comparison| [&*pair.a, &*pair.b] == [a, b] || [&*pair.b, &*pair.a] == [a, b];
        let pair = pairs.iter().find(names)?;
        let sign = if &*pair.a == a { sign } else { -sign };
        Some(Self { difference: sign * pair.difference, p: pair.p })
    }

    fn is_shown(&self, alpha: f64) -> bool {
        self.difference > 0.0 && self.p.is_some_and(|p| p <= alpha)
    }

    fn words(&self) -> String {
        match self.p {
            Some(p) => format!("{:.3} ({})", self.difference, p_value(p)),
            None => format!("{:.3}", self.difference),
        }
    }
}

/// A p value in words.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

/// The findings of a measure, with what they are without a rater.
pub(super) struct LeaveOneOut<'f, W, P> {
    pub(super) found: &'f MeasureFindings,
    /// The confidence level.
    pub(super) level: f64,
    /// A rater whose answers are all the same where those of others are not.
    pub(super) same: Option<u32>,
    /// How much each rater adds to the difference of two models.
    pub(super) weights: W,
    /// The comparisons of the measure's whole analysis without a rater.
    pub(super) without: P,
}

impl<'n, W, P> LeaveOneOut<'_, W, P>
where
    W: Fn([&str; 2]) -> BTreeMap<u32, f64>,
    P: Fn(u32) -> Option<Vec<Comparison>>,
{
    /// A remark on the rater whose removal decides whether the lead of the best model is shown, and on one who always gives the
    /// same answer with what the lead is without. `name` is the name of a rater by number.
    ///
    /// The rater with the most weight in the direction is left out.
    pub(super) fn note(&self, name: impl Fn(u32) -> &'n str) -> Option<Note> {
        let found = self.found;
        let [best, second, ..] = found.estimates.as_slice() else { return None };
        let models: [&str; 2] = [&best.model, &second.model];
        let sign = if best.value >= second.value { 1.0 } else { -1.0 };
        let lead = Lead::of(&found.comparisons, models, sign)?;
        let alpha = 1.0 - self.level;
        if found.raters > MOST_RATERS {
            return None;
        }
        let candidate = self.same.or_else(|| {
            let is_close = lead.p.is_some_and(|p| p > 1e-4 * alpha && p < 0.5);
            let weights = if is_close { (self.weights)(models) } else { BTreeMap::new() };
            // Without the rater who supports the lead most, it may not be shown; without the one who contradicts it most, it may.
            let towards = if lead.is_shown(alpha) { sign } else { -sign };
            let order = |(a, of_a): &(u32, f64), (b, of_b): &(u32, f64)| {
                (towards * of_a).total_cmp(&(towards * of_b)).then_with(|| name(*b).cmp(name(*a)))
            };
            weights.into_iter().max_by(order).map(|(rater, _)| rater)
        })?;
        let then = Lead::of(&(self.without)(candidate)?, models, sign)?;
        let decides = lead.is_shown(alpha) != then.is_shown(alpha) && {
            let (one, other) = (lead.p?, then.p?);
            one.max(other) > BEYOND * alpha || then.difference <= 0.0
        };
        let what = match (self.same, decides) {
            (Some(_), _) => "who gave the same answer each time",
            (None, true) => "who decides whether it is shown",
            (None, false) => return None,
        };
        let text = format!(
            "without rater {}, {what}, the lead of {} over {} is {} instead of {}; report both",
            name(candidate),
            models[0],
            models[1],
            then.words(),
            lead.words()
        );
        let note = if decides {
            Note::meaning("without-rater", text)
        } else {
            Note::precision("without-rater", text)
        };
        Some(note.about(&found.measure.name).on_models(models))
    }
}
