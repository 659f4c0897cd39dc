//! The expectations of `hype plan` agree with studies of the same design, each collected through the session machine and
//! analysed by itself: three designs in `./test`, and twenty in `cargo xtask prove plan`.

#![allow(clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use hype::backends::Local;
use hype::core::study::backend::Unwatched;
use hype::core::{Backend as _, ConditionKind, Findings, Spec, Stimuli, Study, analyse};
use hype::plan::{Chance, Outlook, PlanOptions, StudyPlan, plan};
use hype::sim::fixtures;
use hype::store::MemoryStore;

use crate::proof;

/// Studies of each design, in `./test` and in the proof; a plan without closed forms simulates as many by itself.
const STUDIES: [u32; 2] = [60, 500];
/// Synthetic raters of each model, who give a plan its means and spreads.
const COHORT: [u32; 2] = [600, 10_000];
/// The accepted distance in Monte-Carlo standard errors: with new seeds one of some thousand numbers is farther away by chance.
const ERRORS: f64 = 4.5;
/// Further tolerance for closed forms, as raters' values are not quite normal: probabilities, and widths as a share.
const NORMAL: [f64; 2] = [0.025, 0.02];

struct Design {
    name: &'static str,
    /// The spec from `task` on, without raters and observers.
    spec: &'static str,
    models: &'static [&'static str],
    /// Settings of the observers, in the order of the models.
    observers: &'static [&'static str],
    /// Further settings of the population.
    population: &'static str,
    /// How raters are asked for, in which `N` stands for their number.
    asked: &'static str,
    raters: u32,
    images: Images,
}

#[derive(Clone, Copy)]
enum Images {
    /// So many real images, and as many of each model.
    WithReal(u32),
    /// So many items with an output of each model and all kinds of conditions.
    Items(u32),
    /// Items without a prompt.
    Sources(u32),
}

impl Images {
    fn of(self, models: &[&str]) -> Stimuli {
        use ConditionKind::{Control, Instruction, Mask, Prompt, Source, Subject};
        match self {
            Self::WithReal(size) => {
                fixtures::stimuli(size, &models.iter().map(|&name| (name, size)).collect::<Vec<_>>())
            }
            Self::Items(items) => fixtures::items(
                items,
                models,
                &[Prompt, Instruction, Source, Mask, Subject, Subject, Control],
            ),
            Self::Sources(items) => fixtures::items(items, models, &[Source]),
        }
    }
}

const PER_MODEL: &str = "raters: { per_model: N, qualification: null, payment: null }";
const PER_ITEM: &str = "raters: { per_item: N }";
const ERRORS_OF_THREE: [&str; 3] = [
    "untimed: { fakes_error: 0.45, reals_error: 0.35 }",
    "untimed: { fakes_error: 0.4, reals_error: 0.32 }",
    "untimed: { fakes_error: 0.25, reals_error: 0.25 }",
];
const THRESHOLDS: [&str; 3] = ["threshold_ms: 400", "threshold_ms: 330", "threshold_ms: 200"];
const QUALITIES: [&str; 3] = ["quality: 0.62", "quality: 0.57", "quality: 0.4"];
const THREE: &[&str] = &["a", "b", "c"];
const TWO: &[&str] = &["a", "b"];
const PEOPLE: &str = "rater_sd: 0.3\n  quality: { rater_sd: 0.08, trial_sd: 0.15 }";
const PEOPLE_AND_ITEMS: &str =
    "rater_sd: 0.3\n  quality: { rater_sd: 0.08, trial_sd: 0.15, item_sd: 0.05, output_sd: 0.06 }";

const BASE: Design = Design {
    name: "",
    spec: "",
    models: THREE,
    observers: &ERRORS_OF_THREE,
    population: PEOPLE,
    asked: PER_MODEL,
    raters: 20,
    images: Images::WithReal(30),
};

const INFINITY: &str = "task: { kind: hype_infinity, generated: 15, real: 15 }";
const FOOLING: &str = "task: { kind: fooling, trials: 24, practice: 0, exposure_ms: null }";
const TIME: &str = "task: { kind: hype_time, blocks: 1, trials_per_block: 150 }";

