//! Whether a rater understood the instructions.

use crate::model::check::{Check, CheckState};
use crate::model::note::SessionNote;
use crate::model::record::SessionRecord;
use crate::words::counted;

/// The name of the check of comprehension.
pub const COMPREHENSION: &str = "comprehension";

/// The number of wrong answers from which [`check`] fails. Panels such as Prolific ask for at least two attempts at a
/// comprehension question.
pub const WRONG_ANSWERS: usize = 2;

/// Checks how often a rater answered the question on the instructions wrong before the first right answer; `None` if the
/// session has no answer to such a question.
#[must_use]
pub fn check(session: &SessionRecord) -> Option<Check> {
    let answers = session.notes.iter().filter_map(|noted| match &noted.note {
        SessionNote::Comprehension(answer) => Some(answer.right),
        _ => None,
    });
    let (mut wrong, mut right) = (0, false);
    for is_right in answers {
        wrong += usize::from(!is_right);
        right |= is_right;
    }
    let (state, why) = match (wrong, right) {
        (0, false) => return None,
        (0, true) => (CheckState::Pass, "understood the instructions at once".to_owned()),
        (_, _) if wrong >= WRONG_ANSWERS => (
            CheckState::Fail,
            format!("understood the instructions after {}", counted(wrong, "wrong answer")),
        ),
        (_, true) => (CheckState::Pass, "understood the instructions after one wrong answer".to_owned()),
        (_, false) => {
            (CheckState::Unclear, "gave one wrong answer on the instructions and no other".to_owned())
        }
    };
    Some(Check::new(COMPREHENSION, state, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::note::{Comprehension, Noted};
    use crate::model::units::Micros;

    fn after(answers: &[bool]) -> Option<CheckState> {
        let mut session = crate::protocol::speed::tests::answered_in(&[]);
        session.notes.extend(answers.iter().map(|&right| Noted {
            at: Micros(0),
            note: SessionNote::Comprehension(Comprehension { option: 0, right }),
        }));
        check(&session).map(|check| check.state)
    }

    #[test]
    fn two_wrong_answers_fail() {
        assert_eq!(after(&[]), None);
        assert_eq!(after(&[true]), Some(CheckState::Pass));
        assert_eq!(after(&[false, true]), Some(CheckState::Pass));
        assert_eq!(after(&[false]), Some(CheckState::Unclear));
        assert_eq!(after(&[false, false, true]), Some(CheckState::Fail));
    }
}
