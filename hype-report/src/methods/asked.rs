//! What raters are asked and shown, from the sessions that the study opens.

use std::sync::Arc;

use hype_core::study::session::{Session, Step};
use hype_core::words::counted;
use hype_core::{ChoiceOption, Form, Phase, Question, Study, Trial};

use crate::source::ReportSource;

/// Sessions whose first trials are compared, for what differs between raters.
const SESSIONS: u32 = 8;

/// The trials with which a study's first sessions begin.
pub(super) struct Asked(Vec<Trial>);

impl Asked {
    pub(super) fn of(study: &Study) -> Self {
        let first = |attempt| {
            let (session, _) = Session::open(study, "", 0, attempt).ok()?;
            match session.step() {
                Step::Show(trial) => Some(trial.clone()),
                Step::Finished(_) => None,
            }
        };
        Self((0..SESSIONS).filter_map(first).collect())
    }

    /// The questions in their words, with what can be answered to each, as the end of a sentence about what raters were asked; `None`
    /// if no session can be opened.
    pub(super) fn wording(&self) -> Option<String> {
        let first = self.0.first()?;
        let questions: Vec<String> = first
            .questions
            .iter()
            .enumerate()
            .map(|(place, question)| self.question(place, question))
            .collect();
        let texts =
            |trial: &Trial| trial.questions.iter().map(|one| Arc::clone(&one.text)).collect::<Vec<_>>();
        let differs = self.0.iter().any(|trial| texts(trial) != texts(first));
        let phase = match first.phase {
            Phase::Qualification => "in the qualification, which comes first: ",
            Phase::Practice => "in the practice, which comes first: ",
            _ => "",
        };
        let start = if differs { "questions that differ between trials, for example: " } else { phase };
        (!questions.is_empty()).then(|| format!("{start}{}.", questions.join("; ")))
    }

    fn question(&self, place: usize, question: &Question) -> String {
        let help =
            question.help.as_ref().map(|help| format!(", with the help \"{help}\"")).unwrap_or_default();
        format!("\"{}\"{help} ({})", question.text, self.answers(place, &question.form))
    }

    fn answers(&self, place: usize, form: &Form) -> String {
        match form {
            Form::Choice { options } => format!("one of {}", self.options(place, options)),
            Form::Number { minimum, maximum, whole } => {
                let kind = if *whole { "a whole number" } else { "a number" };
                format!("{kind} from {minimum} to {maximum}")
            }
            Form::Ranking { candidates, ties } => {
                let ties = if *ties { "with ties allowed" } else { "without ties" };
                format!("an order of {}, {ties}", counted(candidates.len(), "candidate"))
            }
            _ => "in a form of the task's own".to_owned(),
        }
    }

    /// The labels of options in their order, if all raters see that one.
    fn options(&self, place: usize, options: &[ChoiceOption]) -> String {
        let same = self.0.iter().all(|trial| {
            matches!(trial.questions.get(place).map(|one| &one.form), Some(Form::Choice { options: other }) if other == options)
        });
        let labels: Vec<String> = options.iter().map(|option| format!("\"{}\"", option.label)).collect();
        let order = if same { "in this order" } else { "in an order that differs between trials" };
        format!("{}, {order}", labels.join(", "))
    }

    /// The practice before what is scored.
    pub(super) fn practice(&self) -> Option<String> {
        let first = self.0.first().filter(|trial| trial.phase == Phase::Practice)?;
        Some(format!("{} of practice came first.", counted(first.block_trials, "trial")))
    }
}

/// How long stimuli were shown.
pub(super) fn exposures(source: &ReportSource<'_>) -> Option<String> {
    let study = source.study?;
    let pace = study.profile().pace;
    if !pace.limits_exposure {
        return Some("Stimuli stayed visible until the answer.".to_owned());
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

/// What raters read before they begin.
pub(super) fn guidance(study: &Study) -> Option<String> {
    let read: Vec<String> = study.guidance().iter().map(ToString::to_string).collect();
    (!read.is_empty()).then(|| format!("They read: \"{}\"", read.join(" ")))
}
