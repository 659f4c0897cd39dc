//! The contents of `board.json`, from which alone the page is drawn.

use std::collections::BTreeMap;

use hype_stats::StatError;
use hype_stats::equivalence::{Better, MeanEvidence as _, StudentEstimate};
use hype_stats::link::{AnchorAgreement, Linked};
use hype_stats::ordering::PairwiseOrder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::BoardError;
use crate::estimates::{Estimated, Numbers, estimated};
use crate::facets::Facet;
use crate::favours::{BoardFavour, Favours};
use crate::folder::Board;
use crate::fragility::fewest;
use crate::journal::JournalEntry;
use crate::makers::{MakerCount, makers};
use crate::names::ShownNames;
use crate::released::{Released, ScoreLine};
use crate::wanted::{Wanted, wanted};
use crate::wave::WaveRecord;

/// The level of all intervals and sets.
const LEVEL: f64 = 0.95;
/// The version of this layout.
const FORMAT: u32 = 1;

/// The results of a board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Board of hype")]
#[non_exhaustive]
pub struct BoardResults {
    /// The version of this layout.
    pub format: u32,
    /// The program, with its version.
    pub software: String,
    /// The board's name.
    pub name: String,
    /// The date of the last closed wave.
    pub date: String,
    /// Whether any raters were synthetic.
    pub simulated: bool,
    /// The level of all intervals and sets of ranks.
    pub level: f64,
    /// The waves, the first first.
    pub waves: Vec<BoardWave>,
    /// The measures by which models are compared: the score, then others.
    pub measures: Vec<BoardMeasure>,
    /// How many models each maker has entered.
    pub makers: Vec<MakerCount>,
    /// The changes to the rules, and what was removed by law.
    pub journal: Vec<JournalEntry>,
    /// The rules.
    pub rules: Vec<String>,
}

/// A wave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct BoardWave {
    /// Its number.
    pub number: u32,
    /// When it closed.
    pub date: String,
    /// Its raters.
    pub raters: u64,
    /// Its anchors.
    pub anchors: Vec<String>,
    /// Its other models.
    pub new: Vec<String>,
    /// The digest of its package's description, which has those of all files.
    pub package: String,
}

/// One measure over all waves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct BoardMeasure {
    /// Its name in the packages' scores.
    pub name: String,
    /// The unit of values; empty for bare numbers.
    pub unit: String,
    /// Whether a higher value is better.
    pub higher_is_better: bool,
    /// How each wave was linked.
    pub links: Vec<BoardStep>,
    /// The models of linked waves, the best first.
    pub models: Vec<BoardModel>,
    /// The number of private models that may be first, which have no row.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub private_first: u64,
    /// Models that no linked wave rated, with their place among the models of their wave alone.
    pub within_wave: Vec<BoardModel>,
    /// How few answers decide the first place; absent with fewer than two models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_place: Option<FirstPlace>,
    /// The makers whose models some raters favour beyond chance and taste.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub favours: Vec<BoardFavour>,
    /// The results for the items of each level of a facet; of the score alone, and empty without facets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<BoardLevel>,
}

/// How a wave was linked with those before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct BoardStep {
    /// The wave.
    pub wave: u32,
    /// Answers of this measure.
    pub answers: u64,
    /// Models that earlier linked waves rated; 0 for the first.
    pub anchors: u64,
    /// Whether it is part of the ranking.
    pub linked: bool,
    /// The p value of the hypothesis that its anchors drifted no more than before; absent for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The anchor that departs most from the others; absent without a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub farthest: Option<LostAnchor>,
    /// The slope of its raters' scale; absent if it is not linked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slope: Option<f64>,
    /// The standard deviation of models' drift over the waves up to this one; absent with a single wave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<f64>,
}

