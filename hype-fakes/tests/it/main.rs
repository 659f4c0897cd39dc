//! Clients of platforms against their fakes, with one module for each behaviour.

#![allow(clippy::unwrap_used, reason = "tests")]

mod prolific;
