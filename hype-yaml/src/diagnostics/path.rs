use std::borrow::Cow;
use std::fmt::Write;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment<'a> {
    /// Into a map, by key.
    Field(Cow<'a, str>),
    /// Into a list, by position from 0.
    Item(usize),
}

/// Appends a step into a map.
pub(crate) fn join_field(path: &mut String, name: &str) {
    if is_plain(name) {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
    } else {
        path.push_str("[\"");
        for character in name.chars() {
            match character {
                '"' | '\\' => path.extend(['\\', character]),
                '\n' => path.push_str("\\n"),
                '\r' => path.push_str("\\r"),
                '\t' => path.push_str("\\t"),
                _ => path.push(character),
            }
        }
        path.push_str("\"]");
    }
}

/// Appends a step into a list.
pub(crate) fn join_item(path: &mut String, index: usize) {
    // Writing to a string cannot fail.
    let _ = write!(path, "[{index}]");
}

/// Parses a path. If the text is not a valid path, the last step is `None`.
pub(crate) fn segments(path: &str) -> impl Iterator<Item = Option<Segment<'_>>> {
    let mut rest = path;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (segment, after) =
            next_segment(rest).map_or((None, ""), |(segment, after)| (Some(segment), after));
        rest = after;
        Some(segment)
    })
}

fn next_segment(path: &str) -> Option<(Segment<'_>, &str)> {
    if let Some(quoted) = path.strip_prefix("[\"") {
        return quoted_field(quoted);
    }
    if let Some(item) = path.strip_prefix('[') {
        let (digits, after) = item.split_once(']')?;
        return Some((Segment::Item(digits.parse().ok()?), after));
    }
    let path = path.strip_prefix('.').unwrap_or(path);
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (name, after) = path.split_at(end);
    (!name.is_empty()).then_some((Segment::Field(Cow::Borrowed(name)), after))
}

fn quoted_field(quoted: &str) -> Option<(Segment<'_>, &str)> {
    let mut name = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => {
                let after = quoted[at..].strip_prefix("\"]")?;
                return Some((Segment::Field(Cow::Owned(name)), after));
            }
            '\\' => name.push(match characters.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            }),
            _ => name.push(character),
        }
    }
    None
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '-'))
}
