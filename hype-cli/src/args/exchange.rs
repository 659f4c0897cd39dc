//! The arguments of `import` and `export`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use hype::exchange::{NamePattern, RowFilter};

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The study's folder, or its spec
    pub(crate) study: PathBuf,
    /// The kind of records to write
    #[arg(long, value_enum, default_value = "scores")]
    pub(crate) what: ExportWhat,
    /// The format [default: csv, or jsonl for dpo]
    #[arg(long, value_enum)]
    pub(crate) format: Option<ExportFormat>,
    /// Include the scores of raters who were excluded from the findings
    #[arg(long)]
    pub(crate) all: bool,
    /// With `--what dpo`: one row for each pair of images, by the majority of votes and with their counts, instead of one
    /// for each vote
    #[arg(long)]
    pub(crate) majority: bool,
    /// The file to write, or the folder with `--what r` [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write cells of CSV as they are, also those that a spreadsheet would compute
    #[arg(long)]
    pub(crate) raw: bool,
    /// Write tables, codebook, protocol and findings to this new folder, without the raters' keys
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["what", "format", "all", "majority", "output", "raw"])]
    pub(crate) package: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportWhat {
    /// The tidy table of scores: rater, model, against, item, block, measure, value
    Scores,
    /// One row per answered trial
    Trials,
    /// One row per answer to a question; for rankings, one per candidate
    Answers,
    /// All answers to trials that raters corrected, one row per answer to a question
    Corrections,
    /// How raters played clips and read texts, one row per clip or text of a trial
    Played,
    /// The spans of texts that raters marked
    Marks,
    /// The event log, session by session (JSON Lines only)
    Events,
    /// How each rater answered: how often the same, like the others, in which half of the trials, and how fast
    Raters,
    /// The earnings of each rater
    Earnings,
    /// Promises and payments through a panel, for accounts
    #[cfg(feature = "crowd")]
    Ledger,
    /// The findings: one row per estimate, test, comparison or coefficient
    Findings,
    /// Pairs of images for training on preferences (DPO): prompt, chosen, rejected; one row per vote, without ties
    Dpo,
    /// The scores and a script of R that fits mixed models to them, in the new folder that `-o` names
    R,
    /// The ids that a panel gave its participants: personal data
    #[cfg(feature = "web")]
    Participants,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    Csv,
    Jsonl,
    /// Typed columns; needs a program built with the feature `parquet`
    Parquet,
}

