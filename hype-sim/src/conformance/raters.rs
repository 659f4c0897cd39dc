//! Raters: they qualify once, see orders of their own, and are judged by the same rules.

use std::collections::BTreeSet;
use std::sync::Arc;

use hype_core::{Next, Phase, SessionRecord, Study, Trial};

use super::endings::asked_at;
use super::subject::{Player, machine_for, open, play_on, walk};
use super::{Subject, ensure};
use crate::population::Behaviour;

/// The seeds; at least one has to give two raters different trials.
const SEEDS: [u64; 3] = [11, 12, 13];

/// Checks that the rules by which a task judges sessions have different names, and the same ones for all sessions, one
/// without answers among them.
pub(super) fn checks_keep_their_names(subject: &Subject) -> Result<(), String> {
    let study = subject.study()?;
    for place in 0..study.places() {
        let (session, _) = open(&study, place)?;
        let declared = names(&study, &SessionRecord::opened(session.header().clone()))?;
        for behaviour in Behaviour::ALL {
            let (mut session, mut log) = open(&study, place)?;
            let mut player = Player::new(&study, place, behaviour)?;
            play_on(&study, &mut session, &mut player, &mut log, |_| Ok(()))?;
            let record = SessionRecord::from_events(log).map_err(|error| error.to_string())?;
            let found = names(&study, &record)?;
            if let Some(name) = found.symmetric_difference(&declared).next() {
                return Err(format!("place {place}: not every session has the check `{name}`"));
            }
        }
    }
    Ok(())
}

/// The names of the task's checks of a session.
fn names(study: &Study, record: &SessionRecord) -> Result<BTreeSet<Arc<str>>, String> {
    let mut names = BTreeSet::new();
    for check in study.task().checks(record, study.stimuli()) {
        ensure(names.insert(Arc::clone(&check.name)), || {
            format!("two checks have the name `{}`", check.name)
        })?;
    }
    Ok(names)
}

/// Checks that the session of a rater who has qualified elsewhere begins after the qualification, with the trial that
/// follows it for raters who pass.
pub(super) fn qualified_raters_skip_the_qualification(subject: &Subject) -> Result<(), String> {
    let study = subject.study()?;
    if study.raters().qualification.is_none() {
        return Ok(());
    }
    for place in 0..study.places() {
        let mut after: Option<Trial> = None;
        walk(&study, place, &mut Player::new(&study, place, Behaviour::Bot)?, |moment| {
            if moment.trial.phase != Phase::Qualification && after.is_none() {
                after = Some(moment.trial.clone().numbered(0));
            }
            Ok(())
        })?;
        let first = match machine_for(&study, place, true)?.next() {
            Next::Trial(trial) => Some(trial.numbered(0)),
            Next::End(_) => None,
        };
        ensure(first.as_ref().is_none_or(|trial| trial.phase != Phase::Qualification), || {
            format!(
                "place {place}: the task asks for the qualification of a rater who has qualified elsewhere"
            )
        })?;
        ensure(first == after, || {
            format!(
                "place {place}: a rater who has qualified elsewhere does not begin with what others see then"
            )
        })?;
    }
    Ok(())
}

/// Checks that raters of the same models do not see the same trials in the same order.
pub(super) fn raters_see_orders_of_their_own(subject: &Subject) -> Result<(), String> {
    for seed in SEEDS {
        let study = subject.clone().with_seed(seed).study()?;
        let first = study.place(0);
        let Some(other) = (1..study.places()).find(|&place| study.place(place).models == first.models) else {
            return Ok(());
        };
        if asked_at(&study, 0)? != asked_at(&study, other)? {
            return Ok(());
        }
    }
    Err("raters of the same models see the same trials in the same order".into())
}