/// An anchor that departs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct LostAnchor {
    /// Its name.
    pub model: String,
    /// How much higher its estimate is than the other anchors let expect.
    pub shift: f64,
    /// The p value, adjusted for the number of anchors.
    pub p: f64,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct BoardModel {
    /// Its name, or its codename.
    pub name: String,
    /// Its maker; absent while it has a codename.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maker: Option<String>,
    /// The waves that rated it.
    pub waves: Vec<u32>,
    /// Answers about it.
    pub answers: u64,
    /// Its value less the mean of the first wave's models, on the scale of the first wave.
    pub value: f64,
    /// The limits of the simultaneous interval.
    pub low: f64,
    /// The limits of the simultaneous interval.
    pub high: f64,
    /// The best rank that it may have.
    pub best_rank: u64,
    /// The worst rank that it may have.
    pub worst_rank: u64,
    /// Its value after each wave from the one that first rated it, with intervals of its own.
    pub history: Vec<[f64; 4]>,
}

/// Results for the items of one level of a facet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct BoardLevel {
    /// The facet, which is a column of the table of items.
    pub facet: String,
    /// The level.
    pub level: String,
    /// Answers about its items in linked waves.
    pub answers: u64,
    /// The waves that are linked by these answers.
    pub waves: Vec<u32>,
    /// The models of these waves, the best first; intervals and ranks hold for all levels of all facets together.
    pub models: Vec<BoardModel>,
}

/// How few answers decide who is first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FirstPlace {
    /// The first model.
    pub first: String,
    /// The second.
    pub second: String,
    /// The least answers without which the second is first; absent where no number suffices.
    pub answers: Option<u64>,
    /// Of so many.
    pub of_answers: u64,
    /// The least raters, likewise.
    pub raters: Option<u64>,
    /// Of so many.
    pub of_raters: u64,
}

/// The board over the waves so far, and what it says of models after each.
struct Chain {
    board: Option<Linked>,
    linked: Vec<Estimated>,
    steps: Vec<BoardStep>,
    history: BTreeMap<u32, Vec<[f64; 4]>>,
    apart: BTreeMap<u32, (u32, Estimated)>,
    favours: Favours,
}

impl Board {
    /// The results of all closed waves from their packages, whatever these contain.
    pub(crate) fn computed(&self, software: &str) -> Result<BoardResults, BoardError> {
        let waves: Vec<WaveRecord> = self.waves()?.into_iter().filter(|wave| wave.closed.is_some()).collect();
        let Some(last) = waves.last() else {
            return Err(BoardError::Refused("no wave has closed: `hype board wave close` closes one".into()));
        };
        let submissions = self.submissions()?;
        let mut released = Vec::new();
        for wave in &waves {
            released.push(Released::read(&self.wave_folder(wave.number))?);
        }
        let mut numbers = Numbers::default();
        let people: Vec<Vec<u32>> = released
            .iter()
            .map(|wave| wave.raters.iter().map(|rater| numbers.person(wave.people.get(rater))).collect())
            .collect();
        let names = ShownNames { submissions: &submissions, closed: last.number };
        let mut measures = Vec::new();
        let wanted = wanted(&released);
        let mut facets = self.facets()?;
        let of_waves = OfWaves { waves: &waves, released: &released, people: &people };
        for one in &wanted {
            let measure = of_waves.measure(one, wanted.len(), &facets, &mut numbers, &names)?;
            measures.extend(measure);
            // Other measures have no levels.
            facets.clear();
        }
        Ok(BoardResults {
            format: FORMAT,
            software: software.to_owned(),
            name: self.settings.name.clone(),
            date: last.closed.clone().unwrap_or_default(),
            simulated: waves.iter().any(|wave| wave.simulated),
            level: LEVEL,
            waves: waves
                .iter()
                .zip(&released)
                .map(|(wave, released)| BoardWave::of(&names, wave, released))
                .collect(),
            measures,
            makers: makers(&submissions, &waves),
            journal: names.journal(self.journal()?, &waves),
            rules: self.settings.rules.clone(),
        })
    }
}

/// The closed waves, their packages, and the people among their raters.
struct OfWaves<'a> {
    waves: &'a [WaveRecord],
    released: &'a [Released],
    people: &'a [Vec<u32>],
}

