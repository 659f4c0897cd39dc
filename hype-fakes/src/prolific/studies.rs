//! Studies.

use serde_json::{Value, json};

use super::json::{Fields, Refusal, Reply, time};
use super::state::{Phase, State, Study};
use super::{PROJECT, WORKSPACE};

/// Longer than any participant is given for a study.
const MINUTES_OF_A_DAY: u64 = 1_440;

/// The fields of a published study that can be changed.
const CHANGEABLE: [&str; 3] = ["internal_name", "total_available_places", "submissions_config"];

impl State {
    /// Returns the members of an account that the reference documents, and no others.
    pub(super) fn account() -> Value {
        json!({ "id": "5ea8d2a5f0a78e0f8cf1a1b2", "email": "lab@example.org" })
    }

    /// The money of the workspace.
    pub(super) fn workspace_balance(&self, workspace: &str) -> Reply {
        if workspace != WORKSPACE {
            return Err(Refusal::not_found());
        }
        let mut balance = json!({ "total_balance": self.balance, "available_balance": self.available() });
        if !self.setup.currency.is_empty() {
            balance["currency_code"] = self.setup.currency.clone().into();
        }
        Ok((200, balance))
    }

    fn shown(&self, id: &str, study: &Study) -> Value {
        let mut shown = study.fields.clone();
        shown.insert("id".into(), id.into());
        shown.insert("status".into(), self.study_status(id).into());
        shown.insert("places_taken".into(), self.places_taken(id).into());
        shown.insert("date_created".into(), time(study.created_ms).into());
        Value::Object(shown)
    }

    pub(super) fn study(&self, id: &str) -> Result<&Study, Refusal> {
        self.studies.get(id).ok_or_else(Refusal::not_found)
    }

    pub(super) fn list_studies(&self, path: &str, query: &str) -> Value {
        // The latest first, as the platform does. Lists say less of each study than the study itself.
        let brief = |(id, study): (&String, &Study)| {
            json!({
                "id": id, "name": study.text("name"), "internal_name": study.text("internal_name"),
                "status": self.study_status(id), "total_available_places": study.number("total_available_places"),
            })
        };
        self.page(self.studies.iter().rev().map(brief).collect(), path, query)
    }

    pub(super) fn show_study(&self, id: &str) -> Reply {
        Ok((200, self.shown(id, self.study(id)?)))
    }

    pub(super) fn create_study(&mut self, fields: Fields) -> Reply {
        self.check_draft(&fields)?;
        let id = self.id();
        let study = Study { phase: Phase::Draft, fields: fields.0, created_ms: self.clock.unix_ms() };
        self.studies.insert(id.clone(), study);
        Ok((201, self.shown(&id, self.study(&id)?)))
    }

    fn check_draft(&self, fields: &Fields) -> Result<(), Refusal> {
        fields.text("name")?;
        fields.text("description")?;
        let url = fields.text("external_study_url")?;
        if !url.starts_with("https://") && !url.starts_with("http://127.0.0.1:") {
            return Err(Refusal::field("external_study_url", "Enter a valid URL."));
        }
        if fields.text("prolific_id_option")? == "url_parameters" && !url.contains("{{%PROLIFIC_PID%}}") {
            return Err(Refusal::field(
                "external_study_url",
                "The URL has no parameter for the participant's id.",
            ));
        }
        let codes = fields.list("completion_codes")?;
        if codes.iter().any(|code| code["code"] == "") {
            return Err(Refusal::field("completion_codes", "A code is empty."));
        }
        fields.number("total_available_places", 1)?;
        let minutes = fields.number("estimated_completion_time", 1)?;
        if fields.0.contains_key("maximum_allowed_time") {
            let allowed = fields.number("maximum_allowed_time", 1)?;
            let least = 2.0 + 2.0 * minutes as f64 + 2.0 * (minutes as f64).sqrt();
            if (allowed as f64) < least || allowed >= MINUTES_OF_A_DAY {
                let bounds = format!(
                    "It has to be at least {} and less than {MINUTES_OF_A_DAY} minutes.",
                    least.ceil()
                );
                return Err(Refusal::field("maximum_allowed_time", &bounds));
            }
        }
        if fields.number("reward", 1)? * 60 < self.setup.least_hourly * minutes {
            return Err(Refusal::field("reward", "The reward is below the minimum reward per hour."));
        }
        for filter in fields.list("filters")? {
            self.check_filter(filter)?;
        }
        match fields.0.get("project") {
            None => Ok(()),
            Some(project) if project == PROJECT => Ok(()),
            Some(_) => Err(Refusal::field("project", "There is no such project.")),
        }
    }

