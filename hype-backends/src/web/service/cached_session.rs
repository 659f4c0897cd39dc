//! A session as a server process caches it between requests. All of it can be rebuilt from the log.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use hype_core::Step;
use hype_core::model::note::{ImageScale, Noted, SessionNote, Waited};
use hype_core::model::record::Earned;
use hype_core::model::trial::{Part, Trial};
use hype_core::protocol::waiting::Wait;
use hype_core::study::session::{Rejected, ReplayError};
use hype_core::{Answered, Event, Micros, Outcome, Phase, Session, StimulusId, Streams, Study, Timing};

use crate::web::service::image_source::ImageSource;
use crate::web::service::keys::{Credential, ImageId, Keys};
use crate::web::service::wording::Instruments;

/// The number of masks that a block uses of those that may follow an image. The page has to load all of them.
pub(crate) const MASKS_IN_BLOCK: usize = 16;

/// A session, with the page's state from its log.
#[derive(Debug)]
pub(crate) struct CachedSession {
    pub(crate) credential: Credential,
    pub(crate) session: Session,
    /// The page that the session is open in.
    pub(crate) tab: Arc<str>,
    /// When the session was opened, since the Unix epoch.
    pub(crate) opened: Micros,
    /// Whether the rater has left the instructions.
    pub(crate) begun: bool,
    /// The wait before the first trial, if the rater had to wait.
    wait: Option<Wait>,
    /// When the current trial can have appeared first, since the session was opened.
    pub(crate) asked: Micros,
    pub(crate) language: Arc<str>,
    /// How the rater reads published instruments.
    pub(crate) instruments: Instruments,
    /// How many times the rater has answered the question on the instructions wrong.
    pub(crate) misunderstood: u32,
    /// The trial answered last, and whether the answer was right if the rater gets feedback.
    pub(crate) last: Option<(u32, Option<bool>)>,
    /// The scale of images that the log states last.
    pub(crate) scale: Option<ImageScale>,
    /// When the lease of the place ends, since the Unix epoch.
    pub(crate) until: Micros,
    /// The names of images in the current block, or in the current trial if it is untimed.
    images: Names,
    /// The trial after the current one, if a page may show it early.
    following: Option<NamedTrial>,
    /// The trial before the current one, if the rater can return to it.
    previous: Option<NamedTrial>,
}

/// A trial beside the current one, and the names of its images.
#[derive(Debug)]
struct NamedTrial {
    trial: Trial,
    images: Names,
}

/// The names of images in a block.
#[derive(Debug, Default)]
struct Names {
    block: String,
    of: HashMap<ImageId, Arc<str>>,
    shown: HashMap<Arc<str>, ImageId>,
    /// All names, sorted, so that their order carries no information.
    sorted: Arc<[Arc<str>]>,
}

/// The end of a place's lease as far as the log proves it. The lease is prolonged before an answer is acknowledged, and
/// the page sends the next answer only after that. The last answer in the log therefore proves nothing.
#[derive(Debug)]
struct Lease {
    length: Micros,
    /// Since the session was opened, as are all times here.
    until: Micros,
    last: Option<Micros>,
}

impl Lease {
    fn new(length: Micros) -> Self {
        Self { length, until: length, last: None }
    }

    fn answered(&mut self, at: Micros) {
        if let Some(before) = self.last.replace(at)
            && is_due(self.until, before, self.length)
        {
            self.until = Micros(before.0.saturating_add(self.length.0));
        }
    }
}

/// Whether a lease is due to be prolonged: when less than half of it is left.
pub(crate) fn is_due(until: Micros, now: Micros, length: Micros) -> bool {
    until.0.saturating_sub(now.0) < length.0 / 2
}

/// The longest time by which a page that cannot reach its server may be ahead of it.
const AHEAD_AT_MOST: Micros = Micros(60_000_000);

/// When the trial after an answer can have appeared first. A page that knows the following trial shows it before the answer
/// has arrived: then not before the answer was given, as the page reports, which was `asked` and the response time at the
/// earliest. The response times of a session together are therefore never longer than the session.
pub(crate) fn asked_after(asked: Micros, answered: &Answered) -> Micros {
    let Timing { at, rt, .. } = answered.timing;
    if answered.shown.exposure_ms.is_some() {
        return at;
    }
    let ahead = Micros(at.0.saturating_sub(AHEAD_AT_MOST.0));
    asked.saturating_add(rt).max(ahead).min(at)
}

