//! How clips are played and texts read, and whether raters saw enough of them.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::check::{Check, CheckState, Consequence};
use crate::model::ids::StimulusId;
use crate::model::item::ConditionKind;
use crate::model::media::{Media, MediaKind};
use crate::model::note::SessionNote;
use crate::model::played::{Played, PlayedMember};
use crate::model::record::{Answered, SessionRecord};
use crate::model::stimulus::{Stimuli, Stimulus, Use};
use crate::model::trial::Trial;
use crate::model::units::Micros;
use crate::words::counted;

/// The name of the check of playback.
pub const PLAYBACK: &str = "playback";

/// The share of answers after too little of a clip or text before [`Playback::check`] fails: one in twenty.
pub const UNSEEN_AT_MOST: f64 = 0.05;

/// The time that a clip may take, in its durations, for an answer to count in [`Playback::check`]: that of the P.910 toolkit for
/// crowds.
pub const PLAY_TIME_AT_MOST: f64 = 1.15;

/// The share of a clip or text that may be missing: the last tenth of a second of a clip is not always reported.
const UNREPORTED: f64 = 0.05;

/// How clips are played and texts read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Playback {
    /// The share of each clip's time or each text's height that raters see before they can answer. A text is also read once its
    /// end was in view.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub finish: f64,
    /// Whether raters can play clips again; by default in trials with several clips, as ACR shows each clip once (P.910).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<bool>,
    /// Clips of different lengths in one trial: `hold` shows the last frame of the shorter until all have ended, `independent`
    /// repeats each by itself, `cut` leaves the last frames out until all outputs of an item are of one length.
    #[serde(skip_serializing_if = "Unequal::is_hold")]
    pub unequal: Unequal,
    /// The time in milliseconds that clips may stand still or be out of step. Beyond it, the trial is void and shown again.
    #[schemars(range(min = 0, max = 60_000))]
    pub stalls_at_most_ms: u32,
    /// The pace of the fastest plausible reader: raters of texts cannot answer before. Left out, they can once `finish` is in view.
    /// Few people read more than 400 words of prose a minute (Brysbaert 2019).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 200, max = 2_000))]
    pub words_per_minute: Option<u32>,
}

/// Clips of different lengths in one trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unequal {
    /// The shorter shows its last frame until all have ended.
    #[default]
    Hold,
    /// Each repeats by itself.
    Independent,
    /// All outputs of an item are as long as its shortest: their last frames are not shown.
    Cut,
}

impl Unequal {
    fn is_hold(&self) -> bool {
        *self == Self::Hold
    }
}

impl Default for Playback {
    fn default() -> Self {
        Self {
            finish: 1.0,
            replay: None,
            unequal: Unequal::Hold,
            stalls_at_most_ms: 500,
            words_per_minute: None,
        }
    }
}

impl Playback {
    /// Whether raters can play the clips of a trial with this number of them again.
    #[must_use]
    pub fn replays(&self, clips: usize) -> bool {
        self.replay.unwrap_or(clips > 1)
    }

    /// Whether a report shows that enough was seen of each clip and text of a trial, and that each clip played in
    /// [`PLAY_TIME_AT_MOST`]. The page unlocks the answers then, but a program may answer in its place.
    #[must_use]
    pub fn is_seen(&self, played: &Played, shown: impl Iterator<Item = Media>) -> bool {
        let mut members = played.members.iter();
        let least = (self.finish - UNREPORTED).max(0.0);
        let is_read = |media: Media, member: &PlayedMember, all: u32| {
            media.kind() == MediaKind::Text && member.seen.last().is_some_and(|[_, to]| *to >= all)
        };
        shown.filter_map(|media| Some((media, seen_parts(media)?))).all(|(media, all)| {
            let time = (1.0 - UNREPORTED) * self.reading(media).0 as f64;
            let is_seen = |member: &PlayedMember| {
                let is_whole = member.share(all) >= least || is_read(media, member, all);
                is_whole && member.shown_us as f64 >= time && is_smooth(member, media)
            };
            members.next().is_some_and(is_seen)
        })
    }

