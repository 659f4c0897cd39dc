//! Evidence of an estimate about its true value: intervals and one-sided p values by the same method.

use hype_core::model::findings::{GeneralizeTo, Interval};
use hype_stats::StatError;
use hype_stats::bootstrap::IntervalEstimate;
use hype_stats::bounded::{BoundedMean, Cluster};
use hype_stats::clustered::{ClusteredEstimate, ClusteredVariance};
use hype_stats::equivalence::MeanEvidence;
use hype_stats::positive::PositiveMean;

/// The name of intervals by Student's t.
pub(crate) fn method(generalize_to: GeneralizeTo) -> String {
    match generalize_to {
        GeneralizeTo::RatersAndItems => "Student's t over raters and items (Banerjee)".into(),
        one => format!("Student's t over {}", one.units()),
    }
}

/// An estimate with what is known about its error.
#[derive(Debug, Clone)]
pub(crate) struct Evidence {
    kind: Kind,
    method: String,
    df: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Student(ClusteredEstimate),
    Bounded(BoundedEstimate),
    Wilson(BoundedMean),
    ClopperPearson(BoundedMean),
    Positive(PositiveMean),
}

impl Evidence {
    /// An estimate with a clustered error.
    ///
    /// # Errors
    /// If the contributions of all units are equal, so their error says nothing.
    pub(crate) fn student(
        value: f64,
        variance: &ClusteredVariance,
        generalize_to: GeneralizeTo,
    ) -> Result<Self, StatError> {
        if variance.is_zero() {
            return Err(StatError::Degenerate {
                statistic: "an interval by the standard error",
                reason: "the values of all raters or items are equal",
            });
        }
        Ok(Self {
            kind: Kind::Student(ClusteredEstimate::new(value, *variance)?),
            method: method(generalize_to),
            df: variance.degrees_of_freedom(),
        })
    }

    /// A proportion with a clustered error. Where all raters agree, it is as if each had given one `answer`, by whatever name
    /// findings call it, however many a rater gave; where only items vary, as if each item had been given one. `units` is the
    /// number of raters, or of items where only these vary.
    ///
    /// # Errors
    /// For no units.
    pub(crate) fn proportion(
        value: f64,
        variance: &ClusteredVariance,
        units: usize,
        answer: &str,
        generalize_to: GeneralizeTo,
    ) -> Result<Self, StatError> {
        Self::bounded(value, [0.0, 1.0], variance, units, answer, generalize_to)
    }

    /// A mean of bounded values with a clustered error, otherwise as [`Self::proportion`].
    ///
    /// # Errors
    /// For no units, and for a value outside the bounds.
    pub(crate) fn bounded(
        value: f64,
        [least, most]: [f64; 2],
        variance: &ClusteredVariance,
        units: usize,
        answer: &str,
        generalize_to: GeneralizeTo,
    ) -> Result<Self, StatError> {
        if variance.is_zero() {
            let whole = BoundedMean::new(&vec![Cluster::of(&[value]); units], least, most)?;
            let unit = match generalize_to {
                GeneralizeTo::Items => "about each item",
                GeneralizeTo::Raters | GeneralizeTo::RatersAndItems => "of each rater",
            };
            return Ok(Self {
                kind: Kind::ClopperPearson(whole),
                method: format!("Clopper-Pearson, one {answer} {unit}"),
                df: vec![whole.degrees_of_freedom()],
            });
        }
        let found = Self::student(value, variance, generalize_to)?;
        let bounded = BoundedEstimate { estimate: ClusteredEstimate::new(value, *variance)?, least, most };
        let method =
            if bounded.room() > 0.0 { format!("Wilson-type, {}", found.method) } else { found.method };
        Ok(Self { kind: Kind::Bounded(bounded), method, df: found.df })
    }

    /// A proportion whose raters answered equally often.
    pub(crate) fn wilson(bounded: BoundedMean) -> Self {
        Self {
            kind: Kind::Wilson(bounded),
            method: "Wilson over raters, Student's t".into(),
            df: vec![bounded.degrees_of_freedom()],
        }
    }

    /// The mean of positive values of so many raters.
    pub(crate) fn positive(mean: PositiveMean, raters: usize) -> Self {
        Self {
            kind: Kind::Positive(mean),
            method: "log scale over raters, Student's t (Cox)".into(),
            df: vec![raters as f64 - 1.0],
        }
    }

