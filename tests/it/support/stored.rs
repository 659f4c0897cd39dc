//! Stored studies: samples that versions of the program collected, each copied for one test.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use crate::folders::copy;
use crate::server::Server;

/// The folder of the samples, with a subfolder for each version.
fn stored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/stored")
}

/// The content of a sample's `sample.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The study's folder.
    pub study: String,
    /// The command that resumes the collection.
    pub resume: Vec<String>,
    /// SHA-256 of each exported table.
    pub exports: BTreeMap<String, String>,
    /// Raters who return to open sessions.
    #[serde(default)]
    pub waiting: Vec<Returning>,
    /// Raters who return after their sessions have expired.
    #[serde(default)]
    pub lapsed: Vec<Returning>,
    /// The arrivals of new raters: at least one more than there are open places.
    #[serde(default)]
    pub newcomers: Vec<Value>,
    /// The database of the logs, if they are in one.
    pub database: Option<Database>,
}

/// A rater who has a cookie.
#[derive(Debug, Deserialize)]
pub struct Returning {
    pub cookie: String,
    pub arrival: Value,
    /// The screen that the rater finds.
    pub screen: String,
    /// The trial of that screen, and its showing.
    pub number: Option<u32>,
    pub showing: Option<u32>,
}

/// Logs in a PostgreSQL database.
#[derive(Debug, Deserialize)]
pub struct Database {
    /// The file of SQL that restores it.
    pub dump: String,
    /// The environment variable with its address that the spec names.
    pub variable: String,
    pub schema: String,
}

/// A stored study.
#[derive(Debug)]
pub struct Sample {
    /// The version that made it and its name, such as `0.1.0/web-time`.
    pub name: String,
    folder: PathBuf,
    pub about: About,
}

/// A copy of a stored study that a test may change.
pub struct Copied {
    pub folder: TempDir,
    pub study: String,
    /// The environment variables that the program needs.
    pub variables: Vec<(String, String)>,
    /// The database, which runs until this is dropped.
    _server: Option<Server>,
}

impl Sample {
    /// All samples of all versions.
    pub fn all() -> Vec<Self> {
        let folders = |of: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(of).unwrap().map(|entry| entry.unwrap().path());
            entries.filter(|path| path.is_dir()).collect()
        };
        let of_versions = folders(&stored()).into_iter().flat_map(|version| folders(&version));
        let mut samples: Vec<Self> =
            of_versions.filter(|folder| folder.join("sample.json").exists()).map(Self::read).collect();
        samples.sort_by(|a, b| a.name.cmp(&b.name));
        assert!(!samples.is_empty(), "there are no samples in {}", stored().display());
        samples
    }

    fn read(folder: PathBuf) -> Self {
        let name = folder.strip_prefix(stored()).unwrap().display().to_string();
        let text = fs::read(folder.join("sample.json")).unwrap();
        let about = serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name, folder, about }
    }

    /// Findings that were stored in a file of the sample, if there is one.
    pub fn findings(&self, file: &str) -> Option<Value> {
        let text = fs::read_to_string(self.folder.join(file)).ok()?;
        Some(without_software(serde_json::from_str(&text).unwrap()))
    }

    /// Copies the sample with the images of its version, and restores its database if it has one. Prints its name for the message of a failing test.
    pub fn copy(&self) -> Copied {
        println!("sample {}", self.name);
        let folder = tempfile::tempdir().unwrap();
        copy(&self.folder, folder.path());
        copy(&self.folder.join("../images"), &folder.path().join("images"));
        let mut variables = Vec::new();
        let server = self.about.database.as_ref().map(|database| {
            let server = Server::start(&["fsync=off"]);
            let [url, _] = server.urls(&database.schema);
            restore(url.split('?').next().unwrap(), &self.folder.join(&database.dump));
            variables.push((database.variable.clone(), url));
            server
        });
        Copied { folder, study: self.about.study.clone(), variables, _server: server }
    }
}

impl Copied {
    /// Runs the program, which must succeed, and returns its output.
    pub fn succeeds(&self, arguments: &[&str]) -> String {
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_hype"))
            .current_dir(self.folder.path())
            .args(arguments)
            .envs(self.variables.iter().cloned())
            .output()
            .unwrap();
        assert!(status.success(), "hype {arguments:?} failed: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap()
    }

    /// The findings that a command prints.
    pub fn findings(&self, command: &[&str]) -> Value {
        let printed = self.succeeds(&[command, &["--json"]].concat());
        without_software(serde_json::from_str(&printed).unwrap())
    }

    pub fn export(&self, what: &str) -> String {
        let lines: &[&str] = if what == "events" { &["--format", "jsonl"] } else { &[] };
        self.succeeds(&[&["export", &self.study, "--what", what], lines].concat())
    }

    /// The logs of all sessions, with one event per line.
    pub fn logs(&self) -> BTreeMap<String, Vec<Value>> {
        let mut logs = BTreeMap::<String, Vec<Value>>::new();
        for line in self.export("events").lines() {
            let mut line: Value = serde_json::from_str(line).unwrap();
            let session = line["session"].as_str().unwrap().to_owned();
            logs.entry(session).or_default().push(line["event"].take());
        }
        logs
    }
}

/// Findings without the name and version of the scoring program.
fn without_software(mut findings: Value) -> Value {
    let software = findings.as_object_mut().and_then(|fields| fields.remove("software"));
    assert!(software.is_some_and(|software| software.is_string()), "findings name the program");
    findings
}

fn restore(address: &str, dump: &Path) {
    let restored = Command::new("psql")
        .args(["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname", address, "--file"])
        .arg(dump)
        .stdout(Stdio::null())
        .output()
        .expect("PostgreSQL's psql is installed: run scripts/install-test-tools");
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
}
