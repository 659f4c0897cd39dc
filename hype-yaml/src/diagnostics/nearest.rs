/// The maximum length of a name for which a suggestion is sought, in characters.
const LONGEST: usize = 64;

/// Finds the known name that was probably meant by `wanted`.
///
/// # Method
///
/// The smallest Damerau-Levenshtein distance, ignoring case and treating `-` and space as `_`. The distance may be at
/// most a third of the length of the longer name (but may always be 1), and at least one character must be in common.
/// If no name is that near, a name that consists of `wanted` followed by `_` and more is used, such as `start_ms` for
/// `start`. Among equally near names, the first in alphabetical order is used, so the order of `known` does not matter.
///
/// # Examples
///
/// ```
/// use hype_yaml::diagnostics::nearest;
///
/// assert_eq!(nearest("hype-tme", ["hype_time", "hype_infinity"]), Some("hype_time"));
/// assert_eq!(nearest("rating", ["hype_time", "hype_infinity"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = normalized(wanted)?;
    let wanted_length = wanted.chars().count();
    known
        .into_iter()
        .filter_map(|name| {
            let candidate = normalized(name)?;
            let length = wanted_length.max(candidate.chars().count());
            let distance = strsim::damerau_levenshtein(&wanted, &candidate);
            if distance <= (length / 3).max(1) && distance < length {
                return Some((distance, name));
            }
            let rest = candidate.strip_prefix(&wanted)?;
            (!wanted.is_empty() && rest.starts_with('_')).then_some((usize::MAX, name))
        })
        .min()
        .map(|(_, name)| name)
}

/// The name in the form used for comparison; `None` if it is too long to be a misspelt name.
fn normalized(name: &str) -> Option<String> {
    if name.chars().nth(LONGEST).is_some() {
        return None;
    }
    let replaced = name.chars().map(|character| if matches!(character, '-' | ' ') { '_' } else { character });
    Some(replaced.flat_map(char::to_lowercase).collect())
}
