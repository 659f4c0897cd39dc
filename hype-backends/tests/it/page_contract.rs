//! The page's types and dimensions are generated from the server's, and so is what its tests compare its layout with.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hype_backends::web::wire::operator::{ActReceipt, ActRequest, RaterList, RaterQuery};
use hype_backends::web::wire::refusal::RefusalBody;
use hype_backends::web::wire::request::{
    AnswerReport, BeginRequest, ConsentRequest, DisturbedReport, LeaveRequest, NextRequest, OpenRequest,
    WaitRequest,
};
use hype_backends::web::wire::screen::{Receipt, Screen};
use hype_backends::web::{Area, Asking, Buttons, LAYOUT, Shape, Status};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::typescript::declaration;

/// The variable that makes the test write the file instead of comparing it.
const UPDATE: &str = "UPDATE_CONTRACT";

macro_rules! definitions {
    ($settings:expr, $($message:ty),+) => {{
        let mut generator = $settings.into_generator();
        $(generator.subschema_for::<$message>();)+
        generator.take_definitions(true)
    }};
}

fn contract() -> String {
    let sent = definitions!(
        SchemaSettings::draft2020_12().for_serialize(),
        Screen,
        Receipt,
        RefusalBody,
        Status,
        RaterList,
        ActReceipt
    );
    let received = definitions!(
        SchemaSettings::draft2020_12().for_deserialize(),
        OpenRequest,
        ConsentRequest,
        BeginRequest,
        AnswerReport,
        DisturbedReport,
        LeaveRequest,
        WaitRequest,
        NextRequest,
        RaterQuery,
        ActRequest
    );
    let mut types: BTreeMap<String, Value> = sent.into_iter().collect();
    for (name, schema) in received {
        let other = types.insert(name.clone(), schema.clone());
        assert!(
            other.is_none_or(|other| other == schema),
            "{name} is sent in one form and received in another"
        );
    }
    let mut text = String::from(
        "// The messages between the page and the server, for the type checker. Generated from the types of the server:\n\
         // UPDATE_CONTRACT=1 cargo test -p hype-backends --features crowd page_contract\n",
    );
    for (name, schema) in &types {
        text.push('\n');
        text.push_str(&declaration(name, schema));
    }
    text
}

/// Asserts that a generated file is up to date.
fn assert_current(file: &str, generated: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("page").join(file);
    if std::env::var_os(UPDATE).is_some() {
        fs::write(&path, generated).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    assert!(committed == generated, "page/{file} is stale: run this test with {UPDATE}=1");
}

#[test]
fn page_types_match_the_server() {
    assert_current("contract.d.ts", &contract());
}

#[test]
fn page_dimensions_match_the_server() {
    let Ok(Value::Object(dimensions)) = serde_json::to_value(LAYOUT) else { unreachable!() };
    let mut text = String::from(
        "// The dimensions of trials, in CSS pixels or as shares of the window. Generated from the server's, which say what they\n\
         // are: UPDATE_CONTRACT=1 cargo test -p hype-backends --features crowd page_contract\n\nexport const LAYOUT = {\n",
    );
    for (name, value) in dimensions {
        text.push_str(&format!("  {name}: {},\n", value.as_f64().unwrap()));
    }
    text.push_str("};\n");
    assert_current("assets/layout.js", &text);
}

/// The sizes of images and windows for which the page's layout is compared with the server's.
const IMAGES: [(u32, u32); 6] = [(64, 64), (256, 256), (512, 512), (1024, 1024), (1536, 1024), (2048, 2048)];
const WINDOWS: [(u32, u32); 5] = [(1280, 720), (1366, 768), (1440, 900), (1920, 1080), (390, 844)];

/// Returns what the untimed trials of the page's mock server show, with images of this size (`tests/mock/study.js`).
fn mock_trials(image: Area) -> Vec<Shape> {
    let prompt = "A low sun over green hills, seen from a train".len();
    let instruction = "Put a second sun into the sky.".len();
    let shape = |judged: usize, sources: usize, texts: &[usize], asking: Asking| Shape {
        judged: vec![image; judged],
        sources: vec![image; sources],
        others: vec![image; 2 * sources],
        texts: texts.to_vec(),
        overlay: sources > 0,
        question: 40,
        asking,
        timed: false,
    };
    vec![
        shape(1, 0, &[], Asking::Button(Buttons { count: 2, letters: 4 })),
        shape(2, 0, &[prompt], Asking::Pick(Buttons { count: 2, letters: 14 })),
        shape(4, 0, &[], Asking::Pick(Buttons::default())),
        shape(3, 0, &[], Asking::Ranking),
        shape(4, 0, &[], Asking::Ranking),
        shape(1, 0, &[prompt], Asking::Form),
        shape(1, 1, &[instruction], Asking::Form),
        shape(1, 0, &[], Asking::Button(Buttons { count: 2, letters: 4 })),
    ]
}

#[test]
fn stated_scales_are_those_that_the_page_is_tested_against() {
    let stated: Map<String, Value> = IMAGES
        .iter()
        .map(|&(width, height)| {
            let trials = mock_trials(Area::new(width, height));
            let windows = WINDOWS.iter().map(|&(width, height)| {
                let scales: Vec<f64> = trials
                    .iter()
                    .map(|trial| (trial.scale(Area::new(width, height)) * 1000.0).floor() / 1000.0)
                    .collect();
                (format!("{width}x{height}"), json!(scales))
            });
            (format!("{width}x{height}"), Value::Object(windows.collect()))
        })
        .collect();
    let text = format!("{}\n", serde_json::to_string_pretty(&stated).unwrap());
    assert_current("tests/browser/scales.json", &text);
}