impl OfWaves<'_> {
    fn measure(
        &self,
        wanted: &Wanted,
        family: usize,
        facets: &[Facet],
        numbers: &mut Numbers,
        names: &ShownNames<'_>,
    ) -> Result<Option<BoardMeasure>, BoardError> {
        let chain = self.chain(wanted, &|_, _| true, numbers, names)?;
        let last = self.waves.last().map_or(0, |wave| wave.number);
        let undefined = |source| BoardError::Wave { wave: last, source };
        let Some(board) = &chain.board else { return Ok(None) };
        let models = chain.models(board, wanted, family, numbers, names).map_err(undefined)?;
        let first_place = chain.first_place(board, &models, numbers, names).map_err(undefined)?;
        let within_wave = chain.within(wanted, numbers, names).map_err(undefined)?;
        let favours = chain.favours.found(family).map_err(undefined)?;
        let is_votes = chain.linked.first().is_some_and(|wave| wave.is_votes);
        let private_first = models.iter().filter(|one| one.row.is_none() && one.may_be_first).count() as u64;
        let shown = models.into_iter().filter_map(|one| one.row).collect();
        Ok(Some(BoardMeasure {
            name: wanted.name.clone(),
            unit: if is_votes { "log-odds".to_owned() } else { wanted.unit.clone() },
            higher_is_better: wanted.higher_is_better,
            links: chain.steps,
            models: shown,
            private_first,
            within_wave,
            first_place,
            favours,
            levels: self.levels(wanted, family, facets, numbers, names)?,
        }))
    }

    /// The waves, one after another, with those of their answers that count.
    fn chain(
        &self,
        wanted: &Wanted,
        counts: &dyn Fn(&Released, &ScoreLine) -> bool,
        numbers: &mut Numbers,
        names: &ShownNames<'_>,
    ) -> Result<Chain, BoardError> {
        let mut chain = Chain {
            board: None,
            linked: Vec::new(),
            steps: Vec::new(),
            history: BTreeMap::new(),
            apart: BTreeMap::new(),
            favours: Favours::default(),
        };
        for ((wave, released), people) in self.waves.iter().zip(self.released).zip(self.people) {
            let of_wave = |source| BoardError::Wave { wave: wave.number, source };
            let counting = |line: &ScoreLine| counts(released, line);
            if let Some(found) =
                estimated(released, &wanted.name, &counting, numbers, people).map_err(of_wave)?
            {
                let makers: Vec<Option<&str>> = found
                    .wave
                    .models()
                    .iter()
                    .map(|&model| names.maker(&numbers.names[model as usize]))
                    .collect();
                chain.favours.add(wave.number, &found, (&released.raters, people), &makers);
                chain.add(wave.number, found, numbers, names).map_err(of_wave)?;
            }
        }
        Ok(chain)
    }

    /// The results of each level of facets. Those of all levels together are a family.
    fn levels(
        &self,
        wanted: &Wanted,
        family: usize,
        facets: &[Facet],
        numbers: &mut Numbers,
        names: &ShownNames<'_>,
    ) -> Result<Vec<BoardLevel>, BoardError> {
        let all: usize = facets.iter().map(|facet| facet.levels().len()).sum();
        let mut found = Vec::new();
        for facet in facets {
            for level in facet.levels() {
                let counts = |released: &Released, line: &ScoreLine| {
                    facet.level_of(&released.items[line.item as usize]) == Some(level)
                };
                let chain = match self.chain(wanted, &counts, numbers, names) {
                    // Too few answers determine nothing, and the others stand.
                    Err(BoardError::Wave { .. }) => continue,
                    other => other?,
                };
                let Some(board) = &chain.board else { continue };
                let Ok(models) = chain.models(board, wanted, family * all, numbers, names) else { continue };
                found.push(BoardLevel {
                    facet: facet.name.clone(),
                    level: level.to_owned(),
                    answers: chain.steps.iter().filter(|step| step.linked).map(|step| step.answers).sum(),
                    waves: chain.steps.iter().filter(|step| step.linked).map(|step| step.wave).collect(),
                    models: models.into_iter().filter_map(|one| one.row).collect(),
                });
            }
        }
        Ok(found)
    }
}

