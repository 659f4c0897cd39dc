//! The arguments of `hype plan`.

use std::path::PathBuf;

use clap::Args;
use hype::plan::{COHORT, PlanTarget, rater_counts};

#[derive(Debug, Args)]
pub(crate) struct PlanArguments {
    /// The spec
    #[arg(required_unless_present = "curve")]
    pub(crate) spec: Option<PathBuf>,
    /// The numbers of raters of each model, or of each item where raters are counted by item: a range such as 10..120, or a list such
    /// as 12,24,48 [default: from a third of what the spec asks for to four times as many; with --curve 10..120]
    #[arg(long, value_name = "RATERS", value_parser = counts)]
    pub(crate) raters: Option<RaterList>,
    /// Find the smallest number of raters: for intervals of a width from end to end (width=5, in the measure's unit, of proportions in
    /// percentage points), for telling the closest pair apart (power=0.8), or for the right order (rank=0.9)
    #[arg(long, value_name = "GOAL")]
    pub(crate) target: Option<PlanTarget>,
    /// The folder of a pilot study, or its spec, from which to take means, spreads and durations
    #[arg(long, value_name = "PILOT")]
    pub(crate) from: Option<PathBuf>,
    /// The measure to plan for, by its name in the rubric or in the findings [default: the study's score]
    #[arg(long, value_name = "NAME")]
    pub(crate) measure: Option<String>,
    /// The fee of a panel as a share of what raters are paid, such as 0.4 [default: that of the backend, or those of
    /// Prolific]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) fee: Option<f64>,
    /// The value-added tax on the fee, as a share of it
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = share)]
    pub(crate) vat: f64,
    /// Simulate this many studies, even where there is a closed form
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub(crate) studies: Option<u32>,
    /// The number of synthetic raters of each model from which means and spreads are taken
    #[arg(long, value_name = "RATERS", default_value_t = COHORT, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub(crate) cohort: u32,
    /// Show how wide the intervals of a collected study would be with other numbers of raters
    #[arg(long, value_name = "STUDY", conflicts_with_all = ["spec", "target", "from", "fee", "studies"])]
    pub(crate) curve: Option<PathBuf>,
    /// Print all columns, and what is assumed of each model
    #[arg(long, conflicts_with_all = ["json", "curve"])]
    pub(crate) full: bool,
    /// Write a page with the table and its curves into a folder, and each figure as SVG and CSV
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Print the plan as JSON (schema: `hype schema plan`)
    #[arg(long)]
    pub(crate) json: bool,
}

/// Numbers of raters, as given in one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RaterList(pub(crate) Vec<u32>);

/// The most raters that a plan lists.
const MOST: u32 = 100_000;

fn counts(text: &str) -> Result<RaterList, String> {
    let number = |text: &str| {
        let number = text.trim().parse().ok().filter(|number| (1..=MOST).contains(number));
        number.ok_or_else(|| format!("write numbers from 1 to {MOST}, such as 10..120 or 12,24,48"))
    };
    match text.split_once("..") {
        Some((least, most)) => {
            let (least, most) = (number(least)?, number(most)?);
            if least > most {
                return Err(format!("the range is empty: write {most}..{least}"));
            }
            Ok(RaterList(rater_counts(least, most)))
        }
        None => text.split(',').map(number).collect::<Result<_, _>>().map(RaterList),
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=10.0).contains(share));
    share.ok_or_else(|| "write a share such as 0.333".to_owned())
}
