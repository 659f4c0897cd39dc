//! Any log is replayed or refused. A log that is replayed matches what its study gives for its answers. Any log that
//! forms a record can be scored or is refused, and its scores can be aggregated.

use hype_core::plugin::aggregator::Aggregation;
use hype_core::study::analysis::Aggregating;
use hype_core::model::findings::Exclusion;
use hype_core::{Answered, Event, ScoreTable, Session, SessionRecord};
use serde_json::Value;

use crate::choices::Choices;
use crate::studies::{HELD, Held, assert_adds_up};

/// The largest number of events in a log.
const EVENTS_AT_MOST: usize = 200;

/// Alters a genuine log as the bytes choose, or reads them as an event's text.
///
/// # Panics
/// If events, replay, rubrics or the aggregator are at fault.
pub fn run(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let held = choices.below(HELD.len() + 1);
    let Some(held) = HELD.get(held) else {
        read(choices.rest());
        return;
    };
    let place = choices.below(held.logs.len());
    let mut log = held.logs[place].clone();
    while !choices.is_used_up() {
        alter(&mut log, held, &mut choices);
        log.truncate(EVENTS_AT_MOST);
    }
    replay(held, &log);
    score(held, place, log);
}

/// Asserts that an event survives being written and read.
fn read(text: &[u8]) -> Option<Event> {
    let event: Event = serde_json::from_slice(text).ok()?;
    let written = serde_json::to_string(&event).expect("an event can be written");
    let again: Event = serde_json::from_str(&written).expect("a written event can be read");
    assert_eq!(again, event, "another event is read back from {written}");
    Some(event)
}

/// Makes one alteration.
fn alter(log: &mut Vec<Event>, held: &Held, choices: &mut Choices<'_>) {
    let kind = choices.byte() % 10;
    let at = choices.below(log.len());
    if at >= log.len() {
        return;
    }
    match kind {
        0 => drop(log.remove(at)),
        1 => {
            let to = choices.below(log.len() + 1);
            log.insert(to, log[at].clone());
        }
        2 => {
            let with = choices.below(log.len());
            log.swap(at, with);
        }
        3 => log.truncate(at),
        4 => {
            let answer = choices.json(2);
            if let Event::Answered(answered) = &mut log[at] {
                answered.answer = answer.into();
            }
        }
        5 | 6 => {
            let mut value = serde_json::to_value(&log[at]).expect("an event can be written");
            let place = choices.below(leaves(&value));
            change(&mut value, place, choices);
            if let Ok(event) = serde_json::from_value(value) {
                log[at] = event;
            }
        }
        7 => {
            let mut text = serde_json::to_vec(&log[at]).expect("an event can be written");
            let length = choices.below(text.len() + 1);
            if choices.flag() {
                text.truncate(length);
            } else if let Some(byte) = text.get_mut(length) {
                *byte = choices.byte();
            }
            if let Some(event) = read(&text) {
                log[at] = event;
            }
        }
        8 => {
            let other = &held.logs[choices.below(held.logs.len())];
            log.splice(at.., other.iter().skip(at).cloned());
        }
        _ => {
            let other = &HELD[choices.below(HELD.len())].logs;
            let other = &other[choices.below(other.len())];
            log[at] = other[choices.below(other.len())].clone();
        }
    }
}

/// The number of values in a value, including itself.
fn leaves(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(leaves).sum(),
        Value::Object(map) => map.values().map(leaves).sum(),
        _ => 0,
    }
}

/// Changes the value with an index as counted by [`leaves`], or its content.
fn change(value: &mut Value, mut place: usize, choices: &mut Choices<'_>) {
    if place == 0 {
        match value {
            Value::Number(number) if choices.flag() => {
                let near = number.as_u64().unwrap_or(0);
                *value = near.wrapping_add(choices.of(&[1, u64::MAX, 256, 65_536, 1 << 32])).into();
            }
            Value::Array(items) if choices.flag() => drop(items.pop()),
            Value::Object(map) if choices.flag() => {
                let key = map.keys().nth(choices.below(map.len())).cloned().unwrap_or_default();
                map.remove(&key);
            }
            _ => *value = choices.json(2),
        }
        return;
    }
    place -= 1;
    let children: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(map) => map.values_mut().collect(),
        _ => Vec::new(),
    };
    for child in children {
        let here = leaves(child);
        if place < here {
            change(child, place, choices);
            return;
        }
        place -= here;
    }
}

