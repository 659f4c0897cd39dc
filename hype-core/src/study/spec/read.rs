//! Reading a spec: from text to a spanned tree, to typed sections, to defaults from the task's protocol.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::diagnostics::{Diagnostic, Diagnostics, Severity, nearest};
use crate::model::labels::Labels;
use crate::model::stimulus::{Stimuli, Use};
use crate::plugin::aggregator::AggregatorSpec;
use crate::plugin::cohort::CohortSpec;
use crate::plugin::registry::SpecPart;
use crate::plugin::rubric::RubricSpec;
use crate::plugin::stopping::StoppingSpec;
use crate::plugin::surroundings::Outside;
use crate::plugin::task::TaskSpec;
use crate::protocol::playback::Playback;
use crate::protocol::questions::QuestionSpec;
use crate::protocol::raters::RatersSection;
use crate::study::backend::BackendSpec;
use crate::study::spec::{
    Aggregators, FacetSpec, FacetSpecs, Hypothesis, ItemsSpec, MasksSpec, MetricSpecs, Named, PlanSpec,
    SetSpec, SetSpecs, Spec, StoreSpec,
};
use crate::yaml::{Document, Node, to_json};

use super::bounds::check_bounds;
use super::media;
use super::shorthand::read_plugins;

/// The keys of a spec, in the order of the documentation.
const SECTIONS: [&str; 26] = [
    "name",
    "description",
    "seed",
    "facets",
    "stimuli",
    "items",
    "masks",
    "playback",
    "task",
    "rubric",
    "before",
    "beside",
    "after",
    "corrections",
    "raters",
    "backend",
    "store",
    "simulate",
    "stopping",
    "aggregate",
    "metrics",
    "extractor",
    "text_extractor",
    "hypotheses",
    "plan",
    "report",
];

/// For each section, the codes of faults elsewhere that may only be consequences of a fault in it.
const CONSEQUENCES: [(&str, &[&str]); 7] = [
    ("facets", &["missing-levels", "no-reals", "unknown-facet", "unknown-model", "unused-facet"]),
    (
        "items",
        &[
            "missing-condition",
            "missing-outputs",
            "no-items",
            "no-pairs",
            "pairs",
            "too-few-images",
            "too-few-items",
        ],
    ),
    ("masks", &["too-few-images"]),
    (
        "raters",
        &["beyond-places", "no-qualification", "raters-after-looks", "too-few-images", "too-few-items"],
    ),
    ("rubric", &["missing-condition", "no-gold", "unknown-measure", "wrong-aggregator"]),
    (
        "stimuli",
        &[
            "missing-condition",
            "missing-outputs",
            "no-gold",
            "no-items",
            "no-models",
            "no-pairs",
            "no-qualification",
            "no-reals",
            "pairs",
            "too-few-images",
            "too-few-items",
            "too-few-models",
            "unknown-facet",
            "unknown-model",
            "unused-facet",
        ],
    ),
    ("task", &["no-qualification", "too-few-images", "too-few-items", "wrong-aggregator", "wrong-rubric"]),
];

/// A spec with the text from which it was read.
#[derive(Debug)]
pub struct SpecSource {
    /// The spec.
    pub spec: Spec,
    /// The text, in which later diagnostics are located.
    pub document: Document,
    /// Warnings found while reading.
    pub warnings: Diagnostics,
}

impl Spec {
    /// Reads a spec from YAML.
    ///
    /// # Errors
    /// All faults that can be found without the stimuli, located in the text.
    pub fn read(text: &[u8]) -> Result<SpecSource, Diagnostics> {
        Self::draft(text)?.finish()
    }

    /// Reads as much of a spec from YAML as possible: faults in one section do not hide those of the stimuli
    /// and of other sections.
    ///
    /// # Errors
    /// If the text is not YAML or not a map of sections.
    pub fn draft(text: &[u8]) -> Result<Draft, Diagnostics> {
        let mut document = Document::parse_bytes(text)?;
        let mut declared = Diagnostics::new();
        check_bounds(&to_json(document.root()), &mut declared);
        declared.iter().for_each(|one| document.leave_out(&one.path));
        let mut found = Diagnostics::new();
        found.extend(declared.into_iter().filter(|one| one.severity == Severity::Error));
        let parts = read_sections(document.root(), &mut found);
        found.locate(&document);
        found.sort();
        match parts {
            Some(parts) => Ok(Draft { parts, document, found }),
            None => Err(found),
        }
    }
}

/// The part of a spec that could be read; faulty entries are left out.
#[derive(Debug)]
pub struct Draft {
    parts: Parts,
    /// The text, in which later diagnostics are located.
    pub document: Document,
    /// Diagnostics from reading, located in the text.
    pub found: Diagnostics,
}

