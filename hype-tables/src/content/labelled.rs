//! Label Studio's lists of tasks with annotations, as one object for each annotation.

use serde_json::{Map, Value};

/// The fields of a task that hold its annotations, the newer one first.
const ANNOTATIONS: [&str; 2] = ["annotations", "completions"];

/// One object for each annotation of a list of tasks, as Label Studio's own tables have them: the task's data, `id`, `annotator`,
/// `annotation_id`, and a field for each question. Also the number of annotations that were cancelled. `None` if it is another
/// list.
pub(super) fn rows(bytes: &[u8]) -> Option<(Value, u64)> {
    let has = |word: &[u8]| memchr::memmem::find(bytes, word).is_some();
    if !(has(b"\"result\"") && has(b"\"data\"")) {
        return None;
    }
    let tasks: Vec<Map<String, Value>> = serde_json::from_slice(bytes).ok()?;
    let (mut rows, mut cancelled) = (Vec::new(), 0);
    for task in &tasks {
        let data = task.get("data")?.as_object()?;
        let annotations = ANNOTATIONS.iter().find_map(|field| task.get(*field)?.as_array())?;
        for annotation in annotations {
            let annotation = annotation.as_object()?;
            if annotation.get("was_cancelled") == Some(&Value::Bool(true)) {
                cancelled += 1;
                continue;
            }
            let mut row = data.clone();
            let mut add = |name: &str, value: Option<&Value>| {
                row.insert(name.to_owned(), value.cloned().unwrap_or_default());
            };
            add("id", task.get("id"));
            add("annotation_id", annotation.get("id"));
            add("annotator", annotation.get("completed_by").map(person));
            for result in annotation.get("result")?.as_array()? {
                if let Some(name) = result.get("from_name").and_then(Value::as_str) {
                    add(name, result.get("value").map(answer));
                }
            }
            rows.push(Value::Object(row));
        }
    }
    Some((Value::Array(rows), cancelled))
}

/// The id of a person, who may be described by an object.
fn person(value: &Value) -> &Value {
    ["id", "email"].iter().find_map(|field| value.get(*field)).unwrap_or(value)
}

/// The answer in a value such as `{"rating": 4}` or `{"choices": ["good"]}`.
fn answer(value: &Value) -> &Value {
    const FIELDS: [&str; 6] = ["rating", "number", "choices", "selected", "text", "taxonomy"];
    let found = FIELDS.iter().find_map(|field| value.get(*field)).unwrap_or(value);
    match found.as_array().map(Vec::as_slice) {
        Some([only]) => only,
        _ => found,
    }
}
