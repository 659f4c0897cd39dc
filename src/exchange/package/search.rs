//! Searching text for keys.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The minimum length of a key that is searched for.
const SHORTEST: usize = 5;

/// The number of bytes read at a time.
const WINDOW: usize = 1 << 20;

/// Whether a key can be distinguished from ordinary words and numbers.
pub(super) fn tellable(key: &str) -> bool {
    key.len() >= SHORTEST && key.bytes().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
        || key.len() >= 12
}

const fn part_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// Whether the text from `start` to `end` is a separate word.
fn whole(text: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| text.get(at)).copied();
    let after = text.get(end).copied();
    let (first, last) = (text.get(start).copied(), text.get(end.wrapping_sub(1)).copied());
    let joined = |a: Option<u8>, b: Option<u8>| a.is_some_and(part_of_word) && b.is_some_and(part_of_word);
    !joined(before, first) && !joined(last, after)
}

/// Replaces all occurrences of a separate word.
pub(super) fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (start, found) in text.match_indices(word) {
        let end = start + found.len();
        if start >= done && whole(text.as_bytes(), start, end) {
            out.push_str(&text[done..start]);
            out.push_str(by);
            done = end;
        }
    }
    out.push_str(&text[done..]);
    out
}

/// Replaces words that are keys, where a key may have hyphens and underscores in it.
pub(super) fn replace_keys<'a>(text: &str, key: impl Fn(&str) -> Option<&'a str>) -> String {
    let is_in_word = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    let is_in_part = |letter: char| letter.is_alphanumeric();
    let mut out = String::with_capacity(text.len());
    for word in runs(text, is_in_word) {
        match key(word) {
            Some(by) => out.push_str(by),
            None => runs(word, is_in_part).for_each(|part| out.push_str(key(part).unwrap_or(part))),
        }
    }
    out
}

/// Cuts a text into runs of characters that all belong to words, or all do not.
fn runs(text: &str, is_in_word: impl Fn(char) -> bool + Copy) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = is_in_word(rest.chars().next()?);
        let end = rest.find(|letter| is_in_word(letter) != first).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
}

/// The first key that occurs in a file as a separate word.
pub(super) fn any_key(path: &Path, keys: Vec<&str>) -> std::io::Result<Option<String>> {
    let mut by_length: BTreeMap<usize, HashSet<&[u8]>> = BTreeMap::new();
    let mut firsts = [false; 256];
    for key in keys {
        by_length.entry(key.len()).or_default().insert(key.as_bytes());
        key.bytes().take(1).for_each(|byte| firsts[usize::from(byte)] = true);
    }
    // Windows overlap by the length of the longest key plus one byte on either side.
    let overlap = by_length.keys().next_back().map_or(0, |longest| longest + 2);
    let mut file = File::open(path)?;
    let mut text: Vec<u8> = Vec::with_capacity(WINDOW + overlap);
    let mut first = 0;
    loop {
        let read = file.by_ref().take(WINDOW as u64).read_to_end(&mut text)?;
        for start in first..text.len() {
            if !firsts[usize::from(text[start])] {
                continue;
            }
            for (&length, keys) in &by_length {
                let end = start + length;
                // The byte after the last one of this window is known only with the next window.
                let Some(found) = text.get(start..end).filter(|_| end < text.len() || read == 0) else {
                    break;
                };
                if keys.contains(found) && whole(&text, start, end) {
                    return Ok(Some(String::from_utf8_lossy(found).into_owned()));
                }
            }
        }
        if read == 0 {
            return Ok(None);
        }
        text.drain(..text.len().saturating_sub(overlap));
        // Matches at the start were judged in the previous window.
        first = 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_replaced_where_they_stand_by_themselves() {
        for (text, want) in [
            ("r1 and r1, not r12 or xr1", "W and W, not r12 or xr1"),
            ("r1r1 r1", "r1r1 W"),
            ("", ""),
            ("é r1é", "é r1é"),
        ] {
            assert_eq!(replace_word(text, "r1", "W"), want);
        }
    }

    #[test]
    fn keys_are_replaced_within_what_raters_write() {
        let key = |word: &str| ["r000001-000", "5f1a2b3c4d5e6f7a8b9c0d1e"].contains(&word).then_some("X");
        for (text, want) in [
            ("my id is 5f1a2b3c4d5e6f7a8b9c0d1e, thanks", "my id is X, thanks"),
            ("id=5f1a2b3c4d5e6f7a8b9c0d1e_r000001-000", "id=X_r000001-000"),
            ("r000001-000!", "X!"),
            ("x5f1a2b3c4d5e6f7a8b9c0d1e ist länger – 好", "x5f1a2b3c4d5e6f7a8b9c0d1e ist länger – 好"),
            ("", ""),
        ] {
            assert_eq!(replace_keys(text, key), want);
        }
    }

    #[test]
    fn keys_are_found_across_windows_and_not_inside_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for at in [0, 3, WINDOW - 3, WINDOW, WINDOW + 1, 2 * WINDOW - 1] {
            let mut text = vec![b','; 2 * WINDOW + 40];
            text[at..at + 9].copy_from_slice(b"worker-77");
            std::fs::write(&path, &text).unwrap();
            let found = any_key(&path, vec!["worker-77", "abcdefghijkl"]).unwrap();
            assert_eq!(found.as_deref(), Some("worker-77"), "at {at}");
            text[at + 9] = b'8';
            std::fs::write(&path, &text).unwrap();
            assert_eq!(any_key(&path, vec!["worker-77"]).unwrap(), None, "at {at}");
        }
    }

    #[test]
    fn numbers_and_short_words_do_not_count_as_names() {
        for (key, want) in [("12345", false), ("a", false), ("r000001-000", true), ("123456789012", true)] {
            assert_eq!(tellable(key), want, "{key}");
        }
    }
}