    /// The time for which a text has to be in view before an answer; 0 without a pace, and of others.
    #[must_use]
    pub fn reading(&self, media: Media) -> Micros {
        match (self.words_per_minute, media) {
            (Some(pace), Media::Text { words, .. }) => {
                Micros(u64::from(words) * 60_000_000 / u64::from(pace.max(1)))
            }
            _ => Micros(0),
        }
    }

    /// Checks how many answers of a session's main phase were given after too little of a clip or text, or after a clip that stood
    /// still for too long; `None` if the session
    /// has no reports of playback, as those of rehearsals and of limited exposures.
    ///
    /// One such answer is inconclusive. They are too many from two on, and more than [`UNSEEN_AT_MOST`] of the answers.
    #[must_use]
    pub fn check(&self, session: &SessionRecord, stimuli: &Stimuli) -> Option<Check> {
        let reports = session.notes.iter().filter_map(|noted| match &noted.note {
            SessionNote::Played(report) => Some((report.trial, &report.played)),
            _ => None,
        });
        let reports: HashMap<u32, &Played> = reports.collect();
        if reports.is_empty() {
            return None;
        }
        let is_seen = |trial: &Answered| {
            reports.get(&trial.trial).is_some_and(|played| {
                let shown = reported_in(trial, played, stimuli);
                self.is_seen(played, shown.iter().filter_map(|&id| Some(stimuli.get(id)?.media)))
            })
        };
        let of_playback = || session.main_trials().filter(|trial| trial.shown.exposure_ms.is_none());
        let answers = of_playback().count();
        if answers == 0 && session.main_trials().next().is_some() {
            return None;
        }
        let unseen = of_playback().filter(|trial| !is_seen(trial)).count();
        let state = match unseen {
            0 => CheckState::Pass,
            1 => CheckState::Unclear,
            _ if unseen as f64 > UNSEEN_AT_MOST * answers as f64 => CheckState::Fail,
            _ => CheckState::Unclear,
        };
        let why = format!(
            "{unseen} of {} after less than {:.0} % of a clip or text, or a clip that took over {PLAY_TIME_AT_MOST} times its duration",
            counted(answers, "answer"),
            100.0 * self.finish
        );
        Some(Check::new(PLAYBACK, state, why).with(Consequence::Flag))
    }
}

/// Whether a clip stood still for no longer than it may, each time that it was played; true of texts.
fn is_smooth(member: &PlayedMember, media: Media) -> bool {
    let Media::Video { duration_us, .. } = media else { return true };
    let stood: u64 = member.stalls.iter().map(|stall| stall.for_us).sum();
    let played = (f64::from(member.replays) + 1.0) * duration_us as f64;
    stood as f64 <= (PLAY_TIME_AT_MOST - 1.0) * played
}

/// The clips and texts that a trial plays, in the order of its report: those under judgment, then clips that are conditions.
/// The page plays the latter first. What is shown for a limited time is not played.
#[must_use]
pub fn played_in_trial(trial: &Trial, stimuli: &Stimuli) -> Vec<StimulusId> {
    if trial.exposure().is_some() {
        return Vec::new();
    }
    let is_played = |id: &StimulusId| stimuli.get(*id).is_some_and(|one| !one.media.kind().is_image());
    trial.all_stimuli().filter(is_played).collect()
}

/// The clips and texts that a report of an answered trial is of: those under judgment, then the source of their item if it was
/// played too.
#[must_use]
pub fn reported_in(answered: &Answered, played: &Played, stimuli: &Stimuli) -> Vec<StimulusId> {
    let judged = &answered.shown.stimuli;
    let item = judged.iter().find_map(|&id| stimuli.item_of(id));
    let source = item.and_then(|item| item.stimulus(ConditionKind::Source));
    let source = source.filter(|_| played.members.len() > judged.len());
    judged.iter().copied().chain(source).collect()
}