/// A log that cannot be resumed by a page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CachedSessionError {
    #[error("this log does not belong to a web session")]
    NotAPage,
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

impl CachedSession {
    /// A new session.
    pub(crate) fn new(
        credential: Credential,
        session: Session,
        tab: &str,
        (language, instruments): (Arc<str>, Instruments),
        opened: Micros,
    ) -> Self {
        Self {
            credential,
            session,
            tab: tab.into(),
            opened,
            begun: false,
            wait: None,
            asked: Micros(0),
            language,
            instruments,
            misunderstood: 0,
            last: None,
            scale: None,
            until: Micros(0),
            images: Names::default(),
            following: None,
            previous: None,
        }
    }

    /// Rebuilds a session from its log, with leases of this length.
    pub(crate) fn from_log(
        study: &Study,
        credential: Credential,
        log: Vec<Event>,
        lease: Micros,
    ) -> Result<Self, CachedSessionError> {
        let mut tab = None;
        let mut opened = None;
        let mut language = Arc::from("en");
        let mut instruments = Instruments::AsPublished;
        let mut misunderstood = 0;
        let mut begun = false;
        let mut wait = None;
        let mut asked = Micros(0);
        let mut last = None;
        let mut scale = None;
        let mut lease = Lease::new(lease);
        for event in &log {
            match event {
                Event::Noted(Noted { at, note: SessionNote::Attached(attached) }) => {
                    tab = Some(Arc::clone(&attached.tab));
                    opened.get_or_insert(Micros((attached.unix_ms * 1_000).saturating_sub(at.0)));
                }
                Event::Noted(Noted { note: SessionNote::Consented(consented), .. }) => {
                    language = Arc::clone(&consented.language);
                    instruments = Instruments::of(consented);
                }
                Event::Noted(Noted { at, note: SessionNote::Environment(_) }) => (begun, asked) = (true, *at),
                Event::Noted(Noted { note: SessionNote::Comprehension(answer), .. }) => {
                    misunderstood += u32::from(!answer.right);
                }
                Event::Noted(Noted { note: SessionNote::Scaled(scaled), .. }) => scale = Some(scaled.scale),
                Event::Noted(Noted { at, note: SessionNote::Waited(waited) }) => {
                    let after = Wait::after(wait, *at, *waited);
                    asked = after.over_at().unwrap_or(asked);
                    wait = Some(after);
                }
                Event::Answered(answered) => {
                    last = Some((answered.trial, None));
                    asked = asked_after(asked, answered);
                    lease.answered(answered.timing.at);
                }
                Event::Corrected(version) => {
                    asked = asked_after(asked, &version.answered);
                    lease.answered(version.answered.timing.at);
                }
                _ => {}
            }
        }
        let session = Session::replay(study, log)?;
        let (Some(tab), Some(opened)) = (tab, opened) else { return Err(CachedSessionError::NotAPage) };
        if *session.header().rater != *credential.rater {
            return Err(CachedSessionError::NotAPage);
        }
        let until = Micros(opened.0.saturating_add(lease.until.0));
        Ok(Self {
            credential,
            session,
            tab,
            opened,
            begun,
            wait,
            asked,
            language,
            instruments,
            misunderstood,
            last,
            scale,
            until,
            images: Names::default(),
            following: None,
            previous: None,
        })
    }

    /// The time since the session was opened.
    pub(crate) fn at(&self, now: Micros) -> Micros {
        Micros(now.0.saturating_sub(self.opened.0))
    }

    /// The wait that goes on, if the rater waits.
    pub(crate) fn waiting(&self) -> Option<Wait> {
        self.wait.filter(|wait| !wait.is_over() && self.outcome().is_none())
    }

    /// Whether the rater is at a trial, rather than at the instructions or waiting.
    pub(crate) fn is_at_trial(&self) -> bool {
        self.is_surveyed_before() || (self.begun && self.waiting().is_none())
    }

    /// Whether the rater is at a survey before the task, which comes before the instructions.
    pub(crate) fn is_surveyed_before(&self) -> bool {
        self.trial().is_some_and(|trial| trial.phase == Phase::Before)
    }