    /// The interval, as findings have it.
    ///
    /// # Errors
    /// For a level outside 0..1.
    pub(crate) fn finding(&self, level: f64) -> Result<Interval, StatError> {
        let range = self.interval(level)?;
        Ok(Interval { df: self.df.clone(), ..Interval::new(range.lower, range.upper, level, &self.method) })
    }

    fn own(&self) -> &dyn MeanEvidence {
        match &self.kind {
            Kind::Student(estimate) => estimate,
            Kind::Bounded(bounded) => bounded,
            Kind::Wilson(bounded) | Kind::ClopperPearson(bounded) => bounded,
            Kind::Positive(mean) => mean,
        }
    }
}

impl MeanEvidence for Evidence {
    fn estimate(&self) -> f64 {
        self.own().estimate()
    }

    fn p_at_most(&self, value: f64) -> Result<f64, StatError> {
        self.own().p_at_most(value)
    }

    fn p_at_least(&self, value: f64) -> Result<f64, StatError> {
        self.own().p_at_least(value)
    }

    fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        match &self.kind {
            Kind::Student(estimate) => estimate.interval(level),
            Kind::Bounded(bounded) => bounded.interval(level),
            Kind::Wilson(bounded) => bounded.wilson(level),
            Kind::ClopperPearson(bounded) => bounded.whole_clusters(level),
            Kind::Positive(mean) => mean.interval(level),
        }
    }
}

/// The mean of bounded values with a clustered error.
///
/// # Method
/// Wilson's (1927): the error of a mean shrinks toward a bound as √(π (1 - π)) does, and the interval has all π from which the
/// mean differs by no more than Student's t allows. Near the bounds, the margin of Student's t to both sides covers less.
#[derive(Debug, Clone, Copy)]
struct BoundedEstimate {
    estimate: ClusteredEstimate,
    least: f64,
    most: f64,
}

impl BoundedEstimate {
    /// Where a value lies between the bounds, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        (value - self.least) / (self.most - self.least)
    }

    /// π (1 - π) of the estimate; 0 at a bound, where the method of Wilson is not defined.
    fn room(&self) -> f64 {
        let share = self.share(self.estimate.estimate());
        share * (1.0 - share)
    }

    /// The value that is as many standard errors of the estimate away from it as `value` is of its own; infinite at a bound.
    fn by_own_error(&self, value: f64) -> f64 {
        let (share, room, estimate) = (self.share(value), self.room(), self.estimate.estimate());
        if room <= 0.0 {
            return value;
        }
        let own = (share * (1.0 - share)).max(0.0);
        estimate - (estimate - value) * (room / own).sqrt()
    }
}

impl MeanEvidence for BoundedEstimate {
    fn estimate(&self) -> f64 {
        self.estimate.estimate()
    }

    fn p_at_most(&self, value: f64) -> Result<f64, StatError> {
        match self.by_own_error(value) {
            f64::NEG_INFINITY => Ok(0.0),
            f64::INFINITY => Ok(1.0),
            value => self.estimate.p_at_most(value),
        }
    }

    fn p_at_least(&self, value: f64) -> Result<f64, StatError> {
        match self.by_own_error(value) {
            f64::NEG_INFINITY => Ok(1.0),
            f64::INFINITY => Ok(0.0),
            value => self.estimate.p_at_least(value),
        }
    }

    fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        let range = self.estimate.interval(level)?;
        let (share, room) = (self.share(self.estimate.estimate()), self.room());
        if room <= 0.0 {
            let (lower, upper) = (range.lower.max(self.least), range.upper.min(self.most));
            return Ok(IntervalEstimate { lower, upper, ..range });
        }
        // With c = margin² / room, the ends are the roots π of (share - π)² = c π (1 - π).
        let margin = 0.5 * (range.upper - range.lower) / (self.most - self.least);
        let c = margin * margin / room;
        let (centre, half) =
            ((share + 0.5 * c) / (1.0 + c), (margin * margin + 0.25 * c * c).sqrt() / (1.0 + c));
        let end = |share: f64| (self.least + (self.most - self.least) * share).clamp(self.least, self.most);
        Ok(IntervalEstimate { lower: end(centre - half), upper: end(centre + half), ..range })
    }
}
