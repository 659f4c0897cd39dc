//! A study on a read-only medium is scored and exported as usual.

#![cfg(unix)]
#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::folders::copy;
use crate::program;

const SPEC: &str = "
stimuli:
  real: { role: real, images: images/real/*.png }
  good: { role: generated, images: images/good/*.png }
task: { kind: hype_infinity, generated: 12, real: 12 }
raters: { per_model: 60, qualification: null, payment: null }
";

/// Runs the program without write access to the study's folder: by a read-only mount for root, which permissions do
/// not restrict, otherwise by permissions.
fn read_only(study: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_hype");
    if fs::metadata(study).unwrap().uid() != 0 {
        let mode = |mode| fs::set_permissions(study, fs::Permissions::from_mode(mode)).unwrap();
        mode(0o555);
        let output = Command::new(program).args(arguments).output().unwrap();
        mode(0o755);
        return output;
    }
    let script = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && ! touch \"$0/probe\" 2>/dev/null \
                  && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", script]).arg(study).arg(program).args(arguments);
    command.output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn closed_and_killed_studies_are_scored_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    program::succeeds(folder, &["new", "drawn", "--images", "14", "--size", "16"]);
    fs::rename(folder.join("drawn/images"), folder.join("images")).unwrap();
    fs::write(folder.join("study.yaml"), SPEC).unwrap();
    program::succeeds(
        folder,
        &["run", "study.yaml", "--simulate", "--study", "closed", "--progress", "none"],
    );
    // Killed while it writes, which leaves a part of the study in the write-ahead log.
    let mut killed = Command::new(env!("CARGO_BIN_EXE_hype"));
    killed.current_dir(folder).args(["run", "study.yaml", "--simulate", "--study", "killed"]);
    killed.args(["--progress", "json"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut killed = killed.spawn().unwrap();
    let lines = BufReader::new(killed.stderr.take().unwrap()).lines();
    lines.take(20).for_each(drop);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(fs::metadata(folder.join("killed/study.db-wal")).is_ok_and(|log| log.len() > 0));
    for study in ["closed", "killed"] {
        let (path, elsewhere) = (folder.join(study), folder.join(format!("{study}-copy")));
        copy(&path, &elsewhere);
        let expected = program::succeeds(folder, &["score", &format!("{study}-copy"), "--json"]);
        let events = program::succeeds(
            folder,
            &["export", &format!("{study}-copy"), "--what", "events", "--format", "jsonl"],
        );
        let names = || {
            let mut names: Vec<_> =
                fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let before = names();
        let path = path.to_str().unwrap();
        let scored = read_only(Path::new(path), &["score", path, "--json"]);
        assert_eq!(text(&scored), expected, "{study}");
        // The folder of the closed study has these findings already.
        let warned = String::from_utf8_lossy(&scored.stderr).contains("the findings were not saved");
        assert_eq!(warned, study == "killed", "{scored:?}");
        assert_eq!(
            text(&read_only(Path::new(path), &["export", path, "--what", "events", "--format", "jsonl"])),
            events
        );
        assert_eq!(names(), before, "{study}: a file was left there");
    }
}
