//! Computations that are killed again and again.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// Starts the program ten times and kills it as soon as more is kept in a folder than before, wherever it is then; records that end
/// within are cut short, as by a failure of power.
///
/// # Panics
/// If no kill met the program, and if it cannot be started.
pub fn killed_ten_times(folder: &Path, arguments: &[&str], variables: &[(&str, &str)], kept: &Path) {
    let length = || -> u64 {
        let files = fs::read_dir(kept).into_iter().flatten();
        files.map(|entry| entry.map_or(0, |entry| entry.metadata().map_or(0, |about| about.len()))).sum()
    };
    let mut kills = 0;
    for _ in 0..10 {
        let before = length();
        let mut child = Command::new(env!("CARGO_BIN_EXE_hype"))
            .current_dir(folder)
            .args(arguments)
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        while child.try_wait().expect("it can be asked").is_none() && length() <= before {
            thread::yield_now();
        }
        kills += u32::from(child.try_wait().expect("it can be asked").is_none() && child.kill().is_ok());
        child.wait().expect("it ends");
        for entry in fs::read_dir(kept).into_iter().flatten() {
            let path = entry.expect("a file").path();
            let bytes = fs::read(&path).expect("a readable file");
            if path.extension().is_some_and(|kind| kind == "part") && bytes.len() > 20 {
                fs::write(&path, &bytes[..bytes.len() - 7]).expect("a writable file");
            }
        }
    }
    assert!(kills > 0, "the program was never killed");
}
