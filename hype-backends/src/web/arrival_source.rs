//! Synthetic people who come through a panel.

use std::collections::BTreeMap;
use std::fmt::Debug;

use async_trait::async_trait;

/// Where synthetic people come from who use the page as a panel's participants do, such as a fake of the panel.
#[async_trait]
pub trait ArrivalSource: Debug + Send + Sync {
    /// The address parameters with which the next person comes; `None` if no one does at the moment.
    async fn next(&self) -> Option<BTreeMap<String, String>>;

    /// A person who came with these parameters has reached the last screen, with the code that it shows.
    async fn ended(&self, arrival: &BTreeMap<String, String>, code: Option<&str>);
}
