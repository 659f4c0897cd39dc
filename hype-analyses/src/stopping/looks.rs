//! The numbers of raters at which rules look.

use hype_core::Diagnostics;
use hype_core::plugin::stopping::StoppingPlan;
use hype_core::words::counted;

/// The most looks of a rule.
const MOST: usize = 200;

/// Checks looks that a spec lists.
pub(super) fn check_listed(looks: &[u32], plan: &StoppingPlan, at: &mut Diagnostics) {
    at.within("looks", |at| {
        if looks.is_empty() {
            at.error("empty", "there are no looks")
                .help("leave `looks` out for the default, 20, 40, 60, 90 and 120");
        }
        if looks.len() > MOST {
            at.error("too-many-looks", format!("there are {} looks", looks.len()))
                .help(format!("declare at most {MOST}"));
        }
        let mut before = 0;
        for (index, &look) in looks.iter().enumerate() {
            at.within_item(index, |at| {
                if look < 2 {
                    at.error("too-few-raters", format!("{} cannot be tested", counted(look, "rater"))).help(
                        "look at 2 raters or more; Student's t needs about 10 for values that are not normal",
                    );
                } else if look <= before {
                    at.error(
                        "not-increasing",
                        format!("the look at {look} does not come after the one at {before}"),
                    )
                    .help("list looks from the fewest raters to the most");
                }
                if look > plan.planned {
                    at.error(
                        "beyond-places",
                        format!("the look at {look} is beyond the plan of {}", raters(plan)),
                    )
                    .help(format!(
                        "end with a look at {} or fewer, or raise the number of raters in `raters`",
                        plan.planned
                    ));
                }
            });
            before = before.max(look);
        }
        if before >= 2 && before < plan.planned {
            at.warning(
                "raters-after-looks",
                format!("the last look is at {before}, and raters after it are tested by no look"),
            )
            .help(format!("end with a look at {}", plan.planned));
        }
    });
}

/// Looks at regular distances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Regular {
    pub(super) from: u32,
    pub(super) every: u32,
}

impl Regular {
    /// The looks within a plan.
    pub(super) fn looks(self, planned: u32) -> Vec<u32> {
        (self.from..=planned).step_by(self.every.max(1) as usize).take(MOST).collect()
    }

    pub(super) fn check(self, least: u32, plan: &StoppingPlan, at: &mut Diagnostics) {
        if self.from < least {
            at.field("from")
                .error("too-few-raters", format!("{} cannot be looked at", counted(self.from, "rater")))
                .help(format!("begin with {least} raters or more"));
        } else if self.from > plan.planned {
            at.field("from")
                .error(
                    "beyond-places",
                    format!("the look at {} is beyond the plan of {}", self.from, raters(plan)),
                )
                .help(format!(
                    "begin at {} or fewer, or raise the number of raters in `raters`",
                    plan.planned
                ));
        }
        if plan.planned.saturating_sub(self.from) / self.every.max(1) >= MOST as u32 {
            at.field("every")
                .error("too-many-looks", format!("the rule would look more than {MOST} times"))
                .help(format!("use {} or more", plan.planned.saturating_sub(self.from) / MOST as u32 + 1));
        }
    }
}

fn raters(plan: &StoppingPlan) -> String {
    let each = if plan.is_paired { "" } else { " for each model" };
    format!("{}{each}", counted(plan.planned, "rater"))
}
