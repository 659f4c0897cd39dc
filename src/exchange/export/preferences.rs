//! Preferences between two stimuli, as pairs of a chosen and a rejected one.

use std::collections::BTreeMap;
use std::io::Write;

use hype_core::model::score::ScoreTable;
use hype_core::{
    AnalysisError, Answered, ConditionKind, Content, Item, Phase, SessionRecord, Stimuli, Stimulus,
    StimulusId, Store, Study,
};
use serde_json::{Value, json};

use super::{counts, each_record};
use crate::exchange::error::ExportError;
use crate::exchange::rows::RowWriter;

/// The unit of measures between 0 and 1.
const SHARE: &str = "proportion";

/// The kind of rows in exported preferences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PreferenceRows {
    /// One vote, in the layout [`PREFERENCES`](crate::exchange::layout::PREFERENCES).
    #[default]
    Votes,
    /// One pair of stimuli with all votes about it, in the layout [`MAJORITIES`](crate::exchange::layout::MAJORITIES).
    Majority,
}

/// The numbers of a study's comparisons by their outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PreferenceCounts {
    /// Rows that were written.
    pub written: u64,
    /// Rows that were left out because neither stimulus was preferred: ties or, with
    /// [`Majority`](PreferenceRows::Majority), pairs with as many votes for one stimulus as for the other.
    pub ties: u64,
    /// Comparisons that the study's rubric does not score, such as those in which both stimuli were called bad.
    pub unscored: u64,
    /// Rows that were written without a prompt, because the item has none.
    pub without_prompt: u64,
}

/// Writes who preferred which of two stimuli, as the study's rubric scores it, of the raters who count or of all raters.
///
/// Every share of votes between two models in a trial of two stimuli is a preference: above one half for the model that the score
/// names first, below for the other. Scores of exactly one half are ties, which have no row.
///
/// # Errors
/// If there are scores but none compares two models, the store fails, a session cannot be scored, or a row cannot be
/// written.
pub fn preferences<W: Write + Send>(
    study: &Study,
    store: &dyn Store,
    everybody: bool,
    rows: PreferenceRows,
    out: &mut RowWriter<W>,
) -> Result<PreferenceCounts, ExportError> {
    let mut counted = PreferenceCounts::default();
    let mut votes = BTreeMap::<(String, StimulusId, StimulusId), [u64; 3]>::new();
    let (mut scored, mut compared) = (false, false);
    each_record(store, |record| {
        if record.erased.is_some() || !(everybody || counts(study, record)) {
            return Ok(());
        }
        let whole = score(study, record)?;
        scored |= !whole.is_empty();
        compared |= whole.rows().any(|row| !row.against.is_empty());
        for (trial, shown) in comparisons(record) {
            let found = outcomes(study, record, trial, shown)?;
            counted.unscored += u64::from(found.is_empty());
            for Outcome { measure, preferred } in found {
                if rows == PreferenceRows::Votes {
                    let Some(chosen) = preferred else {
                        counted.ties += 1;
                        continue;
                    };
                    let pair = Pair::of(study.stimuli(), chosen, other(shown, chosen));
                    counted.add(&pair);
                    out.write(&pair.row(&measure, &[json!(record.header.rater)]))?;
                } else {
                    let (first, second) = (shown[0].min(shown[1]), shown[0].max(shown[1]));
                    let place = preferred.map_or(2, |chosen| usize::from(chosen == second));
                    votes.entry((measure, first, second)).or_default()[place] += 1;
                }
            }
        }
        Ok(())
    })?;
    if scored && !compared {
        return Err(ExportError::NoPreferences);
    }
    for ((measure, first, second), [of_first, of_second, ties]) in votes {
        if of_first == of_second {
            counted.ties += 1;
            continue;
        }
        let (chosen, rejected) = if of_first > of_second { (first, second) } else { (second, first) };
        let pair = Pair::of(study.stimuli(), chosen, rejected);
        counted.add(&pair);
        let votes = [of_first.max(of_second), of_first.min(of_second), ties].map(|count| json!(count));
        out.write(&pair.row(&measure, &votes))?;
    }
    Ok(counted)
}

impl PreferenceCounts {
    fn add(&mut self, pair: &Pair<'_>) {
        self.written += 1;
        self.without_prompt += u64::from(pair.prompt().is_none());
    }
}

fn score(study: &Study, record: &SessionRecord) -> Result<ScoreTable, ExportError> {
    let mut scores = ScoreTable::default();
    study.rubric().score(record, &study.scoring(), &mut scores).map_err(AnalysisError::from)?;
    Ok(scores)
}

