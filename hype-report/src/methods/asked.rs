//! The questions and stimuli of raters, from the trials that the study's task makes.

use std::sync::Arc;

use hype_core::plugin::translations::Catalogue;
use hype_core::protocol::playback::{Playback, Unequal};
use hype_core::protocol::questions::QuestionSpec;
use hype_core::serde_json::{Value, json};
use hype_core::words::counted;
use hype_core::{Answer, ChoiceOption, Form, Inputs, MediaKind, Next, Phase, Question, Study, Timing, Trial};

use crate::source::ReportSource;

/// Sessions whose first scored trials are compared, for what differs between raters.
const SESSIONS: u32 = 8;
/// The scored trials of each that are read.
const TRIALS: usize = 12;
/// The most trials that are answered before the first scored one.
const MOST_BEFORE: u32 = 500;

/// The task's own questions in a study's first sessions, without qualification and surveys.
pub(super) struct Asked {
    /// The first scored trials of each session.
    sessions: Vec<Vec<Trial>>,
    /// The trials of practice before them.
    practice: Option<u32>,
    /// Questions of every scored trial in addition to the task's.
    beside: Vec<Question>,
    /// The words of the study's media.
    words: Catalogue,
}

impl Asked {
    pub(super) fn of(study: &Study) -> Self {
        let walked: Vec<(Option<u32>, Vec<Trial>)> =
            (0..SESSIONS).filter_map(|attempt| walk(study, attempt)).collect();
        let practice = walked.first().and_then(|(practice, _)| *practice);
        let beside = study.spec().protocol.beside.iter().map(QuestionSpec::question).collect();
        Self {
            sessions: walked.into_iter().map(|(_, trials)| trials).collect(),
            practice,
            beside,
            words: study.words(),
        }
    }

    fn trials(&self) -> impl Iterator<Item = &Trial> {
        self.sessions.iter().flatten()
    }

    /// The questions in their words, with what can be answered to each, as the end of a sentence about what raters were asked; `None`
    /// if no session can be opened.
    pub(super) fn wording(&self) -> Option<String> {
        let asked = distinct(self.sessions.first()?);
        let texts = |trials: &Vec<Trial>| -> Vec<Arc<str>> {
            distinct(trials).into_iter().map(|question| Arc::clone(&question.text)).collect()
        };
        let known = texts(self.sessions.first()?);
        let differs = self.sessions.iter().any(|trials| texts(trials) != known);
        let first = self.sessions.first()?.first()?;
        let shown: Vec<&Question> = if differs { first.questions.iter().collect() } else { asked };
        let questions: Vec<String> =
            shown.into_iter().chain(&self.beside).map(|question| self.question(question)).collect();
        let start = if differs { "questions that differ between trials, for example: " } else { "" };
        (!questions.is_empty()).then(|| format!("{start}{}.", questions.join("; ")))
    }

    fn question(&self, question: &Question) -> String {
        let help = question.help.as_ref().map(|help| format!(", with the help \"{}\"", self.worded(help)));
        let help = help.unwrap_or_default();
        let optional = if question.required.is_always() { "" } else { ", which could be left out" };
        format!("\"{}\"{help} ({}{optional})", self.worded(&question.text), self.answers(question))
    }

    /// A text in the words of the study's media.
    pub(super) fn worded(&self, text: &str) -> String {
        self.words.worded(text).to_string()
    }

    fn answers(&self, question: &Question) -> String {
        match &question.form {
            Form::Choice { options } => format!("one of {}", self.options(question, options)),
            Form::Several { options, .. } => format!("any of {}", self.options(question, options)),
            Form::Number { minimum, maximum, whole } => {
                let kind = if *whole { "a whole number" } else { "a number" };
                format!("{kind} from {minimum} to {maximum}")
            }
            Form::Slider { minimum, maximum, from, to, .. } => {
                format!("a place on a line from \"{from}\", {minimum}, to \"{to}\", {maximum}")
            }
            Form::Ranking { candidates, ties } => {
                let ties = if *ties { "with ties allowed" } else { "without ties" };
                format!("an order of {}, {ties}", counted(candidates.len(), "candidate"))
            }
            Form::Text { .. } => "a text".to_owned(),
            Form::Marks { at_most } => format!("up to {}", counted(*at_most as usize, "marked span")),
            _ => "in a form of the task's own".to_owned(),
        }
    }

    /// The labels of options in their order, if all trials have that one.
    fn options(&self, question: &Question, options: &[ChoiceOption]) -> String {
        let all = self.trials().flat_map(|trial| &*trial.questions).filter(|one| one.text == question.text);
        let is_same = all.into_iter().all(|one| one.form == question.form);
        let labels: Vec<String> = options.iter().map(|option| format!("\"{}\"", option.label)).collect();
        let order = if is_same { "in this order" } else { "in an order that differs between trials" };
        format!("{}, {order}", labels.join(", "))
    }

    /// The practice before what is scored.
    pub(super) fn practice(&self) -> Option<String> {
        Some(format!("{} of practice came first.", counted(self.practice?, "trial")))
    }
}

