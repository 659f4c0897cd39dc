//! The pages of the book are followed to the letter: each command in a block of `sh`, in order, in a folder of the page's own. A
//! block of `yaml` replaces the sections of these names in the spec of the last command, and a block after a name is that file.

#![cfg(all(unix, feature = "fakes", feature = "figures"))]

use std::fs;
use std::path::Path;

use crate::program::succeeds;
use crate::ten_minutes_end_in_a_pilot::replace_sections;

/// Follows each page in a test of its own.
macro_rules! followed {
    ($($name:ident: $page:literal,)+) => {
        $(#[test]
        fn $name() {
            follow(include_str!(concat!("../../docs/", $page)));
        })+

        /// The pages that are followed.
        const FOLLOWED: &[&str] = &[$($page),+];
    };
}

followed! {
    images_to_paper: "tutorial/images-to-paper.md",
    hype_time: "tutorial/hype-time.md",
    pairs: "how-to/pairs.md",
    ratings: "how-to/ratings.md",
    real_or_generated: "how-to/real-or-generated.md",
    people: "how-to/people.md",
    languages: "how-to/languages.md",
    surveys: "how-to/surveys.md",
    careless_raters: "how-to/careless-raters.md",
    plan: "how-to/plan.md",
    preregister: "how-to/preregister.md",
    stop: "how-to/stop.md",
    report: "how-to/report.md",
    metrics: "how-to/metrics.md",
    media: "how-to/media.md",
    export: "how-to/export.md",
    import: "how-to/import.md",
}

/// Pages whose commands another test follows, or that change a system.
const OTHERS: [&str; 2] = ["how-to/crowd.md", "how-to/host.md"];

/// A fenced block.
struct Block<'a> {
    language: &'a str,
    /// The file that the line before it names.
    file: Option<&'a str>,
    lines: Vec<&'a str>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut file = None;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let lines = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block { language, file: file.take(), lines });
        } else if !line.is_empty() {
            file = line.strip_prefix('`').and_then(|line| line.strip_suffix("`:"));
        }
    }
    blocks
}

fn follow(page: &str) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut spec = String::new();
    let mut commands = 0;
    for block in blocks(page) {
        match (block.language, block.file) {
            ("csv", Some(file)) => fs::write(folder.join(file), block.lines.join("\n") + "\n").unwrap(),
            ("yaml", None) => replace_sections(&folder.join(&spec), &block.lines.join("\n")),
            ("sh", None) => {
                for line in block.lines {
                    commands += usize::from(run(folder, line, &mut spec));
                }
            }
            _ => {}
        }
    }
    assert!(commands > 0);
}

/// Runs a command of the program. Remembers the spec that it writes or reads.
fn run(folder: &Path, line: &str, spec: &mut String) -> bool {
    let command = line.split(" #").next().unwrap().trim();
    if command.starts_with("cargo install ") {
        return false;
    }
    let arguments: Vec<&str> = command.strip_prefix("hype ").unwrap().split_whitespace().collect();
    succeeds(folder, &arguments);
    if let ["new", "--from", images] | ["new", images, ..] = arguments[..] {
        *spec = format!("{images}/evaluation.yaml");
    } else if let Some(read) = arguments.iter().find(|argument| argument.ends_with(".yaml")) {
        (*read).clone_into(spec);
    }
    true
}

#[test]
fn every_page_with_commands_is_followed() {
    let book = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs"));
    for part in ["tutorial", "how-to"] {
        for page in fs::read_dir(book.join(part)).unwrap() {
            let page = page.unwrap().path();
            let name = format!("{part}/{}", page.file_name().unwrap().to_str().unwrap());
            let text = fs::read_to_string(&page).unwrap();
            let has_commands = blocks(&text).iter().any(|block| block.language == "sh");
            assert!(!has_commands || FOLLOWED.contains(&&*name) || OTHERS.contains(&&*name), "{name}");
        }
    }
}
