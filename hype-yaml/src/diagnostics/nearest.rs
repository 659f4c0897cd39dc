/// The longest name for which a suggestion is looked for, in characters.
const LONGEST: usize = 64;

/// Finds the known name that `wanted` was probably meant to be.
///
/// # Method
///
/// The smallest Damerau-Levenshtein distance, where case does not count and `-` and a space are
/// taken for `_`. The distance may be at most a third of the longer name (but always may be 1), and
/// at least one character must be kept. Where no name is so near, one that begins with the whole of
/// `wanted` and goes on with `_` is taken: `start` for `start_ms`. Among equally near names the
/// first in alphabetical order wins, so the order of `known` does not matter.
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

/// The name as it is compared, or nothing where it is too long to be a misspelt name.
fn normalized(name: &str) -> Option<String> {
    if name.chars().nth(LONGEST).is_some() {
        return None;
    }
    let replaced = name.chars().map(|character| if matches!(character, '-' | ' ') { '_' } else { character });
    Some(replaced.flat_map(char::to_lowercase).collect())
}
