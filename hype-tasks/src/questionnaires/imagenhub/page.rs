//! One page of ImagenHub's questions: what is asked, and what its answers score.

use std::sync::Arc;

use hype_core::model::score::{Direction, Measure};
use hype_core::{
    Answered, Asked, ChoiceOption, ConditionKind, Form, Item, MeasureFindings, Note, Question, Stimuli,
};
use serde::Deserialize;
use serde::de::value::StrDeserializer;

use super::cells::{Artifacts, Follows, Objects, PqTable, Unusual, perceptual_quality, semantic_consistency};
use super::engine;
use crate::questionnaires::showings::Showing;

/// What raters read before they begin.
pub(super) const GUIDANCE: &str = "Each image was made from what is shown before it: a text, an image to edit, a subject, a guidance image. First \
     answer how far it follows each of these; judge each by itself, and never mind how the image looks. Then answer \
     how it looks, whatever it was made from. Artifacts are faults of the picture: distortions, watermarks, scratches, \
     blurred faces, odd body parts, subjects that do not go together. An unusual sense is something that could not be \
     so in the world: things too large or too small for their distance, wrong shadows, wrong lighting.";

const OBJECTS: &str = "objects";
const ARTIFACTS: &str = "artifacts";
const UNUSUAL: &str = "unusual";
/// Whether a rating has a combination of answers that the table has no row for.
const NOT_IN_TABLE: &str = "not_in_table";

/// A condition that images are judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    /// A: follows the prompt.
    Prompt,
    /// B: follows the instruction.
    Instruction,
    /// C: edits no more than it has to.
    Minimal,
    /// D: the object follows the subject.
    Subject,
    /// `D_1`, `D_2` and so on: each object follows its subject.
    Subjects,
    /// E: follows the guidance image.
    Control,
}

impl Condition {
    /// Its letter in the paper, by which measures and answers are named.
    const fn letter(self) -> &'static str {
        match self {
            Self::Prompt => "A",
            Self::Instruction => "B",
            Self::Minimal => "C",
            Self::Subject | Self::Subjects => "D",
            Self::Control => "E",
        }
    }

    /// The kind of condition that an item has to have.
    const fn needs(self) -> ConditionKind {
        match self {
            Self::Prompt => ConditionKind::Prompt,
            Self::Instruction => ConditionKind::Instruction,
            Self::Minimal => ConditionKind::Source,
            Self::Subject | Self::Subjects => ConditionKind::Subject,
            Self::Control => ConditionKind::Control,
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Prompt => "follows the prompt (A)",
            Self::Instruction => "follows the instruction (B)",
            Self::Minimal => "minimal edit (C)",
            Self::Subject => "object follows the subject (D)",
            Self::Subjects => "objects follow their subjects, the least of them (D)",
            Self::Control => "follows the guidance image (E)",
        }
    }

    /// The keys of its questions about an item.
    fn keys(self, item: &Item) -> Vec<String> {
        match self {
            Self::Subjects => (1..=item.of_kind(ConditionKind::Subject).count())
                .map(|number| format!("D_{number}"))
                .collect(),
            _ => vec![self.letter().to_owned()],
        }
    }

    fn questions(self, item: &Item) -> Vec<Question> {
        let texts: Vec<String> = match self {
            Self::Prompt => vec!["Does the image follow the description?".into()],
            Self::Instruction => vec!["Does the edit follow the instruction?".into()],
            Self::Minimal => vec!["Is the edit minimal, with the background left as it was?".into()],
            Self::Subject => vec!["Does the object in the image look like the subject?".into()],
            Self::Subjects => item
                .of_kind(ConditionKind::Subject)
                .zip(1..)
                .map(|(subject, number)| match &subject.name {
                    Some(name) => format!("Does the object for subject {number}, {name}, look like it?"),
                    None => format!("Does the object for subject {number} look like it?"),
                })
                .collect(),
            Self::Control => vec!["Does the image follow the guidance image?".into()],
        };
        let options = match self {
            Self::Minimal => [
                ("none", "Background completely changed"),
                ("some", "A few overedits"),
                ("most", "Mostly minimal"),
            ],
            _ => [("none", "Not at all"), ("some", "In some part"), ("most", "For the most part")],
        };
        let asked = |(key, text): (String, String)| Question::new(&key, &text, choice(&options));
        self.keys(item).into_iter().zip(texts).map(asked).collect()
    }
}

fn choice(options: &[(&str, &str)]) -> Form {
    Form::Choice {
        options: options.iter().map(|(value, label)| ChoiceOption::new(value, label, None)).collect(),
    }
}

/// What one of ImagenHub's tasks asks, and how its answers become scores.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    pub(super) conditions: &'static [Condition],
    /// What an item has to have beside what the questions speak of.
    pub(super) given: &'static [ConditionKind],
    pub(super) table: PqTable,
}

