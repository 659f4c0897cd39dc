//! The measures by which a board compares models.

use hype_core::model::score::{Direction, PREFERENCE};

use crate::released::Released;

/// A measure of the packages.
pub(crate) struct Wanted {
    pub(crate) name: String,
    pub(crate) unit: String,
    pub(crate) higher_is_better: bool,
}

/// The measures of the first wave's findings that have a direction and are in the scores, the score first.
pub(crate) fn wanted(released: &[Released]) -> Vec<Wanted> {
    let Some(first) = released.first() else { return Vec::new() };
    let mut all: Vec<Wanted> = Vec::new();
    for found in &first.findings.measures {
        let full = &*found.measure.name;
        let in_scores = |name: &str| first.measures.iter().any(|known| known == name);
        // Strengths are of votes, with the same criterion.
        let votes = full.strip_prefix("strength").map(|criterion| format!("{PREFERENCE}{criterion}"));
        let name = votes.filter(|votes| in_scores(votes)).unwrap_or_else(|| full.to_owned());
        let is_new = !all.iter().any(|one| one.name == name);
        if in_scores(&name)
            && is_new
            && found.measure.direction != Direction::Neither
            && found.measure.descriptive.is_none()
        {
            all.push(Wanted {
                name,
                unit: found.measure.unit.to_string(),
                higher_is_better: found.measure.direction == Direction::Higher,
            });
        }
    }
    all
}
