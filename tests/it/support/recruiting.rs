//! A study that recruits through a fake platform: `hype run` in a process of its own, and participants who come over HTTP.

#[path = "recruiting/desk.rs"]
mod desk;
#[path = "recruiting/operator.rs"]
mod operator;
#[path = "recruiting/participant.rs"]
mod participant;
#[path = "recruiting/platform.rs"]
mod platform;
#[path = "recruiting/running.rs"]
mod running;
#[path = "recruiting/secrecy.rs"]
mod secrecy;

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

pub use self::desk::Crowd;
pub use self::operator::{key, made_by_hand, paid_once, reject_strangers};
pub use self::participant::{Conduct, Participant, Truth, looks};
pub use self::platform::{Arrived, Kind, Platform};
pub use self::running::Running;
pub use self::secrecy::{nothing_is_betrayed, person_is_forgotten};
use crate::program::{ends, succeeds};

/// The spec of a study.
pub const SPEC: &str = "study/evaluation.yaml";

/// The models of a study.
const MODELS: u32 = 2;

/// A study, its platform, and the folder with both.
pub struct Recruiting {
    pub platform: Platform,
    /// The truth about the sets: which of them is real.
    pub truth: Truth,
    /// Where the page is.
    pub address: String,
    /// The number of places.
    pub places: u32,
    folder: TempDir,
}

impl Recruiting {
    /// HYPE-infinity with a qualification, by a number of raters for each of two models.
    pub fn new(kind: Kind, per_model: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let platform = Platform::start(kind);
        succeeds(
            folder.path(),
            &["new", "study", "--task", "hype-infinity", "--images", "24", "--size", "16"],
        );
        let spec = folder.path().join(SPEC);
        let text = fs::read_to_string(&spec).unwrap();
        let stimuli = text.split("\ntask:").next().unwrap();
        // A third model would only take longer.
        let mut lines: Vec<&str> = stimuli.lines().collect();
        let last = lines.iter().rposition(|line| line.contains("role: generated")).unwrap();
        lines.remove(last);
        let stimuli = lines.join("\n");
        // Free a moment ago. The address stays, and participants find a program that was started again.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let backend = platform.backend();
        let text = format!(
            "{stimuli}
task: {{ kind: hype_infinity, generated: 3, real: 3 }}
raters:
  per_model: {per_model}
  replacements: 50
  qualification: {{ trials: 4, pass: {{ rule: overall, at_least: 0.6 }} }}
  payment: {{ currency: USD, base: 1.00, per_correct: 0.02, limit: 900.00 }}
backend:
  kind: {}
  page:
    listen: \"{address}\"
    public_url: \"http://{address}/\"
    contact: lab@example.org
    entries: {{ source_burst: 10000 }}
  listing: {{ minutes: 5 }}
{backend}",
            kind.name()
        );
        fs::write(&spec, text).unwrap();
        let truth = Truth::of(&folder.path().join("study/images"));
        Self { platform, truth, address, places: per_model * MODELS, folder }
    }

    /// The folder with the study.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A file of the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts `hype run` with these additional arguments.
    pub fn run(&self, arguments: &[&str]) -> Running {
        Running::start(self, arguments)
    }

    /// Runs a command of `hype crowd`, which must succeed.
    pub fn crowd(&self, arguments: &[&str]) -> String {
        self.hype(&[&["crowd"], arguments].concat())
    }

    /// Runs a command with the secrets, which must succeed.
    pub fn hype(&self, arguments: &[&str]) -> String {
        ends(self.folder(), self.platform.variables(), arguments, true)
    }

    /// Runs a command with the secrets, which must fail, and returns its message.
    pub fn refuses(&self, arguments: &[&str]) -> String {
        ends(self.folder(), self.platform.variables(), arguments, false)
    }

    /// The state after a command of `hype crowd`.
    pub fn status(&self, command: &[&str]) -> Value {
        let arguments = [command, &[SPEC, "--production", "--json"]].concat();
        serde_json::from_str(&self.crowd(&arguments)).unwrap()
    }
}

/// An amount of JSON in cents.
pub fn cents(amount: &Value) -> u64 {
    (amount.as_f64().unwrap_or_else(|| panic!("not an amount: {amount}")) * 100.0).round() as u64
}
