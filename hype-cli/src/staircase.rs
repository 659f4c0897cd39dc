//! `hype staircase`: exact and simulated behaviour of a rule with an observer.

use hype_stats::psychometric::{Axis, PsychometricFunction, Sigmoid};
use hype_stats::staircase::simulate::{SimulatedBlocks, simulate_blocks};
use hype_stats::staircase::theory::Theory;
use hype_stats::staircase::{Counting, Preset, Range, Rule};
use schemars::JsonSchema;
use serde::Serialize;

use super::args::{CountingKind, ObserverKind, StaircaseArguments};
use super::failure::Failure;
use super::grid::Grid;
use super::output::{Page, print_json};
use super::terminal;

/// The output of `staircase --json`. Levels are exposures in milliseconds.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "A staircase of hype")]
pub(crate) struct Report {
    rule: RuleReport,
    range: RangeReport,
    observer: ObserverReport,
    /// Trials in a block.
    trials: u32,
    /// The share of right answers at which harder and easier steps balance.
    target: f64,
    /// Whether the observer can settle at the target.
    target_reachable: bool,
    /// The level at which the observer's share of right answers equals the target; `null` if no level reaches it.
    target_level_ms: Option<f64>,
    /// The level at which the observer is right in 75 % of trials; `null` if no level reaches that share.
    p75_level_ms: Option<f64>,
    stationary: StationaryReport,
    exact: ExactReport,
    /// Present with `--blocks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    simulated: Option<SimulatedReport>,
}

/// The rule.
#[derive(Debug, Serialize, JsonSchema)]
struct RuleReport {
    preset: Option<&'static str>,
    correct_to_harder: u32,
    step_harder_ms: u32,
    step_easier_ms: u32,
    counting: &'static str,
}

/// The range of levels.
#[derive(Debug, Serialize, JsonSchema)]
struct RangeReport {
    floor_ms: u32,
    ceiling_ms: u32,
    start_ms: u32,
}

/// The observer.
#[derive(Debug, Serialize, JsonSchema)]
struct ObserverReport {
    family: &'static str,
    threshold_ms: f64,
    slope: f64,
    guess: f64,
    lapse: f64,
}

/// Exact behaviour in the long run.
#[derive(Debug, Serialize, JsonSchema)]
struct StationaryReport {
    mean_ms: f64,
    sd_ms: f64,
    /// The most frequent level, or the lowest of several.
    mode_ms: u32,
    /// The share of trials at the shortest level.
    floor: f64,
    /// The share of trials at the longest level.
    ceiling: f64,
    /// The share of right answers.
    accuracy: f64,
}

/// Exact behaviour in one block.
#[derive(Debug, Serialize, JsonSchema)]
struct ExactReport {
    mean_last_half_ms: f64,
    /// The standard deviation of the mean of the last half, over blocks.
    sd_last_half_ms: f64,
    /// The expected level of the last trial.
    mean_last_trial_ms: f64,
    /// The level with the greatest expected number of trials, or the lowest of several.
    modal_occupancy_ms: u32,
    /// The expected share of right answers.
    accuracy: f64,
}

/// Simulated blocks.
#[derive(Debug, Serialize, JsonSchema)]
struct SimulatedReport {
    blocks: u32,
    seed: u64,
    /// The mean of the modes, ties to the lowest.
    mode_ms: f64,
    mode_sd_ms: f64,
    /// The mean of the modes, ties to the highest.
    mode_highest_ms: f64,
    mode_highest_sd_ms: f64,
    /// The share of blocks whose mode is tied.
    mode_tied: f64,
    /// The share of blocks whose mode lies on the floor.
    mode_at_floor: f64,
    /// The share of blocks whose mode lies on the ceiling.
    mode_at_ceiling: f64,
    mean_last_half_ms: f64,
    mean_last_half_sd_ms: f64,
    /// The mean over blocks of the mean of the reversals after the first four; `null` if no block has that many.
    mean_reversals_ms: Option<f64>,
    mean_reversals_sd_ms: Option<f64>,
    /// The mean number of reversals.
    reversals: f64,
    /// The share of right answers.
    accuracy: f64,
}

pub(crate) fn run(arguments: &StaircaseArguments) -> Result<(), Failure> {
    let report = report(arguments)?;
    if !report.target_reachable {
        terminal::report(format_args!("warning: {}", unreachable_reason(&report)));
    }
    if arguments.json {
        return print_json(&report);
    }
    page(&report).print()
}

