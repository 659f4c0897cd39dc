//! `cargo xtask prove`: runs the long proofs and writes their results into docs/measured/proofs.
//!
//! Most are tests of `./test` with more repetitions. They run with `HYPE_PROVE=1` and print lines that begin with `proof:`,
//! which become the rows of a table. The output of other commands is kept as it is.

use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

/// A long proof.
struct Proof {
    name: &'static str,
    /// The claim that is proved if it passes.
    shows: &'static str,
    /// The column titles of its table; empty if the output of its commands is kept as it is.
    columns: &'static [&'static str],
    /// The folder of its commands, relative to the workspace.
    folder: &'static str,
    /// Shell-like: variables first, then words, which `'` keeps together.
    commands: &'static [&'static str],
}

/// The prefix of a row.
const ROW: &str = "proof: ";

const PROOFS: [Proof; 24] = [
    Proof {
        name: "coverage",
        shows: "95 % intervals of every family of tasks cover the truth in 93 to 97 % of 2,000 simulated studies",
        columns: &["test", "measure", "covers"],
        folder: "",
        commands: &[
            "cargo nextest run --release --profile prove --package hype-cli --filterset 'test(/^intervals_cover_the_truth::/)'",
        ],
    },
    Proof {
        name: "inference",
        shows: "default tests hold their level, default intervals cover, and default pairs have the power that they can have, with \
                3 to 100 raters and 2 to 10 models",
        columns: &[],
        folder: "",
        commands: &["cargo nextest run --release --profile prove --package hype-tasks --all-features \
                     --filterset 'test(/^inference_holds::/)'"],
    },
    Proof {
        name: "plan",
        shows: "`hype plan` expects of 20 designs what 500 studies of each find that are collected through the session machine",
        columns: &["test", "design", "raters", "number", "planned", "studies"],
        folder: "",
        commands: &[
            "cargo nextest run --release --profile prove --package hype-cli --filterset 'test(/^plans_agree_with_simulated_studies::/)'",
        ],
    },
    Proof {
        name: "kills",
        shows: "killed collections, servers and databases lose nothing that was acknowledged, and end with the findings of \
                uninterrupted ones",
        columns: &["test", "kills"],
        folder: "",
        commands: &["cargo nextest run --release --profile prove --workspace --all-features \
                     --filterset '(binary(/^killed_/) | test(/^killed_/) | test(/^postgres_restarts/)) - test(/^killed_recruiting_/)'"],
    },
    Proof {
        name: "money",
        shows: "whatever fails while people are recruited, all are paid their earnings, once and within the limit: under a \
                million schedules of crashes and faults, under another million of restored copies, copies that run next to each \
                other and settings that change, and with programs that are killed at any request and answer",
        columns: &["test", "schedules, kills or people", "payments that an operator settled"],
        folder: "",
        commands: &[
            "cargo nextest run --release --profile prove --package hype-backends --package hype-mturk --package hype-cli --all-features \
                     --filterset 'test(/^(money_is_paid_once|money_is_paid_once_by_copies|money_follows_decisions|killed_recruiting_resumes|recruiting_from_plan_to_close)::/)'",
        ],
    },
    Proof {
        name: "interruptions",
        shows: "a collection that is interrupted at any event ends with the logs of an uninterrupted one",
        columns: &["test", "interruptions"],
        folder: "",
        commands: &["cargo nextest run --release --profile prove --package hype-cli \
                     --filterset 'test(an_interruption_at_any_event_changes_nothing)'"],
    },
    Proof {
        name: "schedules",
        shows: "a session's invariants hold under a million schedules of lost, repeated and reordered reports",
        columns: &[],
        folder: "",
        commands: &[
            "PROPTEST_CASES=1000000 cargo nextest run --release --profile prove --package hype-sim --all-features \
                     --filterset 'test(sessions_keep_their_promises_under_any_schedule)'",
        ],
    },
    Proof {
        name: "statistics",
        shows: "estimators, staircase theory, metrics, images and masks agree with their references at the full size of their tests",
        columns: &[],
        folder: "",
        commands: &["cargo nextest run --release --profile prove --all-features \
                     --package hype-stats --package hype-sim --package hype-tasks --package hype-images --package hype-metrics \
                     --filterset 'not test(/^inference_holds::/)'"],
    },
    Proof {
        name: "board",
        shows: "linked differences of models of different waves cover the truth, a dead anchor and a ring of raters are noticed, \
                hostile archives are refused, and killed boards lose nothing",
        columns: &[
            "test",
            "answers",
            "drift",
            "slope",
            "waves",
            "anchors",
            "covered (width)",
            "pooled",
            "false claims",
            "linked",
        ],
        folder: "",
        commands: &[
            "cargo nextest run --release --profile prove --package hype-stats --filterset 'test(/^link::tests::coverage/)'",
            "cargo nextest run --release --profile prove --package hype-board",
        ],
    },
    Proof {
        name: "r",
        shows: "R fits the mixed models of `hype export --what r` to every example without a complaint, and finds hype's means in \
                balanced designs",
        columns: &["test", "study", "fits", "means that are hype's", "seconds"],
        folder: "",
        commands: &[
            "scripts/install-r",
            "cargo nextest run --profile prove --workspace --all-features --test it \
                     --filterset 'test(/^mixed_models_match_the_study::every_example/)'",
        ],
    },
    Proof {
        name: "rows",
        shows: "FID of two sets of a million images, with 512 features of each, does not hold their rows in memory",
        columns: &["test", "images of each set", "memory that was used", "size of the rows"],
        folder: "",
        commands: &["cargo nextest run --release --profile prove --package hype-pipeline --all-features \
                     --filterset 'binary(rows_stay_on_the_disk)'"],
    },
    Proof {
        name: "quest",
        shows: "QUEST+ and the staircases side by side: bias and root mean square error of thresholds in ms, against the number of \
                trials",
        columns: &[],
        folder: "",
        commands: &["cargo nextest run --release --profile prove --package hype-tasks --all-features \
                     --filterset 'test(/^quest_plus_needs_fewer_trials/)'"],
    },
    Proof {
        name: "attacks",
        shows: "forged, malformed and reordered requests change nothing, and nothing outside its pixels reveals whether an \
                image is real",
        columns: &[],
        folder: "",
        commands: &["cargo nextest run --release --profile prove --package hype-backends --all-features \
                     --filterset 'test(/^(hostile_reports|nothing_betrays|raters_among|strangers_get)/)'"],
    },
    Proof {
        name: "onnx",
        shows: "features of images and texts are those that onnxruntime computes in Python from the same models, and FID of two folders \
                of images is that of pytorch-fid and clean-fid with the same network",
        columns: &["value", "of hype", "of the package", "relative difference"],
        folder: "",
        commands: &[
            "scripts/make-onnx-models target/onnx-models",
            "scripts/install-fid-packages target/onnx-models",
            "cargo nextest run --profile prove --workspace --all-features --test it \
             --filterset 'test(/^((extraction_equals|text_towers_equal)_onnxruntime|fid_equals_python_packages)::/)'",
        ],
    },
    Proof {
        name: "specs",
        shows: "of 200 specs that are drawn from what studies can declare, each that passes `hype check` runs, is scored and is reported",
        columns: &["test", "specs", "that pass `check`"],
        folder: "",
        commands: &[
            "cargo nextest run --profile prove --package hype-cli --filterset 'test(/^generated_specs_run::/)'",
        ],
    },
    Proof {
        name: "tables",
        shows: "tables in CSV, JSON, gzip, zip and XLSX that are damaged at random for an hour, and in Parquet, are read or refused within \
                the limits of rows, cells, time and what archives unpack to, without a panic",
        columns: &["test", "files", "tried", "that are tables", "slowest, in seconds"],
        folder: "",
        commands: &[
            "cargo nextest run --release --profile prove --package hype-tables --package hype --features parquet \
                     --filterset 'test(/damaged_files/)'",
        ],
    },
    Proof {
        name: "crates",
        shows: "foreign crates have allowed licenses, by the texts in them, and come from the registry",
        columns: &[],
        folder: "",
        commands: &["scripts/install-cargo-deny", "cargo deny check licenses bans sources"],
    },
    Proof {
        name: "features",
        shows: "benchmarks have no lint, and the program and the library compile with the default features, without any, and with each one \
                alone",
        columns: &[],
        folder: "",
        commands: &[
            "cargo clippy --workspace --all-targets --all-features -- -D warnings",
            "cargo check --package hype-cli",
            "cargo check --package hype-cli --no-default-features",
            "cargo check --package hype --no-default-features",
            "cargo check --package hype --no-default-features --features report",
            "cargo check --package hype --no-default-features --features sqlite",
            "cargo check --package hype --no-default-features --features web",
            "cargo check --package hype --no-default-features --features crowd",
            "cargo check --package hype --no-default-features --features mturk",
            "cargo check --package hype --no-default-features --features postgres",
            "cargo check --package hype --no-default-features --features metrics",
            "cargo check --package hype --no-default-features --features conformance",
        ],
    },
    Proof {
        name: "page",
        shows: "every screen passes axe's rules for WCAG 2.2 AA in all five languages, every task is answered by mouse, keyboard and \
                touch, and reports fit three widths; in every window judged images are as large as the table says, the way on is in \
                sight, and no option is wider than another",
        columns: &["study", "images", "1366 × 625", "1366 × 768", "1920 × 1080", "390 × 844"],
        folder: "hype-backends/page",
        commands: &[
            "npm ci --silent --no-audit --no-fund",
            "npm run --silent browser",
            "npm run --silent browser:timed",
            "node screens/matrix.js",
        ],
    },
    Proof {
        name: "media",
        shows: "all but the pictures of 400 rewritten clips tells nothing of their origin, and clips and texts are answered by mouse, \
                keyboard and touch in every form, in step and seen to their ends; and MP4, WebM, coded units and Markdown that are \
                damaged at random for an hour each are read or refused",
        columns: &[],
        folder: "",
        commands: &[
            "cargo nextest run --profile prove --package hype-media",
            "npm ci --silent --no-audit --no-fund --prefix hype-backends/page",
            "node --test hype-backends/page/tests/browser/players.test.js hype-backends/page/tests/browser/reading.test.js \
             hype-backends/page/tests/program/media.test.js",
        ],
    },
    Proof {
        name: "report",
        shows: "reports of six designs with 3, 12 and 40 models fit three widths and four papers, begin with their result, and have no text \
                on another; and their figures, tables and references are set in two columns without a box that is too wide",
        columns: &["test", "study", "figures", "boxes that are too wide"],
        folder: "",
        commands: &[
            "scripts/install-test-tools",
            "cargo build --package hype-cli --all-features",
            "npm --prefix hype-backends/page ci --silent --no-audit --no-fund",
            "npm --prefix hype-backends/page run --silent reports",
            "cargo nextest run --profile prove --workspace --all-features --test it --filterset 'test(/^figures_go_into_papers::/)'",
        ],
    },
    Proof {
        name: "reach",
        shows: "the Python wheel and the static program work in fresh environments and in bare Debian systems without compiler and network, \
                and the wheel's results are those of the program for every example; hubs' own programs read packages; the container's \
                answers survive kills, and backups have all that was acknowledged before",
        columns: &["where", "what", "result"],
        folder: "",
        commands: &[
            "scripts/build-wheel",
            "cargo test --locked --manifest-path hype-python/frames/Cargo.toml",
            "scripts/install-reach-tools",
            "cargo xtask release",
            "scripts/build-image",
            "cargo nextest run --profile prove --package hype-cli --all-features --test it --filterset 'test(/^backups_are_whole::/)'",
            "python3 hype-python/tests/prove.py target/wheels",
        ],
    },
    Proof {
        name: "timing",
        shows: "stimuli stay on the screen for as many frames as their trial says",
        columns: &[],
        folder: "hype-backends/page",
        commands: &["npm ci --silent --no-audit --no-fund", "npm run --silent timing"],
    },
    Proof {
        name: "load",
        shows: "one server stores the answers of 1,000 raters who answer concurrently",
        columns: &[],
        folder: "",
        commands: &[
            "cargo bench --package hype-backends --features web --bench load -- --answers 1000000",
            "cargo bench --package hype-backends --features web --bench load -- --store postgres",
        ],
    },
];

