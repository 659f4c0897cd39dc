//! The looks of a study's stopping rule: which have been reached, and what was decided there.
//!
//! All of it follows from the logs and the spec, in whatever order sessions are added: servers agree and a resumed program
//! decides as before.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostics::{Diagnostics, nearest};
use crate::model::findings::{StoppingFindings, StoppingLook};
use crate::model::record::SessionRecord;
use crate::model::score::{Measure, NO_MODEL, ScoreTable};
use crate::plugin::rubric::ScoreError;
use crate::plugin::stopping::{StoppingPlan, StoppingSpec};
use crate::plugin::task::Design;
use crate::protocol::places::Release;
use crate::protocol::raters::RaterDesign;
use crate::study::Study;
use crate::words::listed;

/// The raters of a study by their places, as its stopping rule sees them.
///
/// A look at n raters is taken when the first places, n for each model or n in all, are settled: filled by raters who count,
/// or given up, as more raters have answered trials there and ended their sessions without filling it than the study has
/// replacements. Raters at later places who finish before that wait for the next look.
#[derive(Debug, Clone)]
pub struct Looks {
    study: Study,
    rule: Box<dyn StoppingSpec>,
    plan: StoppingPlan,
    /// The number of places for each rater of a look.
    groups: u32,
    looks: Vec<u32>,
    places: BTreeMap<u32, Seen>,
    /// The number of settled places before the first one that is open.
    settled: u32,
    scores: ScoreTable,
    /// The decisions by the number of raters that had been reached.
    latest: Option<(u32, Vec<StoppingLook>)>,
}

/// The state of a place, as far as it is known.
#[derive(Debug, Clone, Default)]
struct Seen {
    filled: bool,
    /// Sessions with answers that ended without filling it.
    failed: u32,
    /// The values of the rater who fills it, by model.
    values: Vec<(usize, f64)>,
}

impl Looks {
    /// Begins without sessions; `None` if the study has no stopping rule.
    #[must_use]
    pub fn begin(study: &Study) -> Option<Self> {
        let rule = study.spec().collection.stopping.clone()?;
        let names =
            study.models().iter().filter_map(|model| Some(Arc::clone(&study.stimuli().set(*model)?.name)));
        let design = study.design();
        let plan = plan(rule.measure(), &study.rubric().measures(), names.collect(), &design, study.places)?;
        Some(Self {
            groups: groups(&design),
            looks: rule.looks(&plan),
            study: study.clone(),
            rule,
            plan,
            places: BTreeMap::new(),
            settled: 0,
            scores: ScoreTable::default(),
            latest: None,
        })
    }

    /// Adds a session that has ended, each once and in any order. Sessions that have not ended change nothing.
    ///
    /// # Errors
    /// If the session cannot be scored.
    pub fn add(&mut self, record: &SessionRecord) -> Result<(), ScoreError> {
        if record.outcome.is_none() && record.erased.is_none() {
            return Ok(());
        }
        let release = self.study.release(record);
        let values = match (release, &record.erased) {
            (Release::Completed, None) => self.values_of(record)?,
            _ => Vec::new(),
        };
        let replacements = self.study.raters().replacements;
        let place = self.places.entry(record.header.place.number).or_default();
        match release {
            Release::Completed => (place.filled, place.values) = (true, values),
            Release::Answered => place.failed += 1,
            Release::Unanswered => {}
        }
        let is_settled = |place: &Seen| place.filled || place.failed > replacements;
        while self.places.get(&self.settled).is_some_and(is_settled) {
            self.settled += 1;
        }
        Ok(())
    }

    /// The mean of a rater's values of the measure for each model.
    fn values_of(&mut self, record: &SessionRecord) -> Result<Vec<(usize, f64)>, ScoreError> {
        self.scores.clear_rows();
        self.study.rubric().score(record, &self.study.scoring(), &mut self.scores)?;
        let columns = self.scores.columns();
        let mut sums = vec![(0.0, 0_u32); self.plan.models.len()];
        let measure = self.scores.measures.number(&self.plan.measure.name);
        for row in 0..self.scores.len() {
            if Some(columns.measure[row]) != measure || columns.against[row] != NO_MODEL {
                continue;
            }
            let name = self.scores.models.name(columns.model[row]);
            if let Some(model) = self.plan.models.iter().position(|model| Some(model) == name) {
                sums[model] = (sums[model].0 + columns.value[row], sums[model].1 + 1);
            }
        }
        let means = sums.into_iter().enumerate().filter(|(_, (_, count))| *count > 0);
        Ok(means.map(|(model, (sum, count))| (model, sum / f64::from(count))).collect())
    }

