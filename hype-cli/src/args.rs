//! The arguments of every command.

#[cfg(feature = "web")]
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

mod aggregate;
mod backup;
#[cfg(feature = "board")]
mod board;
#[cfg(feature = "crowd")]
mod crowd;
mod exchange;
#[cfg(feature = "manual")]
mod manual;
mod metrics;
mod new;
mod plan;
mod report;

pub(crate) use self::aggregate::{
    AggregateArguments, Better, DesignKind, GeneralizeKind, IntervalKind, PairsKind, Resample, ScaleKind,
};
#[cfg(feature = "web")]
pub(crate) use self::backup::HealthArguments;
pub(crate) use self::backup::{BackupArguments, RestoreArguments};
#[cfg(feature = "board")]
pub(crate) use self::board::{AddArguments, BoardArguments, BoardCommand, BoardWaveCommand};
#[cfg(feature = "crowd")]
pub(crate) use self::crowd::{
    CrowdArguments, CrowdCommand, CrowdLedgerArguments, CrowdPlanArguments, CrowdStudyArguments, Made,
    PayArguments, ReviewArguments, TopUpArguments,
};
pub(crate) use self::exchange::{
    CsvArguments, ExportArguments, ExportFormat, ExportWhat, HeimArguments, ImagenHubArguments,
    ImportArguments, ImportFormat, MTurkArguments, ModelArguments, Quotes, RankingArguments, RaterBy,
    TableArguments, VotesArguments,
};
#[cfg(feature = "manual")]
pub(crate) use self::manual::{CompletionsArguments, ManArguments};
pub(crate) use self::metrics::{FolderResize, MetricsArguments, MetricsCommand};
pub(crate) use self::new::{NewArguments, NewTask};
pub(crate) use self::plan::PlanArguments;
pub(crate) use self::report::{PaperArguments, StudyReportArguments};

/// Human evaluation of generative models, with the rigour of psychophysics.
#[derive(Debug, Parser)]
#[command(name = "hype", version, about, max_term_width = 110)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a study from its images to its report: it needs no file, and synthetic raters answer
    #[cfg(feature = "web")]
    Demo(DemoArguments),
    /// Write a commented example study with images
    New(NewArguments),
    /// Check a spec, its images and the requirements of a run, and list every fault with its place
    Check(CheckArguments),
    /// Print a JSON Schema: of specs (for editors), of findings, or of another output
    Schema(SchemaArguments),
    /// List the tasks, rubrics, aggregators, backends, cohorts and metrics, or show one of them in full
    List(ListArguments),
    /// Say what numbers of raters would show and cost, before anybody is paid
    Plan(PlanArguments),
    /// Collect ratings through the spec's backend, then score and report
    Run(RunArguments),
    /// Collect from synthetic raters in memory, then score and report, to try a protocol before it costs anything
    Simulate(SimulateArguments),
    /// Prepare the masks of a study before raters arrive, and preview them
    #[cfg(feature = "web")]
    Masks(MasksArguments),
    /// Serve a study's page until stopped, as one of any number of servers that share a `store`
    #[cfg(feature = "web")]
    Serve(ServeArguments),
    /// Ask a study's page whether it answers, for what watches a service
    #[cfg(feature = "web")]
    Health(HealthArguments),
    /// Print one-time links for raters
    #[cfg(feature = "web")]
    Links(LinksArguments),
    /// Remove the link between a panel's participants and their answers, or the answers as well
    #[cfg(feature = "web")]
    Forget(ForgetArguments),
    /// Control a running study, as the operator's page does: pause, resume or close it, add places, exclude raters
    Operator(OperatorArguments),
    /// Recruit through a panel: plan, publish and follow a study, review work, pay, and audit what was paid
    #[cfg(feature = "crowd")]
    Crowd(CrowdArguments),
    /// Let places be claimed again that were given up
    #[cfg(feature = "web")]
    Reopen(ReopenArguments),
    /// Compute the automated metrics of a study, or of folders of images, to compare with raters' answers
    Metrics(MetricsArguments),
    /// Score the sessions in a study's folder, and report the findings
    Score(ScoreArguments),
    /// Write a report of a study: a page with figures, tables for papers, and the methods section
    Report(StudyReportArguments),
    /// Write what was decided about a study before anybody came: hypotheses, protocol, exclusions, stopping, analysis
    Preregister(PreregisterArguments),
    /// Compute only the statistics, for any tidy CSV table
    Aggregate(Box<AggregateArguments>),
    /// Compute the exact and simulated behaviour of a staircase rule
    Staircase(StaircaseArguments),
    /// Write a study's scores, trials, answers, events or earnings as a table, or everything as a package
    Export(ExportArguments),
    /// Convert ratings collected elsewhere into the tidy table that `aggregate` reads
    Import(ImportArguments),
    /// Keep a ranking over waves of studies: add models, rate them together with anchors, publish and verify the page
    #[cfg(feature = "board")]
    Board(BoardArguments),
    /// Copy a study as it is now, also while it runs
    Backup(BackupArguments),
    /// Make a study of a backup, which is checked
    Restore(RestoreArguments),
    /// Print a file that teaches coding agents to use this program
    Skill,
    /// Print completions for a shell
    #[cfg(feature = "manual")]
    Completions(CompletionsArguments),
    /// Print a manual page, for `man -l -`
    #[cfg(feature = "manual")]
    Man(ManArguments),
}

