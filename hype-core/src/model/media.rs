//! Media: the kinds of files that stimuli can be.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of media. All sets that a task shows are of one kind.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum MediaKind {
    /// Still images.
    #[default]
    Image,
    /// Video clips.
    Video,
    /// Texts.
    Text,
}

impl MediaKind {
    /// The kind's word for several stimuli.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Image => "images",
            Self::Video => "clips",
            Self::Text => "texts",
        }
    }

    /// The field of a set's files in a spec.
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            Self::Image => "images",
            Self::Video => "videos",
            Self::Text => "texts",
        }
    }

    /// The names of the facts of such files: see [`Media::facts`].
    #[must_use]
    pub const fn facts(self) -> &'static [&'static str] {
        match self {
            Self::Image => &[],
            Self::Video => &["duration"],
            Self::Text => &["characters", "words", "headings", "list_items", "bold"],
        }
    }

    /// Whether it is the kind of images, the default.
    #[must_use]
    pub const fn is_image(&self) -> bool {
        matches!(self, Self::Image)
    }
}

impl fmt::Display for MediaKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Image => "image",
            Self::Video => "clip",
            Self::Text => "text",
        })
    }
}

/// The kind of file that a stimulus is, with the properties known of every such file.
///
/// The enum is exhaustive on purpose: a new kind of media has to be handled wherever a stimulus is checked, shown or
/// listed, and the compiler names those places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Media {
    /// A video clip.
    Video {
        /// Width in pixels, as shown.
        width: u32,
        /// Height in pixels, as shown.
        height: u32,
        /// The number of frames that are shown.
        frames: u32,
        /// From the beginning of the first frame to the end of the last, in microseconds.
        duration_us: u64,
    },
    /// A text. Headings, list items and bold spans are those of Markdown, and 0 in plain text.
    Text {
        /// Characters that are shown.
        characters: u32,
        /// Words that are shown.
        words: u32,
        /// Lines that are not blank.
        lines: u32,
        /// Headings.
        headings: u32,
        /// Items of lists.
        list_items: u32,
        /// Spans in bold.
        bold: u32,
    },
    /// A still image.
    Image {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
}

impl Media {
    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> MediaKind {
        match self {
            Self::Image { .. } => MediaKind::Image,
            Self::Video { .. } => MediaKind::Video,
            Self::Text { .. } => MediaKind::Text,
        }
    }

    /// Width and height in pixels; `None` for texts, which take the size of their place.
    #[must_use]
    pub const fn size(&self) -> Option<(u32, u32)> {
        match *self {
            Self::Image { width, height } | Self::Video { width, height, .. } => Some((width, height)),
            Self::Text { .. } => None,
        }
    }

    /// The measures by which preferences can be adjusted, by name: the duration of a clip in seconds; the length and the
    /// style of a text. Images have none.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, f64)> {
        let values = match *self {
            Self::Image { .. } => Vec::new(),
            Self::Video { duration_us, .. } => vec![duration_us as f64 / 1e6],
            Self::Text { characters, words, headings, list_items, bold, .. } => {
                [characters, words, headings, list_items, bold].map(f64::from).to_vec()
            }
        };
        self.kind().facts().iter().copied().zip(values).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_is_read_back_as_what_it_was() {
        let clip = Media::Video { width: 8, height: 6, frames: 50, duration_us: 2_000_000 };
        let text = Media::Text { characters: 9, words: 2, lines: 1, headings: 0, list_items: 0, bold: 1 };
        let image = Media::Image { width: 8, height: 6 };
        for media in [clip, text, image] {
            let stored = serde_json::to_value(media).unwrap();
            assert_eq!(serde_json::from_value::<Media>(stored).unwrap(), media);
        }
        assert_eq!(serde_json::to_value(image).unwrap(), json!({ "width": 8, "height": 6 }));
        assert_eq!([clip, text, image].map(|media| media.size()), [Some((8, 6)), None, Some((8, 6))]);
        assert_eq!(clip.facts(), [("duration", 2.0)]);
        assert_eq!(text.facts()[1], ("words", 2.0));
    }
}
