//! No trait or type takes everything in.

use std::collections::BTreeMap;

use super::Verdict;
use super::files::{Workspace, is_test};
use super::tokens::{Token, closing, outside_tests, tokens};

/// The number of methods that the trait `Store` has at most.
const OF_STORES: usize = 12;

/// The number of methods that a type whose name ends in `Service` has at most, in all of its files.
const OF_SERVICES: usize = 25;

/// Counts the methods of stores and services.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    let mut methods = BTreeMap::new();
    let sources =
        workspace.files().iter().filter(|file| file.path.extension().is_some_and(|end| end == "rs"));
    for file in sources.filter(|file| !is_test(&file.path)) {
        count(&outside_tests(&tokens(&file.text)), &mut methods);
    }
    let faults = methods.into_iter().filter_map(|(name, methods)| {
        let most = if name == STORE { OF_STORES } else { OF_SERVICES };
        (methods > most).then(|| format!("{name} has {methods} methods; at most {most} are allowed"))
    });
    Verdict { rule: "methods", faults: faults.collect(), notes: Vec::new() }
}

/// The trait of stores, as it is reported.
const STORE: &str = "trait Store";

/// Adds the methods of the trait `Store`, and of blocks `impl … Service` that implement no trait.
fn count(tokens: &[Token<'_>], methods: &mut BTreeMap<String, usize>) {
    for at in 0..tokens.len() {
        let Some(length) = tokens[at..].iter().position(|token| token.text == "{") else { break };
        let head = &tokens[at..at + length];
        let name = match head {
            [keyword, name, ..] if keyword.text == "trait" && name.text == "Store" => STORE,
            [keyword, rest @ ..] if keyword.text == "impl" && begins_item(tokens, at) => {
                let is_of_trait = rest.iter().any(|token| token.text == "for");
                match service(rest).filter(|_| !is_of_trait) {
                    Some(name) => name,
                    None => continue,
                }
            }
            _ => continue,
        };
        let body = &tokens[at + length..=closing(tokens, at + length)];
        *methods.entry(name.to_owned()).or_default() += direct_functions(body);
    }
}

/// Whether the token begins an item, and is not a part of a type as in `-> impl Service`.
fn begins_item(tokens: &[Token<'_>], at: usize) -> bool {
    at.checked_sub(1).is_none_or(|before| matches!(tokens[before].text, "}" | ";" | "]" | "{"))
}

/// The type after `impl` and its parameters, if it is a service.
fn service<'a>(head: &[Token<'a>]) -> Option<&'a str> {
    let mut depth = 0_usize;
    let of_type = head.iter().take_while(|token| token.text != "where").filter(|token| {
        match token.text {
            "<" => depth += 1,
            ">" => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    of_type.last().map(|token| token.text).filter(|name| name.ends_with("Service"))
}

/// The number of functions in a block, without those in their bodies.
fn direct_functions(body: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    let mut found = 0;
    for (token, next) in body.iter().zip(&body[1..]) {
        match token.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            // Not the type of a function pointer.
            "fn" if depth == 1 && next.text != "(" => found += 1,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_summed_over_blocks() {
        let source = "trait Store { fn a(&self, f: fn(u8)); fn b(&self) { fn inner() {} } } \
                      impl EntryService { fn a() {} } impl<T: Into<u8>> super::EntryService<T> where T: A { fn b() {} fn c() {} } \
                      impl Clone for EntryService { fn clone() {} } impl Other { fn d() {} } \
                      fn f() -> impl TrialService { }";
        let mut methods = BTreeMap::new();
        count(&tokens(source), &mut methods);
        let found: Vec<(&str, usize)> = methods.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(found, [("EntryService", 3), (STORE, 2)]);
    }
}
