//! From the session's step to the page's screen: names in place of stimuli, and nothing of the right answer.

use std::sync::Arc;

use hype_core::model::trial::{Part, Trial};
use hype_core::{Content, Digest, Ending, Step, StimulusId, Study};

use crate::web::service::cached_session::CachedSession;
use crate::web::service::keys::{Keys, Shown as Named};
use crate::web::service::pictures::Pictures;
use crate::web::settings::{Completion, ConsentText, Page, known};
use crate::web::wire::screen::{
    self, About, Asked, Consent, End, Instructions, Needs, Pay, Progress, Screen, Shown, TrialScreen,
};

/// What all screens of a study share.
#[derive(Debug)]
pub(crate) struct Presenter {
    about: Arc<About>,
    consents: Vec<(ConsentText, Arc<Consent>)>,
    forced: Option<Arc<str>>,
    instructions: Arc<Instructions>,
    completion: Completion,
    next_rater: bool,
    currency: Option<Arc<str>>,
    /// The most trials that a session may have.
    pub(in crate::web) at_most: u32,
}

impl Presenter {
    pub(crate) fn new(study: &Study, page: &Page) -> Self {
        let title = page.title.clone().unwrap_or_else(|| Arc::clone(&study.spec().name));
        let payment = study.raters().payment.as_ref();
        let effort = study.spec().task.effort(&study.design());
        let minutes = effort.map(|effort| (effort.duration.as_secs_f64() / 60.0).ceil().max(1.0) as u32);
        let pay = payment.map(|payment| Pay {
            currency: Arc::clone(&payment.currency),
            base: payment.base.to_string(),
            per_correct: payment.per_correct.to_string(),
        });
        let texts = page.consents();
        let languages: Vec<Arc<str>> = texts.iter().map(|text| Arc::clone(&text.language)).collect();
        let consent = |text: &ConsentText| Consent {
            paragraphs: text.paragraphs.clone(),
            text: text.digest.to_string(),
            minimum_age: page.consent.minimum_age,
            languages: languages.clone(),
            minutes,
            pay: pay.clone(),
        };
        Self {
            about: Arc::new(About { title, contact: page.contact.clone() }),
            consents: texts.into_iter().map(|text| (text.clone(), Arc::new(consent(&text)))).collect(),
            forced: page.language.clone(),
            instructions: Arc::new(instructions(study, page)),
            completion: page.completion.clone(),
            next_rater: page.is_shared(),
            currency: payment.map(|payment| Arc::clone(&payment.currency)),
            at_most: study.spec().task.trials_at_most(&study.design()),
        }
    }

    /// The language for a rater who reads this one.
    pub(crate) fn language(&self, wanted: &str) -> Arc<str> {
        let spoken = |tag: &str| {
            known(tag).and_then(|tag| self.consents.iter().find(|(text, _)| &*text.language == tag))
        };
        let chosen =
            self.forced.as_deref().and_then(spoken).or_else(|| spoken(wanted)).or(self.consents.first());
        chosen.map_or_else(|| Arc::from("en"), |(text, _)| Arc::clone(&text.language))
    }

    /// The digest of the consent text that a page names, if it is one of this study's.
    pub(crate) fn accepted(&self, text: &str) -> Option<Digest> {
        self.consents.iter().find(|(_, consent)| consent.text == text).map(|(text, _)| text.digest)
    }

    pub(crate) fn consent(&self, language: Arc<str>) -> Screen {
        let found =
            self.consents.iter().find(|(text, _)| text.language == language).or(self.consents.first());
        match found {
            Some((_, consent)) => self.of(language, Shown::Consent(Arc::clone(consent))),
            None => self.closed(language, screen::Closed::Over),
        }
    }

    pub(crate) fn closed(&self, language: Arc<str>, reason: screen::Closed) -> Screen {
        self.of(language, Shown::Closed { reason })
    }

    fn of(&self, language: Arc<str>, shown: Shown) -> Screen {
        Screen { language, study: Arc::clone(&self.about), shown }
    }

