//! The checks of adaptive procedures.

use hype_core::{Diagnostics, NumberBounds};

use crate::tasks::hype_time::settings::{Adaptive, LAPSES, POINTS_AT_MOST, SLOPE, VALUES_AT_MOST, WIDTH};

/// Checks an adaptive procedure of blocks with at most this many trials, at its path.
pub(super) fn check(settings: &Adaptive, trials: u32, at: &mut Diagnostics) {
    settings.levels.check("levels", at);
    at.within("prior", |at| {
        settings.prior.thresholds.check("thresholds", at);
        check_values("slopes", &settings.prior.slopes, SLOPE, at);
        check_values("lapses", &settings.prior.lapses, LAPSES, at);
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
        WIDTH.check("sd_ms", stop.sd_ms, at);
        stop.at_least.check("at_least", at);
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

fn check_values(field: &str, values: &[f64], bounds: NumberBounds, at: &mut Diagnostics) {
    if values.is_empty() || values.len() > VALUES_AT_MOST {
        at.field(field)
            .error("out-of-range", format!("{field} has {} values", values.len()))
            .help(format!("list from 1 to {VALUES_AT_MOST} numbers"));
    }
    values.iter().take(VALUES_AT_MOST).for_each(|&value| bounds.check(field, value, at));
    if values.windows(2).any(|pair| pair[0] >= pair[1]) {
        at.field(field)
            .error("not-ascending", format!("{field} are not in ascending order"))
            .help("list each number once, the smallest first");
    }
}
