//! `hype completions` and `hype man`: shell completions and manual pages, generated from the arguments.

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

/// The program, or one of its commands, whose page is then named after it, such as `hype-run`.
fn described(names: &[String]) -> Result<Command, Failure> {
    let mut command = Arguments::command();
    command.build();
    for name in names {
        let Some(found) = command.find_subcommand(name).cloned() else {
            let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            return Err(Failure::Message(format!(
                "there is no command `{name}`; the commands are {}",
                known.join(", ")
            )));
        };
        command = found;
    }
    Ok(command)
}
