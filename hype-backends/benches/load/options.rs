//! The command line.

use crate::load::rater::Balance;

/// The settings of a measurement.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) raters: u32,
    pub(crate) answers: u64,
    pub(crate) store: String,
    pub(crate) servers: u32,
    pub(crate) balance: Balance,
    pub(crate) task: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            raters: 1_000,
            answers: 200_000,
            store: "sqlite".to_owned(),
            servers: 1,
            balance: Balance::Sticky,
            task: "hype_infinity".to_owned(),
        }
    }
}

impl Options {
    /// Reads pairs of names and values. Cargo's own `--bench` has no value.
    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = arguments.iter().filter(|argument| *argument != "--bench");
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
            let number = || value.parse().map_err(|_| format!("{name} needs a number, got {value}"));
            match name.as_str() {
                "--raters" => options.raters = number()?,
                "--answers" => options.answers = u64::from(number()?),
                "--servers" => options.servers = number()?,
                "--store" => options.store.clone_from(value),
                "--task" => options.task.clone_from(value),
                "--balance" => {
                    options.balance = match value.as_str() {
                        "sticky" => Balance::Sticky,
                        "turns" => Balance::Turns,
                        _ => return Err(format!("--balance is sticky or turns, not {value}")),
                    }
                }
                _ => {
                    return Err(format!(
                        "unknown option {name}: the options are listed at the top of benches/load.rs"
                    ));
                }
            }
        }
        if options.raters == 0 || options.servers == 0 || options.answers < 10 {
            return Err("use at least one rater, one server and ten answers".to_owned());
        }
        Ok(options)
    }
}