/// Words that people read silently in a minute (Brysbaert 2019, Journal of Memory and Language 109: 238 of English prose).
const WORDS_A_MINUTE: u64 = 238;

/// The time in which a typical rater reads this many words.
#[must_use]
pub fn reading_time(words: u32) -> Micros {
    Micros(u64::from(words) * 60_000_000 / WORDS_A_MINUTE)
}

/// The time that a typical rater plays the clips of a trial or reads its texts: that of a clip, as all play at once, after that of
/// a source; or of each of so many texts.
pub(crate) fn presentation(stimuli: &Stimuli, texts: u64) -> Micros {
    let times = stimuli.all().iter().filter_map(|stimulus| match stimulus.media {
        Media::Image { .. } => None,
        Media::Video { duration_us, .. } => Some(duration_us),
        Media::Text { words, .. } => Some(texts * reading_time(words).0),
    });
    let (count, sum) = times.fold((0_u64, 0_u64), |(count, sum), time| (count + 1, sum.saturating_add(time)));
    let is_condition =
        |one: &Stimulus| stimuli.set(one.set).is_some_and(|set| set.used_for == Use::Condition);
    let has_sources = stimuli.all().iter().any(|one| is_condition(one) && !one.media.kind().is_image());
    Micros(sum.checked_div(count).unwrap_or(0) * if has_sources { 2 } else { 1 })
}

