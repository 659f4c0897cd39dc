//! Texts: plain or Markdown, in UTF-8.

use std::path::Path;
use std::sync::Arc;

use hype_core::diagnostics::Diagnostics;
use hype_core::words::{counted, cut};
use hype_core::{Digest, Media, Role, SetId, Stimulus, StimulusSet};
use hype_images::{Cache, ContentDigest, FoundFile};
use hype_media::text::{Syntax, TEXT_BYTES, Warning, document, facts, warnings};

use crate::media::{EXAMPLES, Medium, find_files, read_file};

/// The advice on files of other kinds.
const KINDS: &str = "texts are files that end in .txt, or in .md for Markdown, one text each, in UTF-8";

/// Plain and Markdown files.
pub(crate) enum Texts {}

/// A text that was read.
pub(crate) struct InspectedText {
    path: Arc<str>,
    digest: Digest,
    syntax: Syntax,
    text: String,
}

impl Medium for Texts {
    type Inspected = InspectedText;

    fn find(folder: &Path, patterns: &[String], at: &mut Diagnostics) -> Vec<FoundFile> {
        find_files(folder, patterns, ("texts", "texts", KINDS), |name| Syntax::of_name(name).is_some(), at)
    }

    fn inspect(
        files: &[FoundFile],
        _: &mut Cache,
        progress: &(dyn Fn(usize) + Sync),
        at: &mut Diagnostics,
    ) -> Vec<InspectedText> {
        let (mut texts, mut faults) = (Vec::new(), Vec::new());
        for (done, file) in (1..).zip(files) {
            match inspect(file) {
                Ok(text) => texts.push(text),
                Err(fault) => faults.push(fault),
            }
            progress(done);
        }
        if faults.is_empty() {
            return texts;
        }
        let count = counted(faults.len(), "text");
        at.field("texts")
            .error("bad-text", format!("{count} cannot be shown: {}", cut(faults, EXAMPLES, "; ")))
            .help("correct the files, or remove them");
        Vec::new()
    }

    fn compare(sets: &[StimulusSet], texts: &[Vec<InspectedText>], _: &[Stimulus], at: &mut Diagnostics) {
        let models = sets.iter().filter(|set| set.role == Role::Generated);
        let names: Vec<&str> = models.map(StimulusSet::declared_name).collect();
        for (set, texts) in sets.iter().zip(texts) {
            let mut kinds: [Vec<String>; 3] = Default::default();
            for text in texts {
                for warning in warnings(&text.text, text.syntax, &names) {
                    let (kind, said) = match warning {
                        Warning::Thinking { line, tag } => (0, format!("{}, line {line}: {tag}", text.path)),
                        Warning::CutOff { end } => (1, format!("{} ends in \"{end}\"", text.path)),
                        Warning::Named { line, name } => (2, format!("{}, line {line}: {name}", text.path)),
                        _ => continue,
                    };
                    kinds[kind].push(said);
                }
            }
            let heads = [
                (
                    "thinking-tags",
                    "text",
                    "with tags of a model's thinking",
                    "remove what raters are not to read",
                ),
                ("cut-off", "text", "without the end of a sentence", "raise the limit of the model's output"),
                (
                    "named-model",
                    "text",
                    "with the name of a model of the study",
                    "remove the names, or raters know whom they judge",
                ),
            ];
            at.within("stimuli", |at| {
                at.within(set.declared_name(), |at| {
                    for (said, (code, noun, said_of, help)) in kinds.into_iter().zip(heads) {
                        if !said.is_empty() {
                            let message = format!(
                                "{} {said_of}: {}",
                                counted(said.len(), noun),
                                cut(said, EXAMPLES, "; ")
                            );
                            at.field("texts").warning(code, message).help(help);
                        }
                    }
                });
            });
        }
    }

    fn stimulus(set: SetId, text: &InspectedText) -> Stimulus {
        let facts = facts(&text.text, text.syntax);
        let media = Media::Text {
            characters: facts.characters,
            words: facts.words,
            lines: facts.lines,
            headings: facts.headings,
            list_items: facts.list_items,
            bold: facts.bold,
        };
        Stimulus::new(set, text.digest, Arc::clone(&text.path), media)
    }
}

fn inspect(file: &FoundFile) -> Result<InspectedText, String> {
    let bytes = read_file(file, TEXT_BYTES)?;
    let name = &*file.relative;
    let text = document(name, &bytes).map_err(|error| error.to_string())?;
    if text.trim().is_empty() {
        return Err(format!("{name} is empty"));
    }
    let digest = Digest(ContentDigest::of(&bytes).0);
    let syntax = Syntax::of_name(name).unwrap_or(Syntax::Plain);
    Ok(InspectedText { path: Arc::clone(&file.relative), digest, syntax, text })
}
