//! HEIM's questions to people (Lee et al. 2023, appendix C) and its released answers.

use std::path::Path;

use hype_tasks::questionnaires::heim as rubrics;

mod jsonl;

pub use self::jsonl::{HeimFields, heim_jsonl};
pub use hype_tasks::questionnaires::heim::option_of;

/// One of the aspects that HEIM asks people about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeimAspect {
    /// Its name, which is also the name of the measure.
    pub name: &'static str,
    /// Its name in HEIM's own files: the answer column of its Mechanical Turk batches.
    pub column: &'static str,
    /// Its name in the file names of HEIM's release.
    pub file: &'static str,
    /// The options in order; the score of an answer is its position, from 1.
    pub options: &'static [&'static str],
}

/// All aspects.
pub const ASPECTS: [HeimAspect; 5] = [
    HeimAspect {
        name: rubrics::Aspect::Alignment.id(),
        column: "image_text_alignment_human",
        file: "alignment",
        options: rubrics::Aspect::Alignment.answers(),
    },
    HeimAspect {
        name: rubrics::Aspect::Photorealism.id(),
        column: "photorealism_human",
        file: "photorealism",
        options: rubrics::Aspect::Photorealism.answers(),
    },
    HeimAspect {
        name: rubrics::Aspect::SubjectClarity.id(),
        column: "clear_subject_human",
        file: "clear_subject",
        options: rubrics::Aspect::SubjectClarity.answers(),
    },
    HeimAspect {
        name: rubrics::Aspect::Aesthetics.id(),
        column: "aesthetics_human",
        file: "aesthetics",
        options: rubrics::Aspect::Aesthetics.answers(),
    },
    HeimAspect {
        name: rubrics::Aspect::Originality.id(),
        column: "originality_human",
        file: "originality",
        options: rubrics::Aspect::Originality.answers(),
    },
];

impl HeimAspect {
    /// The aspect with a name; `-` and `_` are the same.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().replace('-', "_");
        ASPECTS.into_iter().find(|aspect| aspect.name == name || aspect.file == name)
    }

    /// The aspect in the name of a released file, such as `clear_subject_train.jsonl`.
    #[must_use]
    pub fn of_file(path: &Path) -> Option<Self> {
        let stem = path.file_stem()?.to_str()?;
        ASPECTS.into_iter().find(|aspect| {
            stem.strip_prefix(aspect.file)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '-', '.']))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apostrophes_and_blanks_make_no_difference() {
        let originality = HeimAspect::named("originality").unwrap();
        let curly =
            " I\u{2019}ve seen  something like this\u{a0}before to the point it\u{2019}s become\ntiresome. ";
        assert_eq!(option_of(curly, originality.options), Some(1));
        assert_eq!(option_of("Neutral", originality.options), None);
        let clarity = HeimAspect::named("subject-clarity").unwrap();
        assert_eq!(option_of("Yes, it`s clear.", clarity.options), Some(3));
    }

    #[test]
    fn released_files_name_their_aspect() {
        for (file, want) in [
            ("data/clear_subject_train.jsonl", Some("subject_clarity")),
            ("alignment.jsonl", Some("alignment")),
            ("alignments.jsonl", None),
        ] {
            assert_eq!(HeimAspect::of_file(Path::new(file)).map(|aspect| aspect.name), want);
        }
    }
}
