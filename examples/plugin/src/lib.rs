//! An example of a plugin: a task, a rubric, an aggregator, a metric and a figure that hype does not include.
//!
//! | kind | part | what it does |
//! |---|---|---|
//! | `yes_no` | task | one image at a time for a limited time, then the questions of a rubric |
//! | `yes_no` | rubric | is it real? The share of right answers, and any questionnaire below it |
//! | `median_by_model` | aggregator | the median over raters with its bootstrap interval |
//! | `first_option` | backend | raters who take the first option without looking |
//! | `notice_board` | platform | people who read a notice board, all in memory (feature `crowd`) |
//! | `colourfulness` | metric | how colourful outputs are, to compare with raters' answers |
//! | `spread` | figure | the middle half of raters with their median, in reports |
//!
//! A plugin is an ordinary library crate with one dependency, `hype`, whose prelude has the traits, the derives and the
//! macros. It implements a trait for each part, and a `register_*!` macro makes the type known under its `kind` in specs.
//! Everything else follows from the type: its fields are the settings in YAML, `serde` gives their defaults, `schemars`
//! their schema, and the doc comments are the descriptions that editors show.
//!
//! A program uses the plugin by linking it. A crate that is only listed in `Cargo.toml` is left out by the linker, so
//! the program names it once: `use hype_example_plugin as _;`.

mod colourfulness;
mod first_option;
mod median;
#[cfg(feature = "crowd")]
mod notice_board;
mod spread;
mod yes_no;

pub use colourfulness::Colourfulness;
pub use first_option::FirstOption;
pub use median::{MedianByModel, Sums};
#[cfg(feature = "crowd")]
pub use notice_board::{NoticeBoard, NoticeBoardBackend, NoticeBoardSettings};
pub use spread::spread;
pub use yes_no::{YesNo, YesNoRubric, YesNoState};
