//! Raters of a service with a manual clock and tiny images.

use std::net::IpAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use hype_backends::web::wire::request::{
    AnswerReport, BackRequest, BeginRequest, ConsentRequest, DisturbedReport, LeaveRequest, OpenRequest, Tab,
    WaitRequest, Whereabouts,
};
use hype_backends::web::wire::screen::{Receipt, Screen, ScreenKind};
use hype_backends::web::{Clock, Fault, ImageSource, Page, PanelRules, Participants, Services};
use hype_core::model::inspection::Inspection;
use hype_core::model::note::{Disturbance, Environment, ImageScale};
use hype_core::{Micros, StimulusId, Store, Study};
use hype_store::MemoryStore;
use serde_json::{Value, json};

/// A clock that the test moves.
#[derive(Debug, Default)]
pub(crate) struct ManualClock(AtomicU64);

impl ManualClock {
    pub(crate) fn forward(&self, micros: u64) {
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Micros {
        Micros(1_700_000_000_000_000 + self.0.load(Ordering::SeqCst))
    }
}

/// Images of one byte each, which identifies them.
pub(crate) struct OneByteImages;

impl ImageSource for OneByteImages {
    fn stimulus(&self, id: StimulusId) -> std::io::Result<Vec<u8>> {
        Ok(vec![id.0 as u8])
    }

    fn size(&self, _: StimulusId) -> (u32, u32) {
        (8, 8)
    }

    fn masks(&self, _: StimulusId) -> Range<u32> {
        0..9
    }

    fn mask(&self, number: u32) -> std::io::Result<Vec<u8>> {
        Ok(vec![100 + number as u8])
    }

    fn example(&self, position: usize) -> std::io::Result<Vec<u8>> {
        Ok(vec![200 + position as u8])
    }

    fn example_size(&self, _: usize) -> (u32, u32) {
        (8, 8)
    }
}

/// A study with its store and the time.
pub(crate) struct Fixture {
    pub(crate) study: Study,
    pub(crate) store: MemoryStore,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) page: Page,
}

impl Fixture {
    pub(crate) fn new(study: Study, page: Page) -> Self {
        Self { study, store: MemoryStore::new(), clock: Arc::default(), page }
    }

    /// The one-time link with a number.
    pub(crate) async fn link(&self, number: u64) -> String {
        Participants::of(Arc::new(self.store.clone())).await.unwrap().link(number)
    }

    /// A process that serves the study.
    pub(crate) async fn service(&self) -> Services {
        self.service_with(Arc::new(self.store.clone())).await
    }

    /// A process that serves the study with its own store.
    pub(crate) async fn service_with(&self, store: Arc<dyn Store>) -> Services {
        store.bind(self.study.digest()).await.unwrap();
        let (clock, images) = (Arc::clone(&self.clock), Arc::new(OneByteImages));
        Services::new(self.study.clone(), store, images, self.page.clone(), clock).await.unwrap()
    }

    /// A process that serves the study to people who come from a panel.
    pub(crate) async fn panel(&self, rules: PanelRules) -> Services {
        self.panel_with(Arc::new(self.store.clone()), rules).await
    }

    /// The same with its own store.
    pub(crate) async fn panel_with(&self, store: Arc<dyn Store>, rules: PanelRules) -> Services {
        store.bind(self.study.digest()).await.unwrap();
        let (clock, images) = (Arc::clone(&self.clock), Arc::new(OneByteImages));
        let page = self.page.clone();
        Services::for_panel(self.study.clone(), store, images, page, clock, rules).await.unwrap()
    }
}

/// A browser.
#[derive(Clone)]
pub(crate) struct Browser {
    pub(crate) service: Services,
    pub(crate) cookie: Option<String>,
    pub(crate) tab: Tab,
    pub(crate) arrival: Vec<(String, String)>,
    /// The address that its requests come from.
    pub(crate) from: Option<IpAddr>,
    pub(crate) language: &'static str,
    pub(crate) shown: Whereabouts,
    /// The answer to the question on the instructions.
    pub(crate) comprehension: Option<u32>,
}

pub(crate) fn tab(number: u32) -> Tab {
    Tab::try_from(format!("{number:032x}")).unwrap()
}

impl Browser {
    pub(crate) fn new(service: &Services) -> Self {
        // Every page load draws a new name.
        static LOADED: AtomicU32 = AtomicU32::new(1_000);
        let tab = tab(LOADED.fetch_add(1, Ordering::Relaxed));
        Self {
            service: service.clone(),
            cookie: None,
            tab,
            arrival: Vec::new(),
            from: None,
            language: "en",
            shown: Whereabouts::Window,
            comprehension: None,
        }
    }

    pub(crate) fn at(mut self, address: &str) -> Self {
        self.from = Some(address.parse().unwrap());
        self
    }

    pub(crate) fn coming_by(mut self, name: &str, value: &str) -> Self {
        self.arrival.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) async fn open(&mut self) -> Result<Screen, Fault> {
        let arrival = self.arrival.iter().cloned().collect();
        let (language, shown) = (self.language.into(), self.shown);
        let open = OpenRequest { tab: self.tab.clone(), arrival, language, shown };
        let opened = self.service.entry.open(self.cookie.as_deref(), &open, self.from).await?;
        self.cookie = opened.cookie.or(self.cookie.take());
        Ok(opened.screen)
    }

    pub(crate) async fn agree_to(&mut self, text: &str, adult: Option<bool>) -> Result<Screen, Fault> {
        let arrival = self.arrival.iter().cloned().collect();
        let agree = ConsentRequest {
            tab: self.tab.clone(),
            arrival,
            language: self.language.into(),
            text: text.into(),
            adult,
        };
        let opened = self.service.entry.consent(self.cookie.as_deref(), &agree, self.from).await?;
        self.cookie = opened.cookie.or(self.cookie.take());
        Ok(opened.screen)
    }

