//! Simulated studies, and how often their intervals cover the truth.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use hype::backends::Local;
use hype::core::study::backend::Unwatched;
use hype::core::{Backend as _, ConditionKind, Findings, Spec, Stimuli, Study, analyse};
use hype::sim::fixtures;
use hype::store::MemoryStore;

use crate::proof;

use super::population::{Known, MODELS, QUALITIES, RATER_SD, UNTIMED};

/// The number of studies of each family, in `./test` and in a proof.
const STUDIES: [u64; 2] = [50, 2_000];
/// The accepted coverage of 95 % intervals.
const SHARES: [f64; 2] = [0.93, 0.97];
/// The largest probability that a small run fails although the coverage is acceptable.
const FALSE_ALARMS: f64 = 1e-4;
/// The seed of the study that estimates the truth.
const TRUTH: u64 = 1 << 40;

/// Raters differ and items do not: intervals generalise to other raters of the same items.
pub const SAME_ITEMS: &str = "{ rater_sd: 0.08, trial_sd: 0.15 }";
/// The standard deviation of the noise that the questions of a trial have in common, with [`SAME_ITEMS`].
pub const LENIENCE: f64 = 0.08;
/// The standard deviation of each question's own noise.
pub const NOISE: f64 = 0.15;

/// A design to test.
pub struct Tried<'a> {
    /// Its spec from `task` on, except for the following fields.
    pub design: &'a str,
    /// The settings of the raters' population.
    pub quality: &'a str,
    pub stimuli: Stimuli,
    pub raters: u32,
    pub found: &'a [Found<'a>],
    pub truth: Truth,
}

/// An aggregator to test.
pub struct Found<'a> {
    /// Its spec, in which `RESAMPLES` stands for the number of resamples.
    pub by: &'a str,
    /// Measures, coefficients of agreement, or measures with `: differences` after them.
    pub what: &'a [&'a str],
}

/// The source of the true values.
pub enum Truth {
    /// From the population.
    Population(Known),
    /// The same study with this many raters.
    Raters(u32),
    /// A study of another study's stimuli, with so many items that each is judged by a part of the raters.
    Items(Stimuli),
}

/// A measure and its model.
type Key = (String, String);

/// An estimate and its interval, if there is one.
struct Estimated {
    key: Key,
    value: f64,
    interval: Option<(f64, f64)>,
}

/// The models' thresholds in ms.
const THRESHOLDS: [f64; 3] = [400.0, 300.0, 220.0];

