//! The values of distances between sets of features.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use hype_core::model::bounds::Bounded;
use hype_core::model::findings::{Fact, Interval, ModelMetric};
use hype_core::plugin::metric::{
    BesideRows, MetricFault, MetricRows, MetricSample, MetricValue, StoredBeside, StoredRows, StoredSample,
};
use hype_core::protocol::chance::Streams;
use hype_metrics::frechet::{
    FeatureStatistics, InfinitySettings, frechet_distance, frechet_from_statistics, frechet_infinity,
};
use hype_metrics::kernel::{SubsetSettings, kernel_distance, kernel_distance_of_subsets};
use hype_metrics::neighbours::{
    BallSettings, Surface, density_coverage as densities, precision_recall as shares,
};
use hype_metrics::prd::{PrdSettings, prd_of_features};
use hype_metrics::subsampling::{Subsampling, subsample_several};
use hype_metrics::{FeatureMoments, FeatureRows, Features, MetricError, sample_warnings};

use super::super::blocks::BlockRows;
use super::super::numbers::{beside, fault, features, interval};
use super::{DensityAndCoverage, Fid, FidInfinity, Kid, Prd, Prdc, PrecisionAndRecall};

type Values = Result<Vec<MetricValue>, MetricFault>;
type Subsets = Option<Bounded<0, 10_000>>;

/// Images up to which intervals are computed by default.
const QUICK: usize = 2_000;
/// Subsets behind an interval by default.
const SUBSETS: u32 = 200;
/// Subsets for which KID has a customary mean and standard deviation, and the images of each set in a subset.
const KID_SUBSETS: usize = 100;
const KID_SUBSET: usize = 1_000;
/// Angles of the curve of PRD, as published.
const ANGLES: usize = 1001;

/// The rows that are compared, in an order that follows from their content: subsets do not depend on the one given.
struct Ordered {
    generated: MetricRows,
    reference: MetricRows,
}

impl Ordered {
    fn of(sample: &MetricSample<'_>) -> Result<Self, MetricFault> {
        let ordered = |rows: &MetricRows| rows.select(&rows.order_by_content());
        Ok(Self { generated: ordered(sample.rows), reference: ordered(beside(sample)?) })
    }

    fn sets(&self) -> Result<Sets<'_>, MetricFault> {
        Ok(Sets {
            generated: features(&self.generated)?,
            reference: features(&self.reference)?,
            shared: shared(&self.generated, &self.reference),
        })
    }
}

/// How many rows of the first set are also in the second.
fn shared(one: &MetricRows, other: &MetricRows) -> usize {
    let digest = |rows: &MetricRows, row: usize| {
        let mut hasher = DefaultHasher::new();
        rows.row(row).iter().for_each(|value| value.to_bits().hash(&mut hasher));
        hasher.finish()
    };
    let known: HashSet<u64> = (0..other.len()).map(|row| digest(other, row)).collect();
    (0..one.len()).filter(|&row| known.contains(&digest(one, row))).count()
}

/// The sets that are compared.
struct Sets<'a> {
    generated: Features<'a>,
    reference: Features<'a>,
    /// How many rows of outputs are also in the reference set.
    shared: usize,
}

impl Sets<'_> {
    /// The interval of a value. There is none where it is not asked for, or where subsets would be too small.
    fn interval(
        &self,
        metric: &'static str,
        subsets: Subsets,
        chance: &Streams,
        compute: impl Fn(&Features<'_>, &Features<'_>) -> Result<f64, MetricError>,
    ) -> Result<Option<Interval>, MetricFault> {
        let found =
            self.intervals(metric, subsets, chance, |real, generated| Ok([compute(real, generated)?]))?;
        Ok(found.map(|[interval]| interval))
    }

    /// The intervals of values that are computed together, from the same subsets.
    fn intervals<const N: usize>(
        &self,
        metric: &'static str,
        subsets: Subsets,
        chance: &Streams,
        compute: impl Fn(&Features<'_>, &Features<'_>) -> Result<[f64; N], MetricError>,
    ) -> Result<Option<[Interval; N]>, MetricFault> {
        let subsets = interval_subsets(subsets, [self.generated.rows(), self.reference.rows()]);
        // Halves of one set say nothing of other sets.
        if subsets == 0 || self.shared == self.generated.rows() {
            return Ok(None);
        }
        let settings = Subsampling::new(subsets as usize, chance.seed("interval"));
        match subsample_several(metric, &self.reference, &self.generated, settings, compute) {
            Ok(found) => {
                let method = format!("delete-half jackknife over images, {subsets} subsets");
                Ok(Some(found.map(|one| interval(one.interval, &method))))
            }
            // Half of the images may be too few where all are enough.
            Err(MetricError::TooFew { .. }) => Ok(None),
            Err(error) => Err(fault(error)),
        }
    }
}

