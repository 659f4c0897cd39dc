//! Every fault of a document is reported with its exact path, line and column, also behind plugins.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::faults_of as faults;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::num::NonZeroU32;

use crate::faults_of::line;
use hype_yaml::Document;
use serde::Deserialize;

#[typetag::deserialize(tag = "kind")]
trait Task: Debug {}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read, never used")]
struct Timed {
    staircase: Staircase,
    #[serde(default)]
    repeats: u8,
    #[serde(default)]
    weights: Vec<f64>,
    #[serde(default)]
    observer: Option<Box<dyn Observer>>,
    #[serde(default)]
    range: Option<(i64, u64)>,
}

#[typetag::deserialize(name = "timed")]
impl Task for Timed {}

#[derive(Debug, Deserialize)]
struct Unlimited;

#[typetag::deserialize(name = "unlimited")]
impl Task for Unlimited {}

#[typetag::deserialize(tag = "kind")]
trait Observer: Debug {}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read, never used")]
struct Ideal {
    lapse: f64,
    label: Option<char>,
}

#[typetag::deserialize(name = "ideal")]
impl Observer for Ideal {}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read, never used")]
struct Staircase {
    start_ms: u32,
    step_harder_ms: NonZeroU32,
    #[serde(default)]
    order: Order,
    #[serde(default)]
    reset: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "read, never used")]
enum Order {
    #[default]
    Shuffled,
    Fixed(Vec<u32>),
    Blocked {
        length: u32,
    },
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read, never used")]
struct Spec {
    #[serde(default)]
    name: String,
    #[serde(default)]
    task: Option<Box<dyn Task>>,
    #[serde(default)]
    tasks: Vec<Box<dyn Task>>,
    #[serde(default)]
    models: BTreeMap<String, Model>,
    #[serde(default)]
    blocks: BTreeMap<u16, f32>,
    #[serde(default)]
    ratio: Ratio,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read, never used")]
struct Model {
    images: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "f64")]
#[expect(dead_code, reason = "read, never used")]
struct Ratio(f64);

impl TryFrom<f64> for Ratio {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(format!("{value} is not between 0 and 1"))
        }
    }
}

/// The single fault of reading a whole document.
fn fault(text: &str) -> String {
    match Document::parse(text) {
        Err(faults) => faults.iter().map(line).collect::<Vec<_>>().join("\n"),
        Ok(document) => match document.root().read::<Spec>() {
            Err(fault) => {
                let span = fault.span.unwrap();
                assert!(!text[span.start..span.end].contains('\n'), "{text}");
                line(&fault)
            }
            Ok(spec) => format!("{spec:?}"),
        },
    }
}

fn check(cases: &[(&str, &str)]) {
    faults::check(fault, cases);
}

#[test]
fn faults_within_a_plugin_object_whose_kind_comes_first() {
    check(&[
        (
            "task:\n  kind: timed\n  staircase:\n    start_ms: often\n    step_harder_ms: 10\n",
            "4:15 task.staircase.start_ms [wrong-type] expected an integer, found a string",
        ),
        (
            "task:\n  kind: timed\n  staircase:\n    start_ms: 1000\n    step_harder_ms: 0\n",
            "5:21 task.staircase.step_harder_ms [invalid-value] expected a nonzero u32, found integer `0`",
        ),
        (
            "task:\n  kind: timed\n  staircase:\n    start_ms: 1000\n    step_hardr_ms: 10\n",
            "5:5 task.staircase.step_hardr_ms [unknown-field] unknown field `step_hardr_ms` / did you mean `step_harder_ms`? known fields: start_ms, step_harder_ms, order, reset",
        ),
        (
            "task:\n  kind: timed\n  staircase:\n    start_ms: 1000\n",
            "3:3 task.staircase.step_harder_ms [missing-field] missing field `step_harder_ms`",
        ),
        (
            "task:\n  kind: timed\n  repeats: 300\n  staircase: {start_ms: 1, step_harder_ms: 1}\n",
            "3:12 task.repeats [out-of-range] 300 is out of range / write an integer from 0 to 255",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 1, step_harder_ms: 1, reset: yes}\n",
            "3:54 task.staircase.reset [wrong-type] expected a boolean, found a string / write true or false",
        ),
        (
            "task:\n  kind: timed\n  staircase: [1, 2]\n",
            "3:14 task.staircase [wrong-type] expected a map, found a list",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 1, step_harder_ms: 1}\n  weights: [0.5, 1, heavy]\n",
            "4:21 task.weights[2] [wrong-type] expected a number, found a string",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 1, step_harder_ms: 1}\n  weights: 3\n",
            "4:12 task.weights [wrong-type] expected a list, found an integer / write it as a list: `[3]`",
        ),
        ("task:\n  kind: timed\n", "1:1 task.staircase [missing-field] missing field `staircase`"),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 1, step_harder_ms: 1}\n  weight: []\n",
            "4:3 task.weight [unknown-field] unknown field `weight` / did you mean `weights`? known fields: staircase, repeats, weights, observer, range",
        ),
        (
            "task:\n  kind: unlimited\n  repeats: 3\n",
            "3:3 task.repeats [unknown-field] unknown field `repeats` / there are no known fields here",
        ),
    ]);
}

