//! Folders of texts from tables of answers of models.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hype::exchange::TextOutputs;

use super::prompts::cell;
use super::tree::Folder;
use super::{SPEC, whole, write};
use crate::failure::Failure;
use crate::output;

/// The table of prompts in the new folder.
const PROMPTS: &str = "items.csv";

/// The folder of texts.
pub(super) struct Texts {
    pub(super) folder: PathBuf,
    /// The folder above, if both are only looked at.
    temporary: Option<PathBuf>,
}

impl Drop for Texts {
    fn drop(&mut self) {
        if let Some(folder) = &self.temporary {
            drop(fs::remove_dir_all(folder));
        }
    }
}

/// Writes the answers in a file, or in the files of a folder without images, clips and texts, into a new folder next to it; `None` if
/// a folder has none.
pub(super) fn written(from: &Path, dry_run: bool) -> Result<Option<Texts>, Failure> {
    let mut found = TextOutputs::default();
    if from.is_file() {
        found.add(from)?;
    } else {
        let (_, stimuli, others) = Folder::look(from)?;
        if stimuli.count() > 0 {
            return Ok(None);
        }
        // Other files may lie among those with answers.
        for path in &others.tables {
            found.add(path).ok();
        }
    }
    if found.models.is_empty() {
        return if from.is_file() { Err(none_in(from)) } else { Ok(None) };
    }
    let from = if from.file_name().is_none() { whole(from) } else { from.to_owned() };
    let name = if from.is_file() { from.file_stem() } else { from.file_name() };
    let name = format!("{}-texts", name.unwrap_or_default().to_string_lossy());
    let temporary = dry_run.then(|| std::env::temp_dir().join(format!("hype-new-{}", std::process::id())));
    let folder = temporary.as_ref().map_or_else(|| from.with_file_name(&name), |above| above.join(&name));
    if folder.exists() {
        let shown = folder.join(SPEC);
        return Err(Failure::Message(format!("{} exists: move its folder away", shown.display())));
    }
    let texts = Texts { folder, temporary };
    write_texts(&found, &texts.folder)?;
    Ok(Some(texts))
}

fn none_in(file: &Path) -> Failure {
    Failure::Message(format!(
        "{} has no answers of models: it needs columns such as `prompt` and a column with the answers of each model, or `prompt`, \
         `model` and `output`; images, clips and texts (png, mp4, txt, md) are found in the folder that holds them",
        file.display()
    ))
}

/// Writes a file for each text, and the table of prompts.
fn write_texts(found: &TextOutputs, folder: &Path) -> Result<(), Failure> {
    let items = found.items();
    let mut models: BTreeMap<String, &str> = BTreeMap::new();
    for (model, texts) in &found.models {
        let name = folder_name(model);
        if let Some(other) = models.insert(name.to_lowercase(), model) {
            return Err(Failure::Message(format!(
                "the models {other} and {model} would both be written into the folder {name}: rename one of them"
            )));
        }
        let own = folder.join(&name);
        fs::create_dir_all(&own).map_err(|error| Failure::about(&own, &error))?;
        for (&place, text) in texts {
            write(&own.join(format!("{}.md", items[place].name)), text)?;
        }
    }
    if items.iter().all(|item| item.prompt.is_empty()) {
        return output::print(format_args!("the tables have no prompts that belong to the answers"));
    }
    let has_ids = items.iter().any(|item| !item.id.is_empty() && item.id != item.name);
    let mut table = if has_ids { "item,prompt,id\n" } else { "item,prompt\n" }.to_owned();
    for item in &items {
        table += &format!("{},{}", item.name, cell(&item.prompt));
        if has_ids {
            table += &format!(",{}", cell(&item.id));
        }
        table.push('\n');
    }
    write(&folder.join(PROMPTS), &table)
}

/// The name of a model as that of a folder, in which patterns of files find texts.
fn folder_name(model: &str) -> String {
    let letter = |letter: char| match letter.is_alphanumeric() || "-_. ()+".contains(letter) {
        true => letter,
        false => '-',
    };
    model.trim().trim_start_matches('.').chars().map(letter).collect()
}
