//! The arguments of `backup`, `restore` and `health`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct BackupArguments {
    /// The study's folder, or its spec
    pub(crate) study: PathBuf,
    /// The new folder of the copy
    pub(crate) backup: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArguments {
    /// The folder of the backup
    pub(crate) backup: PathBuf,
    /// The new folder of the study, such as NAME.study next to its spec
    pub(crate) study: PathBuf,
}

#[cfg(feature = "web")]
#[derive(Debug, Args)]
pub(crate) struct HealthArguments {
    /// The address of the page
    #[arg(default_value = "http://127.0.0.1:7850/")]
    pub(crate) address: String,
}
