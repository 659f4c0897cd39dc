//! Specs: what a researcher declares in YAML, completed from the published protocol and checked.

use std::sync::Arc;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::diagnostics::Diagnostics;
use crate::model::digest::Digest;
use crate::model::labels::Labels;
use crate::model::stimulus::Stimuli;
use crate::plugin::rubric::RubricSpec;
use crate::plugin::task::{Defaults, TaskSpec};
use crate::protocol::payment::Payment;
use crate::protocol::raters::Raters;
use crate::protocol::recruitment::Recruitment;

mod aggregators;
mod analysis;
mod asked;
mod bounds;
mod check;
mod collection;
mod duplicates;
mod facets;
mod fit;
mod hypotheses;
mod items;
mod masks;
mod media;
mod metrics;
mod money;
mod plan;
mod protocol;
mod read;
pub mod schema;
mod secret;
mod sets;
mod shorthand;
mod store;

pub use self::aggregators::Aggregators;
pub use self::analysis::AnalysisSpec;
pub use self::asked::surveyed;
pub use self::bounds::check_bounds;
pub use self::collection::CollectionSpec;
pub use self::facets::{FacetKind, FacetOf, FacetSpec, FacetSpecs, facets_of};
pub use self::hypotheses::{Expectation, ExpectedSide, Hypothesis};
pub use self::items::{ItemSpec, ItemsSpec, MatchedBy, SubjectSpec, row_and_seed};
pub use self::masks::{MaskedFrom, MasksKind, MasksSpec};
pub use self::metrics::MetricSpecs;
pub use self::plan::{ExpectedValues, PlanSpec};
pub use self::protocol::ProtocolSpec;
pub use self::read::{Draft, SpecSource};
pub use self::secret::Secret;
pub use self::sets::{Named, Patterns, SetSpec, SetSpecs};
pub use self::store::StoreSpec;

/// A study as its author declares it. Settings that the author leaves out are filled in from the published protocol.
///
/// The YAML is flat; here each section belongs to one of three parts. `protocol` determines the sessions and is pinned
/// by a digest, `collection` may change while a study runs, and `analysis` may change afterwards.
///
/// # Examples
/// A spec is read from YAML with [`Spec::read`], or created in code with [`Spec::new`] and changed through its public
/// fields. [`check`](Self::check) needs the stimuli that the file patterns match.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The study's name.
    pub name: Arc<str>,
    /// The topic of the study, for people.
    pub description: Option<Arc<str>>,
    /// The protocol, which determines the sessions.
    pub protocol: ProtocolSpec,
    /// How sessions are collected.
    pub collection: CollectionSpec,
    /// From sessions to findings.
    pub analysis: AnalysisSpec,
}

/// Writes the flat sections that [`Spec::read`] reads, in the order of the documentation.
impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { name, description, protocol, collection, analysis } = self;
        let mut sections = serializer.serialize_struct("Spec", 26)?;
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
        optional!("facets", Some(&protocol.facets).filter(|facets| !facets.is_empty()));
        sections.serialize_field("stimuli", &protocol.stimuli)?;
        optional!("items", &protocol.items);
        optional!("masks", &protocol.masks);
        optional!("playback", &protocol.playback);
        sections.serialize_field("task", &protocol.task)?;
        sections.serialize_field("rubric", &analysis.rubric)?;
        optional!("before", Some(&protocol.before).filter(|surveys| !surveys.is_empty()));
        optional!("beside", Some(&protocol.beside).filter(|questions| !questions.is_empty()));
        optional!("after", Some(&protocol.after).filter(|surveys| !surveys.is_empty()));
        optional!("corrections", protocol.corrections.then_some(&true));
        sections.serialize_field("raters", &self.raters())?;
        optional!("backend", &collection.backend);
        optional!("store", &collection.store);
        optional!("simulate", &collection.simulate);
        optional!("stopping", &collection.stopping);
        sections.serialize_field("aggregate", &analysis.aggregate)?;
        optional!("metrics", analysis.metrics.written());
        optional!("extractor", &analysis.metrics.extractor);
        optional!("text_extractor", &analysis.metrics.text_extractor);
        optional!("hypotheses", Some(&analysis.hypotheses).filter(|hypotheses| !hypotheses.is_empty()));
        optional!("plan", Some(&analysis.plan).filter(|plan| !plan.is_empty()));
        optional!("report", Some(&analysis.labels).filter(|labels| !labels.is_empty()));
        sections.end()
    }
}

