//! Models that were added to a board.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use hype_core::Digest;
use hype_images::inspect;
use serde::{Deserialize, Serialize};

use crate::error::BoardError;
use crate::folder::{Board, NewFolder, check_name, json, read_json, write_file};
use crate::unpack::each_file;

/// Images of a model that were removed by law.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Removal {
    /// When.
    pub date: String,
    /// The reason, which the page says.
    pub reason: String,
    /// The names of the files.
    pub files: BTreeSet<String>,
}

/// Who sees a model's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Everybody.
    Public,
    /// The public sees another name until this wave has closed, whatever the result.
    Codename {
        /// The name until then.
        codename: String,
        /// The wave.
        until: u32,
    },
    /// The lab alone; the page counts the model among those of its maker.
    Private,
}

/// A model to be added.
#[derive(Debug, Clone)]
pub struct NewModel {
    /// Its name.
    pub name: String,
    /// Who made it.
    pub maker: String,
    /// Who sees its name.
    pub visibility: Visibility,
    /// The date.
    pub date: String,
}

/// A model of the board: what `submission.json` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Submitted {
    /// Its name.
    pub name: String,
    /// The name of its set in studies, and so in what is released: the codename, or one without meaning for private models.
    pub alias: String,
    /// Who made it.
    pub maker: String,
    /// Who sees its name.
    pub visibility: Visibility,
    /// When it was added.
    pub date: String,
    /// The digest of each file, by its name.
    pub files: BTreeMap<String, Digest>,
    /// The images that were removed by law.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Removal>,
    /// The name that readers see since its own was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unnamed: Option<String>,
}

impl Submitted {
    /// When a file was removed by law.
    pub(crate) fn removed_on(&self, file: &str) -> Option<&str> {
        self.removed.iter().find(|removal| removal.files.contains(file)).map(|removal| &*removal.date)
    }

    /// Its name for readers, when these waves have closed; `None` if it is private.
    #[must_use]
    pub fn shown(&self, closed: u32) -> Option<&str> {
        match &self.visibility {
            Visibility::Private => None,
            _ if self.unnamed.is_some() => self.unnamed.as_deref(),
            Visibility::Public => Some(&self.name),
            Visibility::Codename { until, .. } if closed >= *until => Some(&self.name),
            Visibility::Codename { codename, .. } => Some(codename),
        }
    }
}

impl Board {
    /// All models, in the order of their names.
    ///
    /// # Errors
    /// If the disk fails or a file is damaged.
    pub fn submissions(&self) -> Result<Vec<Submitted>, BoardError> {
        self.folders("submissions")?.iter().map(|folder| read_json(&folder.join("submission.json"))).collect()
    }

    /// The pattern of a model's images, relative to the board.
    pub(crate) fn images_of(model: &Submitted) -> String {
        format!("submissions/{}/images/*", model.name)
    }

    /// Adds a model: one image for each item, from a folder or a ZIP archive. Nothing is added unless all of it is in order.
    ///
    /// # Errors
    /// If the name is taken; if an item has no image or several, or a file no item; if an image is damaged, or equal to one of
    /// another model or to a real one; or if an archive exceeds the limits.
    pub fn add(&self, source: &Path, submission: &NewModel) -> Result<Submitted, BoardError> {
        check_name("the name", &submission.name)?;
        if submission.maker.trim().is_empty() || submission.maker.chars().any(char::is_control) {
            return Err(BoardError::Refused("the maker has no name: give it by --maker".into()));
        }
        let known = self.submissions()?;
        let alias = match &submission.visibility {
            Visibility::Public => submission.name.clone(),
            Visibility::Codename { codename, .. } => {
                check_name("the codename", codename)?;
                codename.clone()
            }
            Visibility::Private => format!("private-{:03}", known.len() + 1),
        };
        self.check_names(submission, &alias, &known)?;
        let items = self.items()?;
        let before = self.images_before(&known)?;
        let folder = NewFolder::begin(&self.path("submissions").join(&submission.name))?;
        let images = folder.unfinished().join("images");
        fs::create_dir_all(&images).map_err(BoardError::disk(&images))?;
        let refused = |name: &str, reason: String| BoardError::damaged(&source.join(name), &reason);
        let (mut files, mut own, mut seen) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        each_file(source, |name, bytes| {
            let item = item_of(name).to_owned();
            if !items.contains(&item) {
                return Err(refused(
                    name,
                    format!("no item has the key {item:?}: each image has the name of its item"),
                ));
            }
            if !seen.insert(item.clone()) {
                return Err(refused(name, format!("item {item} has two images")));
            }
            let digest = Digest::of(&bytes);
            if let Some(other) = before.get(&digest) {
                return Err(refused(name, format!("it is the image {other}")));
            }
            if let Some(other) = own.insert(digest, name.to_owned()) {
                return Err(refused(name, format!("it is the same image as {other}")));
            }
            let path = images.join(name);
            write_file(&path, &bytes)?;
            inspect(&path)
                .map_err(|error| refused(name, without(&error.to_string(), folder.unfinished())))?;
            files.insert(name.to_owned(), digest);
            Ok(())
        })?;
        let missing: Vec<&String> = items.iter().filter(|item| !seen.contains(*item)).collect();
        if let Some(first) = missing.first() {
            let count = missing.len();
            return Err(BoardError::damaged(
                source,
                &format!("{count} of {} items have no image, the first {first}", items.len()),
            ));
        }
        let submitted = Submitted {
            name: submission.name.clone(),
            alias,
            maker: submission.maker.trim().to_owned(),
            visibility: submission.visibility.clone(),
            date: submission.date.clone(),
            files,
            removed: Vec::new(),
            unnamed: None,
        };
        write_file(&folder.unfinished().join("submission.json"), json(&submitted).as_bytes())?;
        folder.finish()?;
        Ok(submitted)
    }

