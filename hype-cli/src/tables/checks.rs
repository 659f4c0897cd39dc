//! The quality checks of raters.

use hype_core::model::findings::{CheckFindings, Flagged};
use hype_core::words::counted;
use hype_core::{CheckState, Consequence};

use crate::grid::Grid;

use super::Page;

/// The number of flagged raters printed; the JSON findings contain all of them.
const ROWS: usize = 20;

/// Writes how many raters pass each check, and which raters fail it or cannot be judged.
pub(super) fn checks_on(page: &mut Page, checks: &[CheckFindings]) {
    if checks.is_empty() {
        return;
    }
    page.line(format_args!("\nquality checks of raters who completed the study"));
    let mut table = Grid::new(["check", "pass", "fail", "unclear", "consequence"]).right_from(1);
    for check in checks {
        let consequence = match check.consequence {
            Consequence::Flag => "flagged",
            Consequence::Exclude => "excluded",
        };
        table.row([
            check.name.to_string(),
            check.passed.to_string(),
            check.failed.to_string(),
            check.unclear.to_string(),
            consequence.to_owned(),
        ]);
    }
    page.table(&table);
    let flagged = || checks.iter().flat_map(|check| check.flagged.iter().map(move |one| (check, one)));
    for (check, Flagged { rater, state, why }) in flagged().take(ROWS) {
        let state = if *state == CheckState::Fail { "fails" } else { "unclear" };
        page.line(format_args!("{rater}: {} {state}: {why}", check.name));
    }
    if let Some(rest) = flagged().count().checked_sub(ROWS).filter(|&rest| rest > 0) {
        page.line(format_args!("{} with --json", counted(rest, "more flag")));
    }
}
