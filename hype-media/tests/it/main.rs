//! Behaviour of the crate, with one module for each.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]

#[path = "../../../tests/it/support/proof.rs"]
mod proof;
mod support;

mod clips_are_what_they_are_told_to_be;
mod damaged_media_are_read_or_refused;
mod hostile_clips_are_refused_or_read;
mod hostile_documents_are_refused_or_rendered;
mod rewritten_clips_decode_to_the_same_frames;
mod rewritten_clips_leave_no_trace;
mod rewritten_clips_tell_no_origin;
mod texts_are_checked_with_their_places;