    /// Whether the rater had to wait, as far as this copy knows.
    pub(crate) fn has_waited(&self) -> bool {
        self.wait.is_some()
    }

    /// Notes how long the rater has waited. Returns the events to store. If the wait is over, the first trial can appear.
    pub(crate) fn note_wait(&mut self, at: Micros, waited: Waited) -> Result<Vec<Event>, Rejected> {
        let recorded = self.session.handle_note(SessionNote::Waited(waited), at)?;
        let after = Wait::after(self.wait, self.session.last(), waited);
        self.asked = after.over_at().unwrap_or(self.asked);
        self.wait = Some(after);
        Ok(recorded.into_events().collect())
    }

    /// What the rater of a session that is over has earned.
    pub(crate) fn earned(&self) -> Option<Earned> {
        Earned::with_waiting(self.outcome()?.earned, self.wait.map(|wait| wait.pay()))
    }

    /// The outcome, if the session is over.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        match self.session.step() {
            Step::Finished(outcome) => Some(outcome),
            Step::Show(_) => None,
        }
    }

    /// The current trial, unless the session is over.
    pub(crate) fn trial(&self) -> Option<&Trial> {
        match self.session.step() {
            Step::Show(trial) => Some(trial),
            Step::Finished(_) => None,
        }
    }

    /// How often a trial was shown before.
    pub(crate) fn showing(&self, trial: &Trial) -> u32 {
        if self.trial().is_some_and(|current| current.number == trial.number) {
            self.session.showing()
        } else {
            0
        }
    }

    /// Names the images of the current block, and those of the following trial, unless they have names. Images of a timed
    /// block keep their names throughout, since the page loads the whole block. An image without a time limit gets a new
    /// name in each trial.
    pub(crate) fn name_images(&mut self, study: &Study, keys: &Keys, images: &dyn ImageSource) {
        let Some(trial) = self.trial() else { return };
        let block = name_of_block(trial);
        let is_new = block != self.images.block;
        let all_named = trial.all_stimuli().all(|id| self.images.of.contains_key(&ImageId::Stimulus(id.0)));
        if !is_new && all_named && self.session.showing() == 0 {
            return;
        }
        let is_timed = trial.exposure().is_some();
        let upcoming = if is_timed { self.session.upcoming() } else { trial.all_stimuli().collect() };
        let masks = self.block_masks(study, images, &upcoming);
        if is_new {
            let early = self.following.take().map(|following| following.images);
            self.images = early.filter(|names| names.block == block).unwrap_or_else(|| Names::of(block));
        }
        let stimuli = upcoming.into_iter().map(|id| ImageId::Stimulus(id.0));
        self.images.add(stimuli.chain(masks.into_iter().map(ImageId::Mask)), &self.credential, keys);
        let named = |trial: Trial| {
            let mut images = Names::of(name_of_block(&trial));
            images.add(trial.all_stimuli().map(|id| ImageId::Stimulus(id.0)), &self.credential, keys);
            NamedTrial { trial, images }
        };
        self.following = self.session.following().filter(|next| !is_timed && !is_limited(next)).map(named);
        self.previous = self.session.previous().map(|(trial, _)| named(trial.clone()));
    }

    /// Whether a page that reports on this showing of a trial is ahead of this copy, because another process has taken
    /// reports since the copy was made.
    pub(crate) fn is_behind(&self, trial: u32, showing: u32) -> bool {
        let here = self.trial().map(|current| (current.number, self.session.showing()));
        here.is_some_and(|here| !self.is_at_trial() || here < (trial, showing))
    }

    /// Whether a page that corrects an answer for the `revision`th time is ahead of this copy.
    pub(crate) fn is_behind_correction(&self, trial: u32, revision: u32) -> bool {
        revision > self.session.corrections_of(trial) + 1
    }

    /// The names of all images of a timed block, or of those of an untimed trial, sorted so that their order carries no
    /// information.
    pub(crate) fn block_images(&self) -> Arc<[Arc<str>]> {
        Arc::clone(&self.images.sorted)
    }

    /// The trial that a page may show before the current one is answered, with the names of its images as
    /// [`block_images`](Self::block_images) has them.
    pub(crate) fn following(&self) -> Option<(&Trial, Arc<[Arc<str>]>)> {
        self.following.as_ref().map(|next| (&next.trial, Arc::clone(&next.images.sorted)))
    }

    /// The names of the images of the trial to which the rater can return, as [`block_images`](Self::block_images) has them.
    pub(crate) fn previous_images(&self) -> Arc<[Arc<str>]> {
        self.previous.as_ref().map(|previous| Arc::clone(&previous.images.sorted)).unwrap_or_default()
    }

    /// The trials beside the current one whose images have names.
    fn beside(&self) -> impl Iterator<Item = &NamedTrial> {
        self.following.iter().chain(&self.previous)
    }

    /// The name of an image of the current block or of a trial beside the current one.
    pub(crate) fn name(&self, trial: &Trial, image: ImageId) -> Arc<str> {
        let images = self
            .beside()
            .find(|one| one.trial.number == trial.number)
            .map_or(&self.images, |one| &one.images);
        images.of.get(&image).cloned().unwrap_or_default()
    }

    /// The image that a name of the current block or of a trial beside the current one refers to.
    pub(crate) fn image_named(&self, name: &str) -> Option<ImageId> {
        let beside = || self.beside().find_map(|one| one.images.shown.get(name));
        self.images.shown.get(name).or_else(beside).copied()
    }

    /// The masks of the current trial in order, each once before any repeats.
    pub(crate) fn trial_masks(&self, study: &Study, images: &dyn ImageSource) -> Vec<u32> {
        let Some(trial) = self.trial() else { return Vec::new() };
        let shown: Vec<StimulusId> = trial.stimuli().collect();
        let mut masks = self.block_masks(study, images, &shown);
        if masks.is_empty() {
            return masks;
        }
        let wanted: usize = trial.parts.iter().map(masks_of).sum();
        let chance = self.chance(study).child("masks of trials", u64::from(trial.number));
        chance.stream("order").shuffle(&mut masks);
        masks.into_iter().cycle().take(wanted).collect()
    }

    /// The masks of the current block that may follow these stimuli; empty if the trial has none.
    fn block_masks(&self, study: &Study, images: &dyn ImageSource, stimuli: &[StimulusId]) -> Vec<u32> {
        let Some(trial) = self.trial() else { return Vec::new() };
        if !trial.parts.iter().any(|part| masks_of(part) > 0) {
            return Vec::new();
        }
        let mut ranges: Vec<Range<u32>> = stimuli.iter().map(|&id| images.masks(id)).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.dedup();
        let chance = self.chance(study).child("masks", u64::from(trial.block));
        let chosen = ranges.into_iter().flat_map(|range| {
            let mut masks: Vec<u32> = range.clone().collect();
            chance.child("from", u64::from(range.start)).stream("order").shuffle(&mut masks);
            masks.truncate(MASKS_IN_BLOCK);
            masks
        });
        chosen.collect()
    }

    fn chance(&self, study: &Study) -> Streams {
        let header = self.session.header();
        study.session_chance(header.place.number, header.attempt)
    }
}

