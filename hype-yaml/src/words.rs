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
        all => cut(all, 2, ", "),
    }
}

/// The names of a list that a message has: all of up to ten, or the first ten and how many more there are. Every message that lists
/// what a study or a file holds is cut by this rule.
///
/// # Examples
/// ```
/// use hype_yaml::words::listed;
/// assert_eq!(listed(["a", "b", "c"]), "a, b, c");
/// assert_eq!(listed((0..1_604).map(|number| number.to_string())), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1,594 more");
/// ```
#[must_use]
pub fn listed<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    cut(names, 10, ", ")
}

/// As [`listed`], with another number of names and another separator.
///
/// # Examples
/// ```
/// use hype_yaml::words::cut;
/// assert_eq!(cut(["a", "b", "c"], 2, " > "), "a > b and 1 more");
/// ```
#[must_use]
pub fn cut<T: AsRef<str>>(names: impl IntoIterator<Item = T>, most: usize, separator: &str) -> String {
    let mut names = names.into_iter();
    let mut text = String::new();
    for (place, name) in names.by_ref().take(most).enumerate() {
        if place > 0 {
            text.push_str(separator);
        }
        text.push_str(name.as_ref());
    }
    match names.count() {
        0 => text,
        more => format!("{text} and {} more", grouped(more)),
    }
}

/// A number with commas between its thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