fn report(arguments: &StaircaseArguments) -> Result<Report, Failure> {
    let message = |error: &dyn std::fmt::Display| Failure::Message(error.to_string());
    let (preset, rule) = rule(arguments)?;
    let range = Range::new(arguments.floor_ms, arguments.ceiling_ms, arguments.start_ms)
        .map_err(|error| message(&error))?;
    let observer = observer(arguments)?;
    let reach = rule.reachability(arguments.guess, arguments.lapse).map_err(|error| message(&error))?;
    if !reach.is_reachable() && !arguments.allow_unreachable_target {
        return Err(Failure::Message(format!(
            "{reach}; use `--preset weighted`, or add --allow-unreachable-target to analyse the rule anyway"
        )));
    }
    let theory = Theory::new(rule, range, |ms| observer.evaluate(ms), arguments.trials)
        .map_err(|error| message(&error))?;
    let simulated = arguments
        .blocks
        .map(|blocks| {
            simulate_blocks(rule, range, |ms| observer.evaluate(ms), arguments.trials, blocks, arguments.seed)
        })
        .transpose()
        .map_err(|error| message(&error))?;
    Ok(Report {
        rule: RuleReport {
            preset: preset.map(Preset::name),
            correct_to_harder: rule.correct_to_harder(),
            step_harder_ms: rule.step_harder_ms(),
            step_easier_ms: rule.step_easier_ms(),
            counting: rule.counting().name(),
        },
        range: RangeReport {
            floor_ms: range.floor_ms(),
            ceiling_ms: range.ceiling_ms(),
            start_ms: range.start_ms(),
        },
        observer: ObserverReport {
            family: family_name(arguments.observer),
            threshold_ms: arguments.threshold_ms,
            slope: arguments.slope,
            guess: arguments.guess,
            lapse: arguments.lapse,
        },
        trials: arguments.trials,
        target: theory.target,
        target_reachable: reach.is_reachable(),
        target_level_ms: theory.target_level_ms,
        p75_level_ms: theory.p75_level_ms,
        stationary: StationaryReport {
            mean_ms: theory.stationary.mean_ms,
            sd_ms: theory.stationary.sd_ms,
            mode_ms: theory.stationary.mode_ms,
            floor: theory.stationary.floor,
            ceiling: theory.stationary.ceiling,
            accuracy: theory.stationary.accuracy,
        },
        exact: ExactReport {
            mean_last_half_ms: theory.exact.mean_last_half_ms,
            sd_last_half_ms: theory.exact.sd_last_half_ms,
            mean_last_trial_ms: theory.exact.mean_last_trial_ms,
            modal_occupancy_ms: theory.exact.modal_occupancy_ms,
            accuracy: theory.exact.accuracy,
        },
        simulated: simulated.map(|found| simulated_report(&found, arguments.seed)),
    })
}

fn simulated_report(found: &SimulatedBlocks, seed: u64) -> SimulatedReport {
    SimulatedReport {
        blocks: found.blocks,
        seed,
        mode_ms: found.mode_ms,
        mode_sd_ms: found.mode_sd_ms,
        mode_highest_ms: found.mode_highest_ms,
        mode_highest_sd_ms: found.mode_highest_sd_ms,
        mode_tied: found.mode_tied,
        mode_at_floor: found.mode_at_floor,
        mode_at_ceiling: found.mode_at_ceiling,
        mean_last_half_ms: found.mean_last_half_ms,
        mean_last_half_sd_ms: found.mean_last_half_sd_ms,
        mean_reversals_ms: found.mean_reversals_ms,
        mean_reversals_sd_ms: found.mean_reversals_sd_ms,
        reversals: found.reversals,
        accuracy: found.accuracy,
    }
}

fn rule(arguments: &StaircaseArguments) -> Result<(Option<Preset>, Rule), Failure> {
    let message = |error: &dyn std::fmt::Display| Failure::Message(error.to_string());
    let (Some(harder), Some(easier)) = (arguments.step_harder_ms, arguments.step_easier_ms) else {
        if arguments.correct_to_harder.is_some() || arguments.counting.is_some() {
            return Err(Failure::Message("the free form needs --step-harder-ms and --step-easier-ms".into()));
        }
        let preset: Preset =
            arguments.preset.as_deref().unwrap_or("weighted").parse().map_err(|error| message(&error))?;
        return Ok((Some(preset), preset.rule()));
    };
    let counting = match arguments.counting {
        None | Some(CountingKind::Consecutive) => Counting::Consecutive,
        Some(CountingKind::Cumulative) => Counting::Cumulative,
    };
    let rule = Rule::new(arguments.correct_to_harder.unwrap_or(1), harder, easier, counting)
        .map_err(|error| message(&error))?;
    Ok((None, rule))
}

