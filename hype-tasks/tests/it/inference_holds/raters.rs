//! Answers that are missing by what they would have been, numbers of answers that depend on values, raters who are excluded, and a rater
//! who always gives the same answer: tests hold or are withheld, warnings say so, and honest studies rarely see them.

use hype_analyses::aggregators::ByModel;
use hype_analyses::aggregators::agreement::RaterAgreement;
use hype_analyses::aggregators::contrast::PairedPreferences;
use hype_analyses::aggregators::grades::GradedPreferences;
use hype_analyses::aggregators::ranking::RankingOfModels;
use hype_core::model::findings::{Exclusion, GeneralizeTo};
use hype_core::model::score::Row;
use hype_core::plugin::aggregator::Aggregation;
use hype_core::study::analysis::Aggregating;
use hype_core::{Aggregated, AggregatorSpec, RaterDesign, ScoreTable, Streams};

use super::grades::grade_of;
use super::studies::{Names, Share, Source, context};
use crate::proof;

/// The numbers of raters of all tables.
const RATERS: [usize; 4] = [3, 5, 10, 30];

fn analyse(
    by: &dyn AggregatorSpec,
    context: &Aggregation,
    table: &ScoreTable,
    exclusions: &[Exclusion],
) -> Option<Aggregated> {
    let mut sums = Aggregating::begin(&[by.boxed_clone()], context);
    sums.add(table).unwrap();
    sums.findings(exclusions, &Streams::new(0)).ok()
}

/// How often something is found.
#[derive(Default)]
struct Found {
    /// A pair differs at the level 5 %.
    rejects: Share,
    /// There is a note of the code.
    noted: Share,
    /// Estimates of models whose intervals cover the truth.
    covers: Share,
}

impl Found {
    /// Analyses studies of equal models with the truth.
    fn of(studies: u32, code: &str, truth: f64, mut study: impl FnMut() -> Option<Aggregated>) -> Self {
        let mut all = Self::default();
        for _ in 0..studies {
            let Some(found) = study() else { continue };
            all.noted.count(found.notes.iter().any(|note| &*note.code == code));
            let Some(first) = found.measures.first() else { continue };
            all.rejects.count(first.comparisons.iter().any(|pair| pair.p.is_some_and(|p| p <= 0.05)));
            for range in first.estimates.iter().filter_map(|one| one.interval.as_ref()) {
                all.covers.count(range.low <= truth && truth <= range.high);
            }
        }
        all
    }

    fn print(&self, cell: &[&str]) {
        let found = [self.rejects.cell(), self.noted.cell(), self.covers.cell()];
        proof::row(&[cell, &found.each_ref().map(String::as_str)].concat());
    }

    #[track_caller]
    fn rejects_at_most(&self, percent: f64, cell: &str) {
        let found = self.rejects.percent();
        assert!(found <= percent + self.rejects.slack(percent), "{cell}: {found} % reject");
    }

    #[track_caller]
    fn noted_at_most(&self, percent: f64, cell: &str) {
        let found = self.noted.percent();
        assert!(found <= percent + self.noted.slack(percent), "{cell}: {found} % noted");
    }

    #[track_caller]
    fn noted_at_least(&self, percent: f64, cell: &str) {
        let found = self.noted.percent();
        assert!(found >= percent - self.noted.slack(percent), "{cell}: {found} % noted");
    }
}

/// Which answers are lost.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Lost {
    /// With this probability, those about the first model whose noise is below minus a half.
    IfBad(f64),
    /// Any with this probability.
    AtRandom(f64),
    /// Those of a rater with a probability of up to this, of the rater's own.
    ByRater(f64),
    /// None; this share was asked for.
    Unassigned(f64),
}

/// The kind of question.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Scores,
    /// One model for each rater.
    Between,
    /// 1 for a value above 0.
    Shares,
    Votes,
    Grades,
    Orders,
}

/// One design of a table.
#[derive(Debug, Clone, Copy)]
struct Design {
    kind: Kind,
    models: usize,
    items: usize,
    /// Standard deviations of raters, of their tastes and of noise.
    spreads: [f64; 3],
    target: GeneralizeTo,
}