/// The questions of trials in their order, each text once.
fn distinct(trials: &[Trial]) -> Vec<&Question> {
    let mut all: Vec<&Question> = Vec::new();
    for question in trials.iter().flat_map(|trial| &*trial.questions) {
        if all.iter().all(|known| known.text != question.text) {
            all.push(question);
        }
    }
    all
}

/// The trials of practice of a session of a rater who has qualified, and its first scored trials; `None` if it cannot be opened.
fn walk(study: &Study, attempt: u32) -> Option<(Option<u32>, Vec<Trial>)> {
    if study.places() == 0 {
        return None;
    }
    let place = study.place(0);
    let mut inputs = Inputs::new(study.design(), &place, study.chance());
    inputs.is_qualified = true;
    let mut machine = study.task().start(&inputs, &study.session_chance(0, attempt)).ok()?;
    let (mut practice, mut scored) = (None, Vec::new());
    for _ in 0..MOST_BEFORE {
        let Next::Trial(trial) = machine.next() else { break };
        let answer = machine.truth().answer.unwrap_or_else(|| some_answer(&trial));
        if trial.phase.looks_main() {
            scored.push(trial);
        } else if trial.phase == Phase::Practice {
            practice = practice.or(Some(trial.block_trials));
        }
        if scored.len() == TRIALS || machine.answer(&answer, &Timing::default()).is_err() {
            break;
        }
    }
    (!scored.is_empty()).then_some((practice, scored))
}

/// An answer that fits the forms of a trial's questions.
fn some_answer(trial: &Trial) -> Answer {
    let one = |question: &Question| {
        let value = match &question.form {
            Form::Choice { options } => json!(options.first()?.value),
            Form::Several { options, at_least, .. } => {
                json!(options.iter().take(*at_least as usize).map(|one| &one.value).collect::<Vec<_>>())
            }
            Form::Number { minimum, whole: true, .. } => json!(minimum.ceil() as i64),
            Form::Number { minimum, .. } | Form::Slider { minimum, .. } => json!(minimum),
            Form::Ranking { candidates, .. } => {
                let ranks = (1_u64..).zip(candidates).map(|(rank, one)| (one.value.to_string(), json!(rank)));
                Value::Object(ranks.collect())
            }
            Form::Text { .. } => json!("-"),
            Form::Marks { .. } => json!([[0, 0, 1]]),
            _ => return None,
        };
        Some((question.id.to_string(), value))
    };
    Answer::from(Value::Object(trial.questions.iter().filter_map(one).collect()))
}

/// How long stimuli were shown.
pub(super) fn exposures(source: &ReportSource<'_>) -> Option<String> {
    let study = source.study?;
    let pace = study.profile().pace;
    if !pace.limits_exposure {
        return Some(played(study).unwrap_or_else(|| "Stimuli stayed visible until the answer.".to_owned()));
    }
    let shown = source.records.trials().iter().filter_map(|trial| trial.exposure_ms);
    let (least, most) =
        shown.fold((f64::INFINITY, 0.0_f64), |(least, most), one| (least.min(one), most.max(one)));
    if most <= 0.0 {
        return None;
    }
    let range = if least < most { format!("{least} to {most} ms") } else { format!("{most} ms") };
    let masks = if pace.masks { "followed by masks" } else { "without masks" };
    Some(format!("The exposures of the scored trials were {range}, {masks}."))
}

/// How clips were played or texts read; `None` in a study of images.
fn played(study: &Study) -> Option<String> {
    let Playback { finish, replay, unequal, stalls_at_most_ms, words_per_minute } = study.playback();
    let kind = study.stimuli().kind();
    let whole = if finish < 1.0 { format!("{:.0}% of ", 100.0 * finish) } else { "all of ".to_owned() };
    let seen = match kind {
        MediaKind::Image => return None,
        MediaKind::Video => format!("Raters could answer once {whole}each clip had been played."),
        MediaKind::Text => {
            let pace = words_per_minute.map_or_else(String::new, |pace| {
                format!(", no sooner than all could be read at {pace} words a minute")
            });
            return Some(format!("Raters could answer once {whole}each text had been in view{pace}."));
        }
    };
    let again = match replay {
        None => "Clips shown together could be played again.",
        Some(true) => "Clips could be played again.",
        Some(false) => "No clip could be played again.",
    };
    let ends = match unequal {
        Unequal::Hold => "The shorter of two clips held its last frame.",
        Unequal::Independent => "Clips repeated by themselves.",
        Unequal::Cut => "Clips were cut to the shortest of their item.",
    };
    Some(format!(
        "{seen} {again} {ends} Trials in which clips stood still or were out of step for more than {stalls_at_most_ms} ms were \
         shown again."
    ))
}

/// Returns the text that raters read before they begin.
pub(super) fn guidance(study: &Study) -> Option<String> {
    let read = study.worded_guidance();
    (!read.is_empty()).then(|| format!("They read: \"{}\"", read.join(" ")))
}
