//! The rater whose removal changes the agreement of the others.

use std::collections::{BTreeMap, HashMap};

use hype_core::model::findings::{Agreement, Note};
use hype_stats::describe;
use hype_stats::distributions::StudentT;

use super::{CoefficientKind, Sample};
use crate::score_rows::{ScoreRow, ScoreRows};

/// The raters up to which single ones are left out. Among more, no rater matters much.
const MOST_RATERS: usize = 30;
/// The ratings up to which raters are left out.
const MOST_RATINGS: usize = 50_000;
/// The p value, adjusted for all raters, from which on a rater stands apart.
const APART: f64 = 0.03;
/// The number of raters with the same answer each time that is expected by chance, from which on it says nothing.
const BY_CHANCE: f64 = 0.01;

/// A remark on the rater whose removal raises agreement most, if the rater always gave one answer where that is not chance, or
/// if the coefficient without the rater lies outside of the interval with all and apart from those without each other rater.
pub(super) fn without_rater(
    score_rows: &ScoreRows,
    measure: &str,
    rows: &[ScoreRow],
    kind: CoefficientKind,
    all: &Agreement,
) -> Option<Note> {
    let mut of_raters: BTreeMap<u32, HashMap<u64, f64>> = BTreeMap::new();
    for row in rows {
        *of_raters.entry(row.rater).or_default().entry(row.value.to_bits()).or_default() += 1.0;
    }
    if !(3..=MOST_RATERS).contains(&of_raters.len()) || rows.len() > MOST_RATINGS {
        return None;
    }
    let without = |rater: u32| {
        let left: Vec<ScoreRow> = rows.iter().filter(|row| row.rater != rater).copied().collect();
        Some((rater, Sample::new(score_rows, &left).value(kind)?))
    };
    let found: Vec<(u32, f64)> = of_raters.keys().filter_map(|&rater| without(rater)).collect();
    let (rater, most) = found.iter().copied().max_by(|(a, of_a), (b, of_b)| {
        of_a.total_cmp(of_b).then_with(|| score_rows.rater(*b).cmp(&score_rows.rater(*a)))
    })?;
    let is_outside = all.interval.as_ref().is_none_or(|range| most > range.high);
    let values: Vec<f64> = found.iter().map(|(_, value)| *value).collect();
    let what = if gives_the_same(&of_raters, rater) {
        "who gave the same answer each time"
    } else if is_outside && greatest_p(&values) <= APART {
        "who judges otherwise than the others"
    } else {
        return None;
    };
    let text = format!(
        "without rater {}, {what}, {} is {most:.3} instead of {:.3}; report both",
        score_rows.rater(rater),
        all.coefficient,
        all.value?
    );
    Some(Note::precision("without-rater", text).about(measure))
}

/// Grubbs' test of the greatest of some values, adjusted for their number.
fn greatest_p(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let (Ok(mean), Ok(sd)) = (describe::mean(values), describe::standard_deviation(values)) else {
        return 1.0;
    };
    let g = (values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - mean) / sd;
    let rest = (n - 1.0) * (n - 1.0) - n * g * g;
    if n < 4.0 || !g.is_finite() {
        return 1.0;
    }
    if rest <= 0.0 {
        return 0.0;
    }
    let t = g * (n * (n - 2.0) / rest).sqrt();
    StudentT::new(n - 2.0).map_or(1.0, |t_of| (n * 0.5 * t_of.two_sided(t)).min(1.0))
}

/// Whether all answers of a rater are the same where that is improbable for raters like the others.
#[expect(clippy::disallowed_methods, reason = "a probability of a note, which decides no trial")]
fn gives_the_same(of_raters: &BTreeMap<u32, HashMap<u64, f64>>, rater: u32) -> bool {
    let Some(own) = of_raters.get(&rater).filter(|own| own.len() == 1) else { return false };
    let answers = own.values().sum::<f64>();
    let others = of_raters.iter().filter(|(other, _)| **other != rater).map(|(_, counts)| {
        let all = counts.values().sum::<f64>();
        counts.values().map(|count| (count / all).powf(answers)).sum::<f64>()
    });
    let raters = of_raters.len() as f64;
    raters * others.sum::<f64>() / (raters - 1.0) <= BY_CHANCE
}
