//! The arguments of `hype crowd`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hype_core::model::ledger::PaymentKey;

#[derive(Debug, Args)]
pub(crate) struct CrowdArguments {
    #[command(subcommand)]
    pub(crate) command: CrowdCommand,
}

/// Every command can be repeated, also after an interruption: what was decided is in the ledger before anything is sent.
#[derive(Debug, Subcommand)]
pub(crate) enum CrowdCommand {
    /// Show the listings, filters, texts and costs that would result at each platform; nothing is sent
    Plan(CrowdPlanArguments),
    /// List the places that have to be filled
    Publish(CrowdStudyArguments),
    /// Say who was recruited, who works, what waits, and what was spent
    Status(CrowdStudyArguments),
    /// List the work that waits for a decision, with the checks that it fails; approve or reject it
    Review(ReviewArguments),
    /// Review what was handed in by the rules of the spec, and pay what is due
    Pay(PayArguments),
    /// Call the raters who wait (`raters: { hold_open: … }`): they begin within seconds, and all places are listed
    Call(CrowdStudyArguments),
    /// List places again that were returned, timed out or need a replacement, or add places to the study
    TopUp(TopUpArguments),
    /// Close all listings for good; people at work may finish, and are paid
    Close(CrowdStudyArguments),
    /// Print what was promised and paid
    Ledger(CrowdLedgerArguments),
    /// Compare the ledger with what was earned and with what the platform says, to the cent; fails if they differ
    Audit(CrowdStudyArguments),
}

#[derive(Debug, Args)]
pub(crate) struct CrowdPlanArguments {
    /// The spec
    pub(crate) spec: PathBuf,
    /// The number of synthetic raters of each model from which the median time is taken
    #[arg(long, value_name = "RATERS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub(crate) cohort: u32,
    /// Print the plan as JSON (schema: `hype schema crowd-plan`)
    #[arg(long)]
    pub(crate) json: bool,
}

/// A study and how its platform is reached.
#[derive(Debug, Args)]
pub(crate) struct CrowdStudyArguments {
    /// The spec
    pub(crate) spec: PathBuf,
    /// The folder of the study [default: NAME.study next to the spec]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) study: Option<PathBuf>,
    /// Spend real money [default: the platform's sandbox, or studies for tests]
    #[arg(long)]
    pub(crate) production: bool,
    /// Print the result as JSON (schema: `hype schema crowd-status`, or `crowd-audit` for `audit`)
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReviewArguments {
    #[command(flatten)]
    pub(crate) of: CrowdStudyArguments,
    /// Approve work by its name, such as p000003-000; may be given several times
    #[arg(long, value_name = "SESSION")]
    pub(crate) approve: Vec<String>,
    /// Reject work by its name; may be given several times
    #[arg(long, value_name = "SESSION", requires = "reason")]
    pub(crate) reject: Vec<String>,
    /// Why it is rejected; the rater reads it
    #[arg(long, value_name = "TEXT", requires = "reject")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PayArguments {
    #[command(flatten)]
    pub(crate) of: CrowdStudyArguments,
    /// Say that a payment was made, such as p000003-000/bonus: one that is unclear, or any of a panel without an interface; or that
    /// those of a sheet were, as written by --sheet; may be given several times
    #[arg(long, value_name = "PAYMENT|SHEET", value_parser = made)]
    pub(crate) made: Vec<Made>,
    /// Say that a payment was not made; may be given several times
    #[arg(long, value_name = "PAYMENT")]
    pub(crate) not_made: Vec<PaymentKey>,
    /// Record as made what the platform lists, has the amount that is due, and was never sent from here: bonuses that another copy of
    /// the study has paid
    #[arg(long)]
    pub(crate) adopt: bool,
    /// Write what is to be paid at a panel without an interface into a CSV file, with the ids of people: personal data
    #[arg(long, value_name = "FILE")]
    pub(crate) sheet: Option<PathBuf>,
    /// Write the sheet's ids and reasons as they are, also those that a spreadsheet would compute
    #[arg(long, requires = "sheet")]
    pub(crate) raw: bool,
}

/// A payment, or a sheet of payments.
#[derive(Debug, Clone)]
pub(crate) enum Made {
    Payment(PaymentKey),
    /// The payments of a sheet.
    Sheet(PathBuf),
}

/// A payment, or else the name of a file.
fn made(text: &str) -> Result<Made, String> {
    if let Ok(payment) = text.parse() {
        return Ok(Made::Payment(payment));
    }
    let path = PathBuf::from(text);
    match path.is_file() {
        true => Ok(Made::Sheet(path)),
        false => Err("this is neither a payment, such as p000003-000/bonus, nor a file".into()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct TopUpArguments {
    #[command(flatten)]
    pub(crate) of: CrowdStudyArguments,
    /// Add this many places to the study first
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) places: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct CrowdLedgerArguments {
    /// The study's folder, or its spec
    pub(crate) study: PathBuf,
    /// Print the ledger as JSON (schema: `hype schema crowd-ledger`)
    #[arg(long)]
    pub(crate) json: bool,
}
