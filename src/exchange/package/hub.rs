//! Files for hubs: a description in Croissant, the head of a dataset card, results as records, pairs for training
//! on preferences, and images whose set declares a licence.
//!
//! Boards and models' pages show results by these files; `hype` has them in this one place.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hype_core::{Digest, Findings, MediaKind};
use serde_json::Value;

use super::Writer;
use super::codebook::Codebook;
use super::descriptor::slug;
use super::protocol::Protocol;
use crate::exchange::error::ExportError;
use crate::exchange::export::{PreferenceRows, preferences};
use crate::exchange::layout;
use crate::exchange::rows::{Format, RowWriter};

mod card;
mod croissant;
mod records;

pub(super) use self::card::head;

/// The pairs of stimuli for training.
const PREFERENCES: &str = "preferences.jsonl";

/// Writes the files.
pub(super) fn write(
    writer: &mut Writer<'_>,
    protocol: &Protocol,
    codebook: &Codebook,
    findings: &Findings,
) -> Result<(), ExportError> {
    pairs(writer)?;
    licensed(writer)?;
    let described = croissant::croissant(writer, protocol, codebook)?;
    writer.json(
        "croissant.json",
        &described,
        "the tables as Croissant 1.0 describes them, with the fields on responsible use; publishers add licence, creators, date and \
         address",
    )?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let models: BTreeSet<&str> =
        findings.measures.iter().flat_map(|found| &found.estimates).map(|one| &*one.model).collect();
    for model in &models {
        let file = format!("{}.json", file_name(model, &models));
        let mut record = records::record(protocol, findings, model, now);
        writer.anonymous.sentences(&mut record);
        let mut text = serde_json::to_string_pretty(&record)?;
        text.push('\n');
        writer.text_in("every-eval-ever", &file, &text)?;
        let file = format!("{}.yaml", file_name(model, &models));
        let text = writer.anonymous.text(&records::results(protocol, findings, model)?);
        writer.text_in(".eval_results", &file, &text)?;
    }
    if !models.is_empty() {
        writer
            .files
            .push(("every-eval-ever/", "the results of each model as a record of Every Eval Ever 0.3"));
        writer.files.push((
            ".eval_results/",
            "the same for the page of each model on a hub, where publishers write the name of the data set",
        ));
    }
    Ok(())
}

/// The name of a model's files, which no other model has.
fn file_name(model: &str, all: &BTreeSet<&str>) -> String {
    let name = slug(model);
    let is_shared = all.iter().filter(|other| slug(other) == name).count() > 1;
    if is_shared { format!("{name}-{}", Digest::of(model.as_bytes()).short()) } else { name }
}

/// Writes which of two stimuli most raters preferred, if the study compares models.
fn pairs(writer: &mut Writer<'_>) -> Result<(), ExportError> {
    let columns = layout::MAJORITIES.columns;
    let mut rows = RowWriter::begin(Vec::new(), Format::JsonLines, columns)?;
    match preferences(writer.study, writer.store, false, PreferenceRows::Majority, &mut rows) {
        Err(ExportError::NoPreferences) => return Ok(()),
        Ok(counted) if counted.written == 0 => return Ok(()),
        other => other?,
    };
    let lines = rows.finish()?;
    let mut rows = RowWriter::begin(Vec::new(), Format::JsonLines, columns)?;
    for line in serde_json::Deserializer::from_slice(&lines).into_iter::<Value>() {
        let line = line?;
        let cell = |name: &str| {
            // Paths of stimuli are those of the other tables.
            let column = if matches!(name, "chosen" | "rejected" | "images") { "stimulus" } else { name };
            writer.anonymous.cell(column, &line[name])
        };
        let row: Vec<Value> = columns.iter().map(|column| cell(column.name)).collect();
        rows.write(&row)?;
    }
    fs::write(writer.folder.join(PREFERENCES), rows.finish()?)?;
    writer.files.push((
        PREFERENCES,
        "one row: one pair of stimuli, with the one preferred more often, in the columns of trainers on preferences (DPO)",
    ));
    Ok(())
}

/// Copies the images, clips or texts of the sets that declare a licence, if they are where the study found them and have not changed.
fn licensed(writer: &mut Writer<'_>) -> Result<(), ExportError> {
    let stimuli = writer.study.stimuli();
    let mut copied = BTreeSet::new();
    for stimulus in stimuli.all() {
        let Some(set) = stimuli.set(stimulus.set) else { continue };
        if writer.study.spec().protocol.licence_of(&set.name).is_none() {
            continue;
        }
        let Ok(bytes) = fs::read(writer.study.folder().join(&*stimulus.path)) else { continue };
        if Digest::of(&bytes) != stimulus.digest {
            continue;
        }
        let path = writer.anonymous.cell("stimulus", &Value::from(&*stimulus.path));
        let inside: Option<&Path> = path.as_str().map(Path::new).filter(|path| is_inside(path));
        let Some(path) = inside else { continue };
        let kind = stimulus.media.kind();
        let target = writer.folder.join(kind.plural()).join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(target, bytes)?;
        copied.insert(kind);
    }
    writer.files.extend(copied.into_iter().map(|kind| match kind {
        MediaKind::Image => (
            "images/",
            "the images of the sets whose licence `protocol.json` names, by their paths in `stimuli.csv`",
        ),
        MediaKind::Video => (
            "clips/",
            "the clips of the sets whose licence `protocol.json` names, by their paths in `stimuli.csv`",
        ),
        MediaKind::Text => (
            "texts/",
            "the texts of the sets whose licence `protocol.json` names, by their paths in `stimuli.csv`",
        ),
    }));
    Ok(())
}

/// Whether a path stays in the folder that it is relative to.
fn is_inside(path: &Path) -> bool {
    path.components()
        .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_files_of_its_own() {
        let models = BTreeSet::from(["a b", "a-b", "c"]);
        let names: BTreeSet<String> = models.iter().map(|model| file_name(model, &models)).collect();
        assert_eq!(names.len(), 3, "{names:?}");
        assert!(names.contains("c"));
    }

    #[test]
    fn images_stay_in_the_package() {
        assert!(is_inside(Path::new("real/a.png")));
        assert!(!is_inside(Path::new("../a.png")) && !is_inside(Path::new("/a.png")));
    }
}
