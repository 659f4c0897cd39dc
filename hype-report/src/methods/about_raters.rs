//! The checklist's facts on raters: where they came from, what they had to pass, and what they were paid.

use hype_core::model::findings::Findings;
use hype_core::protocol::raters::Raters;
use hype_core::protocol::recruitment::{Recruitment, Retainer};
use hype_core::words::counted;
use hype_core::{PassRule, Payment, Qualification, Study};

use super::BLANK;
use super::asked::{Asked, guidance};
use crate::numbers::percent;
use crate::text::listed;

/// The platforms that people came through, and who could not take part. Only its authors know what a notice said, and where it was.
pub(super) fn recruiting(backend: Option<&str>, recruitment: &Recruitment) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(match backend {
        Some("prolific") => Some("Through Prolific.".to_owned()),
        Some("mturk") => {
            Some("Through Amazon Mechanical Turk or a service that speaks its protocol.".to_owned())
        }
        Some("panel") => Some(format!("Through a panel: {BLANK}.")),
        Some("web") => Some(format!("By an address of the study's page: {BLANK}.")),
        _ => None,
    });
    parts.extend(
        recruitment
            .qualified_by
            .as_ref()
            .map(|other| format!("Only people who had qualified in the study {other} could take part.")),
    );
    if !recruitment.exclude_participants_of.is_empty() {
        let others = listed(&recruitment.exclude_participants_of);
        parts.push(format!("No one who had taken part in {others} could take part."));
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// How raters were screened.
pub(super) fn screening(raters: &Raters, findings: &Findings) -> String {
    let failed = findings.collected.as_ref().map_or(String::new(), |collected| {
        format!(" Disqualified: {} of {}.", collected.disqualified, counted(collected.sessions, "session"))
    });
    let own = raters.qualification.as_ref().map(qualification);
    let asked = findings.collected.as_ref().filter(|collected| collected.screened_out > 0).map(|collected| {
        format!(
            "By their answers to questions before the task, which screened out {} of {}.",
            collected.screened_out,
            counted(collected.sessions, "session")
        )
    });
    if let (Some(asked), None, None) = (&asked, &raters.recruitment.qualified_by, &own) {
        return asked.clone();
    }
    let tested = match (&raters.recruitment.qualified_by, own) {
        (Some(other), Some(own)) => format!("By the qualification of the study {other}, in place of {own}."),
        (Some(other), None) => format!("By the qualification of the study {other}."),
        (None, Some(own)) => format!("By {own}.{failed}"),
        (None, None) => "They were not screened by the program.".to_owned(),
    };
    asked.map_or(tested.clone(), |asked| format!("{asked} {tested}"))
}

/// A qualification in words.
pub(super) fn qualification(one: &Qualification) -> String {
    let share = percent(one.pass.at_least);
    let passed = match one.pass.rule {
        PassRule::BothClasses => {
            format!("at least {share}% of the real and at least {share}% of the generated stimuli")
        }
        PassRule::Overall => format!("at least {share}% of all stimuli"),
    };
    format!(
        "a qualification of {}, half of them with real stimuli, in which {passed} had to be judged right",
        counted(one.trials, "trial")
    )
}

/// Returns what raters read and practised before the scored trials.
pub(super) fn training(study: &Study, asked: Option<&Asked>) -> Option<String> {
    let practice = asked.and_then(Asked::practice);
    let parts: Vec<String> = guidance(study).into_iter().chain(practice).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Describes the pay that the program knows of; panels may pay in addition.
pub(super) fn paid(raters: &Raters, findings: &Findings) -> Option<String> {
    let Payment { currency, base, per_correct, screened_out, minimum_hourly, limit: _ } =
        raters.payment.as_ref()?;
    let base_for = if raters.qualification.is_some() { "the qualification" } else { "taking part" };
    let mut text = format!("{base} {currency} for {base_for}");
    if per_correct.0 > 0 {
        text += &format!(" and {per_correct} {currency} for each right answer after that");
    }
    if !screened_out.is_base() {
        text += "; nothing for raters who were screened out";
    }
    if let Some(Retainer { raters: _, per_hour, minutes_at_most }) = &raters.recruitment.hold_open {
        text += &format!(
            "; for waiting, {per_hour} {currency} an hour by the minute, for {} at most",
            counted(minutes_at_most.get(), "minute")
        );
    }
    if let Some(hourly) = minimum_hourly {
        text += &format!("; at least {hourly} {currency} an hour were promised");
    }
    if let Some(earnings) = &findings.earnings {
        text += &format!("; {} {} in all", earnings.total, earnings.currency);
    }
    Some(text + ".")
}

#[cfg(test)]
mod tests {
    use hype_core::Amount;
    use hype_core::model::findings::{Collection, FORMAT};

    use super::*;

    fn findings() -> Findings {
        Findings {
            surveys: Vec::new(),
            format: FORMAT,
            software: "hype".into(),
            study: None,
            collected: Some(Collection { sessions: 9, disqualified: 2, ..Collection::default() }),
            measures: Vec::new(),
            stopping: None,
            metrics: Vec::new(),
            correlations: Vec::new(),
            exclusions: Vec::new(),
            checks: Vec::new(),
            earnings: None,
            timing: None,
            models: std::collections::BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn people_come_from_a_panel_and_from_other_studies() {
        let alone = Recruitment::default();
        assert_eq!(recruiting(None, &alone), None, "only the authors know");
        assert_eq!(recruiting(Some("prolific"), &alone).as_deref(), Some("Through Prolific."));
        assert!(recruiting(Some("mturk"), &alone).is_some_and(|text| text.contains("Mechanical Turk")));
        assert!(recruiting(Some("panel"), &alone).is_some_and(|text| text.contains(BLANK)));
        let directed = Recruitment {
            qualified_by: Some("pilot.study".into()),
            exclude_participants_of: vec!["a.study".into(), "b.study".into()],
            hold_open: None,
        };
        assert_eq!(
            recruiting(None, &directed).as_deref(),
            Some(
                "Only people who had qualified in the study pilot.study could take part. No one who had taken part in a.study and \
                 b.study could take part."
            )
        );
    }

    #[test]
    fn a_qualification_in_another_study_is_a_screening() {
        let mut raters = Raters { qualification: None, ..Raters::default() };
        assert_eq!(screening(&raters, &findings()), "They were not screened by the program.");
        raters.recruitment.qualified_by = Some("pilot.study".into());
        assert_eq!(screening(&raters, &findings()), "By the qualification of the study pilot.study.");
        raters.qualification = Some(Qualification::default());
        let text = screening(&raters, &findings());
        assert!(
            text.starts_with("By the qualification of the study pilot.study, in place of a qualification")
        );
        assert!(!text.contains("Disqualified"), "{text}");
        raters.recruitment.qualified_by = None;
        assert!(screening(&raters, &findings()).ends_with("Disqualified: 2 of 9 sessions."));
    }

    #[test]
    fn waiting_is_part_of_the_pay() {
        let mut raters =
            Raters { qualification: None, payment: Some(Payment::default()), ..Raters::default() };
        assert_eq!(paid(&raters, &findings()).as_deref(), Some("0.00 USD for taking part."));
        let retainer = Retainer { raters: 3.into(), per_hour: Amount(9_000_000), minutes_at_most: 20.into() };
        raters.recruitment.hold_open = Some(retainer);
        assert_eq!(
            paid(&raters, &findings()).as_deref(),
            Some(
                "0.00 USD for taking part; for waiting, 9.00 USD an hour by the minute, for 20 minutes at most."
            )
        );
    }
}
