//! The platform of the plugin gets the guards of money that platforms of the program get.

#![cfg(feature = "crowd")]
use std::sync::Arc;

use hype::backends::crowd::recruiter::CrowdStatus;
use hype::backends::crowd::recruiting;
use hype::core::{Amount, Spec, Store as _, Study};
use hype::sim::fixtures;
use hype::store::MemoryStore;
use hype_example_plugin as _;

/// A study of four raters who get 1.00, with fees 1.10.
fn study(name: &str, limit: &str) -> Study {
    let spec = format!(
        "name: {name}
stimuli:
  real: {{ role: real, images: unused }}
  good: {{ role: generated, images: unused }}
task: {{ kind: yes_no, pairs: 10 }}
raters: {{ per_model: 4, payment: {{ base: 1.00, limit: {limit} }} }}
backend: {{ kind: notice_board, platform: {{ place: library }}, page: {{ public_url: \"https://rate.example.org/\" }} }}
"
    );
    let spec = Spec::read(spec.as_bytes()).unwrap().spec;
    Study::new(spec, fixtures::stimuli(10, &[("good", 10)])).unwrap()
}

async fn published(study: &Study) -> CrowdStatus {
    let store = Arc::new(MemoryStore::new());
    store.bind(study.digest()).await.unwrap();
    let backend = recruiting(study.spec().collection.backend.as_deref().unwrap()).unwrap();
    backend.connect(study, store, "writer").await.unwrap().publish(0).await.unwrap()
}

#[test]
fn nothing_is_listed_beyond_the_spending_limit() {
    let enough = hype::block_on(published(&study("enough", "4.40")));
    assert_eq!(enough.listings.iter().map(|one| one.places).collect::<Vec<_>>(), [4]);
    assert_eq!(enough.problems, [""; 0]);
    let too_little = hype::block_on(published(&study("too-little", "4.39")));
    assert!(too_little.listings.is_empty(), "{too_little:?}");
    assert!(too_little.problems[0].contains("limit"), "{too_little:?}");
}

#[test]
fn real_money_is_asked_for() {
    let study = study("money", "10.00");
    let recruits = study.spec().collection.backend.as_deref().unwrap().recruits().unwrap();
    assert!(recruits.pays() && recruits.check_money().is_ok());
    assert_eq!(recruits.terms("USD").fees.on(Amount(1_000_000)), Amount(100_000));
    assert!(recruits.in_production().recruits().is_some(), "it keeps its guards");
}
