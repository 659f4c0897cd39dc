//! The arguments of `completions` and `man`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// The command whose page to print [default: the page of the program]
    pub(crate) command: Vec<String>,
}
