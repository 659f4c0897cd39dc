//! The arguments of `aggregate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hype::exchange::{TableSource, Winner};
use hype_core::MeasureScale;
use hype_core::model::findings::GeneralizeTo;

use super::{ReportArguments, TableArguments};

#[derive(Debug, Args)]
pub(crate) struct AggregateArguments {
    /// The table, with one row per value; `-` for standard input
    pub(crate) table: PathBuf,
    /// The column of raters
    #[arg(long, default_value = "rater")]
    pub(crate) rater: String,
    /// The column of models
    #[arg(long, default_value = "model")]
    pub(crate) model: String,
    /// The column of values, once per measure [default: value]
    #[arg(long)]
    pub(crate) value: Vec<String>,
    /// The column of items [default: item, if the table has it]
    #[arg(long)]
    pub(crate) item: Option<String>,
    /// The column of the models with which those in --model were compared [default: against, if the table has it]
    #[arg(long)]
    pub(crate) against: Option<String>,
    /// The column that names the measure of each row, in a long table as written by `hype export` [default: measure, if
    /// the table has it and there is no --value]
    #[arg(long, conflicts_with = "value")]
    pub(crate) measure: Option<String>,
    /// An aggregator by its kind, such as `contrast`, or as YAML, such as `{ kind: agreement, over: model }`; may be
    /// given several times [default: by_model with the options below]
    #[arg(long, value_name = "AGGREGATOR", conflicts_with_all = ["resample", "resamples", "level", "interval", "pairs", "equivalence_margin", "non_inferiority_margin"])]
    pub(crate) with: Vec<String>,
    /// A column whose cells are levels of items or of raters, for `within` in --with; may be given several times
    #[arg(long, value_name = "COLUMN")]
    pub(crate) facet: Vec<String>,
    /// A table with a row for each item, which has the columns of --facet [default: the table itself]
    #[arg(long, value_name = "FILE", requires = "facet")]
    pub(crate) items: Option<PathBuf>,
    /// The column of --items that names the items [default: item]
    #[arg(long, value_name = "COLUMN", requires = "items")]
    pub(crate) items_by: Option<String>,
    /// A table with a row for each output, for `covariates` in --with: the columns `model`, `item` and one per covariate
    #[arg(long, value_name = "FILE", requires = "with")]
    pub(crate) outputs: Option<PathBuf>,
    /// A table of automated metrics to compare the scores with: the column `model` and one column per metric
    #[arg(long, value_name = "FILE")]
    pub(crate) metrics: Option<PathBuf>,
    /// Write a report with figures and tables into a folder too, as `hype report` does
    #[arg(long, value_name = "FOLDER")]
    pub(crate) figures: Option<PathBuf>,
    /// Write how each rater answered into a CSV file too: the share of the commonest answer, and the agreement with others
    #[arg(long, value_name = "FILE")]
    pub(crate) raters: Option<PathBuf>,
    /// The unit of the values, for the report
    #[arg(long, default_value = "")]
    pub(crate) unit: String,
    /// Which values are better [default: higher; lower of ranks, whose measure is called `rank`]
    #[arg(long, value_enum)]
    pub(crate) better: Option<Better>,
    /// The meaning of the values: codes of categories without an order, an order, or numbers [default: the table's column
    /// `scale`, if it has it]
    #[arg(long, value_enum)]
    pub(crate) scale: Option<ScaleKind>,
    /// A value that readers compare the values with, such as 0.5 for the share of fakes taken for real
    #[arg(long, allow_negative_numbers = true, value_parser = finite)]
    pub(crate) reference: Option<f64>,
    /// How far a model may be from --reference and still count as equivalent to it [default: the smallest margin that
    /// the data support is reported]
    #[arg(long, requires = "reference", value_parser = positive)]
    pub(crate) equivalence_margin: Option<f64>,
    /// A model whose stimuli are real, with which the others are compared; may be given several times
    #[arg(long, value_name = "MODEL")]
    pub(crate) real: Vec<String>,
    /// By how much a model may be worse than --real and still count as no worse [default: the smallest margin that the
    /// data support is reported]
    #[arg(long, requires = "real", value_parser = positive)]
    pub(crate) non_inferiority_margin: Option<f64>,
    /// The population to which results generalize: the part that would differ if the ratings were collected again
    /// [default: raters, or items if the table states that it names no raters]
    #[arg(long, value_enum)]
    pub(crate) generalize_to: Option<GeneralizeKind>,
    /// Computes intervals by a bootstrap, of raters or of raters and items
    #[arg(long, value_enum, conflicts_with = "generalize_to")]
    pub(crate) resample: Option<Resample>,
    /// The number of bootstrap resamples
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub(crate) resamples: u32,
    /// The confidence level
    #[arg(long, default_value_t = 0.95, value_parser = level)]
    pub(crate) level: f64,
    /// How intervals are computed: by the standard error, or by a bootstrap [default: t; percentile with --resample]
    #[arg(long, value_enum)]
    pub(crate) interval: Option<IntervalKind>,
    /// How pairs of models are compared
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) pairs: PairsKind,
    /// Whether each rater judged one model (between) or all (within) [default: within if at least half of the raters judged
    /// several models]
    #[arg(long, value_enum)]
    pub(crate) design: Option<DesignKind>,
    /// The seed of the bootstrap
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) table_format: TableArguments,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
    /// The rows of a program that embeds this one, in place of the file
    #[arg(skip)]
    pub(crate) rows: Option<TableSource>,
    /// The column that says which of two models won, in place of values
    #[arg(skip)]
    pub(crate) winner: Option<Winner>,
    /// The texts of answers in order, which become 1, 2 and so on
    #[arg(skip)]
    pub(crate) options: Vec<String>,
}

