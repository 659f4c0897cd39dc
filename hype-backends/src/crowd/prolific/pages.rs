//! Lists, read to their last page.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::NAME;
use super::api::{Api, not_understood};
use super::wire::{Entry, PageOf};
use crate::crowd::platform::PlatformError;

/// The number of entries that a page is asked for.
const PAGE: usize = 100;

/// The most pages of a list; a list that never ends is an error.
const MOST_PAGES: usize = 10_000;

/// How many times a list that changes while it is read is read.
const ROUNDS: usize = 3;

/// How the pages of a list are asked for, where the platform does not say which one is next.
#[derive(Debug, Clone, Copy)]
pub(super) enum Paging {
    /// By `limit` and `offset`.
    Offset,
    /// By `page` and `page_size`.
    Number,
}

impl Paging {
    /// The address of the page after `read` entries on `pages` pages.
    fn path(self, list: &str, pages: usize, read: usize) -> String {
        let joined = if list.contains('?') { '&' } else { '?' };
        match self {
            Self::Offset => format!("{list}{joined}limit={PAGE}&offset={read}"),
            Self::Number => format!("{list}{joined}page={}&page_size={PAGE}", pages + 1),
        }
    }
}

impl Api {
    /// All entries of a list, each once, in the order of their ids.
    ///
    /// Entries that move to another page while the list is read can be missed or appear twice. They are told apart by their ids,
    /// and a list with fewer entries than the platform counts is read again.
    pub(super) async fn list<T: Entry>(
        &self,
        action: &'static str,
        list: &str,
        paging: Paging,
    ) -> Result<Vec<T>, PlatformError> {
        let mut entries: BTreeMap<Arc<str>, T> = BTreeMap::new();
        for _ in 0..ROUNDS {
            let count = self.read_pages(action, list, paging, &mut entries).await?;
            if count.is_none_or(|count| entries.len() >= count) {
                return Ok(entries.into_values().collect());
            }
        }
        let reason = "the list changes while it is read".into();
        Err(PlatformError::Unavailable { platform: NAME, action, reason })
    }

    /// Reads every page once. Returns how many entries there are, if the platform says it.
    async fn read_pages<T: Entry>(
        &self,
        action: &'static str,
        list: &str,
        paging: Paging,
        entries: &mut BTreeMap<Arc<str>, T>,
    ) -> Result<Option<usize>, PlatformError> {
        let mut path = paging.path(list, 0, 0);
        let (mut read, mut seen) = (0, std::collections::BTreeSet::new());
        for pages in 1..=MOST_PAGES {
            let page: PageOf<T> = self.read(action, &path).await?;
            let (on_page, before) = (page.results.len(), seen.len());
            read += on_page;
            for entry in page.results {
                seen.insert(Arc::clone(entry.id()));
                // The latest version of an entry that moved.
                entries.insert(Arc::clone(entry.id()), entry);
            }
            let is_last = page.links.as_ref().is_some_and(|links| links.next.is_some());
            let next = page.links.and_then(|links| links.next?.href);
            // Pages can be shorter than they are asked for. Without a link or a number, only an empty one ends a list.
            let is_longer = page.meta.count.map_or(on_page > 0 && !is_last, |count| read < count);
            path = match next {
                Some(href) => of_this_list(&href, list).ok_or_else(|| {
                    not_understood(action, "the next page has an address outside of this list")
                })?,
                // A list that ignores paging shows the same entries again.
                None if is_longer && seen.len() > before => paging.path(list, pages, read),
                None => return Ok(page.meta.count),
            };
        }
        Err(not_understood(action, format!("the list has more than {MOST_PAGES} pages")))
    }
}

/// The path of a page that the platform names, if it belongs to the list: the token is sent nowhere else.
fn of_this_list(href: &str, list: &str) -> Option<String> {
    let path = list.split('?').next().unwrap_or_default();
    let (before, query) = href.split_once('?')?;
    before.trim_end_matches('/').ends_with(path.trim_end_matches('/')).then(|| format!("{path}?{query}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_one_of_the_same_list() {
        let next = |href: &str| of_this_list(href, "studies/abc/submissions/?ordering=started_at");
        let page = Some("studies/abc/submissions/?limit=2&offset=2".to_owned());
        assert_eq!(next("https://api.prolific.com/api/v1/studies/abc/submissions/?limit=2&offset=2"), page);
        assert_eq!(next("http://internal/api/v1/studies/abc/submissions?limit=2&offset=2"), page);
        assert_eq!(next("https://elsewhere.example/collect?limit=2"), None);
        assert_eq!(next("https://api.prolific.com/api/v1/studies/abc/submissions/"), None);
    }

    #[test]
    fn pages_are_asked_for_by_offset_or_by_number() {
        assert_eq!(Paging::Offset.path("a/", 2, 150), "a/?limit=100&offset=150");
        assert_eq!(Paging::Number.path("a/?b=c", 2, 150), "a/?b=c&page=3&page_size=100");
    }
}
