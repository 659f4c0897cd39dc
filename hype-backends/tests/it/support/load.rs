//! Raters without number who answer as fast as they are served, and servers in processes of their own that can be
//! killed.
//!
//! The program that uses this starts itself as the server: its `main` hands [`process::ARGUMENT`] over to
//! [`process::serve`].

#[path = "load/client.rs"]
pub(crate) mod client;
#[path = "load/process.rs"]
pub(crate) mod process;
#[path = "load/rater.rs"]
pub(crate) mod rater;