impl Tried<'_> {
    fn study(&self, by: &str, stimuli: &Stimuli, raters: u32, seed: u64) -> Study {
        let mut text = String::from("stimuli:\n  real: { role: real, images: unused }\n");
        text += "  a: { role: generated, images: unused }\n";
        let Self { design, quality, .. } = self;
        writeln!(text, "{design}\naggregate: {by}\nsimulate:\n  kind: synthetic\n  rater_sd: {RATER_SD}")
            .unwrap();
        writeln!(text, "  qualification_accuracy: null\n  quality: {quality}\n  observers:").unwrap();
        let settings = MODELS.iter().zip(THRESHOLDS).zip(UNTIMED).zip(QUALITIES);
        for (((quality, threshold), [fakes, reals]), (model, _)) in settings {
            if stimuli.set_named(model).is_some() {
                let untimed = format!("{{ fakes_error: {fakes}, reals_error: {reals} }}");
                let rest = format!("threshold_ms: {threshold}, untimed: {untimed}");
                writeln!(text, "    {model}: {{ quality: {quality}, {rest} }}").unwrap();
            }
        }
        let mut spec = Spec::read(text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}\n{text}")).spec;
        spec.protocol.seed = seed;
        match &mut spec.collection.raters.per_item {
            Some(per_item) => *per_item = raters,
            None => spec.collection.raters.per_model = raters,
        }
        Study::new(spec, stimuli.clone()).unwrap_or_else(|faults| panic!("{faults}"))
    }

    /// The findings of all aggregators in one study.
    fn estimates(&self, stimuli: &Stimuli, raters: u32, seed: u64, resamples: &str) -> Vec<Estimated> {
        let threads = if seed == TRUTH { None } else { NonZeroUsize::new(1) };
        let store = MemoryStore::new();
        let mut all = Vec::new();
        for (place, found) in self.found.iter().enumerate() {
            let study = self.study(&found.by.replace("RESAMPLES", resamples), stimuli, raters, seed);
            let findings = hype::block_on(async {
                if place == 0 {
                    let local =
                        Local::with_raters(study.spec().collection.simulate.clone().unwrap(), threads);
                    local.collect(&study, Arc::new(store.clone()), &Unwatched).await.unwrap();
                }
                analyse(&study, &store).await.unwrap()
            });
            let own = of_findings(&findings).into_iter().filter(|one| found.what.contains(&&*one.key.0));
            all.extend(own.map(|one| Estimated { key: (found.named(&one.key.0), one.key.1), ..one }));
        }
        all
    }

    fn truth(&self) -> BTreeMap<Key, f64> {
        let (stimuli, raters) = match &self.truth {
            // A quarter of the raters doubles the truth's error, which is a tenth of an interval's then.
            Truth::Raters(raters) => (&self.stimuli, proof::sized(raters / 8, *raters)),
            Truth::Items(stimuli) => (stimuli, self.raters),
            Truth::Population(known) => {
                let named = self.found.iter().flat_map(|found| {
                    let own = known.iter().filter(|(what, ..)| found.what.contains(what));
                    own.map(|&(what, model, value)| ((found.named(what), model.to_owned()), value))
                });
                return named.collect();
            }
        };
        let all = self.estimates(stimuli, raters, TRUTH, "100");
        all.into_iter().map(|one| (one.key, one.value)).collect()
    }

    /// The share of intervals that cover the truth, over all studies and models.
    fn coverage(&self) -> BTreeMap<String, f64> {
        let truth = self.truth();
        let next = AtomicU64::new(0);
        let counts: Mutex<BTreeMap<String, (u64, u64)>> = Mutex::default();
        let studies = studies();
        // In small runs the test runner already keeps all cores busy.
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        std::thread::scope(|scope| {
            for _ in 0..proof::sized(1, cores) {
                scope.spawn(|| {
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= studies {
                            return;
                        }
                        let found = self.estimates(&self.stimuli, self.raters, seed, "1000");
                        let mut counts = counts.lock().unwrap();
                        for one in found {
                            let covers = one.interval.is_some_and(|(low, high)| {
                                let truth = truth[&one.key];
                                low <= truth && truth <= high
                            });
                            let (covered, all) = counts.entry(one.key.0).or_default();
                            *covered += u64::from(covers);
                            *all += 1;
                        }
                    }
                });
            }
        });
        let counts = counts.into_inner().unwrap();
        let wanted: usize = self.found.iter().map(|found| found.what.len()).sum();
        assert_eq!(counts.len(), wanted, "{counts:?}");
        counts.into_iter().map(|(what, (covered, all))| (what, covered as f64 / all as f64)).collect()
    }

    /// Asserts that 93 to 97 % of the intervals cover the truth.
    ///
    /// A small run accepts every coverage that such intervals show with a false alarm rate of one in ten thousand.
    #[track_caller]
    pub fn check(&self) {
        let all = self.coverage();
        for (what, share) in &all {
            proof::row(&[what, &format!("{:.1} %", 100.0 * share)]);
        }
        let [low, high] = proof::sized(bounds(studies()), SHARES);
        let outside: Vec<_> = all.iter().filter(|(_, share)| !(low..=high).contains(*share)).collect();
        assert!(outside.is_empty(), "not within {low} to {high}: {outside:?}");
    }
}

fn studies() -> u64 {
    let [small, proof] = STUDIES;
    proof::sized(small, proof)
}

