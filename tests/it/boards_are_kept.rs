//! `hype board` through its program: waves are rated as they were written, end once, and what was released stays.

#![cfg(feature = "board")]

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::program::{fails, succeeds};

const ANCHORS: [&str; 5] = ["oak", "elm", "ash", "fir", "yew"];
const SETTINGS: &str = "name: Still lifes\nitems: items.csv\nanchors: [oak, elm, ash, fir, yew]\nstudy:\n  task: { kind: contrast, tie: \
    true, per_session: 20 }\n  raters: { per_item: 2 }\n  simulate: { kind: synthetic, observers: { oak: { quality: 0.8 } } }\n";

/// A board in a temporary folder, on which one wave of anchors has closed.
struct Kept {
    folder: TempDir,
    drawn: u32,
}

impl Kept {
    fn new() -> Self {
        let mut kept = Self { folder: tempfile::tempdir().unwrap(), drawn: 100 };
        kept.succeeds(&["board", "init", "b"]);
        fs::write(kept.path("board.yaml"), SETTINGS).unwrap();
        let rows: String = (1..=12).map(|item| format!("{item:04},a\n")).collect();
        fs::write(kept.path("items.csv"), format!("item,prompt\n{rows}")).unwrap();
        for anchor in ANCHORS {
            kept.add(anchor, 12);
        }
        kept.succeeds(&["board", "wave", "new", "b"]);
        kept.rate(1);
        kept.succeeds(&["board", "wave", "close", "b"]);
        kept.add("new1", 12);
        kept
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root().join("b").join(name)
    }

    fn succeeds(&self, arguments: &[&str]) -> String {
        succeeds(self.root(), arguments)
    }

    fn fails(&self, arguments: &[&str]) -> String {
        fails(self.root(), arguments)
    }

    /// Adds a model with outputs for so many items.
    fn add(&mut self, name: &str, items: u32) {
        self.drawn += 1;
        let (source, items, seed) = (format!("sources/{name}"), items.to_string(), self.drawn.to_string());
        self.succeeds(&["new", &source, "--task", "contrast", "--images", &items, "--seed", &seed]);
        self.succeeds(&[
            "board",
            "add",
            "b",
            &format!("{source}/images/good"),
            "--name",
            name,
            "--maker",
            "lab",
        ]);
    }

    fn rate(&self, wave: u32) -> String {
        let spec = format!("b/waves/{wave:03}/spec.yaml");
        self.succeeds(&["run", &spec, "--simulate", "--progress", "none", "--quiet"])
    }

    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(name)).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(self.path(name), text.replacen(from, to, 1)).unwrap();
    }
}

#[test]
fn waves_are_rated_as_they_were_written() {
    let kept = Kept::new();
    kept.succeeds(&["board", "wave", "new", "b"]);
    let (spec, run) =
        ("waves/002/spec.yaml", ["run", "b/waves/002/spec.yaml", "--simulate", "--progress", "none"]);
    // Before anyone is asked, and, for answers that were collected otherwise, when the wave closes.
    for (from, to, says) in [
        ("tie: true", "tie: true\n  criterion: which is older", "task.criterion"),
        ("submissions/new1/images/*", "submissions/new1/images/*.png", "stimuli.new1.images"),
    ] {
        kept.edit(spec, from, to);
        let error = kept.fails(&run);
        assert!(error.contains("wave 2 is not rated as it was written") && error.contains(says), "{error}");
        kept.edit(spec, to, from);
    }
    kept.edit(spec, "tie: true", "tie: true\n  criterion: which is older");
    fs::rename(kept.path("waves/002/wave.json"), kept.root().join("wave.json")).unwrap();
    kept.rate(2);
    fs::rename(kept.root().join("wave.json"), kept.path("waves/002/wave.json")).unwrap();
    let error = kept.fails(&["board", "wave", "close", "b"]);
    assert!(error.contains("task.criterion") && !kept.path("waves/002/package").exists(), "{error}");
    kept.succeeds(&["board", "wave", "cancel", "b"]);
    kept.succeeds(&["board", "wave", "new", "b"]);
    kept.edit(spec, "per_item: 2", "per_item: 3");
    kept.rate(2);
    kept.succeeds(&["board", "wave", "close", "b"]);
    kept.succeeds(&["board", "publish", "b"]);
    let page = fs::read_to_string(kept.path("site/index.html")).unwrap();
    assert!(page.contains("raters.per_item: 2 → 3, in this wave"), "{page}");
}

#[test]
fn waves_end_once_and_an_empty_one_can_be_given_up() {
    let mut kept = Kept::new();
    let error = kept.fails(&["run", "b/waves/001/spec.yaml", "--simulate", "--progress", "none"]);
    assert!(error.contains("wave 1 has closed"), "{error}");
    let error = kept.fails(&["board", "wave", "cancel", "b"]);
    assert!(error.contains("no wave is open"), "{error}");
    kept.succeeds(&["board", "wave", "new", "b"]);
    let status = kept.succeeds(&["board", "wave", "status", "b"]);
    assert!(status.ends_with("with 0 sessions: new1\n"), "{status}");
    // A rehearsal, and then people.
    kept.rate(2);
    let backend = "backend: { kind: web, access: links, public_url: \"https://study.example\" }\n";
    let spec = fs::read_to_string(kept.path("waves/002/spec.yaml")).unwrap();
    fs::write(kept.path("waves/002/spec.yaml"), spec + backend).unwrap();
    kept.succeeds(&["links", "b/waves/002/spec.yaml", "--count", "1"]);
    let error = kept.fails(&["board", "wave", "close", "b"]);
    assert!(error.contains("no rater has finished b/waves/002/spec.study yet"), "{error}");
    assert!(error.contains("spec.simulated is a rehearsal"), "{error}");
    let gone = kept.succeeds(&["board", "wave", "cancel", "b"]);
    assert!(gone.contains("wave 2 is cancelled") && !kept.path("waves/002").exists(), "{gone}");
    // Items that grew: the wave is refused before it begins.
    let rows = fs::read_to_string(kept.path("items.csv")).unwrap();
    fs::write(kept.path("items.csv"), rows.clone() + "0013,a\n").unwrap();
    kept.add("big", 13);
    let error = kept.fails(&["board", "wave", "new", "b"]);
    assert!(error.contains("oak has no image of item 0013"), "{error}");
    fs::write(kept.path("items.csv"), rows).unwrap();
    let error = kept.fails(&["board", "wave", "new", "b"]);
    assert!(error.contains("big has an image of 0013"), "{error}");
    kept.succeeds(&["board", "wave", "new", "b", "new1"]);
}

#[test]
fn scores_are_of_what_was_released() {
    let kept = Kept::new();
    let score = kept.succeeds(&["board", "score", "b"]);
    assert!(score.contains("SIMULATED"), "{score}");
    let verified = kept.fails(&["board", "verify", "b"]);
    assert!(verified.contains("3 differences"), "{verified}");
    kept.succeeds(&["board", "publish", "b"]);
    let scores = fs::read_to_string(kept.path("waves/001/package/scores.csv")).unwrap();
    let mut lines: Vec<&str> = scores.lines().collect();
    lines.remove(1);
    fs::write(kept.path("waves/001/package/scores.csv"), lines.join("\n") + "\n").unwrap();
    for command in ["score", "publish"] {
        let error = kept.fails(&["board", command, "b"]);
        assert!(error.contains("wave 1: scores.csv is not as it was released"), "{error}");
    }
}
