//! The checks of adaptive procedures.

use hype_core::Diagnostics;

use crate::tasks::hype_time::settings::{Adaptive, POINTS_AT_MOST, VALUES_AT_MOST};

/// Checks an adaptive procedure of blocks with at most this many trials, at its path.
pub(super) fn check(settings: &Adaptive, trials: u32, at: &mut Diagnostics) {
    at.within("prior", |at| {
        check_values("slopes", &settings.prior.slopes, at);
        check_values("lapses", &settings.prior.lapses, at);
        let points = settings.prior.points();
        if points > POINTS_AT_MOST {
            at.error(
                "grid-too-large",
                format!(
                    "thresholds × slopes × lapses are {points} points, of which each session keeps one number"
                ),
            )
            .help(format!("use at most {POINTS_AT_MOST} points; the default has 1240"));
        }
    });
    let Some(stop) = &settings.stop else { return };
    at.within("stop", |at| {
        if stop.at_least.get() > trials {
            at.field("at_least")
                .error(
                    "never-stops",
                    format!(
                        "a block has at most {trials} trials, fewer than the least number of {}",
                        stop.at_least
                    ),
                )
                .help("use fewer, or more `trials_per_block`");
        }
    });
}

fn check_values(field: &str, values: &[f64], at: &mut Diagnostics) {
    if values.is_empty() || values.len() > VALUES_AT_MOST {
        at.field(field)
            .error("out-of-range", format!("{field} has {} values", values.len()))
            .help(format!("list from 1 to {VALUES_AT_MOST} numbers"));
    }
    if values.windows(2).any(|pair| pair[0] >= pair[1]) {
        at.field(field)
            .error("not-ascending", format!("{field} are not in ascending order"))
            .help("list each number once, the smallest first");
    }
}
