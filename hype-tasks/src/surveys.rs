//! Surveys: what raters are asked about themselves and the session, before and after the task.
//!
//! | kind | asks |
//! |---|---|
//! | `questions` | what the spec says |
//! | `age` | the rater's age, in bands |
//! | `gender` | the rater's gender, by options and in words |
//! | `region` | where the rater lives, by regions of the United Nations |
//! | `expertise` | how much experience the rater has, such as with photography |
//! | `screen` | which device the rater uses, and in which light |
//! | `headphones` | how the rater hears sound |
//! | `colour_vision` | plates of coloured dots, drawn by the program |
//! | `nasa_tlx` | the workload of the session, on six scales |
//! | `comments` | what the rater wants to say |

use hype_core::ChoiceOption;
use hype_core::model::trial::Form;

mod age;
mod colour_vision;
mod comments;
mod expertise;
mod gender;
mod headphones;
mod nasa_tlx;
mod questions;
mod region;
mod screen;

pub use self::age::Age;
pub use self::colour_vision::ColourVision;
pub use self::comments::Comments;
pub use self::expertise::Expertise;
pub use self::gender::Gender;
pub use self::headphones::Headphones;
pub use self::nasa_tlx::NasaTlx;
pub use self::questions::Questions;
pub use self::region::WorldRegion;
pub use self::screen::ScreenAndLight;

/// The value and the label of the option for raters who prefer not to say more.
const NOT_SAID: (&str, &str) = (hype_core::model::facet::NOT_SAID, "Prefer not to say");

/// A choice among options with values and labels.
fn choice<'a>(options: impl IntoIterator<Item = (&'a str, &'a str)>) -> Form {
    let options = options.into_iter().map(|(value, label)| ChoiceOption::new(value, label, None));
    Form::Choice { options: options.collect() }
}
