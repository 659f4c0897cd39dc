//! The protocol, which determines the sessions of a study.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::model::digest::Digest;
use crate::model::stimulus::{Role, Stimuli};
use crate::plugin::rubric::{Asked, RubricSpec};
use crate::plugin::survey::SurveySpec;
use crate::plugin::task::TaskSpec;
use crate::protocol::payment::Payment;
use crate::protocol::playback::Playback;
use crate::protocol::qualification::Qualification;
use crate::protocol::questions::QuestionSpec;
use crate::protocol::raters::RaterDesign;
use crate::protocol::speed::SpeedRule;
use crate::study::spec::{FacetSpecs, ItemsSpec, MasksSpec, SetSpec, SetSpecs, to_json};

/// The settings that determine the sessions of a study.
///
/// A field declared here is part of the session digest. A new field is omitted from the digest while it has its default
/// (`skip_serializing_if`), so studies collected before it existed can be resumed.
#[derive(Debug, Clone, Serialize)]
pub struct ProtocolSpec {
    /// The seed of all randomness in the study.
    pub seed: u64,
    /// The facets of sets. The digest covers the levels of the sets.
    #[serde(skip)]
    pub facets: FacetSpecs,
    /// The sets of stimuli, in the order written. The digest covers the stimuli themselves, not the patterns.
    #[serde(skip)]
    pub stimuli: SetSpecs,
    /// The items that every model was given; `None` if there are no items. The digest covers the items themselves.
    #[serde(skip)]
    pub items: Option<ItemsSpec>,
    /// The masks after stimuli with a limited exposure; `None` for HYPE's masks if the task shows masks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub masks: Option<MasksSpec>,
    /// How clips are played and texts read; `None` for the defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playback: Option<Playback>,
    /// The task of raters.
    pub task: Box<dyn TaskSpec>,
    /// How models are assigned to raters.
    pub design: RaterDesign,
    /// How the levels of facets of sets are assigned to raters.
    #[serde(skip_serializing_if = "RaterDesign::is_between")]
    pub cells: RaterDesign,
    /// The qualification; `None` for no qualification.
    pub qualification: Option<Qualification>,
    /// Surveys of raters about themselves before the task.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Box<dyn SurveySpec>>,
    /// Questions with every trial of the main phase, in addition to those of the task.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<QuestionSpec>,
    /// Surveys of raters about themselves and the session after the task.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Box<dyn SurveySpec>>,
    /// Whether raters can return to the trial before and correct their answer, where no answer to it can change what comes next.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub corrections: bool,
    /// The pay of raters; `None` if they are not paid. The digest does not cover its limit.
    #[serde(serialize_with = "promised")]
    pub payment: Option<Payment>,
    /// The rule on response times; `None` if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<SpeedRule>,
}

impl ProtocolSpec {
    /// The licence of the images of a set, by the set's name; that of a set at levels of facets begins with it.
    #[must_use]
    pub fn licence_of(&self, set: &str) -> Option<&Arc<str>> {
        let of_levels = |name: &str| set.strip_prefix(name).is_some_and(|levels| levels.starts_with('/'));
        let named = |(name, _): &(&str, &SetSpec)| *name == set || of_levels(name);
        self.stimuli
            .get(set)
            .or_else(|| self.stimuli.iter().find(named).map(|(_, set)| set))?
            .licence
            .as_ref()
    }

    /// The session digest: of these fields, of the stimuli, and of what the rubric asks.
    pub(super) fn digest(&self, stimuli: &Stimuli, rubric: &dyn RubricSpec) -> Digest {
        let mut parts = to_json(self);
        parts["task_version"] = self.task.version().into();
        parts["stimuli"] = stimuli.digest().to_string().into();
        if let Some(asked) = asked(stimuli, rubric) {
            parts["asked"] = asked.to_string().into();
        }
        Digest::of_json(&parts)
    }
}

/// Writes what raters are promised.
fn promised<S: Serializer>(payment: &Option<Payment>, serializer: S) -> Result<S::Ok, S::Error> {
    let promised = payment.clone().map(|payment| Payment { limit: None, ..payment });
    promised.serialize(serializer)
}

/// A digest of everything that the rubric asks; `None` if the task asks its own questions.
fn asked(stimuli: &Stimuli, rubric: &dyn RubricSpec) -> Option<Digest> {
    let roles = [Role::Real, Role::Generated];
    let items = || stimuli.items().iter().map(Some).chain([None]);
    let mut text = String::new();
    for (role, item) in roles.iter().flat_map(|&role| items().map(move |item| (role, item))) {
        for question in rubric.questions(&Asked { item, role }).iter() {
            text.push_str(&to_json(question).to_string());
            text.push('\n');
        }
    }
    (!text.is_empty()).then(|| Digest::of(text.as_bytes()))
}