impl Chain {
    /// Adds a wave, and notes where models are after it.
    fn add(
        &mut self,
        number: u32,
        found: Estimated,
        numbers: &Numbers,
        names: &ShownNames<'_>,
    ) -> Result<(), StatError> {
        let mut step = BoardStep {
            wave: number,
            answers: found.all_answers,
            anchors: 0,
            linked: true,
            p: None,
            farthest: None,
            slope: Some(1.0),
            drift: None,
        };
        if let Some(board) = &mut self.board {
            let shared = found.wave.models().iter().filter(|model| board.models().contains(model));
            step.anchors = shared.count() as u64;
            let agreement = match board.add(found.wave.clone()) {
                // Estimates that determine no line link nothing.
                Err(StatError::NoConvergence { .. } | StatError::Degenerate { .. }) => None,
                other => Some(other?),
            };
            let linked = agreement.filter(|agreement| agreement.is_linked);
            step.note(agreement, numbers, names);
            step.slope = linked.map(|_| board.scale(board.waves() - 1)[1]);
            step.drift = board.drift();
        } else {
            self.board = Some(Linked::new(found.wave.clone())?);
        }
        let is_linked = step.linked;
        self.steps.push(step);
        if !is_linked {
            for &model in found.wave.models() {
                if self.board.as_ref().is_some_and(|board| !board.models().contains(&model)) {
                    let of_wave = found.copied();
                    self.apart.insert(model, (number, of_wave));
                }
            }
            return Ok(());
        }
        self.linked.push(found);
        let Some(board) = &self.board else { return Ok(()) };
        for &model in board.models() {
            let Some(value) = self.value(board, model)? else { continue };
            let interval = value.interval(LEVEL)?;
            let point = [f64::from(number), value.estimate(), interval.lower, interval.upper];
            self.history.entry(model).or_default().push(point);
        }
        Ok(())
    }

    /// A model's value less the mean of the first wave's models; `None` where that has no error.
    fn value(&self, board: &Linked, model: u32) -> Result<Option<StudentEstimate>, StatError> {
        let first = self.linked[0].wave.models();
        let mut weights: BTreeMap<u32, f64> =
            first.iter().map(|&other| (other, -1.0 / first.len() as f64)).collect();
        *weights.entry(model).or_default() += 1.0;
        let weights: Vec<(u32, f64)> = weights.into_iter().collect();
        match board.contrast(&weights) {
            Err(StatError::Degenerate { .. }) => Ok(None),
            other => other.map(Some),
        }
    }

    /// All models of linked waves, the best first.
    fn models(
        &self,
        board: &Linked,
        wanted: &Wanted,
        family: usize,
        numbers: &Numbers,
        names: &ShownNames<'_>,
    ) -> Result<Vec<Placed>, StatError> {
        let all = board.models();
        let better = if wanted.higher_is_better { Better::Higher } else { Better::Lower };
        // A family of several measures is counted: each has its share of the error.
        let level = 1.0 - (1.0 - LEVEL) / family as f64;
        // A difference without an error shows no order, as one of 0 with any error.
        let difference = |first: usize, second: usize| match board.difference(all[first], all[second]) {
            Err(StatError::Degenerate { .. }) => StudentEstimate::new(0.0, 1.0, 1.0),
            other => other,
        };
        let order = PairwiseOrder::new(all.len(), better, difference)?;
        let sets = order.simultaneous(level)?;
        let mut rows = Vec::new();
        for (&model, set) in all.iter().zip(&sets) {
            let Some(value) = self.value(board, model)? else { continue };
            let interval = value.interval(1.0 - (1.0 - level) / all.len() as f64)?;
            let row = names.of(&numbers.names[model as usize]).map(|(name, maker)| {
                let (waves, answers) = self.rated(model);
                BoardModel {
                    name,
                    maker,
                    waves,
                    answers,
                    value: value.estimate(),
                    low: interval.lower,
                    high: interval.upper,
                    best_rank: set.best as u64,
                    worst_rank: set.worst as u64,
                    history: self.history.get(&model).cloned().unwrap_or_default(),
                }
            });
            let order = if wanted.higher_is_better { -value.estimate() } else { value.estimate() };
            rows.push((order, Placed { model, may_be_first: set.best == 1, row }));
        }
        rows.sort_by(|left, right| left.0.total_cmp(&right.0));
        Ok(rows.into_iter().map(|(_, placed)| placed).collect())
    }

