//! Requests and answers are checked against Prolific's OpenAPI document.
//!
//! `contract/api.json` is a digest of the document, with its origin. Requests are judged strictly: members and parameters that it
//! does not name are faults. Answers may have more members.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use hyper::Request;
use hyper::body::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value};

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a test reads the file")]
    serde_json::from_str(include_str!("contract/api.json")).expect("the contract is JSON of this kind")
});

#[derive(Debug, Deserialize)]
struct Contract {
    /// The parameters of lists that are read in pages.
    paging: BTreeMap<String, Shape>,
    /// By method and path.
    operations: BTreeMap<String, Operation>,
    shapes: BTreeMap<String, Shape>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Operation {
    query: BTreeMap<String, Shape>,
    /// The parameters that have to be there.
    needs: Vec<String>,
    /// Alternative parameters: exactly one of them has to be present.
    one_of: Vec<String>,
    paged: bool,
    body: Option<Shape>,
    /// The status of its success.
    status: u16,
    answer: Option<Shape>,
}

/// A shape by its name, or written out.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Shape {
    Named(String),
    Written(Box<Written>),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    #[serde(rename = "type")]
    kinds: Kinds,
    /// The members of an object; any if there are none.
    members: BTreeMap<String, Shape>,
    /// The shape whose members it has, too.
    extends: Option<String>,
    needs: Vec<String>,
    one_of: Vec<String>,
    when: Vec<Condition>,
    items: Option<Shape>,
    /// The member by which entries of a list differ.
    distinct: Option<String>,
    #[serde(rename = "enum")]
    choices: Vec<String>,
    /// The least number.
    min: Option<f64>,
    max: Option<f64>,
    /// The fewest characters of a text, or entries of a list.
    fewest: Option<usize>,
    most: Option<usize>,
}

/// Members that are needed if another one has a value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Condition {
    member: String,
    is: String,
    needs: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Kinds {
    One(Kind),
    Some(Vec<Kind>),
}

impl Default for Kinds {
    fn default() -> Self {
        Self::Some(Vec::new())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Object,
    Array,
    String,
    Number,
    Integer,
    Boolean,
    Null,
}

impl Kind {
    fn is_of(self, value: &Value) -> bool {
        match self {
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Self::Boolean => value.is_boolean(),
            Self::Null => value.is_null(),
        }
    }
}

impl Kinds {
    fn all(&self) -> &[Kind] {
        match self {
            Self::One(kind) => std::slice::from_ref(kind),
            Self::Some(kinds) => kinds,
        }
    }
}

/// Returns the faults of a request, each with its place. The label is its method and path, with `{id}` in place of ids.
pub(super) fn objections(label: &str, request: &Request<Bytes>) -> Vec<String> {
    let contract = &*CONTRACT;
    let Some(operation) = contract.operations.get(label) else {
        return vec![format!("the document has no {label}")];
    };
    let mut judge = Judge { contract, is_strict: true, faults: Vec::new() };
    judge.query(label, operation, request.uri().query().unwrap_or_default());
    match (&operation.body, &**request.body()) {
        (None, b"" | b"{}") => {}
        (None, _) => judge.fault(label, "it has no body"),
        (Some(shape), body) => match serde_json::from_slice(body) {
            Ok(body) => judge.value(label, shape, &body),
            Err(error) => judge.fault(label, format_args!("its body is not JSON: {error}")),
        },
    }
    judge.faults
}

/// Returns the faults of an answer with which the fake accepts a request.
pub(super) fn objections_to_answer(label: &str, status: u16, answer: &Value) -> Vec<String> {
    let contract = &*CONTRACT;
    let Some(operation) = contract.operations.get(label) else { return Vec::new() };
    let mut judge = Judge { contract, is_strict: false, faults: Vec::new() };
    if status != operation.status {
        judge.fault(label, format_args!("the status is {status} in place of {}", operation.status));
    }
    if let Some(shape) = &operation.answer {
        judge.value(label, shape, answer);
    }
    judge.faults
}

struct Judge<'a> {
    contract: &'a Contract,
    /// Whether unknown members are faults.
    is_strict: bool,
    faults: Vec<String>,
}

