//! The `raters` section: how many, who qualifies, and what they earn.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::record::Place;
use crate::model::stimulus::SetId;
use crate::model::units::Amount;

/// How models are shared out among raters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RaterDesign {
    /// Each rater judges one model (HYPE).
    #[default]
    Between,
    /// Each rater judges every model, in an order balanced by a Williams square.
    Within,
}

/// Who rates: numbers, design, qualification and pay. The default is HYPE's published protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Raters {
    /// Raters who complete the study for each model; of no matter where `per_item` is given.
    pub per_model: u32,
    /// Raters for each item, in tasks that share items out among raters.
    pub per_item: Option<u32>,
    /// How models are shared out among them.
    pub design: RaterDesign,
    /// How many further raters may take the place of one who is disqualified, leaves, or is left out by a rule of the
    /// task.
    pub replacements: u32,
    /// The qualification; `None` if everybody goes on.
    pub qualification: Option<Qualification>,
    /// What raters earn; `None` if they are not paid.
    pub payment: Option<Payment>,
}

/// Only the count that holds is written, as a section has one count.
impl Serialize for Raters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Raters", 5)?;
        match self.per_item {
            Some(per_item) => fields.serialize_field("per_item", &per_item)?,
            None => fields.serialize_field("per_model", &self.per_model)?,
        }
        fields.serialize_field("design", &self.design)?;
        fields.serialize_field("replacements", &self.replacements)?;
        fields.serialize_field("qualification", &self.qualification)?;
        fields.serialize_field("payment", &self.payment)?;
        fields.end()
    }
}

impl Default for Raters {
    fn default() -> Self {
        Self {
            per_model: 30,
            per_item: None,
            design: RaterDesign::Between,
            replacements: 20,
            qualification: Some(Qualification::default()),
            payment: Some(Payment::default()),
        }
    }
}

/// The qualification: untimed trials, half real and half generated, before the main phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Qualification {
    /// How many trials; half of them show real stimuli.
    #[schemars(range(min = 2))]
    pub trials: u32,
    /// When a rater passes.
    pub pass: Pass,
}

impl Default for Qualification {
    fn default() -> Self {
        Self { trials: 100, pass: Pass::default() }
    }
}

/// When a rater passes the qualification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pass {
    /// What is counted.
    pub rule: PassRule,
    /// The least share of right answers.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub at_least: f64,
}

impl Default for Pass {
    fn default() -> Self {
        Self { rule: PassRule::BothClasses, at_least: 0.65 }
    }
}

/// What the share of right answers in the qualification is counted over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PassRule {
    /// The share has to be reached on real and on generated stimuli, each by itself.
    #[default]
    BothClasses,
    /// The share has to be reached over all trials.
    Overall,
}

impl Pass {
    /// The least number of right answers among `trials` that reaches the share.
    #[must_use]
    pub fn needed(&self, trials: u32) -> u32 {
        // One part in 10^9 forgives the binary form of a decimal such as 0.65.
        (self.at_least * f64::from(trials) - 1e-9).ceil().max(0.0) as u32
    }
}

/// What raters earn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Payment {
    /// The currency, by its ISO 4217 code.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    pub currency: Arc<str>,
    /// For the qualification, or for taking part where there is none.
    pub base: Amount,
    /// For each right answer after the qualification.
    pub per_correct: Amount,
    /// The hourly pay that the study promises at least; `check` warns if it would pay less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_hourly: Option<Amount>,
}

impl Default for Payment {
    fn default() -> Self {
        Self {
            currency: "USD".into(),
            base: Amount(1_000_000),
            per_correct: Amount(20_000),
            minimum_hourly: None,
        }
    }
}

/// The `raters` section as written: what is absent comes from the task's protocol.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RatersSection {
    /// Raters who complete the study for each model (default 30).
    #[schemars(range(min = 1))]
    pub per_model: Option<u32>,
    /// Raters for each item, in tasks that share items out among raters.
    #[schemars(range(min = 1))]
    pub per_item: Option<u32>,
    /// `between`: each rater judges one model (default); `within`: every rater judges all of them.
    pub design: Option<RaterDesign>,
    /// How many further raters may take the place of one who is disqualified, leaves, or is left out by a rule of the
    /// task (default 20).
    pub replacements: Option<u32>,
    /// The qualification before the main phase; `null` for none.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "Option<Qualification>")]
    pub qualification: Option<Option<Qualification>>,
    /// What raters earn; `null` for nothing.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "Option<Payment>")]
    pub payment: Option<Option<Payment>>,
}

