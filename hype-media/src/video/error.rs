//! Errors of reading and rewriting clips.

use crate::shown::{shown, word};

/// A clip could not be read or rewritten. Every variant names the clip; where a program can convert it, the message
/// ends with the command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VideoError {
    /// The container, the codec or a feature of them is not supported; the study's author converts the clip.
    #[error("{name} {found}; convert it with `{command}`", name = shown(.name), command = command(.name, *.conversion))]
    Unsupported {
        /// The clip.
        name: String,
        /// The fault, as the rest of a sentence that begins with the clip's name.
        found: String,
        /// The command that converts it.
        conversion: Conversion,
    },
    /// The file ends before its content does; its owner copies it again.
    #[error("{name} is incomplete: {reason}", name = shown(.name))]
    Truncated {
        /// The clip.
        name: String,
        /// The reason, which names what is missing.
        reason: String,
    },
    /// The file contradicts its format; its owner makes it again.
    #[error("{name} is damaged: {reason}", name = shown(.name))]
    Corrupt {
        /// The clip.
        name: String,
        /// The contradiction.
        reason: String,
    },
    /// The clip exceeds a limit of [`limits`](super::limits); the study's author makes it smaller.
    #[error("{name} has {wanted} {what}, more than the {limit} allowed", name = shown(.name))]
    TooLarge {
        /// The clip.
        name: String,
        /// The unit of what is counted.
        what: &'static str,
        /// The size that the file has or states.
        wanted: u64,
        /// The maximum.
        limit: u64,
    },
    /// The clip cannot be cut at this frame, since a frame that stays needs a later one; the caller cuts it
    /// elsewhere.
    #[error(
        "{name} cannot be cut to {wanted} frames without loss, because a frame that stays is coded from a later one; \
         {nearest} frames are possible", name = shown(.name))]
    Cut {
        /// The clip.
        name: String,
        /// The number of frames asked for.
        wanted: u32,
        /// The largest smaller number of frames that is possible.
        nearest: u32,
    },
    /// The clip has fewer frames than it is to be cut to; the caller asks for fewer.
    #[error("{name} has {frames} frames and cannot be cut to {wanted}", name = shown(.name))]
    TooShort {
        /// The clip.
        name: String,
        /// Its number of frames.
        frames: u32,
        /// The number of frames asked for.
        wanted: u32,
    },
    /// The rewritten clip is longer than the length to which it is to be padded; the caller chooses a longer one.
    #[error("{name} takes {bytes} bytes and cannot be padded to {wanted}", name = shown(.name))]
    Padding {
        /// The clip.
        name: String,
        /// The length of the rewritten file without padding.
        bytes: u64,
        /// The length asked for.
        wanted: u64,
    },
}

/// How `ffmpeg` makes a clip readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Conversion {
    /// The coded pictures are copied into a new container, without loss.
    Remux,
    /// The pictures are coded again, as H.264.
    Encode,
    /// The pictures are copied and the sound is coded again, as AAC.
    Sound,
}

/// The command that converts a clip.
fn command(name: &str, conversion: Conversion) -> String {
    let folder = name.rfind('/').map_or(0, |slash| slash + 1);
    let stem = name[folder..].rfind('.').filter(|dot| *dot > 0).map_or(name, |dot| &name[..folder + dot]);
    // Patterns of the study match the converted clip in place of the original.
    let (original, input) = (word(name), word(&format!("{name}.original")));
    let output = word(&format!("{stem}.mp4"));
    let converting = match conversion {
        Conversion::Remux => format!("ffmpeg -i {input} -map 0:v:0 -map 0:a:0? -c copy {output}"),
        Conversion::Encode => {
            format!("ffmpeg -i {input} -map 0:v:0 -map 0:a:0? -c:v libx264 -crf 12 -pix_fmt yuv420p {output}")
        }
        Conversion::Sound => {
            format!("ffmpeg -i {input} -map 0:v:0 -map 0:a:0 -c:v copy -c:a aac -b:a 256k {output}")
        }
    };
    format!("mv {original} {input} && {converting}")
}

/// Why a clip is refused, before its name is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flaw {
    Unsupported(String, Conversion),
    Truncated(String),
    Corrupt(String),
    TooLarge { what: &'static str, wanted: u64, limit: u64 },
    Cut { wanted: u32, nearest: u32 },
    TooShort { frames: u32, wanted: u32 },
    Padding { bytes: u64, wanted: u64 },
}

impl Flaw {
    pub(crate) fn corrupt(reason: impl Into<String>) -> Self {
        Self::Corrupt(reason.into())
    }

    pub(crate) fn truncated(reason: impl Into<String>) -> Self {
        Self::Truncated(reason.into())
    }

    /// Something that another container would express otherwise.
    pub(crate) fn remux(found: impl Into<String>) -> Self {
        Self::Unsupported(found.into(), Conversion::Remux)
    }

    /// Something that only new coding can change.
    pub(crate) fn encode(found: impl Into<String>) -> Self {
        Self::Unsupported(found.into(), Conversion::Encode)
    }

    /// Refuses what exceeds a limit.
    pub(crate) fn bound(what: &'static str, wanted: usize, limit: usize) -> Result<(), Self> {
        if wanted > limit {
            return Err(Self::TooLarge { what, wanted: wanted as u64, limit: limit as u64 });
        }
        Ok(())
    }

    /// The error, as reported to the owner of the clip.
    pub(crate) fn of(self, name: &str) -> VideoError {
        let name = name.to_owned();
        match self {
            Self::Unsupported(found, conversion) => VideoError::Unsupported { name, found, conversion },
            Self::Truncated(reason) => VideoError::Truncated { name, reason },
            Self::Corrupt(reason) => VideoError::Corrupt { name, reason },
            Self::TooLarge { what, wanted, limit } => VideoError::TooLarge { name, what, wanted, limit },
            Self::Cut { wanted, nearest } => VideoError::Cut { name, wanted, nearest },
            Self::TooShort { frames, wanted } => VideoError::TooShort { name, frames, wanted },
            Self::Padding { bytes, wanted } => VideoError::Padding { name, bytes, wanted },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_end_with_a_command_for_the_shell() {
        let error = Flaw::encode("has MPEG-4 pictures (`mp4v`)").of("a b/it's.old.avi");
        assert_eq!(
            error.to_string(),
            "a b/it's.old.avi has MPEG-4 pictures (`mp4v`); convert it with `mv 'a b/it'\\''s.old.avi' \
             'a b/it'\\''s.old.avi.original' && ffmpeg -i 'a b/it'\\''s.old.avi.original' -map 0:v:0 -map 0:a:0? \
             -c:v libx264 -crf 12 -pix_fmt yuv420p 'a b/it'\\''s.old.mp4'`"
        );
        let error = Flaw::remux("x").of("-y.d/clip").to_string();
        assert!(
            error.contains("-i ./-y.d/clip.original -map") && error.contains("-c copy ./-y.d/clip.mp4`"),
            "{error}"
        );
        let error = Flaw::truncated("x").of("a\u{1b}[2J\u{202e}").to_string();
        assert_eq!(error, "a\\u{1b}[2J\\u{202e} is incomplete: x");
    }
}
