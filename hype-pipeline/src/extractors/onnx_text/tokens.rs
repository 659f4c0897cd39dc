//! From texts to the numbers of their tokens.

use std::fs;
use std::path::Path;

use hype_core::Digest;
use hype_core::plugin::extractor::ExtractorError;
use tokenizers::{Tokenizer, TruncationParams};

/// The tokenizer of a model.
pub(super) struct TokenReader {
    tokenizer: Tokenizer,
    digest: Digest,
}

/// The tokens of a text, with those that mark its beginning and end.
pub(super) struct Tokens {
    pub(super) ids: Vec<u32>,
    /// Whether the text has more tokens than the model reads.
    pub(super) is_cut: bool,
}

impl TokenReader {
    /// Reads a `tokenizer.json`. Texts are cut after `length` tokens, and what the file says of cutting and filling up does not
    /// count.
    pub(super) fn open(path: &Path, length: usize) -> Result<Self, ExtractorError> {
        let about = |reason: String| ExtractorError::File { path: path.display().to_string(), reason };
        let bytes = fs::read(path).map_err(|error| about(error.to_string()))?;
        let unread = |error: tokenizers::Error| {
            about(format!(
                "it is not a tokenizer: {error}. Name the `tokenizer.json` that is published with the model"
            ))
        };
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(unread)?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(unread)?;
        let marks = tokenizer.encode_fast("", true).map_err(unread)?.len();
        if marks >= length {
            return Err(about(format!(
                "it marks each text with {marks} tokens, and `length` leaves room for {length} in all"
            )));
        }
        let cut = TruncationParams { max_length: length, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(cut)).map_err(unread)?;
        Ok(Self { tokenizer, digest: Digest::of(&bytes) })
    }

    /// The SHA-256 of the file.
    pub(super) const fn digest(&self) -> Digest {
        self.digest
    }

    pub(super) fn tokens(&self, text: &str) -> Result<Tokens, String> {
        let found = self.tokenizer.encode_fast(text, true).map_err(|error| error.to_string())?;
        Ok(Tokens { ids: found.get_ids().to_vec(), is_cut: !found.get_overflowing().is_empty() })
    }
}