impl Design {
    fn by(self) -> Box<dyn AggregatorSpec> {
        match self.kind {
            Kind::Scores | Kind::Between | Kind::Shares => Box::new(ByModel::default()),
            Kind::Votes => Box::new(PairedPreferences::default()),
            Kind::Grades => Box::new(GradedPreferences::default()),
            Kind::Orders => Box::new(RankingOfModels::default()),
        }
    }

    fn context(self) -> Aggregation {
        let (unit, design) = match self.kind {
            Kind::Scores => (("score", ""), RaterDesign::Within),
            Kind::Between => (("score", ""), RaterDesign::Between),
            Kind::Shares => (("score", "proportion"), RaterDesign::Within),
            Kind::Votes => (("preference", "proportion"), RaterDesign::Within),
            Kind::Grades => (("grade", "grades"), RaterDesign::Within),
            Kind::Orders => (("rank", ""), RaterDesign::Within),
        };
        context(&[unit], design, self.target)
    }

    fn truth(self) -> f64 {
        match self.kind {
            Kind::Shares => 0.5,
            // Mean ranks are among the models that were ranked.
            Kind::Orders => f64::NAN,
            _ => 0.0,
        }
    }
}

/// One study of equal models, some of whose answers are lost.
fn with_losses(design: Design, raters: usize, lost: Lost, names: &Names, source: &mut Source) -> ScoreTable {
    let Design { kind, models, items, spreads: [of_raters, tastes, noise], .. } = design;
    let all = if kind == Kind::Between { raters * models } else { raters };
    let lenient = source.normals(all, of_raters);
    let tastes = source.table(all, models, tastes);
    let mut table = ScoreTable::default();
    for rater in 0..all {
        let own = source.unit();
        for item in 0..items {
            let noises = source.normals(models, noise);
            let value = |model: usize| lenient[rater] + tastes[rater][model] + noises[model];
            let mut add = |row: Row<'_>, is_bad: bool| {
                let (is_lost, is_asked) = match lost {
                    Lost::IfBad(probability) => (is_bad && source.happens(probability), true),
                    Lost::AtRandom(probability) => (source.happens(probability), true),
                    Lost::ByRater(most) => (source.happens(own * most), true),
                    Lost::Unassigned(share) => (false, source.happens(share)),
                };
                match (is_asked, is_lost) {
                    (true, true) => table.push_missing(&row),
                    (true, false) => table.push(&row),
                    (false, _) => {}
                }
            };
            match kind {
                Kind::Scores | Kind::Shares | Kind::Between => {
                    for model in (0..models).filter(|model| kind != Kind::Between || rater % models == *model)
                    {
                        let score = match kind {
                            Kind::Shares if value(model) > 0.0 => 1.0,
                            Kind::Shares => 0.0,
                            _ => value(model),
                        };
                        let is_bad = model == 0 && noises[0] < -0.5 * noise;
                        add(names.row([rater, model], Some(item), "score", score), is_bad);
                    }
                }
                Kind::Votes | Kind::Grades => {
                    let first = (source_of(rater, item) + item) % models;
                    let pair = [first, (first + 1) % models];
                    let latent = value(pair[0]) - value(pair[1]);
                    let is_bad = (pair[0] == 0 && latent < 0.0) || (pair[1] == 0 && latent > 0.0);
                    if kind == Kind::Votes {
                        add(names.vote(rater, pair, item, latent > 0.0), is_bad);
                    } else {
                        add(names.compared(rater, pair, item, "grade", grade_of(2.0 * latent)), is_bad);
                    }
                }
                Kind::Orders => {
                    let values: Vec<f64> = (0..models).map(value).collect();
                    for model in 0..models {
                        let rank = 1 + values.iter().filter(|other| **other > values[model]).count();
                        let is_bad = model == 0 && rank == models;
                        add(names.row([rater, model], Some(item), "rank", rank as f64), is_bad);
                    }
                }
            }
        }
    }
    table
}

