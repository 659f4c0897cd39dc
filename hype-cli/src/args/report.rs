//! The arguments of `hype report`.

use std::path::PathBuf;

use clap::Args;
use hype_report::ReportLanguage;

#[derive(Debug, Args)]
pub(crate) struct StudyReportArguments {
    /// The folder of a study, or its spec if the folder is beside it
    pub(crate) study: PathBuf,
    /// The folder for the report [default: `report` in the study's folder]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Print a figure, such as `f1`, instead of writing the report
    #[arg(long, value_name = "FIGURE", conflicts_with_all = ["output", "open"])]
    pub(crate) figure: Option<String>,
    /// Compare the scores with automated metrics: a CSV file with the column `model` and one column for each metric
    #[arg(long, value_name = "FILE")]
    pub(crate) metrics: Option<PathBuf>,
    /// The preregistration of the study in JSON, as `preregister` writes it: notes say what is different from it
    #[arg(long, value_name = "FILE")]
    pub(crate) registered: Option<PathBuf>,
    /// The language of the page's frame: headings, questions, and how to read the figures
    #[arg(long, value_name = "TAG", default_value = "en", value_parser = ReportLanguage::ALL.map(ReportLanguage::tag))]
    pub(crate) language: String,
    /// Show images of the study in a report that is written elsewhere; one in the study's folder always does
    #[arg(long, requires = "output")]
    pub(crate) with_images: bool,
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
}
