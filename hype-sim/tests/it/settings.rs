//! The cohort `synthetic` in YAML: defaults, faults with their places, the example and the schema.

use hype_core::plugin::surroundings::Surroundings;
use hype_core::study::spec::check_bounds;
use hype_core::yaml::{Document, to_json};
use hype_core::{CohortSpec, Diagnostics, Registry, SpecPart};
use hype_sim::{Population, fixtures};
use insta::assert_snapshot;

/// The diagnostics of a `simulate` section, located in its text.
fn check(text: &str) -> String {
    let mut document = Document::parse(&format!("simulate:\n  {}", text.replace('\n', "\n  "))).unwrap();
    let mut at = Diagnostics::new();
    check_bounds(&to_json(document.root()), &mut at);
    at.iter().for_each(|beyond| document.leave_out(&beyond.path));
    let section = document.root().get("simulate").unwrap();
    if let Some(cohort) = section.read_leniently::<Box<dyn CohortSpec>>(&mut at) {
        let stimuli = fixtures::stimuli(4, &[("stylegan", 4), ("wgan", 4)]);
        at.within("simulate", |at| cohort.check(&Surroundings { stimuli: &stimuli, outside: None }, at));
    }
    at.locate(&document);
    at.sort();
    at.to_string()
}

#[test]
fn the_kind_alone_is_enough() {
    assert_eq!(check("kind: synthetic"), "");
    let read: Box<dyn CohortSpec> = serde_json::from_str(r#"{ "kind": "synthetic" }"#).unwrap();
    let default: Box<dyn CohortSpec> = Box::new(Population::default());
    assert_eq!(serde_json::to_value(&read).unwrap(), serde_json::to_value(&default).unwrap());
}

#[test]
fn every_fault_is_found_with_its_place() {
    assert_snapshot!(check(
        "kind: synthetic
observers:
  wgna: { threshold_ms: 240 }
  metrics: {}
  stylegan: { threshold_ms: 0, slope: -2, lapse: 0.5, qualities: { realism: 2 } }
  wgan: { lapse: -0.1, levels: { subject: { text: -2 } }, untimed: { fakes_error: 1.5, reals_error: 0.2 }, quality: 7 }
rater_sd: -1
qualification_accuracy: 85
behaviours:
  spammers: { constant: 0.4, random: 0.4 }
  bots: 0.3
dropout: 2
quality: { trial_sd: -0.5 }
"
    ));
}

#[test]
fn a_share_out_of_range_is_not_also_a_wrong_sum() {
    assert_snapshot!(
        check("{ kind: synthetic, behaviours: { inattentive: 1.2 } }"),
        @"error[out-of-range] at 2:49 in simulate.behaviours.inattentive: inattentive is 1.2 (use a number from 0 to 1)"
    );
    assert_eq!(
        check("{ kind: synthetic, behaviours: { inattentive: 0.7, bots: 0.2, spammers: { random: 0.1 } } }"),
        ""
    );
}

#[test]
fn misspelt_settings_are_reported() {
    let found = check("{ kind: synthetic, raters_sd: 0.3 }");
    assert!(found.starts_with("error[unknown-field] at 2:22 in simulate.raters_sd: "), "{found}");
    assert!(found.contains("did you mean `rater_sd`?"), "{found}");
}

#[test]
fn the_example_fits_any_study() {
    let registry = Registry::linked().unwrap();
    let entry = registry.find(SpecPart::Cohort, "synthetic").unwrap();
    assert_eq!(check(entry.example), "");
}

#[test]
fn every_setting_has_a_description_and_a_default() {
    let mut generator = schemars::SchemaGenerator::default();
    let entry = *Registry::linked().unwrap().find(SpecPart::Cohort, "synthetic").unwrap();
    let schema = (entry.schema)(&mut generator).to_value();
    let mut schemas = vec![("Population".to_owned(), schema)];
    schemas.extend(generator.take_definitions(true));
    let mut fields = 0;
    for (name, schema) in &schemas {
        let Some(properties) = schema.get("properties").and_then(|properties| properties.as_object()) else {
            continue;
        };
        for (field, property) in properties {
            fields += 1;
            assert!(property.get("description").is_some(), "{name}.{field} has no description");
            let required =
                schema.get("required").is_some_and(|required| required.to_string().contains(field));
            let optional = property.to_string().contains("null");
            assert!(
                required || optional || property.get("default").is_some(),
                "{name}.{field} has no default"
            );
        }
    }
    assert!(fields > 25, "{fields} fields were seen");
}
