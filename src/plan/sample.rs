//! Facts from collected or simulated sessions: values by model, durations, right answers.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::model::record::Ending;
use hype_core::{Role, ScoreTable, SessionRecord, Study};
use hype_stats::bounded::Cluster;
use hype_stats::describe::median;
use schemars::JsonSchema;
use serde::Serialize;

/// The effort of a session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Sessions {
    /// Where the numbers come from: `pilot`, `simulated` or `estimated`, by the task.
    pub from: &'static str,
    /// The duration in minutes; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
    /// Whose minutes these are: `pilot` for the median of people who took part, `plan` for the section of the spec, `task` for what
    /// the task expects of a typical rater, and `synthetic` for the median of synthetic raters, where nothing else is known.
    pub minutes_of: &'static str,
    /// Images shown in a completed session, on average; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<f64>,
    /// Right answers after the qualification, on average; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correct: Option<f64>,
    /// The share of raters who pass the qualification.
    pub passing: f64,
}

impl Sessions {
    /// The task's own estimate.
    pub(super) fn estimated(study: &Study) -> Self {
        let profile = study.profile();
        Self {
            from: "estimated",
            minutes: profile.effort.map(|effort| effort.duration.as_secs_f64() / 60.0),
            minutes_of: "task",
            images: None,
            correct: profile.effort.map(|effort| effort.correct),
            passing: profile.passing.map_or(1.0, |passing| passing.probability),
        }
    }

    /// The same with the minutes of people: as the spec declares, or else as the task expects.
    pub(super) fn of_people(self, study: &Study) -> Self {
        let expected = study.profile().effort.map(|effort| effort.duration.as_secs_f64() / 60.0);
        match (study.spec().analysis.plan.minutes, expected) {
            (Some(minutes), _) => Self { minutes: Some(minutes), minutes_of: "plan", ..self },
            (None, Some(minutes)) => Self { minutes: Some(minutes), minutes_of: "task", ..self },
            (None, None) => Self { minutes_of: "synthetic", ..self },
        }
    }

    /// Images in this many sessions.
    pub(super) fn images_in(&self, sessions: u32) -> Option<u64> {
        Some((self.images? * f64::from(sessions)).round() as u64)
    }
}

/// Sessions as they are added up.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// The sums of each rater's values, in the order of the sessions.
    values: Vec<(Arc<str>, Vec<Cluster>)>,
    raters: HashMap<(Arc<str>, Arc<str>), (usize, usize)>,
    minutes: Vec<f64>,
    images: u64,
    correct: u64,
    disqualified: u64,
}

impl Sample {
    /// Adds a session. Those of raters who do not count add only to the share who pass the qualification.
    pub(super) fn add(&mut self, study: &Study, record: &SessionRecord, scores: &ScoreTable, measure: &str) {
        let Some(outcome) = &record.outcome else { return };
        if outcome.ending == Ending::Disqualified {
            self.disqualified += 1;
        }
        if !study.fills_place(record) {
            return;
        }
        self.correct += u64::from(outcome.correct);
        self.images += record.trials.iter().map(|trial| trial.shown.stimuli.len() as u64).sum::<u64>();
        self.minutes.extend(record.trials.last().map(|trial| trial.timing.at.as_secs_f64() / 60.0));
        for row in scores.rows().filter(|row| row.measure == measure && row.against.is_empty()) {
            self.push(study, row.rater, row.model, row.value);
        }
    }

    fn push(&mut self, study: &Study, rater: &str, model: &str, value: f64) {
        let is_model =
            study.stimuli().sets().iter().any(|set| &*set.name == model && set.role == Role::Generated);
        if !is_model {
            return;
        }
        let model: Arc<str> = model.into();
        let place = self.values.iter().position(|(name, _)| *name == model).unwrap_or_else(|| {
            self.values.push((Arc::clone(&model), Vec::new()));
            self.values.len() - 1
        });
        let raters = &mut self.values[place].1;
        let &mut (_, at) = self.raters.entry((model, rater.into())).or_insert_with(|| {
            raters.push(Cluster::default());
            (place, raters.len() - 1)
        });
        raters[at].count += 1;
        raters[at].sum += value;
        raters[at].squares += value * value;
    }

    /// The raters of a model.
    pub(super) fn of_model(&self, model: &str) -> RatersOfModel<'_> {
        let found = self.values.iter().find(|(name, _)| &**name == model);
        RatersOfModel(found.map_or(&[], |(_, raters)| raters))
    }

    /// The mean of each rater for each model, in the order in which models were first seen.
    pub(super) fn rater_means(&self) -> impl Iterator<Item = (Arc<str>, Vec<f64>)> {
        self.values.iter().map(|(model, raters)| (Arc::clone(model), RatersOfModel(raters).means()))
    }

    /// Returns the duration of a session; `None` if no session counts.
    pub(super) fn sessions(&self, from: &'static str) -> Option<Sessions> {
        let completed = self.minutes.len() as u64;
        let mean = |sum: u64| sum as f64 / completed as f64;
        (completed > 0).then(|| Sessions {
            from,
            minutes: median(&self.minutes).ok(),
            minutes_of: "pilot",
            images: Some(mean(self.images)),
            correct: Some(mean(self.correct)),
            passing: completed as f64 / (completed + self.disqualified) as f64,
        })
    }
}

/// The raters of one model, by the sums of their values.
#[derive(Debug, Clone, Copy)]
pub(super) struct RatersOfModel<'s>(&'s [Cluster]);

impl RatersOfModel<'_> {
    /// The mean of each rater.
    pub(super) fn means(self) -> Vec<f64> {
        self.0.iter().map(|rater| rater.sum / rater.count as f64).collect()
    }

    /// How many independent zeros and ones are as much worth as the values of a rater; `None` if raters answered unequally often
    /// or not at all: each enters by the mean alone.
    pub(super) fn answers(self) -> Option<f64> {
        let first = self.0.first()?;
        if self.0.iter().any(|rater| rater.count != first.count) {
            return None;
        }
        let total = |of: fn(&Cluster) -> f64| self.0.iter().map(of).sum::<f64>();
        let values = total(|rater| rater.count as f64);
        let (mean, squares) = (total(|rater| rater.sum) / values, total(|rater| rater.squares) / values);
        let (room, spread) = (mean - mean * mean, squares - mean * mean);
        let ratio = if spread > 1e-12 { (room / spread).max(1.0) } else { 1.0 };
        Some(first.count as f64 * ratio)
    }
}
