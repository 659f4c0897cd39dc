//! Clips made by `ffmpeg`, which `scripts/install-test-tools` installs, and what it decodes from clips.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Small clips of two containers and four codecs.
pub(crate) const SMALL: [(&str, &[u8]); 4] = [
    ("h264.mp4", include_bytes!("../data/h264.mp4")),
    ("hevc.mp4", include_bytes!("../data/hevc.mp4")),
    ("vp9.webm", include_bytes!("../data/vp9.webm")),
    ("av1.mp4", include_bytes!("../data/av1.mp4")),
];

/// A text that is written into every place for metadata.
pub(crate) const SECRET: &str = "SecretOrigin";

/// The time for which this thread has had a processor; since `begin`, where the system does not tell.
pub(crate) fn processor_time(begin: Instant) -> Duration {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| begin.elapsed(), Duration::from_nanos)
}

/// A folder with clips.
pub(crate) struct Clips {
    folder: TempDir,
}

impl Clips {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::with_prefix("SecretFolder").unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A moving picture of a size, a rate and a length, coded as the arguments say, with metadata.
    pub(crate) fn make(&self, name: &str, source: &str, arguments: &str) -> PathBuf {
        let path = self.path(name);
        let mut command = Command::new("ffmpeg");
        command.args(["-v", "error", "-y", "-f", "lavfi", "-i"]).arg(format!("testsrc2={source}"));
        command.args(arguments.split_whitespace());
        for key in ["title", "comment", "artist", "encoder"] {
            command.args(["-metadata", &format!("{key}={SECRET}")]);
        }
        command.args(["-metadata:s:v:0", &format!("handler_name={SECRET}")]).arg(&path);
        run(&mut command);
        path
    }

    /// A copy of a clip's streams into another file.
    pub(crate) fn copy(&self, name: &str, from: &Path, before: &str, after: &str) -> PathBuf {
        let path = self.path(name);
        let mut command = Command::new("ffmpeg");
        command.args(["-v", "error", "-y"]).args(before.split_whitespace()).arg("-i").arg(from);
        command.args(["-c", "copy"]).args(after.split_whitespace()).arg(&path);
        run(&mut command);
        path
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{error}: run `scripts/install-test-tools`"));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

/// The digests of decoded frames, in the order in which they are shown.
pub(crate) fn frames(path: &Path) -> Vec<String> {
    digests(path, &["-map", "0:v:0", "-fps_mode", "passthrough"])
}

/// The digests of decoded sound, in blocks.
pub(crate) fn sound(path: &Path) -> Vec<String> {
    digests(path, &["-map", "0:a:0"])
}

fn digests(path: &Path, arguments: &[&str]) -> Vec<String> {
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-i"]).arg(path).args(arguments).args(["-f", "framemd5", "-"]);
    let listed = run(&mut command);
    let lines = listed.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.rsplit(',').next().unwrap().trim().to_owned()).collect()
}

/// The times of decoded frames in seconds.
pub(crate) fn times(path: &Path) -> Vec<f64> {
    probed(path, "v:0", "frame=best_effort_timestamp_time")
}

/// When the first frame, or block of sound, is shown.
pub(crate) fn first_time(path: &Path, stream: &str) -> f64 {
    probed(path, stream, "frame=best_effort_timestamp_time")[0]
}

fn probed(path: &Path, stream: &str, entries: &str) -> Vec<f64> {
    let mut command = Command::new("ffprobe");
    command
        .args(["-v", "error", "-select_streams", stream, "-show_entries", entries, "-of", "csv=p=0"])
        .arg(path);
    let listed = run(&mut command);
    listed.lines().filter_map(|line| line.trim_end_matches(',').parse().ok()).collect()
}

/// Whether some bytes contain others.
pub(crate) fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