/// How many subsets the interval for sets of these sizes is computed from; 0 if no interval is computed.
fn interval_subsets(declared: Subsets, images: [usize; 2]) -> u32 {
    let [one, other] = images;
    let default = if one.max(other) <= QUICK { SUBSETS } else { 0 };
    let subsets = declared.map_or(default, Bounded::get);
    // A subset keeps half the images, and every metric needs two of each.
    if subsets < 2 || one.min(other) < 4 { 0 } else { subsets }
}

pub(super) fn fid(settings: &Fid, sample: &MetricSample<'_>, chance: &Streams) -> Values {
    if let Some(BesideRows::Statistics { mean, covariance }) = sample.beside {
        return fid_from_statistics(&features(sample.rows)?, &FeatureStatistics { mean, covariance });
    }
    let ordered = Ordered::of(sample)?;
    let sets = ordered.sets()?;
    let found = frechet_distance(&sets.reference, &sets.generated).map_err(fault)?;
    let limits = sets.interval("FID", settings.interval_subsets, chance, |real, generated| {
        Ok(frechet_distance(real, generated)?.distance)
    })?;
    let limits = limits.map(|limits| Interval { low: limits.low.max(0.0), ..limits });
    Ok(vec![of_sets(found.distance, limits, &sets).cautions(found.warnings)])
}

/// FID of rows that are read in blocks, the bits of [`fid`]; `None` where an interval is wanted, whose subsets need all rows.
pub(super) fn fid_of_stored(settings: &Fid, sample: &StoredSample<'_>) -> Option<Values> {
    match sample.beside {
        Some(StoredBeside::Statistics { mean, covariance }) => {
            let rows = BlockRows::as_given(sample.rows);
            Some(rows.and_then(|rows| fid_from_statistics(&rows, &FeatureStatistics { mean, covariance })))
        }
        Some(StoredBeside::Rows(reference)) => {
            let images = [sample.rows.len(), reference.len()];
            (interval_subsets(settings.interval_subsets, images) == 0)
                .then(|| fid_of_blocks(sample.rows, reference))
        }
        _ => None,
    }
}

fn fid_of_blocks(generated: &dyn StoredRows, reference: &dyn StoredRows) -> Values {
    let (generated, reference) = (BlockRows::by_content(generated)?, BlockRows::by_content(reference)?);
    let found = frechet_distance(&reference, &generated).map_err(fault)?;
    Ok(vec![of_reference(found.distance, None, reference.rows()).cautions(found.warnings)])
}

fn fid_from_statistics(own: &dyn FeatureRows, published: &FeatureStatistics<'_>) -> Values {
    let images = own.rows();
    let mut moments = FeatureMoments::of_rows(own).map_err(fault)?;
    let covariance = moments.covariance().map_err(fault)?;
    let own = FeatureStatistics { mean: moments.mean(), covariance: &covariance };
    let found = frechet_from_statistics(&own, published).map_err(fault)?;
    let caution = "the number of reference images is not known from their statistics";
    let value = MetricValue::new(found.distance).cautions([caution]);
    Ok(vec![value.cautions(sample_warnings(images, images, published.mean.len()))])
}

pub(super) fn fid_infinity(_: &FidInfinity, sample: &MetricSample<'_>, chance: &Streams) -> Values {
    let ordered = Ordered::of(sample)?;
    let sets = ordered.sets()?;
    let images = sets.generated.rows();
    let line = InfinitySettings::published(images, chance.seed("fid infinity"));
    let found = frechet_infinity(&sets.reference, &sets.generated, line).map_err(fault)?;
    let value = of_sets(found.distance, None, &sets)
        .detail(Fact::new("slope", "slope in 1/n", found.slope))
        .detail(Fact::new("residual", "residual of the line", found.residual))
        .cautions(found.warnings);
    Ok(vec![value])
}

pub(super) fn kid(settings: &Kid, sample: &MetricSample<'_>, chance: &Streams) -> Values {
    let ordered = Ordered::of(sample)?;
    let sets = ordered.sets()?;
    let found = kernel_distance(&sets.reference, &sets.generated).map_err(fault)?;
    let limits = sets.interval("KID", settings.interval_subsets, chance, |real, generated| {
        Ok(kernel_distance(real, generated)?.distance)
    })?;
    let mut value = of_sets(found.distance, limits, &sets);
    if sets.generated.rows().min(sets.reference.rows()) > KID_SUBSET {
        let drawn =
            SubsetSettings { subsets: KID_SUBSETS, size: KID_SUBSET, seed: chance.seed("kid subsets") };
        let subsets = kernel_distance_of_subsets(&sets.reference, &sets.generated, drawn).map_err(fault)?;
        value = value.detail(Fact::new("subsets_mean", "mean over subsets", subsets.mean));
        if let Some(deviation) = subsets.standard_deviation {
            value = value.detail(Fact::new("subsets_sd", "standard deviation over subsets", deviation));
        }
    }
    Ok(vec![value])
}

