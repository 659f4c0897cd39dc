//! Turns a session's step into the page's screen. Stimuli become opaque names, and the right answer is left out.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::model::note::Enlargement;
use hype_core::model::trial::{Part, Question, Trial};
use hype_core::plugin::translations::TranslationError;
use hype_core::protocol::payment::ScreenedOutPay;
use hype_core::protocol::waiting::Wait;
use hype_core::{
    Amount, Content, Digest, Ending, Form, MediaKind, Micros, Millis, PassRule, Retainer, Step, StimulusId,
    Study,
};

use crate::web::layout::FIELD;
use crate::web::layout::preview::{self, timed_window};
use crate::web::service::cached_session::CachedSession;
use crate::web::service::image_source::ImageSource;
use crate::web::service::keys::{ImageId, Keys};
use crate::web::service::wording::{Instruments, Wording, Wordings};
use crate::web::settings::{
    Completion, ConsentText, Handover, InstructionSettings, LANGUAGES, Page, supported_language,
};
use crate::web::wire::screen::{
    self, ClosedReason, ComprehensionQuestion, ConsentScreen, EndScreen, EntryTest, Example, FollowingTrial,
    GivenAnswer, InstructionsScreen, Needs, PayOffer, PreviewScreen, Screen, ScreenKind, ScreenPart,
    ScreenPlayback, ScreenTrial, SessionElsewhere, SessionProgress, StudyInfo, TrialScreen, WaitOffer,
    WaitingScreen, Worded,
};

/// Makes the screens of a study. It holds the parts that are the same for all sessions.
pub(crate) struct Presenter {
    study: Study,
    keys: Keys,
    pub(crate) images: Arc<dyn ImageSource>,
    /// Information about the study for raters, by language.
    about: HashMap<&'static str, Arc<StudyInfo>>,
    wordings: Wordings,
    consents: Vec<(ConsentText, Arc<ConsentScreen>)>,
    only_language: Option<Arc<str>>,
    instructions: InstructionSettings,
    translates_instruments: bool,
    needs: Option<Needs>,
    minutes: Option<u32>,
    pay: Option<PayOffer>,
    /// The texts of the instructions and the questions, as far as a few sessions show them.
    texts: Vec<Arc<str>>,
    completion: Completion,
    next_rater: bool,
    currency: Option<Arc<str>>,
    enlarge: Enlargement,
    /// Whether raters can look at images closely.
    pub(crate) zoom: bool,
    /// The least time between the sight of what is judged and a press that answers.
    least_response: Millis,
    /// The maximum number of trials in a session.
    pub(crate) at_most: u32,
}

impl Presenter {
    pub(crate) fn new(
        study: &Study,
        page: &Page,
        keys: &Keys,
        images: Arc<dyn ImageSource>,
    ) -> Result<Self, TranslationError> {
        let payment = study.raters().payment.as_ref();
        let effort = study.profile().effort;
        let minutes = effort.map(|effort| (effort.duration.as_secs_f64() / 60.0).ceil().max(1.0) as u32);
        let can_screen_out = study.spec().protocol.before.iter().any(|survey| survey.can_screen_out());
        let pay = payment.map(|payment| PayOffer {
            currency: Arc::clone(&payment.currency),
            base: payment.base.to_string(),
            per_correct: payment.per_correct.to_string(),
            tested: study.raters().qualification.is_some(),
            screened_out: can_screen_out.then(|| match payment.screened_out {
                ScreenedOutPay::Base => payment.base.to_string(),
                _ => Amount::default().to_string(),
            }),
        });
        let needs = needs(study, page);
        let texts = page.consents();
        let languages: Vec<Arc<str>> = texts.iter().map(|text| Arc::clone(&text.language)).collect();
        let consent = |text: &ConsentText| ConsentScreen {
            paragraphs: text.paragraphs.clone(),
            text: text.digest.to_string(),
            minimum_age: page.consent.minimum_age,
            languages: languages.clone(),
            minutes,
            pay: pay.clone(),
            needs,
            waiting: None,
            declined: None,
        };
        let wordings = Wordings::new(page, study.stimuli().kind())?;
        let about = LANGUAGES.map(|(language, _)| {
            let title = page.title.as_ref();
            let title = title.map(|title| wordings.of(language).text(title, Instruments::AsPublished).text);
            (language, Arc::new(StudyInfo { title, contact: page.contact.clone() }))
        });
        Ok(Self {
            study: study.clone(),
            keys: keys.clone(),
            images,
            about: about.into(),
            wordings,
            consents: texts.into_iter().map(|text| (text.clone(), Arc::new(consent(&text)))).collect(),
            only_language: page.language.clone(),
            instructions: page.instructions.clone(),
            translates_instruments: page.translate_instruments,
            needs,
            minutes,
            pay,
            texts: match page.translate_instruments {
                true => preview::texts(study).into_iter().collect(),
                false => Vec::new(),
            },
            completion: page.completion.clone(),
            next_rater: page.is_shared(),
            currency: payment.map(|payment| Arc::clone(&payment.currency)),
            enlarge: page.enlarge,
            zoom: page.zoom && !study.profile().pace.limits_exposure,
            least_response: study.profile().least_response,
            at_most: study.trials_at_most(),
        })
    }