/// The scored trials of two stimuli.
fn comparisons(record: &SessionRecord) -> impl Iterator<Item = (&Answered, [StimulusId; 2])> {
    record.trials.iter().filter(|trial| trial.shown.phase == Phase::Main).filter_map(|trial| {
        let shown = <[StimulusId; 2]>::try_from(trial.shown.stimuli.as_slice()).ok()?;
        Some((trial, shown))
    })
}

/// How a comparison ended.
struct Outcome {
    measure: String,
    /// The preferred stimulus; `None` for a tie.
    preferred: Option<StimulusId>,
}

/// How the rubric scores a trial by itself: scores do not say from which trial they are.
fn outcomes(
    study: &Study,
    record: &SessionRecord,
    trial: &Answered,
    shown: [StimulusId; 2],
) -> Result<Vec<Outcome>, ExportError> {
    let alone = SessionRecord {
        header: record.header.clone(),
        trials: vec![trial.clone()],
        corrections: Vec::new(),
        disturbed: Vec::new(),
        notes: Vec::new(),
        outcome: record.outcome.clone(),
        erased: None,
    };
    let scores = score(study, &alone)?;
    let second = study.stimuli().set_of(shown[1]).map_or("", |set| &*set.name);
    // Shares of votes, and not grades, which say the same as the votes of their signs.
    let measures = study.rubric().measures();
    let is_share =
        |name: &str| measures.iter().any(|measure| &*measure.name == name && &*measure.unit == SHARE);
    let rows = scores.rows().filter(|row| !row.against.is_empty() && is_share(row.measure));
    let outcome = |row: hype_core::Row<'_>| {
        // The model shown first comes first, unless the names say otherwise.
        let swapped = row.model == second && row.against != second;
        let preferred = match row.value.total_cmp(&0.5) {
            std::cmp::Ordering::Equal => None,
            better => Some(shown[usize::from((better == std::cmp::Ordering::Less) != swapped)]),
        };
        Outcome { measure: row.measure.to_owned(), preferred }
    };
    Ok(rows.map(outcome).collect())
}

fn other([first, second]: [StimulusId; 2], one: StimulusId) -> StimulusId {
    if one == first { second } else { first }
}

/// A preferred stimulus, and the one to which it was preferred.
struct Pair<'a> {
    stimuli: &'a Stimuli,
    chosen: StimulusId,
    rejected: StimulusId,
}

impl<'a> Pair<'a> {
    fn of(stimuli: &'a Stimuli, chosen: StimulusId, rejected: StimulusId) -> Self {
        Self { stimuli, chosen, rejected }
    }

    fn item(&self) -> Option<&'a Item> {
        self.stimuli.item_of(self.chosen)
    }

    /// The text from which the stimuli were made.
    fn prompt(&self) -> Option<&'a str> {
        let item = self.item()?;
        let text = item.text(ConditionKind::Prompt).or_else(|| item.text(ConditionKind::Instruction))?;
        Some(text)
    }

    /// The row in the layout of preferences, which ends with the cells given.
    fn row(&self, measure: &str, end: &[Value]) -> Vec<Value> {
        let Self { stimuli, chosen, rejected } = *self;
        let set = |id: StimulusId| stimuli.set_of(id).map(|set| &set.name);
        let [path, digest]: [fn(&Stimulus) -> Value; 2] =
            [|stimulus| json!(stimulus.path), |stimulus| json!(stimulus.digest)];
        let of = |id: StimulusId, what: fn(&Stimulus) -> Value| stimuli.get(id).map_or(Value::Null, what);
        let given: Vec<StimulusId> = self.item().map_or_else(Vec::new, |item| {
            item.conditions
                .iter()
                .filter_map(|condition| match condition.content {
                    Content::Stimulus(id) => Some(id),
                    Content::Text(_) => None,
                })
                .collect()
        });
        let of_given = |what: fn(&Stimulus) -> Value| {
            if given.is_empty() { Value::Null } else { given.iter().map(|&id| of(id, what)).collect() }
        };
        let mut row = vec![
            json!(self.prompt()),
            of(chosen, path),
            of(rejected, path),
            of_given(path),
            json!(set(chosen)),
            json!(set(rejected)),
            of(chosen, digest),
            of(rejected, digest),
            of_given(digest),
            json!(self.item().map(|item| &item.id)),
            json!(measure),
        ];
        row.extend_from_slice(end);
        row
    }
}
