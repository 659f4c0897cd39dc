//! Specs: what a researcher declares in YAML, read, filled with the published protocol, and checked.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::diagnostics::Diagnostics;
use crate::model::digest::Digest;
use crate::model::stimulus::{Role, Stimuli, Stimulus, Use};
use crate::plugin::rubric::{self, RubricSpec};
use crate::plugin::task::{Defaults, Design, TaskSpec};
use crate::protocol::payment::Payment;
use crate::protocol::raters::{RaterCount, Raters, ReplacementCount};

mod aggregators;
mod analysis;
mod collection;
mod items;
mod masks;
mod protocol;
mod read;
mod secret;
mod sets;
mod store;

pub use self::aggregators::Aggregators;
pub use self::analysis::Analysis;
pub use self::collection::Collection;
pub use self::items::{ItemSpec, ItemsSpec, MatchedBy, SubjectSpec};
pub use self::masks::{MaskedFrom, MasksKind, MasksSpec};
pub use self::protocol::Protocol;
pub use self::read::SpecSource;
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
    pub protocol: Protocol,
    /// How sessions are collected.
    pub collection: Collection,
    /// From sessions to findings.
    pub analysis: Analysis,
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
            protocol: Protocol {
                seed,
                stimuli: SetSpecs::default(),
                items: None,
                masks: None,
                design: raters.design,
                qualification: raters.qualification.clone(),
                payment: raters.payment.clone(),
                task,
            },
            collection: Collection { raters: raters.counts(), backend: None, store: None, simulate: None },
            analysis: Analysis { aggregate: Aggregators::default_of(&*rubric, aggregator), rubric },
        }
    }

    /// The same spec with another rubric, and with that rubric's aggregator where it has one of its own.
    #[must_use]
    pub fn with_rubric(mut self, rubric: Box<dyn RubricSpec>) -> Self {
        let aggregate = Aggregators::default_of(&*rubric, self.protocol.task.defaults().aggregator);
        self.analysis = Analysis { rubric, aggregate };
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
        let Protocol { design, qualification, payment, .. } = &self.protocol;
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
    #[must_use]
    pub fn check(&self, stimuli: &Stimuli) -> Diagnostics {
        let Self { protocol, collection, analysis, .. } = self;
        let task = &protocol.task;
        let mut at = Diagnostics::new();
        let raters = self.raters();
        let design = Design { stimuli, raters: &raters, rubric: &*analysis.rubric };
        self.check_sets(stimuli, &mut at);
        at.within("raters", |at| {
            self.check_raters(&design, at);
            task.check_raters(&design, at);
            if raters.per_item.is_some() && task.by_item().is_none() {
                at.field("per_item")
                    .error("not-by-item", "this task counts raters by model, not by item")
                    .help("write `per_model`: how many raters judge each model");
            }
        });
        at.within("task", |at| task.check(&design, at));
        if let Some(masks) = &protocol.masks {
            at.within("masks", |at| masks.check(task.profile(&design).pace, at));
        }
        rubric::check_fit(&*analysis.rubric, &**task, &design, &mut at);
        at.within("rubric", |at| analysis.rubric.check(&**task, at));
        at.within("aggregate", |at| analysis.check_aggregators(at));
        if let Some(backend) = &collection.backend {
            at.within("backend", |at| backend.check(&design, at));
        }
        if let Some(store) = &collection.store {
            at.within("store", |at| store.check(at));
        }
        if let Some(cohort) = &collection.simulate {
            at.within("simulate", |at| cohort.check(&design, at));
        }
        at
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

    fn check_sets(&self, stimuli: &Stimuli, at: &mut Diagnostics) {
        at.within("stimuli", |at| {
            if stimuli.models().next().is_none() {
                at.error("no-models", "no set of stimuli has `role: generated`").help(
                    "name at least one set of a model's outputs, such as `mymodel: { role: generated, images: \
                     images/mymodel/*.png }`",
                );
            }
            let mut contents: BTreeMap<Digest, usize> = BTreeMap::new();
            let is_judged = |item: &Stimulus| stimuli.set(item.set).is_some_and(|set| set.used_for != Use::Condition);
            for (index, item) in stimuli.all().iter().enumerate().filter(|(_, item)| is_judged(item)) {
                let Some(&first) = contents.get(&item.digest) else {
                    contents.insert(item.digest, index);
                    continue;
                };
                let first = &stimuli.all()[first];
                let set = stimuli.set(item.set).map_or("", |set| &*set.name);
                let message = format!("{} and {} are the same image by content", first.path, item.path);
                // Two models may do the same with an item, such as nothing at all.
                let same_item = first.item.is_some() && first.item == item.item && first.set != item.set;
                at.within(set, |at| {
                    if same_item {
                        at.warning("same-output", message).help("models that give the same output can only tie");
                    } else {
                        at.error("duplicate-image", message)
                            .help("remove one of them, so that no image counts twice");
                    }
                });
            }
        });
        for (name, set) in self.protocol.stimuli.iter() {
            if set.role == Role::Generated && set.used_for == Use::Main && name.contains(['/', '\\', '\n']) {
                at.within("stimuli", |at| {
                    at.within(name, |at| {
                        at.error("bad-name", format!("{name:?} cannot name a model"))
                            .help("use a name without slashes and line breaks");
                    });
                });
            }
        }
    }

    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        let (field, count, lost) = match design.raters.per_item {
            Some(count) => ("per_item", count, "one rater for each item gives no agreement"),
            None => {
                let lost = "one rater for each model gives neither intervals nor tests";
                ("per_model", design.raters.per_model, lost)
            }
        };
        RaterCount::new(count).check(field, at);
        if count == 1 {
            at.field(field).warning("one-rater", lost);
        }
        ReplacementCount::new(design.raters.replacements).check("replacements", at);
        if let Some(payment) = &self.protocol.payment {
            at.within("payment", |at| self.check_pay(payment, design, at));
        }
    }

    fn check_pay(&self, payment: &Payment, design: &Design<'_>, at: &mut Diagnostics) {
        let code = payment.currency.as_bytes();
        if code.len() != 3 || !code.iter().all(u8::is_ascii_uppercase) {
            at.field("currency")
                .error("bad-currency", format!("{:?} is no currency code", payment.currency))
                .help("use the three letters of ISO 4217, such as USD or EUR");
        }
        let (Some(minimum), Some(effort)) =
            (payment.minimum_hourly, self.protocol.task.profile(design).effort)
        else {
            return;
        };
        let hours = effort.duration.as_secs_f64() / 3_600.0;
        let pay = payment.base.as_units() + payment.per_correct.as_units() * effort.correct;
        let hourly = pay / hours;
        if hours > 0.0 && hourly < minimum.as_units() {
            at.field("minimum_hourly")
                .warning(
                    "low-pay",
                    format!(
                        "a typical session of {:.0} min earns {pay:.2} {currency}, which is {hourly:.2} {currency} \
                         an hour, under the minimum of {minimum} {currency}",
                        hours * 60.0,
                        currency = payment.currency
                    ),
                )
                .help(format!(
                    "raise `base` to {:.2} or more",
                    payment.base.as_units() + (minimum.as_units() - hourly) * hours + 0.005
                ));
        }
    }
}

/// A spec's part as JSON. Spec types are plain data, whose serialization cannot fail; should a plugin's fail
/// all the same, the text of its failure takes its place, so that digests still tell specs apart.
fn to_json<T: Serialize>(part: &T) -> Value {
    serde_json::to_value(part).unwrap_or_else(|error| Value::String(error.to_string()))
}
