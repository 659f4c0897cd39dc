//! The arguments of `hype metrics`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct MetricsArguments {
    #[command(subcommand)]
    pub(crate) command: Option<MetricsCommand>,
    /// The spec of a study with the section `metrics`; or metrics (their kinds, or their settings in YAML) and two sets, such as
    /// `fid generated/ real/`: folders of images or files of features
    #[arg(value_name = "SPEC|METRIC|SET")]
    pub(crate) what: Vec<String>,
    /// A file of features: .npy, .npz, .csv, .tsv or .parquet, with one row for each image
    #[arg(long, value_name = "FILE")]
    pub(crate) features: Option<PathBuf>,
    /// The features of the reference, their mean and covariance (.npz with mu and sigma), or those of texts
    #[arg(long, value_name = "FILE", requires = "features")]
    pub(crate) against: Option<PathBuf>,
    /// How images of folders are resized for Inception: as by this Python package [default: clean-fid]
    #[arg(long, value_name = "PACKAGE", value_enum)]
    pub(crate) resize: Option<FolderResize>,
    /// The Inception network for images of folders, which `scripts/inception-to-onnx.py` makes [default:
    /// hype/inception-2015.onnx in ~/.cache]
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// Compute only this part of the rows, such as 3/16; `hype metrics merge` joins the parts
    #[arg(long, value_name = "I/N", conflicts_with = "features")]
    pub(crate) shard: Option<String>,
    /// How many threads compute [default: one per core]; no number depends on it
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The package that resizes images the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FolderResize {
    CleanFid,
    PytorchFid,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MetricsCommand {
    /// Join the parts that shards have computed, and compute the values
    Merge(MergeArguments),
}

#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// The spec
    pub(crate) spec: PathBuf,
    /// Folders of metrics of other machines, in addition to the one next to the spec
    pub(crate) folders: Vec<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
