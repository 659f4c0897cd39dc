//! What collected or simulated sessions show: values by model, durations, right answers.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::model::record::Ending;
use hype_core::{Role, ScoreTable, SessionRecord, Study};
use hype_stats::describe::median;
use schemars::JsonSchema;
use serde::Serialize;

/// What a session takes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Sessions {
    /// Where the numbers come from: `pilot`, `simulated` or `estimated`, by the task.
    pub from: &'static str,
    /// The median duration in minutes; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
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
            images: None,
            correct: profile.effort.map(|effort| effort.correct),
            passing: profile.passing.map_or(1.0, |passing| passing.probability),
        }
    }

    /// Images in this many sessions.
    pub(super) fn images_in(&self, sessions: u32) -> Option<u64> {
        Some((self.images? * f64::from(sessions)).round() as u64)
    }
}

/// The sum and the number of one rater's values.
type Sum = (f64, u32);

/// Sessions as they are added up.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// The sum and the number of each rater's values, in the order of the sessions.
    values: Vec<(Arc<str>, Vec<Sum>)>,
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
        let means = &mut self.values[place].1;
        let &mut (_, at) = self.raters.entry((model, rater.into())).or_insert_with(|| {
            means.push((0.0, 0));
            (place, means.len() - 1)
        });
        means[at].0 += value;
        means[at].1 += 1;
    }

    /// The mean of each rater for each model, in the order in which models were first seen.
    pub(super) fn rater_means(&self) -> impl Iterator<Item = (Arc<str>, Vec<f64>)> {
        self.values.iter().map(|(model, values)| {
            let means = values.iter().map(|&(sum, count)| sum / f64::from(count)).collect();
            (Arc::clone(model), means)
        })
    }

    /// What a session takes; `None` if no session counts.
    pub(super) fn sessions(&self, from: &'static str) -> Option<Sessions> {
        let completed = self.minutes.len() as u64;
        let mean = |sum: u64| sum as f64 / completed as f64;
        (completed > 0).then(|| Sessions {
            from,
            minutes: median(&self.minutes).ok(),
            images: Some(mean(self.images)),
            correct: Some(mean(self.correct)),
            passing: completed as f64 / (completed + self.disqualified) as f64,
        })
    }
}