/// Replays a log. If it is accepted, compares it with the genuine log of its place.
fn replay(held: &Held, log: &[Event]) {
    let Ok(session) = Session::replay(&held.study, log.iter().cloned()) else { return };
    assert_eq!(session.events(), log.len() as u64);
    assert_adds_up(&held.study, log);
    let Some(Event::Opened(header)) = log.first() else { panic!("a log without an opening is accepted") };
    assert_eq!(header, session.header());
    assert_eq!(header.place, held.study.place(header.place.number));
    let genuine = held.logs.get(header.place.number as usize);
    if let (Some(genuine), 0) = (genuine, header.attempt) {
        same_until_answers_differ(genuine, log);
    }
}

/// Asserts that two logs agree up to the first answer that was judged differently.
fn same_until_answers_differ(genuine: &[Event], log: &[Event]) {
    for (index, (real, found)) in genuine.iter().zip(log).enumerate().skip(1) {
        match (real, found) {
            (Event::Answered(real), Event::Answered(found)) => {
                let asked = |one: &Answered| (one.trial, one.shown.clone());
                assert_eq!(asked(real), asked(found), "event {index}");
                if real.correct != found.correct {
                    return;
                }
                assert_eq!(
                    real.answer, found.answer,
                    "event {index} has another answer that is judged the same"
                );
            }
            (Event::Finished(real), Event::Finished(found)) => assert_eq!(real, found),
            _ => {
                let one_leaves = [real, found].into_iter().any(|event| matches!(event, Event::Left { .. }));
                assert!(one_leaves, "event {index} is {found:?} in place of {real:?}");
                return;
            }
        }
    }
}

/// Scores a log together with the genuine logs of the other places, and aggregates the scores.
fn score(held: &Held, place: usize, log: Vec<Event>) {
    let Ok(altered) = SessionRecord::from_events(log) else { return };
    let spec = held.study.spec();
    let context = held.study.scoring();
    let measures = spec.analysis.rubric.measures();
    let mut sums =
        Aggregating::begin(&spec.analysis.aggregate.0, &Aggregation::new(measures, spec.protocol.design));
    let mut scores = ScoreTable::default();
    if spec.analysis.rubric.score(&altered, &context, &mut scores).is_err() {
        return;
    }
    for row in scores.rows() {
        assert!(row.value.is_finite(), "{row:?}");
    }
    for (other, log) in held.logs.iter().enumerate().filter(|(other, _)| *other != place) {
        let record = SessionRecord::from_events(log.clone()).expect("a genuine log forms a record");
        spec.analysis.rubric.score(&record, &context, &mut scores).expect("a genuine log can be scored");
        if other % 2 == 0 {
            sums.add(&scores).expect("scores can be added");
            scores.clear_rows();
        }
    }
    sums.add(&scores).expect("scores can be added");
    let exclusions: Vec<Exclusion> = (!altered.is_complete())
        .then(|| Exclusion {
            rater: altered.header.rater.clone(),
            rule: "left".into(),
            reason: "left".into(),
        })
        .into_iter()
        .collect();
    let Ok(found) = sums.findings(&exclusions, held.study.chance()) else { return };
    for measure in &found.measures {
        for estimate in &measure.estimates {
            assert!(estimate.value.is_finite(), "{estimate:?}");
            if let Some(interval) = &estimate.interval {
                assert!(interval.low <= interval.high, "{estimate:?}");
            }
        }
        let json = serde_json::to_string(measure);
        assert!(json.is_ok(), "the findings cannot be written: {json:?}");
    }
    spec.analysis.rubric.remarks(&found.measures, &context);
}
