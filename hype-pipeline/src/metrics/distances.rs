//! Metrics of the features of outputs and of a reference set.

use std::sync::Arc;

use hype_core::diagnostics::Diagnostics;
use hype_core::diagnostics::nearest;
use hype_core::model::bounds::Bounded;
use hype_core::model::score::{Direction, Measure};
use hype_core::model::stimulus::Stimuli;
use hype_core::plugin::extractor::ExtractorSpec;
use hype_core::plugin::metric::{
    Metric, MetricBeside, MetricFault, MetricInputs, MetricSample, MetricValue, StoredSample,
};
use hype_core::protocol::chance::Streams;
use hype_core::register_metric;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(feature = "linalg")]
mod computed;
#[cfg(not(feature = "linalg"))]
mod missing;

#[cfg(feature = "linalg")]
use self::computed as values;
#[cfg(not(feature = "linalg"))]
use self::missing as values;

/// Checks that the spec has the reference set.
fn check_reference(reference: Option<&str>, stimuli: &Stimuli, at: &mut Diagnostics) {
    let names = || stimuli.sets().iter().map(|set| set.declared_name());
    match reference {
        Some(name) if !names().any(|known| known == name) => {
            at.field("reference")
                .error("unknown-set", format!("no set of stimuli is named `{name}`"))
                .suggest(nearest(name, names()));
        }
        None if stimuli.real().next().is_none() => {
            at.field("reference")
                .error("no-reals", "there are no real stimuli to compare the models with")
                .help("name a set with `reference`, or declare one with `role: real`");
        }
        _ => {}
    }
}

/// Checks the settings of a comparison with published statistics.
fn check_statistics(file: &str, has_reference: bool, at: &mut Diagnostics) {
    if has_reference {
        at.field("reference")
            .error("two-references", "published statistics take the place of a reference set")
            .help("leave out `reference` or `statistics`");
    }
    if !file.to_lowercase().ends_with(".npz") {
        at.field("statistics")
            .error("not-statistics", format!("{file:?} is not a file of statistics"))
            .help("name a file .npz with the arrays `mu` and `sigma`");
    }
}

