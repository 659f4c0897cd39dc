//! How sessions become findings.

use std::sync::Arc;

use crate::diagnostics::{Diagnostics, nearest};
use crate::model::labels::Labels;
use crate::model::media::MediaKind;
use crate::plugin::aggregator::{AggregatorSpec, Limit, NamedLevels, UsedFacet};
use crate::plugin::rubric::RubricSpec;
use crate::study::spec::{Aggregators, FacetKind, FacetSpec, FacetSpecs, Hypothesis, MetricSpecs, PlanSpec};
use crate::words::listed;

/// How sessions become findings. May change after a study was collected, except for the questions that the rubric asks,
/// which are part of the session digest.
#[derive(Debug, Clone)]
pub struct AnalysisSpec {
    /// Turns sessions into scores.
    pub rubric: Box<dyn RubricSpec>,
    /// Turn scores into findings.
    pub aggregate: Aggregators,
    /// Automated metrics that are reported together with what raters say.
    pub metrics: MetricSpecs,
    /// The expected results of the study; empty if none are stated.
    pub hypotheses: Vec<Hypothesis>,
    /// The author's expectations, for planning the number of raters.
    pub plan: PlanSpec,
    /// How models and measures are called where results are shown.
    pub labels: Labels,
}

impl AnalysisSpec {
    /// Checks the aggregators, of a study whose items are declared as fixed or not. Facets whose levels are answers have these in
    /// `asked` alone.
    pub(super) fn check_aggregators(
        &self,
        fixed_items: bool,
        facets: &FacetSpecs,
        asked: &FacetSpecs,
        at: &mut Diagnostics,
    ) {
        let measures = self.rubric.measures();
        let check = |one: &dyn AggregatorSpec, at: &mut Diagnostics| {
            one.check(&measures, at);
            if let Some(used) = one.used_facet() {
                check_facet(&used, facets, at);
                check_answers(&used, facets, asked, at);
            }
            if fixed_items
                && let Some(asked) = one.generalizes_to()
                && asked != Limit::FixedItems.target()
            {
                let reason = format!(
                    "the study's items are fixed, but results are to be about other items (`{}`)",
                    asked.name()
                );
                at.field("generalize_to")
                    .error("fixed-items", reason)
                    .help("write `generalize_to: raters`, or leave out `fixed` in the section `items`");
            }
        };
        if self.aggregate.0.is_empty() {
            at.error("empty", "there are no aggregators")
                .help("leave `aggregate` out for the default, whose crate has to be linked");
        }
        self.each_aggregator(at, check);
    }

    /// Checks the covariates of the aggregators, of a study with stimuli of this kind.
    pub(super) fn check_covariates(&self, kind: MediaKind, at: &mut Diagnostics) {
        self.each_aggregator(at, |one, at| check_facts(one.covariates(), kind, at));
    }

    /// Checks each aggregator at its place in the spec.
    fn each_aggregator(&self, at: &mut Diagnostics, check: impl Fn(&dyn AggregatorSpec, &mut Diagnostics)) {
        match self.aggregate.0.as_slice() {
            [one] => check(&**one, at),
            several => {
                for (index, one) in several.iter().enumerate() {
                    at.within_item(index, |at| check(&**one, at));
                }
            }
        }
    }
}

/// Checks that stimuli of a kind have the facts that an aggregator uses.
fn check_facts(names: &[String], kind: MediaKind, at: &mut Diagnostics) {
    let known = kind.facts();
    for name in names.iter().filter(|name| !known.contains(&name.as_str())) {
        let help = match known {
            [] => "leave `covariates` out: nothing of images is counted".to_owned(),
            known => format!("{} have {}", kind.plural(), listed(known)),
        };
        at.field("covariates")
            .error("unknown-covariate", format!("{} have no `{name}`", kind.plural()))
            .help(help)
            .suggest(nearest(name, known.iter().copied()));
    }
}

/// Checks that the study has the facet that an aggregator uses.
fn check_facet(used: &UsedFacet<'_>, facets: &FacetSpecs, at: &mut Diagnostics) {
    match facets.get(used.name) {
        None => {
            let help = "declare it in the section `facets`, and name it in the patterns of `stimuli`, or as a column of items or raters";
            at.field(used.field)
                .error("unknown-facet", format!("the study has no facet `{}`", used.name))
                .help(help)
                .suggest(nearest(used.name, facets.iter().map(|(name, _)| name)));
        }
        Some(facet) if used.is_number && facet.kind == FacetKind::Category => {
            at.field(used.field)
                .error("not-a-number", format!("the levels of {} are categories", used.name))
                .help("write `kind: number` in the section `facets`, or use `by_facet`");
        }
        Some(facet) => {
            if let (Some(named), Some(declared)) = (&used.levels, facet.declared_levels()) {
                check_levels(named, &declared, used.name, &mut at.field(named.field));
            }
        }
    }
}

/// Warns of levels that no answer to a survey gives, and of answers that are not among the levels.
fn check_answers(used: &UsedFacet<'_>, facets: &FacetSpecs, asked: &FacetSpecs, at: &mut Diagnostics) {
    let is_declared = facets.get(used.name).is_none_or(|facet| facet.declared_levels().is_some());
    let answers = asked.get(used.name).and_then(FacetSpec::declared_levels).filter(|_| !is_declared);
    let (Some(named), Some(answers)) = (&used.levels, answers) else { return };
    let mut found = Diagnostics::new();
    check_levels(named, &answers, used.name, &mut found);
    let known: Vec<&str> = answers.iter().map(|level| &**level).collect();
    for fault in found {
        at.field(named.field)
            .warning("unasked-level", fault.message.clone())
            .help(format!("the answers are {}", listed(&known)));
    }
}

/// Checks that a setting names all levels of a facet and no others, at the path of the setting.
fn check_levels(named: &NamedLevels<'_>, declared: &[Arc<str>], facet: &str, at: &mut Diagnostics) {
    for level in named.levels.iter().filter(|&&level| declared.iter().all(|known| **known != *level)) {
        at.error("unknown-level", format!("{facet} has no level `{level}`"))
            .suggest(nearest(level, declared.iter().map(|known| &**known)));
    }
    let missing: Vec<&str> =
        declared.iter().map(|level| &**level).filter(|level| !named.levels.contains(level)).collect();
    if !missing.is_empty() {
        at.error("missing-level", format!("levels of {facet} are missing: {}", listed(&missing)));
    }
}