    /// Refuses a name that another model has, and a codename that would be revealed at once.
    fn check_names(&self, submission: &NewModel, alias: &str, known: &[Submitted]) -> Result<(), BoardError> {
        if let Visibility::Codename { until, .. } = &submission.visibility {
            let closed = self.waves()?.iter().filter(|wave| wave.closed.is_some()).count() as u32;
            if *until <= closed {
                return Err(BoardError::Refused(format!(
                    "wave {until} has closed and would reveal the name now: give --until {} or later",
                    closed + 1
                )));
            }
        }
        // Folders and pages of some systems do not tell letters' cases apart.
        let names = known.iter().flat_map(|other| [&*other.name, &*other.alias]).chain(["real"]);
        let is_equal =
            |taken: &&str| taken.eq_ignore_ascii_case(&submission.name) || taken.eq_ignore_ascii_case(alias);
        if let Some(taken) = { names }.find(is_equal) {
            return Err(BoardError::Refused(format!(
                "{taken} is taken, whatever the case of letters: what was added stays, so name a new version"
            )));
        }
        Ok(())
    }

    /// The keys of all items.
    pub(crate) fn items(&self) -> Result<BTreeSet<String>, BoardError> {
        let path = self.path(&self.settings.items);
        let damaged = |reason: &dyn std::fmt::Display| BoardError::damaged(&path, reason);
        let mut reader = csv::Reader::from_path(&path).map_err(|error| damaged(&error))?;
        let headers = reader.headers().map_err(|error| damaged(&error))?;
        let column = headers.iter().position(|name| name == "item");
        let column = column.ok_or_else(|| damaged(&"it has no column `item`"))?;
        let mut items = BTreeSet::new();
        for row in reader.records() {
            items.insert(row.map_err(|error| damaged(&error))?.get(column).unwrap_or_default().to_owned());
        }
        if items.is_empty() {
            return Err(damaged(&"it has no items"));
        }
        Ok(items)
    }

    /// The images of other models and the real ones, by their digests.
    fn images_before(&self, known: &[Submitted]) -> Result<BTreeMap<Digest, String>, BoardError> {
        let mut all = BTreeMap::new();
        for model in known {
            all.extend(
                model.files.iter().map(|(file, digest)| (*digest, format!("{file} of {}", model.alias))),
            );
        }
        if let Some(pattern) = &self.settings.real {
            let found = hype_images::find(&self.path(""), &[pattern]);
            let found = found.map_err(|error| BoardError::damaged(&self.path("board.yaml"), &error))?;
            for file in found.images {
                let path = file.path;
                let bytes = fs::read(&path).map_err(BoardError::disk(&path))?;
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                all.insert(Digest::of(&bytes), format!("{name} of the real ones"));
            }
        }
        Ok(all)
    }
}

/// The key of the item of a file.
pub(crate) fn item_of(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// A message without the path of a folder that will be gone.
fn without(message: &str, folder: &Path) -> String {
    let folder = format!("{}/images/", folder.display());
    message.replace(&folder, "")
}
