//! Payment that a spec leaves out although its collection has begun.

use std::fs;
use std::path::{Path, PathBuf};

use hype_core::Payment;
use hype_core::study::spec::{Draft, Spec};

/// The resolved spec in a study's folder.
const RESOLVED: &str = "spec.yaml";

/// Fills in missing payment settings from the study's folder, if it exists. The payment that raters were promised is
/// part of the session digest, and earlier versions paid by default. A spec without any payment keeps the spending limit, too.
pub(super) fn keep_pay(draft: &mut Draft, study_folder: &dyn Fn(&Spec) -> PathBuf) {
    let written: Option<Vec<String>> =
        draft.document.root().get("raters").and_then(|raters| raters.get("payment")).map(|payment| {
            payment.as_map().into_iter().flatten().map(|entry| entry.key.to_owned()).collect()
        });
    let Some(spec) = draft.spec_mut() else { return };
    let Some(mut promised) = promised(&study_folder(spec)) else { return };
    let limit = promised.limit.take();
    match (&mut spec.protocol.payment, written) {
        (payment, None) => {
            *payment = Some(promised);
            spec.collection.limit = limit;
        }
        (Some(payment), Some(written)) => {
            let is_left_out = |field: &str| !written.iter().any(|key| key == field);
            if is_left_out("currency") {
                payment.currency = promised.currency;
            }
            if is_left_out("base") {
                payment.base = promised.base;
            }
            if is_left_out("per_correct") {
                payment.per_correct = promised.per_correct;
            }
        }
        (None, Some(_)) => {}
    }
}

fn promised(folder: &Path) -> Option<Payment> {
    let text = fs::read(folder.join(RESOLVED)).ok()?;
    Spec::read(&text).ok()?.spec.raters().payment
}
