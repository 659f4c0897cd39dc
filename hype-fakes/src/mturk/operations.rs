//! The operations of the service for requesters.

use serde_json::{Map, Value};

use super::answer::Refused;
use super::state::{Assignment, Hit, State};

mod hits;
mod money;
mod qualifications;
mod work;

/// The members of a request, whose types the model has checked, or are checked here if there is no model.
pub(super) struct Input<'a>(pub(super) &'a Value);

impl Input<'_> {
    fn text(&self, name: &str) -> Result<&str, Refused> {
        self.optional(name).ok_or_else(|| Refused::malformed(format!("{name} is missing")))
    }

    fn optional(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.0.get(name).and_then(Value::as_i64)
    }

    fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    fn list(&self, name: &str) -> Vec<Value> {
        self.0.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
    }

    /// An amount in cents.
    fn cents(&self, name: &str) -> Result<u64, Refused> {
        let text = self.text(name)?;
        let (whole, cents) = text.split_once('.').unwrap_or((text, ""));
        let cents = format!("{cents:0<2}");
        let number = |text: &str| text.parse::<u64>().ok();
        let sum = number(whole).zip(number(&cents)).map(|(whole, cents)| whole * 100 + cents);
        sum.ok_or_else(|| Refused::invalid(format!("The value \"{text}\" is not valid for {name}.")))
    }
}

impl State {
    /// Carries out an operation.
    pub(super) fn perform(&mut self, operation: &str, input: &Input<'_>) -> Result<Value, Refused> {
        match operation {
            "GetAccountBalance" => Ok(self.account_balance()),
            "CreateHITType" => self.create_hit_type(input),
            "CreateHITWithHITType" => self.create_hit(input),
            "CreateAdditionalAssignmentsForHIT" => self.add_assignments(input),
            "UpdateExpirationForHIT" => self.update_expiration(input),
            "DeleteHIT" => self.delete_hit(input),
            "GetHIT" => self.get_hit(input),
            "ListHITs" => self.list_hits(input),
            "ListAssignmentsForHIT" => self.list_assignments(input),
            "GetAssignment" => self.get_assignment(input),
            "ApproveAssignment" => self.approve_assignment(input),
            "RejectAssignment" => self.reject_assignment(input),
            "SendBonus" => self.send_bonus(input),
            "ListBonusPayments" => self.list_bonuses(input),
            "CreateQualificationType" => self.create_qualification_type(input),
            "ListQualificationTypes" => self.list_qualification_types(input),
            "AssociateQualificationWithWorker" => self.associate(input),
            _ => Err(Refused::malformed(format!("the fake does not know the operation {operation}"))),
        }
    }

    /// A page of a list, under the name of its member.
    fn page(&self, input: &Input<'_>, member: &str, all: Vec<Value>) -> Result<Value, Refused> {
        let from = match input.optional("NextToken") {
            None => 0,
            // Tokens are those of the list that they continue.
            Some(token) => token
                .strip_prefix(member)
                .and_then(|from| from.strip_prefix('/')?.parse::<usize>().ok())
                .filter(|from| *from < all.len())
                .ok_or_else(|| Refused::invalid("The pagination token is not valid."))?,
        };
        let asked = input.number("MaxResults").and_then(|most| usize::try_from(most).ok()).unwrap_or(10);
        let length = asked.min(self.page).max(1);
        let to = from.saturating_add(length);
        let mut page = Map::new();
        if to < all.len() {
            page.insert("NextToken".into(), format!("{member}/{to}").into());
        }
        let entries: Vec<Value> = all.into_iter().skip(from).take(length).collect();
        page.insert("NumResults".into(), entries.len().into());
        page.insert(member.into(), entries.into());
        Ok(page.into())
    }

    fn known_hit(&self, input: &Input<'_>) -> Result<&Hit, Refused> {
        let id = input.text("HITId")?;
        self.hit(id).ok_or_else(|| {
            Refused::by_rule("AWS.MechanicalTurk.HITDoesNotExist", format!("Hit {id} does not exist."))
        })
    }

    fn known_assignment(&self, input: &Input<'_>) -> Result<&Assignment, Refused> {
        let id = input.text("AssignmentId")?;
        self.assignment(id).ok_or_else(|| {
            let message = format!("Assignment {id} does not exist.");
            Refused::by_rule("AWS.MechanicalTurk.AssignmentDoesNotExist", message)
        })
    }

    /// Refuses what the account cannot pay.
    fn afford(&self, cents: u64) -> Result<(), Refused> {
        if cents <= self.balance {
            return Ok(());
        }
        let message = "This Requester has insufficient funds in their account to complete this transaction.";
        Err(Refused::by_rule("AWS.MechanicalTurk.InsufficientFunds", message))
    }
}

/// A JSON object without members that are null.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => members.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        value => value,
    }
}