impl<'a> Judge<'a> {
    fn fault(&mut self, at: &str, what: impl std::fmt::Display) {
        self.faults.push(format!("{at}: {what}"));
    }

    fn written(&self, shape: &'a Shape) -> Option<&'a Written> {
        match shape {
            Shape::Written(written) => Some(written),
            Shape::Named(name) => self.contract.shapes.get(name).and_then(|shape| self.written(shape)),
        }
    }

    fn query(&mut self, label: &str, operation: &'a Operation, query: &str) {
        let mut given = Map::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            given.insert(name.to_owned(), Value::from(value.replace("%20", " ")));
        }
        self.presence(label, &given, &operation.needs, &operation.one_of);
        for (name, text) in &given {
            let paging = self.contract.paging.get(name).filter(|_| operation.paged);
            let Some(shape) = operation.query.get(name).or(paging) else {
                self.fault(label, format_args!("the parameter {name} is unknown"));
                continue;
            };
            // Parameters are texts, and some of them are texts of numbers.
            let is_text = self.written(shape).is_some_and(|shape| shape.kinds.all().contains(&Kind::String));
            let read = text.as_str().filter(|_| !is_text).and_then(|text| serde_json::from_str(text).ok());
            self.value(&format!("{label}?{name}"), shape, read.as_ref().unwrap_or(text));
        }
    }

    /// Whether members are there that have to be.
    fn presence(&mut self, at: &str, given: &Map<String, Value>, needs: &[String], one_of: &[String]) {
        for missing in needs.iter().filter(|name| !given.contains_key(*name)) {
            self.fault(at, format_args!("{missing} is missing"));
        }
        let present = one_of.iter().filter(|name| given.contains_key(*name)).count();
        if !one_of.is_empty() && present != 1 {
            self.fault(at, format_args!("{present} of {} in place of one", one_of.join(", ")));
        }
    }

