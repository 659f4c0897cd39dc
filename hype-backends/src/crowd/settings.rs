//! Settings of a recruiting study, whatever the panel: the texts that people read, and how their work is reviewed.

use std::ops::RangeInclusive;
use std::sync::Arc;

use hype_core::diagnostics::nearest;
use hype_core::{Diagnostics, Study};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The texts about a study at the panel, and the time for which it is offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ListingSettings {
    /// The title. It must not reveal what is tested.
    pub title: Arc<str>,
    /// A description of the work, in a few sentences.
    pub description: Arc<str>,
    /// Words by which people find the study, on panels that have them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<Arc<str>>,
    /// How many minutes a session takes. By default those of simulated raters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_440))]
    pub minutes: Option<u32>,
    /// The most minutes that a rater has, from arrival to the end, in addition to the longest wait of a study that is held open.
    #[schemars(range(min = 1, max = 10_080))]
    pub minutes_at_most: u32,
    /// The days after which the study admits no one else.
    #[schemars(range(min = 1, max = 365))]
    pub days: u32,
}

impl Default for ListingSettings {
    fn default() -> Self {
        Self {
            title: "Judging images".into(),
            description: "Look at images and answer questions about them.".into(),
            keywords: Vec::new(),
            minutes: None,
            minutes_at_most: 120,
            days: 14,
        }
    }
}

impl ListingSettings {
    /// The most minutes that a rater of a study has: those of the settings, and the longest wait if it is held open.
    #[must_use]
    pub fn longest(&self, study: &Study) -> u32 {
        let wait = study.raters().recruitment.hold_open.map_or(0, |retainer| retainer.minutes_at_most.get());
        self.minutes_at_most.saturating_add(wait)
    }
}

/// How submitted work is reviewed. The rules are declared before anybody comes, and are part of what raters are told.
///
/// Work is never rejected for low accuracy: rules can name attention checks of the task only. A panel without an interface for
/// programs has no such rules, since work is reviewed there by hand.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewSettings {
    /// The decision on work of raters who finished or did not qualify.
    pub finished: Finished,
    /// The decision on work that was handed in without a finished session.
    pub unfinished: Unfinished,
    /// Work that is rejected: of raters who fail one of these checks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reject: Vec<RejectionRule>,
}

/// The decision on work of raters who finished or did not qualify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Finished {
    /// It is approved as soon as it is handed in, unless a rule says otherwise.
    #[default]
    Approve,
    /// It waits for the operator.
    Hold,
}

/// The decision on work that was handed in without a finished session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unfinished {
    /// It waits for the operator.
    #[default]
    Hold,
    /// The rater is asked to return it, on panels that know such requests.
    RequestReturn,
}

/// A rule by which work is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectionRule {
    /// The check that the rater fails, such as `gold` or `catch`: one that sessions of the study have. An unclear check rejects
    /// no one.
    pub check: Arc<str>,
    /// The reason that the rater reads.
    pub reason: Arc<str>,
}

/// Checks that measure how well raters judge, and not whether they pay attention. No rule may name them.
const ACCURACY: [&str; 2] = ["accuracy", "qualification"];

impl ListingSettings {
    /// Reports faults in the settings, at their path.
    pub(crate) fn check(&self, at: &mut Diagnostics) {
        for (field, text) in [("title", &self.title), ("description", &self.description)] {
            if text.trim().is_empty() {
                at.field(field).error("empty", format!("the {field} is empty")).help("write what people do");
            }
        }
        if self.minutes.is_some_and(|minutes| minutes > self.minutes_at_most) {
            at.field("minutes_at_most")
                .error("too-short", "raters have less time than a session takes")
                .help("give them at least three times as long");
        }
    }
}

impl ListingSettings {
    /// Reports a time for raters of a study that the platform does not allow for sessions that take as long as people are told.
    pub(crate) fn check_allowed(
        &self,
        study: &Study,
        (told, allowed): (u32, RangeInclusive<u32>),
        platform: &str,
        at: &mut Diagnostics,
    ) {
        let longest = self.longest(study);
        let (least, most) = (*allowed.start(), *allowed.end());
        if longest < least {
            // The time that raters may wait comes on top.
            let stated = self.minutes_at_most.saturating_add(least - longest);
            at.field("minutes_at_most")
                .error(
                    "too-short",
                    format!(
                        "{platform} lets people have at least {least} min for a session of {told} min, and the study gives \
                         them {longest} min"
                    ),
                )
                .help(format!("write `minutes_at_most: {stated}` or more"));
        } else if longest > most {
            let stated = self.minutes_at_most.saturating_sub(longest - most);
            at.field("minutes_at_most")
                .error(
                    "too-long",
                    format!("{platform} lets people have {most} min at most, and the study gives them {longest} min"),
                )
                .help(format!("write `minutes_at_most: {stated}` or less"));
        }
    }
}

impl ReviewSettings {
    /// Reports faults in the settings, at their path.
    pub(crate) fn check(&self, shortest_reason: usize, at: &mut Diagnostics) {
        for rule in &self.reject {
            if ACCURACY.contains(&&*rule.check) {
                at.field("reject")
                    .error("accuracy", format!("`{}` measures how well raters judge", rule.check))
                    .help("reject work for failed attention checks only, and leave raters out of the findings by `exclude`");
            }
            let length = rule.reason.trim().chars().count();
            if length < shortest_reason.max(1) {
                at.field("reject")
                    .error("short-reason", format!("the reason for `{}` has {length} characters", rule.check))
                    .help(format!(
                        "say in at least {} characters what the rater did and which rule that breaks",
                        shortest_reason.max(20)
                    ));
            }
        }
    }

    /// Reports rules that name a check that no session of the study has, at their path.
    pub(crate) fn check_names(&self, study: &Study, at: &mut Diagnostics) {
        let known = study.check_names();
        for (index, rule) in self.reject.iter().enumerate() {
            // Those are reported by the check of the settings.
            if known.contains(&rule.check) || ACCURACY.contains(&&*rule.check) {
                continue;
            }
            let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            at.field("reject")
                .item(index)
                .field("check")
                .error(
                    "unknown-check",
                    format!(
                        "sessions of this study have no check `{}`, and the rule rejects no one",
                        rule.check
                    ),
                )
                .help(format!("they have {}", names.join(", ")))
                .suggest(nearest(&rule.check, known.iter().map(|name| &**name)));
        }
    }
}