/// Where a rater begins with the pairs.
const fn source_of(rater: usize, item: usize) -> usize {
    rater * 7 + item / 3
}

fn check_losses(design: Design, raters: usize, lost: Lost, studies: u32) {
    let cell = format!("losses: {design:?}, {raters} raters, {lost:?}");
    let mut source = Source::new(&cell);
    let names = Names::new(raters * design.models, design.models, design.items);
    let (by, context) = (design.by(), design.context());
    let found = Found::of(studies, "unequal-losses", design.truth(), || {
        let table = with_losses(design, raters, lost, &names, &mut source);
        analyse(&*by, &context, &table, &[])
    });
    let Design { kind, models, items, spreads, target } = design;
    let of = format!("{kind:?}, {models} models, {items} items, sd {spreads:?}, {}", target.name());
    found.print(&[&of, &raters.to_string(), &format!("{lost:?}")]);
    found.rejects_at_most(6.0, &cell);
    if !matches!(lost, Lost::IfBad(_)) {
        found.noted_at_most(5.0, &cell);
    }
}

#[test]
fn answers_lost_by_their_value() {
    use GeneralizeTo::{Raters, RatersAndItems};
    let design = |kind, models, items, spreads, target| Design { kind, models, items, spreads, target };
    let designs = [
        design(Kind::Scores, 2, 20, [0.5, 0.3, 1.0], Raters),
        design(Kind::Scores, 2, 8, [1.0, 0.1, 1.0], Raters),
        design(Kind::Scores, 3, 40, [0.5, 0.6, 1.0], RatersAndItems),
        design(Kind::Between, 2, 30, [0.3, 0.0, 1.0], Raters),
        design(Kind::Shares, 2, 30, [0.3, 0.2, 1.0], Raters),
        design(Kind::Votes, 3, 60, [0.0, 0.3, 1.0], Raters),
        design(Kind::Grades, 3, 60, [0.0, 0.3, 1.0], Raters),
        design(Kind::Orders, 3, 20, [0.0, 0.3, 1.0], Raters),
    ];
    let lost =
        [Lost::IfBad(0.9), Lost::IfBad(0.4), Lost::AtRandom(0.1), Lost::ByRater(0.4), Lost::Unassigned(0.5)];
    let small = designs[..1].iter().flat_map(|&design| lost.map(|lost| (design, 5, lost)));
    let all = designs.iter().flat_map(|&design| {
        RATERS.into_iter().flat_map(move |raters| lost.map(|lost| (design, raters, lost)))
    });
    for (design, raters, lost) in proof::sized(small.collect::<Vec<_>>(), all.collect()) {
        check_losses(design, raters, lost, proof::sized(40, 1_000));
    }
}

/// How the number of a rater's answers depends on the values.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Numbers {
    /// Up to 40, the more the higher the rate of the rater.
    ByRate,
    /// From 4 to 40, the fewer the longer the rater takes, which is half the value.
    ByLeniency,
    /// From 4 to 40, without a relation.
    AtRandom,
    /// All the same.
    Equal,
}

fn check_numbers(raters: usize, numbers: Numbers, unit: &str, target: GeneralizeTo, studies: u32) {
    let cell = format!("numbers of answers: {raters} raters, {numbers:?}, {unit:?}, {target:?}");
    let mut source = Source::new(&cell);
    let names = Names::new(raters, 2, 40);
    let context = context(&[("score", unit)], RaterDesign::Within, target);
    let truth = if unit.is_empty() { 0.0 } else { 0.5 };
    let found = Found::of(studies, "informative-numbers", truth, || {
        let mut table = ScoreTable::default();
        for rater in 0..raters {
            let taste = source.normal();
            let quantile = 1.0 / (1.0 + (-1.7 * taste).exp());
            let share = match numbers {
                Numbers::ByRate => quantile,
                Numbers::ByLeniency => 1.0 / (1.0 + (-1.7 * (0.5 * taste + 0.87 * source.normal())).exp()),
                Numbers::AtRandom => source.unit(),
                Numbers::Equal => 0.5,
            };
            let answers = 4 + (36.0 * share) as usize;
            for model in 0..2 {
                for item in 0..answers {
                    let score = match unit {
                        "" => taste + source.normal(),
                        _ => f64::from(u8::from(source.happens(0.5 + 0.3 * (2.0 * quantile - 1.0)))),
                    };
                    table.push(&names.row([rater, model], Some(item), "score", score));
                }
            }
        }
        analyse(&ByModel::default(), &context, &table, &[])
    });
    found.print(&[&raters.to_string(), &format!("{numbers:?}"), unit, target.name()]);
    match numbers {
        Numbers::AtRandom | Numbers::Equal => found.noted_at_most(5.0, &cell),
        Numbers::ByRate if raters >= 10 => found.noted_at_least(80.0, &cell),
        Numbers::ByRate | Numbers::ByLeniency => {}
    }
}

