//! Gold trials and repeats among images side by side: trials with a known winner, and trials that come again.

use std::sync::Arc;

use hype_core::protocol::draw::balanced;
use hype_core::words::{counted, listed};
use hype_core::{
    Answer, Condition, ConditionKind, Diagnostics, Inputs, SetId, StartError, Stimuli, StimulusId, Streams,
    Use,
};

use super::schedule::{Layout, Slot};
use crate::shared::attention::{Attention, GoldComparisons, Presented, among, check_room, with_repeats};

/// Properties of a task that checks of attention need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compares<'a> {
    /// The sets that are compared.
    pub(crate) contenders: &'a [SetId],
    /// Images in a trial.
    pub(crate) images: usize,
    /// Whether raters see what the images were made from.
    pub(crate) conditions: bool,
    /// Scored trials of a session.
    pub(crate) scored: u32,
}

/// One image that is known to be better than others.
#[derive(Debug, Clone)]
struct Known {
    conditions: Arc<[Condition]>,
    winner: (StimulusId, SetId),
    losers: Vec<(StimulusId, SetId)>,
}

impl Known {
    /// The images from left to right, with the winner in this place.
    fn images(&self, place: usize) -> Vec<(StimulusId, SetId)> {
        let mut images = self.losers.clone();
        images.insert(place.min(images.len()), self.winner);
        images
    }
}

/// All gold trials of a study: every image of the better set, with images of the worse one. Images of one item are put together
/// if all belong to items, else images in random order, drawn once for the whole study.
fn known(
    gold: &GoldComparisons,
    stimuli: &Stimuli,
    images: usize,
    conditions: bool,
    study_chance: &Streams,
) -> Vec<Known> {
    let (mut better, mut worse) = (members(stimuli, &gold.better), members(stimuli, &gold.worse));
    let item = |id: &StimulusId| stimuli.get(*id).and_then(|one| one.item);
    let groups: Vec<(Vec<StimulusId>, Vec<StimulusId>)> =
        if better.iter().chain(&worse).all(|id| item(id).is_some()) {
            let mut items: Vec<_> = better.iter().filter_map(item).collect();
            items.dedup();
            let of = |pool: &[StimulusId], wanted| {
                pool.iter().copied().filter(|id| item(id) == Some(wanted)).collect::<Vec<_>>()
            };
            items.into_iter().map(|wanted| (of(&better, wanted), of(&worse, wanted))).collect()
        } else {
            let own = study_chance.child("gold pairs", 0);
            own.stream("better").shuffle(&mut better);
            own.stream("worse").shuffle(&mut worse);
            vec![(better, worse)]
        };
    let losers = images.saturating_sub(1);
    let mut found = Vec::new();
    for (better, worse) in groups.into_iter().filter(|(_, worse)| losers > 0 && worse.len() >= losers) {
        for (nth, winner) in better.into_iter().enumerate() {
            let beaten: Vec<StimulusId> =
                (0..losers).map(|place| worse[(nth * losers + place) % worse.len()]).collect();
            let shown = std::iter::once(winner).chain(beaten.iter().copied());
            let of_item = shown.filter(|_| conditions).find_map(|id| stimuli.item_of(id));
            let with_set = |id: StimulusId| Some((id, stimuli.get(id)?.set));
            let Some(winner) = with_set(winner) else { continue };
            found.push(Known {
                conditions: of_item.map_or_else(Arc::default, |item| item.conditions.as_slice().into()),
                winner,
                losers: beaten.into_iter().filter_map(with_set).collect(),
            });
        }
    }
    found
}

/// The images of a declared set, with those of all its levels.
fn members(stimuli: &Stimuli, declared: &str) -> Vec<StimulusId> {
    let sets = stimuli.sets().iter().zip(0..).filter(|(set, _)| set.declared_name() == declared);
    sets.flat_map(|(_, number)| stimuli.members(SetId(number))).copied().collect()
}

impl Attention<'_> {
    /// Trials that it adds to the scored ones.
    pub(crate) fn trials(self) -> u32 {
        self.golds().saturating_add(self.repeats.map_or(0, |repeats| repeats.per_session.get()))
    }

    /// Gold trials of a session.
    pub(crate) fn golds(self) -> u32 {
        self.gold.map_or(0, |gold| gold.per_session.get())
    }

    /// The order of a session's main phase; `right` is the right answer to a gold trial whose winner has a given place.
    pub(crate) fn slots(
        self,
        compares: &Compares<'_>,
        inputs: &Inputs<'_>,
        chance: &Streams,
        right: impl Fn(usize) -> Answer,
    ) -> Result<Arc<[Slot]>, StartError> {
        let scored: Vec<Slot> = (0..compares.scored).map(Slot::Scored).collect();
        let own = chance.child("attention", 0);
        let gold = match self.gold {
            None => Vec::new(),
            Some(gold) => draw(gold, compares, inputs, &own, right)?,
        };
        let order = among(scored, gold, &own);
        let Some(repeats) = self.repeats else { return Ok(order.into()) };
        let repeatable: Vec<bool> = order.iter().map(|slot| matches!(slot, Slot::Scored(_))).collect();
        let (count, apart) = (repeats.per_session.get() as usize, repeats.apart.get() as usize);
        let presented = with_repeats(&repeatable, count, apart, &own)
            .ok_or_else(|| StartError("there are too few comparisons for the repeats".into()))?;
        let mut turns = own.stream("turns");
        let slots = presented.into_iter().map(|one| match one {
            Presented::First(index) => order[index].clone(),
            Presented::Again(index) => match &order[index] {
                Slot::Scored(number) => {
                    let turned = 1 + turns.below(compares.images.saturating_sub(1).max(1) as u32);
                    Slot::Again { number: *number, turned: turned as usize }
                }
                other => other.clone(),
            },
        });
        Ok(slots.collect())
    }

    /// Checks the settings, at the path of the task.
    pub(crate) fn check(self, compares: &Compares<'_>, stimuli: &Stimuli, at: &mut Diagnostics) {
        match self.gold {
            Some(gold) => at.within("gold", |at| {
                gold.check(compares.images, at);
                check_sets(gold, compares, stimuli, at);
            }),
            None => check_unused(stimuli, at),
        }
        if let Some(repeats) = self.repeats {
            at.within("repeats", |at| {
                repeats.check(compares.images, at);
            });
            let (count, apart) = (repeats.per_session.get(), repeats.apart.get());
            check_room(u64::from(compares.scored), "comparison", count, apart, at);
        }
    }
}

