//! Estimates of a wave's models: one mechanism for votes, shares of errors, thresholds and ratings.

use std::collections::{BTreeMap, BTreeSet};

use hype_stats::StatError;
use hype_stats::clustered::Target;
use hype_stats::link::Wave;
use hype_stats::preference::{
    BradleyTerry, CellVotes, ClusteredComparisons, ComparisonOutcome, PreferenceFit, Ties,
};

use crate::released::{ALONE, Released, ScoreLine};

/// The penalty on strengths where a model won or lost all of its votes, which keeps them finite.
const RIDGE: f64 = 0.05;

/// The fewest raters of a model whose answers tell the error of its mean.
const FEWEST_RATERS: usize = 3;

/// The numbers of models over all waves, and of people.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    models: BTreeMap<String, u32>,
    pub(crate) names: Vec<String>,
    people: BTreeMap<String, u32>,
    next_person: u32,
}

impl Numbers {
    pub(crate) fn model(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.models.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.models.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }

    /// A person by name, or a new one.
    pub(crate) fn person(&mut self, name: Option<&String>) -> u32 {
        let number = name.and_then(|name| self.people.get(name)).copied().unwrap_or(self.next_person);
        if number == self.next_person {
            self.next_person += 1;
            if let Some(name) = name {
                self.people.insert(name.clone(), number);
            }
        }
        number
    }
}

/// The estimates of one measure in one wave.
#[derive(Debug)]
pub(crate) struct Estimated {
    pub(crate) wave: Wave,
    pub(crate) is_votes: bool,
    /// Answers about each model, in the order of the wave's models.
    pub(crate) answers: Vec<u64>,
    pub(crate) all_answers: u64,
    pub(crate) from: Material,
    /// The contribution of each rater, by rows.
    pub(crate) contributions: Vec<f64>,
}

impl Estimated {
    /// The estimates without single answers.
    pub(crate) fn copied(&self) -> Self {
        Self {
            wave: self.wave.clone(),
            is_votes: self.is_votes,
            answers: self.answers.clone(),
            all_answers: self.all_answers,
            from: Material::Values(Vec::new()),
            contributions: Vec::new(),
        }
    }
}

/// The answers, as far as single ones matter.
#[derive(Debug)]
pub(crate) enum Material {
    /// Votes between two places of the wave's models, with the fit.
    Votes(Vec<CellVotes>, PreferenceFit),
    /// For each answer: the place of its model, and what it adds to the estimate.
    Values(Vec<(u32, f64)>),
}

/// The estimates of a measure from the answers that count; `None` if the wave does not have it or it compares fewer than two models.
pub(crate) fn estimated(
    released: &Released,
    measure: &str,
    counts: &dyn Fn(&ScoreLine) -> bool,
    numbers: &mut Numbers,
    people: &[u32],
) -> Result<Option<Estimated>, StatError> {
    let Some(measure) = released.measures.iter().position(|name| name == measure) else { return Ok(None) };
    let mut lines: Vec<&ScoreLine> = released
        .lines
        .iter()
        .filter(|line| line.measure == measure as u32 && !released.models[line.model as usize].is_empty())
        .filter(|line| counts(line))
        .collect();
    let is_votes = lines.iter().any(|line| line.against != ALONE);
    if !is_votes {
        let mut raters: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        lines.iter().for_each(|line| {
            raters.entry(line.model).or_default().insert(line.rater);
        });
        lines.retain(|line| raters[&line.model].len() >= FEWEST_RATERS);
    }
    // In the order of their numbers over all waves, as waves have them.
    let mut models: Vec<(u32, u32)> = lines
        .iter()
        .flat_map(|line| [line.model, line.against])
        .filter(|model| *model != ALONE)
        .collect::<BTreeSet<u32>>()
        .into_iter()
        .map(|model| (numbers.model(&released.models[model as usize]), model))
        .collect();
    models.sort_unstable();
    let raters: BTreeSet<u32> = lines.iter().map(|line| line.rater).collect();
    if models.len() < 2 || raters.len() < 2 {
        return Ok(None);
    }
    let mut place = vec![0_u32; released.models.len()];
    for (at, &(_, model)) in models.iter().enumerate() {
        place[model as usize] = at as u32;
    }
    let mut answers = vec![0; models.len()];
    for line in &lines {
        answers[place[line.model as usize] as usize] += 1;
        if line.against != ALONE {
            answers[place[line.against as usize] as usize] += 1;
        }
    }
    let raters: Vec<u32> = raters.into_iter().collect();
    let found = if is_votes {
        votes(&lines, &place, models.len())?
    } else {
        means(&lines, &place, models.len(), &raters)
    };
    let Found { estimates, contributions, lacking, from } = found;
    let numbers: Vec<u32> = models.iter().map(|(number, _)| *number).collect();
    let people: Vec<u32> = raters.iter().map(|&rater| people[rater as usize]).collect();
    let wave = Wave::new(&numbers, &estimates, &people, &contributions)?.with_more(&lacking)?;
    Ok(Some(Estimated { wave, is_votes, answers, all_answers: lines.len() as u64, from, contributions }))
}

