//! Behaviour of the crate, with one module for each.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]

mod support;

mod cache_is_correct;
mod decoding_gives_what_the_file_means;
mod files_are_canonical;
mod files_are_inspected;
mod hostile_files_are_refused_in_time;
#[cfg(feature = "masks")]
mod masks_are_made_once_and_hide_their_images;
mod patterns_find_files;
mod resampling_equals_pillow;
mod samples_are_portable;
mod stimuli_are_prepared_once;
mod stimuli_are_written_alike;
#[cfg(feature = "masks")]
mod texture_adjusters_equal_reference;
#[cfg(feature = "masks")]
mod texture_masks_hide_their_source;
#[cfg(feature = "masks")]
mod texture_pyramid_rebuilds_its_planes;
#[cfg(feature = "masks")]
mod texture_statistics_equal_reference;
#[cfg(feature = "masks")]
mod texture_synthesis_follows_reference;