    /// The published instrument that raters of a language read in a translation; `None` if they read none.
    pub(crate) fn translated_instrument(&self, language: &str) -> Option<Arc<str>> {
        self.translates_instruments.then(|| self.wordings.of(language).instrument(&self.texts)).flatten()
    }

    /// The position of the right answer to the question on the instructions, if there is one.
    pub(crate) fn comprehension(&self) -> Option<usize> {
        self.instructions.comprehension.as_ref()?.right()
    }

    /// The image that a name in the current block of a session refers to, or in the instructions.
    pub(crate) fn image_named(&self, cached: &mut CachedSession, name: &str) -> Option<ImageId> {
        cached.name_images(&self.study, &self.keys, &*self.images);
        let examples = || (0..self.instructions.examples.len()).map(example);
        let is_named = |id: &ImageId| self.keys.image(&cached.credential, EXAMPLES, *id) == name;
        cached.names.image(name).or_else(|| examples().find(is_named))
    }

    /// The language to show to a rater who prefers `wanted`.
    pub(crate) fn language(&self, wanted: &str) -> Arc<str> {
        let spoken = |tag: &str| {
            supported_language(tag)
                .and_then(|tag| self.consents.iter().find(|(text, _)| &*text.language == tag))
        };
        let chosen = self
            .only_language
            .as_deref()
            .and_then(spoken)
            .or_else(|| spoken(wanted))
            .or(self.consents.first());
        chosen.map_or_else(|| Arc::from("en"), |(text, _)| Arc::clone(&text.language))
    }

    /// The digest of an accepted consent text; `None` if it is not one of this study's texts.
    pub(crate) fn accepted(&self, text: &str) -> Option<Digest> {
        self.consents.iter().find(|(_, consent)| consent.text == text).map(|(text, _)| text.digest)
    }

    pub(crate) fn consent(&self, language: Arc<str>) -> Screen {
        match self.consent_in(&language) {
            Some((_, consent)) => self.of(language, ScreenKind::Consent(Arc::clone(consent))),
            None => self.closed(language, ClosedReason::Over),
        }
    }

    /// Returns the offer to raters who may have to wait with these settings.
    pub(crate) fn wait_offer(&self, retainer: &Retainer) -> WaitOffer {
        WaitOffer {
            minutes_at_most: retainer.minutes_at_most.get(),
            per_hour: retainer.per_hour.to_string(),
            currency: self.currency.clone().unwrap_or_default(),
        }
    }

    /// Returns the screen of a rater who waits.
    fn waiting(&self, retainer: &Retainer, wait: &Wait, at: Micros) -> WaitingScreen {
        let WaitOffer { minutes_at_most, per_hour, currency } = self.wait_offer(retainer);
        let left = wait.left(at, retainer).as_secs_f64() / 60.0;
        WaitingScreen {
            minutes: wait.minutes(),
            minutes_at_most,
            minutes_left: left.ceil() as u32,
            pay: wait.pay().to_string(),
            per_hour,
            currency,
        }
    }

    fn consent_in(&self, language: &str) -> Option<&(ConsentText, Arc<ConsentScreen>)> {
        self.consents.iter().find(|(text, _)| *text.language == *language).or(self.consents.first())
    }

    /// Returns the screen of people who have not accepted the task yet.
    pub(crate) fn preview(&self, language: Arc<str>) -> Screen {
        let Some((text, consent)) = self.consent_in(&language) else {
            return self.closed(language, ClosedReason::Over);
        };
        let wording = self.wordings.of(&language);
        let paragraphs = self.study.guidance();
        let guidance =
            paragraphs.iter().map(|paragraph| wording.paragraph(paragraph, Instruments::AsPublished));
        let preview = PreviewScreen {
            guidance: guidance.collect(),
            consent: text.paragraphs.clone(),
            test: entry_test(&self.study),
            minutes: self.minutes,
            pay: self.pay.clone(),
            needs: self.needs,
            languages: consent.languages.clone(),
        };
        self.of(language, ScreenKind::Preview(Box::new(preview)))
    }