#[test]
fn faults_within_a_plugin_object_whose_kind_comes_last() {
    check(&[
        (
            "task:\n  staircase:\n    start_ms: often\n    step_harder_ms: 10\n  kind: timed\n",
            "3:15 task.staircase.start_ms [wrong-type] expected an integer, found a string",
        ),
        (
            "task:\n  staircase:\n    start_ms: 1000\n    step_harder_ms: 0\n  kind: timed\n",
            "4:21 task.staircase.step_harder_ms [invalid-value] expected a nonzero u32, found integer `0`",
        ),
        (
            "task:\n  staircase:\n    start_ms: 1000\n    step_hardr_ms: 10\n  kind: timed\n",
            "4:5 task.staircase.step_hardr_ms [unknown-field] unknown field `step_hardr_ms` / did you mean `step_harder_ms`? known fields: start_ms, step_harder_ms, order, reset",
        ),
        (
            "task:\n  staircase:\n    start_ms: 1000\n  kind: timed\n",
            "2:3 task.staircase.step_harder_ms [missing-field] missing field `step_harder_ms`",
        ),
        (
            "task:\n  repeats: 300\n  staircase: {start_ms: 1, step_harder_ms: 1}\n  kind: timed\n",
            "2:12 task.repeats [out-of-range] 300 is out of range / write an integer from 0 to 255",
        ),
        (
            "task:\n  repeats: 3\n  kind: timed\n",
            "1:1 task.staircase [missing-field] missing field `staircase`",
        ),
        (
            "task:\n  weigths: []\n  staircase: {start_ms: 1, step_harder_ms: 1}\n  kind: timed\n",
            "2:3 task.weigths [unknown-field] unknown field `weigths` / did you mean `weights`? known fields: staircase, repeats, weights, observer, range",
        ),
        (
            "task:\n  repeats: 3\n  kind: tmed\n",
            "3:9 task.kind [unknown-kind] unknown kind `tmed` / did you mean `timed`? known kinds: timed, unlimited; is the plugin's crate linked?",
        ),
    ]);
}

#[test]
fn faults_of_a_kind() {
    check(&[
        (
            "task:\n  kind: tmed\n",
            "2:9 task.kind [unknown-kind] unknown kind `tmed` / did you mean `timed`? known kinds: timed, unlimited; is the plugin's crate linked?",
        ),
        (
            "task:\n  kind: film\n",
            "2:9 task.kind [unknown-kind] unknown kind `film` / known kinds: timed, unlimited; is the plugin's crate linked?",
        ),
        ("task:\n  kind: 3\n", "2:9 task.kind [wrong-type] expected the name of a kind, found an integer"),
        ("task:\n  kind:\n", "2:3 task.kind [wrong-type] expected the name of a kind, found nothing"),
        (
            "task:\n  repeats: 3\n",
            "1:1 task.kind [missing-field] missing field `kind` / known kinds: timed, unlimited",
        ),
        (
            "task:\n  knd: timed\n",
            "1:1 task.kind [missing-field] missing field `kind` / was `knd` meant to be `kind`? known kinds: timed, unlimited",
        ),
        (
            "task: timed\n",
            "1:7 task [wrong-type] expected a map, found a string / write a map with `kind: timed`",
        ),
        ("task: []\n", "1:7 task [wrong-type] expected a map, found a list"),
        ("task: {}\n", "1:1 task.kind [missing-field] missing field `kind` / known kinds: timed, unlimited"),
    ]);
}

