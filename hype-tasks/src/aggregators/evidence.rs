//! What an estimate says about its true value: intervals and one-sided p values by the same method.

use hype_core::model::findings::{GeneralizeTo, Interval};
use hype_stats::StatError;
use hype_stats::bootstrap::IntervalEstimate;
use hype_stats::bounded::{BoundedMean, Cluster};
use hype_stats::clustered::{ClusteredEstimate, ClusteredVariance};
use hype_stats::equivalence::MeanEvidence;

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
    /// A proportion, whose intervals stay within 0 and 1.
    StudentOfProportion(ClusteredEstimate),
    Wilson(BoundedMean),
    ClopperPearson(BoundedMean),
}

impl Evidence {
    /// An estimate with a clustered error.
    ///
    /// # Errors
    /// If the contributions of all units are equal, so that their error says nothing.
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
        if variance.is_zero() {
            let whole = BoundedMean::new(&vec![Cluster::of(&[value]); units], 0.0, 1.0)?;
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
        let student = Self::student(value, variance, generalize_to)?;
        Ok(Self { kind: Kind::StudentOfProportion(ClusteredEstimate::new(value, *variance)?), ..student })
    }

    /// A proportion whose raters answered equally often.
    pub(crate) fn wilson(bounded: BoundedMean) -> Self {
        Self {
            kind: Kind::Wilson(bounded),
            method: "Wilson over raters, Student's t".into(),
            df: vec![bounded.degrees_of_freedom()],
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
            Kind::Student(estimate) | Kind::StudentOfProportion(estimate) => estimate,
            Kind::Wilson(bounded) | Kind::ClopperPearson(bounded) => bounded,
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
            Kind::StudentOfProportion(estimate) => {
                let range = estimate.interval(level)?;
                Ok(IntervalEstimate { lower: range.lower.max(0.0), upper: range.upper.min(1.0), ..range })
            }
            Kind::Wilson(bounded) => bounded.wilson(level),
            Kind::ClopperPearson(bounded) => bounded.whole_clusters(level),
        }
    }
}
