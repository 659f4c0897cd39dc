//! The qualification: untimed real-or-fake trials with separate images, before the main phase.

use std::sync::Arc;

use hype_core::model::trial::{Part, Phase, Trial};
use hype_core::protocol::draw::balanced;
use hype_core::words::counted;
use hype_core::{Design, Diagnostics, Inputs, Role, SetId, StimulusId, Streams, Use};
use hype_core::{PassMark, PassRule, Passing, Qualification};
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::shared::judgment::question;

/// The share of right answers of a typical rater, on images of the models under judgment without time limit.
const TYPICAL: f64 = 0.75;
/// Describes a rater who sees the difference and sometimes errs; `check` computes whether such a rater would pass.
const ATTENTIVE: f64 = 0.98;

/// The qualification of one session: its trials and its progress.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Progress {
    shown: Arc<[(StimulusId, Role, SetId)]>,
    pass: PassMark,
    at: usize,
    right_on_real: u32,
    right_on_generated: u32,
}

/// The state of the qualification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Running,
    Passed,
    Failed,
}

impl Progress {
    /// Draws the images of one session's qualification.
    pub(crate) fn draw(qualification: &Qualification, inputs: &Inputs<'_>, chance: &Streams) -> Self {
        let design = &inputs.design;
        let half = qualification.trials as usize / 2;
        let study = inputs.study_chance.child("qualification", 0);
        let turn = inputs.place.number;
        let set_of = |id: &StimulusId| design.stimuli.get(*id).map_or(SetId(0), |item| item.set);
        let mut shown: Vec<_> = pools(design, inputs.study_chance, half)
            .into_iter()
            .zip([Role::Real, Role::Generated])
            .flat_map(|(pool, role)| {
                let drawn = draw_evenly(&pool, half, turn, &study.child("role", role as u64));
                drawn.into_iter().map(move |id| (id, role))
            })
            .map(|(id, role)| (id, role, set_of(&id)))
            .collect();
        chance.stream("qualification order").shuffle(&mut shown);
        Self {
            shown: shown.into(),
            pass: qualification.pass.clone(),
            at: 0,
            right_on_real: 0,
            right_on_generated: 0,
        }
    }

    pub(crate) fn standing(&self) -> Standing {
        if self.at < self.shown.len() {
            return Standing::Running;
        }
        let of_class = (self.shown.len() / 2) as u32;
        let passed = match self.pass.rule {
            PassRule::BothClasses => {
                self.right_on_real.min(self.right_on_generated) >= self.pass.needed(of_class)
            }
            PassRule::Overall => {
                self.right_on_real + self.right_on_generated >= self.pass.needed(2 * of_class)
            }
        };
        if passed { Standing::Passed } else { Standing::Failed }
    }

    /// The current trial. Called only while the qualification runs.
    pub(crate) fn trial(&self) -> Option<Trial> {
        self.trial_at(self.at)
    }

    /// The trial after the current one.
    pub(crate) fn following(&self) -> Option<Trial> {
        self.trial_at(self.at + 1)
    }

    fn trial_at(&self, at: usize) -> Option<Trial> {
        let &(stimulus, ..) = self.shown.get(at)?;
        Some(
            Trial::new(vec![Part::Stimulus { stimulus, exposure: None }], question())
                .in_block(0, at as u32, self.shown.len() as u32)
                .in_phase(Phase::Qualification),
        )
    }

    /// The stimuli that it still shows.
    pub(crate) fn upcoming(&self) -> Vec<StimulusId> {
        self.shown.get(self.at..).unwrap_or_default().iter().map(|&(id, ..)| id).collect()
    }

    /// The model whose image is shown, if it is a generated one, and its role.
    pub(crate) fn truth(&self) -> Option<(Option<SetId>, Role)> {
        let &(_, role, set) = self.shown.get(self.at)?;
        Some(((role == Role::Generated).then_some(set), role))
    }

    /// Records the judgment of the current trial, and returns whether it was right.
    pub(crate) fn answer(&mut self, judged: Role) -> Option<bool> {
        let &(_, role, _) = self.shown.get(self.at)?;
        self.at += 1;
        let right = judged == role;
        match role {
            Role::Real => self.right_on_real += u32::from(right),
            Role::Generated => self.right_on_generated += u32::from(right),
        }
        Some(right)
    }
}

