//! The protocol: how the study was conducted, as far as it concerns readers of the package.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::model::findings::StudyCard;
use hype_core::plugin::translations::Catalogue;
use hype_core::study::spec::Hypothesis;
use hype_core::{Role, Study, Use};
use serde::Serialize;
use serde_json::Value;

use super::anonymous::Anonymous;

/// How the study was conducted.
#[derive(Debug, Serialize)]
pub(super) struct Protocol {
    /// The version of this layout.
    pub(super) format: u32,
    pub(super) software: Arc<str>,
    pub(super) study: StudyCard,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<Arc<str>>,
    /// Whether the raters are synthetic.
    pub(super) simulated: bool,
    pub(super) task: Value,
    pub(super) rubric: Value,
    pub(super) raters: Value,
    pub(super) aggregate: Value,
    /// The hypotheses of the study.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) hypotheses: Vec<Hypothesis>,
    /// The kind of the backend that reached the raters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) backend: Option<String>,
    /// The synthetic raters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cohort: Option<Value>,
    pub(super) sets: Vec<SetEntry>,
    pub(super) items: usize,
    /// The texts that raters read before they began.
    pub(super) guidance: Vec<Arc<str>>,
    pub(super) collected: Value,
    /// Excluded raters, by rule.
    pub(super) exclusions: BTreeMap<String, u64>,
    pub(super) notes: Value,
}

#[derive(Debug, Serialize)]
pub(super) struct SetEntry {
    pub(super) name: Arc<str>,
    pub(super) role: Role,
    #[serde(rename = "use")]
    pub(super) used_for: Use,
    pub(super) images: usize,
    /// The licence of its images, if the study declares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) licence: Option<Arc<str>>,
}

impl Protocol {
    /// `findings` are the anonymized findings of the package.
    pub(super) fn of(study: &Study, findings: &Value, simulated: bool, anonymous: &Anonymous) -> Self {
        let spec = study.spec();
        let stimuli = study.stimuli();
        let words = study.words();
        let setting = |value: serde_json::Result<Value>| {
            // Settings that cannot be serialized could not have been read either.
            let mut value = value.unwrap_or_default();
            word(&mut value, &words);
            anonymous.sentences(&mut value);
            value
        };
        let sets = stimuli.sets().iter().enumerate().map(|(place, set)| SetEntry {
            name: Arc::clone(&set.name),
            role: set.role,
            used_for: set.used_for,
            images: stimuli.members(hype_core::SetId(place as u16)).len(),
            licence: spec.protocol.licence_of(&set.name).cloned(),
        });
        let hypothesis = |one: &Hypothesis| Hypothesis {
            text: anonymous.text(&one.text).into(),
            expects: one.expects.clone(),
        };
        let mut exclusions = BTreeMap::new();
        for exclusion in findings["exclusions"].as_array().into_iter().flatten() {
            *exclusions.entry(exclusion["rule"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
        Self {
            format: 1,
            software: hype_core::study::analysis::software(),
            study: study.card(),
            description: spec.description.clone(),
            simulated,
            task: setting(serde_json::to_value(&spec.protocol.task)),
            rubric: setting(serde_json::to_value(&spec.analysis.rubric)),
            raters: setting(serde_json::to_value(spec.raters())),
            aggregate: setting(serde_json::to_value(&spec.analysis.aggregate)),
            hypotheses: spec.analysis.hypotheses.iter().map(hypothesis).collect(),
            backend: spec.collection.backend.as_ref().map(|backend| backend.typetag_name().to_owned()),
            cohort: simulated.then(|| setting(serde_json::to_value(&spec.collection.simulate))),
            sets: sets.collect(),
            items: stimuli.items().len(),
            guidance: study.worded_guidance().into_iter().map(Into::into).collect(),
            collected: findings["collected"].clone(),
            exclusions,
            notes: findings["notes"].clone(),
        }
    }
}

/// Puts sentences that tasks and rubrics bring into the words of the study's media.
fn word(value: &mut Value, words: &Catalogue) {
    match value {
        Value::String(text) if text.contains(' ') => *text = words.worded(text).to_string(),
        Value::Array(list) => list.iter_mut().for_each(|one| word(one, words)),
        Value::Object(map) => map.values_mut().for_each(|one| word(one, words)),
        _ => {}
    }
}
