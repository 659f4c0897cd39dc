//! Criteria and their keys.

use hype_core::Diagnostics;

/// The key of the question without a criterion.
const BEST: &str = "best";

/// The keys of the questions: one for each criterion, or a single one without criteria.
pub(super) fn keys(criteria: &[String]) -> Vec<String> {
    match criteria {
        [] => vec![BEST.to_owned()],
        several => several.iter().map(|criterion| key(criterion)).collect(),
    }
}

/// The names of the measures, in the order of the keys.
pub(super) fn measures(criteria: &[String]) -> Vec<String> {
    match keys(criteria).as_slice() {
        [_] => vec!["votes".to_owned()],
        several => several.iter().map(|key| format!("votes.{key}")).collect(),
    }
}

/// Letters and digits in lower case, with `_` for everything between them.
fn key(criterion: &str) -> String {
    let words = criterion.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

/// Checks that criteria are not empty and have different keys.
pub(super) fn check(criteria: &[String], at: &mut Diagnostics) {
    at.within("criteria", |at| {
        let keys = keys(criteria);
        for index in 0..criteria.len() {
            at.within_item(index, |at| {
                if keys[index].is_empty() {
                    at.error("empty-text", "the criterion has no letter")
                        .help("write what raters judge by, such as `realism`");
                } else if keys[..index].contains(&keys[index]) {
                    at.error("duplicate", format!("another criterion has the same key `{}`", keys[index]))
                        .help("remove one, or use other words");
                }
            });
        }
    });
}
