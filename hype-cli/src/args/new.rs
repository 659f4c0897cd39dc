//! Arguments of `hype new`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::SEED;

#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// The folder to create; it must not exist or must be empty
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    pub(crate) folder: Option<PathBuf>,
    /// A folder of images, clips or texts, to write a spec into: models, items, real images and prompts are found by names of
    /// folders, files and tables. Or tables of answers, which become a folder of texts: a file, or a folder of such files
    #[arg(long, value_name = "FOLDER|FILE", conflicts_with_all = ["images", "size"])]
    pub(crate) from: Option<PathBuf>,
    /// The task of the study [default: hype-time, or with --from what fits the images]
    #[arg(long, value_enum)]
    pub(crate) task: Option<NewTask>,
    /// Images in each set [default: as many as the task needs]
    #[arg(long)]
    pub(crate) images: Option<u32>,
    /// The width and height of the images, in pixels
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(16..=512))]
    pub(crate) size: u32,
    /// Say what was found and print the spec, without writing it
    #[arg(long, requires = "from")]
    pub(crate) dry_run: bool,
    /// The seed of the study and of its images
    #[arg(long, default_value_t = SEED)]
    pub(crate) seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewTask {
    /// The exposure at which raters tell real from fake
    #[value(alias = "hype_time")]
    HypeTime,
    /// The share of images judged wrong without a time limit
    #[value(alias = "hype_infinity")]
    HypeInfinity,
    /// Two images side by side: which is better, by several criteria
    Contrast,
    /// Images one by one, with questions
    Rating,
    /// Several images in order
    Ranking,
    /// The best of several images
    #[value(alias = "best_of")]
    BestOf,
    /// Two video clips side by side, in step: which is better, by several criteria
    VideoPair,
    /// Video clips one by one, from Bad to Excellent (ITU-T P.910)
    VideoAcr,
    /// Two texts side by side: which is better, by several criteria
    TextPair,
}
