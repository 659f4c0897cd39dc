//! Keys of items that nearly are names of files: what spreadsheets and scripts do to names.

use std::collections::HashMap;
use std::fmt;

use hype_core::Item;
use hype_core::words::counted;

/// How names of files differ from the keys of items.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    by: &'static str,
    file: String,
    item: String,
    count: usize,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { by, file, item, count } = self;
        let files = counted(*count, "file");
        write!(
            f,
            "names of files and keys of items differ only by {by}: `{file}` and `{item}`, and so on for {files}"
        )?;
        if *by == ZEROS {
            f.write_str(" (spreadsheets drop zeros: format the column as text)")?;
        }
        Ok(())
    }
}

const ZEROS: &str = "zeros at their beginning";

/// The difference between two names, and how names are written without it.
type Change = (&'static str, fn(&str) -> String);

/// The only difference of all these names of files from keys of items; `None` if there is another or no name.
pub(super) fn difference(names: &[&str], items: &[Item]) -> Option<Difference> {
    let changes: [Change; 3] = [
        (ZEROS, without_zeros),
        ("an ending such as .png", without_ending),
        ("capitals or blanks", |name| name.trim().to_lowercase().replace([' ', '-'], "_")),
    ];
    let first = names.first()?;
    changes.into_iter().find_map(|(by, change)| {
        let mut known: HashMap<String, Option<&str>> = HashMap::new();
        for item in items {
            // A key that two items have is none.
            known.entry(change(&item.id)).and_modify(|known| *known = None).or_insert(Some(&item.id));
        }
        let item_of = |name: &str| known.get(&change(name)).copied().flatten();
        let item = item_of(first)?.to_owned();
        names.iter().all(|name| item_of(name).is_some()).then(|| Difference {
            by,
            file: (*first).to_owned(),
            item,
            count: names.len(),
        })
    })
}

/// A name whose numbers have no zeros at their beginning.
fn without_zeros(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    let mut letters = name.chars().peekable();
    let mut is_in_number = false;
    while let Some(letter) = letters.next() {
        let goes_on = letters.peek().is_some_and(char::is_ascii_digit);
        if letter == '0' && !is_in_number && goes_on {
            continue;
        }
        is_in_number = letter.is_ascii_digit();
        kept.push(letter);
    }
    kept
}

fn without_ending(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let ending = [".png", ".jpg", ".jpeg", ".webp"].into_iter().find(|ending| lower.ends_with(ending));
    name[..name.len() - ending.map_or(0, str::len)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(keys: &[&str]) -> Vec<Item> {
        keys.iter().map(|key| Item { id: (*key).into(), ..Item::default() }).collect()
    }

    #[test]
    fn zeros_endings_and_capitals_are_the_only_difference() {
        let by = |names: &[&str], keys: &[&str]| difference(names, &items(keys)).map(|found| found.by);
        assert_eq!(by(&["0001", "0010"], &["1", "10", "11"]), Some(ZEROS));
        assert_eq!(by(&["p001_02"], &["p1_2"]), Some(ZEROS));
        assert_eq!(by(&["a", "b"], &["a.png", "b.JPG"]), Some("an ending such as .png"));
        assert_eq!(by(&["Cat 1"], &["cat_1"]), Some("capitals or blanks"));
        assert_eq!(by(&["0001", "x"], &["1"]), None);
        assert_eq!(by(&["01"], &["1", "001"]), None);
        assert_eq!(by(&[], &["1"]), None);
        assert_eq!(without_zeros("a007b00"), "a7b0");
    }
}