#[test]
fn numbers_of_answers_that_depend_on_values() {
    let designs = [
        ("", GeneralizeTo::Raters),
        ("proportion", GeneralizeTo::Raters),
        ("", GeneralizeTo::RatersAndItems),
    ];
    let numbers = [Numbers::ByRate, Numbers::ByLeniency, Numbers::AtRandom, Numbers::Equal];
    let all = RATERS.into_iter().flat_map(|raters| {
        numbers.into_iter().flat_map(move |numbers| designs.map(|design| (raters, numbers, design)))
    });
    let small = vec![(10, Numbers::ByRate, designs[0]), (10, Numbers::AtRandom, designs[1])];
    for (raters, numbers, (unit, target)) in proof::sized(small, all.collect()) {
        check_numbers(raters, numbers, unit, target, proof::sized(40, 2_000));
    }
}

/// Who is excluded.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Excluded {
    /// A quarter, whose values are higher by so many standard deviations of raters.
    Differing(f64),
    /// The quarter of those who err most on 10 other trials.
    ByErrors,
    /// A quarter at random.
    AtRandom,
}

fn check_excluded(raters: usize, excluded: Excluded, design: RaterDesign, is_skewed: bool, studies: u32) {
    let cell = format!("excluded raters: {raters} raters, {excluded:?}, {design:?}, skewed {is_skewed}");
    let mut source = Source::new(&cell);
    // So many count; a third as many more are excluded.
    let all = raters + raters.div_ceil(3);
    let names = Names::new(all, 2, 10);
    let context = context(&[("score", "")], design, GeneralizeTo::Raters);
    let found = Found::of(studies, "excluded-differ", 0.0, || {
        let mut table = ScoreTable::default();
        let mut errors: Vec<(f64, usize)> = Vec::new();
        let mut means = source.normals(all, 1.0);
        for (rater, mean) in means.iter_mut().enumerate() {
            errors.push((
                if excluded == Excluded::ByErrors { *mean + source.normal() } else { source.unit() },
                rater,
            ));
        }
        errors.sort_by(|a, b| b.0.total_cmp(&a.0));
        let out: Vec<usize> = errors[..all - raters].iter().map(|(_, rater)| *rater).collect();
        for (rater, mean) in means.iter_mut().enumerate() {
            if let Excluded::Differing(by) = excluded
                && out.contains(&rater)
            {
                *mean += by;
            }
            let mean = if is_skewed { mean.exp() } else { *mean };
            for model in (0..2).filter(|model| design == RaterDesign::Within || rater % 2 == *model) {
                for item in 0..10 {
                    table.push(&names.row([rater, model], Some(item), "score", mean + 0.5 * source.normal()));
                }
            }
        }
        let exclusion = |&rater: &usize| Exclusion {
            rater: names.rater(rater).into(),
            rule: "gold".into(),
            reason: "".into(),
        };
        let exclusions: Vec<Exclusion> = out.iter().map(exclusion).collect();
        analyse(&ByModel::default(), &context, &table, &exclusions)
    });
    found.print(&[
        &raters.to_string(),
        &format!("{excluded:?}"),
        &format!("{design:?}"),
        &is_skewed.to_string(),
    ]);
    match excluded {
        Excluded::AtRandom => found.noted_at_most(5.0, &cell),
        Excluded::Differing(_) if raters >= 30 && !is_skewed => found.noted_at_least(80.0, &cell),
        Excluded::Differing(_) | Excluded::ByErrors => {}
    }
}

