//! The settings of Mechanical Turk in a spec.

use std::sync::Arc;

use hype_backends::crowd::transport::is_endpoint;
use hype_core::Diagnostics;
use hype_core::study::spec::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most locales of a requirement.
const LOCALES_AT_MOST: usize = 30;

/// How workers of Amazon Mechanical Turk are recruited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MechanicalTurkSettings {
    /// The environment variable that holds the id of the access key.
    #[serde(skip_serializing_if = "is_default_access_key")]
    pub access_key: Secret,
    /// The environment variable that holds the secret access key.
    #[serde(skip_serializing_if = "is_default_secret_key")]
    pub secret_key: Secret,
    /// The address of a service that speaks the protocol of Mechanical Turk, version 2017-01-17. By default Amazon's sandbox, or
    /// with `--production` the service where money is paid. Such a service is used with `--production` only, unless it is on this
    /// machine: it has no sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<Arc<str>>,
    /// The address of the pages on which that service shows tasks to its workers, such as `https://workers.example.org`: the page may
    /// be framed by it, and work is handed in there. Goes with `endpoint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker_site: Option<Arc<str>>,
    /// Who may take part.
    #[serde(skip_serializing_if = "WorkerRequirements::is_default")]
    pub requirements: WorkerRequirements,
    /// The hours after which the service approves work by itself without a decision.
    #[schemars(range(min = 1, max = 720))]
    pub auto_approval_hours: u32,
}

/// Who may take part, by what the service knows of its workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WorkerRequirements {
    /// The least share of a worker's assignments that were approved, in percent; `null` for any. Workers with fewer than 100
    /// assignments count as 100 %.
    #[schemars(range(max = 100))]
    pub approval_rate: Option<u8>,
    /// The least number of assignments of a worker that were approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10_000_000))]
    pub approved_assignments: Option<u32>,
    /// Where workers live, as countries such as `US` or states such as `US-CA`; anywhere if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 30), inner(regex(pattern = "^[A-Z]{2}(-[A-Z]{2})?$")))]
    pub locales: Vec<Arc<str>>,
    /// Whether the study shows content for adults, which workers must have agreed to see.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub adult: bool,
    /// Whether workers must be Masters, which raises the service's fee by 5 %.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub masters: bool,
}

/// An approval rate of 98 %, as publications on the quality of such work advise.
impl Default for WorkerRequirements {
    fn default() -> Self {
        Self {
            approval_rate: Some(98),
            approved_assignments: None,
            locales: Vec::new(),
            adult: false,
            masters: false,
        }
    }
}

impl WorkerRequirements {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

fn variable(name: &str) -> Secret {
    Secret { env: name.into() }
}

fn is_default_access_key(secret: &Secret) -> bool {
    *secret == MechanicalTurkSettings::default().access_key
}

fn is_default_secret_key(secret: &Secret) -> bool {
    *secret == MechanicalTurkSettings::default().secret_key
}

/// Keys in the variables that Amazon's own tools read, and three days for decisions.
impl Default for MechanicalTurkSettings {
    fn default() -> Self {
        Self {
            access_key: variable("AWS_ACCESS_KEY_ID"),
            secret_key: variable("AWS_SECRET_ACCESS_KEY"),
            endpoint: None,
            worker_site: None,
            requirements: WorkerRequirements::default(),
            auto_approval_hours: 72,
        }
    }
}

impl MechanicalTurkSettings {
    /// Reports faults in the settings, at their path.
    pub(crate) fn check(&self, at: &mut Diagnostics) {
        for (field, secret) in [("access_key", &self.access_key), ("secret_key", &self.secret_key)] {
            if secret.env.is_empty() {
                at.field(field)
                    .field("env")
                    .error("empty", "the environment variable has no name")
                    .help(format!("leave `{field}` out to use the variable that Amazon's own tools read"));
            }
        }
        if self.worker_site.as_ref().is_some_and(|site| !is_endpoint(site)) {
            at.field("worker_site")
                .error("bad-address", "this cannot be the address of the pages of a service")
                .help("use an address that begins with `https://`, without a path");
        }
        match &self.endpoint {
            Some(endpoint) if !is_endpoint(endpoint) => {
                at.field("endpoint")
                    .error("bad-address", "requests with keys of an account cannot be sent to this address")
                    .help("use an address that begins with `https://`, or one of this machine");
            }
            Some(_) if self.worker_site.is_none() => {
                at.field("endpoint")
                    .error("no-worker-site", "work could not be handed in: the site of this service's workers is not known")
                    .help(
                        "write `worker_site: https://workers.example.org` as well: the address that `turkSubmitTo` has when a \
                         worker comes, without a path",
                    );
            }
            Some(_) => {}
            None => {
                at.warning(
                    "service-closes",
                    "Amazon announced the closure of Mechanical Turk for 30 September 2026, and took no new customers from 30 \
                     July 2026 on",
                )
                .help(
                    "recruit with `kind: prolific` or `kind: panel`, or name a compatible service by `endpoint`",
                );
            }
        }
        at.within("requirements", |at| self.requirements.check(at));
    }
}

impl WorkerRequirements {
    /// The requirements in words.
    pub(crate) fn describe(&self) -> Vec<String> {
        let Self { approval_rate, approved_assignments, locales, adult, masters } = self;
        let mut words = Vec::new();
        words.extend(
            approval_rate.map(|rate| format!("workers of whose assignments at least {rate} % were approved")),
        );
        words.extend(
            approved_assignments.map(|number| format!("workers with at least {number} approved assignments")),
        );
        if !locales.is_empty() {
            words.push(format!("workers who live in {}", locales.join(", ")));
        }
        if *adult {
            words.push("workers who have agreed to see content for adults".to_owned());
        }
        if *masters {
            words.push("Masters".to_owned());
        }
        words
    }

