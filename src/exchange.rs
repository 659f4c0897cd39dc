//! Exchange of data: imports ratings collected elsewhere as tidy scores, and exports studies as files for others.
//!
//! Importers read a file row by row and pass each value on as a [`Row`](hype_core::Row) of the tidy table that `hype
//! aggregate` reads. They report every fault with its place, and count what they leave out. All exports share one
//! description of columns ([`layout`]), from which headers, Parquet types and the codebook are derived.

mod answer;
mod building;
mod coded;
mod doubts;
#[cfg(feature = "sqlite")]
mod downloads;
mod error;
mod fault;
mod imagenhub;
mod importing;
mod levels;
mod lines;
mod lists;
mod markdown;
mod metrics;
mod names;
mod output;
mod outputs;
mod pattern;
mod ranking;
mod recognize;
mod rows;
mod source;
mod spellings;
mod table;
#[cfg(feature = "sqlite")]
mod tar;
mod tidy;
mod votes;
mod winner;

pub mod export;
pub mod layout;
pub mod mturk;
pub mod package;
pub mod registration;
#[cfg(feature = "crowd")]
pub mod sheet;

pub use self::coded::{CodedFields, CodedQuestion, coded_jsonl};
#[cfg(feature = "sqlite")]
pub use self::downloads::StudyDownloads;
pub use self::error::ExportError;
pub use self::fault::{ImportError, ImportFault};

pub use self::imagenhub::{ImagenHubOptions, imagenhub};
pub use self::importing::{Facts, ImportReport, Sink};
pub use self::levels::{LevelColumns, TableFacets, levels};
pub use self::metrics::{Metrics, OutputMeans};
pub use self::names::ModelOf;
pub use self::output::Output;
pub use self::outputs::output_facts;
pub use self::pattern::NamePattern;
pub use self::ranking::{RankingFields, ranking_json};
pub(crate) use self::recognize::BETWEEN_TURNS;
pub use self::recognize::{Recognized, TextItem, TextOutputs, recognize};
pub use self::rows::{Format, RowWriter};
pub use self::source::{TableRows, TableSource};
pub use self::spellings::spellings;
pub(crate) use self::table::{Next, Table};
pub use self::table::{RowFilter, TableFormat};
pub use self::tidy::{ColumnNames, EmptyValues, MaybeColumn, TidyReader, import_tables};
pub use self::votes::{Count, VoteOptions, confident_majority, votes};
pub use self::winner::Winner;