    /// Opens the page and gives consent.
    pub(crate) async fn agree(&mut self) -> Result<Screen, Fault> {
        match self.open().await?.shown {
            ScreenKind::Consent(consent) => self.agree_to(&consent.text, Some(true)).await,
            other => panic!("no consent screen but {other:?}"),
        }
    }

    pub(crate) async fn begin(&mut self) -> Result<Screen, Fault> {
        let environment = Environment {
            width: 1_280,
            height: 800,
            pixel_ratio: 1.0,
            touch: false,
            refresh_hz: 60.0,
            frame_us: 16_667,
            frame_spread: 0.01,
            grain_us: 5,
            reduced_motion: false,
        };
        let comprehension = self.comprehension;
        let begin = BeginRequest { tab: self.tab.clone(), environment, comprehension };
        self.service.trial.begin(self.cookie.as_deref(), begin).await
    }

    /// Answers in less time than clocks may be wrong by, whatever time has passed for the server.
    pub(crate) async fn answer_with(
        &self,
        trial: u32,
        showing: u32,
        answer: Value,
    ) -> Result<Receipt, Fault> {
        self.report(trial, showing, answer, 90_000, None).await
    }

    /// Reports an answer with a response time.
    pub(crate) async fn answer_in(
        &self,
        trial: u32,
        showing: u32,
        answer: Value,
        rt_us: u64,
    ) -> Result<Receipt, Fault> {
        self.report(trial, showing, answer, rt_us, None).await
    }

    /// Answers with the scale that images had.
    pub(crate) async fn answer_at(
        &self,
        trial: u32,
        showing: u32,
        answer: Value,
        scale: Option<ImageScale>,
    ) -> Result<Receipt, Fault> {
        self.report(trial, showing, answer, 90_000, scale).await
    }

    /// Answers after a close look.
    pub(crate) async fn answer_after_a_look(
        &self,
        trial: u32,
        inspection: Inspection,
    ) -> Result<Receipt, Fault> {
        let (tab, answer) = (self.tab.clone(), json!({ "judgment": "fake" }));
        let inspection = Some(inspection);
        let answer = AnswerReport {
            revision: 0,
            tab,
            trial,
            showing: 0,
            answer,
            rt_us: 90_000,
            display: None,
            scale: None,
            inspection,
            played: None,
        };
        self.service.trial.answer(self.cookie.as_deref(), answer).await
    }

    /// Asks for the trial before the current one.
    pub(crate) async fn back(&self, trial: u32) -> Result<Screen, Fault> {
        self.service.trial.back(self.cookie.as_deref(), &BackRequest { tab: self.tab.clone(), trial }).await
    }

    /// Corrects the answer to a trial.
    pub(crate) async fn correct(&self, trial: u32, revision: u32, answer: Value) -> Result<Receipt, Fault> {
        let tab = self.tab.clone();
        let (rt_us, showing) = (90_000, 0);
        let corrected = AnswerReport {
            tab,
            trial,
            showing,
            answer,
            revision,
            rt_us,
            display: None,
            scale: None,
            inspection: None,
            played: None,
        };
        self.service.trial.answer(self.cookie.as_deref(), corrected).await
    }

    async fn report(
        &self,
        trial: u32,
        showing: u32,
        answer: Value,
        rt_us: u64,
        scale: Option<ImageScale>,
    ) -> Result<Receipt, Fault> {
        let tab = self.tab.clone();
        let answer = AnswerReport {
            tab,
            trial,
            showing,
            answer,
            revision: 0,
            rt_us,
            display: None,
            scale,
            inspection: None,
            played: None,
        };
        self.service.trial.answer(self.cookie.as_deref(), answer).await
    }

    pub(crate) async fn answer(&self, trial: u32) -> Result<Receipt, Fault> {
        self.answer_with(trial, 0, json!({ "judgment": "fake" })).await
    }

    pub(crate) async fn disturbed(&self, trial: u32, showing: u32) -> Result<Receipt, Fault> {
        let reason = Disturbance::Blur;
        let disturb = DisturbedReport { tab: self.tab.clone(), trial, showing, reason, display: None };
        self.service.trial.disturbed(self.cookie.as_deref(), disturb).await
    }

    /// Asks whether the wait is over.
    pub(crate) async fn wait(&self) -> Result<Screen, Fault> {
        self.service.trial.wait(self.cookie.as_deref(), &WaitRequest { tab: self.tab.clone() }).await
    }

    pub(crate) async fn leave(&self) -> Result<Screen, Fault> {
        self.service.trial.leave(self.cookie.as_deref(), &LeaveRequest { tab: self.tab.clone() }).await
    }

    /// Passes the computer on to the next rater: the page reloads without a cookie.
    pub(crate) async fn next(&mut self) -> Result<(), Fault> {
        self.service.entry.next(self.cookie.as_deref()).await?;
        *self = Self::new(&self.service);
        Ok(())
    }

    /// Agrees, begins, and answers every trial.
    pub(crate) async fn take_part(&mut self) -> Screen {
        self.agree().await.unwrap();
        self.play().await
    }

    /// Begins, and answers every trial.
    pub(crate) async fn play(&mut self) -> Screen {
        let mut screen = self.begin().await.unwrap();
        while let ScreenKind::Trial(shown) = &screen.shown {
            screen = self.answer(shown.trial.number).await.unwrap().next;
        }
        screen
    }
}

/// The kind of a screen, as the page reads it.
pub(crate) fn kind(screen: &Screen) -> String {
    serde_json::to_value(screen).unwrap()["screen"].as_str().unwrap().to_owned()
}
