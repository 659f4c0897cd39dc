//! Pools of raters are participant groups of the account's workspace.

use std::sync::Arc;

use hyper::http::Method;
use serde_json::{Map, Value, json};

use super::Prolific;
use super::api::{Effect, part, refused};
use super::pages::Paging;
use super::wire::ParticipantGroup;
use crate::crowd::platform::{ListingRequest, PlatformError};

/// The most people who are added to a group by one request.
const PEOPLE_AT_ONCE: usize = 500;

const READ: &str = "list participant groups";

impl Prolific {
    pub(super) fn workspace(&self, action: &'static str) -> Result<&str, PlatformError> {
        let workspace = self.settings.workspace.as_deref().ok_or_else(|| {
            refused(action, "pools of raters belong to a workspace: write its id as `workspace` in the spec")
        })?;
        part(action, workspace)
    }

    /// The ids of the groups of a name, oldest first. Two processes that create one at the same time make two.
    async fn groups(&self, name: &str) -> Result<Vec<Arc<str>>, PlatformError> {
        let list = format!("participant-groups/?workspace_id={}", self.workspace(READ)?);
        let groups = self.api.list::<ParticipantGroup>(READ, &list, Paging::Offset).await?;
        let named = groups.into_iter().filter(|group| group.name == name && !group.is_deleted);
        Ok(named.map(|group| group.id).collect())
    }

    async fn create_group(&self, name: &str) -> Result<Arc<str>, PlatformError> {
        const ACTION: &str = "create a participant group";
        let group = json!({ "name": name, "workspace_id": self.workspace(ACTION)?, "participant_ids": [] });
        // A group without members has no effect by itself, and is found by its name.
        let created: ParticipantGroup =
            self.api.write(ACTION, Effect::None, (Method::POST, "participant-groups/"), &group).await?;
        Ok(created.id)
    }

    async fn group(&self, name: &str) -> Result<Arc<str>, PlatformError> {
        match self.groups(name).await?.into_iter().next() {
            Some(id) => Ok(id),
            None => self.create_group(name).await,
        }
    }

    pub(super) async fn add_to_group(&self, name: &str, participants: &[&str]) -> Result<(), PlatformError> {
        const ACTION: &str = "add to a participant group";
        let id = self.group(name).await?;
        let path = format!("participant-groups/{}/participants/", part(ACTION, &id)?);
        for participants in participants.chunks(PEOPLE_AT_ONCE) {
            let added = json!({ "participant_ids": participants });
            self.api.change(ACTION, (Method::POST, &path), &added).await?;
        }
        Ok(())
    }

    /// The filters for a listing's pools. An excluded pool that does not exist yet is created, so people who are added to it
    /// later are excluded too.
    pub(super) async fn pool_filters(
        &self,
        listing: &ListingRequest,
    ) -> Result<Vec<Map<String, Value>>, PlatformError> {
        let mut filters = Vec::new();
        if let Some(pool) = &listing.pool {
            let ids = self.groups(pool).await?;
            if ids.is_empty() {
                return Err(refused(READ, format!("there is no participant group `{pool}`")));
            }
            filters.push(filter("participant_group_allowlist", &ids));
        }
        let mut excluded = Vec::new();
        for pool in &listing.excluded_pools {
            let mut ids = self.groups(pool).await?;
            if ids.is_empty() {
                ids.push(self.create_group(pool).await?);
            }
            excluded.append(&mut ids);
        }
        if !excluded.is_empty() {
            filters.push(filter("participant_group_blocklist", &excluded));
        }
        Ok(filters)
    }
}

fn filter(id: &str, groups: &[Arc<str>]) -> Map<String, Value> {
    let groups = groups.iter().map(|group| Value::from(&**group)).collect();
    Map::from_iter([
        ("filter_id".to_owned(), Value::from(id)),
        ("selected_values".to_owned(), Value::Array(groups)),
    ])
}
