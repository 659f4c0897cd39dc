//! Other studies whose participants matter to a study that recruits.

use std::path::Path;

use hype_core::diagnostics::Diagnostics;
use hype_core::study::related::{RelatedStudies, RelatedStudy};
use hype_core::{Digest, Recruitment};

#[cfg(feature = "sqlite")]
use crate::StudyFolder;

/// Opens the studies that a spec names, relative to its folder, and reports those that cannot be used.
pub(super) fn find(recruitment: &Recruitment, folder: &Path, at: &mut Diagnostics) -> RelatedStudies {
    let mut found = RelatedStudies::default();
    at.within("raters", |at| {
        if let Some(named) = &recruitment.qualified_by {
            found.qualified_by = at.within("qualified_by", |at| open(folder, named, Named::AsPool, at));
        }
        at.within("exclude_participants_of", |at| {
            for (index, named) in recruitment.exclude_participants_of.iter().enumerate() {
                let other = at.within_item(index, |at| open(folder, named, Named::ToExclude, at));
                found.excluded.extend(other);
            }
        });
    });
    found
}

/// Reports that a study names itself.
pub(super) fn check(related: &RelatedStudies, own: Digest, at: &mut Diagnostics) {
    let mut report = |field: &str| {
        at.within("raters", |at| {
            at.field(field)
                .error("own-study", "this is the study itself")
                .help("remove it: raters take part in one study only once");
        });
    };
    if related.qualified_by.as_ref().is_some_and(|other| other.digest == own) {
        report("qualified_by");
    }
    if related.excluded.iter().any(|other| other.digest == own) {
        report("exclude_participants_of");
    }
}

/// Why a study is named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// Its raters who have qualified take part.
    AsPool,
    /// Its raters cannot take part.
    ToExclude,
}

#[cfg(not(feature = "sqlite"))]
fn open(_: &Path, named: &str, _: Named, at: &mut Diagnostics) -> Option<RelatedStudy> {
    at.error("missing-feature", format!("`{named}` is kept in SQLite, which this program was built without"))
        .help("build it with the feature `sqlite`");
    None
}

#[cfg(feature = "sqlite")]
fn open(folder: &Path, named: &str, why: Named, at: &mut Diagnostics) -> Option<RelatedStudy> {
    let opened = match StudyFolder::read(&folder.join(named)) {
        Ok(opened) => opened,
        Err(error) => {
            at.error("no-study", error.to_string()).help(
                "name the folder of a study that was collected, relative to the spec, such as `faces.study`",
            );
            return None;
        }
    };
    if opened.is_simulated() {
        at.error("simulated-study", format!("the raters of `{named}` are synthetic"))
            .help("name a study that people have taken part in");
        return None;
    }
    if why == Named::AsPool && opened.study().raters().qualification.is_none() {
        at.error("no-qualification", format!("`{named}` has no qualification that raters could have passed"))
            .help("name a study with a qualification, or remove `qualified_by`");
        return None;
    }
    Some(RelatedStudy { digest: opened.study().digest(), store: opened.shared_store() })
}
