//! The settings of Prolific in a spec.

use std::sync::Arc;

use hype_core::Diagnostics;
use hype_core::protocol::fees::{Fees, Share};
use hype_core::study::spec::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::crowd::transport::is_endpoint;
use crate::fees::Customer;

/// How participants of Prolific are recruited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProlificSettings {
    /// The environment variable that holds the API token, which Prolific shows under Settings, API token.
    pub token: Secret,
    /// The address of the API.
    #[serde(skip_serializing_if = "is_default_base_url")]
    pub base_url: Arc<str>,
    /// The kind of customer, which decides Prolific's fee.
    pub customer: Customer,
    /// The value-added tax on the fee, as a share of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub vat: Option<f64>,
    /// The id of the workspace. Pools of raters need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]{24}$"))]
    pub workspace: Option<Arc<str>>,
    /// The id of the project to which the study is added; by default the one that Prolific chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]{24}$"))]
    pub project: Option<Arc<str>>,
    /// The devices on which participants can take part.
    pub devices: Vec<Device>,
    /// Who may take part, as the field `filters` of Prolific's API has it: `{ filter_id: …, selected_values: […] }` or
    /// `{ filter_id: …, selected_range: { lower: …, upper: … } }`. They are passed on as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<Map<String, Value>>,
    /// Whether Prolific signs the addresses at which participants come, and people without its signature are turned away.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub signed_addresses: bool,
    /// The content that participants are warned of before they take part. Prolific accepts one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub content_warnings: Vec<ContentWarning>,
    /// The kind of task, such as `ai_evaluation` for judging what models have made. Prolific takes one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub study_labels: Vec<StudyLabel>,
    /// The environment variable that holds the secret with which Prolific signs its webhooks. Without it, webhooks are refused and
    /// Prolific is asked from time to time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_secret: Option<Secret>,
}

/// A device on which participants can take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// A computer.
    Desktop,
    /// A tablet.
    Tablet,
    /// A phone.
    Mobile,
}

/// A kind of content that participants are warned of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContentWarning {
    /// Content that may cause discomfort or distress.
    Sensitive,
    /// Content that is explicit.
    Explicit,
}

/// A kind of task at Prolific.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StudyLabel {
    /// A survey.
    Survey,
    /// Writing.
    WritingTask,
    /// Annotation.
    Annotation,
    /// Making decisions.
    DecisionMakingTask,
    /// An interview.
    Interview,
    /// Annotation for the training of models.
    AiAnnotation,
    /// The evaluation of what models have made.
    AiEvaluation,
    /// Something else about models.
    AiOther,
    /// Something else.
    Other,
}

impl Device {
    /// The device in a word.
    const fn name(self) -> &'static str {
        match self {
            Self::Desktop => "computer",
            Self::Tablet => "tablet",
            Self::Mobile => "phone",
        }
    }
}

/// The public API, computers only, the fee of universities.
impl Default for ProlificSettings {
    fn default() -> Self {
        Self {
            token: Secret { env: "PROLIFIC_TOKEN".into() },
            base_url: "https://api.prolific.com".into(),
            customer: Customer::default(),
            vat: None,
            workspace: None,
            project: None,
            devices: vec![Device::Desktop],
            filters: Vec::new(),
            signed_addresses: false,
            content_warnings: Vec::new(),
            study_labels: Vec::new(),
            webhook_secret: None,
        }
    }
}

fn is_default_base_url(url: &Arc<str>) -> bool {
    *url == ProlificSettings::default().base_url
}

impl ProlificSettings {
    /// Returns Prolific's fees for each payment.
    pub(super) fn customer_fees(&self) -> Fees {
        self.customer.fees(self.vat.and_then(Share::of).unwrap_or_default())
    }

    /// Who may take part, in words.
    pub(super) fn describe_audience(&self) -> Vec<String> {
        let devices: Vec<&str> = self.devices.iter().map(|device| device.name()).collect();
        let filters = self.filters.iter().filter_map(|filter| filter.get("filter_id")?.as_str());
        std::iter::once(format!("participants with a {}", devices.join(" or ")))
            .chain(filters.map(|filter| format!("participants selected by the filter `{filter}` selects")))
            .collect()
    }

