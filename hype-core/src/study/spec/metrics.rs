//! The sections `metrics`, `extractor` and `text_extractor`: automated metrics in addition to what raters say.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::diagnostics::Diagnostics;
use crate::model::stimulus::Stimuli;
use crate::plugin::extractor::ExtractorSpec;
use crate::plugin::metric::{MetricBeside, MetricReads, MetricSpec};
use crate::plugin::registry::SpecPart;
use crate::plugin::surroundings::{Outside, Surroundings};
use crate::yaml::Node;

use super::shorthand::read_plugin;

/// The metrics of a study, and where features come from unless a metric says otherwise.
#[derive(Debug, Clone, Default)]
pub struct MetricSpecs {
    /// The metrics, in the order of the spec.
    pub metrics: Vec<Box<dyn MetricSpec>>,
    /// The extractor of the study.
    pub extractor: Option<Box<dyn ExtractorSpec>>,
    /// The extractor of prompts, if it is not the same.
    pub text_extractor: Option<Box<dyn ExtractorSpec>>,
}

impl MetricSpecs {
    /// Reads a metric: a map with its `kind`, or the kind alone.
    pub fn read_one(node: Node<'_>, at: &mut Diagnostics) -> Option<Box<dyn MetricSpec>> {
        read_plugin(node, SpecPart::Metric, ("metric", "hype list metrics"), at)
    }

    /// Returns the extractor that embeds images for a metric: its own, or that of the study.
    #[must_use]
    pub fn of_images<'a>(&'a self, own: Option<&'a dyn ExtractorSpec>) -> Option<&'a dyn ExtractorSpec> {
        own.or(self.extractor.as_deref())
    }

    /// Returns the extractor that embeds prompts for a metric: its own, that of the study for texts, or that for everything.
    #[must_use]
    pub fn of_texts<'a>(&'a self, own: Option<&'a dyn ExtractorSpec>) -> Option<&'a dyn ExtractorSpec> {
        own.or(self.text_extractor.as_deref()).or(self.extractor.as_deref())
    }

    /// Checks the metrics against each other and against the stimuli, and the extractors.
    pub(super) fn check(&self, stimuli: &Stimuli, outside: Option<Outside<'_>>, at: &mut Diagnostics) {
        let mut before: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        at.within("metrics", |at| {
            for (index, metric) in self.metrics.iter().enumerate() {
                at.within_item(index, |at| {
                    metric.check(stimuli, at);
                    check_own(&**metric, &Surroundings { stimuli, outside }, at);
                    if self.lacks_extractor(&**metric) {
                        at.error(
                            "no-extractor",
                            "this metric needs features, and nothing says where they come from",
                        )
                        .help("add the section `extractor`, or a setting `extractor` to the metric");
                    }
                    for measure in metric.measures() {
                        if let Some(first) = before.insert(Arc::clone(&measure.name), index) {
                            at.error(
                                "twice",
                                format!("`{}` is also what metric {} computes", measure.name, first + 1),
                            )
                            .help("remove one of them: values are known by their names");
                        }
                    }
                });
            }
        });
        let sections = [("extractor", &self.extractor), ("text_extractor", &self.text_extractor)];
        for (name, extractor) in sections {
            if let Some(extractor) = extractor {
                at.within(name, |at| extractor.check(&Surroundings { stimuli, outside }, at));
            }
        }
    }

    fn lacks_extractor(&self, metric: &dyn MetricSpec) -> bool {
        let inputs = metric.inputs();
        let lacks_images = match inputs.reads {
            MetricReads::Features(own) | MetricReads::Layers(own) => self.of_images(own).is_none(),
            MetricReads::Pixels => false,
        };
        lacks_images || matches!(inputs.beside, MetricBeside::Prompt(own) if self.of_texts(own).is_none())
    }

    /// The metrics to write into a spec. A spec without metrics is written without the section, as before.
    pub(super) fn written(&self) -> Option<&impl Serialize> {
        Some(&self.metrics).filter(|metrics| !metrics.is_empty())
    }
}

/// Checks the extractors that a metric names itself, in the settings where it does.
fn check_own(metric: &dyn MetricSpec, surroundings: &Surroundings<'_>, at: &mut Diagnostics) {
    let inputs = metric.inputs();
    if let MetricReads::Features(Some(own)) | MetricReads::Layers(Some(own)) = inputs.reads {
        at.within("extractor", |at| own.check(surroundings, at));
    }
    if let MetricBeside::Prompt(Some(own)) = inputs.beside {
        at.within("texts", |at| own.check(surroundings, at));
    }
}
