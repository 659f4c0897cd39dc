//! Which pairs of models differ, by the study's comparisons.

use std::collections::HashMap;

use hype_core::model::findings::{Comparison, MeasureFindings};
use hype_core::model::score::Direction;
use hype_stats::letters::LetterDisplay;

use crate::source::level_of;

/// A comparison as seen from its first model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) found: &'a Comparison,
    /// 1 if the first model is the first of the comparison, otherwise -1.
    sign: f64,
}

impl Pair<'_> {
    pub(crate) fn difference(&self) -> f64 {
        self.sign * self.found.difference
    }

    /// The ends of the interval.
    pub(crate) fn interval(&self) -> Option<(f64, f64)> {
        let interval = self.found.interval.as_ref()?;
        let ends = (self.sign * interval.low, self.sign * interval.high);
        Some(if self.sign < 0.0 { (ends.1, ends.0) } else { ends })
    }

    /// Whether the difference is separable from zero at a level.
    pub(crate) fn is_separable(&self, level: f64) -> bool {
        self.found.p.is_some_and(|p| p < 1.0 - level + 1e-12)
    }
}

/// The comparisons of a measure by the names of their models.
#[derive(Debug)]
pub(crate) struct Pairs<'a>(HashMap<(&'a str, &'a str), &'a Comparison>);

impl<'a> Pairs<'a> {
    pub(crate) fn of(found: &'a MeasureFindings) -> Self {
        Self::among(&found.comparisons)
    }

    /// These comparisons.
    pub(crate) fn among(comparisons: &'a [Comparison]) -> Self {
        let mut pairs = HashMap::new();
        for one in comparisons {
            pairs.entry((&*one.a, &*one.b)).or_insert(one);
        }
        Self(pairs)
    }

    /// The comparison of two models, as seen from the first.
    pub(crate) fn get(&self, first: &str, second: &str) -> Option<Pair<'a>> {
        let pair = |found: &&'a Comparison, sign| Pair { found, sign };
        let same = self.0.get(&(first, second)).map(|found| pair(found, 1.0));
        same.or_else(|| self.0.get(&(second, first)).map(|found| pair(found, -1.0)))
    }
}

/// The methods by which pairs were compared, each once, in the order of the pairs.
pub(crate) fn methods_of<'a>(pairs: impl IntoIterator<Item = &'a Comparison>) -> Vec<&'a str> {
    let mut methods: Vec<&str> = Vec::new();
    for pair in pairs {
        if !methods.contains(&&*pair.method) {
            methods.push(&pair.method);
        }
    }
    methods
}

/// Letters for the models with estimates, in their order, such that two share a letter exactly if the study's comparisons do not
/// separate them. `None` if a pair was not compared, or the measure has no better direction.
#[must_use]
pub fn letters(found: &MeasureFindings) -> Option<Vec<String>> {
    let models: Vec<&str> = found.estimates.iter().map(|one| &*one.model).collect();
    let count = models.len();
    if count < 2 || found.measure.direction == Direction::Neither {
        return None;
    }
    let level = level_of(found);
    let place = |name: &str| models.iter().position(|model| *model == name);
    let mut separable = vec![vec![None; count]; count];
    for one in &found.comparisons {
        if let (Some(a), Some(b), Some(p)) = (place(&one.a), place(&one.b), one.p) {
            let differs = Some(p < 1.0 - level + 1e-12);
            (separable[a][b], separable[b][a]) = (differs, differs);
        }
    }
    let order: Vec<usize> = (0..count).collect();
    let mut complete = true;
    let display = LetterDisplay::new(&order, |first, second| {
        complete &= separable[first][second].is_some();
        separable[first][second] == Some(true)
    });
    let display = display.ok().filter(|_| complete)?;
    Some(order.into_iter().map(|model| display.text(model)).collect())
}