    fn rated(&self, model: u32) -> (Vec<u32>, u64) {
        let linked = self.steps.iter().filter(|step| step.linked).zip(&self.linked);
        let (mut waves, mut answers) = (Vec::new(), 0);
        for (step, found) in linked {
            if let Ok(at) = found.wave.models().binary_search(&model) {
                waves.push(step.wave);
                answers += found.answers[at];
            }
        }
        (waves, answers)
    }

    fn first_place(
        &self,
        board: &Linked,
        models: &[Placed],
        numbers: &Numbers,
        names: &ShownNames<'_>,
    ) -> Result<Option<FirstPlace>, StatError> {
        let [Placed { model: first, .. }, Placed { model: second, .. }, ..] = models else { return Ok(None) };
        let Ok(lead) = board.difference(*first, *second) else { return Ok(None) };
        let waves: Vec<&Estimated> = self.linked.iter().collect();
        let found = fewest(board, &waves, [*first, *second], lead.estimate())?;
        let name = |model: u32| names.shown(&numbers.names[model as usize]);
        Ok(Some(FirstPlace {
            first: name(*first),
            second: name(*second),
            answers: found.votes,
            of_answers: waves.iter().map(|wave| wave.all_answers).sum(),
            raters: found.raters,
            of_raters: waves.iter().map(|wave| wave.wave.raters() as u64).sum(),
        }))
    }

    /// The models that only waves apart rated, with their ranks in those.
    fn within(
        &self,
        wanted: &Wanted,
        numbers: &Numbers,
        names: &ShownNames<'_>,
    ) -> Result<Vec<BoardModel>, StatError> {
        let mut rows = Vec::new();
        for (&model, (number, found)) in &self.apart {
            if self.board.as_ref().is_some_and(|board| board.models().contains(&model)) {
                continue;
            }
            let alone = Linked::new(found.wave.clone())?;
            let chain = Self {
                board: None,
                linked: vec![found.copied()],
                steps: vec![],
                history: BTreeMap::new(),
                apart: BTreeMap::new(),
                favours: Favours::default(),
            };
            for placed in chain.models(&alone, wanted, 1, numbers, names)? {
                if let Some(mut row) = placed.row.filter(|_| placed.model == model) {
                    row.waves = vec![*number];
                    row.answers = found.wave.models().binary_search(&model).map_or(0, |at| found.answers[at]);
                    rows.push(row);
                }
            }
        }
        Ok(rows)
    }
}

/// A model of linked waves.
struct Placed {
    model: u32,
    may_be_first: bool,
    /// Nothing for a private model.
    row: Option<BoardModel>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl BoardStep {
    fn note(&mut self, agreement: Option<AnchorAgreement>, numbers: &Numbers, names: &ShownNames<'_>) {
        let Some(agreement) = agreement else {
            self.linked = false;
            return;
        };
        self.linked = agreement.is_linked;
        self.p = agreement.farthest.map(|_| agreement.p);
        self.farthest = agreement.farthest.map(|far| LostAnchor {
            model: names.shown(&numbers.names[far.model as usize]),
            shift: far.shift,
            p: far.p,
        });
    }
}

impl BoardWave {
    fn of(names: &ShownNames<'_>, wave: &WaveRecord, released: &Released) -> Self {
        let all = |aliases: &[String]| aliases.iter().filter_map(|alias| Some(names.of(alias)?.0)).collect();
        Self {
            number: wave.number,
            date: wave.closed.clone().unwrap_or_default(),
            raters: released.raters.len() as u64,
            anchors: all(&wave.anchors),
            new: all(&wave.new),
            package: wave.files.get("datapackage.json").cloned().unwrap_or_default(),
        }
    }
}
