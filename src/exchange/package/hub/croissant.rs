//! `croissant.json`: the tables as Croissant 1.0 describes them (Akhtar et al. 2024, doi:10.1145/3650203.3663326), with the
//! vocabulary on responsible use, RAI 1.0, that conferences ask for.
//!
//! `datapackage.json` has more of the columns: units, closed vocabularies and keys, which Croissant has no words for.

use hype_core::words::counted;
use serde_json::{Value, json};

use super::PREFERENCES;
use crate::exchange::error::ExportError;
use crate::exchange::layout::ColumnType;
use crate::exchange::package::Writer;
use crate::exchange::package::codebook::{Codebook, FileEntry};
use crate::exchange::package::descriptor::{digest_of, slug};
use crate::exchange::package::protocol::Protocol;

/// The description of a package whose tables are complete.
pub(super) fn croissant(
    writer: &Writer<'_>,
    protocol: &Protocol,
    codebook: &Codebook,
) -> Result<Value, ExportError> {
    let mut files = Vec::new();
    for table in &codebook.files {
        files.push(file(writer, &table.name, "text/csv", table.row)?);
    }
    if writer.files.iter().any(|(name, _)| *name == PREFERENCES) {
        files.push(file(writer, PREFERENCES, "application/jsonlines", "one pair of stimuli")?);
    }
    let about = protocol.description.as_deref().unwrap_or("Ratings of models, and how they were made.");
    let mut described = json!({
        "@context": context(),
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": slug(&protocol.study.name),
        "description": format!("{}{about}", if protocol.simulated { "The raters are synthetic. " } else { "" }),
        "version": "1.0.0",
        "keywords": ["human evaluation", "generative models", protocol.study.task],
        "distribution": files,
        "recordSet": codebook.files.iter().map(record_set).collect::<Vec<_>>(),
    });
    if let Value::Object(described) = &mut described {
        described.extend(responsible_use(writer, protocol));
    }
    Ok(described)
}

fn file(writer: &Writer<'_>, name: &str, media_type: &str, row: &str) -> Result<Value, ExportError> {
    let (bytes, digest) = digest_of(&writer.folder.join(name))?;
    Ok(json!({
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "description": format!("One row: {row}."),
        "contentUrl": name,
        "contentSize": format!("{bytes} B"),
        "encodingFormat": media_type,
        "sha256": digest.to_string(),
    }))
}

fn record_set(table: &FileEntry) -> Value {
    let set = table.name.trim_end_matches(".csv");
    let fields = table.columns.iter().map(|column| {
        let kind = match column.kind {
            ColumnType::Integer => "sc:Integer",
            ColumnType::Number => "sc:Float",
            ColumnType::Boolean => "sc:Boolean",
            ColumnType::Text | ColumnType::Json => "sc:Text",
        };
        let unit = if column.unit.is_empty() { String::new() } else { format!(" Unit: {}.", column.unit) };
        json!({
            "@type": "cr:Field",
            "@id": format!("{set}/{}", column.name),
            "name": column.name,
            "description": format!("{}.{unit}", column.meaning),
            "dataType": kind,
            "source": { "fileObject": { "@id": table.name }, "extract": { "column": column.name } },
        })
    });
    json!({
        "@type": "cr:RecordSet",
        "@id": set,
        "name": set,
        "description": format!("One record: {}.", table.row),
        "field": fields.collect::<Vec<_>>(),
    })
}