#[test]
fn raters_who_are_excluded() {
    let kinds = [Excluded::Differing(1.5), Excluded::ByErrors, Excluded::AtRandom];
    let all = RATERS.into_iter().flat_map(|raters| {
        kinds.into_iter().flat_map(move |kind| {
            [(RaterDesign::Within, false), (RaterDesign::Within, true), (RaterDesign::Between, false)]
                .map(|(design, is_skewed)| (raters, kind, design, is_skewed))
        })
    });
    let small = vec![
        (30, Excluded::Differing(1.5), RaterDesign::Within, false),
        (5, Excluded::AtRandom, RaterDesign::Within, true),
    ];
    for (raters, excluded, design, is_skewed) in proof::sized(small, all.collect()) {
        check_excluded(raters, excluded, design, is_skewed, proof::sized(40, 2_000));
    }
}

/// How raters answer.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Answers {
    /// Grades from 1 to 5; raters' means have this standard deviation, and so have the shifts of the second model.
    Grades(f64),
    /// 0 or 1, at rates of raters with the distribution beta(2, 2), whose answers have a correlation of 0.2.
    Varying,
    /// 0 or 1 at a rate of 0.2.
    Rare,
    /// Numbers without a limit.
    Numbers,
}

fn check_same(
    raters: usize,
    answers: Answers,
    has_constant: bool,
    code: &str,
    shift: f64,
    studies: u32,
) -> Found {
    let cell = format!("same answers: {raters} raters, {answers:?}, {has_constant}, {code}, {shift}");
    let mut source = Source::new(&cell);
    let names = Names::new(raters, 2, 20);
    let unit = if matches!(answers, Answers::Varying | Answers::Rare) { "proportion" } else { "" };
    let context = context(&[("score", unit)], RaterDesign::Within, GeneralizeTo::Raters);
    let found = Found::of(studies, code, f64::NAN, || {
        let mut table = ScoreTable::default();
        for rater in 0..raters {
            let mean = source.normal();
            let mut rates = [source.unit(), source.unit(), source.unit()];
            rates.sort_by(f64::total_cmp);
            let taste = source.normal();
            for model in 0..2 {
                let better = if model == 0 { shift } else { 0.0 };
                for item in 0..20 {
                    let score = match answers {
                        _ if has_constant && rater == 0 => 3.0,
                        Answers::Grades(sd) => {
                            let own = if model == 0 { sd * taste } else { 0.0 };
                            (3.0 + sd * mean + own + better + source.normal()).round().clamp(1.0, 5.0)
                        }
                        Answers::Varying => f64::from(u8::from(source.happens(rates[1]))),
                        Answers::Rare => f64::from(u8::from(source.happens(0.2))),
                        Answers::Numbers => mean + better + source.normal(),
                    };
                    table.push(&names.row([rater, model], Some(item), "score", score));
                }
            }
        }
        analyse(&ByModel::default(), &context, &table, &[])
    });
    found.print(&[
        &raters.to_string(),
        &format!("{answers:?}"),
        &has_constant.to_string(),
        code,
        &shift.to_string(),
    ]);
    match (has_constant, code) {
        (true, "same-answers") => found.noted_at_least(90.0, &cell),
        (false, _) if shift <= 0.0 => found.noted_at_most(5.0, &cell),
        _ => {}
    }
    found
}

#[test]
fn a_rater_who_always_gives_the_same_answer() {
    let kinds = [Answers::Grades(0.3), Answers::Grades(0.8), Answers::Numbers];
    let honest = [kinds.as_slice(), &[Answers::Varying, Answers::Rare]].concat();
    let studies = proof::sized(60, 2_000);
    for raters in proof::sized(vec![3], RATERS.to_vec()) {
        for &kind in &kinds {
            check_same(raters, kind, true, "same-answers", 0.0, studies);
        }
        for &kind in &honest {
            check_same(raters, kind, false, "same-answers", 0.0, studies);
        }
    }
}

