//! `hype completions` and `hype man`: what shells and `man` know of the program, made from its arguments.

use clap::{Command, CommandFactory as _};

use super::args::{Arguments, CompletionsArguments, ManArguments};
use super::failure::Failure;
use super::output::print_bytes;

/// The name by which shells call the program.
const PROGRAM: &str = "hype";

pub(crate) fn completions(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), PROGRAM, &mut script);
    print_bytes(&script)
}

pub(crate) fn page(arguments: &ManArguments) -> Result<(), Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(described(&arguments.command)?).render(&mut page)?;
    print_bytes(&page)
}

/// The program, or one of its commands under the name of its manual page, such as `hype-run`.
fn described(names: &[String]) -> Result<Command, Failure> {
    let mut program = Arguments::command();
    program.build();
    let mut command = program;
    let mut title = PROGRAM.to_owned();
    for name in names {
        title = format!("{title}-{name}");
        command = command.find_subcommand(name).cloned().ok_or_else(|| {
            let known = Arguments::command();
            let known: Vec<&str> = known.get_subcommands().map(Command::get_name).collect();
            Failure::Message(format!("there is no command `{name}`; there are {}", known.join(", ")))
        })?;
    }
    Ok(command.name(title))
}