/// The fields on responsible use. What only publishers know, such as the maintenance plan, is left for them to add.
fn responsible_use(writer: &Writer<'_>, protocol: &Protocol) -> serde_json::Map<String, Value> {
    let raters = writer.anonymous.raters();
    let who = if protocol.simulated { "synthetic raters, not people" } else { "people" };
    let reached =
        protocol.backend.as_deref().map(|kind| format!(", reached through `{kind}`")).unwrap_or_default();
    let excluded: u64 = protocol.exclusions.values().sum();
    let mut limits = vec![format!(
        "Ratings of {} of {} models and reference sets by {}; findings.json says which population its intervals generalize to.",
        counted(protocol.items.max(1), "item"),
        protocol.sets.len(),
        counted(raters, "rater")
    )];
    if protocol.simulated {
        limits.push("No answer was given by a person: the data show how the protocol works and say nothing about the models.".into());
    }
    let entries = json!({
        "rai:dataCollection": format!(
            "{} rated the outputs of models in {} ({who}{reached}), by the task `{}`, version {}. protocol.json has every setting.",
            counted(raters, "rater"),
            counted(writer.anonymous.sessions().len(), "session"),
            protocol.study.task,
            protocol.study.task_version
        ),
        "rai:dataCollectionType": [if protocol.simulated { "Simulation" } else { "Manual Human Curator" }],
        "rai:dataAnnotationProtocol": annotation(protocol),
        "rai:dataAnnotationPlatform": [protocol.software],
        "rai:dataAnnotationAnalysis": [
            "findings.json has agreement of raters, intervals and tests; exclusions stand in sessions.csv with their rule and reason."
        ],
        "rai:dataPreprocessingProtocol": [format!(
            "Raters are numbered in a random order; keys, ids of panels, addresses and dates were left out. {} excluded by rules \
             that were fixed in the protocol; scores.csv leaves them out, and the other tables have them.",
            counted(excluded, "rater")
        )],
        "rai:personalSensitiveInformation": [
            "No names, ids, addresses or dates of raters. What raters wrote in answers is as they wrote it, without ids."
        ],
        "rai:dataUseCases": [
            "Comparing the models that were rated, checking the findings, and training on preferences where pairs were compared."
        ],
        "rai:dataLimitations": limits,
        "rai:dataBiases": [
            "Raters are those who took part, and are a sample of no larger population unless the publishers say how they were drawn."
        ],
    });
    match entries {
        Value::Object(entries) => entries,
        _ => serde_json::Map::new(),
    }
}

/// Describes the raters' instructions, and the scoring.
fn annotation(protocol: &Protocol) -> Value {
    let guidance: Vec<&str> = protocol.guidance.iter().map(|paragraph| &**paragraph).collect();
    let told =
        if guidance.is_empty() { String::new() } else { format!("Raters read: {}", guidance.join(" ")) };
    json!([format!("Task `{}`, rubric `{}`. {told}", protocol.study.task, protocol.study.rubric).trim()])
}

/// The context that Croissant 1.0 prescribes.
fn context() -> Value {
    json!({
        "@language": "en",
        "@vocab": "https://schema.org/",
        "citeAs": "cr:citeAs",
        "column": "cr:column",
        "conformsTo": "dct:conformsTo",
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "data": { "@id": "cr:data", "@type": "@json" },
        "dataType": { "@id": "cr:dataType", "@type": "@vocab" },
        "dct": "http://purl.org/dc/terms/",
        "examples": { "@id": "cr:examples", "@type": "@json" },
        "extract": "cr:extract",
        "field": "cr:field",
        "fileProperty": "cr:fileProperty",
        "fileObject": "cr:fileObject",
        "fileSet": "cr:fileSet",
        "format": "cr:format",
        "includes": "cr:includes",
        "isLiveDataset": "cr:isLiveDataset",
        "jsonPath": "cr:jsonPath",
        "key": "cr:key",
        "md5": "cr:md5",
        "parentField": "cr:parentField",
        "path": "cr:path",
        "recordSet": "cr:recordSet",
        "references": "cr:references",
        "regex": "cr:regex",
        "repeated": "cr:repeated",
        "replace": "cr:replace",
        "sc": "https://schema.org/",
        "separator": "cr:separator",
        "source": "cr:source",
        "subField": "cr:subField",
        "transform": "cr:transform",
    })
}