/// The designs; the first three are those of `./test`.
const DESIGNS: [Design; 20] = [
    Design { name: "hype_infinity, 3 models", spec: INFINITY, ..BASE },
    Design {
        name: "contrast",
        spec: "task: { kind: contrast, per_session: 12 }",
        observers: &QUALITIES,
        asked: PER_ITEM,
        raters: 12,
        images: Images::Sources(12),
        ..BASE
    },
    Design {
        name: "hype_infinity, equivalent to chance",
        spec: "task: { kind: hype_infinity, generated: 15, real: 15 }\naggregate: { kind: by_model, equivalence: { margin: 0.1 } }",
        models: TWO,
        observers: &[
            "untimed: { fakes_error: 0.52, reals_error: 0.46 }",
            "untimed: { fakes_error: 0.4, reals_error: 0.4 }",
        ],
        raters: 12,
        ..BASE
    },
    Design { name: "hype_infinity, 2 models", spec: INFINITY, models: TWO, raters: 40, ..BASE },
    Design { name: "hype_infinity, 6 raters", spec: INFINITY, raters: 6, ..BASE },
    Design {
        name: "hype_infinity, hype-2019",
        spec: "task: { kind: hype_infinity, generated: 15, real: 15 }\naggregate: { kind: by_model, preset: hype-2019 }",
        ..BASE
    },
    Design {
        name: "hype_infinity, all measures together",
        spec: "task: { kind: hype_infinity, generated: 15, real: 15 }\naggregate: { kind: by_model, family: rubric }",
        ..BASE
    },
    Design {
        name: "hype_infinity, near 0",
        spec: INFINITY,
        models: TWO,
        observers: &[
            "untimed: { fakes_error: 0.06, reals_error: 0.04 }",
            "untimed: { fakes_error: 0.02, reals_error: 0.02 }",
        ],
        raters: 15,
        ..BASE
    },
    Design {
        name: "hype_infinity, screened",
        spec: "task: { kind: hype_infinity, generated: 15, real: 15 }",
        population: "rater_sd: 0.3\n  qualification_accuracy: 0.8\n  dropout: 0.003\n  behaviours: { spammers: { random: 0.1 } }",
        asked: "raters: { per_model: N, qualification: { trials: 36 }, payment: null }",
        images: Images::WithReal(60),
        ..BASE
    },
    Design { name: "fooling", spec: FOOLING, ..BASE },
    Design {
        name: "fooling, bootstrap",
        spec: "task: { kind: fooling, trials: 24, practice: 0, exposure_ms: null }\naggregate: { kind: by_model, bootstrap: { resamples: 1000 } }",
        raters: 30,
        ..BASE
    },
    Design {
        name: "hype_time",
        spec: TIME,
        observers: &THRESHOLDS,
        raters: 30,
        images: Images::WithReal(75),
        ..BASE
    },
    Design {
        name: "hype_time, 2 models",
        spec: TIME,
        models: TWO,
        observers: &THRESHOLDS,
        raters: 12,
        images: Images::WithReal(75),
        ..BASE
    },
    Design {
        name: "contrast with ties, other prompts",
        spec: "task: { kind: contrast, per_session: 18, tie: true }",
        observers: &QUALITIES,
        population: PEOPLE_AND_ITEMS,
        asked: PER_ITEM,
        raters: 10,
        images: Images::Items(18),
        ..BASE
    },
    Design {
        name: "contrast, active pairs",
        spec: "task: { kind: contrast, per_session: 12, pairs: active }",
        observers: &QUALITIES,
        asked: PER_ITEM,
        raters: 8,
        images: Images::Sources(12),
        ..BASE
    },
    Design {
        name: "ranking",
        spec: "task: { kind: ranking, ties: false, per_session: 6 }",
        observers: &QUALITIES,
        asked: PER_ITEM,
        raters: 10,
        images: Images::Items(12),
        ..BASE
    },
    Design {
        name: "best_of",
        spec: "task: { kind: best_of, per_session: 12 }",
        observers: &QUALITIES,
        asked: PER_ITEM,
        raters: 20,
        images: Images::Items(12),
        ..BASE
    },
    Design {
        name: "rating, heim, other prompts",
        spec: "task: { kind: rating, per_session: 12 }\nrubric: { kind: heim.image, aspects: [aesthetics] }",
        observers: &QUALITIES,
        population: PEOPLE_AND_ITEMS,
        asked: PER_ITEM,
        raters: 8,
        images: Images::Items(16),
        ..BASE
    },
    Design {
        name: "rating, opinion",
        spec: "task: { kind: rating }\nrubric: { kind: opinion, method: acr, anchors: { worst: bad, best: good } }",
        observers: &QUALITIES,
        asked: PER_ITEM,
        raters: 16,
        images: Images::Items(10),
        ..BASE
    },
    Design {
        name: "rating, imagenhub",
        spec: "task: { kind: rating }\nrubric: { kind: imagenhub.text_guided_generation }",
        observers: &QUALITIES,
        asked: PER_ITEM,
        raters: 4,
        images: Images::Items(20),
        ..BASE
    },
];

