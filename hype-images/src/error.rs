//! Errors of finding, reading, checking and writing images.

use std::borrow::Cow;
use std::fmt;
use std::io;

use crate::digest::ContentDigest;
use crate::format::FileFormat;
use crate::picture::PictureError;
#[cfg(feature = "masks")]
use crate::texture::TextureError;

/// A file name or pattern for messages: control characters, and those that change the direction of text, are
/// escaped, to keep names from controlling a terminal.
pub(crate) fn shown(name: &str) -> Cow<'_, str> {
    let commands = |character: char| {
        character.is_control() || matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    if !name.contains(commands) {
        return Cow::Borrowed(name);
    }
    let mut escaped = String::with_capacity(name.len() + 8);
    for character in name.chars() {
        if commands(character) {
            escaped.extend(character.escape_default());
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Images could not be found, read, checked or written. Every variant names its path or pattern.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// A pattern is not well formed; the study's author corrects it.
    #[error("the pattern `{pattern}` cannot be used: {reason}", pattern = shown(.pattern))]
    Pattern {
        /// The pattern as written.
        pattern: String,
        /// The fault, and what to write instead if that is known.
        reason: String,
    },
    /// A pattern matches no file; the study's author corrects it or puts the files there.
    #[error("the pattern `{pattern}` matches no file in {folder}: {nearest}", pattern = shown(.pattern), folder = shown(.folder))]
    NoMatch {
        /// The pattern as written.
        pattern: String,
        /// The folder searched.
        folder: String,
        /// The nearest existing match of the pattern.
        nearest: Box<Nearest>,
    },
    /// A pattern matches files, but none with the extension of a supported format; the study's
    /// author corrects the pattern or converts the files.
    #[error("the pattern `{pattern}` matches {files} files, none of them png, jpg, jpeg or webp: {kinds}", pattern = shown(.pattern))]
    NoImages {
        /// The pattern as written.
        pattern: String,
        /// The number of files that match.
        files: usize,
        /// Their extensions, the most frequent first.
        kinds: ExtensionCounts,
    },
    /// A file's name is not valid UTF-8 and so cannot be written into a study; its owner renames
    /// the file.
    #[error(
        "the file name {path} is not valid UTF-8 (bytes that are not are shown as \u{fffd}): rename the file", path = shown(.path))]
    NotUtf8 {
        /// The path, with replacement characters.
        path: String,
    },
    /// A symbolic link is broken; its owner corrects it.
    #[error("{path} is a symbolic link to something that does not exist", path = shown(.path))]
    BrokenLink {
        /// The link.
        path: String,
    },
    /// The system refused to read a file or folder; the operator grants access or repairs the disk.
    #[error("{path} cannot be read: {source}", path = shown(.path))]
    Unreadable {
        /// The file or folder.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A path that should be a file is a folder or a device; the study's author corrects it.
    #[error("{path} is not a regular file", path = shown(.path))]
    NotAFile {
        /// The path.
        path: String,
    },
    /// A file changed while it was read; the operator waits until it is completely written.
    #[error("{path} changed while it was being read", path = shown(.path))]
    Changed {
        /// The file.
        path: String,
    },
    /// A file is longer than the limit; the study's author stores the image in fewer bytes.
    #[error("{path} has {bytes} bytes, more than the {limit} allowed", path = shown(.path))]
    TooManyBytes {
        /// The file.
        path: String,
        /// Its length.
        bytes: u64,
        /// The maximum.
        limit: u64,
    },
    /// An image is larger than the limits; the study's author scales it down.
    #[error("{path} is {width}×{height}, more than {side} pixels a side or {pixels} in all", path = shown(.path))]
    TooLarge {
        /// The file.
        path: String,
        /// Width that its header states, in pixels.
        width: u32,
        /// Height that its header states, in pixels.
        height: u32,
        /// The longest side allowed.
        side: u32,
        /// The maximum number of pixels.
        pixels: u64,
    },
    #[cfg(feature = "masks")]
    /// An image has no texture for masks; the study's author chooses another kind of masks.
    #[error("{path}: no mask can be made: {source}", path = shown(.path))]
    Texture {
        /// The image.
        path: String,
        /// Why.
        source: TextureError,
    },
    #[cfg(feature = "masks")]
    /// No mask of an image hides it; the study's author chooses another kind of masks, or other images.
    #[error("{path}: none of {tries} masks hides this image and the others", path = shown(.path))]
    Masked {
        /// The image.
        path: String,
        /// The number of masks made.
        tries: u64,
    },
    /// A file has no bytes; its owner writes it again.
    #[error("{path} is empty", path = shown(.path))]
    Empty {
        /// The file.
        path: String,
    },
    /// A file's content is neither PNG, JPEG nor WebP; the study's author converts it.
    #[error("{path} is neither a PNG, a JPEG nor a WebP: it looks like {resembles}", path = shown(.path))]
    UnknownFormat {
        /// The file.
        path: String,
        /// The format that its first bytes resemble.
        resembles: &'static str,
    },
    /// A file ends before its image does; its owner copies or writes it again.
    #[error("{path} is a {format} cut short: {reason}", path = shown(.path))]
    Truncated {
        /// The file.
        path: String,
        /// The format of its content.
        format: FileFormat,
        /// Where it ends.
        reason: String,
    },
    /// A file's content breaks its format's rules; its owner copies or writes it again.
    #[error("{path} is a damaged {format}: {reason}", path = shown(.path))]
    Corrupt {
        /// The file.
        path: String,
        /// The format of its content.
        format: FileFormat,
        /// The reason.
        reason: String,
    },
    /// A file holds an animation; the study's author stores one frame.
    #[error("{path} is an animated {format}: a stimulus must be a still image", path = shown(.path))]
    Animated {
        /// The file.
        path: String,
        /// The format of its content.
        format: FileFormat,
    },
    /// An image needs more memory or work than allowed; the study's author saves it in a simpler form, or the
    /// caller allows more.
    #[error(
        "{path} is a {format} that needs {wanted} {what} to be decoded, more than the allowed {limit}", path = shown(.path))]
    Greedy {
        /// The file.
        path: String,
        /// The format of its content.
        format: FileFormat,
        /// The exceeded resource, in words.
        what: &'static str,
        /// The required amount.
        wanted: u64,
        /// The maximum.
        limit: u64,
    },
    /// An image's colours cannot be shown on an ordinary display; the study's author converts it to
    /// sRGB.
    #[error("{path} is a {format} whose colours cannot be shown in sRGB: {reason}", path = shown(.path))]
    Colours {
        /// The file.
        path: String,
        /// The format of its content.
        format: FileFormat,
        /// The reason.
        reason: String,
    },
    /// A file does not have the expected digest; its owner restores the original, or the study is created
    /// again.
    #[error("{path} has changed: its digest is {found}, not {wanted}", path = shown(.path))]
    OtherContent {
        /// The file.
        path: String,
        /// The digest that it should have.
        wanted: ContentDigest,
        /// The digest that it has.
        found: ContentDigest,
    },
    /// An image cannot be resized to the requested size; the study's author chooses another.
    #[error("{path} cannot be brought to its size: {source}", path = shown(.path))]
    Framing {
        /// The file.
        path: String,
        /// Why not.
        source: PictureError,
    },
    /// A picture of this size cannot be drawn; the caller chooses another.
    #[error("a picture's side must be {least} to {most} pixels, got {size}")]
    Size {
        /// The requested side, in pixels.
        size: u32,
        /// The minimum.
        least: u32,
        /// The maximum.
        most: u32,
    },
    /// A file or folder cannot be written; the operator grants access or frees space.
    #[error("{path} cannot be written: {source}", path = shown(.path))]
    Write {
        /// The file or folder.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
}

