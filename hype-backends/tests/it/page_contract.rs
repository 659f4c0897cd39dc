//! The page's types are generated from the server's.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hype_backends::web::Status;
use hype_backends::web::wire::refusal::RefusalBody;
use hype_backends::web::wire::request::{
    AnswerReport, BeginRequest, ConsentRequest, DisturbedReport, LeaveRequest, NextRequest, OpenRequest,
};
use hype_backends::web::wire::screen::{Receipt, Screen};
use schemars::generate::SchemaSettings;
use serde_json::Value;

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
    let sent =
        definitions!(SchemaSettings::draft2020_12().for_serialize(), Screen, Receipt, RefusalBody, Status);
    let received = definitions!(
        SchemaSettings::draft2020_12().for_deserialize(),
        OpenRequest,
        ConsentRequest,
        BeginRequest,
        AnswerReport,
        DisturbedReport,
        LeaveRequest,
        NextRequest
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
         // UPDATE_CONTRACT=1 cargo test -p hype-backends --features web page_contract\n",
    );
    for (name, schema) in &types {
        text.push('\n');
        text.push_str(&declaration(name, schema));
    }
    text
}

#[test]
fn page_types_match_the_server() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("page/contract.d.ts");
    let generated = contract();
    if std::env::var_os(UPDATE).is_some() {
        fs::write(&path, &generated).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    assert!(committed == generated, "page/contract.d.ts is stale: run this test with {UPDATE}=1");
}
