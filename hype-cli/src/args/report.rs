//! The arguments of `hype report`.

use std::path::PathBuf;

use clap::Args;
use hype_report::ReportLanguage;

#[derive(Debug, Args)]
pub(crate) struct StudyReportArguments {
    /// The folder of a study, or its spec if the folder is next to it
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
    /// Other names and colours of models and measures than the spec's: a YAML file like its section `report`
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) export: PaperArguments,
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
}

/// How figures are exported for a paper.
#[derive(Debug, Args)]
#[command(next_help_heading = "Figures for a paper")]
pub(crate) struct PaperArguments {
    /// Write figures for a paper, with their captions and tables, into this folder instead of the report
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["output", "figure", "open"])]
    pub(crate) export: Option<PathBuf>,
    /// Only these figures, such as `f1,f14`
    #[arg(long, value_name = "FIGURES", value_delimiter = ',', requires = "export")]
    pub(crate) figures: Vec<String>,
    /// The width: `3.25in`, `237pt` (points of TeX), `89mm`, or a venue such as `cvpr`, with `:full` for both columns
    #[arg(long, value_name = "WIDTH", default_value = "3.25in", requires = "export")]
    pub(crate) width: String,
    /// About this height, in points, instead of one that follows from what is drawn
    #[arg(long, value_name = "POINTS", value_parser = clap::value_parser!(u32).range(40..=1440), requires = "export")]
    pub(crate) height: Option<u32>,
    /// The font: `sans`, `serif`, or a TrueType or OpenType file
    #[arg(long, value_name = "FONT", default_value = "sans", requires = "export")]
    pub(crate) font: String,
    /// The size of most texts, in points [default: 8, for nature 6]
    #[arg(long, value_name = "POINTS", value_parser = clap::value_parser!(u32).range(4..=24), requires = "export")]
    pub(crate) font_size: Option<u32>,
    /// Whether texts of a PDF stay texts, or become shapes
    #[arg(long, value_name = "HOW", default_value = "embed", value_parser = ["embed", "outline"], requires = "export")]
    pub(crate) text: String,
    /// Write the titles of figures above them
    #[arg(long, requires = "export")]
    pub(crate) title: bool,
    /// Whether figures have grids [default: light, for nature none]
    #[arg(long, value_name = "GRID", value_parser = ["light", "none"], requires = "export")]
    pub(crate) grid: Option<String>,
    /// The formats: `pdf`, `svg` and `png`
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', default_value = "pdf", value_parser = ["pdf", "svg", "png"], requires = "export")]
    pub(crate) format: Vec<String>,
    /// The pixels of an inch of PNGs
    #[arg(long, value_name = "DPI", default_value_t = 300, value_parser = clap::value_parser!(u32).range(72..=1200), requires = "export")]
    pub(crate) dpi: u32,
    /// In shades of grey
    #[arg(long, requires = "export")]
    pub(crate) gray: bool,
}