#[derive(Debug)]
enum Parts {
    Whole(Box<Spec>),
    Taskless(Box<Taskless>),
}

/// The part of a spec that can be checked although its task cannot be read.
#[derive(Debug)]
pub(super) struct Taskless {
    pub(super) facets: FacetSpecs,
    pub(super) stimuli: SetSpecs,
    pub(super) items: Option<ItemsSpec>,
    pub(super) masks: Option<MasksSpec>,
    pub(super) raters: RatersSection,
    pub(super) backend: Option<Box<dyn BackendSpec>>,
    pub(super) store: Option<StoreSpec>,
    pub(super) simulate: Option<Box<dyn CohortSpec>>,
}

impl Draft {
    /// The sets of stimuli that could be read.
    #[must_use]
    pub fn stimuli(&self) -> &SetSpecs {
        match &self.parts {
            Parts::Whole(spec) => &spec.protocol.stimuli,
            Parts::Taskless(parts) => &parts.stimuli,
        }
    }

    /// The facets that could be read.
    #[must_use]
    pub fn facets(&self) -> &FacetSpecs {
        match &self.parts {
            Parts::Whole(spec) => &spec.protocol.facets,
            Parts::Taskless(parts) => &parts.facets,
        }
    }

    /// The section `items`, if it exists and could be read.
    #[must_use]
    pub fn items(&self) -> Option<&ItemsSpec> {
        match &self.parts {
            Parts::Whole(spec) => spec.protocol.items.as_ref(),
            Parts::Taskless(parts) => parts.items.as_ref(),
        }
    }

    /// How clips are played and texts read, as far as it could be read.
    #[must_use]
    pub fn playback(&self) -> Playback {
        match &self.parts {
            Parts::Whole(spec) => spec.protocol.playback.unwrap_or_default(),
            Parts::Taskless(_) => Playback::default(),
        }
    }

    /// The spec, which can be changed before it is checked; `None` if its task could not be read.
    pub fn spec_mut(&mut self) -> Option<&mut Spec> {
        match &mut self.parts {
            Parts::Whole(spec) => Some(spec),
            Parts::Taskless(_) => None,
        }
    }

    /// Checks the part that could be read. Omits faults that may only be consequences of those already `found` in the
    /// spec or its stimuli.
    #[must_use]
    pub fn check(&self, stimuli: &Stimuli, outside: Option<Outside<'_>>, found: &Diagnostics) -> Diagnostics {
        let checked = match &self.parts {
            Parts::Whole(spec) => spec.check_within(stimuli, outside),
            Parts::Taskless(parts) => parts.check(stimuli, outside),
        };
        let errors = || found.iter().filter(|one| one.severity == Severity::Error);
        let mut before: Vec<&str> = errors().map(|one| &*one.path).collect();
        // A number out of bounds says nothing about the settings next to it.
        let beside: Vec<&str> =
            errors().filter(|one| one.code != "out-of-range").map(|one| &*one.path).collect();
        // A misspelt section also counts as the section that it was meant to be.
        let misspelt = before.iter().filter(|path| !SECTIONS.contains(&section_of(path)));
        let meant: Vec<&str> = misspelt.filter_map(|path| nearest(path, SECTIONS)).collect();
        before.extend(meant);
        let mut independent = Diagnostics::new();
        independent.extend(checked.into_iter().filter(|one| !self.is_consequence(one, &before, &beside)));
        independent
    }

    /// The spec, if reading found no error.
    ///
    /// # Errors
    /// All diagnostics from reading, if any of them is an error.
    pub fn finish(self) -> Result<SpecSource, Diagnostics> {
        match self.parts {
            Parts::Whole(spec) if !self.found.has_errors() => {
                Ok(SpecSource { spec: *spec, document: self.document, warnings: self.found })
            }
            _ => Err(self.found),
        }
    }

    /// Whether a fault may only be a consequence of earlier faults. This is the case if its path contains one of
    /// theirs, if it is next to one of them in a map within a section, if it concerns a default in a section with one
    /// of them, or if its code says so.
    fn is_consequence(&self, one: &Diagnostic, before: &[&str], beside: &[&str]) -> bool {
        let at_fault = |section: &str| before.iter().any(|path| section_of(path) == section);
        let follows = |(section, codes): &(&str, &[&str])| codes.contains(&one.code) && at_fault(section);
        let map = one.path.rsplit_once('.').map_or("", |(map, _)| map);
        let is_beside = |path: &&str| one.code != "out-of-range" && map.contains('.') && holds(map, path);
        before.iter().any(|path| holds(&one.path, path))
            || beside.iter().any(is_beside)
            || at_fault(section_of(&one.path)) && self.document.node_at(&one.path).is_none()
            || CONSEQUENCES.iter().any(follows)
    }
}