    /// Returns the screen of a panel's frame while the session goes on in a separate window.
    pub(crate) fn aside(&self, language: Arc<str>, session: SessionElsewhere) -> Screen {
        self.of(language, ScreenKind::Aside { session })
    }

    /// Whether a session in a panel's frame needs a separate window: what is shown for a limited time needs the whole screen, and
    /// a clock that frames do not have.
    pub(crate) fn needs_window(&self) -> bool {
        self.needs.is_some()
    }

    /// How people who do not want to take part return, if there is a way.
    pub(crate) fn declined(&self) -> Option<&Handover> {
        self.completion.declined.as_ref()
    }

    pub(crate) fn closed(&self, language: Arc<str>, reason: ClosedReason) -> Screen {
        self.of(language, ScreenKind::Closed { reason })
    }

    fn of(&self, language: Arc<str>, shown: ScreenKind) -> Screen {
        let study = self.about.get(&*language).map(Arc::clone).unwrap_or_default();
        Screen { language, study, leaving: None, shown }
    }

    /// A screen of a session, with what the rater gets by leaving now.
    fn within(&self, cached: &CachedSession, shown: ScreenKind) -> Screen {
        let pay = cached.earned_by_leaving().zip(self.currency.as_ref());
        let leaving = pay.map(|(amount, currency)| screen::LeavingPay {
            currency: Arc::clone(currency),
            amount: amount.to_string(),
        });
        Screen { leaving, ..self.of(Arc::clone(&cached.page.language), shown) }
    }

    /// Returns the screen that the rater of a session reads before the first trial.
    fn instructions(&self, cached: &CachedSession) -> InstructionsScreen {
        let wording = self.wordings.of(&cached.page.language);
        let shown = cached.page.instruments;
        let questions = cached.trial().map(|trial| &*trial.questions).unwrap_or_default();
        let pace = self.study.profile().pace;
        let paragraphs = self.study.guidance();
        let examples = self.instructions.examples.iter().enumerate().map(|(position, settings)| {
            let (width, height) = self.images.example_size(position);
            Example {
                image: self.keys.image(&cached.credential, EXAMPLES, example(position)).into(),
                width,
                height,
                answer: answer_in_words(wording, questions, &settings.answer, shown),
                note: settings.note.as_ref().map(|note| wording.text(note, shown)),
            }
        });
        let comprehension = self.instructions.comprehension.as_ref().map(|settings| ComprehensionQuestion {
            question: wording.text(&settings.question, shown),
            options: settings.options.iter().map(|option| wording.text(option, shown)).collect(),
            wrong: cached.page.misunderstood,
        });
        InstructionsScreen {
            paragraphs: paragraphs.iter().map(|paragraph| wording.paragraph(paragraph, shown)).collect(),
            test: entry_test(&self.study).filter(|_| cached.session.header().qualified_in.is_none()),
            minutes: self.minutes,
            pay: self.pay.clone(),
            questions: questions.iter().map(|question| wording.question(question, shown)).collect(),
            examples: examples.collect(),
            comprehension,
            timed: pace.limits_exposure,
            flashes: pace.masks,
            zoom: self.zoom,
            needs: self.needs,
        }
    }

