//! Rules across the sections of a spec.

use std::sync::Arc;

use crate::diagnostics::{Diagnostics, nearest};
use crate::model::labels::Labels;
use crate::model::stimulus::{Role, Stimuli, StimulusSet, Use};
use crate::plugin::cohort::CohortSpec;
use crate::plugin::surroundings::{Outside, Purpose, Surroundings};
use crate::plugin::task::Design;
use crate::protocol::raters::Raters;
use crate::protocol::recruitment::Recruitment;
use crate::study::backend::BackendSpec;
use crate::study::{planned_places, stopping};

use super::bounds::check_bounds;
use super::read::Taskless;
use super::{SetSpecs, Spec, StoreSpec, asked, duplicates, facets, fit, media, money, to_json};

impl Spec {
    /// Checks the whole spec against its stimuli and, if the study is about to run, against everything outside the
    /// spec: the files that a backend or a cohort reads, and the environment. Collects every fault.
    #[must_use]
    pub fn check_within(&self, stimuli: &Stimuli, outside: Option<Outside<'_>>) -> Diagnostics {
        let Self { protocol, collection, analysis, .. } = self;
        let task = &protocol.task;
        let mut at = Diagnostics::new();
        check_bounds(&to_json(self), &mut at);
        let raters = self.raters();
        let design = Design { stimuli, raters: &raters, rubric: &*analysis.rubric };
        check_sets(&protocol.stimuli, stimuli, &mut at);
        facets::check(&protocol.facets, &raters, stimuli, &mut at);
        media::check(protocol, &analysis.metrics, &design, &mut at);
        at.within("raters", |at| {
            check_raters(&raters, at);
            check_recruits(&raters.recruitment, collection.backend.as_deref(), at);
            let currency = raters.payment.as_ref().map(|payment| &*payment.currency);
            let recruits = collection.backend.as_ref().and_then(|backend| backend.recruits());
            let terms = recruits.map(|recruits| recruits.terms(currency.unwrap_or_default()));
            let places = planned_places(&**task, &design);
            money::check(&raters, &task.profile(&design), places, terms.as_ref(), at);
            task.check_raters(&design, at);
            if raters.per_item.is_some() && task.by_item().is_none() {
                at.field("per_item")
                    .error("not-by-item", "this task counts raters by model, not by item")
                    .help("write `per_model`, the number of raters for each model");
            }
        });
        let mut of_task = Diagnostics::new();
        of_task.within("task", |at| task.check(&design, at));
        at.extend(media::worded(of_task, stimuli.kind()));
        if let Some(masks) = &protocol.masks {
            at.within("masks", |at| {
                masks.check(at);
                if !task.profile(&design).pace.masks {
                    at.warning("no-masks", "this task shows no masks").help("remove the section `masks`");
                }
            });
        }
        asked::check(protocol, &design, &mut at);
        let description = task.describe();
        fit::check(&*analysis.rubric, &**task, &description, &design, &mut at);
        at.within("rubric", |at| analysis.rubric.check(&description, at));
        if let Some(items) = &protocol.items {
            at.within("items", |at| items.check_cluster(&protocol.facets, at));
        }
        let fixed_items = protocol.items.as_ref().is_some_and(|items| items.fixed);
        at.within("aggregate", |at| {
            analysis.check_aggregators(fixed_items, &protocol.facets, &asked::with_levels(protocol), at);
            analysis.check_covariates(stimuli.kind(), at);
        });
        analysis.metrics.check(stimuli, outside, &mut at);
        let models: Vec<&str> =
            stimuli.models().filter_map(|model| Some(&*stimuli.set(model)?.name)).collect();
        let sets: Vec<&str> = stimuli.sets().iter().map(|set| &*set.name).collect();
        let is_judged = |set: &&StimulusSet| set.used_for == Use::Main;
        let judged: Vec<&str> = stimuli.sets().iter().filter(is_judged).map(|set| &*set.name).collect();
        at.within("hypotheses", |at| {
            for (index, one) in analysis.hypotheses.iter().enumerate() {
                at.within_item(index, |at| one.check(&sets, &judged, &analysis.rubric.measures(), at));
            }
        });
        at.within("plan", |at| analysis.plan.check(&analysis.rubric.measures(), &models, at));
        at.within("report", |at| check_labels(&analysis.labels, stimuli, at));
        if let Some(rule) = &collection.stopping {
            let names: Vec<Arc<str>> = models.iter().map(|&model| model.into()).collect();
            let places = planned_places(&**task, &design);
            let measures = analysis.rubric.measures();
            at.within("stopping", |at| stopping::check(&**rule, &measures, names, &design, places, at));
        }
        let collecting = Collecting {
            backend: collection.backend.as_deref(),
            store: collection.store.as_ref(),
            simulate: collection.simulate.as_deref(),
        };
        collecting.check(stimuli, outside, &mut at);
        at
    }
}