impl Names {
    fn of(block: String) -> Self {
        Self { block, ..Self::default() }
    }

    /// Names images that have no names yet.
    fn add(&mut self, images: impl Iterator<Item = ImageId>, credential: &Credential, keys: &Keys) {
        for image in images {
            if self.of.contains_key(&image) {
                continue;
            }
            let name: Arc<str> = keys.image(credential, &self.block, image).into();
            self.of.insert(image, Arc::clone(&name));
            self.shown.insert(name, image);
        }
        let mut names: Vec<Arc<str>> = self.shown.keys().cloned().collect();
        names.sort_unstable();
        self.sorted = names.into();
    }
}

/// What the images of a trial are named after: its block if it limits exposures, otherwise the trial itself.
fn name_of_block(trial: &Trial) -> String {
    match trial.exposure().is_some() {
        true => format!("{:?} {}", trial.phase, trial.block),
        false => format!("{:?} {} {}", trial.phase, trial.block, trial.number),
    }
}

/// Whether a part of a trial disappears by itself; the page has the same rule.
fn is_limited(trial: &Trial) -> bool {
    let is_limited = |part: &Part| matches!(part, Part::Countdown { .. } | Part::Masks { .. });
    trial.exposure().is_some() || trial.parts.iter().any(is_limited)
}

/// The number of masks in a part.
fn masks_of(part: &Part) -> usize {
    match part {
        Part::Masks { count, .. } => usize::from(*count),
        _ => 0,
    }
}
