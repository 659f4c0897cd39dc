//! The checks of adaptive procedures.

use hype_core::Diagnostics;

use crate::tasks::hype_time::settings::Adaptive;

/// Checks an adaptive procedure of blocks with at most this many trials, at its path.
pub(super) fn check(settings: &Adaptive, trials: u32, at: &mut Diagnostics) {
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