#[test]
fn faults_of_plugin_objects_within_others() {
    check(&[
        (
            "tasks:\n- kind: unlimited\n- staircase: {start_ms: 1, step_harder_ms: 1}\n  observer:\n    lapse: low\n    kind: ideal\n  kind: timed\n",
            "5:12 tasks[1].observer.lapse [wrong-type] expected a number, found a string",
        ),
        (
            "tasks:\n- kind: unlimited\n- kind: timed\n  staircase: {start_ms: 1, step_harder_ms: 1}\n  observer:\n    kind: idael\n",
            "6:11 tasks[1].observer.kind [unknown-kind] unknown kind `idael` / did you mean `ideal`? known kinds: ideal; is the plugin's crate linked?",
        ),
        (
            "tasks:\n- staircase: {start_ms: 1, step_harder_ms: 1}\n  observer:\n    lapse: 0.1\n  kind: timed\n",
            "3:3 tasks[0].observer.kind [missing-field] missing field `kind` / known kinds: ideal",
        ),
        (
            "tasks:\n- staircase: {start_ms: 1, step_harder_ms: 1}\n  observer: {kind: ideal, laps: 0.1}\n  kind: timed\n",
            "3:27 tasks[0].observer.laps [unknown-field] unknown field `laps` / did you mean `lapse`? known fields: lapse, label",
        ),
        (
            "tasks:\n- staircase: {start_ms: 1, step_harder_ms: 1}\n  observer: {kind: ideal}\n  kind: timed\n",
            "3:3 tasks[0].observer.lapse [missing-field] missing field `lapse`",
        ),
        (
            "tasks:\n- staircase: {start_ms: 1, step_harder_ms: 1}\n  observer: {kind: ideal, lapse: .nan}\n  kind: timed\n",
            "3:34 tasks[0].observer.lapse [not-finite] expected a finite number, found `.nan`",
        ),
        (
            "tasks:\n- staircase: {start_ms: 1, step_harder_ms: 1}\n  observer: {kind: ideal, lapse: 0, label: ab}\n  kind: timed\n",
            "3:44 tasks[0].observer.label [wrong-length] expected one character, found 2",
        ),
        ("tasks:\n- kind: timed\n", "2:3 tasks[0].staircase [missing-field] missing field `staircase`"),
        ("tasks:\n- kind: unlimited\n-\n", "3:2 tasks[1] [wrong-type] expected a map, found nothing"),
    ]);
}

#[test]
fn faults_of_choices() {
    check(&[
        (
            "task: {kind: timed, staircase: {start_ms: 1, step_harder_ms: 1, order: shufled}}\n",
            "1:72 task.staircase.order [unknown-value] unknown value `shufled` / did you mean `shuffled`? known values: shuffled, fixed, blocked",
        ),
        (
            "task: {kind: timed, staircase: {start_ms: 1, step_harder_ms: 1, order: [shuffled]}}\n",
            "1:72 task.staircase.order [wrong-type] expected a name, found a list / known values: shuffled, fixed, blocked",
        ),
        (
            "task: {kind: timed, staircase: {start_ms: 1, step_harder_ms: 1, order: fixed}}\n",
            "1:72 task.staircase.order [wrong-type] `fixed` needs a value / write `fixed:` with the value under it",
        ),
        (
            "task: {kind: timed, staircase: {start_ms: 1, step_harder_ms: 1, order: {fixed: [1, -2]}}}\n",
            "1:84 task.staircase.order.fixed[1] [out-of-range] -2 is out of range / write an integer from 0 to 4294967295",
        ),
        (
            "task: {kind: timed, staircase: {start_ms: 1, step_harder_ms: 1, order: {blocked: {lenght: 2}}}}\n",
            "1:83 task.staircase.order.blocked.lenght [unknown-field] unknown field `lenght` / did you mean `length`? known fields: length",
        ),
        (
            "task: {kind: timed, staircase: {start_ms: 1, step_harder_ms: 1, order: {blocked: {}}}}\n",
            "1:73 task.staircase.order.blocked.length [missing-field] missing field `length`",
        ),
        (
            "task: {kind: timed, staircase: {start_ms: 1, step_harder_ms: 1, order: {blokked: {}}}}\n",
            "1:73 task.staircase.order.blokked [unknown-value] unknown value `blokked` / did you mean `blocked`? known values: shuffled, fixed, blocked",
        ),
        (
            "task: {kind: timed, staircase: {start_ms: 1, step_harder_ms: 1, order: {shuffled: 3}}}\n",
            "1:83 task.staircase.order.shuffled [wrong-type] `shuffled` takes no value",
        ),
        (
            "task: {kind: timed, staircase: {start_ms: 1, step_harder_ms: 1, order: {fixed: [], blocked: {}}}}\n",
            "1:72 task.staircase.order [wrong-type] expected a map with one key / known values: shuffled, fixed, blocked",
        ),
    ]);
}

