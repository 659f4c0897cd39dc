//! `hype new --from` reads clips and texts as their makers put them: with prompts, thumbnails, notes, seeds and other formats.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;

use crate::program::{fails, hype, says, succeeds};

/// Folders by name, with their files, what the program says of them or writes after `+`, and what it does not after `-`. Parts in
/// braces stand for each of several names; `=` is followed by a file's lines, and `^` by an accent of its own.
const CASES: &str = r#"
thumbs
{a,b}/{1,2,3}.{mp4,png}
+ videos: "a/*.mp4"
+ not used: 6 images, such as a/1.png: they are previews or conditions of the clips
- images: "a

images and a clip
{a,b}/{1,2,3}.png
a/making.mp4
+ not used: 1 clip, such as a/making.mp4: there are images

folder of prompts
{gpt,claude,prompts}/{1,2,3}.txt
+ models: claude, gpt; 3 items
+ prompts: prompts/1.txt and 2 others
+ fits the prompt
- texts: "prompts

prompt next to outputs
{p1,p2,p3}/{gpt,claude,prompt}.txt
+ models: claude, gpt; 3 items
+ prompts: p1/prompt.txt and 2 others
+ evaluation_items.csv, match: pattern
- */prompt.txt

prompts of clips
{a,b}/{x,y,z}.mp4
prompts/{x,y,z}.txt
+ prompts: prompts/x.txt and 2 others

