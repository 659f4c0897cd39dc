//! Events that are difficult to store: extreme numbers, empty and foreign text, all kinds.

use hype_core::model::record::{Header, Shown};
use hype_core::model::trial::Phase;
use hype_core::{
    Amount, Answered, Digest, Ending, Event, Micros, Millis, Outcome, Place, SetId, StimulusId, Timing,
};
use serde_json::{Value, json};

/// The first `count` events of a writer.
pub(super) fn samples(writer: u32, count: usize) -> Vec<Event> {
    (0..count).map(|number| sample(writer, number)).collect()
}

/// An event that identifies its writer and its number.
pub(super) fn sample(writer: u32, number: usize) -> Event {
    match number % 6 {
        0 => Event::Opened(header(writer, number)),
        1 => Event::Left { at: Micros(u64::MAX - u64::from(writer) * 1_000 - number as u64) },
        2 => Event::Finished(Outcome {
            ending: Ending::Disqualified,
            answered: writer,
            correct: number as u32,
            earned: Some(hype_core::model::record::Earned {
                base: Amount(1_000_000),
                bonus: Amount(20_500),
                waiting: Amount(0),
            }),
        }),
        _ => Event::Answered(answered(writer, number)),
    }
}

fn header(writer: u32, number: usize) -> Header {
    Header {
        rater: format!("rater {writer} 'quoted\" \\ Zoë 🙂").into(),
        place: Place { number: number as u32, models: vec![SetId(0), SetId(u16::MAX)], turn: writer },
        attempt: u32::MAX,
        study: Digest::of(b"study"),
        task: "task".into(),
        task_version: 1,
        briefing: None,
        qualified_in: None,
        generator: "".into(),
        software: "0.0.0".into(),
    }
}

fn answered(writer: u32, number: usize) -> Answered {
    let floats = [0.1 + 0.2, 5e-324, f64::MAX, -0.5, 1.0, 1e23, 9_007_199_254_740_993.0, 123.456e-7];
    let value: Value = match number % 4 {
        0 => json!(floats[number % floats.len()]),
        1 => json!([u64::MAX, i64::MIN, floats[(number + 3) % floats.len()], null, true, {}]),
        2 => json!("line\nbreak, tab\t, nul \u{0}, \u{2028}, Ä 日本 🙂"),
        _ => json!({ "": "", "b": [[]], "a": { "nested": writer } }),
    };
    Answered {
        trial: number as u32,
        shown: Shown {
            phase: Phase::Main,
            block: 3,
            stimuli: vec![StimulusId(u32::MAX), StimulusId(0)],
            model: number.is_multiple_of(2).then_some(SetId(7)),
            exposure_ms: (number % 4 == 1).then_some(Millis(500)),
        },
        answer: json!({ "writer": writer, "value": value }).into(),
        correct: [None, Some(true), Some(false)][number % 3],
        timing: Timing {
            at: Micros(number as u64),
            rt: Micros(1),
            exposure: (number % 2 == 1).then_some(Micros(499_999)),
        },
    }
}