/// Tells an explicit `null` from an absent field.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl RatersSection {
    /// Fills what is absent from a task's protocol.
    #[must_use]
    pub fn over(self, protocol: Raters) -> Raters {
        Raters {
            per_model: self.per_model.unwrap_or(protocol.per_model),
            per_item: self.per_item.or(protocol.per_item.filter(|_| self.per_model.is_none())),
            design: self.design.unwrap_or(protocol.design),
            replacements: self.replacements.unwrap_or(protocol.replacements),
            qualification: self.qualification.unwrap_or(protocol.qualification),
            payment: self.payment.unwrap_or(protocol.payment),
        }
    }
}

impl Raters {
    /// How many places the plan has: sessions that have to be completed.
    #[must_use]
    pub fn places(&self, models: usize) -> u32 {
        let groups = match self.design {
            RaterDesign::Between => models.max(1),
            RaterDesign::Within => 1,
        };
        self.per_model.saturating_mul(u32::try_from(groups).unwrap_or(u32::MAX))
    }

    /// One place of the plan.
    #[must_use]
    pub fn place(&self, number: u32, models: &[SetId]) -> Place {
        let groups = u32::try_from(models.len()).unwrap_or(u32::MAX).max(1);
        let (models, turn) = match self.design {
            _ if models.is_empty() => (Vec::new(), number),
            RaterDesign::Between => (vec![models[(number % groups) as usize]], number / groups),
            RaterDesign::Within => (williams_row(number, models), number),
        };
        Place { number, models, turn }
    }
}

/// One row of a Williams square: over its rows (two squares where the number is odd) each item stands in
/// each position, and directly after each other item, equally often (Williams 1949).
fn williams_row(row: u32, items: &[SetId]) -> Vec<SetId> {
    let n = items.len();
    let rows = if n.is_multiple_of(2) { n } else { 2 * n };
    let row = row as usize % rows;
    let mut order: Vec<SetId> = (0..n)
        .map(|column| {
            let zigzag = if column % 2 == 1 { column.div_ceil(2) } else { n - column / 2 };
            items[(zigzag + row) % n]
        })
        .collect();
    if row >= n {
        order.reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_needs_whole_answers() {
        let pass = Pass::default();
        assert_eq!(pass.needed(50), 33);
        assert_eq!(pass.needed(100), 65);
        assert_eq!(pass.needed(20), 13);
        assert_eq!(Pass { at_least: 0.0, ..pass }.needed(20), 0);
    }

    #[test]
    fn williams_squares_balance_position_and_carry_over() {
        for n in 1..8_usize {
            let items: Vec<SetId> = (0..n as u16).map(SetId).collect();
            let rows = if n.is_multiple_of(2) { n } else { 2 * n };
            let repeats = rows / n;
            let mut position = vec![0; n * n];
            let mut follows = vec![0; n * n];
            for row in 0..rows {
                let order = williams_row(row as u32, &items);
                for (column, item) in order.iter().enumerate() {
                    position[usize::from(item.0) * n + column] += 1;
                }
                for pair in order.windows(2) {
                    follows[usize::from(pair[0].0) * n + usize::from(pair[1].0)] += 1;
                }
            }
            assert!(position.iter().all(|&count| count == repeats), "{n}: {position:?}");
            for (index, &count) in follows.iter().enumerate() {
                let expected = if index / n == index % n { 0 } else { repeats };
                assert_eq!(count, expected, "{n} items, pair {index}");
            }
        }
    }

    #[test]
    fn one_count_of_raters_is_written() {
        let by_model = serde_json::to_value(Raters::default()).unwrap();
        assert!(by_model["per_model"] == 30 && by_model.get("per_item").is_none());
        let by_item = serde_json::to_value(Raters { per_item: Some(3), ..Raters::default() }).unwrap();
        assert!(by_item["per_item"] == 3 && by_item.get("per_model").is_none());
        let section: RatersSection = serde_json::from_value(by_item).unwrap();
        assert_eq!(section.over(Raters::default()).per_item, Some(3));
    }

    #[test]
    fn places_share_models_out() {
        let models = [SetId(1), SetId(2), SetId(3)];
        let raters = Raters { per_model: 2, ..Raters::default() };
        assert_eq!(raters.places(3), 6);
        assert_eq!(raters.place(4, &models), Place { number: 4, models: vec![SetId(2)], turn: 1 });
        let within = Raters { design: RaterDesign::Within, ..raters };
        assert_eq!(within.places(3), 2);
        assert_eq!(within.place(1, &models).models.len(), 3);
    }
}
