//! Errors of programs without linear algebra.

use hype_core::plugin::metric::{MetricFault, MetricSample, MetricValue, StoredSample};
use hype_core::protocol::chance::Streams;

type Values = Result<Vec<MetricValue>, MetricFault>;

macro_rules! missing {
    ($($name:ident: $metric:ident, $label:literal;)*) => {$(
        pub(super) const fn $name(_: &super::$metric, _: &MetricSample<'_>, _: &Streams) -> Values {
            Err(MetricFault::NotBuilt { metric: $label, feature: "metrics" })
        }
    )*};
}

pub(super) const fn fid_of_stored(_: &super::Fid, _: &StoredSample<'_>) -> Option<Values> {
    None
}

missing! {
    fid: Fid, "FID";
    fid_infinity: FidInfinity, "FID∞";
    kid: Kid, "KID";
    precision_recall: PrecisionAndRecall, "precision and recall";
    density_coverage: DensityAndCoverage, "density and coverage";
    prdc: Prdc, "prdc";
    prd: Prd, "PRD";
}