impl Design {
    fn study(&self, seed: u64) -> Study {
        let mut text = "stimuli:\n  real: { role: real, images: unused }\n".to_owned();
        text += "  a: { role: generated, images: unused }\n";
        text += self.spec;
        text += &format!("\n{}\n", self.asked.replace('N', &self.raters.to_string()));
        text += &format!("simulate:\n  kind: synthetic\n  {}\n", self.population);
        if !self.population.contains("qualification_accuracy") {
            text += "  qualification_accuracy: null\n";
        }
        text += "  observers:\n";
        for (model, observer) in self.models.iter().zip(self.observers) {
            text += &format!("    {model}: {{ {observer} }}\n");
        }
        let mut spec = Spec::read(text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}\n{text}")).spec;
        spec.protocol.seed = seed;
        Study::new(spec, self.images.of(self.models)).unwrap_or_else(|faults| panic!("{faults}"))
    }

    /// The findings of one study.
    fn found(&self, seed: u64) -> Findings {
        let (study, store) = (self.study(seed), MemoryStore::new());
        let raters = study.spec().collection.simulate.clone().unwrap();
        hype::block_on(async {
            let local = Local::with_raters(raters, NonZeroUsize::new(1));
            local.collect(&study, Arc::new(store.clone()), &Unwatched).await.unwrap();
            analyse(&study, &store).await.unwrap()
        })
    }