/// Defines a metric of features against a reference, with the settings that all of them have.
macro_rules! distance {
    ($(#[$about:meta])* $name:ident, $kind:literal, $compute:path, measures = $measures:expr, identical = $identical:expr,
     summary = $summary:literal, citation = $citation:literal, example = $example:literal,
     $(stored = $stored:path,)?
     $(statistics = { $(#[$published:meta])* $statistics:ident },)?
     $(,)?) => {
        $(#[$about])*
        #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            /// The reference set, by its name in `stimuli`. By default the real stimuli, those with the levels of the model where
            /// models have levels.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub reference: Option<Arc<str>>,
            /// Where features come from; by default the study's `extractor`.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub extractor: Option<Box<dyn ExtractorSpec>>,
            /// The number of subsets without replacement behind the interval, 0 for no interval. By default 200 for sets of up to
            /// 2,000 images, and 0 for larger ones, which take long.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub interval_subsets: Option<Bounded<0, 10_000>>,
            $(
                $(#[$published])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $statistics: Option<Arc<str>>,
            )?
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    reference: None,
                    extractor: None,
                    interval_subsets: None,
                    $($statistics: None,)?
                }
            }
        }

        impl Metric for $name {
            fn inputs(&self) -> MetricInputs<'_> {
                $(
                    if let Some(file) = &self.$statistics {
                        return MetricInputs::features_against_statistics(self.extractor.as_deref(), file);
                    }
                )?
                MetricInputs::features_against(self.extractor.as_deref(), self.reference.as_deref())
            }

            fn measures(&self) -> Vec<Measure> {
                $measures
            }

            fn check(&self, stimuli: &Stimuli, at: &mut Diagnostics) {
                match self.inputs().beside {
                    MetricBeside::Statistics(file) => check_statistics(file, self.reference.is_some(), at),
                    _ => check_reference(self.reference.as_deref(), stimuli, at),
                }
                if let Some(subsets) = &self.interval_subsets {
                    if subsets.get() == 1 {
                        at.field("interval_subsets")
                            .error("out-of-range", "one subset has no spread")
                            .help("write 0 for no interval, or at least 2");
                    }
                }
            }

            fn compute(
                &self,
                sample: &MetricSample<'_>,
                chance: &Streams,
            ) -> Result<Vec<MetricValue>, MetricFault> {
                $compute(self, sample, chance)
            }

            $(
                fn compute_stored(
                    &self,
                    sample: &StoredSample<'_>,
                    _: &Streams,
                ) -> Option<Result<Vec<MetricValue>, MetricFault>> {
                    $stored(self, sample)
                }
            )?

            fn of_identical(&self) -> Vec<Option<f64>> {
                $identical
            }
        }

        register_metric!(
            $name,
            $kind,
            summary = $summary,
            citation = $citation,
            example = $example,
        );
    };
}

distance!(
    /// The metric `fid`.
    ///
    /// # Method
    /// |μ₁ - μ₂|² + tr(Σ₁ + Σ₂ - 2(Σ₁Σ₂)^½) with sample covariances, in double precision, without a square root of a matrix. It
    /// is biased upwards in small sets; below 10,000 images the findings say so.
    Fid, "fid", values::fid,
    measures = vec![Measure::new("fid", "FID", "", Direction::Lower)],
    identical = vec![Some(0.0)],
    summary = "The Fréchet distance between the features of outputs and of a reference set",
    citation = "Heusel et al. 2017, GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium, NeurIPS",
    example = "{ kind: fid, reference: real }",
    stored = values::fid_of_stored,
    statistics = {
        /// The published mean and covariance of the features of a reference set: a file `.npz` with `mu` and `sigma`, in the
        /// folder of the study. It takes the place of `reference`.
        statistics
    },
);

distance!(
    /// The metric `fid_infinity`.
    ///
    /// # Method
    /// The intercept of the line of FID in 1/n through 15 numbers of outputs, over subsets of the outputs, which removes the bias by the number of outputs.
    FidInfinity, "fid_infinity", values::fid_infinity,
    measures = vec![Measure::new("fid_infinity", "FID∞", "", Direction::Lower)],
    identical = Vec::new(),
    summary = "FID extrapolated to infinitely many outputs",
    citation = "Chong & Forsyth 2020, Effectively Unbiased FID and Inception Score and Where to Find Them, CVPR",
    example = "{ kind: fid_infinity, reference: real }",
);

distance!(
    /// The metric `kid`.
    ///
    /// # Method
    /// The unbiased estimate of the squared maximum mean discrepancy with the kernel (xᵀy / d + 1)³ over all pairs. It may be
    /// negative. The mean and standard deviation over 100 subsets of 1,000 images that publications quote are given with it
    /// where sets are larger.
    Kid, "kid", values::kid,
    measures = vec![Measure::new("kid", "KID", "", Direction::Lower)],
    identical = Vec::new(),
    summary = "The kernel distance between the features of outputs and of a reference set, without bias",
    citation = "Bińkowski, Sutherland, Arbel & Gretton 2018, Demystifying MMD GANs, ICLR",
    example = "{ kind: kid, reference: real }",
);

distance!(
    /// The metric `precision_recall`.
    ///
    /// # Method
    /// Precision is the share of outputs that lie within the ball of a reference image, which reaches to its third nearest
    /// neighbour; recall is the share of reference images within the ball of an output. The surface belongs to a ball.
    PrecisionAndRecall, "precision_recall", values::precision_recall,
    measures = values_of_neighbours(&["precision", "recall"]),
    identical = vec![Some(1.0), Some(1.0)],
    summary = "Which share of outputs looks real, and which share of real images the model reaches",
    citation = "Kynkäänniemi et al. 2019, Improved Precision and Recall Metric for Assessing Generative Models, NeurIPS",
    example = "{ kind: precision_recall, reference: real }",
);

distance!(
    /// The metric `density_coverage`.
    ///
    /// # Method
    /// Density is the mean number of balls of reference images around an output, over five, the neighbour to
    /// which they reach; coverage is the share of
    /// these balls that contain an output. The surface does not belong to a ball.
    DensityAndCoverage, "density_coverage", values::density_coverage,
    measures = values_of_neighbours(&["density", "coverage"]),
    identical = vec![None, Some(1.0)],
    summary = "How densely outputs lie among real images, and how many of these they cover",
    citation = "Naeem et al. 2020, Reliable Fidelity and Diversity Metrics for Generative Models, ICML",
    example = "{ kind: density_coverage, reference: real }",
);

distance!(
    /// The metric `prdc`: precision, recall, density and coverage with one neighbour and open balls, as the Python package of
    /// this name computes them.
    Prdc, "prdc", values::prdc,
    measures = values_of_neighbours(&["precision", "recall", "density", "coverage"]),
    identical = vec![Some(1.0), Some(1.0), None, Some(1.0)],
    summary = "Precision, recall, density and coverage together, as the Python package prdc defines them",
    citation = "Naeem et al. 2020, Reliable Fidelity and Diversity Metrics for Generative Models, ICML",
    example = "{ kind: prdc, reference: real }",
);

distance!(
    /// The metric `prd`.
    ///
    /// # Method
    /// Features of both sets are put into 20 clusters together, ten times, and the curve of precision and recall compares how both are distributed over
    /// the clusters; F₈ stands for recall and F⅛ for precision, of the mean curve of all runs. The HYPE paper calls F⅛ precision.
    /// Clusters are random: the spread over runs is given with the values.
    Prd, "prd", values::prd,
    measures = vec![
        Measure::new("prd_recall", "PRD recall (F8)", "", Direction::Higher),
        Measure::new("prd_precision", "PRD precision (F1/8)", "", Direction::Higher),
    ],
    identical = vec![Some(1.0), Some(1.0)],
    summary = "Precision and recall of distributions over clusters of features",
    citation = "Sajjadi et al. 2018, Assessing Generative Models via Precision and Recall, NeurIPS",
    example = "{ kind: prd, reference: real }",
);

fn values_of_neighbours(names: &[&str]) -> Vec<Measure> {
    let unit = |name: &str| if name == "density" { "" } else { "proportion" };
    names.iter().map(|name| Measure::new(name, name, unit(name), Direction::Higher)).collect()
}
