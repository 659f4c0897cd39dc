//! Participant groups.

use serde_json::{Value, json};

use super::WORKSPACE;
use super::json::{Fields, Refusal, Reply};
use super::lists::parameter;
use super::state::{Group, State};

impl State {
    pub(super) fn list_groups(&self, path: &str, query: &str) -> Reply {
        if parameter(query, "workspace_id") != Some(WORKSPACE) {
            return Err(Refusal::field("workspace_id", "There is no such workspace."));
        }
        let shown = |(id, group): (&String, &Group)| shown(id, group);
        Ok((200, self.page(self.groups.iter().map(shown).collect(), path, query)))
    }

    pub(super) fn create_group(&mut self, fields: &Fields) -> Reply {
        if fields.text("workspace_id")? != WORKSPACE {
            return Err(Refusal::field("workspace_id", "There is no such workspace."));
        }
        let members = fields.texts("participant_ids").unwrap_or_default().into_iter().collect();
        let group = Group { name: fields.text("name")?.to_owned(), members };
        let id = self.id();
        let created = shown(&id, &group);
        self.groups.insert(id, group);
        Ok((201, created))
    }

    pub(super) fn add_to_group(&mut self, id: &str, fields: &Fields) -> Reply {
        let added = fields.texts("participant_ids")?;
        let group = self.groups.get_mut(id).ok_or_else(Refusal::not_found)?;
        group.members.extend(added);
        let members: Vec<Value> =
            group.members.iter().map(|member| json!({ "participant_id": member })).collect();
        Ok((200, json!({ "results": members })))
    }
}

fn shown(id: &str, group: &Group) -> Value {
    json!({
        "id": id, "name": group.name, "workspace_id": WORKSPACE, "participant_count": group.members.len(),
        "is_deleted": false,
    })
}
