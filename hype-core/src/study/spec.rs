//! Specs: what a researcher declares in YAML, read, filled with the published protocol, and checked.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::diagnostics::Diagnostics;
use crate::model::digest::Digest;
use crate::model::stimulus::{Role, Stimuli, Stimulus, Use};
use crate::plugin::backend::Backend;
use crate::plugin::cohort::Cohort;
use crate::plugin::rubric::{Asked, ErasedRubric};
use crate::plugin::task::{Design, ErasedTask};

mod aggregators;
mod items;
mod masks;
mod read;
mod secret;
mod sets;
mod store;

pub use self::aggregators::Aggregators;
pub use self::items::{ItemSpec, ItemsSpec, MatchedBy, SubjectSpec};
pub use self::masks::{MaskedFrom, MasksKind, MasksSpec};
pub use self::read::SpecSource;
pub use self::secret::Secret;
pub use self::sets::{Patterns, SetSpec, SetSpecs};
pub use self::store::StoreSpec;
pub use crate::protocol::raters::{
    Pass, PassRule, Payment, Qualification, RaterDesign, Raters, RatersSection,
};

/// A study as its author declares it, with everything left out filled from the published protocol.
///
/// # Examples
/// A spec is read from YAML with [`Spec::read`], or made in code around a task with [`Spec::new`] and its public
/// fields. Its [`check`](Self::check) needs the stimuli that its patterns stand for.
#[derive(Debug, Clone, Serialize)]
pub struct Spec {
    /// The study's name.
    pub name: Arc<str>,
    /// What the study is about, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Arc<str>>,
    /// The seed of all chance in the study.
    pub seed: u64,
    /// The sets of stimuli, in the order written.
    pub stimuli: SetSpecs,
    /// What every model was given; `None` where every image stands alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<ItemsSpec>,
    /// What follows images that are shown for a limited time; `None` for HYPE's masks, where the task shows any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub masks: Option<MasksSpec>,
    /// What raters are asked to do.
    pub task: Box<dyn ErasedTask>,
    /// From what they did to numbers.
    pub rubric: Box<dyn ErasedRubric>,
    /// Who rates.
    pub raters: Raters,
    /// How raters are reached; `None` if the linked crates have no `local` backend.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend: Option<Box<dyn Backend>>,
    /// The database that keeps people's answers; `None` for a file in the study's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreSpec>,
    /// The synthetic raters of a simulation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulate: Option<Box<dyn Cohort>>,
    /// From numbers to findings.
    pub aggregate: Aggregators,
}

impl Spec {
    /// A spec around a task, with the published protocol for everything else and no stimuli yet.
    #[must_use]
    pub fn new(name: &str, seed: u64, task: Box<dyn ErasedTask>) -> Self {
        Self {
            name: name.into(),
            description: None,
            seed,
            stimuli: SetSpecs::default(),
            items: None,
            masks: None,
            rubric: task.rubric(),
            raters: task.raters(),
            backend: None,
            store: None,
            simulate: None,
            aggregate: Aggregators::default_of(&*task.rubric(), &*task),
            task,
        }
    }

    /// The same spec with another rubric, and with that rubric's aggregator where it has one of its own.
    #[must_use]
    pub fn with_rubric(self, rubric: Box<dyn ErasedRubric>) -> Self {
        let aggregate = Aggregators::default_of(&*rubric, &*self.task);
        Self { rubric, aggregate, ..self }
    }

    /// Checks everything that the spec says against the stimuli that it names, and collects every fault.
    #[must_use]
    pub fn check(&self, stimuli: &Stimuli) -> Diagnostics {
        let mut at = Diagnostics::new();
        let design = Design { stimuli, raters: &self.raters, rubric: &*self.rubric };
        self.check_sets(stimuli, &mut at);
        at.within("raters", |at| {
            self.check_raters(&design, at);
            self.task.check_raters(&design, at);
        });
        at.within("task", |at| self.task.check(&design, at));
        if let Some(masks) = &self.masks {
            at.within("masks", |at| masks.check(self.task.pace(), at));
        }
        at.within("rubric", |at| self.rubric.check(&*self.task, at));
        at.within("aggregate", |at| self.check_aggregators(at));
        if let Some(backend) = &self.backend {
            at.within("backend", |at| backend.check(&design, at));
        }
        if let Some(store) = &self.store {
            at.within("store", |at| store.check(at));
        }
        if let Some(cohort) = &self.simulate {
            at.within("simulate", |at| cohort.check(&design, at));
        }
        at
    }

    /// The digest of the whole spec.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of_json(&to_json(self))
    }

    /// The digest of what decides the sessions of a study: the task, the raters' protocol, the stimuli and the
    /// seed. How many raters there are, how they are reached and how their scores are aggregated may change
    /// while a study runs.
    #[must_use]
    pub fn session_digest(&self, stimuli: &Stimuli) -> Digest {
        let mut parts = serde_json::json!({
            "task": to_json(&self.task),
            "task_version": self.task.version(),
            "design": to_json(&self.raters.design),
            "qualification": to_json(&self.raters.qualification),
            "payment": to_json(&self.raters.payment),
            "stimuli": stimuli.digest().to_string(),
            "seed": self.seed,
        });
        if let Some(masks) = &self.masks {
            parts["masks"] = to_json(masks);
        }
        if let Some(asked) = self.asked(stimuli) {
            parts["asked"] = asked.into();
        }
        Digest::of_json(&parts)
    }

    /// One digest over all that the rubric asks; `None` where the task asks by itself.
    fn asked(&self, stimuli: &Stimuli) -> Option<String> {
        let roles = [Role::Real, Role::Generated];
        let items = || stimuli.items().iter().map(Some).chain([None]);
        let mut text = String::new();
        for (role, item) in roles.iter().flat_map(|&role| items().map(move |item| (role, item))) {
            for question in self.rubric.questions(&Asked { item, role }).iter() {
                text.push_str(&to_json(question).to_string());
                text.push('\n');
            }
        }
        (!text.is_empty()).then(|| Digest::of(text.as_bytes()).to_string())
    }

    fn check_aggregators(&self, at: &mut Diagnostics) {
        let measures = self.rubric.measures();
        match self.aggregate.0.as_slice() {
            [] => {
                at.error("empty", "there are no aggregators").help("leave `aggregate` out for the default");
            }
            [one] => one.check(&measures, at),
            several => {
                for (index, one) in several.iter().enumerate() {
                    at.within_item(index, |at| one.check(&measures, at));
                }
            }
        }
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
        for (name, set) in self.stimuli.iter() {
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
        let (field, count, lost) = match self.raters.per_item {
            Some(count) => ("per_item", count, "one rater for each item gives no agreement"),
            None => {
                let lost = "one rater for each model gives neither intervals nor tests";
                ("per_model", self.raters.per_model, lost)
            }
        };
        match count {
            0 => {
                at.field(field).error("out-of-range", format!("{field} must be at least 1, got 0"));
            }
            1 => {
                at.field(field).warning("one-rater", lost);
            }
            _ => {}
        }
        if self.raters.replacements > 1_000 {
            at.field("replacements")
                .error("out-of-range", format!("{} replacements for one place", self.raters.replacements))
                .help("use a number from 0 to 1000");
        }
        if let Some(payment) = &self.raters.payment {
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
        let (Some(minimum), Some(effort)) = (payment.minimum_hourly, self.task.effort(design)) else {
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