    /// The number of raters, of each model if each judges one, whose places are all settled.
    #[must_use]
    pub const fn reached(&self) -> u32 {
        self.settled / self.groups
    }

    /// The look at which the rule ends the collection; `None` if it does not, as far as sessions were added.
    pub fn stopped_at(&mut self) -> Option<u32> {
        self.decisions().iter().find(|look| look.stops).map(|look| look.raters)
    }

    /// The number of places that can be given out before the next decision: those up to the next look, none if the rule has
    /// ended the collection, and all (`None`) after the last look.
    pub fn places_before_next(&mut self) -> Option<u32> {
        if self.stopped_at().is_some() {
            return Some(0);
        }
        let reached = self.reached();
        let next = self.looks.iter().find(|&&look| look > reached)?;
        Some(next.saturating_mul(self.groups))
    }

    /// The decisions so far, computed again where another look was reached.
    fn decisions(&mut self) -> &[StoppingLook] {
        let reached =
            self.looks.iter().copied().take_while(|&look| look <= self.reached()).last().unwrap_or(0);
        let decided = match self.latest.take() {
            Some((before, decided)) if before == reached => decided,
            _ => self.rule.decide(&self.plan, &self.values(), reached),
        };
        &self.latest.insert((reached, decided)).1
    }

    /// The values by model, each with the turn of its rater.
    fn values(&self) -> Vec<Vec<(u32, f64)>> {
        let mut values = vec![Vec::new(); self.plan.models.len()];
        for (place, seen) in &self.places {
            for &(model, value) in &seen.values {
                values[model].push((place / self.groups, value));
            }
        }
        values
    }

    /// Returns the rule's findings so far.
    #[must_use]
    pub fn findings(mut self) -> StoppingFindings {
        let stopped_at = self.stopped_at();
        let looks = self.decisions().to_vec();
        let last = looks.iter().filter(|look| look.taken).map(|look| look.raters).max().unwrap_or(0);
        let later = self.places.range(last.saturating_mul(self.groups)..);
        StoppingFindings {
            rule: serde_json::to_value(&self.rule).unwrap_or_default(),
            measure: Arc::clone(&self.plan.measure.name),
            method: self.rule.method(&self.plan).into(),
            statistic: self.rule.statistic().into(),
            per_model: !self.plan.is_paired && self.plan.models.len() > 1,
            planned: self.plan.planned,
            stopped_at,
            beyond: later.filter(|(_, seen)| seen.filled).count() as u32,
            looks,
        }
    }
}

/// The number of places for each rater of a look.
fn groups(design: &Design<'_>) -> u32 {
    match design.raters.per_item {
        None => u32::try_from(design.groups().len()).unwrap_or(u32::MAX).max(1),
        Some(_) => 1,
    }
}

/// Returns what a rule knows of a study with so many places; `None` if the rubric does not have its measure.
fn plan(
    measure: Option<&str>,
    measures: &[Measure],
    models: Vec<Arc<str>>,
    design: &Design<'_>,
    places: u32,
) -> Option<StoppingPlan> {
    let measure = match measure {
        Some(name) => measures.iter().find(|measure| &*measure.name == name),
        None => measures.first(),
    };
    Some(StoppingPlan {
        is_paired: design.raters.design == RaterDesign::Within || design.raters.per_item.is_some(),
        planned: places / groups(design),
        measure: measure?.clone(),
        models,
    })
}

/// Checks a stopping rule for a study with so many places.
pub(super) fn check(
    rule: &dyn StoppingSpec,
    measures: &[Measure],
    models: Vec<Arc<str>>,
    design: &Design<'_>,
    places: u32,
    at: &mut Diagnostics,
) {
    let known = || measures.iter().map(|measure| &*measure.name);
    if let Some(name) = rule.measure().filter(|name| !known().any(|known| known == *name)) {
        at.field("measure")
            .error("unknown-measure", format!("the rubric does not measure `{name}`"))
            .help(format!("the rubric measures {}", listed(known())))
            .suggest(nearest(name, known()));
    }
    if groups(design) > 1 && design.models_of_a_rater() > 1 {
        at.error(
            "some-raters-in-common",
            "a stopping rule compares models that have all raters in common or none, but here only some have",
        )
        .help("leave out `cells`, judge every cell with `design: within` and `cells: within`, or leave out `stopping`");
    }
    // Where the measure is unknown, the rest is checked as for the study's score.
    let named = plan(rule.measure(), measures, models.clone(), design, places);
    if let Some(plan) = named.or_else(|| plan(None, measures, models, design, places)) {
        rule.check(&plan, at);
    }
}
