//! The rules across a population's fields.

use std::collections::{BTreeMap, BTreeSet};

use hype_core::diagnostics::nearest;
use hype_core::{Diagnostics, Role, Stimuli};

use super::{Behaviours, Population};
use crate::observer::Observer;

/// How far shares may exceed 1 through rounding.
const SLACK: f64 = 1e-9;

pub(super) fn check(population: &Population, stimuli: &Stimuli, at: &mut Diagnostics) {
    at.within("observers", |at| {
        for (name, observer) in &population.observers {
            let generated = stimuli.sets().iter().filter(|set| set.role == Role::Generated);
            at.within(name, |at| {
                if !generated.clone().any(|set| *set.name == **name || set.declared_name() == name) {
                    unknown_model(name, &generated.map(|set| &*set.name).collect::<Vec<_>>(), at);
                }
                check_observer(observer, stimuli, at);
            });
        }
    });
    at.within("default_observer", |at| check_observer(&population.default_observer, stimuli, at));
    at.within("behaviours", |at| check_behaviours(&population.behaviours, at));
}

fn unknown_model(name: &str, generated: &[&str], at: &mut Diagnostics) {
    let meant = nearest(name, generated.iter().copied());
    at.error("unknown-model", format!("there is no generated set called `{name}`"))
        .help(format!("the generated sets are: {}", generated.join(", ")))
        .suggest(meant);
}

fn check_observer(observer: &Observer, stimuli: &Stimuli, at: &mut Diagnostics) {
    at.within("levels", |at| {
        for (facet, levels) in &observer.levels {
            at.within(facet, |at| check_levels(facet, levels, stimuli, at));
        }
    });
}

/// Checks what is added to the quality at levels of a facet, which some items have to have.
fn check_levels(facet: &str, levels: &BTreeMap<String, f64>, stimuli: &Stimuli, at: &mut Diagnostics) {
    let known: BTreeSet<&str> =
        stimuli.items().iter().filter_map(|item| item.levels.get(facet)).map(|level| &**level).collect();
    for level in levels.keys() {
        if !known.contains(&**level) {
            let listed: Vec<&str> = known.iter().copied().collect();
            let listed = if listed.is_empty() { "none".to_owned() } else { listed.join(", ") };
            at.field(level)
                .error("unknown-level", format!("no item has the level `{level}` of {facet}"))
                .help(format!("the levels of items are: {listed}"))
                .suggest(nearest(level, known.iter().copied()));
        }
    }
}

fn check_behaviours(behaviours: &Behaviours, at: &mut Diagnostics) {
    let sum: f64 = behaviours.shares().iter().map(|&(_, share)| share).sum();
    if sum > 1.0 + SLACK {
        at.error("out-of-range", format!("the shares must sum to at most 1, got {sum}"))
            .help("the remainder to 1 is the share of honest raters");
    }
}
