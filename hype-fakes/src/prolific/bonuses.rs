//! Bonuses.

use serde_json::json;

use super::json::{Fields, Refusal, Reply};
use super::lists::parameter;
use super::state::{Pending, State};

/// The most bonuses of one set-up.
const AT_ONCE: usize = 200;

impl State {
    pub(super) fn set_up_bonuses(&mut self, fields: &Fields) -> Reply {
        let study = fields.text("study_id")?.to_owned();
        if !self.studies.contains_key(&study) {
            return Err(Refusal::not_found());
        }
        let mut bonuses = Vec::new();
        let mut strangers = Vec::new();
        for line in fields.text("csv_bonuses")?.lines() {
            let (id, cents) = line
                .split_once(',')
                .and_then(|(id, amount)| Some((id, cents(amount)?)))
                .ok_or_else(|| Refusal::field("csv_bonuses", "A line is not an id and an amount."))?;
            match self.of_study(&study).find(|(submission, one)| *submission == id || one.participant == id) {
                Some((submission, _)) => bonuses.push((submission.clone(), cents)),
                None => strangers.push(id),
            }
        }
        if !strangers.is_empty() {
            return Err(Refusal::because(format!("These ids took no part: {}", strangers.join(", "))));
        }
        if bonuses.len() > AT_ONCE {
            return Err(Refusal::field("csv_bonuses", "There are more than 200 bonuses."));
        }
        let amount: u64 = bonuses.iter().map(|(_, cents)| cents).sum();
        let total: u64 = bonuses.iter().map(|(_, cents)| self.cost(*cents)).sum();
        let id = self.id();
        let bulk = json!({
            "id": id, "study": study, "amount": amount as f64, "fees": (total - amount) as f64, "vat": 0.0,
            "total_amount": total as f64,
        });
        self.bulks.insert(id, bonuses);
        Ok((201, bulk))
    }

    /// Answers with the cost of a study: so far, or in the end.
    pub(super) fn study_cost(&self, id: &str, query: &str) -> Reply {
        let study = self.study(id)?;
        let of_study = || self.paid.values().filter(|paid| paid.study == id);
        let rewards = match parameter(query, "is_projected") {
            Some("true") => vec![study.number("reward"); study.number("total_available_places") as usize],
            _ => of_study().flat_map(|paid| paid.rewards.clone()).collect(),
        };
        let pending = self.pending.iter().filter(|_| self.setup.costs_pending).filter(|one| {
            self.submissions.get(&one.submission).is_some_and(|submission| submission.study == id)
        });
        let bonuses: Vec<u64> =
            of_study().flat_map(|paid| paid.bonuses.clone()).chain(pending.map(|one| one.cents)).collect();
        let price = |amount: u64| match &*self.setup.currency {
            "" => json!({ "amount": amount }),
            currency => json!({ "amount": amount, "currency": currency }),
        };
        let part = |cents: &[u64]| {
            let amount: u64 = cents.iter().sum();
            let total: u64 = cents.iter().map(|cents| self.cost(*cents)).sum();
            json!({ "rewards": price(amount), "fees": price(total - amount), "tax": price(0) })
        };
        Ok((200, json!({ "rewards": part(&rewards), "bonuses": part(&bonuses) })))
    }

    /// Each request pays, also the second one for the same set-up.
    pub(super) fn pay_bonuses(&mut self, id: &str) -> Reply {
        let bonuses = self.bulks.get(id).ok_or_else(Refusal::not_found)?.clone();
        let total: u64 = bonuses.iter().map(|(_, cents)| self.cost(*cents)).sum();
        if total > self.available() {
            return Err(Refusal::because("There is not enough money in the account."));
        }
        let due_ms = self.clock.unix_ms() + self.setup.bonus_delay_ms;
        let pending = bonuses.into_iter().map(|(submission, cents)| Pending { due_ms, submission, cents });
        self.pending.extend(pending);
        self.catch_up();
        Ok((202, "Bonus payments are being processed".into()))
    }
}

/// An amount with two decimals, in cents.
fn cents(amount: &str) -> Option<u64> {
    let (whole, decimals) = amount.split_once('.')?;
    let is_amount = decimals.len() == 2
        && [whole, decimals].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let cents = is_amount.then(|| Some(whole.parse::<u64>().ok()? * 100 + decimals.parse::<u64>().ok()?));
    cents.flatten().filter(|cents| *cents > 0)
}

#[cfg(test)]
mod tests {
    use super::cents;

    #[test]
    fn amounts_have_two_decimals() {
        assert_eq!(["1.50", "0.02", "30.00"].map(cents), [Some(150), Some(2), Some(3_000)]);
        assert_eq!(
            ["30", "1.5", "1.505", "-1.00", "0.00", "a.bc", ".50"].map(cents),
            [None, None, None, None, None, None, None]
        );
    }
}
