//! `cargo xtask build-report`: builds the program as the README's first command does, on an empty target, and writes
//! the cost into docs/measured/build.md.
//!
//! Processor time is the user and system time of each run of `rustc`, including the linker that it starts, and of the
//! C compiler. This program wraps both (see [`stand_in`]). Build scripts and Cargo itself account for the rest of the
//! build's time.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// The variable with the file that the wrapper writes times to.
const TIMES: &str = "HYPE_BUILD_TIMES";

/// The variable with the C compiler that the wrapper starts.
const C_COMPILER: &str = "cc";

/// Ticks of `/proc/<pid>/stat` in a second, the same on every Linux.
const TICKS: f64 = 100.0;

/// The source that rarely changes, and the seconds of its compiler on the machine that the limits of time were set on.
const YARDSTICK: (&str, f64) = ("sqlite3.c", 10.0);

/// The file beside the times with the yardstick's arguments, one on each line.
const YARDSTICK_FILE: &str = "yardstick";

/// Crates below this many seconds are summed up in one row.
const LISTED_S: f64 = 1.0;

/// The limit of the build's processor time, in seconds.
const PROCESSOR_S: f64 = 340.0;

/// The limit of the build's time on two idle cores, in seconds.
const WALL_S: f64 = 180.0;

/// The limit of the program's size, in bytes.
const PROGRAM_BYTES: f64 = 30e6;

/// The limit of crates from elsewhere for a program that embeds the library without its default features.
const EMBEDDED_CRATES: usize = 80;

/// The cost of a build.
struct Report {
    /// The speed of this machine over that of the machine that the limits were set on.
    speed: f64,
    by_crate: Vec<(String, f64)>,
    processor: f64,
    wall: f64,
    program: f64,
    crates: usize,
    embedded: usize,
    cores: usize,
    rustc: String,
}

/// Builds, writes the report, and fails if the budget is exceeded.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let target = std::env::temp_dir().join(format!("hype-build-report-{}", std::process::id()));
    fs::create_dir_all(&target).map_err(|error| format!("{}: {error}", target.display()))?;
    let report = Report::of(root, &target);
    // The build is not needed any more. Files that cannot be removed are left to the system.
    let _ = fs::remove_dir_all(&target);
    let report = report?;
    let path = root.join("docs/measured/build.md");
    fs::write(&path, report.text()).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{}", report.figures());
    let exceeded = report.exceeded();
    if exceeded.is_empty() { Ok(()) } else { Err(exceeded.join("\n")) }
}