pub(super) fn precision_recall(
    settings: &PrecisionAndRecall,
    sample: &MetricSample<'_>,
    chance: &Streams,
) -> Values {
    let balls = BallSettings { neighbour: 3, surface: Surface::Closed };
    precision_and_recall(&Ordered::of(sample)?.sets()?, balls, settings.interval_subsets, chance)
}

pub(super) fn density_coverage(
    settings: &DensityAndCoverage,
    sample: &MetricSample<'_>,
    chance: &Streams,
) -> Values {
    let balls = BallSettings { neighbour: 5, surface: Surface::Open };
    density_and_coverage(&Ordered::of(sample)?.sets()?, balls, settings.interval_subsets, chance)
}

pub(super) fn prdc(settings: &Prdc, sample: &MetricSample<'_>, chance: &Streams) -> Values {
    let ordered = Ordered::of(sample)?;
    let sets = ordered.sets()?;
    let balls = BallSettings { neighbour: 5, surface: Surface::Open };
    let mut values = precision_and_recall(&sets, balls, settings.interval_subsets, chance)?;
    values.extend(density_and_coverage(&sets, balls, settings.interval_subsets, chance)?);
    Ok(values)
}

fn precision_and_recall(sets: &Sets<'_>, balls: BallSettings, subsets: Subsets, chance: &Streams) -> Values {
    let found = shares(&sets.reference, &sets.generated, balls).map_err(fault)?;
    let limits = sets.intervals("precision and recall", subsets, chance, |real, generated| {
        let found = shares(real, generated, balls)?;
        Ok([found.precision, found.recall])
    })?;
    let [of_precision, of_recall] = limits.map_or([None, None], |limits| limits.map(Some));
    Ok(vec![
        of_sets(found.precision, within_shares(of_precision), sets),
        of_sets(found.recall, within_shares(of_recall), sets),
    ])
}

fn density_and_coverage(sets: &Sets<'_>, balls: BallSettings, subsets: Subsets, chance: &Streams) -> Values {
    let found = densities(&sets.reference, &sets.generated, balls).map_err(fault)?;
    let limits = sets.intervals("density and coverage", subsets, chance, |real, generated| {
        let found = densities(real, generated, balls)?;
        Ok([found.density, found.coverage])
    })?;
    let [of_density, of_coverage] = limits.map_or([None, None], |limits| limits.map(Some));
    Ok(vec![
        of_sets(found.density, of_density, sets),
        of_sets(found.coverage, within_shares(of_coverage), sets),
    ])
}

pub(super) fn prd(_: &Prd, sample: &MetricSample<'_>, chance: &Streams) -> Values {
    let ordered = Ordered::of(sample)?;
    let sets = ordered.sets()?;
    let drawn = PrdSettings { clusters: 20, runs: 10, angles: ANGLES, seed: chance.seed("prd") };
    let found = prd_of_features(&sets.reference, &sets.generated, drawn).map_err(fault)?;
    let value = |score: f64, spread: Option<f64>| {
        let value = of_sets(score, None, &sets);
        match spread {
            Some(spread) => value.detail(Fact::new("runs_sd", "standard deviation over runs", spread)),
            None => value,
        }
    };
    let unequal = sets.generated.rows() != sets.reference.rows();
    let caution = unequal.then_some("the sets differ in size, and clusters follow the larger one");
    Ok(vec![
        value(found.recall, found.recall_spread).cautions(caution),
        value(found.precision, found.precision_spread).cautions(caution),
    ])
}

fn of_sets(value: f64, limits: Option<Interval>, sets: &Sets<'_>) -> MetricValue {
    let value = of_reference(value, limits, sets.reference.rows());
    let (shared, outputs) = (sets.shared, sets.generated.rows());
    value.cautions((shared > 0).then(|| match shared == outputs && outputs == sets.reference.rows() {
        true => format!("both sets are the same {outputs} images: the value says nothing of a model"),
        false => format!("{shared} of {outputs} images are in the reference set too"),
    }))
}

fn of_reference(value: f64, limits: Option<Interval>, images: usize) -> MetricValue {
    let images = Fact::new(ModelMetric::REFERENCE_IMAGES, "reference images", images as u64);
    MetricValue::new(value).interval(limits).detail(images)
}

/// The part of an interval in which shares can lie.
fn within_shares(limits: Option<Interval>) -> Option<Interval> {
    limits.map(|limits| Interval { low: limits.low.max(0.0), high: limits.high.min(1.0), ..limits })
}
