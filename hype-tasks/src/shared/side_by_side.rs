//! What the tasks share that set images side by side: who is dealt what, what is shown of an item, and the pages.

mod by_item;
mod course;
mod deal;
mod lineups;
mod pace;
mod page;
mod scoring;

pub(crate) use self::by_item::ByItem;

pub(crate) use self::course::{Course, Sequence, Showing};
pub(crate) use self::deal::{Dealt, Deck, Hand};
pub(crate) use self::lineups::{Lineup, Lineups, Size, contenders, item_name};
pub(crate) use self::pace::{Pace, check_raters, raters};
pub(crate) use self::page::{check_text, image_options, label, place_of, wording};
pub(crate) use self::scoring::{score_error, wrong_task};
