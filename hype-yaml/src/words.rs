//! Wording of messages.

use std::fmt::Display;

/// A number with its noun, in the plural unless the number is one.
///
/// The plural is the regular one: an `s`, or `ies` for a `y` after a consonant.
///
/// # Examples
/// ```
/// use hype_yaml::words::counted;
/// assert_eq!(counted(1, "rater"), "1 rater");
/// assert_eq!(counted(0, "entry"), "0 entries");
/// assert_eq!(counted(3, "day"), "3 days");
/// ```
#[must_use]
pub fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    if count == "1" {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}

/// The names in a sentence: all of up to three, or the first two and how many more there are.
///
/// # Examples
/// ```
/// use hype_yaml::words::first_few;
/// assert_eq!(first_few(&["a", "b", "c"]), "a, b and c");
/// assert_eq!(first_few(&["a", "b", "c", "d"]), "a, b and 2 more");
/// ```
#[must_use]
pub fn first_few<T: AsRef<str>>(names: &[T]) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [one, other] => format!("{} and {}", one.as_ref(), other.as_ref()),
        [one, other, last] => format!("{}, {} and {}", one.as_ref(), other.as_ref(), last.as_ref()),
        [one, other, rest @ ..] => format!("{}, {} and {} more", one.as_ref(), other.as_ref(), rest.len()),
    }
}