/// Runs one proof, or all of them.
pub(crate) fn run(root: &Path, mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let name = arguments.next();
    let chosen: Vec<&Proof> =
        PROOFS.iter().filter(|proof| name.as_deref().is_none_or(|name| name == proof.name)).collect();
    if chosen.is_empty() {
        let names = PROOFS.map(|proof| proof.name).join(", ");
        return Err(format!("there is no proof {}: name one of {names}", name.unwrap_or_default()));
    }
    let mut failed = Vec::new();
    for proof in chosen {
        println!("{}: {}\n{}", proof.name, proof.shows, proof.commands.join("\n"));
        let outcome = proof.run(root)?;
        let path = root.join("docs/measured/proofs").join(format!("{}.md", proof.name));
        fs::create_dir_all(root.join("docs/measured/proofs"))
            .map_err(|error| format!("docs/measured/proofs: {error}"))?;
        fs::write(&path, outcome.text(proof)).map_err(|error| format!("{}: {error}", path.display()))?;
        if !outcome.succeeded {
            failed.push(format!(
                "the proof {} failed or did not run; it should have shown that {}",
                proof.name, proof.shows
            ));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// The outcome of a proof's commands.
struct Outcome {
    succeeded: bool,
    minutes: f64,
    /// The lines that they printed.
    lines: Vec<String>,
}

impl Proof {
    /// Runs the commands until one fails.
    fn run(&self, root: &Path) -> Result<Outcome, String> {
        let begin = Instant::now();
        let mut outcome = Outcome { succeeded: true, minutes: 0.0, lines: Vec::new() };
        for command in self.commands {
            let (succeeded, lines) = output(&root.join(self.folder), command)?;
            outcome.lines.extend(lines);
            outcome.succeeded = succeeded;
            if !succeeded {
                break;
            }
        }
        outcome.minutes = begin.elapsed().as_secs_f64() / 60.0;
        Ok(outcome)
    }
}

impl Outcome {
    fn text(&self, proof: &Proof) -> String {
        let commands: String = proof.commands.iter().map(|command| format!("{command}\n")).collect();
        let passed = if self.succeeded { "Passed" } else { "FAILED" };
        let cores = thread::available_parallelism().map_or(1, usize::from);
        format!(
            "# {}\n\nWritten by `cargo xtask prove {}`. It shows that {}.\n\n```sh\n{commands}```\n\n\
             {passed} in {:.0} minutes on {cores} cores{}.\n\n{}",
            proof.name,
            proof.name,
            proof.shows,
            self.minutes,
            self.summary().map(|summary| format!(": {summary}")).unwrap_or_default(),
            if proof.columns.is_empty() { self.printed() } else { self.table(proof.columns) },
        )
    }

    /// The last line of the test runner.
    fn summary(&self) -> Option<&str> {
        let line =
            self.lines.iter().rfind(|line| line.contains(" tests run:") || line.contains(" test run:"))?;
        line.split_once("] ").map(|(_, counts)| counts.trim())
    }

    fn table(&self, columns: &[&str]) -> String {
        let mut rows: Vec<&str> =
            self.lines.iter().filter_map(|line| line.trim().strip_prefix(ROW)).collect();
        // Tests run in parallel and end in any order.
        rows.sort_unstable();
        let mut table = format!("| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len()));
        table.extend(rows.iter().map(|row| format!("| {row} |\n")));
        table
    }

    /// The printed lines, without the progress of the build.
    fn printed(&self) -> String {
        const BUILD: [&str; 4] = ["Compiling ", "Finished ", "Running ", "Blocking "];
        let lines =
            self.lines.iter().filter(|line| !BUILD.iter().any(|word| line.trim_start().starts_with(word)));
        format!("```text\n{}```\n", lines.map(|line| format!("{}\n", line.trim_end())).collect::<String>())
    }
}

/// Runs a command. Its output is printed and collected.
fn output(folder: &Path, command: &str) -> Result<(bool, Vec<String>), String> {
    let words = words(command);
    let variables = words.iter().take_while(|word| word.contains('=')).count();
    let program = words.get(variables).ok_or("a proof has no command")?;
    let mut child = Command::new(program)
        .args(&words[variables + 1..])
        .envs(words[..variables].iter().filter_map(|word| word.split_once('=')))
        .env("HYPE_PROVE", "1")
        .env("CARGO_TERM_COLOR", "never")
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{program} cannot be run: {error}"))?;
    let collect = |from: Box<dyn Read + Send>| {
        thread::spawn(move || -> Vec<String> {
            let lines = BufReader::new(from).lines().map_while(Result::ok);
            lines.inspect(|line| println!("{line}")).collect()
        })
    };
    let readers: Vec<_> = [
        child.stdout.take().map(|pipe| collect(Box::new(pipe))),
        child.stderr.take().map(|pipe| collect(Box::new(pipe))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let status = child.wait().map_err(|error| format!("{program}: {error}"))?;
    let lines = readers.into_iter().flat_map(|reader| reader.join().unwrap_or_default()).collect();
    Ok((status.success(), lines))
}

/// The words of a command; text between `'` is one word.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    let words = parts.flat_map(|(place, part)| {
        if place % 2 == 1 {
            vec![part.to_owned()]
        } else {
            part.split_whitespace().map(str::to_owned).collect()
        }
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_by_a_shell() {
        assert_eq!(words("A=1 cargo test  'a b' -- c"), ["A=1", "cargo", "test", "a b", "--", "c"]);
    }

    #[test]
    fn rows_become_a_table_with_a_summary() {
        let proof = PROOFS.iter().find(|proof| proof.name == "kills").unwrap();
        let lines = [
            "  proof: b | 100",
            "   Compiling x",
            "proof: a | 50",
            "     Summary [  1.0s] 2 tests run: 2 passed",
        ];
        let outcome = Outcome { succeeded: true, minutes: 1.4, lines: lines.map(str::to_owned).to_vec() };
        let text = outcome.text(proof);
        assert!(text.ends_with("| test | kills |\n|---|---|\n| a | 50 |\n| b | 100 |\n"), "{text}");
        assert!(text.contains("Passed in 1 minutes") && text.contains(": 2 tests run: 2 passed."), "{text}");
        assert_eq!(outcome.printed().lines().count(), 5);
    }

    #[test]
    fn the_documentation_lists_every_proof() {
        let page = include_str!("../../docs/measured/proofs.md");
        let rows: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
            .take(PROOFS.len())
            .collect();
        assert_eq!(rows, PROOFS.map(|proof| proof.name));
    }

    #[test]
    fn output_and_success_of_commands_are_collected() {
        let (succeeded, lines) = output(Path::new("."), "X=1 sh -c 'echo $X $HYPE_PROVE; false'").unwrap();
        assert!(!succeeded);
        assert_eq!(lines, ["1 1"]);
    }
}