/// The bounds on the coverage in a number of studies, with an error rate of [`FALSE_ALARMS`].
///
/// # Method
/// Hoeffding (1963), theorem 1: the mean of n independent values between 0 and 1 whose expectation is p is beyond x with
/// a probability of at most exp(-n KL(x, p)). Each study contributes one value, the share of its intervals that
/// cover, however dependent they are.
fn bounds(studies: u64) -> [f64; 2] {
    let most = -FALSE_ALARMS.ln() / studies as f64;
    let divergence = |x: f64, p: f64| {
        let term = |x: f64, p: f64| if x > 0.0 { x * (x / p).ln() } else { 0.0 };
        term(x, p) + term(1.0 - x, 1.0 - p)
    };
    let beyond = |p: f64, end: f64| {
        let (mut inside, mut outside) = (p, end);
        for _ in 0..50 {
            let middle = f64::midpoint(inside, outside);
            if divergence(middle, p) <= most { inside = middle } else { outside = middle }
        }
        // If even the limit is not surprising, no value is.
        if divergence(end, p) <= most { end } else { outside }
    };
    [beyond(SHARES[0], 0.0), beyond(SHARES[1], 1.0)]
}

#[test]
fn bounds_match_hoeffding() {
    let [low, high] = bounds(200);
    assert!((low - 0.841).abs() < 0.001, "{low}");
    assert!((high - 1.0).abs() < 1e-9, "all intervals of 200 studies cover once in 440 times: {high}");
    let [low, high] = bounds(2_000);
    assert!((low - 0.904).abs() < 0.001, "{low}");
    assert!((high - 0.985).abs() < 0.001, "{high}");
}

impl Found<'_> {
    /// The estimates by measure and model.
    fn named(&self, what: &str) -> String {
        let by = self.by.replace("{ resamples: RESAMPLES }", "{}").replace("resamples: RESAMPLES, ", "");
        format!("{by} {what}")
    }
}

fn of_findings(findings: &Findings) -> Vec<Estimated> {
    let mut all = Vec::new();
    for found in &findings.measures {
        let name = &found.measure.name;
        all.extend(found.estimates.iter().map(|estimate| Estimated {
            key: (name.to_string(), estimate.model.to_string()),
            value: estimate.value,
            interval: estimate.interval.as_ref().map(|range| (range.low, range.high)),
        }));
        all.extend(found.comparisons.iter().map(|pair| {
            let range = pair.interval.as_ref().map(|range| (range.low, range.high));
            // The better model comes first, which may differ between studies.
            let turned = pair.a > pair.b;
            let (a, b) = if turned { (&pair.b, &pair.a) } else { (&pair.a, &pair.b) };
            Estimated {
                key: (format!("{name}: differences"), format!("{a} - {b}")),
                value: if turned { -pair.difference } else { pair.difference },
                interval: range.map(|(low, high)| if turned { (-high, -low) } else { (low, high) }),
            }
        }));
        all.extend(found.agreement.iter().map(|agreement| Estimated {
            key: (
                agreement.coefficient.to_string(),
                agreement.model.as_ref().map_or_else(|| "all".to_owned(), ToString::to_string),
            ),
            value: agreement.value.unwrap_or(f64::NAN),
            interval: agreement.interval.as_ref().map(|range| (range.low, range.high)),
        }));
    }
    all
}

/// The outputs of three models for items with every kind of condition.
pub fn outputs(items: u32) -> Stimuli {
    of_models(items, &["a", "b", "c"])
}

/// The outputs of models for items with every kind of condition.
pub fn of_models(items: u32, models: &[&str]) -> Stimuli {
    use ConditionKind::{Control, Instruction, Mask, Prompt, Source, Subject};
    fixtures::items(items, models, &[Prompt, Instruction, Source, Mask, Subject, Subject, Control])
}

/// Real images and those of three models.
pub fn with_real(size: u32) -> Stimuli {
    fixtures::stimuli(size, &[("a", size), ("b", size), ("c", size)])
}
