//! Which outputs, pairs and reference images belong to the value of a model.

use std::sync::Arc;

use hype_core::model::item::ConditionKind;
use hype_core::model::stimulus::{Stimuli, Use};
use hype_core::plugin::metric::{MetricBeside, MetricSpec};
use hype_core::{SetId, StimulusId};

/// A unit of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) output: StimulusId,
    /// The other part of its unit: the image that is a condition of its item, or another output.
    pub(super) other: Option<StimulusId>,
}

/// The sample from which the value of a model is computed.
#[derive(Debug, Clone)]
pub(super) struct ModelSample {
    /// The model, by the name that estimates have for it.
    pub(super) model: Arc<str>,
    /// Whether it is a model at all levels of its facets.
    pub(super) is_pooled: bool,
    pub(super) members: Vec<Member>,
    /// The stimuli of the reference set.
    pub(super) reference: Vec<StimulusId>,
}

/// The samples of a metric: one for each model, and one for each model at all its levels.
pub(super) fn samples(stimuli: &Stimuli, metric: &dyn MetricSpec) -> Vec<ModelSample> {
    let beside = metric.inputs().beside;
    let models: Vec<SetId> = stimuli.models().collect();
    let mut found: Vec<ModelSample> = Vec::new();
    for &model in &models {
        let Some(set) = stimuli.set(model) else { continue };
        found.push(ModelSample {
            model: Arc::clone(&set.name),
            is_pooled: false,
            members: members(stimuli, &beside, &[model]),
            reference: reference(stimuli, &beside, &[model]),
        });
    }
    let declared = |id: SetId| stimuli.set(id).map_or("", |set| set.declared_name());
    let mut done: Vec<&str> = Vec::new();
    for &model in &models {
        let name = declared(model);
        let cells: Vec<SetId> = models.iter().copied().filter(|&other| declared(other) == name).collect();
        if cells.len() > 1 && !done.contains(&name) {
            done.push(name);
            found.push(ModelSample {
                model: name.into(),
                is_pooled: true,
                members: members(stimuli, &beside, &cells),
                reference: reference(stimuli, &beside, &cells),
            });
        }
    }
    found
}

fn members(stimuli: &Stimuli, beside: &MetricBeside<'_>, sets: &[SetId]) -> Vec<Member> {
    let outputs = || sets.iter().flat_map(|&set| stimuli.members(set)).copied();
    match beside {
        MetricBeside::Condition(kind) => {
            outputs().map(|output| Member { output, other: condition(stimuli, output, *kind) }).collect()
        }
        MetricBeside::Siblings => {
            let outputs: Vec<StimulusId> = outputs().collect();
            let item = |id: StimulusId| stimuli.get(id).and_then(|stimulus| stimulus.item);
            let mut pairs = Vec::new();
            for (place, &output) in outputs.iter().enumerate() {
                let later = outputs[place + 1..].iter().copied();
                let siblings = later.filter(|&other| item(output).is_some() && item(output) == item(other));
                pairs.extend(siblings.map(|other| Member { output, other: Some(other) }));
            }
            pairs
        }
        _ => outputs().map(|output| Member { output, other: None }).collect(),
    }
}

fn condition(stimuli: &Stimuli, output: StimulusId, kind: ConditionKind) -> Option<StimulusId> {
    stimuli.item_of(output)?.stimulus(kind)
}

/// The reference stimuli of models: those of the named set that share a level with one of them, or all real ones that do.
fn reference(stimuli: &Stimuli, beside: &MetricBeside<'_>, models: &[SetId]) -> Vec<StimulusId> {
    let MetricBeside::Reference(name) = beside else { return Vec::new() };
    let sets: Vec<SetId> = match name {
        None => stimuli.real_sets(models).collect(),
        Some(name) => (0..stimuli.sets().len() as u16)
            .map(SetId)
            .filter(|&id| {
                let Some(set) = stimuli.set(id) else { return false };
                let is_shared = models
                    .iter()
                    .filter_map(|&model| stimuli.set(model))
                    .any(|model| set.shares_levels(model));
                set.declared_name() == *name && set.used_for != Use::Condition && is_shared
            })
            .collect(),
    };
    sets.into_iter().flat_map(|set| stimuli.members(set)).copied().collect()
}
