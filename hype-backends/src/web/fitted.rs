//! The size to which images are best resized: that at which they are seen whole, and load in time.

use hype_core::Study;

use super::layout::preview::{fitting_window, whole_size};
use super::settings::{Page, Resize};
use super::transfer::{PATIENCE, Transfer};

/// The least side, in pixels.
const LEAST: u32 = 64;

/// The width and height within which images are seen whole on a usual screen and load in time; `None` if they are as they are, or for
/// clips and texts.
#[must_use]
pub fn fitting_size(study: &Study, page: &Page) -> Option<[u32; 2]> {
    if !study.stimuli().kind().is_image() {
        return None;
    }
    let is_late = |page: &Page| {
        let trial = Transfer::of(study, page).and_then(|transfer| transfer.trial_bytes());
        trial.is_some_and(|bytes| Transfer::seconds(bytes) > PATIENCE)
    };
    let resized = |resize: Resize| Page { resize: Some(resize), ..page.clone() };
    let mut size = match fitting_window(study, page) {
        None if !is_late(page) => return None,
        None => whole_size(study, page),
        Some(size) => size,
    };
    let is_unfit = |size: Resize| {
        let page = resized(size);
        is_late(&page) || fitting_window(study, &page).is_some()
    };
    while is_unfit(size) && size.width.min(size.height) > LEAST {
        (size.width, size.height) = (size.width * 9 / 10, size.height * 9 / 10);
    }
    Some([size.width, size.height])
}