people
{gpt,claude,human}/{1,2,3}.txt
+ models: claude, gpt; 3 items
+ "human": { role: real
+ human is taken for texts by people

notes
README.md
{gpt,claude}/{1,2,3}.md
gpt/README.md
+ models: claude, gpt; 3 items
+ task: contrast
+ not used: 1 note, such as gpt/README.md
+ gpt/[!R]*.md
- not used: README

sources
{enc1,enc2,ref}/{1,2,3}.mp4
items.csv = item,source|1,ref/1.mp4|2,ref/2.mp4|3,ref/3.mp4
+ models: enc1, enc2; 3 items
+ conditions, which are not judged: ref
- "ref": { role: generated

accents
A/{cafe^,plain,tre^s}.mp4
B/{café,plain,trés}.mp4
p.csv = item,prompt|café,One|plain,Two|tre^s,Three
+ 3 items
+ prompts: p.csv
- missing

zeros
A/{1,2,3,4}.mp4
B/{01,02,03,04}.mp4
+ such as 01 and 1: rename those of one model, as by `mv "B/01.mp4" "B/1.mp4"`

flat
{sora,kling,gen 3}_{1,2,3}.mp4
+ models: gen 3, kling, sora; 3 items
+ names such as gen 3_1.mp4 are taken for the model gen 3 and the item 1
- match: seed

blanks about a dash
{Sora,Kling} - prompt {1,2,3}.mp4
+ models: Kling, Sora; 3 items
+ "Sora - *.mp4"
- "Sora "

seeds of benchmarks
{a,b}/{a cat,a red car}-{0,1,2}.mp4
+ 2 prompts with 3 seeds each (`match: seed`)

lines of prompts
{a,b}/{a cat,a red car}-{0,1,2}.mp4
prompts.txt = a cat|a red car
+ prompts: prompts.txt
+ table: evaluation_items.csv

seeds by word
{a,b}/{a cat,a red car} seed{0,1,2}.mp4
prompts.csv = item,prompt|a cat,A cat.|a red car,A red car.
+ items: { table: prompts.csv, match: seed }
- not used

seeds in folders
{a,b}/{a cat,a dog,a red car}/{0,1}.mp4
+ folders such as a cat are taken for prompts with 2 seeds each
+ evaluation_items.csv, match: pattern }
- facets:

numbered lines
{a,b}/{1,2,3,4,5,6,7,8,9,10}.mp4
prompts.txt = a|b||c|d|e|f|g|h|i|j
+ its lines are taken for the prompts of the items by number: 1 is "a", 10 is "j"

animations
a/{1,2,3}.gif
b/{1,2,3}.mp4
+ not read: 3 clips of other formats, such as animations/a/1.gif: convert them, as by `ffmpeg -i "animations/a/1.gif"
+  "animations/a/1.mp4"`
- to png

containers
a/{1,2}.mp4
b/1.avi
b/2.mp4
+ not read: 1 clip of another format, such as containers/b/1.avi: convert it, as by `ffmpeg -i "containers/b/1.avi"

tables of reports
{a,b}/{1,2,3}.mp4
e.simulated/report/tables/t1.csv = model,mean|a,1
+ task: contrast
- not used

texts
{gpt,claude}/{1,2,3}.txt
+ name: overall, question: Which text is better overall?, tie: true
+ { name: quality, grades: ccr }
- realism
"#;

/// The paths that a pattern with braces stands for.
fn paths(pattern: &str) -> Vec<String> {
    let Some((before, (names, after))) =
        pattern.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    else {
        return vec![pattern.to_owned()];
    };
    names.split(',').flat_map(|name| paths(&format!("{before}{name}{after}"))).collect()
}

fn write(folder: &Path, path: &str, content: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn folders_of_clips_and_texts_are_taken_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for case in CASES.replace('^', "\u{301}").trim().split("\n\n") {
        let (name, lines) = case.split_once('\n').unwrap();
        let is_said = |line: &&str| line.starts_with("+ ") || line.starts_with("- ");
        let (says, files): (Vec<&str>, Vec<&str>) = lines.lines().partition(is_said);
        for file in files {
            match file.split_once(" = ") {
                Some((path, text)) => write(&folder.path().join(name), path, &text.replace('|', "\n")),
                None => {
                    paths(file).iter().for_each(|path| write(&folder.path().join(name), path, "A cat sits."));
                }
            }
        }
        let output = hype(folder.path(), &["new", "--from", name, "--dry-run"]);
        let said =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        let is_wrong = |line: &&&str| said.contains(&line[2..]) != line.starts_with('+');
        wrong.extend(says.iter().filter(is_wrong).map(|line| format!("{name}: {line}\n{said}")));
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn prompts_in_files_become_a_table_that_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for item in 1..=3 {
        write(folder, &format!("x/gpt/{item}.txt"), &format!("It is {item}."));
        write(folder, &format!("x/claude/{item}.txt"), &format!("That makes {item}."));
        write(folder, &format!("x/prompts/{item}.txt"), &format!("Say {item},\nor no."));
    }
    succeeds(folder, &["new", "--from", "x"]);
    let table = fs::read_to_string(folder.join("x/evaluation_items.csv")).unwrap();
    let rows = [1, 2, 3].map(|item| format!("{item},\"Say {item},\nor no.\"\n"));
    assert_eq!(table, format!("item,prompt\n{}", rows.concat()));
    succeeds(folder, &["check", "x/evaluation.yaml", "--strict"]);
}

#[test]
fn exposures_of_texts_are_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for number in 1..=40 {
        write(folder, &format!("x/real/{number}.txt"), &format!("Text {number} was written on a fine day."));
        write(folder, &format!("x/gpt/{number}.txt"), &format!("Text {number} is of a fine day in May."));
    }
    succeeds(folder, &["new", "--from", "x", "--task", "hype-time"]);
    let path = folder.join("x/evaluation.yaml");
    let spec = fs::read_to_string(&path).unwrap();
    let exposure = "{ floor_ms: 1000, ceiling_ms: 10000, start_ms: 5000 }";
    assert!(spec.contains(exposure), "{spec}");
    assert!(spec.contains("step_harder_ms: 100, step_easier_ms: 300"), "{spec}");
    let said = says(folder, &["check", "x/evaluation.yaml"]);
    assert!(!said.contains("short-exposures"), "{said}");
    let spec = spec.replace(exposure, "{ floor_ms: 100, ceiling_ms: 1000, start_ms: 500 }");
    fs::write(&path, spec.replace("step_harder_ms: 100, step_easier_ms: 300", "preset: weighted")).unwrap();
    let said = says(folder, &["check", "x/evaluation.yaml"]);
    assert!(said.contains("short-exposures") && said.contains("a ceiling of 10000 ms"), "{said}");
}

#[test]
fn patterns_of_other_media_name_their_field() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (pattern, field) in [("a/*.mp4", "videos"), ("b/*.md", "texts")] {
        write(folder, &pattern.replace('*', "1"), "x");
        let spec = format!(
            "name: x\nseed: 1\nstimuli:\n  m: {{ role: generated, images: \"{pattern}\" }}\n\
             task: {{ kind: rating, per_session: 1 }}\nrubric: {{ kind: opinion, method: acr }}\n\
             raters: {{ per_item: 1, payment: {{ currency: USD, base: 1.00 }} }}\n"
        );
        write(folder, "e.yaml", &spec);
        let said = fails(folder, &["check", "e.yaml"]);
        assert!(said.contains(&format!("write `{field}:` in place of `images:`")), "{said}");
    }
}
