//! Qualification types and qualifications.

use serde_json::{Value, json};

use super::Input;
use crate::mturk::answer::Refused;
use crate::mturk::state::{QualificationType, State, seconds};

impl State {
    pub(super) fn create_qualification_type(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let name = input.text("Name")?.to_owned();
        if self.qualification_types.iter().any(|known| known.name == name) {
            let message = "You have already created a QualificationType with this name. A QualificationType's name must be \
                           unique among all of the QualificationTypes created by the same user.";
            return Err(Refused::by_rule("AWS.MechanicalTurk.QualificationTypeAlreadyExists", message));
        }
        let made = QualificationType {
            id: self.new_id(),
            name,
            description: input.text("Description")?.into(),
            created_ms: self.now,
        };
        let described = described(&made);
        self.qualification_types.push(made);
        Ok(json!({ "QualificationType": described }))
    }

    pub(super) fn list_qualification_types(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        // Those of the system are not listed here: no client asks for them.
        let query = input.optional("Query").unwrap_or_default().to_lowercase();
        let is_found = |known: &&QualificationType| {
            [&known.name, &known.description].iter().any(|text| text.to_lowercase().contains(&query))
        };
        let listed = self.qualification_types.iter().filter(is_found).map(described).collect();
        self.page(input, "QualificationTypes", listed)
    }

    pub(super) fn associate(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let id = input.text("QualificationTypeId")?;
        if !self.qualification_types.iter().any(|known| known.id == id) {
            let message = format!("QualificationType {id} does not exist.");
            return Err(Refused::by_rule("AWS.MechanicalTurk.QualificationTypeDoesNotExist", message));
        }
        let key = (id.to_owned(), input.text("WorkerId")?.to_owned());
        self.qualifications.insert(key, input.number("IntegerValue").unwrap_or(1));
        Ok(json!({}))
    }
}

fn described(known: &QualificationType) -> Value {
    json!({
        "QualificationTypeId": known.id,
        "CreationTime": seconds(known.created_ms),
        "Name": known.name,
        "Description": known.description,
        "QualificationTypeStatus": "Active",
        "IsRequestable": true,
    })
}
