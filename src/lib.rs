//! Human evaluation of generative models, with the rigour of psychophysics.
//!
//! This crate is the main entry point. It re-exports the other crates, links their plugins, and opens studies from
//! files. The crates can also be used separately: [`core`] for the traits and the session machine, [`stats`] for the
//! statistics, [`tasks`] for the published protocols, [`analyses`] for the analyses of their scores, [`sim`] for synthetic raters, [`backends`] for ways to reach
//! raters, [`store`] for logs, [`images`] for image files, and [`pipeline`] for automated metrics. With the feature `report`, `hype::report` has the figures of reports. [`exchange`] imports ratings collected elsewhere and
//! exports studies.
//!
//! # Examples
//! ```no_run
//! use std::sync::Arc;
//!
//! use hype::backends::{Local};
//! use hype::store::{MemoryStore};
//! use hype::core::{Backend as _, analyse, study::backend::Unwatched};
//!
//! let opened = hype::open("faces.yaml".as_ref(), &hype::Quiet)?;
//! let (study, store) = (opened.study, MemoryStore::new());
//! let cohort = study.spec().collection.simulate.clone().unwrap_or_else(|| Box::new(hype::sim::Population::default()));
//! let local = Local::with_raters(cohort, None);
//! hype::block_on(async {
//!     local.collect(&study, Arc::new(store.clone()), &Unwatched).await?;
//!     let findings = analyse(&study, &store).await?;
//!     println!("{}", serde_json::to_string_pretty(&findings)?);
//!     Ok::<(), Box<dyn std::error::Error>>(())
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests may panic"))]

pub use hype_analyses as analyses;
pub use hype_backends as backends;
pub use hype_core as core;
pub use hype_core::{async_trait, prelude, schema, schemars, serde, serde_json, settings};
pub use hype_images as images;
#[cfg(feature = "mturk")]
use hype_mturk as _;
pub use hype_pipeline as pipeline;
#[cfg(feature = "report")]
pub use hype_report as report;
#[cfg(feature = "report")]
pub use hype_report::register_figure;
pub use hype_sim as sim;
pub use hype_stats as stats;
pub use hype_store as store;
pub use hype_store::block_on;
pub use hype_tasks as tasks;

mod composed;
pub mod exchange;
#[cfg(feature = "sqlite")]
mod folder;
mod media;
mod open;
pub mod plan;
mod pseudonym;
#[cfg(feature = "web")]
mod runtime;
mod secret;
mod separator;
mod simulated;

pub use composed::composed;
#[cfg(all(feature = "crowd", feature = "sqlite"))]
pub use folder::MoneyOfFolder;
#[cfg(feature = "sqlite")]
pub use folder::{FolderError, StudyFolder};
pub use open::{OpenError, OpenedStudy, Opening, Quiet, StimulusProgress, items_in, open};
pub use pseudonym::{KeyError, Pseudonyms};
#[cfg(feature = "web")]
pub use runtime::runtime;
pub use secret::{SecretError, secret};
pub use simulated::simulated_note;