    /// Compares the plan with studies.
    fn check(&self) {
        let [small, large] = STUDIES;
        let studies = proof::sized(small, large);
        let study = self.study(1 << 40);
        let [small, large] = COHORT;
        let cohort = proof::sized(small, large);
        let mut options = PlanOptions { raters: vec![self.raters], cohort, ..PlanOptions::default() };
        let mut planned = plan(&study, None, &options, &|_, _| {}).unwrap();
        if planned.simulated_studies.is_some_and(|simulated| simulated != studies) {
            options.studies = Some(studies);
            planned = plan(&study, None, &options, &|_, _| {}).unwrap();
        }
        let seen = Seen::of(self, &planned, studies);
        let outlook = &planned.rows[0].expected;
        let mut wrong = Vec::new();
        for one in Number::all(outlook, &seen, planned.simulated_studies.is_none(), self.raters, cohort) {
            proof::row(&[
                self.name,
                &format!("{} {}", self.raters, planned.raters_by),
                one.what,
                &one.planned.shown(),
                &one.seen.shown(),
            ]);
            if !one.agrees() {
                wrong.push(format!("{}: {one:?}", self.name));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

/// A number with its Monte-Carlo standard error.
#[derive(Debug, Clone, Copy)]
struct Known(f64, f64);

impl Known {
    fn share(of: usize, all: u32) -> Self {
        let share = of as f64 / f64::from(all);
        Self(share, (share * (1.0 - share) / f64::from(all)).sqrt())
    }

    fn shown(self) -> String {
        format!("{:.4} ± {:.4}", self.0, self.1)
    }
}

#[derive(Debug)]
struct Number {
    what: &'static str,
    planned: Known,
    seen: Known,
    /// The tolerance for the plan in addition to Monte-Carlo errors.
    slack: f64,
}

impl Number {
    fn agrees(&self) -> bool {
        // The standard error of a share is 0 at 0 and at 1, where a single study would count as a disagreement.
        let error = self.planned.1.hypot(self.seen.1).max(1e-3);
        (self.planned.0 - self.seen.0).abs() <= ERRORS * error + self.slack
    }

    /// All numbers that a plan has.
    fn all(outlook: &Outlook, seen: &Seen, closed: bool, raters: u32, cohort: u32) -> Vec<Self> {
        let (raters, cohort) = (f64::from(raters), f64::from(cohort));
        // Means and standard deviations of the cohort are themselves estimated.
        let of_cohort = if closed { 0.4 * (raters / cohort).sqrt() } else { 0.0 };
        let chance = |chance: Chance| Known(chance.probability, chance.standard_error.hypot(of_cohort));
        let [probability, share] = if closed { NORMAL } else { [0.0; 2] };
        let mut all = Vec::new();
        if let Some(width) = outlook.width {
            let error = if closed { width / (2.0 * cohort).sqrt() } else { outlook.width_error.unwrap() };
            all.push(Self {
                what: "width",
                planned: Known(width, error),
                seen: seen.width,
                slack: share * width,
            });
        }
        let chances = [
            ("tells", outlook.power, seen.power),
            ("all pairs", outlook.all_pairs, seen.all_pairs),
            ("best first", outlook.best, seen.best),
            ("order", outlook.order, seen.order),
            ("equivalent", outlook.within_margin, seen.equivalent),
        ];
        all.extend(chances.into_iter().filter_map(|(what, planned, seen)| {
            Some(Self { what, planned: chance(planned?), seen, slack: probability })
        }));
        all
    }
}

/// The results of studies.
struct Seen {
    width: Known,
    power: Known,
    all_pairs: Known,
    best: Known,
    order: Known,
    equivalent: Known,
}

/// The results of one study for the planned measure.
struct OneStudy {
    estimates: Vec<(Arc<str>, f64, Option<f64>)>,
    /// The pairs that are told apart, and the number of all pairs.
    told: Vec<[Arc<str>; 2]>,
    pairs: usize,
    equivalent: Vec<Arc<str>>,
}

impl OneStudy {
    fn of(findings: &Findings, planned: &StudyPlan) -> Option<Self> {
        let found = findings.measures.iter().find(|found| found.measure.name == planned.measure.name)?;
        let told = found.comparisons.iter().filter(|pair| pair.p.is_some_and(|p| p <= 1.0 - planned.level));
        let reference = found.against_reference.iter().flat_map(|against| &against.models);
        let equivalent = reference.filter(|one| one.within_margin.as_ref().is_some_and(|test| test.shown));
        let width = |range: &hype::core::model::findings::Interval| range.high - range.low;
        Some(Self {
            estimates: found
                .estimates
                .iter()
                .map(|one| (Arc::clone(&one.model), one.value, one.interval.as_ref().map(width)))
                .collect(),
            told: told.map(|pair| [Arc::clone(&pair.a), Arc::clone(&pair.b)]).collect(),
            pairs: found.comparisons.len(),
            equivalent: equivalent.map(|one| Arc::clone(&one.model)).collect(),
        })
    }

    fn order(&self) -> Vec<&str> {
        self.estimates.iter().map(|(model, ..)| &**model).collect()
    }

    fn tells(&self, [a, b]: [&str; 2]) -> bool {
        self.told.iter().any(|[one, other]| [&**one, &**other] == [a, b] || [&**one, &**other] == [b, a])
    }
}

impl Seen {
    fn of(design: &Design, planned: &StudyPlan, studies: u32) -> Self {
        let (next, found) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        std::thread::scope(|scope| {
            for _ in 0..proof::sized(1, cores) {
                scope.spawn(|| {
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= u64::from(studies) {
                            return;
                        }
                        let one = OneStudy::of(&design.found(seed), planned);
                        found.lock().unwrap().extend(one);
                    }
                });
            }
        });
        let found: Vec<OneStudy> = found.into_inner().unwrap();
        // The best model comes first in the list of the design.
        let truth = design.models;
        let share = |is: &dyn Fn(&OneStudy) -> bool| {
            Known::share(found.iter().filter(|one| is(one)).count(), studies)
        };
        let closest = planned.closest.as_ref().unwrap();
        let equivalent = planned.equivalence.as_ref();
        Self {
            width: truth
                .iter()
                .map(|model| width_of(&found, model))
                .max_by(|a, b| a.0.total_cmp(&b.0))
                .unwrap(),
            power: share(&|one| one.tells([&closest[0], &closest[1]])),
            all_pairs: share(&|one| one.told.len() == one.pairs && one.pairs > 0),
            best: share(&|one| one.order().first() == truth.first()),
            order: share(&|one| one.order() == truth),
            equivalent: share(&|one| equivalent.is_some_and(|goal| one.equivalent.contains(&goal.model))),
        }
    }
}

/// The root of the mean square of the widths of a model's intervals.
fn width_of(found: &[OneStudy], model: &str) -> Known {
    let width = |one: &OneStudy| one.estimates.iter().find(|(name, ..)| &**name == model)?.2;
    let squares: Vec<f64> = found.iter().filter_map(width).map(|width| width * width).collect();
    let count = squares.len() as f64;
    let mean = squares.iter().sum::<f64>() / count;
    let variance = squares.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Known(mean.sqrt(), 0.5 * (variance / count / mean).sqrt())
}

fn design(name: &str) -> &'static Design {
    DESIGNS.iter().find(|design| design.name == name).unwrap()
}

#[test]
fn means_over_raters() {
    design("hype_infinity, 3 models").check();
}

#[test]
fn strengths_by_votes() {
    design("contrast").check();
}

#[test]
fn tests_of_equivalence() {
    design("hype_infinity, equivalent to chance").check();
}

#[test]
fn all_other_designs() {
    let tested = if proof::is_proof() { DESIGNS.len() } else { 3 };
    let failed =
        DESIGNS[3..tested].iter().filter(|design| std::panic::catch_unwind(|| design.check()).is_err());
    let names: Vec<&str> = failed.map(|design| design.name).collect();
    assert!(names.is_empty(), "{names:?}");
}
