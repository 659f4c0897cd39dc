//! Rubrics that ask about images one by one: their questions, and how the answers become scores.
//!
//! All of them read the logs of the task [`rating`](crate::tasks::rating) in the same way: gold images are not scored, an
//! image that came twice is scored by its first showing, and each score's model is the set of the image, real sets
//! among them. Beside their own measures they report, where there are such trials, `gold_correct` (whether the gold
//! image was answered rightly) and `consistency` (the share of the answers to a repeated image that were the same).
//!
//! A rubric asks nothing about an item that lacks a condition that its questions speak of; by that the task tells
//! which conditions are missing.

mod engine;
pub mod heim;
pub mod imagenhub;
pub mod likert;
pub mod opinion;
pub(crate) mod showings;

pub use self::heim::{
    Aspect, HeimAesthetics, HeimAlignment, HeimImage, HeimOriginality, HeimPhotorealism, HeimSubjectClarity,
};
pub use self::likert::Likert;
pub use self::opinion::Opinion;