impl Spec {
    /// Creates a spec for a task, with the published protocol for everything else and without stimuli.
    #[must_use]
    pub fn new(name: &str, seed: u64, task: Box<dyn TaskSpec>) -> Self {
        let Defaults { rubric, aggregator, raters } = task.defaults();
        let spec = Self {
            name: name.into(),
            description: None,
            protocol: ProtocolSpec {
                seed,
                facets: FacetSpecs::default(),
                stimuli: SetSpecs::default(),
                items: None,
                masks: None,
                playback: None,
                design: raters.design,
                cells: raters.cells,
                qualification: None,
                before: Vec::new(),
                beside: Vec::new(),
                after: Vec::new(),
                corrections: false,
                payment: None,
                speed: None,
                task,
            },
            collection: CollectionSpec {
                raters: raters.counts(),
                recruitment: Recruitment::default(),
                limit: None,
                backend: None,
                store: None,
                simulate: None,
                stopping: None,
            },
            analysis: AnalysisSpec {
                aggregate: Aggregators::default_of(&*rubric, &aggregator),
                rubric,
                metrics: MetricSpecs::default(),
                hypotheses: Vec::new(),
                plan: PlanSpec::default(),
                labels: Labels::default(),
            },
        };
        spec.with_raters(raters)
    }

    /// Replaces the rubric, and the aggregators by those of the rubric if it has any.
    #[must_use]
    pub fn with_rubric(mut self, rubric: Box<dyn RubricSpec>) -> Self {
        let aggregate = Aggregators::default_of(&*rubric, &self.protocol.task.defaults().aggregator);
        self.analysis = AnalysisSpec { rubric, aggregate, ..self.analysis };
        self
    }

    /// Replaces the raters. What they are promised becomes part of the protocol, and the rest part of the collection.
    #[must_use]
    pub fn with_raters(mut self, mut raters: Raters) -> Self {
        self.collection.raters = raters.counts();
        self.collection.recruitment = raters.recruitment;
        self.collection.limit = raters.payment.as_mut().and_then(|payment| payment.limit.take());
        self.protocol.design = raters.design;
        self.protocol.cells = raters.cells;
        self.protocol.qualification = raters.qualification;
        self.protocol.payment = raters.payment;
        self.protocol.speed = raters.speed;
        self
    }

    /// The whole `raters` section: the part in the protocol, and the part in the collection.
    #[must_use]
    pub fn raters(&self) -> Raters {
        let ProtocolSpec { design, cells, qualification, payment, speed, .. } = &self.protocol;
        let CollectionSpec { raters: counts, recruitment, limit, .. } = &self.collection;
        let limited = |payment: Payment| Payment { limit: *limit, ..payment };
        Raters {
            per_model: counts.per_model,
            per_item: counts.per_item,
            design: *design,
            cells: *cells,
            replacements: counts.replacements,
            qualification: qualification.clone(),
            payment: payment.clone().map(limited),
            speed: *speed,
            recruitment: recruitment.clone(),
        }
    }

    /// Checks the whole spec against its stimuli and collects every fault.
    ///
    /// Nothing outside the spec is checked; see [`check_within`](Self::check_within).
    #[must_use]
    pub fn check(&self, stimuli: &Stimuli) -> Diagnostics {
        self.check_within(stimuli, None)
    }

    /// The digest of the whole spec.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of_json(&to_json(self))
    }

    /// The digest of everything that determines the sessions of a study: the protocol, the stimuli that the file
    /// patterns match, and what the rubric asks. The rest of a spec may change while a study runs.
    #[must_use]
    pub fn session_digest(&self, stimuli: &Stimuli) -> Digest {
        self.protocol.digest(stimuli, &*self.analysis.rubric)
    }
}

/// A part of a spec as JSON. Spec types are plain data, whose serialization cannot fail. If the serialization of a
/// plugin fails nevertheless, the error message takes its place, and digests still distinguish specs.
fn to_json<T: Serialize>(part: &T) -> Value {
    serde_json::to_value(part).unwrap_or_else(|error| Value::String(error.to_string()))
}