#[cfg(feature = "web")]
#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// The folder to create; it must not exist or must be empty
    #[arg(default_value = "hype-demo")]
    pub(crate) folder: PathBuf,
}

/// The seed of a new study and of its images, if no other is asked for.
pub(crate) const SEED: u64 = 20_190_401;

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The spec
    pub(crate) spec: PathBuf,
    /// Print the diagnostics as JSON (schema: `hype schema diagnostics`)
    #[arg(long)]
    pub(crate) json: bool,
    /// Fail on warnings too
    #[arg(long)]
    pub(crate) strict: bool,
}

#[cfg(feature = "web")]
#[derive(Debug, Args)]
pub(crate) struct MasksArguments {
    /// The spec
    pub(crate) spec: PathBuf,
    /// Write a PNG of images next to their masks [default: NAME.masks.png next to the spec]
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    #[expect(
        clippy::option_option,
        reason = "this is how clap distinguishes `--preview` from `--preview FILE`"
    )]
    pub(crate) preview: Option<Option<PathBuf>>,
}

#[cfg(feature = "web")]
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The spec
    pub(crate) spec: PathBuf,
    /// The address to listen on, such as 0.0.0.0:7850, in place of the spec's
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// The folder of the study [default: NAME.study next to the spec]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) study: Option<PathBuf>,
    /// How to report progress: a bar, a JSON line for each place, or not at all
    #[arg(long, value_enum, default_value = "bar")]
    pub(crate) progress: ProgressStyle,
    #[command(flatten)]
    pub(crate) log: LogArguments,
}

/// The log of the page's server, on standard error.
#[cfg(feature = "web")]
#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// The format of the server's log on standard error: lines of text, or JSON objects
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
    /// The least severe events that the server logs
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log_level: LogLevel,
}

#[cfg(feature = "web")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[cfg(feature = "web")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

#[cfg(feature = "web")]
#[derive(Debug, Args)]
pub(crate) struct LinksArguments {
    /// The spec
    pub(crate) spec: PathBuf,
    /// The number of links
    #[arg(long)]
    pub(crate) count: u64,
    /// The number of the first link; the same number always gives the same link
    #[arg(long, default_value_t = 1)]
    pub(crate) from: u64,
    /// The folder of the study [default: NAME.study next to the spec]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) study: Option<PathBuf>,
}

#[cfg(feature = "web")]
#[derive(Debug, Args)]
pub(crate) struct ForgetArguments {
    /// The study's folder, or its spec
    pub(crate) study: PathBuf,
    /// The ids that the panel gave them [default: read from standard input, one per line]
    pub(crate) participants: Vec<String>,
    /// Erase their answers as well; only the number of answers and the payment remain
    #[arg(long)]
    pub(crate) answers: bool,
    /// A session, such as p000003-000, of a rater without a panel's id whose answers are to be erased; may be given
    /// several times
    #[arg(long, value_name = "SESSION", requires = "answers")]
    pub(crate) session: Vec<String>,
    /// Let other raters take the places of those whose answers are erased
    #[arg(long, requires = "answers")]
    pub(crate) reopen: bool,
    /// Forget them although what they have earned is not in the ledger, because they have returned their work at the panel
    #[cfg(feature = "crowd")]
    #[arg(long)]
    pub(crate) unpaid: bool,
}