/// Runs the wrapped compiler and records its time. Returns `None` if this program was not started as a wrapper.
pub(crate) fn stand_in() -> Option<ExitCode> {
    let times = std::env::var_os(TIMES)?;
    let mut arguments = std::env::args_os().skip(1).peekable();
    let is_rustc = arguments
        .peek()
        .is_some_and(|first| Path::new(first).file_stem().is_some_and(|stem| stem == "rustc"));
    let compiler = if is_rustc { arguments.next()? } else { OsString::from(C_COMPILER) };
    let arguments: Vec<OsString> = arguments.collect();
    let status = Command::new(compiler).args(&arguments).status().ok()?;
    let seconds = children_seconds().unwrap_or(0.0);
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| "other".to_owned());
    let language = if is_rustc { "" } else { " (C)" };
    append(Path::new(&times), &format!("{package}{language}\t{seconds}\n"))?;
    if arguments.iter().any(|argument| Path::new(argument).ends_with(YARDSTICK.0)) {
        let arguments: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
        let directory = std::env::current_dir().ok()?;
        let lines = format!("{seconds}\n{}\n{}\n", directory.display(), arguments.join("\n"));
        append(&Path::new(&times).with_file_name(YARDSTICK_FILE), &lines)?;
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Some(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Appends a text to a file, which is made if there is none.
fn append(path: &Path, text: &str) -> Option<()> {
    OpenOptions::new().append(true).create(true).open(path).ok()?.write_all(text.as_bytes()).ok()
}

/// The seconds of the yardstick: the mean of when the build met it, early, and of now, on two cores at once. Machines
/// that are rented change their speed within minutes.
fn yardstick_seconds(target: &Path) -> Result<f64, String> {
    let path = target.join(YARDSTICK_FILE);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut lines = text.lines();
    let early: f64 =
        lines.next().and_then(|seconds| seconds.parse().ok()).ok_or("the yardstick has no time")?;
    let directory = lines.next().ok_or("the yardstick has no directory")?;
    let arguments: Vec<&str> = lines.collect();
    let before = children_seconds().unwrap_or(0.0);
    let compilers: Result<Vec<_>, String> = ["0.o", "1.o"]
        .into_iter()
        .map(|object| {
            let mut command = Command::new(C_COMPILER);
            command.current_dir(directory).args(&arguments).arg("-o").arg(target.join(object));
            command.spawn().map_err(|error| format!("{C_COMPILER} cannot be run: {error}"))
        })
        .collect();
    for mut compiler in compilers? {
        let status = compiler.wait().map_err(|error| error.to_string())?;
        if !status.success() {
            return Err(format!("{} cannot be compiled again", YARDSTICK.0));
        }
    }
    let now = (children_seconds().unwrap_or(0.0) - before) / 2.0;
    Ok((early + now) / 2.0)
}

/// The user and system time of this process's finished children.
fn children_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The program's name is in parentheses and may contain anything. The state is the first field after it.
    let (_, fields) = stat.rsplit_once(") ")?;
    let ticks: Option<Vec<f64>> =
        fields.split(' ').skip(13).take(2).map(|ticks| ticks.parse().ok()).collect();
    Some(ticks?.iter().sum::<f64>() / TICKS)
}

impl Report {
    fn of(root: &Path, target: &Path) -> Result<Self, String> {
        let times = target.join("times.tsv");
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let before =
            children_seconds().ok_or("processor times are read from /proc, which this system lacks")?;
        let begin = Instant::now();
        let status = cargo(root)
            .args(["build", "--release", "--locked", "--target-dir"])
            .arg(target)
            .env("RUSTC_WRAPPER", &this)
            .env("CC", &this)
            .env(TIMES, &times)
            .status()
            .map_err(|error| format!("cargo cannot be run: {error}"))?;
        if !status.success() {
            return Err("the program cannot be built".into());
        }
        let wall = begin.elapsed().as_secs_f64();
        let processor = children_seconds().unwrap_or(before) - before;
        let times = fs::read_to_string(&times).map_err(|error| format!("{}: {error}", times.display()))?;
        let program: PathBuf = target.join("release/hype");
        let bytes = fs::metadata(&program).map_err(|error| format!("{}: {error}", program.display()))?.len();
        Ok(Self {
            speed: YARDSTICK.1 / yardstick_seconds(target)?,
            by_crate: by_crate(&times, processor),
            processor,
            wall,
            program: bytes as f64,
            crates: crates(root, &[])?,
            embedded: crates(root, &["--package", "hype", "--no-default-features"])?,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            rustc: version()?,
        })
    }

    fn text(&self) -> String {
        let mut text = format!(
            "# What a build costs\n\n*For people who build the program or add a dependency.*\n\n\
             Written by `cargo xtask build-report`, which runs `cargo build --release --locked` on an empty target and \
             measures\nuser and system time of every compiler that it starts. A busy machine makes the times longer. The limits of time \
             are those of a machine\nthat compiles SQLite in {:.0} s; the middle column has the times at its speed. This machine took {:.1} s, the\nmean of its times during the build and after it.\n\n\
             {}\n\n\
             {} on {} cores. Crates are counted with procedural macros and what build scripts use. The embedder depends \
             on `hype`\nwithout its default features.\n\n\
             ## Processor time by crate\n\n\
             | crate | s |\n|---|---|\n",
            YARDSTICK.1,
            YARDSTICK.1 / self.speed,
            self.figures(),
            self.rustc,
            self.cores,
        );
        let (listed, small): (Vec<_>, Vec<_>) =
            self.by_crate.iter().partition(|(_, seconds)| *seconds >= LISTED_S);
        for (name, seconds) in &listed {
            text.push_str(&format!("| {name} | {seconds:.1} |\n"));
        }
        let rest: f64 = small.iter().map(|(_, seconds)| seconds).sum();
        text.push_str(&format!("| {} others, each below {LISTED_S} s | {rest:.1} |\n", small.len()));
        text
    }

    /// The figures that have a limit.
    fn figures(&self) -> String {
        format!(
            "| | measured | at the limits' speed | at most |\n|---|---|---|---|\n\
             | processor time | {:.0} s | {:.0} s | {PROCESSOR_S:.0} s |\n\
             | time | {:.0} s | {:.0} s | {WALL_S:.0} s on two quiet cores |\n\
             | the program | {:.1} MB | | {:.0} MB |\n\
             | crates from elsewhere, of the program | {} | | |\n\
             | crates from elsewhere, of an embedder | {} | | {EMBEDDED_CRATES} |",
            self.processor,
            self.processor * self.speed,
            self.wall,
            self.wall * self.speed,
            self.program / 1e6,
            PROGRAM_BYTES / 1e6,
            self.crates,
            self.embedded
        )
    }

    /// The figures over their limits. The elapsed time is not checked, since it depends on the machine's load.
    fn exceeded(&self) -> Vec<String> {
        let limits = [
            (self.processor * self.speed, PROCESSOR_S, "seconds of processor time at the limits' speed"),
            (self.program, PROGRAM_BYTES, "bytes of the program"),
            (self.embedded as f64, EMBEDDED_CRATES as f64, "crates from elsewhere of an embedder"),
        ];
        let over = limits.into_iter().filter(|(measured, most, _)| measured > most);
        over.map(|(measured, most, what)| format!("{measured:.0} {what}, at most {most:.0} are allowed"))
            .collect()
    }
}

/// The sum for each crate, longest first, and the rest of the total time.
fn by_crate(times: &str, whole: f64) -> Vec<(String, f64)> {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, seconds) in times.lines().filter_map(|line| line.split_once('\t')) {
        *sums.entry(name).or_default() += seconds.parse().unwrap_or(0.0);
    }
    let rest = whole - sums.values().sum::<f64>();
    let mut sorted: Vec<(String, f64)> =
        sums.into_iter().map(|(name, seconds)| (format!("`{name}`"), seconds)).collect();
    sorted.push(("build scripts and Cargo".to_owned(), rest.max(0.0)));
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    sorted
}

