//! Whether raters pay attention: trials with a known answer and trials that come again, one mechanism for all tasks.
//!
//! All tasks draw the places of such trials the same way ([`among`], [`with_repeats`]). Tasks that show images side by side judge
//! them by the winner of a trial, with an exact rule; `rating` by the shares that its settings name.

mod positions;
mod rule;
mod settings;
mod verdict;

pub(crate) use self::positions::{Presented, among, check_room, with_repeats};
pub use self::settings::{GoldComparisons, RepeatedComparisons};
pub(crate) use self::verdict::{Attention, Winners};
