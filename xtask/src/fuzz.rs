//! `cargo xtask fuzz`: builds the fuzz targets with coverage and runs each for its share of the time.
//!
//! This only needs stable Rust and a C++ compiler: libFuzzer is part of `libfuzzer-sys`, and coverage comes from an
//! LLVM pass of every `rustc`.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The targets, each with the greatest length of its inputs in bytes.
const TARGETS: [(&str, u32); 6] = [
    ("spec", 16_384),
    ("replay", 1_024),
    ("session", 512),
    ("decode", 4_096),
    ("tables", 4_096),
    ("media", 8_192),
];

/// The memory limit of a target, in MB.
const MEMORY_MB: u32 = 200;

/// The time limit for one input, in seconds.
const TIMEOUT_S: u32 = 10;

/// The flags that make `rustc` record edges and comparisons.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// The targets to run, and for how long.
struct Plan {
    minutes: f64,
    targets: Vec<(&'static str, u32)>,
}

/// The outcome of a target's run.
struct Run {
    target: &'static str,
    seconds: u64,
    log: String,
    succeeded: bool,
    log_file: PathBuf,
}

/// Builds the targets and runs them.
pub(crate) fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let plan = Plan::read(arguments)?;
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("fuzz");
    let programs = build(&fuzz)?;
    let seconds = (plan.minutes * 60.0 / plan.targets.len() as f64).ceil() as u64;
    let mut faulty = Vec::new();
    println!(
        "{:<8} {:>7} {:>11} {:>7} {:>9} {:>7} {:>8} {:>10}",
        "target", "seconds", "executions", "edges", "features", "corpus", "peak MB", "slowest s"
    );
    for (target, longest) in plan.targets {
        let run = Run::of(target, longest, seconds, &fuzz, &programs.join(target))?;
        run.print();
        if !run.succeeded {
            faulty.push(run.finding());
        }
    }
    if faulty.is_empty() { Ok(()) } else { Err(faulty.join("\n")) }
}

impl Plan {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut plan = Self { minutes: 10.0, targets: TARGETS.to_vec() };
        while let Some(argument) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{argument} needs a value"))?;
            match argument.as_str() {
                "--minutes" => {
                    plan.minutes = value
                        .parse()
                        .ok()
                        .filter(|minutes| (0.01..=100_000.0).contains(minutes))
                        .ok_or_else(|| format!("--minutes takes a number of minutes, got {value}"))?;
                }
                "--target" => {
                    plan.targets.retain(|(target, _)| *target == value);
                    if plan.targets.is_empty() {
                        let targets = TARGETS.map(|(target, _)| target).join(", ");
                        return Err(format!("there is no target {value}; there are {targets}"));
                    }
                }
                _ => return Err(format!("unknown option {argument}")),
            }
        }
        Ok(plan)
    }
}

/// Builds all targets, and returns the folder that they are in.
fn build(fuzz: &Path) -> Result<PathBuf, String> {
    let host = host()?;
    let built = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| fuzz.join("target"), PathBuf::from);
    // Naming the host as the target keeps build scripts free of coverage, without whose runtime they cannot be linked.
    let status = Command::new(env!("CARGO"))
        .args(["build", "--release", "--bins", "--target", &host])
        .current_dir(fuzz)
        .env("CARGO_TARGET_DIR", &built)
        .env("RUSTFLAGS", COVERAGE)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status()
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !status.success() {
        return Err("the fuzz targets cannot be built".into());
    }
    Ok(built.join(host).join("release"))
}

fn host() -> Result<String, String> {
    let output =
        Command::new("rustc").arg("-vV").output().map_err(|error| format!("rustc cannot be run: {error}"))?;
    let version = String::from_utf8_lossy(&output.stdout);
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not report its host".into())
}

impl Run {
    /// Runs one target on its corpus and seeds until its time is up or it finds a fault.
    fn of(
        target: &'static str,
        longest: u32,
        seconds: u64,
        fuzz: &Path,
        program: &Path,
    ) -> Result<Self, String> {
        let disk = |error: io::Error| format!("{}: {error}", fuzz.display());
        let corpus = fuzz.join("corpus").join(target);
        let artifacts = fuzz.join("artifacts").join(target);
        fs::create_dir_all(&corpus).map_err(disk)?;
        fs::create_dir_all(&artifacts).map_err(disk)?;
        let log_file = artifacts.join("log.txt");
        let dictionary = fuzz.join("dictionaries").join(format!("{target}.dict"));
        let mut command = Command::new(program);
        command
            .arg(&corpus)
            .arg(fuzz.join("corpus-seeds").join(target))
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .arg(format!("-max_len={longest}"))
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-rss_limit_mb={MEMORY_MB}"))
            .arg(format!("-timeout={TIMEOUT_S}"))
            .arg("-print_final_stats=1");
        if dictionary.exists() {
            command.arg(format!("-dict={}", dictionary.display()));
        }
        let status = command
            .stdout(Stdio::null())
            .stderr(File::create(&log_file).map_err(disk)?)
            .status()
            .map_err(|error| format!("{} cannot be run: {error}", program.display()))?;
        let log = String::from_utf8_lossy(&fs::read(&log_file).map_err(disk)?).into_owned();
        Ok(Self { target, seconds, log, succeeded: status.success(), log_file })
    }

    fn print(&self) {
        let coverage = |name: &str| {
            let line = self.log.lines().rev().find(|line| line.starts_with('#') && line.contains(name))?;
            line.split(name).nth(1)?.split_whitespace().next()
        };
        let statistic = |name: &str| self.after(&format!("stat::{name}:"));
        let or_unknown = |value: Option<&str>| value.unwrap_or("?").to_owned();
        println!(
            "{:<8} {:>7} {:>11} {:>7} {:>9} {:>7} {:>8} {:>10}",
            self.target,
            self.seconds,
            or_unknown(statistic("number_of_executed_units")),
            or_unknown(coverage("cov: ")),
            or_unknown(coverage("ft: ")),
            or_unknown(coverage("corp: ")),
            or_unknown(statistic("peak_rss_mb")),
            or_unknown(statistic("slowest_unit_time_sec")),
        );
    }

    /// The fault found, and the file of its input.
    fn finding(&self) -> String {
        let artifact = self.after("Test unit written to").unwrap_or("no input was written");
        let panic = self.log.lines().skip_while(|line| !line.contains("panicked at")).take(2);
        let error = self.log.lines().filter(|line| line.contains("ERROR: libFuzzer")).take(1);
        let lines: Vec<&str> = panic.chain(error).collect();
        format!(
            "{}: {artifact}\n  {}\n  full log: {}",
            self.target,
            lines.join("\n  "),
            self.log_file.display()
        )
    }

    /// The rest of the line after some words.
    fn after(&self, words: &str) -> Option<&str> {
        self.log.lines().find_map(|line| line.split_once(words)).map(|(_, rest)| rest.trim())
    }
}
