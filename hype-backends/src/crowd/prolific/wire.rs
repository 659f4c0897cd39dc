//! Requests and responses of Prolific's API, version 1.
//!
//! Amounts are numbers of the currency's smallest unit, except in the lines of bonus payments, which have decimals. Fields that
//! this crate does not need are left out.

use std::sync::Arc;

use hype_core::Amount;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::settings::{ContentWarning, Device, StudyLabel};

/// The smallest unit of a currency.
pub(super) const CENT: Amount = Amount(10_000);

/// An amount in cents; `None` if it has fractions of a cent.
pub(super) fn cents(amount: Amount) -> Option<u64> {
    amount.0.is_multiple_of(CENT.0).then_some(amount.0 / CENT.0)
}

/// An amount of cents as the API writes it; `None` unless it is a whole number.
pub(super) fn of_cents(cents: f64) -> Option<Amount> {
    let fits = (0.0..=9e15).contains(&cents) && cents.fract().abs() < 1e-6;
    fits.then(|| Amount((cents.round() as u64).saturating_mul(CENT.0)))
}

/// A page of a list.
#[derive(Debug, Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
pub(super) struct PageOf<T> {
    pub(super) results: Vec<T>,
    #[serde(default, rename = "_links")]
    pub(super) links: Option<Links>,
    #[serde(default)]
    pub(super) meta: Meta,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Links {
    #[serde(default)]
    pub(super) next: Option<Link>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Link {
    #[serde(default)]
    pub(super) href: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Meta {
    /// The number of entries of all pages together.
    #[serde(default)]
    pub(super) count: Option<usize>,
}

/// An entry of a list, which is the same on every page that shows it.
pub(super) trait Entry: DeserializeOwned {
    fn id(&self) -> &Arc<str>;
}

/// The money of a workspace, as far as its currency goes.
#[derive(Debug, Deserialize)]
pub(super) struct Balance {
    #[serde(default)]
    pub(super) currency_code: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Study {
    pub(super) id: Arc<str>,
    #[serde(default)]
    pub(super) internal_name: Option<String>,
    pub(super) status: String,
    #[serde(default)]
    pub(super) total_available_places: u32,
    #[serde(default)]
    pub(super) places_taken: Option<u32>,
}

impl Entry for Study {
    fn id(&self) -> &Arc<str> {
        &self.id
    }
}

#[derive(Serialize)]
pub(super) struct StudyDraft<'a> {
    pub(super) name: &'a str,
    pub(super) internal_name: &'a str,
    pub(super) description: &'a str,
    pub(super) external_study_url: String,
    pub(super) prolific_id_option: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_external_study_url_secure: bool,
    pub(super) completion_codes: Vec<CompletionCode<'a>>,
    pub(super) total_available_places: u32,
    pub(super) estimated_completion_time: u32,
    pub(super) maximum_allowed_time: u32,
    pub(super) reward: u64,
    pub(super) device_compatibility: &'a [Device],
    pub(super) peripheral_requirements: [&'static str; 0],
    pub(super) filters: Vec<Map<String, Value>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) content_warnings: &'a [ContentWarning],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) study_labels: &'a [StudyLabel],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct CompletionCode<'a> {
    pub(super) code: &'a str,
    pub(super) code_type: &'static str,
    /// Who hands work in with it; participants by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) actor: Option<&'static str>,
    pub(super) actions: [CodeAction; 1],
}

#[derive(Serialize)]
pub(super) struct CodeAction {
    pub(super) action: &'static str,
}

/// A study that was made from a draft, for test participants.
#[derive(Deserialize)]
pub(super) struct TestStudy {
    pub(super) study_id: Arc<str>,
}

/// A submission, as lists or the submission itself show it.
#[derive(Deserialize)]
pub(super) struct SubmissionBody {
    pub(super) id: Arc<str>,
    #[serde(default, alias = "participant")]
    pub(super) participant_id: Option<Arc<str>>,
    pub(super) status: String,
    #[serde(default)]
    pub(super) started_at: Option<String>,
    #[serde(default)]
    pub(super) completed_at: Option<String>,
    #[serde(default, alias = "entered_code")]
    pub(super) study_code: Option<Arc<str>>,
    #[serde(default)]
    pub(super) return_requested: Option<String>,
    /// In cents. Lists of some versions of the API leave it out.
    #[serde(default)]
    pub(super) bonus_payments: Option<Vec<f64>>,
}

impl Entry for SubmissionBody {
    fn id(&self) -> &Arc<str> {
        &self.id
    }
}

/// A set-up of bonus payments, which pays nothing by itself. Amounts are in cents.
#[derive(Deserialize)]
pub(super) struct BulkBonus {
    pub(super) id: Arc<str>,
    #[serde(default)]
    pub(super) amount: Option<f64>,
    #[serde(default)]
    pub(super) fees: Option<f64>,
    #[serde(default)]
    pub(super) vat: Option<f64>,
    /// The amount with fees and tax.
    pub(super) total_amount: f64,
}

/// The cost of a study so far, or the expected cost of a draft.
#[derive(Deserialize)]
pub(super) struct StudyCost {
    #[serde(default)]
    pub(super) rewards: Option<CostPart>,
    #[serde(default)]
    pub(super) bonuses: Option<CostPart>,
}

/// The part of a cost that is rewards, or bonuses. What participants get is called rewards in both.
#[derive(Deserialize)]
pub(super) struct CostPart {
    #[serde(default)]
    pub(super) rewards: Option<Price>,
}

#[derive(Deserialize)]
pub(super) struct Price {
    /// In cents.
    pub(super) amount: f64,
    #[serde(default)]
    pub(super) currency: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ParticipantGroup {
    pub(super) id: Arc<str>,
    pub(super) name: String,
    #[serde(default)]
    pub(super) is_deleted: bool,
}

impl Entry for ParticipantGroup {
    fn id(&self) -> &Arc<str> {
        &self.id
    }
}

/// The envelope of errors.
#[derive(Deserialize)]
pub(super) struct ErrorBody {
    pub(super) error: ErrorDetail,
}

#[derive(Deserialize)]
pub(super) struct ErrorDetail {
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) detail: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_whole_cents() {
        assert_eq!(cents(Amount(1_500_000)), Some(150));
        assert_eq!(cents(Amount(1_505_000)), None);
        assert_eq!(of_cents(150.0), Some(Amount(1_500_000)));
        assert_eq!(of_cents(150.5), None);
        assert_eq!(of_cents(-1.0), None);
    }
}