    /// The screen of a session.
    pub(crate) fn screen(
        &self,
        study: &Study,
        keys: &Keys,
        pictures: &dyn Pictures,
        cached: &mut CachedSession,
    ) -> Screen {
        let language = Arc::clone(&cached.language);
        if !cached.begun && cached.outcome().is_none() {
            return self.of(language, Shown::Instructions(Arc::clone(&self.instructions)));
        }
        cached.name_images(study, keys, pictures);
        let shown = match cached.session.step() {
            Step::Finished(outcome) => {
                let handover = match outcome.ending {
                    Ending::Completed => self.completion.completed.clone(),
                    Ending::Disqualified => self.completion.disqualified.clone(),
                    _ => self.completion.left.clone(),
                }
                .unwrap_or_default();
                let earned = outcome.earned.as_ref().zip(self.currency.as_ref());
                Shown::End(End {
                    ending: outcome.ending,
                    earned: earned.map(|(earned, currency)| screen::Earned {
                        currency: Arc::clone(currency),
                        base: earned.base.to_string(),
                        bonus: earned.bonus.to_string(),
                    }),
                    code: handover.code,
                    redirect: handover.redirect,
                    next_rater: self.next_rater,
                })
            }
            Step::Show(trial) => Shown::Trial(Box::new(TrialScreen {
                trial: named(study, pictures, cached, trial),
                block: cached.block_images(trial),
                progress: Progress { answered: trial.number, at_most: self.at_most },
            })),
        };
        self.of(language, shown)
    }
}

fn instructions(study: &Study, page: &Page) -> Instructions {
    let pace = study.spec().task.pace();
    let needs = pace.limits_exposure.then(|| Needs::from(page.needs));
    Instructions { paragraphs: study.guidance(), timed: pace.limits_exposure, flashes: pace.masks, needs }
}

/// A trial with names in place of stimuli.
fn named(study: &Study, pictures: &dyn Pictures, cached: &CachedSession, trial: &Trial) -> screen::Trial {
    let mut masks = cached.trial_masks(study, pictures).into_iter();
    let name = |id: StimulusId| cached.name(Named::Stimulus(id.0));
    let parts = trial.parts.iter().filter_map(|part| {
        Some(match part {
            Part::Countdown { from, each } => screen::Part::Countdown { from: *from, each_ms: each.0 },
            Part::Image { stimulus, exposure } => {
                let (width, height) = pictures.size(*stimulus);
                screen::Part::Image {
                    image: name(*stimulus),
                    width,
                    height,
                    exposure_ms: exposure.map(|it| it.0),
                }
            }
            Part::Masks { count, each } => screen::Part::Masks {
                images: masks
                    .by_ref()
                    .take(usize::from(*count))
                    .map(|mask| cached.name(Named::Mask(mask)))
                    .collect(),
                each_ms: each.0,
            },
            Part::Condition(condition) => {
                let (text, image) = match &condition.content {
                    Content::Text(text) => (Some(Arc::clone(text)), None),
                    Content::Image(image) => (None, Some(name(*image))),
                };
                screen::Part::Condition { kind: condition.kind, label: condition.name.clone(), text, image }
            }
            Part::Gallery { images, exposure } => {
                let candidate = |candidate: &hype_core::Candidate| {
                    let (width, height) = pictures.size(candidate.stimulus);
                    let image = name(candidate.stimulus);
                    screen::Candidate { label: Arc::clone(&candidate.label), image, width, height }
                };
                screen::Part::Gallery {
                    images: images.iter().map(candidate).collect(),
                    exposure_ms: exposure.map(|it| it.0),
                }
            }
            // A part that this server does not know cannot be shown by its page.
            _ => return None,
        })
    });
    screen::Trial {
        number: trial.number,
        showing: cached.session.showing(),
        phase: trial.phase,
        block: trial.block,
        block_trials: trial.block_trials,
        in_block: trial.in_block,
        rest_ms: trial.rest.map(|rest| rest.at_most.0),
        parts: parts.collect(),
        questions: trial.questions.iter().map(Asked::from).collect(),
        feedback_ms: trial.feedback.map(|feedback| feedback.shown.0),
    }
}