/// Returns stimuli that the qualification may show, by role and set: sets set aside for it, or else images of the main phase
/// that [`reserved`] keeps out of it.
fn pools(design: &Design<'_>, study: &Streams, half: usize) -> [Vec<Vec<StimulusId>>; 2] {
    [Role::Real, Role::Generated].map(|role| {
        let own: Vec<_> = own_sets(design, role);
        if own.is_empty() { reserved(design, study, role, half) } else { own }
    })
}

fn own_sets(design: &Design<'_>, role: Role) -> Vec<Vec<StimulusId>> {
    design
        .stimuli
        .sets_with(role, Use::Qualification)
        .map(|set| design.stimuli.members(set).to_vec())
        .filter(|members| !members.is_empty())
        .collect()
}

/// Images of the main sets that are set aside for the qualification if it has no separate set: the same ones
/// for all raters, as many of each set as equal shares allow.
fn reserved(design: &Design<'_>, study: &Streams, role: Role, half: usize) -> Vec<Vec<StimulusId>> {
    main_shares(design, role, half).map(|(set, share)| reserved_of(design, study, set, share)).collect()
}

/// The images of one main set that are set aside.
fn reserved_of(design: &Design<'_>, study: &Streams, set: SetId, share: usize) -> Vec<StimulusId> {
    let mut members = design.stimuli.members(set).to_vec();
    study.child("reserved", u64::from(set.0)).stream("order").shuffle(&mut members);
    members.truncate(share);
    members
}

/// The main sets of a role with the number of images that the qualification takes of each.
fn main_shares(design: &Design<'_>, role: Role, half: usize) -> impl Iterator<Item = (SetId, usize)> + use<> {
    let sets: Vec<SetId> = design.stimuli.sets_with(role, Use::Main).collect();
    let sizes: Vec<usize> = sets.iter().map(|&set| design.stimuli.members(set).len()).collect();
    sets.into_iter().zip(shares(half, &sizes))
}

/// The number of images of a main set that the qualification uses.
pub(crate) fn taken_from_main(design: &Design<'_>, set: SetId) -> usize {
    let Some(role) = design.stimuli.set(set).map(|set| set.role) else { return 0 };
    let Some(qualification) = &design.raters.qualification else { return 0 };
    if !own_sets(design, role).is_empty() {
        return 0;
    }
    main_shares(design, role, qualification.trials as usize / 2)
        .find(|(main, _)| *main == set)
        .map_or(0, |(_, share)| share)
}

/// The images of a set that remain for the main phase, in the order of the set.
pub(crate) fn main_members(design: &Design<'_>, study: &Streams, set: SetId) -> Vec<StimulusId> {
    let members = design.stimuli.members(set);
    let share = taken_from_main(design, set);
    if share == 0 {
        return members.to_vec();
    }
    let mut taken = reserved_of(design, study, set, share);
    taken.sort_unstable();
    members.iter().copied().filter(|id| taken.binary_search(id).is_err()).collect()
}

/// Splits `total` over pools as equally as their sizes allow; earlier pools take the remainder.
fn shares(total: usize, sizes: &[usize]) -> Vec<usize> {
    let mut shares = vec![0; sizes.len()];
    let mut left = total.min(sizes.iter().sum());
    while left > 0 {
        for (share, &size) in shares.iter_mut().zip(sizes) {
            if left > 0 && *share < size {
                *share += 1;
                left -= 1;
            }
        }
    }
    shares
}

fn draw_evenly(pools: &[Vec<StimulusId>], take: usize, turn: u32, chance: &Streams) -> Vec<StimulusId> {
    let shares = shares(take, &pools.iter().map(Vec::len).collect::<Vec<_>>());
    pools
        .iter()
        .zip(shares)
        .enumerate()
        .flat_map(|(index, (pool, share))| balanced(pool, share, turn, &chance.child("pool", index as u64)))
        .collect()
}