fn observer(arguments: &StaircaseArguments) -> Result<PsychometricFunction, Failure> {
    let sigmoid = match arguments.observer {
        ObserverKind::Logistic => Sigmoid::Logistic,
        ObserverKind::Weibull => Sigmoid::Gumbel,
        ObserverKind::Normal => Sigmoid::Normal,
    };
    if !(arguments.threshold_ms > 0.0 && arguments.threshold_ms.is_finite()) {
        return Err(Failure::Message(format!(
            "--threshold-ms must be above 0, not {}",
            arguments.threshold_ms
        )));
    }
    let location = arguments.threshold_ms.ln();
    PsychometricFunction::new(
        sigmoid,
        Axis::Logarithmic,
        location,
        arguments.slope,
        arguments.guess,
        arguments.lapse,
    )
    .map_err(|error| Failure::Message(format!("the observer is not valid: {error}")))
}

fn unreachable_reason(report: &Report) -> String {
    format!(
        "the target of {:.3} right answers cannot be reached by this observer, whose answers are right between {} and {} \
         of the time: blocks drift to a bound",
        report.target,
        report.observer.guess,
        1.0 - report.observer.lapse
    )
}

fn family_name(kind: ObserverKind) -> &'static str {
    match kind {
        ObserverKind::Logistic => "logistic",
        ObserverKind::Weibull => "weibull",
        ObserverKind::Normal => "normal",
    }
}

fn page(report: &Report) -> Page {
    let mut page = Page::default();
    let rule = &report.rule;
    page.line(format_args!(
        "{}{} correct ({}) -> {} ms shorter; 1 wrong -> {} ms longer; {} to {} ms, from {} ms",
        rule.preset.map_or_else(String::new, |preset| format!("{preset}: ")),
        rule.correct_to_harder,
        rule.counting,
        rule.step_harder_ms,
        rule.step_easier_ms,
        report.range.floor_ms,
        report.range.ceiling_ms,
        report.range.start_ms
    ));
    let observer = &report.observer;
    page.line(format_args!(
        "observer: {}, threshold {} ms, slope {}, guess {}, lapse {}",
        observer.family, observer.threshold_ms, observer.slope, observer.guess, observer.lapse
    ));
    let level = |level: Option<f64>| level.map_or_else(|| "never".into(), |ms| format!("{ms:.1} ms"));
    page.line(format_args!(
        "target: {:.4} right answers, at {}; 75 % right at {}",
        report.target,
        level(report.target_level_ms),
        level(report.p75_level_ms)
    ));
    let mut table = Grid::new(["", "mean", "sd", "mode", "right", "at floor", "at ceiling"]);
    let (long, block) = (&report.stationary, &report.exact);
    table.row([
        "level of a trial in the long run, exact".to_owned(),
        format!("{:.1} ms", long.mean_ms),
        format!("{:.1} ms", long.sd_ms),
        format!("{} ms", long.mode_ms),
        format!("{:.4}", long.accuracy),
        format!("{:.4}", long.floor),
        format!("{:.4}", long.ceiling),
    ]);
    table.row([
        format!("mean of the last half of {} trials, exact", report.trials),
        format!("{:.1} ms", block.mean_last_half_ms),
        format!("{:.1} ms", block.sd_last_half_ms),
        format!("{} ms", block.modal_occupancy_ms),
        format!("{:.4}", block.accuracy),
        String::new(),
        String::new(),
    ]);
    if let Some(found) = &report.simulated {
        let row = |name: &str, mean: Option<f64>, sd: Option<f64>| {
            let ms = |value: Option<f64>| value.map_or_else(|| "-".into(), |ms| format!("{ms:.1} ms"));
            [format!("{name}, {} simulated blocks", found.blocks), ms(mean), ms(sd)]
        };
        let mut mode = row("mode", Some(found.mode_ms), Some(found.mode_sd_ms)).to_vec();
        mode.extend([
            String::new(),
            format!("{:.4}", found.accuracy),
            format!("{:.4}", found.mode_at_floor),
            format!("{:.4}", found.mode_at_ceiling),
        ]);
        table.row(mode);
        table.row(row(
            "mean of the last half",
            Some(found.mean_last_half_ms),
            Some(found.mean_last_half_sd_ms),
        ));
        table.row(row("mean of the reversals", found.mean_reversals_ms, found.mean_reversals_sd_ms));
    }
    page.table(&table);
    page
}