#[test]
fn faults_of_numbers_and_lengths() {
    check(&[
        (
            "task:\n  kind: timed\n  staircase: {start_ms: -1, step_harder_ms: 1}\n",
            "3:25 task.staircase.start_ms [out-of-range] -1 is out of range / write an integer from 0 to 4294967295",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 4294967296, step_harder_ms: 1}\n",
            "3:25 task.staircase.start_ms [out-of-range] 4294967296 is out of range / write an integer from 0 to 4294967295",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 99999999999999999999999999999999999999999999, step_harder_ms: 1}\n",
            "3:25 task.staircase.start_ms [out-of-range] 99999999999999999999999999999999999999999999 is out of range / write an integer from 0 to 4294967295",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 10.0, step_harder_ms: 1}\n",
            "3:25 task.staircase.start_ms [wrong-type] expected an integer, found a number / write `10`",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 10.5, step_harder_ms: 1}\n",
            "3:25 task.staircase.start_ms [wrong-type] expected an integer, found a number / write a whole number",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 017, step_harder_ms: 1}\n",
            "3:25 task.staircase.start_ms [wrong-type] expected an integer, found a string / write `17`",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 1_000, step_harder_ms: 1}\n",
            "3:25 task.staircase.start_ms [wrong-type] expected an integer, found a string / write `1000`",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: '12', step_harder_ms: 1}\n",
            "3:25 task.staircase.start_ms [wrong-type] expected an integer, found a string / write it without quotes: `12`",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 12 ms, step_harder_ms: 1}\n",
            "3:25 task.staircase.start_ms [wrong-type] expected an integer, found a string / write `12` without a unit",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: , step_harder_ms: 1}\n",
            "3:15 task.staircase.start_ms [wrong-type] expected an integer, found nothing",
        ),
        (
            "task:\n  kind: timed\n  staircase:\n    step_harder_ms: 1\n    start_ms:\n",
            "5:5 task.staircase.start_ms [wrong-type] expected an integer, found nothing",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 1, step_harder_ms: 1}\n  range: [-9223372036854775809, 1]\n",
            "4:11 task.range[0] [out-of-range] -9223372036854775809 is out of range / write an integer from -9223372036854775808 to 9223372036854775807",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 1, step_harder_ms: 1}\n  range: [-9223372036854775808, 18446744073709551616]\n",
            "4:33 task.range[1] [out-of-range] 18446744073709551616 is out of range / write an integer from 0 to 18446744073709551615",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 1, step_harder_ms: 1}\n  range: [1, 2, 3]\n",
            "4:10 task.range [wrong-length] expected 2 items, found 3",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 1, step_harder_ms: 1}\n  weights:\n  - 1\n  - -.inf\n",
            "6:5 task.weights[1] [not-finite] expected a finite number, found `-.inf`",
        ),
        (
            "task:\n  kind: timed\n  staircase: {start_ms: 1, step_harder_ms: 1}\n  weights:\n  - 1e999\n",
            "5:5 task.weights[0] [out-of-range] 1e999 is out of range / write a number from -1.7976931348623157e308 to 1.7976931348623157e308",
        ),
        (
            "blocks:\n  1: 1.5\n  two: 1\n",
            "3:3 blocks.two [wrong-type] the key `two` is not an integer in range / write an integer from 0 to 65535",
        ),
        (
            "blocks:\n  1: 1e39\n",
            "2:6 blocks.1 [out-of-range] 1e39 is out of range / write a number from -3.4028234663852886e38 to 3.4028234663852886e38",
        ),
        (
            "blocks:\n  70000: 1\n",
            "2:3 blocks.70000 [wrong-type] the key `70000` is not an integer in range / write an integer from 0 to 65535",
        ),
        ("ratio: 1.5\n", "1:8 ratio [invalid-value] 1.5 is not between 0 and 1"),
        ("ratio: half\n", "1:8 ratio [wrong-type] expected a number, found a string"),
        (
            "ratio: 5%\n",
            "1:8 ratio [wrong-type] expected a number, found a string / write `5` without a unit",
        ),
    ]);
}

