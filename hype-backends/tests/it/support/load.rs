//! Any number of raters who answer as fast as they are served, and servers in separate processes that can be killed.
//!
//! The program that uses this starts itself as the server: its `main` passes the arguments after
//! [`process::ARGUMENT`] to [`process::serve`].

#[path = "load/client.rs"]
pub(crate) mod client;
#[path = "load/process.rs"]
pub(crate) mod process;
#[path = "load/rater.rs"]
pub(crate) mod rater;
