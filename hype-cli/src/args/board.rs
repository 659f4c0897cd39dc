//! The arguments of `hype board`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct BoardArguments {
    #[command(subcommand)]
    pub(crate) command: BoardCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BoardCommand {
    /// Write a commented board.yaml into a new folder
    Init {
        /// The folder
        board: PathBuf,
    },
    /// Add a model: one image for each item, named by the item
    Add(AddArguments),
    /// List the models and their waves, private ones as well
    List {
        /// The board
        board: PathBuf,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove images of a model by law, or all of them and its name; votes and digests stay
    Remove {
        /// The board
        board: PathBuf,
        /// The model
        model: String,
        /// Remove the image of this item only; can be repeated
        #[arg(long = "item", value_name = "ITEM")]
        items: Vec<String>,
        /// The reason that the page says
        #[arg(long)]
        reason: String,
    },
    /// Begin, follow and close waves
    Wave {
        #[command(subcommand)]
        command: BoardWaveCommand,
    },
    /// Rank the models of all closed waves
    Score {
        /// The board
        board: PathBuf,
        /// Print as JSON (schema: `hype schema board`)
        #[arg(long)]
        json: bool,
    },
    /// Write the public page, board.json and the feed into the folder `site`
    Publish {
        /// The board
        board: PathBuf,
    },
    /// Compute the page again from the released packages, and name every file and vote that is not as it was
    Verify {
        /// The board
        board: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// The board
    pub(crate) board: PathBuf,
    /// The folder or the ZIP archive of images
    pub(crate) source: PathBuf,
    /// The model's name, with its version
    #[arg(long)]
    pub(crate) name: String,
    /// Who made it
    #[arg(long)]
    pub(crate) maker: String,
    /// The name that readers see until --until
    #[arg(long, requires = "until", conflicts_with = "private")]
    pub(crate) codename: Option<String>,
    /// The wave whose close reveals the name, whatever the result
    #[arg(long, value_name = "WAVE", requires = "codename")]
    pub(crate) until: Option<u32>,
    /// Show readers only that the maker has one model more
    #[arg(long)]
    pub(crate) private: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BoardWaveCommand {
    /// Write the spec of the next wave: the anchors, and the models that no wave has rated
    New {
        /// The board
        board: PathBuf,
        /// Rate these models instead
        models: Vec<String>,
    },
    /// Say which wave is open, and how far it is
    Status {
        /// The board
        board: PathBuf,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Package the open wave's answers for release; nothing of it changes any more
    Close {
        /// The board
        board: PathBuf,
    },
    /// Remove the open wave, if no person has begun to rate it
    Cancel {
        /// The board
        board: PathBuf,
    },
}