    fn check(&self, at: &mut Diagnostics) {
        if self.locales.len() > LOCALES_AT_MOST {
            at.field("locales")
                .error("too-many", format!("there are {} locales", self.locales.len()))
                .help(format!("the service compares with {LOCALES_AT_MOST} at most"));
        }
        for (index, locale) in self.locales.iter().enumerate() {
            if !is_locale(locale) {
                at.field("locales")
                    .item(index)
                    .error("bad-locale", format!("`{locale}` is neither a country nor a state"))
                    .help("use codes such as `US` or `US-CA`");
            }
        }
    }
}

/// Whether a text is a country's two letters, alone or with a state's.
fn is_locale(text: &str) -> bool {
    let is_code = |code: &str| code.len() == 2 && code.bytes().all(|letter| letter.is_ascii_uppercase());
    match text.split_once('-') {
        Some((country, state)) => is_code(country) && is_code(state),
        None => is_code(text),
    }
}

#[cfg(test)]
mod tests {
    use hype_core::yaml::Document;

    use super::*;

    fn codes(text: &str) -> Vec<(&'static str, String)> {
        let settings: MechanicalTurkSettings = Document::parse(text).unwrap().root().read().unwrap();
        let mut at = Diagnostics::new();
        settings.check(&mut at);
        at.iter().map(|fault| (fault.code, fault.path.clone())).collect()
    }

    #[test]
    fn faults_are_reported_where_they_are() {
        let both = "endpoint: https://mturk.example.org\nworker_site: https://workers.example.org";
        assert_eq!(codes(both), []);
        assert_eq!(codes("endpoint: \"http://127.0.0.1:7000\"\nworker_site: \"http://127.0.0.1:7000\""), []);
        // Its workers could hand nothing in.
        for alone in ["endpoint: https://mturk.example.org", "endpoint: \"http://127.0.0.1:7000\""] {
            assert_eq!(codes(alone), [("no-worker-site", "endpoint".to_owned())], "{alone}");
        }
        assert_eq!(codes("{}"), [("service-closes", String::new())]);
        let faults = codes(
            "access_key: { env: \"\" }\nendpoint: http://example.org\nrequirements:\n  \
             locales: [US, usa, US-CA, DE-]\n",
        );
        let expected = [
            ("empty", "access_key.env"),
            ("bad-address", "endpoint"),
            ("bad-locale", "requirements.locales[1]"),
            ("bad-locale", "requirements.locales[3]"),
        ];
        assert_eq!(faults, expected.map(|(code, path)| (code, path.to_owned())));
    }

    #[test]
    fn defaults_are_not_written() {
        let settings = MechanicalTurkSettings::default();
        let written = serde_json::to_value(&settings).unwrap();
        assert_eq!(written, serde_json::json!({ "auto_approval_hours": 72 }));
        assert_eq!(serde_json::from_value::<MechanicalTurkSettings>(written).unwrap(), settings);
    }
}
