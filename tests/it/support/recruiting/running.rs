//! `hype run` in a process of its own, which can be killed at any moment.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::{Recruiting, SPEC};

/// How often a condition is looked at.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A running program, which is killed when the value is dropped.
pub struct Running {
    process: Child,
    output: [PathBuf; 2],
}

impl Running {
    pub(super) fn start(study: &Recruiting, arguments: &[&str]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let output = ["stdout", "stderr"].map(|name| study.path(&format!("{name}-{number}.txt")));
        let [out, err] = [&output[0], &output[1]].map(|path| Stdio::from(File::create(path).unwrap()));
        let process = Command::new(env!("CARGO_BIN_EXE_hype"))
            .current_dir(study.folder())
            .args(["run", SPEC, "--production", "--progress", "json"])
            .args(arguments)
            .envs(study.platform.variables().iter().copied())
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .spawn()
            .unwrap();
        Self { process, output }
    }

    /// Returns its output and errors so far.
    pub fn output(&self) -> [String; 2] {
        [&self.output[0], &self.output[1]].map(|path| fs::read_to_string(path).unwrap())
    }

    /// Whether it has ended by itself, which must not be a failure.
    pub fn has_ended(&mut self) -> bool {
        let status = self.process.try_wait().unwrap();
        assert!(status.is_none_or(|status| status.success()), "hype run failed: {:?}", self.output());
        status.is_some()
    }

    /// Waits until it has failed by itself, and returns what it has written to standard error.
    ///
    /// # Panics
    /// If it succeeds, or still runs after a time.
    pub fn fails_within(&mut self, time: Duration) -> String {
        let until = Instant::now() + time;
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                assert!(!status.success(), "hype run succeeded: {:?}", self.output());
                return self.output()[1].clone();
            }
            assert!(Instant::now() < until, "hype run still waits: {:?}", self.output());
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Kills it, as a crash would.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
