//! Any bytes are read as a spec or refused with diagnostics that can be rendered. A spec that is read can be checked,
//! run, and written and read back unchanged.

use hype_core::diagnostics::Diagnostics;
use hype_core::{Role, Session, Spec, Stimuli, Study};
use hype_sim::fixtures::{self, SetOf};

use crate::snippet;

/// The first byte of an input whose text repeats a part. It cannot begin a spec, since it is not
/// UTF-8.
const REPEATED: u8 = 0xFF;

/// The length at which repetition stops; the reader refuses anything over a mebibyte.
const LONGEST: usize = (1 << 20) + 1;

/// Reads the bytes, and checks the spec or the diagnostics that result.
///
/// # Panics
/// If the reader, the check or the renderer is at fault.
pub fn run(bytes: &[u8]) {
    let repeated = repeated(bytes);
    let text = repeated.as_deref().unwrap_or(bytes);
    match Spec::read(text) {
        Ok(source) => {
            assert!(!source.warnings.has_errors(), "read, with the errors {:?}", source.warnings);
            look(&source.warnings, text);
            for size in [2, 30] {
                let stimuli = stimuli(&source.spec, size);
                let mut found = source.spec.check(&stimuli);
                found.locate(&source.document);
                look(&found, text);
                begin(&source.spec, stimuli);
            }
            reads_back(&source.spec);
        }
        Err(found) => {
            assert!(found.has_errors(), "refused without an error");
            look(&found, text);
        }
    }
}

/// A text that repeats a part: the number of repetitions, the part, and the text.
///
/// A short input thus represents a long text, which reveals excessive use of time or memory.
fn repeated(bytes: &[u8]) -> Option<Vec<u8>> {
    let [REPEATED, times, from, length, text @ ..] = bytes else { return None };
    let (before, rest) = text.split_at(usize::from(*from).min(text.len()));
    let (part, after) = rest.split_at(usize::from(*length).min(rest.len()));
    let room = LONGEST.saturating_sub(before.len() + after.len());
    let times = (1_usize << (times % 21)).min(room.checked_div(part.len()).unwrap_or(0));
    Some([before, &part.repeat(times), after].concat())
}

/// Renders diagnostics, as text and as JSON.
fn look(found: &Diagnostics, text: &[u8]) {
    for one in found {
        if let Some(span) = one.span {
            assert!(
                span.start <= span.end && span.end <= text.len(),
                "{one} spans {span:?} of {} bytes",
                text.len()
            );
        }
    }
    let text = String::from_utf8_lossy(text);
    let rendered = snippet::render(found.as_slice(), "evaluation.yaml", &text, false);
    assert_eq!(rendered.is_empty(), found.is_empty());
    let commands = |character: &char| character.is_control() && !matches!(character, '\n' | '\t');
    let foreign = rendered.chars().find(commands);
    assert_eq!(foreign, None, "a control character reaches the terminal in {rendered:?}");
    let json = serde_json::to_string(found.as_slice());
    assert!(json.is_ok(), "diagnostics cannot be written: {json:?}");
}

/// Stimuli of the first few sets of a spec.
fn stimuli(spec: &Spec, size: u32) -> Stimuli {
    let sets: Vec<SetOf<'_>> = spec
        .protocol
        .stimuli
        .iter()
        .take(8)
        .map(|(name, set)| {
            // One model has another number of images than the others.
            let size = if set.role == Role::Generated { size + 2 } else { 2 * size };
            SetOf { name, role: set.role, used_for: set.used_for, size }
        })
        .collect();
    fixtures::sets(&sets)
}

/// Opens a session at both ends of the plan if the spec is usable.
fn begin(spec: &Spec, stimuli: Stimuli) {
    let Ok(study) = Study::new(spec.clone(), stimuli) else { return };
    let card = serde_json::to_string(&study.card());
    assert!(card.is_ok(), "the card cannot be written: {card:?}");
    for place in [0, study.places() - 1] {
        let opened = Session::open(&study, "r1", place, 0);
        let (session, log) = opened.expect("a design that passed the check allows a session at every place");
        let replayed = Session::replay(&study, log).expect("the opening is a log that can be replayed");
        assert_eq!(replayed.step(), session.step());
    }
}

fn reads_back(spec: &Spec) {
    let printed = serde_yaml::to_string(spec).expect("a spec can be written");
    if printed.len() >= LONGEST {
        return;
    }
    match Spec::read(printed.as_bytes()) {
        Ok(again) => {
            assert_eq!(again.spec.digest(), spec.digest(), "a different spec is read back from\n{printed}")
        }
        Err(found) => panic!("{:?}\nis not read back:\n{printed}", found.as_slice()),
    }
}