    fn check_filter(&self, filter: &Value) -> Result<(), Refusal> {
        let Some(id) = filter["filter_id"].as_str() else {
            return Err(Refusal::field("filters", "A filter has no id."));
        };
        let groups = filter["selected_values"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_known = |group: &Value| group.as_str().is_some_and(|group| self.groups.contains_key(group));
        if id.starts_with("participant_group_") && !groups.iter().all(is_known) {
            return Err(Refusal::field("filters", "There is no such participant group."));
        }
        Ok(())
    }

    pub(super) fn update_study(&mut self, id: &str, fields: Fields) -> Reply {
        let study = self.study(id)?;
        if study.phase == Phase::Draft {
            let mut merged = study.fields.clone();
            merged.extend(fields.0);
            let merged = Fields(merged);
            self.check_draft(&merged)?;
            if let Some(study) = self.studies.get_mut(id) {
                study.fields = merged.0;
            }
            return self.show_study(id);
        }
        if let Some(field) = fields.0.keys().find(|field| !CHANGEABLE.contains(&field.as_str())) {
            return Err(Refusal::field(field, "This field cannot be changed once the study is published."));
        }
        if fields.0.contains_key("total_available_places") {
            let (before, places) =
                (study.number("total_available_places"), fields.number("total_available_places", 1)?);
            if places < before {
                return Err(Refusal::field("total_available_places", "Places can only be added."));
            }
            if (places - before) * self.cost(study.number("reward")) > self.available() {
                return Err(Refusal::because("There is not enough money in the account."));
            }
            let is_more = places > before;
            if let Some(study) = self.studies.get_mut(id)
                && is_more
                && study.phase == Phase::Stopped
            {
                study.phase = Phase::Published;
            }
        }
        if let Some(study) = self.studies.get_mut(id) {
            study.fields.extend(fields.0);
        }
        self.show_study(id)
    }

    pub(super) fn transition_study(&mut self, id: &str, fields: &Fields) -> Reply {
        let action = fields.text("action")?;
        let study = self.study(id)?;
        let cost = study.number("total_available_places") * self.cost(study.number("reward"));
        let phase = match (action, self.study_status(id)) {
            ("PUBLISH", "UNPUBLISHED") if cost > self.available() => {
                return Err(Refusal::because("There is not enough money in the account."));
            }
            ("PUBLISH", "UNPUBLISHED") | ("START", "PAUSED") => Phase::Published,
            ("PAUSE", "ACTIVE") => Phase::Paused,
            ("STOP", "ACTIVE" | "PAUSED") => Phase::Stopped,
            (action, status) => {
                return Err(Refusal::because(format!(
                    "{action} is not possible for a study that is {status}."
                )));
            }
        };
        if let Some(study) = self.studies.get_mut(id) {
            study.phase = phase;
        }
        let status = self.study_status(id);
        self.report("study.status.change", id, status);
        self.show_study(id)
    }

    /// A study for test participants is a copy of its draft.
    pub(super) fn create_test_study(&mut self, id: &str) -> Reply {
        if !self.setup.has_test_studies {
            return Err(Refusal::because("This feature is not enabled for your workspace."));
        }
        let study = self.study(id)?.clone();
        if study.phase != Phase::Draft {
            return Err(Refusal::because("Only a draft can be tested."));
        }
        let copy = self.id();
        self.studies.insert(copy.clone(), Study { phase: Phase::Published, ..study });
        let url = format!("https://app.prolific.example/studies/{copy}");
        Ok((200, json!({ "study_id": copy, "study_url": url })))
    }
}
