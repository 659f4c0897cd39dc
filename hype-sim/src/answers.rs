//! Answers to the questions of any trial: chosen, random, and invalid ones.
//!
//! A form unknown to this version is answered with `null`.

use hype_core::model::trial::{ChoiceOption, Form};
use hype_core::{Answer, AnswerValue, Question, Stream, Trial};
use serde_json::{Number, Value, json};

pub(crate) mod ranking;

/// The answer to a trial that gives each question what `choose` returns.
pub fn answer(trial: &Trial, mut choose: impl FnMut(&Question) -> AnswerValue) -> Answer {
    match &*trial.questions {
        [question] => Answer::one(&question.id, choose(question)),
        questions => questions.iter().map(|question| (&*question.id, choose(question))).collect(),
    }
}

/// A random valid answer to a trial, every option of a question equally likely.
pub fn random(trial: &Trial, chance: &mut Stream) -> Answer {
    answer(trial, |question| any(&question.form, chance))
}

/// Whether a value is an answer that the form allows.
#[must_use]
pub fn accepts(form: &Form, value: &AnswerValue) -> bool {
    match form {
        Form::Ranking { candidates, ties } => ranking::accepts(candidates, *ties, value),
        form => form.check(value).is_ok(),
    }
}

/// A random value that the form allows, each equally likely.
pub fn any(form: &Form, chance: &mut Stream) -> AnswerValue {
    match form {
        Form::Choice { options } => option(form, chance.below(options.len() as u32) as usize),
        Form::Number { minimum, maximum, whole: true } => {
            let (least, greatest) = (minimum.ceil(), maximum.floor());
            let number = least + (chance.unit_f64() * (greatest - least + 1.0)).floor();
            AnswerValue::from(number.min(greatest) as i64)
        }
        Form::Number { .. } | Form::Slider { .. } => at(form, chance.unit_f64()),
        Form::Several { options, at_least, at_most } => {
            let most = (*at_most).min(options.len() as u32);
            let count = at_least + chance.below(most.saturating_sub(*at_least) + 1);
            several(options, count as usize, chance)
        }
        Form::Text { at_most } => words(*at_most, chance),
        Form::Marks { .. } => first_character(),
        Form::Ranking { candidates, ties } => ranking::any(candidates, *ties, chance),
        _ => Value::Null.into(),
    }
}

/// A random value that the form allows and that is not `avoided`; `avoided` itself if there is no other.
pub fn other_than(form: &Form, avoided: &AnswerValue, chance: &mut Stream) -> AnswerValue {
    match form {
        Form::Choice { options } => {
            let taken = avoided.as_str();
            let others = options.iter().filter(|option| Some(&*option.value) != taken).count();
            let chosen = chance.below(others as u32) as usize;
            options
                .iter()
                .filter(|option| Some(&*option.value) != taken)
                .nth(chosen)
                .map_or_else(|| avoided.clone(), |option| AnswerValue::from(&*option.value))
        }
        Form::Number { minimum, maximum, whole: true } => {
            let (least, greatest) = (minimum.ceil(), maximum.floor());
            let others = greatest - least;
            if others < 1.0 {
                return avoided.clone();
            }
            let number = least + (chance.unit_f64() * others).floor().min(others - 1.0);
            let skips = avoided.as_f64().is_some_and(|avoided| number >= avoided);
            AnswerValue::from((number + f64::from(u8::from(skips))) as i64)
        }
        Form::Number { minimum, maximum, .. } | Form::Slider { minimum, maximum, .. } => {
            // At least a quarter of the range away, with the range as a circle.
            let range = maximum - minimum;
            let place = avoided.as_f64().map_or(0.0, |avoided| (avoided - minimum) / range);
            at(form, (place + 0.25 + 0.5 * chance.unit_f64()).fract())
        }
        Form::Several { .. } | Form::Text { .. } => {
            let mut another = || Some(any(form, chance)).filter(|value| value != avoided);
            // A form with a single answer has no other one.
            (0..TRIES).find_map(|_| another()).unwrap_or_else(|| avoided.clone())
        }
        Form::Marks { .. } => avoided.clone(),
        Form::Ranking { candidates, .. } => ranking::other_than(candidates, avoided),
        _ => Value::Null.into(),
    }
}

