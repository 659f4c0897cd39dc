//! The log of the page's server on standard error.

use std::io::{self, Write};

use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::args::{LogArguments, LogFormat, LogLevel};
use super::progress;

/// Writes what the server logs to standard error from now on. It contains neither the ids of people nor secrets, and nothing from
/// the libraries that it uses, which log keys of accounts and addresses of requests.
pub(crate) fn start(arguments: &LogArguments) {
    let level = match arguments.log_level {
        LogLevel::Off => return,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    let own = filter_fn(|event| is_own(event.target()));
    let lines = fmt().with_max_level(level).with_writer(Line::default);
    let started = match arguments.log_format {
        // Where in the program it was is for machines.
        LogFormat::Text => lines.with_target(false).finish().with(own).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).finish().with(own).try_init(),
    };
    // A program with plugins may have set up its own log, which then receives these events.
    drop(started);
}

/// Whether an event is of one of our own crates.
fn is_own(target: &str) -> bool {
    let name = target.split("::").next().unwrap_or_default();
    name == "hype" || name.starts_with("hype_")
}

/// A line of the log, which is written above the progress bar when it is complete.
#[derive(Default)]
struct Line(Vec<u8>);

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        progress::say_above(String::from_utf8_lossy(&self.0).trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::is_own;

    #[test]
    fn only_our_own_crates_log() {
        for own in ["hype", "hype::folder", "hype_backends::web::http"] {
            assert!(is_own(own), "{own}");
        }
        for other in ["hyper::proto::h1", "hyper_util", "aws_sigv4::sign", "reqwest::connect", ""] {
            assert!(!is_own(other), "{other}");
        }
    }
}
