//! Limits that the service's documentation states, and its model does not.

use serde_json::Value;

/// The most characters of a text, by operation and member.
const CHARACTERS: [(&str, &str, usize); 10] = [
    ("CreateHITType", "Title", 128),
    ("CreateHITType", "Description", 2_000),
    ("CreateHITType", "Keywords", 1_000),
    ("CreateHITWithHITType", "RequesterAnnotation", 255),
    ("CreateHITWithHITType", "Question", 65_535),
    ("CreateQualificationType", "Name", 200),
    ("CreateQualificationType", "Description", 2_000),
    ("NotifyWorkers", "Subject", 200),
    ("NotifyWorkers", "MessageText", 4_096),
    ("RejectAssignment", "RequesterFeedback", 1_024),
];

/// The range of a number, by operation and member.
const NUMBERS: [(&str, &str, i64, i64); 5] = [
    ("CreateHITType", "AssignmentDurationInSeconds", 30, 31_536_000),
    ("CreateHITType", "AutoApprovalDelayInSeconds", 0, 2_592_000),
    ("CreateHITWithHITType", "LifetimeInSeconds", 30, 31_536_000),
    ("CreateHITWithHITType", "MaxAssignments", 1, 1_000_000_000),
    ("CreateAdditionalAssignmentsForHIT", "NumberOfAdditionalAssignments", 1, 1_000_000_000),
];

/// The most entries of a list, by operation and member.
const ENTRIES: [(&str, &str, usize); 2] =
    [("CreateHITType", "QualificationRequirements", 10), ("NotifyWorkers", "WorkerIds", 100)];

/// Texts that must not be empty.
const FILLED: [(&str, &str); 6] = [
    ("CreateHITType", "Title"),
    ("CreateHITType", "Description"),
    ("CreateQualificationType", "Name"),
    ("NotifyWorkers", "Subject"),
    ("NotifyWorkers", "MessageText"),
    ("SendBonus", "Reason"),
];

/// Returns the faults of a request that the model admits.
pub(super) fn objections(operation: &str, input: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let member = |of: &str, name: &str| if of == operation { input.get(name) } else { None };
    let text = |of, name| member(of, name).and_then(Value::as_str);
    for (of, name, most) in CHARACTERS {
        if text(of, name).is_some_and(|text| text.chars().count() > most) {
            faults.push(format!("{operation}.{name}: more than {most} characters"));
        }
    }
    for (of, name) in FILLED {
        if text(of, name).is_some_and(|text| text.trim().is_empty()) {
            faults.push(format!("{operation}.{name}: empty"));
        }
    }
    for (of, name, least, most) in NUMBERS {
        if member(of, name).and_then(Value::as_i64).is_some_and(|number| !(least..=most).contains(&number)) {
            faults.push(format!("{operation}.{name}: not from {least} to {most}"));
        }
    }
    for (of, name, most) in ENTRIES {
        if member(of, name).and_then(Value::as_array).is_some_and(|entries| entries.len() > most) {
            faults.push(format!("{operation}.{name}: more than {most} entries"));
        }
    }
    faults
}
