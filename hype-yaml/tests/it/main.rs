//! Behaviour of the YAML reader, with one module for each.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod collecting;
mod faults;
mod faults_of;
mod properties;
mod text_faults;
mod uniform;