/// The number of crates from elsewhere compiled for the given packages.
pub(crate) fn crates(root: &Path, packages: &[&str]) -> Result<usize, String> {
    let output = cargo(root)
        .args(["tree", "--locked", "--edges", "normal,build", "--prefix", "none", "--no-dedupe"])
        .args(packages)
        .output()
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let tree = String::from_utf8_lossy(&output.stdout);
    let names: BTreeSet<&str> = tree
        .lines()
        .map(|line| line.split(" (").next().unwrap_or(line))
        .filter(|line| !line.is_empty() && !line.starts_with("hype"))
        .collect();
    Ok(names.len())
}

/// Cargo without the variables set by the current run of Cargo.
fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root).env_remove("CARGO_TARGET_DIR");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PROFILE_") {
            command.env_remove(name);
        }
    }
    command
}

fn version() -> Result<String, String> {
    let output = Command::new("rustc")
        .arg("--version")
        .output()
        .map_err(|error| format!("rustc cannot be run: {error}"))?;
    let version = String::from_utf8_lossy(&output.stdout);
    Ok(version.split(" (").next().unwrap_or(&version).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_by_crate_and_the_rest_is_named() {
        let found = by_crate("a\t1.5\nb (C)\t4\na\t0.5\n", 10.0);
        let rows: Vec<String> = found.iter().map(|(name, seconds)| format!("{name} {seconds}")).collect();
        assert_eq!(rows, ["`b (C)` 4", "build scripts and Cargo 4", "`a` 2"]);
    }

    #[test]
    fn exceeded_limits_are_reported() {
        let mut report = Report {
            speed: 1.0,
            by_crate: Vec::new(),
            processor: 341.0,
            wall: 1_000.0,
            program: 29e6,
            crates: 200,
            embedded: 80,
            cores: 2,
            rustc: "rustc 1".into(),
        };
        let over = ["341 seconds of processor time at the limits' speed, at most 340 are allowed"];
        assert_eq!(report.exceeded(), over);
        // A machine that is a quarter slower may take a third longer.
        report.speed = 0.75;
        report.processor *= 4.0 / 3.0;
        assert_eq!(report.exceeded(), over);
        report.processor = 340.0;
        assert!(report.exceeded().is_empty());
    }

    #[test]
    fn processor_time_of_finished_children_is_read() {
        let status = Command::new("true").status().unwrap();
        assert!(status.success());
        assert!(children_seconds().is_some_and(|seconds| (0.0..60.0).contains(&seconds)));
    }
}
