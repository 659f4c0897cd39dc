//! The expectations of `hype plan --from` from the first raters of real studies agree with all their raters.

#![allow(clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use hype::backends::collect_with;
use hype::core::study::backend::Unwatched;
use hype::core::{Answer, Micros, Raters, Response, Role, Spec, Stream, Study, Trial, Truth, analyse};
use hype::plan::{PilotStudy, PlanOptions, plan};
use hype::sim::fixtures;
use hype::store::MemoryStore;
use hype::tasks::HypeInfinity;

use crate::{program, proof};

/// Images of each class that a rater judged in the human evaluation of Stein et al. (2023).
const IMAGES: u32 = 100;
/// The raters of each model that a plan is made from.
const PILOT: usize = 12;

/// How many generated and how many real images a rater misjudged.
type Wrong = [u32; 2];

/// The raters of each model, in the order of the table.
fn raters(table: &str) -> Option<BTreeMap<String, Vec<Wrong>>> {
    let text = std::fs::read_to_string(program::reference("hype_infinity")?.join(table)).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let of = |line: &[&str], name: &str| line[header.iter().position(|one| *one == name).unwrap()].to_owned();
    let mut models: BTreeMap<String, Vec<Wrong>> = BTreeMap::new();
    for line in lines {
        let wrong = |name: &str| (of(&line, name).parse::<f64>().unwrap() * f64::from(IMAGES)).round() as u32;
        models.entry(of(&line, "model")).or_default().push([wrong("f_err_rt"), wrong("r_err_rt")]);
    }
    Some(models)
}

/// A rater who misjudges the next so many images of each class, and judges all others right.
struct Person(Wrong);

impl hype::core::Rater for Person {
    fn respond(&mut self, _: &Trial, truth: Option<&Truth>, _: &mut Stream) -> Response {
        let is_real = truth.and_then(|truth| truth.role) == Some(Role::Real);
        let left = &mut self.0[usize::from(is_real)];
        let errs = *left > 0;
        *left = left.saturating_sub(1);
        let answer = Answer::one("judgment", if is_real != errs { "real" } else { "generated" });
        Response::Answer { answer, rt: Micros(700_000) }
    }
}

/// The study of one model with these raters.
fn collected(model: &str, raters: &[Wrong]) -> (Study, MemoryStore) {
    let task = HypeInfinity { generated: IMAGES.into(), real: IMAGES.into() };
    let per_model = raters.len() as u32;
    let asked = Raters { per_model, qualification: None, ..Raters::default() };
    let spec = Spec::new("real", 1, Box::new(task)).with_raters(asked);
    let study = Study::new(spec, fixtures::stimuli(IMAGES, &[(model, IMAGES)])).unwrap();
    let store = MemoryStore::new();
    let person = |wanted: &hype::core::Wanted<'_>, _: &hype::core::Streams| {
        let person: Box<dyn hype::core::Rater> = Box::new(Person(raters[wanted.place.number as usize]));
        Ok(person)
    };
    collect_with(&study, &store, &Unwatched, Some(NonZeroUsize::MIN), person).unwrap();
    (study, store)
}

/// The widths of the interval of the error rate that a plan from the first raters expects, and that all raters give.
fn widths(model: &str, raters: &[Wrong]) -> [f64; 2] {
    let (first, logs) = collected(model, &raters[..PILOT]);
    let (study, all) = collected(model, raters);
    let pilot = PilotStudy { name: "pilot", study: &first, store: &logs, simulated: false };
    let planned = plan(&study, Some(pilot), &PlanOptions::default(), &|_, _| {}).unwrap();
    let row = planned.rows.iter().find(|row| row.raters as usize == raters.len()).unwrap();
    let findings = hype::block_on(analyse(&study, &all)).unwrap();
    let error = findings.measures.iter().find(|found| found.measure.name == planned.measure.name).unwrap();
    let estimate = error.estimates.iter().find(|one| &*one.model == model).unwrap();
    let interval = estimate.interval.as_ref().unwrap();
    [row.expected.width.unwrap(), interval.high - interval.low]
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The medians over models, expected and found, in percentage points as they are in docs/measured/plan.md.
#[test]
fn twelve_raters_predict_the_median_interval_of_all() {
    for (table, models, fewest, documented) in
        [("ffhq256.csv", 9, 25, [6.41, 6.32]), ("cifar10.csv", 13, 25, [5.67, 5.64])]
    {
        let Some(raters) = raters(table) else { return };
        assert_eq!(raters.len(), models, "{table}");
        let mut found = Vec::new();
        for (model, raters) in &raters {
            assert!((fewest..=27).contains(&raters.len()), "{table}, {model}: {}", raters.len());
            let [expected, given] = widths(model, raters).map(|width| 100.0 * width);
            let ratio = expected / given;
            let cells = [expected, given, ratio].map(|cell| format!("{cell:.2}"));
            proof::row(&[table, model, &cells[0], &cells[1], &cells[2]]);
            found.push([expected, given]);
        }
        let [expected, given] =
            [0, 1].map(|place: usize| median(found.iter().map(|one| one[place]).collect()));
        assert!((expected / given - 1.0).abs() < 0.1, "{table}: {expected} in place of {given}");
        for (measured, stated) in [(expected, documented[0]), (given, documented[1])] {
            assert!(
                (measured - stated).abs() < 0.006,
                "{table}: {measured}, and docs/measured/plan.md says {stated}"
            );
        }
    }
}
