//! What the reader of YAML does, one module for each behaviour.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod collecting;
mod faults;
mod faults_of;
mod properties;
mod text_faults;
