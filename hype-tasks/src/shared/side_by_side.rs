//! Shared by tasks that show images side by side: the images compared, the session's schedule, and the pages.

mod criteria;
mod gallery;
mod known;
mod length;
mod matched;
mod page;
mod schedule;
mod scoring;

pub use self::criteria::WordedCriterion;
pub(crate) use self::criteria::{check_criteria, key};
pub(crate) use self::gallery::GalleryDesign;

pub(crate) use self::known::Compares;
pub(crate) use self::length::{SessionLength, check_raters, raters};
pub(crate) use self::matched::{MatchedSet, MatchedSets, Size, contenders, item_name};
pub(crate) use self::page::{check_text, image_options, label, place_of, wording};
pub(crate) use self::schedule::{Layout, Schedule, Sequence};
pub(crate) use self::scoring::score_error;