    /// Reports faults in the settings, at their path.
    pub(super) fn check_settings(&self, at: &mut Diagnostics) {
        let secrets = [("token", Some(&self.token)), ("webhook_secret", self.webhook_secret.as_ref())];
        for (field, secret) in secrets {
            if secret.is_some_and(|secret| secret.env.is_empty()) {
                at.field(field).field("env").error("empty", "the environment variable has no name").help(
                    format!("name it, such as `{field}: {{ env: PROLIFIC_{} }}`", field.to_uppercase()),
                );
            }
        }
        if !is_endpoint(&self.base_url) {
            at.field("base_url")
                .error("bad-address", "requests with the token of an account cannot be sent to this address")
                .help("leave `base_url` out, or use an address that begins with `https://`, or one of this machine");
        }
        for (field, id) in [("workspace", &self.workspace), ("project", &self.project)] {
            if id.as_ref().is_some_and(|id| !is_id(id)) {
                at.field(field).error("bad-id", format!("this is not the id of a {field}")).help(
                    "copy the 24 digits and letters from the address that Prolific shows in the browser",
                );
            }
        }
        if self.vat.is_none() {
            at.field("vat")
                .warning(
                    "no-vat",
                    "nothing says whether tax is due on Prolific's fee, and the spending limit is computed without it",
                )
                .help("write `vat: 0.2`, or the share of your country, or `vat: 0` if your account pays none");
        }
        for (field, count) in
            [("content_warnings", self.content_warnings.len()), ("study_labels", self.study_labels.len())]
        {
            if count > 1 {
                at.field(field)
                    .error("too-many", "Prolific takes one of them for a study")
                    .help("keep the one that says most");
            }
        }
        if self.devices.is_empty() {
            at.field("devices")
                .error("empty", "participants cannot take part on any device")
                .help("write `devices: [desktop]`");
        }
        for (index, filter) in self.filters.iter().enumerate() {
            if !filter.get("filter_id").is_some_and(Value::is_string) {
                at.field("filters")
                    .item(index)
                    .error("no-filter-id", "the filter does not say what it is about")
                    .help("write `filter_id: age` or the id of another filter of Prolific");
            }
        }
    }
}

/// Whether a text is an id of Prolific: 24 lower-case hexadecimal digits.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use hype_core::yaml::Document;

    use super::*;

    fn settings(text: &str) -> ProlificSettings {
        Document::parse(text).unwrap().root().read().unwrap()
    }

    fn faults(text: &str) -> Vec<(&'static str, String)> {
        let mut at = Diagnostics::new();
        settings(text).check_settings(&mut at);
        at.iter().map(|fault| (fault.code, fault.path.clone())).collect()
    }

    #[test]
    fn faults_are_reported_where_they_are() {
        assert_eq!(faults("vat: 0"), []);
        assert_eq!(faults("{}"), [("no-vat", "vat".to_owned())]);
        let many = "vat: 0\ncontent_warnings: [sensitive, explicit]\nstudy_labels: [survey, ai_evaluation]";
        assert_eq!(
            faults(many),
            ["content_warnings", "study_labels"].map(|path| ("too-many", path.to_owned()))
        );
        let fine = "token: { env: T }\nbase_url: http://127.0.0.1:7000\nvat: 0.2\nworkspace: 60aca280709ee40ec37d4885\n\
                    filters: [{ filter_id: age, selected_range: { lower: 18, upper: 65 } }]\n";
        assert_eq!(faults(fine), []);
        let bad = "token: { env: \"\" }\nwebhook_secret: { env: \"\" }\nbase_url: http://example.org\n\
                   workspace: My lab\nproject: 60ACA280709EE40EC37D4885\ndevices: []\nfilters: [{ selected_values: [\"0\"] }]\n";
        let expected = [
            ("empty", "token.env"),
            ("empty", "webhook_secret.env"),
            ("bad-address", "base_url"),
            ("bad-id", "workspace"),
            ("bad-id", "project"),
            ("no-vat", "vat"),
            ("empty", "devices"),
            ("no-filter-id", "filters[0]"),
        ];
        assert_eq!(faults(bad), expected.map(|(code, path)| (code, path.to_owned())));
    }

    #[test]
    fn settings_are_written_without_what_is_usual() {
        let written = serde_json::to_value(ProlificSettings::default()).unwrap();
        let expected = serde_json::json!({
            "token": { "env": "PROLIFIC_TOKEN" }, "customer": "academic", "devices": ["desktop"]
        });
        assert_eq!(written, expected);
    }
}