    fn value(&mut self, at: &str, shape: &'a Shape, value: &Value) {
        let Some(shape) = self.written(shape) else {
            return self.fault(at, "the contract has no such shape");
        };
        if !shape.kinds.all().iter().any(|kind| kind.is_of(value)) {
            return self.fault(at, format_args!("{value} is none of {:?}", shape.kinds.all()));
        }
        match value {
            Value::Object(members) => self.object(at, shape, members),
            Value::Array(entries) => self.array(at, shape, entries),
            Value::String(text) => {
                self.length(at, shape, text.chars().count(), "characters");
                if !shape.choices.is_empty() && !shape.choices.contains(text) {
                    self.fault(at, format_args!("{text:?} is none of {:?}", shape.choices));
                }
            }
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or(f64::NAN);
                let is_in = |bound: Option<f64>, holds: fn(f64, f64) -> bool| {
                    bound.is_none_or(|bound| holds(bound, number))
                };
                if !is_in(shape.min, |min, number| min <= number)
                    || !is_in(shape.max, |max, number| number <= max)
                {
                    self.fault(at, format_args!("{number} is out of range"));
                }
            }
            Value::Bool(_) | Value::Null => {}
        }
    }

    fn length(&mut self, at: &str, shape: &Written, length: usize, of: &str) {
        if shape.fewest.is_some_and(|fewest| length < fewest) || shape.most.is_some_and(|most| length > most)
        {
            self.fault(at, format_args!("{length} {of}"));
        }
    }

    fn array(&mut self, at: &str, shape: &'a Written, entries: &[Value]) {
        self.length(at, shape, entries.len(), "entries");
        if let Some(member) = &shape.distinct {
            let values: Vec<&Value> = entries.iter().filter_map(|entry| entry.get(member)).collect();
            let repeated = values.iter().enumerate().find(|(index, value)| values[..*index].contains(value));
            if let Some((index, _)) = repeated {
                self.fault(&format!("{at}[{index}]"), format_args!("{member} is that of an earlier entry"));
            }
        }
        if let Some(items) = &shape.items {
            for (index, entry) in entries.iter().enumerate() {
                self.value(&format!("{at}[{index}]"), items, entry);
            }
        }
    }

    fn object(&mut self, at: &str, shape: &'a Written, members: &Map<String, Value>) {
        self.presence(at, members, &shape.needs, &shape.one_of);
        for condition in &shape.when {
            if members.get(&condition.member).is_some_and(|value| *value == condition.is) {
                self.presence(at, members, &condition.needs, &[]);
            }
        }
        let extended = shape.extends.as_ref().and_then(|name| self.contract.shapes.get(name));
        let inherited = extended.and_then(|shape| self.written(shape)).map(|shape| &shape.members);
        let is_any = shape.members.is_empty() && inherited.is_none();
        for (name, value) in members {
            let known = shape.members.get(name).or_else(|| inherited?.get(name));
            match known {
                Some(shape) => self.value(&format!("{at}.{name}"), shape, value),
                None if self.is_strict && !is_any => self.fault(at, format_args!("{name} is unknown")),
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(label: &str, query: &str, body: &Value) -> Vec<String> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let uri = format!("http://127.0.0.1/api/v1/?{query}");
        objections(label, &Request::post(uri).body(Bytes::from(body)).unwrap())
    }

    fn draft() -> Value {
        json!({
            "name": "n", "internal_name": null, "description": "d", "external_study_url": "https://rate.example.org/",
            "prolific_id_option": "url_parameters", "total_available_places": 9, "estimated_completion_time": 10, "reward": 150,
            "completion_codes": [
                { "code": "A", "code_type": "COMPLETED", "actions": [{ "action": "MANUALLY_REVIEW" }] },
                { "code": "B", "code_type": "OTHER", "actor": "researcher", "actions": [{ "action": "DYNAMIC_PAYMENT" }] },
            ],
            "filters": [
                { "filter_id": "age", "selected_range": { "lower": 18, "upper": null } },
                { "filter_id": "or", "selected_filters": [{ "filter_id": "country", "selected_values": ["1"] }] },
            ],
        })
    }

    /// Every shape that something names exists, and every shape is named.
    #[test]
    fn the_contract_is_whole() {
        fn named<'a>(shape: &'a Shape, names: &mut Vec<&'a str>) {
            match shape {
                Shape::Named(name) => names.push(name),
                Shape::Written(written) => {
                    names.extend(written.extends.as_deref());
                    written.members.values().chain(&written.items).for_each(|shape| named(shape, names));
                }
            }
        }
        let mut names = Vec::new();
        for operation in CONTRACT.operations.values() {
            operation
                .query
                .values()
                .chain(&operation.body)
                .chain(&operation.answer)
                .for_each(|shape| named(shape, &mut names));
        }
        CONTRACT.shapes.values().for_each(|shape| named(shape, &mut names));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names, CONTRACT.shapes.keys().collect::<Vec<_>>());
    }

    #[test]
    fn requests_as_documented_pass() {
        for (label, query, body) in [
            ("POST studies/", "", draft()),
            ("PATCH studies/{id}/", "", json!({ "total_available_places": 12 })),
            ("POST studies/{id}/transition/", "", json!({ "action": "PUBLISH" })),
            ("POST bulk-bonus-payments/{id}/pay/", "", json!({})),
            ("POST bulk-bonus-payments/{id}/pay/", "", Value::Null),
            ("GET participant-groups/", "workspace_id=1&page=2", Value::Null),
            ("GET studies/", "state=AWAITING%20REVIEW&page_size=100", Value::Null),
            ("GET studies/{id}/cost/", "is_projected=true", Value::Null),
            (
                "POST submissions/{id}/transition/",
                "",
                json!({ "action": "REJECT", "message": "m".repeat(100),
                "rejection_category": "OTHER" }),
            ),
        ] {
            assert_eq!(judged(label, query, &body), [""; 0], "{label}");
        }
    }

    #[test]
    fn undocumented_members_are_found() {
        let draft_with = |path: &str, value: Value| {
            let mut draft = draft();
            *draft.pointer_mut(path).unwrap() = value;
            judged("POST studies/", "", &draft)
        };
        let mut more = draft();
        more["places"] = json!(3);
        assert_eq!(judged("POST studies/", "", &more), ["POST studies/: places is unknown"]);
        more.as_object_mut().unwrap().remove("places");
        more.as_object_mut().unwrap().remove("reward");
        assert_eq!(judged("POST studies/", "", &more), ["POST studies/: reward is missing"]);
        for (path, value, fault) in [
            ("/reward", json!("150"), ".reward: \"150\" is none of [Number]"),
            ("/prolific_id_option", json!("id"), ".prolific_id_option: \"id\" is none of"),
            ("/completion_codes", json!([]), ".completion_codes: 0 entries"),
            (
                "/completion_codes/1/code",
                json!("A"),
                ".completion_codes[1]: code is that of an earlier entry",
            ),
            (
                "/completion_codes/0/actions/0",
                json!({ "action": "PAY" }),
                ".completion_codes[0].actions[0].action: \"PAY\"",
            ),
            (
                "/completion_codes/0/actions/0",
                json!({ "action": "REQUEST_RETURN" }),
                ": return_reason is missing",
            ),
            ("/filters/0", json!({ "filter_id": "age" }), ".filters[0]: 0 of selected_values"),
            (
                "/filters/1/selected_filters/0/selected_values/0",
                json!(1),
                ".selected_values[0]: 1 is none of [String]",
            ),
        ] {
            let faults = draft_with(path, value);
            assert!(faults.len() == 1 && faults[0].contains(fault), "{fault}: {faults:?}");
        }
        let rejection = json!({ "action": "REJECT", "message": "too short", "rejection_category": "BAD" });
        for (label, query, body, fault) in [
            (
                "GET studies/{id}/submissions/",
                "order=started_at",
                Value::Null,
                "the parameter order is unknown",
            ),
            (
                "GET studies/{id}/submissions/",
                "page=first",
                Value::Null,
                "?page: \"first\" is none of [Integer]",
            ),
            ("GET studies/{id}/cost/", "page=1", Value::Null, "the parameter page is unknown"),
            ("GET participant-groups/", "", Value::Null, "0 of workspace_id, project_id in place of one"),
            ("POST studies/{id}/", "", Value::Null, "the document has no POST studies/{id}/"),
            ("POST studies/{id}/test-study", "", json!({ "places": 1 }), "it has no body"),
            ("POST studies/{id}/transition/", "", Value::Null, "its body is not JSON"),
            (
                "POST submissions/{id}/transition/",
                "",
                json!({ "action": "COMPLETE" }),
                "completion_code is missing",
            ),
            ("POST submissions/{id}/transition/", "", rejection, ".message: 9 characters"),
        ] {
            let faults = judged(label, query, &body);
            assert!(faults.first().is_some_and(|first| first.contains(fault)), "{fault}: {faults:?}");
        }
    }

    #[test]
    fn answers_have_what_the_document_requires() {
        let answer = |status, value: Value| objections_to_answer("GET users/me/", status, &value);
        assert_eq!(answer(200, json!({ "id": "1", "email": "e", "more": 1 })), [""; 0]);
        assert_eq!(answer(200, json!({ "id": 1 })).len(), 2);
        assert_eq!(answer(201, json!({ "id": "1", "email": "e" })).len(), 1);
    }
}