    /// The current screen of a session.
    pub(crate) fn screen(&self, cached: &mut CachedSession, now: Micros) -> Screen {
        if !cached.page.begun && !cached.is_surveyed_before() && cached.outcome().is_none() {
            let instructions = self.instructions(cached);
            return self.within(cached, ScreenKind::Instructions(Box::new(instructions)));
        }
        let retainer = self.study.raters().recruitment.hold_open.as_ref();
        if let (Some(wait), Some(retainer)) = (cached.waiting(), retainer) {
            let waiting = self.waiting(retainer, &wait, cached.at(now));
            return self.within(cached, ScreenKind::Waiting(waiting));
        }
        cached.name_images(&self.study, &self.keys, &*self.images);
        let shown = match cached.session.step() {
            Step::Finished(outcome) => {
                let handover = match outcome.ending {
                    Ending::Completed => self.completion.completed.clone(),
                    Ending::Disqualified => self.completion.disqualified.clone(),
                    Ending::ScreenedOut => {
                        self.completion.screened_out.clone().or_else(|| self.completion.disqualified.clone())
                    }
                    _ => self.completion.left.clone(),
                }
                .unwrap_or_default();
                let earned = cached.earned().zip(self.currency.as_ref());
                ScreenKind::End(EndScreen {
                    ending: outcome.ending,
                    excluded: false,
                    earned: earned.map(|(earned, currency)| screen::EarnedPay {
                        currency: Arc::clone(currency),
                        base: earned.base.to_string(),
                        bonus: earned.bonus.to_string(),
                        waiting: (!earned.waiting.is_zero()).then(|| earned.waiting.to_string()),
                    }),
                    code: handover.code,
                    redirect: handover.redirect,
                    hand_in: None,
                    again: false,
                    next_rater: self.next_rater,
                })
            }
            Step::Show(trial) => ScreenKind::Trial(Box::new(TrialScreen {
                trial: self.named(cached, trial),
                block: cached.names.block(),
                progress: self.progress(cached, trial),
                back: cached.session.previous().is_some(),
                given: None,
                following: cached.names.following().map(|(next, block)| {
                    let trial = self.named(cached, next);
                    let progress = self.progress(cached, next);
                    Box::new(FollowingTrial { trial, block, progress, back: cached.session.allows_return() })
                }),
            })),
        };
        self.within(cached, shown)
    }

    /// The trial before the current one with the answer that the rater gave; `None` if the rater cannot return to it.
    pub(crate) fn back(&self, cached: &mut CachedSession) -> Option<Screen> {
        cached.name_images(&self.study, &self.keys, &*self.images);
        let (trial, answer) = cached.session.previous()?;
        let screen = TrialScreen {
            trial: self.named(cached, trial),
            block: cached.names.previous(),
            progress: self.progress(cached, trial),
            back: false,
            given: Some(GivenAnswer {
                answer: answer.to_json(),
                revision: cached.session.corrections_of(trial.number) + 1,
            }),
            following: None,
        };
        Some(self.of(Arc::clone(&cached.page.language), ScreenKind::Trial(Box::new(screen))))
    }

    /// The progress of a rater who is at this trial.
    fn progress(&self, cached: &CachedSession, trial: &Trial) -> SessionProgress {
        let qualification = self.study.raters().qualification.as_ref();
        let skipped = cached.session.header().qualified_in.as_ref().and(qualification);
        let at_most = self.at_most.saturating_sub(skipped.map_or(0, |skipped| skipped.trials));
        SessionProgress { answered: trial.number, at_most }
    }

    /// How the clips of a trial are played or its texts read; `None` if it shows images, or nothing, or for a limited time.
    fn playback(&self, trial: &Trial) -> Option<ScreenPlayback> {
        let kind = self.study.stimuli().kind();
        let shown = trial.stimuli().count();
        if kind.is_image() || shown == 0 || trial.exposure().is_some() {
            return None;
        }
        let playback = self.study.playback();
        let reading_ms = |id: StimulusId| {
            let media = self.study.stimuli().get(id).map(|one| one.media);
            media.map_or(0, |media| playback.reading(media).0.div_ceil(1_000))
        };
        Some(ScreenPlayback {
            replay: kind == MediaKind::Video && playback.replays(shown),
            finish: playback.finish,
            unequal: playback.unequal,
            stalls_at_most_ms: playback.stalls_at_most_ms,
            reading_ms: playback
                .words_per_minute
                .map_or_else(Vec::new, |_| trial.stimuli().map(reading_ms).collect()),
        })
    }

