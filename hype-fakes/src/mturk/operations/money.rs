//! Bonuses and the account.

use serde_json::{Value, json};

use super::Input;
use crate::mturk::answer::Refused;
use crate::mturk::state::{Bonus, PaidBonus, State, price, seconds};

impl State {
    pub(super) fn account_balance(&self) -> Value {
        json!({ "AvailableBalance": price(self.balance) })
    }

    pub(super) fn send_bonus(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let one = self.known_assignment(input)?;
        let (worker, cents) = (input.text("WorkerId")?, input.cents("BonusAmount")?);
        if one.worker != worker || one.progress.name().is_none() {
            let message = format!("Worker {worker} has not submitted the assignment {}.", one.id);
            return Err(Refused::by_rule("AWS.MechanicalTurk.AssignmentDoesNotExist", message));
        }
        if cents == 0 {
            return Err(Refused::invalid("The value \"0.00\" is not valid for BonusAmount."));
        }
        let (assignment, hit) = (one.id.clone(), one.hit.clone());
        let reason = input.text("Reason")?.to_owned();
        if let Some(token) = input.optional("UniqueRequestToken")
            && self.is_used("SendBonus", token)
        {
            return Err(Refused::used_token(token));
        }
        let fee = self.fee(&hit, cents);
        if let Err(refused) = self.afford(cents + fee) {
            if let Some(token) = input.optional("UniqueRequestToken") {
                self.unused("SendBonus", token);
            }
            return Err(refused);
        }
        self.balance -= cents + fee;
        self.fees += fee;
        let paid = PaidBonus { assignment, worker: worker.to_owned(), cents, reason };
        self.bonuses.push(Bonus { paid, hit, paid_ms: self.now });
        Ok(json!({}))
    }

    pub(super) fn list_bonuses(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let (hit, assignment) = (input.optional("HITId"), input.optional("AssignmentId"));
        match (hit, assignment) {
            (Some(_), None) => drop(self.known_hit(input)?.id.clone()),
            (None, Some(_)) => drop(self.known_assignment(input)?.id.clone()),
            _ => return Err(Refused::invalid("Either HITId or AssignmentId must be specified.")),
        }
        let is_listed =
            |bonus: &&Bonus| hit == Some(&*bonus.hit) || assignment == Some(&*bonus.paid.assignment);
        let described = |bonus: &Bonus| {
            json!({
                "WorkerId": bonus.paid.worker,
                "BonusAmount": price(bonus.paid.cents),
                "AssignmentId": bonus.paid.assignment,
                "Reason": bonus.paid.reason,
                "GrantTime": seconds(bonus.paid_ms),
            })
        };
        let listed = self.bonuses.iter().filter(is_listed).map(described).collect();
        self.page(input, "BonusPayments", listed)
    }
}
