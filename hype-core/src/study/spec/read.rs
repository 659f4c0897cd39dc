//! Reading a spec: text, spanned tree, typed sections, defaults from the task's protocol.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::diagnostics::{Diagnostics, Severity, nearest};
use crate::model::stimulus::Use;
use crate::plugin::aggregator::ErasedAggregator;
use crate::plugin::backend::Backend;
use crate::plugin::cohort::Cohort;
use crate::plugin::rubric::ErasedRubric;
use crate::plugin::task::ErasedTask;
use crate::study::spec::{
    Aggregators, ItemsSpec, MasksSpec, Patterns, RatersSection, SetSpec, SetSpecs, Spec, StoreSpec,
};
use crate::yaml::{Document, Node};

/// The keys of a spec, in the order of the documentation.
const SECTIONS: [&str; 13] = [
    "name",
    "description",
    "seed",
    "stimuli",
    "items",
    "masks",
    "task",
    "rubric",
    "raters",
    "backend",
    "store",
    "simulate",
    "aggregate",
];

/// A spec and the text that it was read from.
#[derive(Debug)]
pub struct SpecSource {
    /// The spec.
    pub spec: Spec,
    /// The text, by which later diagnostics are located.
    pub document: Document,
    /// What reading found that is no error.
    pub warnings: Diagnostics,
}

impl Spec {
    /// Reads a spec from YAML.
    ///
    /// # Errors
    /// Every fault that can be found without the stimuli, located in the text.
    pub fn read(text: &[u8]) -> Result<SpecSource, Diagnostics> {
        let document = Document::parse_bytes(text)?;
        let mut at = Diagnostics::new();
        let spec = read_sections(document.root(), &mut at);
        at.locate(&document);
        at.sort();
        match spec {
            Some(spec) if !at.has_errors() => Ok(SpecSource { spec, document, warnings: at }),
            _ => Err(at),
        }
    }
}

fn read_sections(root: Node<'_>, at: &mut Diagnostics) -> Option<Spec> {
    let Some(entries) = root.as_map() else {
        at.error("wrong-type", format!("a spec is a map of sections, found {}", root.kind_name()))
            .help("begin with `stimuli:` and `task:`");
        return None;
    };
    for entry in entries {
        if !SECTIONS.contains(&entry.key) {
            at.field(entry.key)
                .error("unknown-field", format!("unknown section `{}`", entry.key))
                .suggest(nearest(entry.key, SECTIONS));
        }
        warn_of_interpolation(entry.value, at);
    }
    let name: Option<Arc<str>> = optional(root, "name", at);
    let description = optional(root, "description", at);
    let seed = optional(root, "seed", at);
    let stimuli = read_stimuli(root, at);
    let items: Option<ItemsSpec> = optional(root, "items", at);
    let masks: Option<MasksSpec> = optional(root, "masks", at);
    let task: Option<Box<dyn ErasedTask>> =
        required(root, "task", "say what raters are asked to do, such as `task: { kind: hype_time }`", at);
    let rubric: Option<Box<dyn ErasedRubric>> = optional(root, "rubric", at);
    let raters = read_raters(root, at);
    let backend: Option<Box<dyn Backend>> = optional(root, "backend", at);
    let store: Option<StoreSpec> = optional(root, "store", at);
    let simulate: Option<Box<dyn Cohort>> = optional(root, "simulate", at);
    let aggregate = read_aggregators(root, at);
    let (stimuli, task) = (stimuli?, task?);
    let rubric = rubric.unwrap_or_else(|| task.rubric());
    Some(Spec {
        name: name.unwrap_or_else(|| "study".into()),
        description,
        seed: seed.unwrap_or(0),
        stimuli,
        items,
        masks,
        raters: raters.unwrap_or_default().over(task.raters()),
        backend: backend.or_else(local_backend),
        store,
        simulate,
        aggregate: aggregate.unwrap_or_else(|| Aggregators::default_of(&*rubric, &*task)),
        rubric,
        task,
    })
}

fn read_raters(root: Node<'_>, at: &mut Diagnostics) -> Option<RatersSection> {
    let raters: RatersSection = optional(root, "raters", at)?;
    if raters.per_item.is_some() && raters.per_model.is_some() {
        at.within("raters", |at| {
            at.field("per_item")
                .error("two-counts", "raters are counted by item or by model, not by both")
                .help("remove `per_item` or `per_model`");
        });
    }
    Some(raters)
}