#[test]
fn a_rater_who_decides_the_conclusion() {
    for raters in proof::sized(vec![5], vec![5, 10, 30]) {
        for shift in [0.0, 0.4] {
            for kind in [Answers::Grades(0.3), Answers::Grades(0.8)] {
                for has_constant in [true, false] {
                    let studies = proof::sized(60, 2_000);
                    check_same(raters, kind, has_constant, "without-rater", shift, studies);
                }
            }
        }
    }
}

/// How often a rater is named whose removal changes the conclusion from votes, grades or orders of equal models.
#[test]
fn a_rater_who_decides_votes_grades_and_orders() {
    let design = |kind, models, target| Design { kind, models, items: 30, spreads: [0.0, 0.5, 1.0], target };
    for raters in proof::sized(vec![5], vec![5, 10, 30]) {
        for kind in [Kind::Votes, Kind::Grades, Kind::Orders] {
            for models in [2, 3] {
                for target in [GeneralizeTo::Raters, GeneralizeTo::RatersAndItems] {
                    let design = design(kind, models, target);
                    let cell = format!("decides: {design:?}, {raters} raters");
                    let mut source = Source::new(&cell);
                    let names = Names::new(raters, models, design.items);
                    let (by, context) = (design.by(), design.context());
                    let found = Found::of(proof::sized(90, 2_000), "without-rater", f64::NAN, || {
                        let all = Lost::Unassigned(1.0);
                        analyse(&*by, &context, &with_losses(design, raters, all, &names, &mut source), &[])
                    });
                    let of = format!("{kind:?}, {models} models, {}", target.name());
                    found.print(&[&of, &raters.to_string()]);
                    found.noted_at_most(5.0, &cell);
                }
            }
        }
    }
}

/// Raters of the same items.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Careful {
    /// The logarithms of their errors' standard deviations have this one.
    All(f64),
    /// One of them answers at random.
    AllButOne,
    /// One of them always gives the middle.
    AllButTheMiddle,
}

/// How often a rater is named whose removal changes the agreement of the others.
#[test]
fn the_rater_who_disturbs_agreement_is_named() {
    let items = 60;
    let kinds = [Careful::All(0.0), Careful::All(0.3), Careful::AllButOne, Careful::AllButTheMiddle];
    for raters in proof::sized(vec![3, 5], RATERS.to_vec()) {
        for kind in kinds {
            let cell = format!("agreement without a rater: {kind:?}, {raters} raters");
            let mut source = Source::new(&cell);
            let names = Names::new(raters, 1, items);
            let context = context(&[("score", "")], RaterDesign::Within, GeneralizeTo::Raters);
            let found = Found::of(proof::sized(60, 1_000), "without-rater", f64::NAN, || {
                let qualities = source.normals(items, 1.0);
                let mut table = ScoreTable::default();
                for rater in 0..raters {
                    let spread = if let Careful::All(sd) = kind { (sd * source.normal()).exp() } else { 1.0 };
                    for (item, quality) in qualities.iter().enumerate() {
                        let noise = 0.7 * spread * source.normal();
                        let grade = match kind {
                            Careful::AllButTheMiddle if rater == 0 => 0.0,
                            Careful::AllButOne if rater == 0 => 1.2 * source.normal(),
                            _ => quality + noise,
                        };
                        let grade = (3.0 + grade).round().clamp(1.0, 5.0);
                        table.push(&names.row([rater, 0], Some(item), "score", grade));
                    }
                }
                analyse(&RaterAgreement::default(), &context, &table, &[])
            });
            found.print(&[&format!("{kind:?}"), &raters.to_string()]);
            match kind {
                Careful::All(_) => found.noted_at_most(5.0, &cell),
                Careful::AllButTheMiddle => found.noted_at_least(95.0, &cell),
                Careful::AllButOne if raters == 10 => found.noted_at_least(80.0, &cell),
                Careful::AllButOne => {}
            }
        }
    }
}
