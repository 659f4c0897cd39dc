//! Votes: the outcomes of comparisons, and the counts that sessions share.

use hype_core::model::trial::{BOTH_BAD, TIE};
use hype_core::{Answered, SessionRecord, SetId, Stimuli};
use hype_stats::preference::Comparisons;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::shared::side_by_side::{contenders, place_of};

/// Larger counts cannot be counts of answers.
const MOST: u64 = 1 << 53;

/// The outcome of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vote {
    /// The image on the left is better.
    Left,
    /// The image on the right is better.
    Right,
    /// They are equal.
    Tie,
    /// Both are bad.
    BothBad,
}

impl Vote {
    /// Reads an answer. A grade is the vote for the image that it calls better.
    pub(super) fn read(answer: &str) -> Option<Self> {
        if let Some(grade) = grade_of(answer) {
            return Some(match grade.signum() {
                -1 => Self::Left,
                1 => Self::Right,
                _ => Self::Tie,
            });
        }
        match (answer, place_of(answer, 2)) {
            (_, Some(0)) => Some(Self::Left),
            (_, Some(_)) => Some(Self::Right),
            (TIE, _) => Some(Self::Tie),
            (BOTH_BAD, _) => Some(Self::BothBad),
            _ => None,
        }
    }

    /// The place of the image that won, if one did.
    pub(super) fn winner(self) -> Option<usize> {
        match self {
            Self::Left => Some(0),
            Self::Right => Some(1),
            Self::Tie | Self::BothBad => None,
        }
    }

    /// Reads a logged trial's answer to a question.
    pub(super) fn of(answered: &Answered, question: &str) -> Option<Self> {
        Self::read(answered.choice(question)?)
    }
}

/// The grade that an answer gives the image on the right, compared with that on the left; `None` if it is none.
pub(super) fn grade_of(answer: &str) -> Option<i32> {
    answer.parse().ok()
}

/// How often each contender won against each other one; both bad counts as a tie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tally {
    /// Row wins against column.
    wins: Vec<Vec<u64>>,
    /// Symmetric.
    ties: Vec<Vec<u64>>,
}

impl Tally {
    fn new(contenders: usize) -> Self {
        let zeros = vec![vec![0; contenders]; contenders];
        Self { wins: zeros.clone(), ties: zeros }
    }

    /// Reads a briefing; without one there are no votes yet.
    pub(super) fn read(briefing: Option<&Value>, contenders: usize) -> Result<Self, String> {
        let Some(briefing) = briefing.filter(|briefing| !briefing.is_null()) else {
            return Ok(Self::new(contenders));
        };
        let read =
            Self::deserialize(briefing).map_err(|error| format!("the briefing cannot be read: {error}"))?;
        let cells = read.wins.iter().chain(&read.ties).flatten();
        if read.wins.len() != contenders
            || read.ties.len() != contenders
            || cells.copied().any(|cell| cell > MOST)
        {
            return Err(format!("the briefing does not count comparisons of {contenders} models"));
        }
        read.comparisons()?;
        Ok(read)
    }

    /// Counts a vote about two contenders, from left to right.
    pub(super) fn add(&mut self, (left, right): (usize, usize), vote: Vote) {
        match vote {
            Vote::Left => self.wins[left][right] += 1,
            Vote::Right => self.wins[right][left] += 1,
            Vote::Tie | Vote::BothBad => {
                self.ties[left][right] += 1;
                self.ties[right][left] += 1;
            }
        }
    }

    /// How often two contenders were compared.
    pub(super) fn of_pair(&self, (first, second): (usize, usize)) -> u64 {
        self.wins[first][second] + self.wins[second][first] + self.ties[first][second]
    }

    /// The counts as the statistics take them.
    pub(super) fn comparisons(&self) -> Result<Comparisons, String> {
        Comparisons::from_wins(&self.wins, &self.ties)
            .map_err(|error| format!("the briefing is not valid: {error}"))
    }
}

/// Adds the answers to a question in the main trials of a session to a briefing.
pub(super) fn learn(
    briefing: &mut Value,
    session: &SessionRecord,
    stimuli: &Stimuli,
    real: bool,
    question: &str,
) {
    let contenders = contenders(stimuli, real);
    let mut tally =
        Tally::read(Some(briefing), contenders.len()).unwrap_or_else(|_| Tally::new(contenders.len()));
    let place = |set: SetId| contenders.iter().position(|&contender| contender == set);
    for answered in session.main_trials() {
        let shown: Vec<usize> = answered
            .shown
            .stimuli
            .iter()
            .filter_map(|&id| stimuli.get(id).and_then(|stimulus| place(stimulus.set)))
            .collect();
        if let (&[left, right], Some(vote)) = (shown.as_slice(), Vote::of(answered, question)) {
            tally.add((left, right), vote);
        }
    }
    // Lists of numbers always serialize to JSON.
    *briefing = serde_json::to_value(&tally).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn grades_are_votes_for_the_better_image() {
        for (answer, vote) in [
            ("A", Some(Vote::Left)),
            ("B", Some(Vote::Right)),
            (TIE, Some(Vote::Tie)),
            (BOTH_BAD, Some(Vote::BothBad)),
            ("-3", Some(Vote::Left)),
            ("0", Some(Vote::Tie)),
            ("1", Some(Vote::Right)),
            ("C", None),
            ("", None),
        ] {
            assert_eq!(Vote::read(answer), vote, "{answer}");
        }
    }

    #[test]
    fn briefings_are_read_and_others_refused() {
        assert_eq!(Tally::read(None, 2), Ok(Tally::new(2)));
        assert_eq!(Tally::read(Some(&Value::Null), 2), Ok(Tally::new(2)));
        let mut tally = Tally::new(2);
        for vote in [Vote::Left, Vote::Right, Vote::Tie, Vote::BothBad, Vote::Left] {
            tally.add((1, 0), vote);
        }
        let written = serde_json::to_value(&tally).unwrap();
        assert_eq!(written, json!({ "wins": [[0, 1], [2, 0]], "ties": [[0, 2], [2, 0]] }));
        assert_eq!(Tally::read(Some(&written), 2), Ok(tally.clone()));
        assert_eq!(tally.of_pair((0, 1)), 5);
        for (briefing, contenders) in [
            (written, 3),
            (json!({ "wins": [[0, 1], [2, 0]] }), 2),
            (json!({ "wins": [[0, 1], [2, 0]], "ties": [[0, 1], [2, 0]] }), 2),
            (json!({ "wins": [[0, 1], [2]], "ties": [[0, 0], [0, 0]] }), 2),
            (json!({ "wins": [[1, 1], [2, 0]], "ties": [[0, 0], [0, 0]] }), 2),
            (json!({ "wins": [[0, u64::MAX], [2, 0]], "ties": [[0, 0], [0, 0]] }), 2),
            (json!({ "wins": [[0, -1], [2, 0]], "ties": [[0, 0], [0, 0]] }), 2),
            (json!("nothing"), 2),
        ] {
            assert!(Tally::read(Some(&briefing), contenders).is_err(), "{briefing}");
        }
    }
}