impl Taskless {
    /// Checks everything that does not depend on the task.
    pub(super) fn check(&self, stimuli: &Stimuli, outside: Option<Outside<'_>>) -> Diagnostics {
        let mut at = Diagnostics::new();
        check_sets(&self.stimuli, stimuli, &mut at);
        let raters = self.raters.clone().over(Raters::default());
        facets::check(&self.facets, &raters, stimuli, &mut at);
        at.within("raters", |at| {
            check_raters(&raters, at);
            check_recruits(&raters.recruitment, self.backend.as_deref(), at);
        });
        if let Some(masks) = &self.masks {
            at.within("masks", |at| masks.check(at));
        }
        let collecting = Collecting {
            backend: self.backend.as_deref(),
            store: self.store.as_ref(),
            simulate: self.simulate.as_deref(),
        };
        collecting.check(stimuli, outside, &mut at);
        at
    }
}

/// The sections that say how sessions are collected.
struct Collecting<'a> {
    backend: Option<&'a dyn BackendSpec>,
    store: Option<&'a StoreSpec>,
    simulate: Option<&'a dyn CohortSpec>,
}

impl Collecting<'_> {
    fn check(&self, stimuli: &Stimuli, outside: Option<Outside<'_>>, at: &mut Diagnostics) {
        // Simulated sessions use neither the backend nor the store.
        let collecting = outside.filter(|outside| outside.purpose == Purpose::Collect);
        if let Some(backend) = self.backend {
            at.within("backend", |at| backend.check(&Surroundings { stimuli, outside: collecting }, at));
        }
        if let Some(store) = self.store {
            at.within("store", |at| store.check(collecting, at));
        }
        if let Some(cohort) = self.simulate {
            at.within("simulate", |at| cohort.check(&Surroundings { stimuli, outside }, at));
        }
    }
}

/// Checks that there is a model, and that no stimulus counts twice.
fn check_sets(sets: &SetSpecs, stimuli: &Stimuli, at: &mut Diagnostics) {
    at.within("stimuli", |at| {
        if stimuli.models().next().is_none() {
            at.error("no-models", "no set of stimuli has `role: generated`").help(
                "name at least one set of a model's outputs, such as `mymodel: { role: generated, images: \
                     images/mymodel/*.png }`",
            );
        }
        duplicates::check(stimuli, at);
    });
    for (name, set) in sets.iter() {
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

/// Checks that settings which only a panel can follow have one.
fn check_recruits(recruitment: &Recruitment, backend: Option<&dyn BackendSpec>, at: &mut Diagnostics) {
    if backend.is_some_and(|backend| backend.recruits().is_some()) {
        return;
    }
    for setting in recruitment.written() {
        at.field(setting)
            .error("not-recruiting", "the backend of this study does not recruit")
            .help(format!("use a backend that recruits, such as `kind: prolific`, or remove `{setting}`"));
    }
}

/// Checks counts and currency, which do not depend on other sections.
fn check_raters(raters: &Raters, at: &mut Diagnostics) {
    let (field, count, lost) = match raters.per_item {
        Some(count) => ("per_item", count, "agreement cannot be computed with one rater for each item"),
        None => {
            let lost = "intervals and tests cannot be computed with one rater for each model";
            ("per_model", raters.per_model, lost)
        }
    };
    if count == 1 {
        at.field(field).warning("one-rater", lost);
    }
    raters.recruitment.check(at);
    if raters.recruitment.hold_open.is_some() && raters.payment.is_none() {
        at.field("hold_open")
            .error("unpaid", "raters who wait are paid for it, and this study has no payment")
            .help("write what raters get, such as `payment: { base: 1.00 }`, or remove `hold_open`");
    }
    if let Some(payment) = &raters.payment {
        let code = payment.currency.as_bytes();
        if code.len() != 3 || !code.iter().all(u8::is_ascii_uppercase) {
            at.within("payment", |at| {
                at.field("currency")
                    .error("bad-currency", format!("{:?} is not a currency code", payment.currency))
                    .help("use the three letters of ISO 4217, such as USD or EUR");
            });
        }
    }
}

/// Checks the labels, and that they are those of the study's sets.
fn check_labels(labels: &Labels, stimuli: &Stimuli, at: &mut Diagnostics) {
    labels.check(at);
    let sets = || stimuli.sets().iter().map(|set| &*set.name);
    for name in labels.models.keys().filter(|name| !sets().any(|set| set == &***name)) {
        at.within("models", |at| {
            at.field(name)
                .error("unknown-model", format!("no set of stimuli is named `{name}`"))
                .suggest(nearest(name, sets()));
        });
    }
}