/// The first key of a path.
fn section_of(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or_default()
}

/// Whether one path equals another or contains it.
fn holds(outer: &str, inner: &str) -> bool {
    inner
        .strip_prefix(outer)
        .is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
}

fn read_sections(root: Node<'_>, at: &mut Diagnostics) -> Option<Parts> {
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
    let facets = read_facets(root, at).unwrap_or_default();
    let stimuli = read_stimuli(root, at).unwrap_or_default();
    let items: Option<ItemsSpec> = optional(root, "items", at);
    let masks: Option<MasksSpec> = optional(root, "masks", at);
    let playback: Option<Playback> = optional(root, "playback", at);
    let mut task: Option<Box<dyn TaskSpec>> =
        required(root, "task", "name the task, such as `task: { kind: hype_time }`", at);
    if let (Some(task), Some(node), Some((_, set))) = (&mut task, root.get("task"), stimuli.iter().next()) {
        task.fit(set.files().0, &to_json(node));
    }
    let rubric: Option<Box<dyn RubricSpec>> = optional(root, "rubric", at);
    let names = ("survey", "hype list surveys");
    let before = read_plugins(root, "before", SpecPart::Survey, names, at);
    let beside: Vec<QuestionSpec> = optional(root, "beside", at).unwrap_or_default();
    let after = read_plugins(root, "after", SpecPart::Survey, names, at);
    let corrections = optional(root, "corrections", at).unwrap_or_default();
    let raters = read_raters(root, at).unwrap_or_default();
    let backend: Option<Box<dyn BackendSpec>> = optional(root, "backend", at);
    let store: Option<StoreSpec> = optional(root, "store", at);
    let simulate: Option<Box<dyn CohortSpec>> = optional(root, "simulate", at);
    let stopping: Option<Box<dyn StoppingSpec>> = optional(root, "stopping", at);
    let aggregate = read_aggregators(root, at);
    let metrics = read_metrics(root, at);
    let hypotheses = read_hypotheses(root, at);
    let plan: Option<PlanSpec> = optional(root, "plan", at);
    let labels: Option<Labels> = optional(root, "report", at);
    let Some(task) = task else {
        let parts = Taskless { facets, stimuli, items, masks, raters, backend, store, simulate };
        return Some(Parts::Taskless(Box::new(parts)));
    };
    let mut spec = Spec::new(name.as_deref().unwrap_or("study"), seed.unwrap_or(0), task);
    if let Some(rubric) = rubric {
        spec = spec.with_rubric(rubric);
    }
    let published = spec.raters();
    spec = spec.with_raters(raters.over(published));
    spec.description = description;
    spec.protocol.facets = facets;
    spec.protocol.stimuli = stimuli;
    spec.protocol.items = items;
    spec.protocol.masks = masks;
    spec.protocol.playback = playback;
    spec.protocol.before = before;
    spec.protocol.beside = beside;
    spec.protocol.after = after;
    spec.protocol.corrections = corrections;
    spec.collection.backend = backend.or_else(local_backend);
    spec.collection.store = store;
    spec.collection.simulate = simulate;
    spec.collection.stopping = stopping;
    if let Some(aggregate) = aggregate {
        spec.analysis.aggregate = aggregate;
    }
    spec.analysis.metrics = metrics;
    spec.analysis.hypotheses = hypotheses;
    spec.analysis.plan = plan.unwrap_or_default();
    spec.analysis.labels = labels.unwrap_or_default();
    Some(Parts::Whole(Box::new(spec)))
}

fn read_raters(root: Node<'_>, at: &mut Diagnostics) -> Option<RatersSection> {
    let raters: RatersSection = optional(root, "raters", at)?;
    if raters.per_item.is_some() && raters.per_model.is_some() {
        at.within("raters", |at| {
            at.field("per_item")
                .error("two-counts", "raters are counted either by item or by model")
                .help("remove `per_item` or `per_model`");
        });
    }
    Some(raters)
}

/// Reads one aggregator or a list of aggregators.
fn read_aggregators(root: Node<'_>, at: &mut Diagnostics) -> Option<Aggregators> {
    let Some(parts) = root.get("aggregate").and_then(|section| section.as_list()) else {
        let one: Box<dyn AggregatorSpec> = optional(root, "aggregate", at)?;
        return Some(one.into());
    };
    let read = parts.filter_map(|part| part.read_leniently::<Box<dyn AggregatorSpec>>(at));
    Some(Aggregators(read.collect()))
}