/// The value at a place from 0 (the first option, the least number) to 1 (the last option, the greatest
/// number), rounded to the nearest; places beyond the ends are clamped. For rankings, the candidates in the order
/// shown, starting at the place.
#[must_use]
pub fn at(form: &Form, place: f64) -> AnswerValue {
    // NaN counts as 0.
    let place = if place > 0.0 { place.min(1.0) } else { 0.0 };
    match form {
        Form::Choice { options } => {
            option(form, (place * options.len().saturating_sub(1) as f64).round() as usize)
        }
        Form::Number { minimum, maximum, whole: true } => {
            let (least, greatest) = (minimum.ceil(), maximum.floor());
            AnswerValue::from((least + (place * (greatest - least)).round()) as i64)
        }
        Form::Number { minimum, maximum, whole: false } => {
            let number = minimum + place * (maximum - minimum);
            Number::from_f64(number.max(*minimum).min(*maximum))
                .map_or_else(|| Value::Null.into(), AnswerValue::from)
        }
        Form::Slider { minimum, maximum, step, .. } => {
            let steps = (place * (maximum - minimum) / step).round();
            let number = minimum + steps * step;
            Number::from_f64(number.max(*minimum).min(*maximum))
                .map_or_else(|| Value::Null.into(), AnswerValue::from)
        }
        Form::Several { options, at_least, at_most } => {
            let count = f64::from(*at_least) + place * f64::from(at_most.saturating_sub(*at_least));
            let chosen = options.iter().take(count.round() as usize).map(|option| json!(option.value));
            Value::Array(chosen.collect()).into()
        }
        Form::Text { at_most } => AnswerValue::from(&WORDS[0][..WORDS[0].len().min(*at_most as usize)]),
        Form::Marks { .. } => first_character(),
        Form::Ranking { candidates, .. } => ranking::turned(candidates, place),
        _ => Value::Null.into(),
    }
}

/// How often another answer is drawn before it counts as impossible.
const TRIES: u32 = 64;

/// The texts that synthetic raters write.
const WORDS: [&str; 4] = ["it looks sharper", "colours", "the other one has odd hands", "no idea"];

/// So many options, in their order, every set of them equally likely.
fn several(options: &[ChoiceOption], count: usize, chance: &mut Stream) -> AnswerValue {
    let mut places: Vec<usize> = (0..options.len()).collect();
    chance.shuffle(&mut places);
    places.truncate(count);
    places.sort_unstable();
    Value::Array(places.into_iter().map(|place| json!(options[place].value)).collect()).into()
}

/// A mark of the first character, which every text has: forms do not know how long texts are.
fn first_character() -> AnswerValue {
    json!([[0, 0, 1]]).into()
}

/// A few words, cut to so many characters.
fn words(at_most: u32, chance: &mut Stream) -> AnswerValue {
    let words = WORDS[chance.below(WORDS.len() as u32) as usize];
    AnswerValue::from(words[..words.len().min(at_most as usize)].trim_end())
}

/// The value of an option by its position; positions after the last continue with the first.
pub(crate) fn option(form: &Form, index: usize) -> AnswerValue {
    match form {
        Form::Choice { options } if !options.is_empty() => {
            AnswerValue::from(&*options[index % options.len()].value)
        }
        _ => Value::Null.into(),
    }
}

/// The number of options of a choice; `None` for other forms.
pub(crate) fn options(form: &Form) -> Option<usize> {
    match form {
        Form::Choice { options } => Some(options.len()),
        _ => None,
    }
}

/// An invalid answer that a task has to refuse, and the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Invalid {
    /// The reason.
    pub fault: String,
    /// The answer.
    pub answer: Answer,
}

