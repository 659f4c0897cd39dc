//! Preparing images and masks is announced, shown without a terminal, and ended by the first Ctrl-C.

#![cfg(all(unix, feature = "web"))]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::succeeds;

#[test]
fn progress_is_a_line_every_few_seconds_and_ctrl_c_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(folder.path(), &["new", "study", "--task", "hype-time", "--images", "40", "--size", "128"]);
    let spec = folder.path().join("study/evaluation.yaml");
    let text = fs::read_to_string(&spec).unwrap();
    let many = text.replace("task:\n", "masks: { count: 900 }\ntask:\n");
    fs::write(&spec, many.replace("127.0.0.1:7850", "127.0.0.1:0")).unwrap();
    let said = succeeds(folder.path(), &["check", "study/evaluation.yaml"]);
    let masks = said.lines().find(|line| line.contains("900 masks")).unwrap_or_else(|| panic!("{said}"));
    assert!(masks.contains("about") && masks.contains("min"), "{masks}");

    let mut process = Command::new(env!("CARGO_BIN_EXE_hype"))
        .current_dir(folder.path())
        .args(["serve", "study/evaluation.yaml"])
        // Other tests keep the other cores busy.
        .env("RAYON_NUM_THREADS", "1")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut told = lines.by_ref().filter(|line| line.starts_with("preparing masks: "));
    let (first, begun) = (told.next().unwrap(), Instant::now());
    let second = told.next().unwrap();
    assert!(first.ends_with(" of 900") && second.ends_with(" of 900"), "{first}\n{second}");
    assert!((3..30).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    let interrupted = Instant::now();
    assert!(Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap().success());
    assert_eq!(process.wait().unwrap().code(), Some(130));
    assert!(interrupted.elapsed() < Duration::from_secs(2), "{:?}", interrupted.elapsed());
}