/// Reads the metrics, each a map or a kind, and the extractors.
fn read_metrics(root: Node<'_>, at: &mut Diagnostics) -> MetricSpecs {
    let mut found = MetricSpecs {
        metrics: Vec::new(),
        extractor: optional(root, "extractor", at),
        text_extractor: optional(root, "text_extractor", at),
    };
    let Some(section) = root.get("metrics") else { return found };
    let Some(entries) = section.as_list() else {
        at.push(
            section.error("wrong-type", format!("expected a list of metrics, found {}", section.kind_name())),
        );
        return found;
    };
    found.metrics.extend(entries.filter_map(|entry| MetricSpecs::read_one(entry, at)));
    found
}

/// Reads the hypotheses. Each is a text with words.
fn read_hypotheses(root: Node<'_>, at: &mut Diagnostics) -> Vec<Hypothesis> {
    let hypotheses: Vec<Hypothesis> = optional(root, "hypotheses", at).unwrap_or_default();
    for (index, _) in hypotheses.iter().enumerate().filter(|(_, one)| one.text.trim().is_empty()) {
        at.within("hypotheses", |at| {
            at.within_item(index, |at| {
                at.error("empty", "an empty hypothesis says nothing")
                    .help("write what the study is expected to show, in words, or remove the entry");
            });
        });
    }
    hypotheses
}

/// The default backend, if its crate is linked.
fn local_backend() -> Option<Box<dyn BackendSpec>> {
    serde_json::from_value(serde_json::json!({ "kind": "local" })).ok()
}

fn optional<T: DeserializeOwned>(root: Node<'_>, key: &str, at: &mut Diagnostics) -> Option<T> {
    root.get(key)?.read_leniently(at)
}

fn required<T: DeserializeOwned>(root: Node<'_>, key: &str, help: &str, at: &mut Diagnostics) -> Option<T> {
    if root.get(key).is_none() {
        at.field(key).error("missing-field", format!("the spec has no `{key}`")).help(help);
        return None;
    }
    optional(root, key, at)
}

fn read_facets(root: Node<'_>, at: &mut Diagnostics) -> Option<FacetSpecs> {
    let section = root.get("facets")?;
    let Some(entries) = section.as_map() else {
        at.field("facets")
            .error("wrong-type", format!("expected a map of named facets, found {}", section.kind_name()))
            .help("name the facets, such as `class: { kind: category }`");
        return None;
    };
    let read = entries
        .filter_map(|entry| Some((Arc::from(entry.key), entry.value.read_leniently::<FacetSpec>(at)?)));
    Some(Named(read.collect()))
}

fn read_stimuli(root: Node<'_>, at: &mut Diagnostics) -> Option<SetSpecs> {
    let help = "name the sets of stimuli, such as `real: { role: real, images: images/real/*.png }`";
    let Some(section) = root.get("stimuli") else {
        at.field("stimuli").error("missing-field", "the spec has no `stimuli`").help(help);
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
        let Some(set) = entry.value.read_leniently::<SetSpec>(at) else { continue };
        at.within("stimuli", |at| {
            at.within(entry.key, |at| {
                media::check_set(&set, at);
                check_use(&set, at);
            });
        });
        sets.push((Arc::from(entry.key), set));
    }
    let sets = Named(sets);
    media::check_sets(&sets, at);
    Some(sets)
}

fn check_use(set: &SetSpec, at: &mut Diagnostics) {
    if set.used_for == Use::Condition {
        at.field("use")
            .error("not-a-use", "sets of conditions are created from the section `items`")
            .help("name the files of conditions there, and remove this set");
    }
    if set.used_for != Use::Gold && !set.answers.is_empty() {
        at.field("answers")
            .error("not-gold", "only sets with `use: gold` have right answers")
            .help("add `use: gold`, or remove `answers`");
    }
    if set.licence.as_ref().is_some_and(|licence| licence.trim().is_empty()) {
        at.field("licence")
            .error("empty", "the licence has no name")
            .help("write its name, such as `CC-BY-4.0`, or remove `licence`");
    }
}

/// Warns of strings that look as if an environment variable should be substituted.
fn warn_of_interpolation(node: Node<'_>, at: &mut Diagnostics) {
    if let Some(text) = node.as_str() {
        if text.contains("${") {
            let mut warning = node.error(
                "no-interpolation",
                "environment variables are not substituted: this text is taken literally",
            );
            warning.severity = Severity::Warning;
            warning.help("only secrets can be read from environment variables, as in `{ env: NAME }`");
            at.push(warning);
        }
    } else if let Some(entries) = node.as_map() {
        entries.for_each(|entry| warn_of_interpolation(entry.value, at));
    } else if let Some(items) = node.as_list() {
        items.for_each(|item| warn_of_interpolation(item, at));
    }
}
