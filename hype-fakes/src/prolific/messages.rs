//! Messages.

use serde_json::Value;

use super::json::{Fields, Refusal, Reply};
use super::state::{SentMessage, State};

impl State {
    pub(super) fn send_messages(&mut self, fields: &Fields) -> Reply {
        fields.only(&["ids", "body", "study_id"])?;
        let (study, body) = (fields.text("study_id")?.to_owned(), fields.text("body")?.to_owned());
        let people = fields.texts("ids")?;
        if people.is_empty() {
            return Err(Refusal::field("ids", "This list may not be empty."));
        }
        let took_part = |person: &String| self.of_study(&study).any(|(_, one)| one.participant == *person);
        if !people.iter().all(took_part) {
            return Err(Refusal::field("ids", "Somebody took no part in the study."));
        }
        let message = |participant| SentMessage { study: study.clone(), participant, body: body.clone() };
        self.messages.extend(people.into_iter().map(message));
        Ok((200, Value::Null))
    }
}