/// Answers that are not valid for a trial: wrong shapes, missing questions, values outside each form.
///
/// `valid` is a valid answer; each invalid one differs from it in one respect.
#[must_use]
pub fn invalid(trial: &Trial, valid: &Answer) -> Vec<Invalid> {
    let mut found = Vec::new();
    let mut add = |fault: String, answer: Value| found.push(Invalid { fault, answer: answer.into() });
    let valid = valid.to_json();
    for (shape, answer) in [
        ("null", Value::Null),
        ("a string", json!("yes")),
        ("a number", json!(1)),
        ("a boolean", json!(true)),
        ("a list", json!([&valid, &valid])),
    ] {
        add(format!("it is {shape} instead of an object"), answer);
    }
    for question in trial.questions.iter() {
        let id = &*question.id;
        let mut without = valid.clone();
        if let Some(map) = without.as_object_mut() {
            map.remove(id);
        }
        if question.required.applies(&Answer::from(without.clone())) {
            add(format!("`{id}` is missing"), without);
        }
        for wrong in wrong_values(&question.form) {
            if !accepts(&question.form, &wrong.clone().into()) {
                let mut broken = valid.clone();
                broken[id] = wrong.clone();
                add(format!("`{id}` is {wrong}"), broken);
            }
        }
    }
    found
}

fn wrong_values(form: &Form) -> Vec<Value> {
    let mut wrong = vec![Value::Null, json!([]), json!({})];
    match form {
        Form::Choice { options } => {
            wrong.extend([json!(""), json!("no such option"), json!(0), json!(true)]);
            wrong.extend(options.first().map(|option| json!(option.value.to_uppercase())));
            wrong.extend(options.first().map(|option| json!(format!("{} ", option.value))));
        }
        Form::Number { minimum, maximum, whole } => {
            wrong.push(json!("many"));
            for number in [minimum - 1.0, maximum + 1.0] {
                wrong.push(if *whole { json!(number.round() as i64) } else { json!(number) });
            }
            if *whole {
                wrong.push(json!(minimum.ceil() + 0.5));
            }
        }
        Form::Slider { minimum, maximum, .. } => {
            wrong.extend([json!("many"), json!(minimum - 1.0), json!(maximum + 1.0)]);
        }
        Form::Several { options, at_most, .. } => {
            let values: Vec<Value> = options.iter().map(|option| json!(option.value)).collect();
            wrong.extend([json!("no such option"), json!(["no such option"]), json!([1])]);
            wrong.extend(values.first().map(|value| json!([value, value])));
            wrong.push(Value::Array(values.iter().rev().cloned().collect()));
            if (*at_most as usize) < values.len() {
                wrong.push(Value::Array(values));
            }
        }
        Form::Text { at_most } => {
            wrong.extend([json!(""), json!("  \n "), json!(7), json!("a\u{0}b")]);
            wrong.push(json!("x".repeat(*at_most as usize + 1)));
        }
        Form::Marks { .. } => {
            wrong.extend([json!([[0, 2, 2]]), json!([[0, 1]]), json!([[0, 1, 3], [0, 2, 4]])]);
        }
        Form::Ranking { candidates, .. } => wrong.extend(ranking::wrong(candidates)),
        _ => {}
    }
    wrong
}

#[cfg(test)]
mod tests {
    use hype_core::Streams;

    use super::*;

    fn choice(values: &[&str]) -> Form {
        let option = |value: &&str| ChoiceOption::new(value, value, None);
        Form::Choice { options: values.iter().map(option).collect() }
    }

    fn number(minimum: f64, maximum: f64, whole: bool) -> Form {
        Form::Number { minimum, maximum, whole }
    }

    fn several(values: &[&str], at_least: u32, at_most: u32) -> Form {
        let options = values.iter().map(|value| ChoiceOption::new(value, value, None)).collect();
        Form::Several { options, at_least, at_most }
    }

