//! The checks of a session that shows images side by side: gold, repeats, and sides.

use hype_core::model::check::CheckedShare;
use hype_core::model::guidance::Guidance;
use hype_core::words::counted;
use hype_core::{Answered, Check, Fact, Phase, SessionRecord, StimulusId};
use hype_stats::proportion::{ProportionInterval, interval};

use super::rule;
use super::settings::{GoldComparisons, RepeatedComparisons};

/// The level of the intervals of shares.
const LEVEL: f64 = 0.95;

/// How a task's answers name the winner of a trial: the position of an image, or `None` for ties.
pub(crate) trait Winners {
    /// The winner of a logged trial by the criterion that checks are about.
    fn winner(&self, answered: &Answered) -> Option<usize>;
}

/// The attention checks that a task asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attention<'a> {
    pub(crate) gold: Option<&'a GoldComparisons>,
    pub(crate) repeats: Option<&'a RepeatedComparisons>,
}

/// The answers to the comparisons of a session that came again.
#[derive(Debug, Clone, Copy, Default)]
struct Again {
    /// Answered twice.
    all: u32,
    /// With a winner both times.
    decided: u32,
    /// With the same winner both times.
    same: u32,
    /// With the image on the left as the winner both times, of two images.
    left: u32,
    /// With the image on the right as the winner both times, of two images.
    right: u32,
}

impl Attention<'_> {
    /// Returns the facts that readers of the findings need, if trials show so many images.
    pub(crate) fn facts(self, images: usize) -> impl Iterator<Item = Fact> {
        let gold = self.gold.map(|gold| gold.fact(images));
        gold.into_iter().chain(self.repeats.map(|repeats| repeats.fact(images)))
    }

    /// Adds what raters have to know.
    pub(crate) fn guide(self, guidance: Guidance) -> Guidance {
        if self.repeats.is_none() {
            return guidance;
        }
        guidance.then("Some images come a second time; answer them as if you saw them for the first time.")
    }

    /// The checks of a session.
    pub(crate) fn checks(self, session: &SessionRecord, images: usize, winners: &dyn Winners) -> Vec<Check> {
        let gold = self.gold.map(|gold| by_gold(gold, session, images));
        let again = self.repeats.map(|repeats| {
            let again = Again::of(session, winners);
            let sides = (images == 2).then(|| by_sides(repeats, again));
            [Some(by_repeats(repeats, again, images)), sides]
        });
        gold.into_iter().chain(again.into_iter().flatten().flatten()).collect()
    }
}

impl Again {
    fn of(session: &SessionRecord, winners: &dyn Winners) -> Self {
        let mut again = Self::default();
        for second in session.trials.iter().filter(|trial| trial.shown.phase == Phase::Repeat) {
            let shows = sorted(second);
            let Some(first) = session.main_trials().find(|first| sorted(first) == shows) else { continue };
            again.all += 1;
            let places = (winners.winner(first), winners.winner(second));
            let (Some(before), Some(after)) = places else { continue };
            again.decided += 1;
            again.same += u32::from(first.shown.stimuli.get(before) == second.shown.stimuli.get(after));
            again.left += u32::from((before, after) == (0, 0));
            again.right += u32::from((before, after) == (1, 1));
        }
        again
    }
}

/// The images of a trial, whatever their places.
fn sorted(answered: &Answered) -> Vec<StimulusId> {
    let mut shown = answered.shown.stimuli.clone();
    shown.sort_unstable();
    shown
}

fn by_gold(gold: &GoldComparisons, session: &SessionRecord, images: usize) -> Check {
    let answered = || session.trials.iter().filter(|trial| trial.shown.phase == Phase::Gold);
    let of = answered().count() as u32;
    let right = answered().filter(|trial| trial.correct == Some(true)).count() as u32;
    let share = share(right, of);
    let why = format!("{right} of {} right{}", counted(of, "gold comparison"), in_words(&share));
    Check::new("gold", gold.rule(images).state(right, of), why).with(gold.failing).with_share(share)
}

fn by_repeats(repeats: &RepeatedComparisons, again: Again, images: usize) -> Check {
    let Again { all, decided, same, .. } = again;
    let share = share(same, decided);
    let ties = match all - decided {
        0 => String::new(),
        ties => format!("; {ties} of {all} without a winner"),
    };
    let why = format!(
        "the same winner in {same} of {}{}{ties}",
        counted(decided, "repeated comparison"),
        in_words(&share)
    );
    let state = repeats.rule(images).state(same, decided);
    Check::new("repeats", state, why).with(repeats.failing).with_share(share)
}

/// Only comparisons in which the same side won both times tell of a preference for sides: without one, either side is as
/// likely, whatever the images (McNemar 1947, exact).
fn by_sides(repeats: &RepeatedComparisons, again: Again) -> Check {
    let (left, of) = (again.left, again.left + again.right);
    let share = share(left, of);
    let why = format!(
        "the same side in {of} of {}, the left one in {left}{}",
        counted(again.decided, "repeated comparison"),
        in_words(&share)
    );
    let state = rule::even(left, of, again.decided);
    Check::new("sides", state, why).with(repeats.failing).with_share(share)
}

/// A share with Clopper and Pearson's exact interval; without an interval if there is nothing that it is a share of.
fn share(count: u32, of: u32) -> CheckedShare {
    let found = interval(count.into(), of.into(), ProportionInterval::ClopperPearson, LEVEL).ok();
    CheckedShare { count, of, interval: found.map(|found| [found.low, found.high]) }
}

fn in_words(share: &CheckedShare) -> String {
    share.interval.map_or_else(String::new, |[low, high]| {
        format!(" (exact 95 % interval of the share: {:.0} to {:.0} %)", 100.0 * low, 100.0 * high)
    })
}
