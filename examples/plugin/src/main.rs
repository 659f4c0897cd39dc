//! The program `hype` with this plugin: `check`, `simulate`, `run` and all its other commands.
//!
//! ```text
//! cargo run -p hype-example-plugin -- simulate examples/plugin/evaluation.yaml
//! ```

// Links the plugin, whose parts specs can then name.
use hype_example_plugin as _;

fn main() -> std::process::ExitCode {
    hype_cli::main()
}