    /// A trial with opaque names in place of stimuli.
    fn named(&self, cached: &CachedSession, trial: &Trial) -> ScreenTrial {
        let wording = self.wordings.of(&cached.page.language);
        let mut masks = cached.trial_masks(&self.study, &*self.images).into_iter();
        let name = |id: StimulusId| cached.names.of(trial, ImageId::Stimulus(id.0));
        let kind =
            |id: StimulusId| self.study.stimuli().get(id).map_or(MediaKind::Image, |one| one.media.kind());
        let parts = trial.parts.iter().filter_map(|part| {
            Some(match part {
                Part::Countdown { from, each } => ScreenPart::Countdown { from: *from, each_ms: each.0 },
                Part::Stimulus { stimulus, exposure } => {
                    let (image, media) = (name(*stimulus), kind(*stimulus));
                    let (width, height) = match exposure {
                        Some(_) if media == MediaKind::Text => (FIELD.width, FIELD.height),
                        _ => self.images.size(*stimulus),
                    };
                    ScreenPart::Image { image, width, height, exposure_ms: exposure.map(|it| it.0), media }
                }
                Part::Masks { count, each } => ScreenPart::Masks {
                    images: masks
                        .by_ref()
                        .take(usize::from(*count))
                        .map(|mask| cached.names.of(trial, ImageId::Mask(mask)))
                        .collect(),
                    each_ms: each.0,
                },
                Part::Condition(condition) => {
                    let (text, image) = match &condition.content {
                        Content::Text(text) => (Some(Arc::clone(text)), None),
                        Content::Stimulus(image) => (None, Some(*image)),
                    };
                    let clip = image.filter(|&id| kind(id) == MediaKind::Video).map(|id| {
                        let (width, height) = self.images.size(id);
                        screen::ClipSize { width, height }
                    });
                    ScreenPart::Condition {
                        kind: condition.kind,
                        label: condition.name.clone(),
                        text,
                        image: image.map(&name),
                        clip,
                    }
                }
                Part::Gallery { candidates, exposure } => {
                    let candidate = |candidate: &hype_core::Candidate| {
                        let (width, height) = self.images.size(candidate.stimulus);
                        let image = name(candidate.stimulus);
                        let (label, media) = (Arc::clone(&candidate.label), kind(candidate.stimulus));
                        screen::GalleryImage { label, image, width, height, media }
                    };
                    ScreenPart::Gallery {
                        images: candidates.iter().map(candidate).collect(),
                        exposure_ms: exposure.map(|it| it.0),
                    }
                }
                Part::Plate { dots } => ScreenPart::Plate { dots: Arc::clone(dots) },
                // Parts are non-exhaustive; the page could not show one that this server does not know.
                _ => return None,
            })
        });
        ScreenTrial {
            number: trial.number,
            showing: cached.showing(trial),
            phase: trial.phase,
            block: trial.block,
            block_trials: trial.block_trials,
            in_block: trial.in_block,
            rest_ms: trial.rest.map(|rest| rest.at_most.0),
            parts: parts.collect(),
            enlarge: self.enlarge,
            zoom: self.zoom && !trial.phase.is_survey(),
            playback: self.playback(trial),
            questions: trial
                .questions
                .iter()
                .map(|question| wording.question(question, cached.page.instruments))
                .collect(),
            answer_after_ms: least_wait(trial, self.least_response),
            feedback_ms: trial.feedback.map(|feedback| feedback.shown.0),
        }
    }
}

/// The label of an option of the first question; the value itself if there is no such option.
fn answer_in_words(wording: &Wording, asked: &[Question], value: &Arc<str>, shown: Instruments) -> Worded {
    let question = asked.first().map(|question| wording.question(question, shown));
    let found = question.and_then(|question| {
        let Form::Choice { options } = question.form else { return None };
        let option = options.into_iter().find(|option| option.value == *value)?;
        Some(Worded { text: option.label, language: question.language })
    });
    found.unwrap_or_else(|| Worded { text: Arc::clone(value), language: None })
}

/// Returns a task's requirements for the rater's device if it limits exposures: those of the page's settings, and at least those
/// of the images.
fn needs(study: &Study, page: &Page) -> Option<Needs> {
    let images = timed_window(study, page.resize)?;
    let needs = Needs::from(page.needs);
    Some(Needs { width: needs.width.max(images.width), height: needs.height.max(images.height), ..needs })
}

/// The block of images that examples are named in.
const EXAMPLES: &str = "examples";

/// The image of an example, by its position.
fn example(position: usize) -> ImageId {
    ImageId::Example(u32::try_from(position).unwrap_or(u32::MAX))
}

/// Describes the entry test to raters.
fn entry_test(study: &Study) -> Option<EntryTest> {
    let qualification = study.raters().qualification.as_ref()?;
    let trials = qualification.trials / 2 * 2;
    let each_class = qualification.pass.rule == PassRule::BothClasses;
    let needed = qualification.pass.needed(if each_class { trials / 2 } else { trials });
    Some(EntryTest { trials, needed, each_class })
}

/// How long after the questions of a trial appear a press does not answer yet. Images that were shown for a limited time
/// have been visible since before the questions appeared.
fn least_wait(trial: &Trial, least: Millis) -> u32 {
    let shown = trial.exposure().map_or(0, |exposure| exposure.0);
    let masked = trial.parts.iter().map(|part| match part {
        Part::Masks { count, each } => u32::from(*count).saturating_mul(each.0),
        _ => 0,
    });
    least.0.saturating_sub(masked.fold(shown, u32::saturating_add))
}