    fn ranking(values: &[&str], ties: bool) -> Form {
        let candidates = values.iter().map(|value| ChoiceOption::new(value, value, None)).collect();
        Form::Ranking { candidates, ties }
    }

    #[test]
    fn rankings_are_dense_and_without_ties_where_none_are_allowed() {
        for (ties, ranks, fits) in [
            (true, json!({ "a": 1, "b": 1, "c": 2 }), true),
            (false, json!({ "a": 1, "b": 1, "c": 2 }), false),
            (false, json!({ "a": 3, "b": 1, "c": 2 }), true),
            (true, json!({ "a": 1, "b": 3, "c": 3 }), false),
            (true, json!({ "a": 1, "b": 2 }), false),
            (true, json!({ "a": 1, "b": 2, "c": 3, "d": 4 }), false),
            (true, json!({ "a": 0, "b": 1, "c": 2 }), false),
            (true, json!({ "a": 1.5, "b": 1, "c": 2 }), false),
            (true, json!(["a", "b", "c"]), false),
        ] {
            assert_eq!(accepts(&ranking(&["a", "b", "c"], ties), &ranks.clone().into()), fits, "{ranks}");
        }
    }

    fn forms() -> Vec<Form> {
        vec![
            choice(&["real", "fake"]),
            choice(&["1", "2", "3", "4", "5"]),
            number(1.0, 5.0, true),
            number(-2.5, 2.5, true),
            number(0.0, 100.0, false),
            number(-1e300, 1e300, false),
            ranking(&["a", "b", "c"], true),
            ranking(&["a", "b", "c", "d"], false),
            several(&["a", "b", "c", "d"], 1, 3),
            Form::Slider { minimum: 0.0, maximum: 100.0, from: "low".into(), to: "high".into(), step: 5.0 },
            Form::Text { at_most: 30 },
        ]
    }

    #[test]
    fn random_and_other_values_are_allowed_and_differ() {
        let mut chance = Streams::new(2).stream("answers");
        for form in forms() {
            for _ in 0..200 {
                let value = any(&form, &mut chance);
                assert!(accepts(&form, &value), "{form:?}: {value}");
                let other = other_than(&form, &value, &mut chance);
                assert!(accepts(&form, &other) && other != value, "{form:?}: {other} beside {value}");
            }
        }
    }

    #[test]
    fn every_other_value_is_reached() {
        let mut chance = Streams::new(3).stream("answers");
        for (form, avoided, expected) in [
            (choice(&["a", "b", "c"]), json!("b"), vec![json!("a"), json!("c")]),
            (number(1.0, 4.0, true), json!(2), vec![json!(1), json!(3), json!(4)]),
        ] {
            let avoided = avoided.into();
            let drawn: Vec<Value> =
                (0..100).map(|_| other_than(&form, &avoided, &mut chance).to_json()).collect();
            for value in expected {
                assert!(drawn.contains(&value), "{value} of {form:?}");
            }
        }
        assert_eq!(other_than(&choice(&["only"]), &"only".into(), &mut chance), "only".into());
        assert_eq!(other_than(&number(3.0, 3.0, true), &3.into(), &mut chance), 3.into());
    }

    #[test]
    fn places_run_from_the_first_to_the_last() {
        let five = choice(&["1", "2", "3", "4", "5"]);
        for (place, expected) in [(-1.0, "1"), (0.12, "1"), (0.13, "2"), (0.5, "3"), (1.0, "5"), (9.0, "5")] {
            assert_eq!(at(&five, place), expected.into());
        }
        assert_eq!(at(&number(1.0, 5.0, true), 0.6), 3.into());
        assert_eq!(at(&number(1.0, 5.0, true), f64::NAN), 1.into());
        assert_eq!(at(&number(0.0, 10.0, false), 0.25), json!(2.5).into());
        assert_eq!(at(&choice(&[]), 0.5), Value::Null.into());
    }
}
