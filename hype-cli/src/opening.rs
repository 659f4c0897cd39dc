//! Opening a study for a command.

use hype::{OpenedStudy, Opening};
use hype_core::study::spec::Spec;

use super::failure::{Failure, eprint};
use super::progress::PartBars;

/// Opens a study, with a bar unless `quiet`, and prints its warnings.
pub(crate) fn open(
    opening: Opening<'_>,
    quiet: bool,
    adjust: impl FnOnce(&mut Spec),
) -> Result<OpenedStudy, Failure> {
    let bar = PartBars::new("reading", !quiet);
    let opened = opening.watched_by(&bar).open(adjust);
    bar.finish();
    let opened = opened?;
    if !opened.warnings.is_empty() {
        eprint(&opened.warnings, &opened.path.display().to_string(), opened.document.text());
    }
    Ok(opened)
}
