//! Pages of lists.

use serde_json::{Value, json};

use super::state::State;

/// The value of a parameter of a query.
pub(super) fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

/// A query with another value of a parameter.
fn with(query: &str, name: &str, value: usize) -> String {
    let others = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with(&format!("{name}=")));
    others.map(ToOwned::to_owned).chain([format!("{name}={value}")]).collect::<Vec<_>>().join("&")
}

impl State {
    /// A page of a list: by `page` and `page_size`, or by `limit` and `offset`.
    pub(super) fn page(&self, entries: Vec<Value>, path: &str, query: &str) -> Value {
        let number = |name: &str| parameter(query, name).and_then(|value| value.parse::<usize>().ok());
        let count = entries.len();
        let is_numbered = number("page").is_some() || number("page_size").is_some();
        let asked = if is_numbered { number("page_size") } else { number("limit") };
        let size = asked.unwrap_or(20).clamp(1, self.setup.page.max(1));
        let page = number("page").unwrap_or(1).max(1);
        let from = if is_numbered { (page - 1) * size } else { number("offset").unwrap_or(0) };
        let results: Vec<Value> = entries.into_iter().skip(from).take(size).collect();
        let next = (from + results.len() < count).then(|| {
            let next =
                if is_numbered { with(query, "page", page + 1) } else { with(query, "offset", from + size) };
            format!("https://api.prolific.example/api/v1/{path}?{next}")
        });
        let mut body = json!({ "results": results });
        if self.setup.has_counts {
            body["meta"] = json!({ "count": count });
        }
        if self.setup.has_links {
            body["_links"] = json!({ "next": { "href": next, "title": "Next" } });
        }
        body
    }
}