#[test]
fn faults_of_texts_and_fields() {
    check(&[
        (
            "name: 2024\n",
            "1:7 name [wrong-type] expected a string, found an integer / put it in quotes: `\"2024\"`",
        ),
        (
            "name: 1.10\n",
            "1:7 name [wrong-type] expected a string, found a number / put it in quotes: `\"1.10\"`",
        ),
        (
            "name: true\n",
            "1:7 name [wrong-type] expected a string, found a boolean / put it in quotes: `\"true\"`",
        ),
        ("name: [a]\n", "1:7 name [wrong-type] expected a string, found a list"),
        (
            "name:\n",
            "1:1 name [wrong-type] expected a string, found nothing / write the text, or `\"\"` for an empty one",
        ),
        (
            "models:\n  wgan:\n    images: 3\n",
            "3:13 models.wgan.images [wrong-type] expected a string, found an integer / put it in quotes: `\"3\"`",
        ),
        (
            "models:\n  wgan:\n    imges: a\n",
            "3:5 models.wgan.imges [unknown-field] unknown field `imges` / did you mean `images`? known fields: images",
        ),
        (
            "models:\n  wgan: a.png\n",
            "2:9 models.wgan [wrong-type] expected a map, found a string / write a map, such as `{ images: a.png }`; known fields: images",
        ),
        (
            "models:\n  \"my set.v2\":\n    images: a\n    path: b\n",
            "4:5 models[\"my set.v2\"].path [unknown-field] unknown field `path` / known fields: images",
        ),
        ("models:\n- wgan\n", "2:3 models [wrong-type] expected a map, found a list"),
        ("- a\n", "1:1  [wrong-type] expected a map, found a list"),
        (
            "nmae: a\n",
            "1:1 nmae [unknown-field] unknown field `nmae` / did you mean `name`? known fields: name, task, tasks, models, blocks, ratio",
        ),
        (
            "models: {größe: {images: a}, ß: {images: 3}}\n",
            "1:42 models.ß.images [wrong-type] expected a string, found an integer / put it in quotes: `\"3\"`",
        ),
        ("name: ['größe字', 1] # x\n", "1:7 name [wrong-type] expected a string, found a list"),
        (
            "\u{feff}name: 3\n",
            "1:7 name [wrong-type] expected a string, found an integer / put it in quotes: `\"3\"`",
        ),
        ("name: ok\r\nratio: 2\r\n", "2:8 ratio [invalid-value] 2 is not between 0 and 1"),
        ("name: ok\rratio: 2\r", "2:8 ratio [invalid-value] 2 is not between 0 and 1"),
    ]);
}

#[typetag::deserialize(tag = "kind")]
trait Contested: Debug {}

#[derive(Debug, Deserialize)]
struct One {}

#[derive(Debug, Deserialize)]
struct Other {}

#[typetag::deserialize(name = "same")]
impl Contested for One {}

#[typetag::deserialize(name = "same")]
impl Contested for Other {}

#[test]
fn a_kind_of_two_plugins_is_refused() {
    let document = Document::parse("{x: 1, kind: same}").unwrap();
    let fault = document.root().read::<Box<dyn Contested>>().unwrap_err();
    assert_eq!(
        line(&fault),
        "1:14 kind [ambiguous-kind] two linked plugins have the kind `same` / link only one of their crates"
    );
}

#[test]
fn a_number_with_a_comma_gets_a_point() {
    let document = Document::parse("['0,5', 7]").unwrap();
    let help = document.root().read::<Vec<f64>>().unwrap_err().help;
    assert_eq!(help.as_deref(), Some("write it with a point: `0.5`"));
}
