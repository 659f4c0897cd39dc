//! The client of Mechanical Turk against its fake, with one module for each behaviour.

#![allow(clippy::unwrap_used, reason = "tests")]

mod bench;
mod faults_are_reported_as_what_they_are;
mod listings_are_hits;
mod money_is_paid_once;
mod people_are_qualified;
mod requests_follow_the_model;
mod work_is_followed;
mod wrong_requests_are_caught;
