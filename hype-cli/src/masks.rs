//! `hype masks`.

use std::fs;
use std::path::{Path, PathBuf};

use hype::Opening;
use hype::backends::web::{PREPARED_FOLDER, Page, PreparedImages};
use hype_core::study::backend::view;
use hype_images::{Decoding, Encoding, Picture, Prepared, contact_sheet, decode, encode};

use super::args::MasksArguments;
use super::failure::Failure;
use super::opening::open;
use super::output::print;
use super::progress::PartBars;

/// The maximum number of masks in a preview, evenly spaced over all of them.
const SHOWN: usize = 32;

/// Images in a row of a preview: four pairs of an image and its mask.
const COLUMNS: u32 = 8;

pub(crate) fn run(arguments: &MasksArguments) -> Result<(), Failure> {
    let opened = open(Opening::of(&arguments.spec), false, |_| {})?;
    let study = &opened.study;
    if !study.profile().pace.masks {
        return Err(Failure::Message(format!("the task {} shows no masks", study.task().typetag_name())));
    }
    let folder = study.folder().join(PREPARED_FOLDER);
    let bars = PartBars::new("preparing", true);
    // Masks have the size of the page's images; other backends do not resize images.
    let backend = study.spec().collection.backend.as_deref();
    let page: Page = backend.and_then(|backend| view(backend)).unwrap_or_default();
    let pictures = PreparedImages::prepare(study, &page, &folder, &|what, done, all| {
        bars.reach(what.name(), done, all);
    });
    bars.finish();
    let pictures = pictures.map_err(|faults| Failure::Message(faults.to_string()))?;
    print(format_args!("{} masks are ready in {}", pictures.masks().len(), folder.display()))?;
    if let Some(preview) = &arguments.preview {
        let path = preview.clone().unwrap_or_else(|| beside(&arguments.spec));
        let sheet = sheet(&pictures)?;
        fs::write(&path, encode(&sheet, Encoding::Png)).map_err(|error| Failure::about(&path, &error))?;
        print(format_args!("a preview is in {}", path.display()))?;
    }
    Ok(())
}

fn beside(spec: &Path) -> PathBuf {
    spec.with_extension("masks.png")
}

/// Each image next to its mask, or only masks if they come from files.
fn sheet(pictures: &PreparedImages) -> Result<Picture, Failure> {
    let masks = pictures.masks();
    let step = masks.len().div_ceil(SHOWN).max(1);
    let mut shown = Vec::new();
    for (number, mask) in masks.iter().enumerate().step_by(step) {
        if let Some(source) = pictures.source_of_mask(number) {
            shown.push(picture(source)?);
        }
        shown.push(picture(mask)?);
    }
    contact_sheet(&shown, COLUMNS).map_err(|error| Failure::Message(error.to_string()))
}

fn picture(prepared: &Prepared) -> Result<Picture, Failure> {
    let name = prepared.path.display().to_string();
    let bytes = prepared.read().map_err(|error| Failure::Message(error.to_string()))?;
    let decoded = decode(&name, &bytes, &Decoding::default());
    decoded.map(|decoded| decoded.picture).map_err(|error| Failure::Message(error.to_string()))
}