/// Several files are at fault; their owners correct them.
///
/// Never empty; in the order of the files inspected.
#[derive(Debug)]
pub struct Faults(pub Vec<ImageError>);

/// The number of faults that a message lists; the caller has all of them.
const FAULTS_LISTED: usize = 3;

impl Faults {
    /// The faults of each kind, in the order of the first of each.
    #[must_use]
    pub fn into_kinds(self) -> Vec<Self> {
        let mut kinds: Vec<Self> = Vec::new();
        for fault in self.0 {
            let kind = std::mem::discriminant(&fault);
            match kinds.iter_mut().find(|known| std::mem::discriminant(&known.0[0]) == kind) {
                Some(known) => known.0.push(fault),
                None => kinds.push(Self(vec![fault])),
            }
        }
        kinds
    }
}

impl std::error::Error for Faults {}

/// A single fault; for several, their number and the first one.
impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [fault] = self.0.as_slice() {
            return write!(f, "{fault}");
        }
        write!(f, "{} images cannot be used: ", self.0.len())?;
        for (index, fault) in self.0.iter().take(FAULTS_LISTED).enumerate() {
            let comma = if index == 0 { "" } else { "; " };
            write!(f, "{comma}{fault}")?;
        }
        match self.0.len().saturating_sub(FAULTS_LISTED) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

/// The nearest existing match of a pattern's target.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Nearest {
    /// The folder exists and contains other entries.
    Folder {
        /// The folder, as written in the pattern.
        folder: String,
        /// Its files by extension.
        files: ExtensionCounts,
        /// The names of its folders, sorted.
        folders: Vec<String>,
    },
    /// The folder does not exist.
    NoFolder {
        /// The folder, as written in the pattern.
        missing: String,
        /// The nearest folder above it that exists.
        existing: String,
        /// The names in that folder, sorted.
        children: Vec<String>,
    },
}

/// Numbers of files by extension (`*.jpg`, or `no extension`), the most frequent first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExtensionCounts(pub Vec<(String, usize)>);

/// The number of names that a message lists before it counts the rest.
const NAMES_LISTED: usize = 8;

impl fmt::Display for ExtensionCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(kind, _)] = self.0.as_slice() else {
            let names: Vec<String> = self.0.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
            return write_list(f, &names);
        };
        f.write_str(&shown(kind))
    }
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder { folder, files, folders } => {
                let count: usize = files.0.iter().map(|kind| kind.1).sum();
                match (count, folders.is_empty()) {
                    (0, true) => write!(f, "{} is empty", shown(folder)),
                    (0, false) => {
                        write!(f, "{} holds only folders: ", shown(folder))?;
                        write_list(f, folders)
                    }
                    (_, no_folders) => {
                        let plural = if count == 1 { "" } else { "s" };
                        write!(f, "{} holds {count} file{plural}, {files}", shown(folder))?;
                        if no_folders {
                            return Ok(());
                        }
                        f.write_str(", and the folders ")?;
                        write_list(f, folders)
                    }
                }
            }
            Self::NoFolder { missing, existing, children } => {
                write!(f, "{} does not exist; {} ", shown(missing), shown(existing))?;
                if children.is_empty() {
                    return f.write_str("is empty");
                }
                f.write_str("holds ")?;
                write_list(f, children)
            }
        }
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, names: &[String]) -> fmt::Result {
    f.write_str(&shown(&names[..names.len().min(NAMES_LISTED)].join(", ")))?;
    match names.len().saturating_sub(NAMES_LISTED) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}
