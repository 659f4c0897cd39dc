//! Sessions that a test answers trial by trial, correctly or incorrectly as required.

use hype_core::model::note::{self, Disturbance, PartDisplayed, SessionNote};
use hype_core::study::session::Accepted;
use hype_core::{Event, Micros, Session, SessionRecord, Step, StimulusId, Study, Timing, Trial, Truth};
use serde_json::json;

/// One session with its log.
pub(crate) struct Sitting {
    session: Session,
    log: Vec<Event>,
}

impl Sitting {
    pub(crate) fn open(study: &Study, place: u32) -> Self {
        let (session, log) = Session::open(study, "r", place, 0).unwrap();
        Self { session, log }
    }

    pub(crate) fn trial(&self) -> Option<Trial> {
        match self.session.step() {
            Step::Show(trial) => Some(trial.clone()),
            Step::Finished(_) => None,
        }
    }

    pub(crate) fn truth(&self) -> Truth {
        self.session.truth().unwrap().clone()
    }

    pub(crate) fn showing(&self) -> u32 {
        self.session.showing()
    }

    pub(crate) fn upcoming(&self) -> Vec<StimulusId> {
        self.session.upcoming()
    }

    pub(crate) fn answer(&mut self, right: bool) {
        self.give(right, None);
    }

    /// Answers after a measured exposure.
    pub(crate) fn answer_after(&mut self, right: bool, shown: Micros) {
        self.give(right, Some(shown));
    }

    fn give(&mut self, right: bool, exposure: Option<Micros>) {
        let trial = self.trial().unwrap();
        let truth = self.truth();
        let known = truth.answer.as_ref().unwrap().text("judgment") == Some("real");
        let judged = if known == right { "real" } else { "generated" };
        let timing = Timing { exposure, ..Timing::default() };
        let taken = self.session.handle_answer(trial.number, json!({ "judgment": judged }), timing).unwrap();
        self.keep(taken);
    }

    pub(crate) fn disturb(&mut self, reason: Disturbance) {
        let (number, showing) = (self.trial().unwrap().number, self.showing());
        let taken = self.session.handle_disturbed(number, showing, reason, Micros(0)).unwrap();
        self.keep(taken);
    }

    pub(crate) fn note(&mut self, note: SessionNote) {
        let recorded = self.session.handle_note(note, Micros(0)).unwrap();
        self.log.extend(recorded.into_events());
    }

    fn keep(&mut self, taken: Accepted) {
        let Accepted::Recorded(recorded) = taken else { panic!("taken for a repeat") };
        self.log.extend(recorded.into_events());
    }

    /// Answers to the end: correctly if `right` is true for the trial's number among those that count; catch trials
    /// have no such number.
    pub(crate) fn through(mut self, right: impl Fn(Option<usize>) -> bool) -> Self {
        let mut main = 0;
        while self.trial().is_some() {
            let number = self.truth().logged_as.is_none().then_some(main);
            main += usize::from(number.is_some());
            self.answer(right(number));
        }
        self
    }

    pub(crate) fn log(&self) -> &[Event] {
        &self.log
    }

    pub(crate) fn record(&self) -> SessionRecord {
        SessionRecord::from_events(self.log.iter().cloned()).unwrap()
    }
}

/// How a screen shows the image of a trial.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Display {
    pub(crate) frame_us: u32,
    pub(crate) frames: u32,
    pub(crate) suspect: bool,
}

impl Display {
    /// The duration of a number of frames at this refresh interval.
    pub(crate) fn at(frame_us: u32, frames: u32) -> Self {
        Self { frame_us, frames, suspect: false }
    }

    /// The page's report of the trial's image, which comes after its countdown.
    pub(crate) fn of(self, trial: &Trial, showing: u32) -> note::Displayed {
        let part = PartDisplayed {
            part: 1,
            image: 0,
            requested_ms: trial.exposure().unwrap().0,
            planned_frames: 1,
            frames: self.frames,
            onset_us: 1_500_000,
            shown_us: u64::from(self.frames) * u64::from(self.frame_us),
        };
        let display = note::Display {
            frame_us: self.frame_us,
            grain_us: 5,
            skipped: 0,
            worst_late_us: 0,
            suspect: self.suspect,
            parts: vec![part],
        };
        note::Displayed { trial: trial.number, showing, display }
    }
}