#[cfg(feature = "web")]
#[derive(Debug, Args)]
pub(crate) struct ReopenArguments {
    /// The study's folder, or its spec
    pub(crate) study: PathBuf,
    /// The number of a place, from 0; may be given several times [default: all places that were given up]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) place: Vec<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct OperatorArguments {
    /// The study's folder, or its spec
    pub(crate) study: PathBuf,
    #[command(subcommand)]
    pub(crate) command: OperatorCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum OperatorCommand {
    /// Admit no raters until the study is resumed; those who have entered may finish
    Pause,
    /// Let raters enter again
    Resume,
    /// End the collection; those who have entered may finish
    Close,
    /// Add places to the plan
    TopUp {
        /// How many
        places: u32,
    },
    /// Exclude a rater from the findings, and open the rater's place for another one
    Exclude(DecisionArguments),
    /// Take an exclusion by the operator back
    Include(DecisionArguments),
    /// Make a key of the operator's page; it replaces the earlier one of the same name, or, by the names `operator` and `reader`,
    /// those that the program prints
    #[cfg(feature = "web")]
    Key {
        /// Whose key it is, as in the log of actions
        name: String,
        /// Let it allow only to look
        #[arg(long)]
        look: bool,
    },
    /// List what operators did
    Log {
        /// Print the actions as JSON lines
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DecisionArguments {
    /// The rater's key, or its beginning
    pub(crate) rater: String,
    /// Why; the reason becomes part of the findings
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// The subject of the schema
    #[arg(value_enum, default_value = "spec")]
    pub(crate) of: SchemaOf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// A study's spec
    Spec,
    /// The output of `run`, `simulate`, `score` and `aggregate` with `--json`
    Findings,
    /// The output of `staircase` with `--json`
    Staircase,
    /// The output of `plan` with `--json`
    Plan,
    /// The output of `check` with `--json`
    Diagnostics,
    /// The output of `crowd plan` with `--json`
    #[cfg(feature = "crowd")]
    CrowdPlan,
    /// The output of `crowd status`, `publish`, `review`, `pay`, `top-up` and `close` with `--json`
    #[cfg(feature = "crowd")]
    CrowdStatus,
    /// The output of `crowd ledger` with `--json`
    #[cfg(feature = "crowd")]
    CrowdLedger,
    /// The output of `crowd audit` with `--json`
    #[cfg(feature = "crowd")]
    CrowdAudit,
    /// The output of `board score` with `--json`, and `board.json`
    #[cfg(feature = "board")]
    Board,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// A part (task, rubric, aggregator, backend or cohort), or a kind, such as hype_time, to show in full
    #[arg(value_name = "PART or KIND")]
    pub(crate) what: Option<String>,
    /// Print as JSON, with the schemas
    #[arg(long)]
    pub(crate) json: bool,
}

/// How to report findings.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Print the findings as JSON (schema: `hype schema findings`)
    #[arg(long)]
    pub(crate) json: bool,
    /// Print everything: notes, tests, all measures with standard errors, agreement, tables, settings
    #[arg(long, conflicts_with = "json")]
    pub(crate) full: bool,
    /// Print the notes alone
    #[arg(long, conflicts_with_all = ["json", "full"])]
    pub(crate) notes: bool,
    /// Print the path of the report alone
    #[arg(long, conflicts_with_all = ["json", "full", "notes"])]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The spec
    pub(crate) spec: PathBuf,
    /// Let synthetic raters answer instead of people; a number replaces `raters.per_model` or `per_item`
    #[arg(long, value_name = "RATERS", num_args = 0..=1)]
    #[expect(
        clippy::option_option,
        reason = "this is how clap distinguishes `--simulate` from `--simulate 30`"
    )]
    pub(crate) simulate: Option<Option<u32>>,
    /// Let synthetic raters come through a fake of the panel's platform, on this machine and without money
    #[cfg(feature = "fakes")]
    #[arg(long, conflicts_with_all = ["simulate", "production"])]
    pub(crate) fake: bool,
    /// With --fake: let synthetic raters come only after this many people have begun, such as yourself
    #[cfg(feature = "fakes")]
    #[arg(long, value_name = "PEOPLE", requires = "fake", default_value_t = 0)]
    pub(crate) after: u32,
    /// Spend real money [default: the platform's sandbox, or studies for tests]
    #[cfg(feature = "crowd")]
    #[arg(long)]
    pub(crate) production: bool,
    /// The folder of the study [default: NAME.study next to the spec, or NAME.simulated for synthetic raters]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) study: Option<PathBuf>,
    /// How many sessions run at the same time [default: one per core]
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// How to report progress: a bar, a JSON line for each durable write, or not at all
    #[arg(long, value_enum, default_value = "bar")]
    pub(crate) progress: ProgressStyle,
    /// Run a staircase even if its target is unreachable
    #[arg(long)]
    pub(crate) allow_unreachable_target: bool,
    #[cfg(feature = "web")]
    #[command(flatten)]
    pub(crate) log: LogArguments,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressStyle {
    Bar,
    Json,
    None,
}

#[derive(Debug, Args)]
pub(crate) struct SimulateArguments {
    /// The spec
    pub(crate) spec: PathBuf,
    /// Raters per model, or per item, in place of the spec's
    #[arg(long)]
    pub(crate) raters: Option<u32>,
    /// The seed, in place of the spec's
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// How many sessions run at the same time [default: one per core]
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// Write the events of all sessions to this file, as JSON Lines
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Write a report into this folder
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Run a staircase even if its target is unreachable
    #[arg(long)]
    pub(crate) allow_unreachable_target: bool,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ScoreArguments {
    /// The study's folder, or its spec
    pub(crate) study: PathBuf,
    /// Replay every session and compare it with its log before scoring
    #[arg(long)]
    pub(crate) verify: bool,
    /// The preregistration of the study in JSON, as `preregister` writes it: notes say what is different from it
    #[arg(long, value_name = "FILE")]
    pub(crate) registered: Option<PathBuf>,
    /// A table of automated metrics to compare the scores with: the column `model` and one column per metric
    #[arg(long, value_name = "FILE")]
    pub(crate) metrics: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PreregisterArguments {
    /// The spec
    pub(crate) spec: PathBuf,
    /// The Markdown file to write, with the JSON next to it [default: NAME.preregistration.md next to the spec]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The folder of the study, which tells whether answers were collected already [default: NAME.study next to the spec]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) study: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct StaircaseArguments {
    /// A named rule: weighted, paper-literal, three-correct, transformed-3-1, cumulative-3-1, two-down-one-up,
    /// garcia-perez-3
    #[arg(long, conflicts_with_all = ["correct_to_harder", "step_harder_ms", "step_easier_ms", "counting"])]
    pub(crate) preset: Option<String>,
    /// Free form: the number of correct answers after which the next trial is harder
    #[arg(long, value_name = "N")]
    pub(crate) correct_to_harder: Option<u32>,
    /// Free form: the decrease in exposure for a harder trial
    #[arg(long, value_name = "D", requires = "step_easier_ms")]
    pub(crate) step_harder_ms: Option<u32>,
    /// Free form: the increase in exposure after a wrong answer
    #[arg(long, value_name = "U", requires = "step_harder_ms")]
    pub(crate) step_easier_ms: Option<u32>,
    /// Free form: whether a wrong answer resets the count of correct ones
    #[arg(long, value_enum)]
    pub(crate) counting: Option<CountingKind>,
    /// The shortest exposure
    #[arg(long, default_value_t = 100)]
    pub(crate) floor_ms: u32,
    /// The longest exposure
    #[arg(long, default_value_t = 1_000)]
    pub(crate) ceiling_ms: u32,
    /// The first exposure of a block
    #[arg(long, default_value_t = 500)]
    pub(crate) start_ms: u32,
    /// Trials in a block
    #[arg(long, default_value_t = 150)]
    pub(crate) trials: u32,
    /// The observer's psychometric function: logistic in ln time, Weibull in time, cumulative normal in ln time
    #[arg(long, value_enum, default_value = "logistic")]
    pub(crate) observer: ObserverKind,
    /// The observer's threshold, at which F is 0.5 (Weibull: 1 - 1/e)
    #[arg(long, value_name = "A", default_value_t = 350.0)]
    pub(crate) threshold_ms: f64,
    /// The observer's slope
    #[arg(long, value_name = "B", default_value_t = 5.0)]
    pub(crate) slope: f64,
    /// The probability of a correct answer by guessing
    #[arg(long, default_value_t = 0.5)]
    pub(crate) guess: f64,
    /// The lapse rate: the probability of a wrong answer at any exposure
    #[arg(long, default_value_t = 0.02)]
    pub(crate) lapse: f64,
    /// Also simulate this many blocks
    #[arg(long)]
    pub(crate) blocks: Option<u32>,
    /// The seed of the simulation
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Accept a rule with an unreachable target
    #[arg(long)]
    pub(crate) allow_unreachable_target: bool,
    /// Print as JSON (schema: `hype schema staircase`)
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CountingKind {
    Consecutive,
    Cumulative,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObserverKind {
    Logistic,
    Weibull,
    Normal,
}
