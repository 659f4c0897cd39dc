//! Opinion scores: means with their spread, screening of subjects, and models of subjects.
//!
//! [`RatingsBuilder`] collects scores of stimuli by subjects in any order, and [`OpinionRatings`] is the
//! resulting table, with any missing cells. From it
//!
//! - [`mean_opinion_scores`] gives MOS and SOS (ITU-T P.800, P.910, P.913), optionally with subject bias
//!   removed or scores standardized, and after screening;
//! - [`screen`] finds subjects whose scores deviate from the others' (ITU-R BT.500);
//! - [`alternating_projection`] estimates quality together with the bias and inconsistency of each
//!   subject (ITU-T P.910 annex E), which needs no screening;
//! - [`sos_hypothesis`] describes how the spread depends on the mean (Hossfeld et al. 2011).

mod adjusted;
mod mean;
mod projection;
mod ratings;
mod screening;
mod sos;
#[cfg(test)]
mod tests;

pub use adjusted::{BiasRemoved, Standardized, SubjectBias, remove_bias, standardize};
pub use mean::{StimulusScore, mean_opinion_scores};
pub use projection::{
    AlternatingProjection, StimulusQuality, SubjectEstimate, alternating_projection,
    alternating_projection_with,
};
pub use ratings::{OpinionRatings, RatingsBuilder};
pub use screening::{Screened, Screening, Spread, SubjectScreening, screen};
pub use sos::{SosHypothesis, sos_hypothesis};
