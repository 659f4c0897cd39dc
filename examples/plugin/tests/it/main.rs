//! Tests of the plugin, in one program: each program of its own is linked with everything again.

#![allow(clippy::unwrap_used, reason = "tests")]

mod any_raters;
mod conformance;
mod first_option;
mod notice_board;
mod registered;
mod simulated_study;