impl Page {
    /// The questions about an item; none if it lacks a condition that they speak of.
    pub(super) fn questions(&self, asked: &Asked<'_>) -> Arc<[Question]> {
        let has = |item: &Item, kind| item.of_kind(kind).next().is_some();
        let needs =
            || self.conditions.iter().map(|condition| condition.needs()).chain(self.given.iter().copied());
        let complete = |item: &&Item| needs().all(|kind| has(item, kind));
        let Some(item) = asked.item.filter(complete) else { return Arc::new([]) };
        let looks = [
            Question::new(
                OBJECTS,
                "Can the objects in the image be recognized?",
                choice(&[("unrecognizable", "Unrecognizable"), ("recognizable", "Recognizable")]),
            ),
            Question::new(
                ARTIFACTS,
                "Are there artifacts in the image?",
                choice(&[("serious", "Serious ones"), ("some", "Some"), ("none", "None or little")]),
            ),
            Question::new(
                UNUSUAL,
                "Does anything in the image give an unusual sense?",
                choice(&[("some", "Some"), ("none", "Little or none")]),
            ),
        ];
        self.conditions.iter().flat_map(|condition| condition.questions(item)).chain(looks).collect()
    }

    pub(super) fn measures(&self) -> Vec<Measure> {
        let higher = |name: &str, label: &str| Measure::new(name, label, "", Direction::Higher);
        let mut measures = vec![
            higher("O", "overall: sqrt(SC x PQ)"),
            higher("SC", "semantic consistency"),
            higher("PQ", "perceptual quality"),
        ];
        measures
            .extend(self.conditions.iter().map(|condition| higher(condition.letter(), condition.label())));
        measures.push(Measure::new(OBJECTS, "objects recognizable", "proportion", Direction::Higher));
        measures.push(Measure::new(ARTIFACTS, "artifacts (0 none, 1 serious)", "", Direction::Lower));
        measures.push(Measure::new(UNUSUAL, "unusual sense", "proportion", Direction::Lower));
        if self.table == PqTable::Guideline {
            let label = "answers that the guideline's table has no row for";
            measures.push(Measure::new(NOT_IN_TABLE, label, "proportion", Direction::Neither));
        }
        measures.extend(engine::measures_of_raters());
        measures
    }

    /// The scores of one rating. What the table has no row for has neither PQ nor O.
    pub(super) fn cell(
        &self,
        showing: &Showing<'_>,
        stimuli: &Stimuli,
    ) -> Result<Vec<(String, f64)>, String> {
        let item = stimuli.item_of(showing.image).ok_or("the image has no item")?;
        let answered = showing.answered;
        let mut values: Vec<(String, f64)> = Vec::new();
        let mut all: Vec<Follows> = Vec::new();
        for condition in self.conditions {
            let keys = condition.keys(item);
            let levels: Vec<Follows> =
                keys.iter().map(|key| read(answered, key)).collect::<Result<_, String>>()?;
            let least =
                semantic_consistency(&levels).ok_or("the item has none of the subjects asked about")?;
            values.push((condition.letter().to_owned(), least));
            all.extend(levels);
        }
        let objects: Objects = read(answered, OBJECTS)?;
        let artifacts: Artifacts = read(answered, ARTIFACTS)?;
        let unusual: Unusual = read(answered, UNUSUAL)?;
        let mut add = |measure: &str, value: f64| values.push((measure.to_owned(), value));
        add(OBJECTS, f64::from(u8::from(objects == Objects::Recognizable)));
        add(
            ARTIFACTS,
            match artifacts {
                Artifacts::None => 0.0,
                Artifacts::Some => 0.5,
                Artifacts::Serious => 1.0,
            },
        );
        add(UNUSUAL, f64::from(u8::from(unusual == Unusual::Some)));
        let consistency = semantic_consistency(&all).ok_or("nothing was asked")?;
        add("SC", consistency);
        let quality = perceptual_quality(self.table, objects, artifacts, unusual);
        if let Some(quality) = quality {
            add("PQ", quality);
            add("O", (consistency * quality).sqrt());
        }
        if self.table == PqTable::Guideline {
            add(NOT_IN_TABLE, f64::from(u8::from(quality.is_none())));
        }
        Ok(values)
    }

    pub(super) fn remarks(&self, found: &[MeasureFindings]) -> Vec<Note> {
        let table = match self.table {
            PqTable::Paper => "table 1 of the ImagenHub paper, read from the top",
            PqTable::Guideline => "the table of ImagenHub's guideline for raters, taken literally",
        };
        let mut notes = vec![Note::remark("pq-table", format!("perceptual quality follows {table}"))];
        let responses = |name: &str| {
            let of = found.iter().find(|one| &*one.measure.name == name);
            of.map(|one| one.responses)
        };
        let (all, with) = (responses("SC"), responses("PQ").or(responses("O")));
        let without = all.map(|all| all.saturating_sub(with.unwrap_or(0))).filter(|&without| without > 0);
        if let (PqTable::Guideline, Some(all), Some(without)) = (self.table, all, without) {
            notes.push(Note::warning(
                "not-in-table",
                format!(
                    "{without} of {all} ratings have answers that the guideline's table has no row for; they have \
                     neither PQ nor O"
                ),
            ));
        }
        notes
    }
}

/// The answer to a question whose options are a type's values.
fn read<'a, T: Deserialize<'a>>(answered: &'a Answered, key: &str) -> Result<T, String> {
    let missing = || format!("the log has no answer to `{key}` that the rubric knows");
    let given = answered.choice(key).ok_or_else(missing)?;
    let from: StrDeserializer<'a, serde::de::value::Error> = StrDeserializer::new(given);
    T::deserialize(from).map_err(|_| missing())
}
