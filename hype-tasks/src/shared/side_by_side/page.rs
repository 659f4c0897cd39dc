//! The texts next to the images.

use std::sync::Arc;

use hype_core::Diagnostics;
use hype_core::model::trial::ChoiceOption;

/// The maximum number of images that letters can label.
pub(crate) const MOST_IMAGES: usize = 26;

/// The letter beneath an image, by its position.
pub(crate) fn label(place: usize) -> Arc<str> {
    let letter = b'A' + (place % MOST_IMAGES) as u8;
    char::from(letter).to_string().into()
}

/// The position of an image by the letter beneath it.
pub(crate) fn place_of(letter: &str, images: usize) -> Option<usize> {
    (0..images.min(MOST_IMAGES)).find(|&place| *label(place) == *letter)
}

/// One option for each image, chosen by its letter.
pub(crate) fn image_options(images: usize) -> Vec<ChoiceOption> {
    (0..images)
        .map(|place| {
            let letter = label(place);
            let key = letter.chars().next().map(|letter| letter.to_ascii_lowercase());
            ChoiceOption::new(&letter, &letter, key)
        })
        .collect()
}

/// A question with its criterion, if there is one.
pub(crate) fn wording(question: &str, criterion: Option<&str>) -> String {
    match criterion {
        None => question.to_owned(),
        Some(criterion) => format!("{question} Judge by {}.", criterion.trim_end_matches('.')),
    }
}

/// Checks that a text is not empty.
pub(crate) fn check_text(text: &str, field: &str, example: &str, at: &mut Diagnostics) {
    if text.trim().is_empty() {
        at.field(field)
            .error("empty-text", format!("{field} is empty"))
            .help(format!("write a text such as \"{example}\", or leave `{field}` out"));
    }
}