/// The parts in which a clip or text is reported as seen: tenths of a second, or hundredths of the height. `None` for images.
#[must_use]
pub fn seen_parts(media: Media) -> Option<u32> {
    match media {
        Media::Image { .. } => None,
        Media::Video { duration_us, .. } => {
            Some(u32::try_from(duration_us.div_ceil(100_000)).unwrap_or(u32::MAX))
        }
        Media::Text { .. } => Some(100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::ItemId;
    use crate::model::item::{Condition, Content, Item};
    use crate::model::note::Noted;
    use crate::model::played::{PlaybackLapse, TrialPlayed};
    use crate::model::stimulus::{Role, StimulusSet};
    use crate::model::trial::Part;
    use crate::{Digest, Millis, SetId};

    const CLIP: Media = Media::Video { width: 8, height: 8, frames: 50, duration_us: 2_000_000 };

    fn played(seen: &[u32]) -> Played {
        let member = |&to: &u32| PlayedMember {
            first_us: 0,
            shown_us: 1,
            seen: if to == 0 { Vec::new() } else { vec![[0, to]] },
            replays: 0,
            dropped: 0,
            stalls: Vec::new(),
        };
        Played { members: seen.iter().map(member).collect(), offset_us: 0, slips: Vec::new(), hidden_us: 0 }
    }

    #[test]
    fn every_clip_has_to_be_seen() {
        let rule = Playback::default();
        let is_seen = |seen: &[u32]| rule.is_seen(&played(seen), [CLIP, CLIP].into_iter());
        assert!(is_seen(&[20, 20]));
        assert!(is_seen(&[20, 19]));
        assert!(!is_seen(&[20, 10]));
        assert!(!is_seen(&[20]));
        let half = Playback { finish: 0.5, ..rule };
        assert!(half.is_seen(&played(&[10, 10]), [CLIP, CLIP].into_iter()));
    }

    #[test]
    fn a_clip_takes_little_longer_than_it_lasts() {
        let is_seen = |stood_us: u64, replays| {
            let mut report = played(&[20]);
            report.members[0].replays = replays;
            report.members[0].stalls = vec![PlaybackLapse { at_us: 0, for_us: stood_us }];
            Playback::default().is_seen(&report, [CLIP].into_iter())
        };
        assert!(is_seen(299_000, 0) && !is_seen(301_000, 0));
        assert!(is_seen(301_000, 1) && !is_seen(601_000, 1), "each time that it is played");
    }

    #[test]
    fn texts_are_in_view_for_the_time_of_the_fastest_reader() {
        let text = Media::Text { characters: 0, words: 300, lines: 1, headings: 0, list_items: 0, bold: 0 };
        let rule = Playback { words_per_minute: Some(600), ..Playback::default() };
        assert_eq!(rule.reading(text), Micros(30_000_000));
        assert_eq!((rule.reading(CLIP), Playback::default().reading(text)), (Micros(0), Micros(0)));
        let is_seen = |shown_us: u64| {
            let mut report = played(&[100]);
            report.members[0].shown_us = shown_us;
            rule.is_seen(&report, [text].into_iter())
        };
        assert!(is_seen(29_000_000) && !is_seen(20_000_000));
    }

    #[test]
    fn settings_that_are_left_out_are_in_no_digest() {
        let json = serde_json::to_value(Playback::default()).unwrap();
        assert_eq!(json, serde_json::json!({ "finish": 1.0, "stalls_at_most_ms": 500 }));
    }

    /// The exact rates of docs/measured/checks.md, and simulated sessions that agree with them: raters who see too little of a clip
    /// with this probability.
    #[test]
    fn the_rates_of_failing_are_those_of_the_book() {
        let set = StimulusSet::new("model", Role::Generated, Use::Main);
        let stimuli =
            Stimuli::new(vec![set], vec![Stimulus::new(SetId(0), Digest([0; 32]), "a.mp4", CLIP)]).unwrap();
        let mut chance = crate::Streams::new(42).stream("reports");
        for (answers, unseen, book) in [
            (12_u32, 0.01, 0.6),
            (12, 0.05, 11.8),
            (12, 0.5, 99.7),
            (24, 0.01, 2.4),
            (24, 0.05, 33.9),
            (24, 0.5, 100.0),
        ] {
            let ways =
                |n: u32, k: u32| (0..k).fold(1.0, |ways, i| ways * f64::from(n - i) / f64::from(i + 1));
            let of = |k: u32| {
                (0..k).fold(ways(answers, k), |p, _| p * unseen)
                    * (k..answers).fold(1.0, |p, _| p * (1.0 - unseen))
            };
            let fails = |k: &u32| *k > 1 && f64::from(*k) > UNSEEN_AT_MOST * f64::from(answers);
            let exact: f64 = (0..=answers).filter(fails).map(of).sum();
            assert!((100.0 * exact - book).abs() < 0.05, "{answers} {unseen}: {exact}");
            let sessions = 400;
            let mut failing = 0;
            for _ in 0..sessions {
                let mut report = || u32::from(chance.unit_f64() >= unseen) * 10 + 10;
                let reports: Vec<[u32; 1]> = (0..answers).map(|_| [report()]).collect();
                let reports: Vec<&[u32]> = reports.iter().map(|one| &one[..]).collect();
                failing += u32::from(checked(None, &reports, &stimuli) == Some(CheckState::Fail));
            }
            let error = (exact * (1.0 - exact) / f64::from(sessions)).sqrt();
            assert!((f64::from(failing) / f64::from(sessions) - exact).abs() <= 4.0 * error + 1e-9);
        }
    }

    #[test]
    fn texts_are_read_when_their_end_was_in_view() {
        let text = Media::Text { characters: 9, words: 2, lines: 1, headings: 0, list_items: 0, bold: 0 };
        let is_seen = |seen: &[[u32; 2]], shown| {
            let mut report = played(&[1]);
            report.members[0].seen = seen.to_vec();
            Playback::default().is_seen(&report, std::iter::once(shown))
        };
        assert!(is_seen(&[[0, 20], [80, 100]], text));
        assert!(!is_seen(&[[0, 80]], text));
        // Clips cannot be played from their middle.
        assert!(!is_seen(&[[0, 5], [15, 20]], CLIP));
    }

    #[test]
    fn clips_play_together_and_texts_are_read_one_after_the_other() {
        let of = |media: [Media; 2]| {
            let set = StimulusSet::new("model", Role::Generated, Use::Main);
            let all = media.map(|media| Stimulus::new(SetId(0), Digest([0; 32]), "a", media));
            Stimuli::new(vec![set], all.to_vec()).unwrap()
        };
        let text =
            |words| Media::Text { characters: 0, words, lines: 1, headings: 0, list_items: 0, bold: 0 };
        assert_eq!(presentation(&of([CLIP, CLIP]), 2), Micros(2_000_000));
        assert_eq!(presentation(&of([text(119), text(119)]), 2), Micros(60_000_000));
        assert_eq!(presentation(&of([Media::Image { width: 1, height: 1 }; 2]), 2), Micros(0));
    }

    #[test]
    fn a_source_is_played_before_what_is_judged_and_has_to_be_seen_too() {
        let set = |name, used_for| StimulusSet::new(name, Role::Real, used_for);
        let clip = |set, item| Stimulus::new(SetId(set), Digest([0; 32]), "a.mp4", CLIP).for_item(item);
        let source =
            Condition { kind: ConditionKind::Source, name: None, content: Content::Stimulus(StimulusId(1)) };
        let item = Item { id: "a".into(), conditions: vec![source.clone()], ..Item::default() };
        let sets = vec![set("model", Use::Main), set("conditions", Use::Condition)];
        let stimuli =
            Stimuli::with_items(sets, vec![clip(0, Some(ItemId(0))), clip(1, None)], vec![item]).unwrap();
        assert_eq!(presentation(&stimuli, 1), Micros(4_000_000));
        let judged = Part::Stimulus { stimulus: StimulusId(0), exposure: None };
        let trial = Trial::new(vec![Part::Condition(source), judged], Vec::new());
        assert_eq!(played_in_trial(&trial, &stimuli), [StimulusId(0), StimulusId(1)]);
        let checked = |seen: &[u32]| checked(None, &[seen; 10], &stimuli);
        assert_eq!(checked(&[20, 20]), Some(CheckState::Pass));
        assert_eq!(checked(&[20, 5]), Some(CheckState::Fail));
        assert_eq!(checked(&[20]), Some(CheckState::Pass), "a source that the task does not show");
    }

    /// The check of ten answers, the first of them with reports.
    fn checked(exposure_ms: Option<Millis>, reports: &[&[u32]], stimuli: &Stimuli) -> Option<CheckState> {
        let mut session = crate::protocol::speed::tests::answered_in(&vec![500; reports.len().max(10)]);
        for trial in &mut session.trials {
            trial.shown.stimuli = vec![StimulusId(0)];
            trial.shown.exposure_ms = exposure_ms;
        }
        session.notes.extend((0_u32..).zip(reports).map(|(trial, seen)| Noted {
            at: Micros(0),
            note: SessionNote::Played(TrialPlayed { trial, played: played(seen) }),
        }));
        Playback::default().check(&session, stimuli).map(|check| check.state)
    }

    #[test]
    fn raters_who_play_half_are_found_and_one_slip_is_not_enough() {
        let set = StimulusSet::new("model", Role::Generated, Use::Main);
        let clip = Stimulus::new(SetId(0), Digest([0; 32]), "a.mp4", CLIP);
        let stimuli = Stimuli::new(vec![set], vec![clip]).unwrap();
        let checked_at = |exposure_ms: Option<Millis>, reports: &[u32]| {
            let reports: Vec<&[u32]> = reports.iter().map(std::slice::from_ref).collect();
            checked(exposure_ms, &reports, &stimuli)
        };
        let checked = |reports: &[u32]| checked_at(None, reports);
        assert_eq!(checked_at(Some(Millis(5_000)), &[20]), None, "only the qualification has reports");
        assert_eq!(checked(&[]), None);
        assert_eq!(checked(&[20; 10]), Some(CheckState::Pass));
        assert_eq!(checked(&[20, 20, 20, 10, 20, 20, 20, 20, 20, 20]), Some(CheckState::Unclear));
        assert_eq!(checked(&[10; 10]), Some(CheckState::Fail));
        assert_eq!(checked(&[20, 20]), Some(CheckState::Fail));
    }
}