/// The gold trials of a session, the places of their winners as equally often as possible.
fn draw(
    gold: &GoldComparisons,
    compares: &Compares<'_>,
    inputs: &Inputs<'_>,
    chance: &Streams,
    right: impl Fn(usize) -> Answer,
) -> Result<Vec<Slot>, StartError> {
    let Compares { images, conditions, .. } = *compares;
    let pool = known(gold, inputs.design.stimuli, images, conditions, inputs.study_chance);
    let wanted = gold.per_session.get() as usize;
    let numbers: Vec<usize> = (0..pool.len()).collect();
    let mut drawn = balanced(&numbers, wanted, inputs.place.turn, &inputs.study_chance.child("gold", 0));
    if drawn.len() != wanted {
        return Err(StartError("there are too few gold comparisons".into()));
    }
    chance.stream("gold order").shuffle(&mut drawn);
    let mut sides = chance.stream("gold sides");
    let first = sides.below(images as u32) as usize;
    let mut places: Vec<usize> = (0..wanted).map(|nth| (first + nth) % images).collect();
    sides.shuffle(&mut places);
    let slots = drawn.into_iter().zip(places).map(|(number, winner)| {
        let known = &pool[number];
        let layout = Layout {
            answer: Some(right(winner)),
            ..Layout::new(Arc::clone(&known.conditions), known.images(winner))
        };
        Slot::Gold { layout, winner }
    });
    Ok(slots.collect())
}

fn check_sets(gold: &GoldComparisons, compares: &Compares<'_>, stimuli: &Stimuli, at: &mut Diagnostics) {
    let found = at.len();
    let all = stimuli.sets().iter().zip(0..).filter(|(set, _)| set.used_for != Use::Condition);
    let sets: Vec<(&str, Use, bool)> = all
        .map(|(set, number)| {
            (set.declared_name(), set.used_for, compares.contenders.contains(&SetId(number)))
        })
        .collect();
    for (field, name) in [("better", &*gold.better), ("worse", &*gold.worse)] {
        let mut known: Vec<&str> = sets.iter().map(|&(name, ..)| name).collect();
        known.dedup();
        match sets.iter().find(|(declared, ..)| *declared == name) {
            None => {
                at.field(field)
                    .error("unknown-set", format!("there is no set of stimuli `{name}`"))
                    .help(format!("write one of {}", listed(&known)));
            }
            Some((_, Use::Qualification, _)) => {
                at.field(field)
                    .error("not-gold", format!("{name} is for qualifications"))
                    .help("name a set with `use: gold`");
            }
            Some((.., true)) => {
                at.field(field)
                    .error(
                        "compared-gold",
                        format!("{name} is compared itself, and gold images appear nowhere else"),
                    )
                    .help("name a set with `use: gold`");
            }
            Some(_) => {}
        }
    }
    if gold.better == gold.worse {
        at.field("worse")
            .error("duplicate", "the same images cannot be better and worse")
            .help("name another set, such as one of blank images");
    }
    if at.len() > found || compares.images < 2 {
        return;
    }
    // Which images are put together depends on chance, but not how many there are.
    let pool = known(gold, stimuli, compares.images, compares.conditions, &Streams::new(0));
    let wanted = gold.per_session.get() as usize;
    if pool.len() < wanted {
        let each = counted(compares.images - 1, "image");
        at.field("per_session")
            .error(
                "too-few-images",
                format!("{} for each rater, but there are {}", counted(wanted, "gold comparison"), pool.len()),
            )
            .help(format!(
                "each shows one image of {} that no other shows, with {each} of {}, all of one item if they have items",
                gold.better, gold.worse
            ));
    }
    let kinds =
        |conditions: &[Condition]| -> Vec<ConditionKind> { conditions.iter().map(|one| one.kind).collect() };
    let usual: Vec<Vec<ConditionKind>> = stimuli.items().iter().map(|item| kinds(&item.conditions)).collect();
    if compares.conditions
        && !usual.is_empty()
        && pool.iter().any(|one| !usual.contains(&kinds(&one.conditions)))
    {
        at.error(
            "gold-tells",
            "gold comparisons are shown without the conditions of all others, which tells them",
        )
        .help("name the files of gold images after items, or set `conditions: false`");
    }
}

fn check_unused(stimuli: &Stimuli, at: &mut Diagnostics) {
    let unused = stimuli.sets().iter().filter(|set| set.used_for == Use::Gold).count();
    if unused > 0 {
        at.warning("unused-gold", format!("{} with `use: gold` shown to no rater", counted(unused, "set")))
            .help("add `gold: { better: …, worse: … }` with the names of two sets");
    }
}
