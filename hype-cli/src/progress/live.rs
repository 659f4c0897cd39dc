//! The state of a collection, in a few lines below the bar.

use std::fmt::Write as _;

use hype_core::model::findings::MeasureFindings;
use hype_core::study::backend::{LiveRecruiting, LiveStatus};

/// The number of models shown; the operator's page shows all of them.
const MODELS: usize = 6;

/// Formats the lines.
pub(super) fn lines(live: &LiveStatus) -> String {
    let mut text = format!(
        "  raters now {} · completed {} · given up {} · places left {}",
        live.held, live.done, live.given_up, live.free
    );
    // Writing to a string cannot fail.
    if let Some(room) = live.waiting.filter(|room| !room.is_called) {
        let _ = write!(text, " · waiting {} of {}: `hype crowd call` begins", room.waiting, room.raters);
    }
    if let Some((currency, spent)) = &live.spent {
        let _ = write!(text, " · earned {spent} {currency}");
    }
    if let Some(recruiting) = &live.recruiting {
        text.push_str(&recruited(recruiting));
    }
    let Some(findings) = &live.findings else { return text };
    if let Some(collected) = &findings.collected {
        let _ = write!(text, "\n  answers {}", collected.responses);
        let _ = write!(text, " · left {} · disqualified {}", collected.left, collected.disqualified);
        if collected.screened_out > 0 {
            let _ = write!(text, " · screened out {}", collected.screened_out);
        }
    }
    if let Some(timing) = findings.timing.as_ref().filter(|timing| timing.displayed > 0) {
        let share = 100.0 * timing.exact as f64 / timing.displayed as f64;
        let void: u64 = timing.disturbed.values().sum();
        let _ = write!(text, " · shown exactly {share:.1} %, suspect {}, void {void}", timing.suspect);
    }
    if let Some(measure) = findings.measures.first() {
        text.push_str(&estimates(measure));
    }
    text
}

fn recruited(recruiting: &LiveRecruiting) -> String {
    let LiveRecruiting { panel, currency, .. } = recruiting;
    let mut text = format!(
        "\n  {panel}: recruited {} · working {} · returned {} · to review {} · paid {} {currency}, with fees and promises {}",
        recruiting.recruited,
        recruiting.working,
        recruiting.returned,
        recruiting.to_review,
        recruiting.paid,
        recruiting.committed,
    );
    // Writing to a string cannot fail.
    if let Some(limit) = recruiting.limit {
        let _ = write!(text, " of {limit}");
    }
    if !recruiting.is_reached {
        let _ = write!(text, " · {panel} cannot be reached and is asked again");
    }
    text
}

fn estimates(measure: &MeasureFindings) -> String {
    let mut text = String::new();
    for estimate in measure.estimates.iter().take(MODELS) {
        let _ = write!(text, "\n  {}: {:.4}", estimate.model, estimate.value);
        if let Some(interval) = &estimate.interval {
            let _ = write!(text, " [{:.4}, {:.4}]", interval.low, interval.high);
        }
    }
    if let Some(more) = measure.estimates.len().checked_sub(MODELS).filter(|more| *more > 0) {
        let _ = write!(text, "\n  and {more} more");
    }
    text
}

#[cfg(test)]
mod tests {
    use hype_core::Amount;

    use super::*;

    #[test]
    fn recruiting_has_a_line_of_its_own() {
        let recruiting = LiveRecruiting {
            panel: "Prolific".into(),
            recruited: 12,
            working: 3,
            returned: 2,
            to_review: 1,
            paid: Amount(9_500_000),
            committed: Amount(18_000_000),
            limit: Some(Amount(60_000_000)),
            currency: "GBP".into(),
            is_reached: true,
        };
        assert_eq!(
            recruited(&recruiting),
            "\n  Prolific: recruited 12 · working 3 · returned 2 · to review 1 · paid 9.50 GBP, with fees and promises 18.00 of \
             60.00"
        );
        let lost = LiveRecruiting { limit: None, is_reached: false, ..recruiting };
        assert!(recruited(&lost).ends_with("promises 18.00 · Prolific cannot be reached and is asked again"));
    }
}