impl AggregateArguments {
    /// Where the table is read from.
    pub(crate) fn source(&self) -> TableSource {
        self.rows.clone().unwrap_or_else(|| TableSource::from(&self.table))
    }
}

fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("a reference value must be a finite number, such as 0.5".into()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(margin) if margin > 0.0 && margin.is_finite() => Ok(margin),
        _ => Err("a margin must be a positive number in the unit of the values, such as 0.05".into()),
    }
}

fn level(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(level) if (0.5..=0.9999).contains(&level) => Ok(level),
        _ => Err("a confidence level must be from 0.5 to 0.9999, such as 0.95".into()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Better {
    Higher,
    Lower,
    Neither,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleKind {
    Nominal,
    Ordinal,
    Interval,
}

impl ScaleKind {
    pub(crate) const fn meant(self) -> MeasureScale {
        match self {
            Self::Nominal => MeasureScale::Nominal,
            Self::Ordinal => MeasureScale::Ordinal,
            Self::Interval => MeasureScale::Interval,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Resample {
    Rater,
    RaterItem,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IntervalKind {
    /// Student's t
    T,
    /// Percentiles of a bootstrap; too narrow with fewer than 30 raters
    Percentile,
    /// Bias-corrected and accelerated percentiles
    Bca,
    /// The studentized bootstrap
    BootstrapT,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GeneralizeKind {
    /// Other raters, the same items
    Raters,
    /// Other raters and other items
    RatersAndItems,
    /// Other items, the same raters
    Items,
}

impl GeneralizeKind {
    pub(crate) const fn meant(self) -> GeneralizeTo {
        match self {
            Self::Raters => GeneralizeTo::Raters,
            Self::RatersAndItems => GeneralizeTo::RatersAndItems,
            Self::Items => GeneralizeTo::Items,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PairsKind {
    Auto,
    TukeyKramer,
    GamesHowell,
    Welch,
    Student,
    /// Within raters, by signed ranks with Holm's correction.
    Wilcoxon,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DesignKind {
    Between,
    Within,
}
