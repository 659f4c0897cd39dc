//! The people that a study recruits: those who took part in other studies or did not, and those who wait until it needs them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::Diagnostics;
use crate::model::bounds::Bounded;
use crate::model::units::Amount;

/// The number of raters who wait.
type WaitingCount = Bounded<1, 1_000>;
/// The number of minutes that a rater waits.
type WaitingMinutes = Bounded<1, 480>;

/// The people that a study recruits, where that depends on other studies or on the moment. May change while a study runs.
///
/// Other studies are named by their folders, relative to the spec.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recruitment {
    /// The study in which raters have qualified. They skip the qualification.
    pub qualified_by: Option<Arc<str>>,
    /// Studies whose participants cannot take part.
    pub exclude_participants_of: Vec<Arc<str>>,
    /// Raters who wait and answer within minutes; `None` if none do.
    pub hold_open: Option<Retainer>,
}

impl Recruitment {
    /// The settings that a spec has, by their names in the section `raters`.
    pub fn written(&self) -> impl Iterator<Item = &'static str> {
        let Self { qualified_by, exclude_participants_of, hold_open } = self;
        [
            ("qualified_by", qualified_by.is_some()),
            ("exclude_participants_of", !exclude_participants_of.is_empty()),
            ("hold_open", hold_open.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, is_written)| is_written.then_some(name))
    }

    /// Reports faults in the settings, at their path.
    pub(crate) fn check(&self, at: &mut Diagnostics) {
        let is_empty = |study: &Arc<str>| study.trim().is_empty();
        let help = "name the folder of a study, relative to the spec, such as `faces.study`";
        if self.qualified_by.as_ref().is_some_and(is_empty) {
            at.field("qualified_by").error("empty", "no study is named").help(help);
        }
        for (index, _) in self.exclude_participants_of.iter().enumerate().filter(|(_, study)| is_empty(study))
        {
            at.within("exclude_participants_of", |at| {
                at.within_item(index, |at| {
                    at.error("empty", "no study is named").help(help);
                });
            });
        }
        if let Some(qualified) = &self.qualified_by
            && self.exclude_participants_of.contains(qualified)
        {
            at.field("exclude_participants_of")
                .error(
                    "nobody-left",
                    format!("`{qualified}` is also the study in which raters have to qualify"),
                )
                .help("remove it here, or as `qualified_by`");
        }
        if let Some(retainer) = &self.hold_open {
            at.within("hold_open", |at| retainer.check(at));
        }
    }
}

/// Raters who are paid for waiting until a study needs them, and then answer within minutes.
///
/// They have a place and a session like other raters, and wait before their first trial until the operator
/// [calls](crate::model::action::OperatorAction::Call), or as long as they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Retainer {
    /// The number of raters who are let in before the operator calls.
    pub raters: WaitingCount,
    /// The pay of each of them for an hour of waiting, by the minute.
    pub per_hour: Amount,
    /// The most minutes that a rater waits. A rater who has waited that long begins without a call.
    pub minutes_at_most: WaitingMinutes,
}

impl Retainer {
    /// Returns the pay for waiting so many minutes. Each counts once it has begun: the share of an hour's pay, rounded
    /// up to a hundredth of the currency's unit. No more than [`minutes_at_most`](Self::minutes_at_most) are paid.
    #[must_use]
    pub fn pay(&self, minutes: u32) -> Amount {
        let minutes = u64::from(minutes.min(self.minutes_at_most.get()));
        let sixtieths = self.per_hour.times(minutes).0;
        Amount(sixtieths.div_ceil(60 * HUNDREDTH).saturating_mul(HUNDREDTH))
    }

    /// The most that a rater gets for waiting.
    #[must_use]
    pub fn most(&self) -> Amount {
        self.pay(self.minutes_at_most.get())
    }

    fn check(&self, at: &mut Diagnostics) {
        if self.per_hour == Amount(0) {
            at.field("per_hour")
                .error("unpaid", "raters who wait are paid for it")
                .help("write what they get for an hour, such as `per_hour: 9.00`");
        }
    }
}

/// A hundredth of a currency's unit, the smallest amount that panels pay.
const HUNDREDTH: u64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn retainer(per_hour: u64) -> Retainer {
        Retainer { raters: 3.into(), per_hour: Amount(per_hour), minutes_at_most: 20.into() }
    }

    #[test]
    fn waiting_is_paid_by_the_minute_in_whole_cents() {
        let paid = |per_hour, minutes| retainer(per_hour).pay(minutes).to_string();
        assert_eq!(paid(9_000_000, 0), "0.00");
        assert_eq!(paid(9_000_000, 1), "0.15");
        assert_eq!(paid(10_000_000, 1), "0.17");
        assert_eq!(paid(9_000_000, 20), "3.00");
        assert_eq!(paid(9_000_000, 500), "3.00", "nobody waits longer");
        assert_eq!(retainer(9_000_000).most(), Amount(3_000_000));
    }

    #[test]
    fn faults_have_a_place() {
        let recruitment = Recruitment {
            qualified_by: Some("a.study".into()),
            exclude_participants_of: vec!["b.study".into(), " ".into(), "a.study".into()],
            hold_open: Some(retainer(0)),
        };
        let mut at = Diagnostics::new();
        recruitment.check(&mut at);
        let faults: Vec<(&str, &str)> = at.iter().map(|one| (one.code, &*one.path)).collect();
        assert_eq!(
            faults,
            [
                ("empty", "exclude_participants_of[1]"),
                ("nobody-left", "exclude_participants_of"),
                ("unpaid", "hold_open.per_hour"),
            ]
        );
        assert_eq!(
            recruitment.written().collect::<Vec<_>>(),
            ["qualified_by", "exclude_participants_of", "hold_open"]
        );
    }
}