#[derive(Debug, Args)]
#[command(subcommand_negates_reqs = true)]
pub(crate) struct ImportArguments {
    /// A file whose format is recognized [alternative: one of the formats]
    #[arg(required = true)]
    pub(crate) file: Option<PathBuf>,
    /// The format of the ratings
    #[command(subcommand)]
    pub(crate) format: Option<ImportFormat>,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE", global = true)]
    pub(crate) output: Option<PathBuf>,
    /// Write cells as they are, also those that a spreadsheet would compute
    #[arg(long, global = true)]
    pub(crate) raw: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ImportFormat {
    /// A table with one row per value, one column per measure, or one row per comparison
    Csv(Box<CsvArguments>),
    /// A table with a list of votes in each row, such as `gen,ret,same`
    Votes(VotesArguments),
    /// ImagenHub's tables: one file per rater, cells `[SC, PQ]`
    Imagenhub(ImagenHubArguments),
    /// Batch files of Amazon Mechanical Turk
    MturkCsv(MTurkArguments),
    /// HEIM's released answers, one image per line
    HeimJsonl(HeimArguments),
    /// A JSON list of rankings, in the format of ImageReward
    RankingJson(RankingArguments),
}

#[derive(Debug, Args)]
pub(crate) struct TableArguments {
    /// The character between cells [default: the comma, tab, semicolon or bar that fits the lines]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub(crate) delimiter: Option<u8>,
    /// Whether cells may be quoted [default: yes, unless tabs separate them]
    #[arg(long, value_enum)]
    pub(crate) quotes: Option<Quotes>,
    /// Read numbers such as 3,5 with a decimal comma [default: where semicolons separate cells]
    #[arg(long)]
    pub(crate) decimal_comma: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Quotes {
    Yes,
    No,
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [one] if one.is_ascii() && !matches!(one, b'"' | b'\n' | b'\r') => Ok(*one),
        _ if text == "\\t" || text == "tab" => Ok(b'\t'),
        _ => Err("write one character, such as `;`, or `tab`".into()),
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split(',').map(str::trim).collect::<Vec<_>>()[..] {
        [first, second] => Ok((first.to_owned(), second.to_owned())),
        _ => Err("write two labels separated by a comma".into()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct CsvArguments {
    /// The tables; `-` for standard input
    #[arg(required = true)]
    pub(crate) tables: Vec<PathBuf>,
    /// The column of raters; several are joined [default: the table names none, and results are about items]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) rater: Vec<String>,
    /// Each table is of one rater, named after the file or its folder
    #[arg(long, value_enum, conflicts_with = "rater")]
    pub(crate) rater_by: Option<RaterBy>,
    /// The column of models, in comparisons of the first model; several are joined, as in pix2pix-85
    #[arg(long, value_name = "COLUMN", required_unless_present_any = ["model_name", "columns", "parts"])]
    pub(crate) model: Vec<String>,
    /// The model of all rows
    #[arg(long, value_name = "NAME", conflicts_with = "model")]
    pub(crate) model_name: Option<String>,
    /// The column of values; several for a wide table
    #[arg(long, value_name = "COLUMN", required_unless_present_any = ["winner", "columns"], conflicts_with_all = ["winner", "columns"])]
    pub(crate) value: Vec<String>,
    /// The names of the columns of values, if they say what these are about: `{item}_{model}` reads `img01_sdxl`, and
    /// `vote_{vote}` votes without raters; {model:sdxl|dalle} stands for these models alone, and also known are {rater} and
    /// {measure}
    #[arg(long, value_name = "PATTERN", value_parser = NamePattern::parse, conflicts_with_all = ["measure", "winner"])]
    pub(crate) columns: Option<NamePattern>,
    /// A column whose cells name several things, such as `image=*/{model}/{item}.png`; `*` stands for any text, and the second
    /// model of comparisons is {against}
    #[arg(long, value_name = "COLUMN=PATTERN", value_parser = parts)]
    pub(crate) parts: Vec<(String, NamePattern)>,
    /// Read only rows with one of these cells, or with != those without; may be given several times
    #[arg(long = "where", value_name = "COLUMN=CELL|CELL…", value_parser = RowFilter::parse)]
    pub(crate) only: Vec<RowFilter>,
    /// Cells hold several answers: `4|5|3`, `[4, 5, 3]` or `{"Q0": 3, "Q1": 2}`
    #[arg(long)]
    pub(crate) lists: bool,
    /// The first line is a row like the others, and columns are named 1, 2 and so on
    #[arg(long)]
    pub(crate) no_header: bool,
    /// The texts of answers in order, which become 1, 2 and so on
    #[arg(long, value_name = "[COLUMN=]TEXT|TEXT…")]
    pub(crate) options: Vec<String>,
    /// The column that names the measure of each row in a long table
    #[arg(long, value_name = "COLUMN")]
    pub(crate) measure: Option<String>,
    /// The column of items; several are joined
    #[arg(long, value_name = "COLUMN")]
    pub(crate) item: Vec<String>,
    /// The column of blocks, numbered from 0
    #[arg(long, value_name = "COLUMN")]
    pub(crate) block: Option<String>,
    /// The column of the models with which those in --model were compared; several are joined
    #[arg(long, value_name = "COLUMN")]
    pub(crate) against: Vec<String>,
    /// The column that says which of the two models won: a, b or tie, or the name of one of them; or a column for each of the
    /// first, the second and ties, separated by `|`
    #[arg(long, value_name = "COLUMN")]
    pub(crate) winner: Option<String>,
    /// The label of the first model in the column of winners, in place of `a`
    #[arg(long, requires = "winner", value_name = "LABEL")]
    pub(crate) first: Vec<String>,
    /// The label of the second model in the column of winners, in place of `b`
    #[arg(long, requires = "winner", value_name = "LABEL")]
    pub(crate) second: Vec<String>,
    /// The label of a tie in the column of winners, in place of `tie`
    #[arg(long, requires = "winner", value_name = "LABEL")]
    pub(crate) tie: Vec<String>,
    #[command(flatten)]
    pub(crate) table_format: TableArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RaterBy {
    File,
    Folder,
}

fn parts(text: &str) -> Result<(String, NamePattern), String> {
    let (column, pattern) =
        text.split_once('=').ok_or("write COLUMN=PATTERN, as in image=*/{model}/{item}.png")?;
    Ok((column.to_owned(), NamePattern::parse(pattern)?))
}

#[derive(Debug, Args)]
pub(crate) struct VotesArguments {
    /// The table; `-` for standard input
    pub(crate) table: PathBuf,
    /// The column of votes, separated by commas
    #[arg(long)]
    pub(crate) decisions: String,
    /// The column of items [default: items are numbered by their lines]
    #[arg(long)]
    pub(crate) item: Option<String>,
    /// The labels in order: a vote's value is the position of its label, from 1
    #[arg(long, value_delimiter = ',', required_unless_present = "compare")]
    pub(crate) labels: Vec<String>,
    /// The judged model, if votes are for categories
    #[arg(long, value_name = "NAME", default_value = "all")]
    pub(crate) model: String,
    /// Two labels that are models, if votes are comparisons of them
    #[arg(long, value_name = "FIRST,SECOND", value_parser = pair, conflicts_with_all = ["labels", "model"])]
    pub(crate) compare: Option<(String, String)>,
    /// The label of ties, if votes are comparisons
    #[arg(long, value_name = "LABEL", default_value = "same", conflicts_with = "labels")]
    pub(crate) tie: String,
    /// One decision per item: a side with four votes, or with three and at most one for the other; otherwise the last
    /// label
    #[arg(long)]
    pub(crate) confident: bool,
    #[command(flatten)]
    pub(crate) table_format: TableArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ImagenHubArguments {
    /// The files of one task, one per rater and named after the rater; or the folder that holds them
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Accept any non-negative scores, not only 0, 0.5 and 1
    #[arg(long)]
    pub(crate) any_values: bool,
}

/// The place of the model's name.
#[derive(Debug, Args)]
pub(crate) struct ModelArguments {
    /// The column or field of models
    #[arg(long, value_name = "COLUMN")]
    pub(crate) model: Option<String>,
    /// The column or field with a path or URL, whose folder is named after the model
    #[arg(long, value_name = "COLUMN", conflicts_with = "model")]
    pub(crate) model_folder: Option<String>,
    /// The model to which all ratings refer
    #[arg(long, value_name = "NAME", conflicts_with_all = ["model", "model_folder"])]
    pub(crate) model_name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct MTurkArguments {
    /// The batch files
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// The Input column of items
    #[arg(long, value_name = "COLUMN")]
    pub(crate) item: Option<String>,
    /// An answer given as a number or as one column per option, and the measure that it becomes
    #[arg(long, value_name = "NAME[=MEASURE]")]
    pub(crate) answer: Vec<String>,
    /// The texts of an answer's options in order; their scores begin at 1
    #[arg(long, value_name = "NAME=TEXT|TEXT…")]
    pub(crate) options: Vec<String>,
    /// An answer to a question of HEIM: alignment, photorealism, subject-clarity, aesthetics or originality
    #[arg(long, value_name = "ASPECT[=NAME]")]
    pub(crate) heim: Vec<String>,
    /// Replace worker ids by pseudonyms, with the key in this file; it is created if it does not exist
    #[arg(long, value_name = "KEYFILE")]
    pub(crate) pseudonyms: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct HeimArguments {
    /// The files, named after their aspect, such as alignment_train.jsonl
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The aspect, if the files are not named after it
    #[arg(long, value_name = "ASPECT")]
    pub(crate) heim: Option<String>,
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// The field of items
    #[arg(long, value_name = "FIELD", default_value = "image_path")]
    pub(crate) item: String,
    /// The field of answers, coded from 0: a list, or one number
    #[arg(long, value_name = "FIELD", default_value = "human_annotations")]
    pub(crate) answers: String,
    /// The field of raters: a list as long as that of the answers, or one name
    #[arg(long, value_name = "FIELD")]
    pub(crate) raters: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RankingArguments {
    /// The JSON file; `-` for standard input
    pub(crate) file: PathBuf,
    /// The field of items
    #[arg(long, value_name = "FIELD", default_value = "id")]
    pub(crate) item: String,
    /// The field of the ranked candidates
    #[arg(long, value_name = "FIELD", default_value = "generations")]
    pub(crate) candidates: String,
    /// The field of ranks
    #[arg(long, value_name = "FIELD", default_value = "ranking")]
    pub(crate) ranks: String,
    /// The field of raters
    #[arg(long, value_name = "FIELD")]
    pub(crate) rater: Option<String>,
    /// Candidates are paths or URLs, whose folders are named after the models
    #[arg(long)]
    pub(crate) model_folder: bool,
}