/// Checks the qualification of a study, at the path of the spec's root.
pub(crate) fn check(design: &Design<'_>, at: &mut Diagnostics) {
    let Some(qualification) = &design.raters.qualification else { return };
    let trials = qualification.trials;
    if trials % 2 == 1 {
        at.field("trials")
            .error(
                "out-of-range",
                format!(
                    "a qualification of {} cannot be half real and half generated",
                    counted(trials, "trial")
                ),
            )
            .help("use an even number of trials, or `qualification: null` for none");
        return;
    }
    check_images(design, trials, at);
    at.within("pass", |at| check_pass(&qualification.pass, trials, at));
}

fn check_images(design: &Design<'_>, trials: u32, at: &mut Diagnostics) {
    let half = trials as usize / 2;
    for (role, name) in [(Role::Real, "real"), (Role::Generated, "generated")] {
        let own: usize = own_sets(design, role).iter().map(Vec::len).sum();
        let main: usize =
            design.stimuli.sets_with(role, Use::Main).map(|set| design.stimuli.members(set).len()).sum();
        let (there, whose) =
            if own > 0 { (own, "sets with `use: qualification` hold") } else { (main, "study has") };
        if there < half {
            at.field("trials")
                .error(
                    "too-few-images",
                    format!(
                        "a qualification of {trials} trials shows {}, but the {whose} {there}",
                        counted(half, &format!("{name} image"))
                    ),
                )
                .help(format!("add {name} images, or use at most {} trials", 2 * there));
        }
    }
}

fn check_pass(pass: &PassMark, trials: u32, at: &mut Diagnostics) {
    let attentive = passing_probability(pass, trials, ATTENTIVE);
    let guessing = passing_probability(pass, trials, 0.5);
    if attentive < 0.05 {
        at.field("at_least")
            .error(
                "unpassable-qualification",
                format!(
                    "hardly any rater can pass: of raters who are right {} % of the time, {:.1} % would",
                    ATTENTIVE * 100.0,
                    attentive * 100.0
                ),
            )
            .help("use a smaller share; the published protocol has 0.65");
    } else if attentive < 0.5 {
        at.field("at_least")
            .warning(
                "hard-qualification",
                format!(
                    "most raters fail: of raters who are right {} % of the time, {:.0} % pass",
                    ATTENTIVE * 100.0,
                    attentive * 100.0
                ),
            )
            .help("use a smaller share; the published protocol has 0.65");
    }
    if guessing > 0.05 {
        at.field("at_least")
            .warning("easy-qualification", format!("{:.0} % of raters who guess pass", guessing * 100.0))
            .help("ask for more right answers or more trials; the published protocol has 0.65 of 100 on both classes");
    }
}

/// The performance of a typical rater in the qualification of a design.
pub(crate) fn passing(design: &Design<'_>) -> Option<Passing> {
    let Qualification { trials, pass } = design.raters.qualification.as_ref()?;
    Some(Passing { accuracy: TYPICAL, probability: passing_probability(pass, *trials, TYPICAL) })
}

/// The probability that a rater passes who is right with this probability on each trial, by the binomial.
fn passing_probability(pass: &PassMark, trials: u32, right: f64) -> f64 {
    let reaches = |trials: u32| match pass.needed(trials) {
        0 => 1.0,
        needed => {
            Binomial::new(right, u64::from(trials)).map_or(0.0, |binomial| binomial.sf(u64::from(needed) - 1))
        }
    };
    match pass.rule {
        PassRule::BothClasses => {
            let either = reaches(trials / 2);
            either * either
        }
        PassRule::Overall => reaches(trials),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_by_guessing_has_the_published_probability() {
        let both = PassMark::default();
        let overall = PassMark { rule: PassRule::Overall, ..both.clone() };
        assert!((passing_probability(&overall, 100, 0.5) - 0.0018).abs() < 5e-5);
        assert!((passing_probability(&both, 100, 0.5) - 0.0003).abs() < 5e-5);
        assert_eq!(passing_probability(&PassMark { at_least: 0.0, ..both }, 100, 0.5), 1.0);
    }

    #[test]
    fn shares_are_as_equal_as_pools_allow() {
        assert_eq!(shares(10, &[50, 50, 50]), [4, 3, 3]);
        assert_eq!(shares(10, &[1, 50, 2]), [1, 7, 2]);
        assert_eq!(shares(10, &[1, 2]), [1, 2]);
    }
}