/// Reads one aggregator or a list of them.
fn read_aggregators(root: Node<'_>, at: &mut Diagnostics) -> Option<Aggregators> {
    let Some(parts) = root.get("aggregate").and_then(|section| section.as_list()) else {
        let one: Box<dyn ErasedAggregator> = optional(root, "aggregate", at)?;
        return Some(one.into());
    };
    let read = parts.filter_map(|part| part.read_collecting::<Box<dyn ErasedAggregator>>(at));
    Some(Aggregators(read.collect()))
}

/// The backend of a spec that names none, where its crate is linked.
fn local_backend() -> Option<Box<dyn Backend>> {
    serde_json::from_value(serde_json::json!({ "kind": "local" })).ok()
}

fn optional<T: DeserializeOwned>(root: Node<'_>, key: &str, at: &mut Diagnostics) -> Option<T> {
    root.get(key)?.read_collecting(at)
}

fn required<T: DeserializeOwned>(root: Node<'_>, key: &str, help: &str, at: &mut Diagnostics) -> Option<T> {
    if root.get(key).is_none() {
        at.error("missing-field", format!("the spec has no `{key}`")).help(help);
        return None;
    }
    optional(root, key, at)
}

fn read_stimuli(root: Node<'_>, at: &mut Diagnostics) -> Option<SetSpecs> {
    let help = "name the sets of images, such as `real: { role: real, images: images/real/*.png }`";
    let Some(section) = root.get("stimuli") else {
        at.error("missing-field", "the spec has no `stimuli`").help(help);
        return None;
    };
    let Some(entries) = section.as_map() else {
        at.field("stimuli")
            .error("wrong-type", format!("expected a map of named sets, found {}", section.kind_name()))
            .help(help);
        return None;
    };
    if entries.len() == 0 {
        at.field("stimuli").error("empty", "there are no sets of stimuli").help(help);
        return None;
    }
    let mut sets = Vec::new();
    for entry in entries {
        let Some(set) = entry.value.read_collecting::<SetSpec>(at) else { continue };
        let Patterns(patterns) = &set.images;
        if patterns.is_empty() || patterns.iter().any(|pattern| pattern.trim().is_empty()) {
            at.within("stimuli", |at| {
                at.within(entry.key, |at| {
                    at.field("images").error("empty", "an empty pattern matches no file").help(
                        "write a file pattern relative to the spec's folder, such as `images/real/*.png`",
                    );
                });
            });
        }
        at.within("stimuli", |at| at.within(entry.key, |at| check_use(&set, at)));
        sets.push((Arc::from(entry.key), set));
    }
    Some(SetSpecs(sets))
}

fn check_use(set: &SetSpec, at: &mut Diagnostics) {
    if set.used_for == Use::Condition {
        at.field("use")
            .error("not-a-use", "sets of condition images are made from the section `items`")
            .help("name the images of conditions there, and remove this set");
    }
    match (set.used_for == Use::Gold, set.answers.is_empty()) {
        (true, true) => {
            at.error("no-gold-answers", "gold images need the answers that are right")
                .help("add `answers`, such as `answers: { alignment: [\"4\", \"5\"] }`");
        }
        (false, false) => {
            at.field("answers")
                .error("not-gold", "only sets with `use: gold` have right answers")
                .help("add `use: gold`, or remove `answers`");
        }
        _ => {}
    }
}

/// Warns wherever a text looks as if an environment variable were meant to stand in it.
fn warn_of_interpolation(node: Node<'_>, at: &mut Diagnostics) {
    if let Some(text) = node.as_str() {
        if text.contains("${") {
            let mut warning = node
                .error("no-interpolation", "variables are not filled in: this text is taken as it stands");
            warning.severity = Severity::Warning;
            warning.help("environment variables stand in for secrets only, as `{ env: NAME }`");
            at.push(warning);
        }
    } else if let Some(entries) = node.as_map() {
        entries.for_each(|entry| warn_of_interpolation(entry.value, at));
    } else if let Some(items) = node.as_list() {
        items.for_each(|item| warn_of_interpolation(item, at));
    }
}
