//! Any bytes are read as a clip or a text, or refused; what is written of a clip is a clip of the same frames.

use hype_media::text::{self, Syntax};
use hype_media::video::{self, Rewriting};

/// Probes and rewrites the bytes as a clip, and renders them as a text.
///
/// # Panics
/// If a reader or a writer is at fault.
pub fn run(bytes: &[u8]) {
    clip(bytes);
    document(bytes);
}

fn clip(bytes: &[u8]) {
    let Ok(facts) = video::probe("fuzz", bytes) else { return };
    let cuts = video::cuts("fuzz", bytes).expect("a clip that is probed has frames");
    assert_eq!(cuts.last(), Some(&facts.frames));
    for (sound, cut_to_frames) in [(false, None), (true, None), (false, cuts.first().copied())] {
        let options = Rewriting { sound, pad_to: None, cut_to_frames };
        let Ok(written) = video::rewrite("fuzz", bytes, options) else { continue };
        let found = video::probe("fuzz", &written).expect("a clip that is written can be read");
        assert_eq!(found.frames, cut_to_frames.unwrap_or(facts.frames));
        let again = video::rewrite("fuzz", &written, Rewriting { cut_to_frames: None, ..options });
        // Of damaged sound, the end may be rounded once more.
        assert!(
            again.is_ok_and(|again| sound || again == written),
            "a clip changes when it is rewritten again"
        );
    }
}

fn document(bytes: &[u8]) {
    let Ok(document) = text::document("fuzz", bytes) else { return };
    for syntax in [Syntax::Plain, Syntax::Markdown] {
        if let Ok(html) = text::render("fuzz", &document, syntax) {
            for barred in ["<a", "<img", "<script", "<style", "<svg", "<!--", "<iframe"] {
                assert!(!html.contains(barred), "{barred} in {html}");
            }
        }
        let _ = text::facts(&document, syntax);
        let _ = text::warnings(&document, syntax, &["model"]);
    }
    assert_eq!(text::scramble(&document, 1).len(), document.len());
}
