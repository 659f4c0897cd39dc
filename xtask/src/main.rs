//! Chores of the repository: `cargo xtask <chore>`.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests may panic"))]

use std::path::Path;
use std::process::ExitCode;

mod affected;
mod build_report;
mod count;
mod fuzz;
mod guard;
mod house;
mod prove;
mod release;
mod schemas;
mod terminal;

/// A chore: its usage, its summary, and its function.
struct Chore {
    usage: &'static str,
    summary: &'static str,
    run: fn(&Path, &mut dyn Iterator<Item = String>) -> Result<(), String>,
}

const CHORES: [Chore; 11] = [
    Chore {
        usage: "affected [<commit>]",
        summary: "runs the tests of the crates that the changes since a commit can reach, or since the last one",
        run: |root, arguments| affected::run(root, arguments),
    },
    Chore {
        usage: "book",
        summary: "counts the words of the documents, and checks links, first lines and named paths",
        run: |root, _| house::book::run(root),
    },
    Chore {
        usage: "build-report",
        summary: "builds the program on an empty target and writes the cost into docs/measured/build.md",
        run: |root, _| build_report::run(root),
    },
    Chore {
        usage: "count",
        summary: "prints lines of code, documentation and tests by crate, public items, files and crates",
        run: |root, _| count::run(root),
    },
    Chore {
        usage: "fuzz [--minutes <number>] [--target <name>]",
        summary: "builds the fuzz targets with coverage and runs them for 10 minutes in all, or the given number",
        run: |_, arguments| fuzz::run(arguments),
    },
    Chore {
        usage: "guard <old program> <new program>",
        summary: "runs studies by two programs and compares their logs, messages, ledgers and findings",
        run: |root, arguments| guard::run(root, arguments),
    },
    Chore {
        usage: "house",
        summary: "checks imports for circles, public names, repeated code, and the sizes of files and services, and licenses",
        run: |root, _| house::run(root),
    },
    Chore {
        usage: "prove [<name>]",
        summary: "runs the long proofs, or the named one, and writes the results into docs/measured/proofs",
        run: |root, arguments| prove::run(root, arguments),
    },
    Chore {
        usage: "release [<processor>]",
        summary: "builds static programs for Linux into target/release-files, with their digests and a bill of materials",
        run: |root, arguments| release::run(root, arguments),
    },
    Chore { usage: "schemas", summary: "writes the committed schemas", run: |root, _| schemas::run(root) },
    Chore {
        usage: "terminal",
        summary: "writes the program's output into docs/measured",
        run: |root, _| terminal::run(root),
    },
];

fn main() -> ExitCode {
    if let Some(code) = build_report::stand_in() {
        return code;
    }
    let mut arguments = std::env::args().skip(1);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let Some(name) = arguments.next() else {
        println!("{}", usage());
        return ExitCode::SUCCESS;
    };
    let chore = CHORES.iter().find(|chore| chore.usage.split(' ').next() == Some(name.as_str()));
    let done = match chore {
        Some(chore) => (chore.run)(root, &mut arguments),
        None => Err(format!("there is no chore {name}\n{}", usage())),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let chores = CHORES.iter().map(|chore| format!("\n  {}\n      {}", chore.usage, chore.summary));
    format!("usage: cargo xtask <chore>\n\nchores:{}", chores.collect::<String>())
}
