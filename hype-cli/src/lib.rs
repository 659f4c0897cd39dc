//! The program `hype`: reads arguments, calls the library, prints.
//!
//! # A program with its own plugins
//! A crate that links plugins gets all commands, such as `check`, `simulate`, `run`, `score` and `export`, with one
//! line. The crate of the plugins has to be named, or else it is not linked:
//!
//! ```no_run
//! # mod my_plugins {}
//! use my_plugins as _;
//!
//! fn main() -> std::process::ExitCode {
//!     hype_cli::main()
//! }
//! ```
//!
//! Without default features, the program has no rater page and depends on far fewer crates.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests may panic"))]

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

mod aggregate;
mod args;
mod backup;
#[cfg(feature = "board")]
mod board;
mod check;
#[cfg(feature = "crowd")]
mod crowd;
#[cfg(feature = "web")]
mod demo;
pub mod embed;
#[cfg(feature = "web")]
mod ephemeral;
mod export;
mod failure;
#[cfg(feature = "fakes")]
mod fake;
mod grid;
#[cfg(feature = "web")]
mod health;
mod import;
mod list;
#[cfg(feature = "web")]
mod logging;
#[cfg(feature = "manual")]
mod manual;
#[cfg(feature = "web")]
mod masks;
mod metrics;
mod new;
#[cfg(feature = "web")]
mod open_files;
mod opening;
mod operator;
mod output;
#[cfg(feature = "web")]
mod people;
mod plan;
mod preregister;
mod progress;
#[cfg(feature = "web")]
mod reopen;
mod report;
mod run;
mod schema;
mod score;
#[cfg(feature = "web")]
mod serve;
#[cfg(feature = "web")]
mod signals;
mod skill;
mod snippet;
mod staircase;
mod study_folder;
mod tables;
mod terminal;
mod threads;

use self::args::{Arguments, Command};

/// Runs the program with the arguments of the process, as [`main_with`] does.
#[must_use]
pub fn main() -> ExitCode {
    main_with(env::args_os()).into()
}

/// Runs the program with arguments, beginning with its name, and returns its exit status: 0 on success, 1 after a
/// failure that was reported on standard error, or 141 if standard output is no longer read. Invalid usage ends the process
/// with status 2.
#[must_use]
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let result = match Arguments::parse_from(arguments).command {
        #[cfg(feature = "web")]
        Command::Demo(arguments) => demo::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Simulate(arguments) => run::simulate(&arguments),
        #[cfg(feature = "web")]
        Command::Masks(arguments) => masks::run(&arguments),
        #[cfg(feature = "web")]
        Command::Serve(arguments) => serve::run(&arguments),
        #[cfg(feature = "web")]
        Command::Health(arguments) => health::run(&arguments),
        #[cfg(feature = "web")]
        Command::Links(arguments) => people::links(&arguments),
        #[cfg(feature = "web")]
        Command::Forget(arguments) => people::forget(&arguments),
        Command::Operator(arguments) => operator::run(&arguments),
        #[cfg(feature = "crowd")]
        Command::Crowd(arguments) => crowd::run(&arguments),
        #[cfg(feature = "web")]
        Command::Reopen(arguments) => reopen::run(&arguments),
        Command::Metrics(arguments) => metrics::run(&arguments),
        Command::Score(arguments) => score::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Preregister(arguments) => preregister::run(&arguments),
        Command::Aggregate(arguments) => aggregate::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Staircase(arguments) => staircase::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Import(arguments) => import::run(&arguments),
        #[cfg(feature = "board")]
        Command::Board(arguments) => board::run(&arguments),
        Command::Backup(arguments) => backup::run(&arguments),
        Command::Restore(arguments) => backup::restore(&arguments),
        Command::Skill => skill::run(),
        #[cfg(feature = "manual")]
        Command::Completions(arguments) => manual::completions(&arguments),
        #[cfg(feature = "manual")]
        Command::Man(arguments) => manual::page(&arguments),
    };
    match result {
        Ok(()) => 0,
        Err(failure) => {
            failure.print();
            failure.status()
        }
    }
}
