//! Specs: what a researcher declares in YAML, read, filled with the published protocol, and checked.

use std::sync::Arc;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::diagnostics::Diagnostics;
use crate::model::digest::Digest;
use crate::model::stimulus::Stimuli;
use crate::plugin::rubric::RubricSpec;
use crate::plugin::task::{Defaults, TaskSpec};
use crate::protocol::raters::Raters;

mod aggregators;
mod analysis;
mod check;
mod collection;
mod duplicates;
mod fit;
mod items;
mod masks;
mod protocol;
mod read;
mod secret;
mod sets;
mod store;

pub use self::aggregators::Aggregators;
pub use self::analysis::AnalysisSpec;
pub use self::collection::CollectionSpec;
pub use self::items::{ItemSpec, ItemsSpec, MatchedBy, SubjectSpec};
pub use self::masks::{MaskedFrom, MasksKind, MasksSpec};
pub use self::protocol::ProtocolSpec;
pub use self::read::{Draft, SpecSource};
pub use self::secret::Secret;
pub use self::sets::{Patterns, SetSpec, SetSpecs};
pub use self::store::StoreSpec;

/// A study as its author declares it, with everything left out filled from the published protocol.
///
/// In YAML its sections stand side by side; here they stand on the side that they belong to. What decides the sessions is
/// in `protocol`, whose digest pins them; what may change while a study runs is in `collection`, and what may change
/// afterwards in `analysis`.
///
/// # Examples
/// A spec is read from YAML with [`Spec::read`], or made in code around a task with [`Spec::new`] and its public
/// fields. Its [`check`](Self::check) needs the stimuli that its patterns stand for.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The study's name.
    pub name: Arc<str>,
    /// What the study is about, for people.
    pub description: Option<Arc<str>>,
    /// What decides the sessions.
    pub protocol: ProtocolSpec,
    /// How sessions are collected.
    pub collection: CollectionSpec,
    /// From sessions to findings.
    pub analysis: AnalysisSpec,
}

/// Sections side by side, in the order of the documentation, as [`Spec::read`] takes them.
impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { name, description, protocol, collection, analysis } = self;
        let mut sections = serializer.serialize_struct("Spec", 13)?;
        macro_rules! optional {
            ($name:literal, $section:expr) => {
                match $section {
                    Some(section) => sections.serialize_field($name, section)?,
                    None => sections.skip_field($name)?,
                }
            };
        }
        sections.serialize_field("name", name)?;
        optional!("description", description);
        sections.serialize_field("seed", &protocol.seed)?;
        sections.serialize_field("stimuli", &protocol.stimuli)?;
        optional!("items", &protocol.items);
        optional!("masks", &protocol.masks);
        sections.serialize_field("task", &protocol.task)?;
        sections.serialize_field("rubric", &analysis.rubric)?;
        sections.serialize_field("raters", &self.raters())?;
        optional!("backend", &collection.backend);
        optional!("store", &collection.store);
        optional!("simulate", &collection.simulate);
        sections.serialize_field("aggregate", &analysis.aggregate)?;
        sections.end()
    }
}

impl Spec {
    /// A spec around a task, with the published protocol for everything else and no stimuli yet.
    #[must_use]
    pub fn new(name: &str, seed: u64, task: Box<dyn TaskSpec>) -> Self {
        let Defaults { rubric, aggregator, raters } = task.defaults();
        Self {
            name: name.into(),
            description: None,
            protocol: ProtocolSpec {
                seed,
                stimuli: SetSpecs::default(),
                items: None,
                masks: None,
                design: raters.design,
                qualification: raters.qualification.clone(),
                payment: raters.payment.clone(),
                task,
            },
            collection: CollectionSpec {
                raters: raters.counts(),
                backend: None,
                store: None,
                simulate: None,
            },
            analysis: AnalysisSpec { aggregate: Aggregators::default_of(&*rubric, aggregator), rubric },
        }
    }

    /// The same spec with another rubric, and with that rubric's aggregator where it has one of its own.
    #[must_use]
    pub fn with_rubric(mut self, rubric: Box<dyn RubricSpec>) -> Self {
        let aggregate = Aggregators::default_of(&*rubric, self.protocol.task.defaults().aggregator);
        self.analysis = AnalysisSpec { rubric, aggregate };
        self
    }

    /// The same spec with other raters.
    #[must_use]
    pub fn with_raters(mut self, raters: Raters) -> Self {
        self.collection.raters = raters.counts();
        self.protocol.design = raters.design;
        self.protocol.qualification = raters.qualification;
        self.protocol.payment = raters.payment;
        self
    }

    /// The `raters` section as a whole: what the protocol says of raters, and how many are collected.
    #[must_use]
    pub fn raters(&self) -> Raters {
        let ProtocolSpec { design, qualification, payment, .. } = &self.protocol;
        let counts = self.collection.raters;
        Raters {
            per_model: counts.per_model,
            per_item: counts.per_item,
            design: *design,
            replacements: counts.replacements,
            qualification: qualification.clone(),
            payment: payment.clone(),
        }
    }

    /// Checks everything that the spec says against the stimuli that it names, and collects every fault.
    ///
    /// Nothing outside the spec is looked at: see [`check_within`](Self::check_within).
    #[must_use]
    pub fn check(&self, stimuli: &Stimuli) -> Diagnostics {
        self.check_within(stimuli, None)
    }

    /// The digest of the whole spec.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of_json(&to_json(self))
    }

    /// The digest of what decides the sessions of a study: the protocol, the stimuli that its patterns stand for, and
    /// what the rubric asks. The rest of a spec may change while a study runs.
    #[must_use]
    pub fn session_digest(&self, stimuli: &Stimuli) -> Digest {
        self.protocol.digest(stimuli, &*self.analysis.rubric)
    }
}

/// A spec's part as JSON. Spec types are plain data, whose serialization cannot fail; should a plugin's fail
/// all the same, the text of its failure takes its place, so that digests still tell specs apart.
fn to_json<T: Serialize>(part: &T) -> Value {
    serde_json::to_value(part).unwrap_or_else(|error| Value::String(error.to_string()))
}