/// The models of a wave by its answers.
struct Found {
    estimates: Vec<f64>,
    /// The contribution of each rater, by rows.
    contributions: Vec<f64>,
    /// The variance of each model that contributions do not show.
    lacking: Vec<f64>,
    from: Material,
}

/// Strengths of Bradley and Terry's model, with ties as half wins. Where a model won or lost all of its votes, raters hardly differ, and
/// no error is smaller than that of single votes.
fn votes(lines: &[&ScoreLine], place: &[u32], models: usize) -> Result<Found, StatError> {
    let mut counts: BTreeMap<(u32, u32, u32), [u64; 3]> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.against != ALONE) {
        let outcome = if line.value > 0.5 { 0 } else { 1 + usize::from((line.value - 0.5).abs() < 1e-9) };
        let key = (line.rater, place[line.model as usize], place[line.against as usize]);
        counts.entry(key).or_default()[outcome] += 1;
    }
    let mut table = ClusteredComparisons::new(models)?;
    let mut cells = Vec::with_capacity(counts.len());
    for ((rater, first, second), counts) in counts {
        for (outcome, &count) in ComparisonOutcome::ALL.iter().zip(&counts) {
            for _ in 0..count {
                table.add(&[rater], &[first], &[second], &[*outcome])?;
            }
        }
        cells.push(CellVotes { rater, item: 0, first, second, counts });
    }
    let model = BradleyTerry::new(Ties::Half);
    let (fit, is_separated) = match model.fit(table.table()) {
        Err(StatError::Separated { .. }) => (model.with_ridge(RIDGE)?.fit(table.table())?, true),
        other => (other?, false),
    };
    let clustered = fit.crossed(cells.iter().copied(), Target::Raters)?;
    let columns: Vec<Vec<f64>> = (0..models).filter_map(|model| clustered.of_raters(model)).collect();
    let raters = columns.first().map_or(0, Vec::len);
    let contributions =
        (0..raters).flat_map(|rater| columns.iter().map(move |column| column[rater])).collect();
    let lacks = |(model, column): (usize, &Vec<f64>)| {
        let squares: f64 = column.iter().map(|own| own * own).sum();
        let shown = squares * raters as f64 / (raters as f64 - 1.0);
        (fit.covariance.of(model, model) - shown).max(0.0)
    };
    let lacking = match is_separated {
        true => columns.iter().enumerate().map(lacks).collect(),
        false => vec![0.0; models],
    };
    Ok(Found { estimates: fit.theta.clone(), contributions, lacking, from: Material::Votes(cells, fit) })
}

/// Means over raters of their means.
fn means(lines: &[&ScoreLine], place: &[u32], models: usize, raters: &[u32]) -> Found {
    let mut sums = vec![(0.0, 0.0); raters.len() * models];
    let cell = |line: &ScoreLine| {
        let rater = raters.partition_point(|rater| *rater < line.rater);
        rater * models + place[line.model as usize] as usize
    };
    for line in lines {
        let (sum, count) = &mut sums[cell(line)];
        *sum += line.value;
        *count += 1.0;
    }
    let mut estimates = vec![0.0; models];
    let mut who = vec![0.0; models];
    for (at, (sum, count)) in sums.iter().enumerate().filter(|(_, (_, count))| *count > 0.0) {
        estimates[at % models] += sum / count;
        who[at % models] += 1.0;
    }
    estimates.iter_mut().zip(&who).for_each(|(sum, who)| *sum /= who);
    let contributions = sums
        .iter()
        .enumerate()
        .map(|(at, (sum, count))| {
            let model = at % models;
            if *count > 0.0 { (sum / count - estimates[model]) / who[model] } else { 0.0 }
        })
        .collect();
    let values = lines
        .iter()
        .map(|line| {
            let (at, model) = (cell(line), place[line.model as usize]);
            (model, (line.value - estimates[model as usize]) / (who[model as usize] * sums[at].1))
        })
        .collect();
    Found { estimates, contributions, lacking: vec![0.0; models], from: Material::Values(values) }
}
