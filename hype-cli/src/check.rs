//! `hype check`.

use std::path::Path;

#[cfg(feature = "web")]
use hype::backends::web::{Page, PreparedImages, Transfer, seen_sizes};
use hype::{OpenError, Opening, StimulusProgress};
use hype_core::plugin::surroundings::Purpose;
use hype_core::protocol::cost::{CostPurpose, ExpectedCost};
#[cfg(feature = "web")]
use hype_core::study::backend::view;
use hype_core::words::counted;
use hype_core::{Diagnostic, Diagnostics, MediaKind, Severity, Study};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::args::CheckArguments;
use super::failure::{self, Failure};
use super::output::{self, print_json};
use super::progress::PartBars;

/// The output of `check --json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "Diagnostics of hype")]
pub(crate) struct Checked<'a> {
    /// The path of the spec as given.
    file: String,
    /// Whether the study can run.
    ok: bool,
    /// All diagnostics, in the order of the text.
    diagnostics: &'a [Diagnostic],
}

pub(crate) fn run(arguments: &CheckArguments) -> Result<(), Failure> {
    let bar = PartBars::new("reading", !arguments.json);
    let checked = check(&arguments.spec, &bar);
    bar.finish();
    let file = arguments.spec.display().to_string();
    let (text, found, summary) = checked?;
    let fails = summary.is_none() || arguments.strict && has_warnings(&found);
    if arguments.json {
        print_json(&Checked { file, ok: !fails, diagnostics: found.as_slice() })?;
    } else {
        if !found.is_empty() {
            failure::eprint(&found, &file, &text);
        }
        if let Some(summary) = summary {
            output::print(format_args!("{summary}"))?;
        }
    }
    if fails { Err(Failure::Printed) } else { Ok(()) }
}

/// Checks a spec: its text, its diagnostics and, if the study can run, a summary.
pub(crate) fn check(
    spec: &Path,
    watched_by: &dyn StimulusProgress,
) -> Result<(String, Diagnostics, Option<String>), Failure> {
    match Opening::of(spec).to(Purpose::Collect).watched_by(watched_by).open(|_| {}) {
        Ok(opened) => {
            let mut found = opened.warnings;
            let shown = shown(&opened.study, &mut found);
            found.locate(&opened.document);
            let found = refused(found);
            let summary = (!found.has_errors()).then(|| summary(&opened.study, &shown));
            Ok((opened.document.text().to_owned(), found, summary))
        }
        Err(OpenError::Faults { text, diagnostics, .. }) => Ok((text, refused(diagnostics), None)),
        Err(other) => Err(other.into()),
    }
}

/// Warnings that are errors before a study begins. Other commands warn, since what was collected stays usable.
const REFUSED: [&str; 4] = ["out-of-reach", "unasked-level", "unknown-answer", "untestable"];

fn refused(found: Diagnostics) -> Diagnostics {
    let mut all = Diagnostics::new();
    for mut one in found.into_vec() {
        if REFUSED.contains(&one.code) {
            one.severity = Severity::Error;
        }
        all.push(one);
    }
    all
}

fn has_warnings(found: &Diagnostics) -> bool {
    found.iter().any(|one| one.severity == Severity::Warning)
}

/// Reviews what raters download, if people judge images on a page, and says how much that is and how large images are seen.
#[cfg(feature = "web")]
fn shown(study: &Study, found: &mut Diagnostics) -> Vec<String> {
    let page = study.spec().collection.backend.as_deref().and_then(|backend| view::<Page>(backend));
    let Some(page) = page else { return Vec::new() };
    let sizes = seen_sizes(study, &page)
        .into_iter()
        .map(|size| format!("judged {}: at least {size}", study.stimuli().kind().plural()));
    let before = sizes.chain(preparing(study, &page));
    let Some(transfer) = Transfer::of(study, &page) else { return before.collect() };
    found.within("backend", |at| transfer.review(at));
    before.chain(carried(&transfer)).collect()
}

/// The load on the lines of raters in a study of clips or texts that is judged on a page; none for images, which wait
/// for no clip to play.
#[cfg(feature = "web")]
pub(crate) fn line_needed(study: &Study) -> Vec<String> {
    let page = study.spec().collection.backend.as_deref().and_then(|backend| view::<Page>(backend));
    let transfer = page.filter(|_| !study.stimuli().kind().is_image());
    transfer.and_then(|page| Transfer::of(study, &page)).map_or_else(Vec::new, |transfer| carried(&transfer))
}

/// How much raters load for a trial or block, and how fast a line has to be.
#[cfg(feature = "web")]
fn carried(transfer: &Transfer) -> Vec<String> {
    let of_trial = transfer.trial_bytes().map(|bytes| ("trial", bytes));
    let of_block = transfer.block_bytes().map(|bytes| ("timed block", bytes));
    let plural = transfer.kind.plural();
    let keeps_up = transfer.keeps_up().map_or_else(String::new, |rate| {
        format!("; raters whose line carries {rate:.1} Mbit/s wait only for the first")
    });
    let line = |(what, bytes)| format!("{plural} of a {what}: {}{keeps_up}", Transfer::words(bytes));
    of_trial.into_iter().chain(of_block).map(line).collect()
}

/// How long raters have to wait for masks to be made, if it is more than a few seconds.
#[cfg(feature = "web")]
fn preparing(study: &Study, page: &Page) -> Option<String> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (masks, time) = PreparedImages::masks_expected(study, page, processors)?;
    let time = match time.as_secs_f64() {
        ..5.0 => return None,
        seconds @ ..90.0 => format!("{seconds:.0} s"),
        seconds => format!("{:.0} min", seconds / 60.0),
    };
    Some(format!(
        "{} to make once, about {time} on {}",
        counted(masks, "mask"),
        counted(processors, "processor")
    ))
}

/// Without a page, raters see and download nothing.
#[cfg(not(feature = "web"))]
const fn shown(_: &Study, _: &mut Diagnostics) -> Vec<String> {
    Vec::new()
}

#[cfg(not(feature = "web"))]
pub(crate) const fn line_needed(_: &Study) -> Vec<String> {
    Vec::new()
}

/// A summary of the study.
fn summary(study: &Study, shown: &[String]) -> String {
    use std::fmt::Write as _;
    let spec = study.spec();
    let mut text = format!("{}: the study can run", spec.name);
    for (index, set) in study.stimuli().sets().iter().enumerate() {
        let kind =
            if set.used_for == hype_core::Use::Condition { MediaKind::Image } else { study.stimuli().kind() };
        let images = study.stimuli().members(hype_core::SetId(index as u16)).len();
        let role = match set.role {
            hype_core::Role::Real => "real",
            hype_core::Role::Generated => "generated",
        };
        let _ = write!(text, "\n  {:<20} {:>13}, {role}", set.name, counted(images, &kind.to_string()));
    }
    let profile = study.profile();
    let _ = write!(
        text,
        "\n  {} of at most {} each",
        counted(study.places(), "session"),
        counted(study.trials_at_most(), "trial")
    );
    if let Some(effort) = profile.effort {
        let _ = write!(text, ", about {:.0} min", effort.duration.as_secs_f64() / 60.0);
        let probability = profile.passing.map_or(1.0, |passing| passing.probability);
        if let Some(payment) = &spec.protocol.payment
            && let Some(cost) = ExpectedCost::of(study.raters(), effort.correct, probability, study.places())
        {
            let disqualified = cost.disqualified;
            let _ = write!(
                text,
                "\n  pay about {} {currency} a session, {} {currency} in all, without fees",
                cost.session,
                cost.pay(),
                currency = cost.currency
            );
            let backend = spec.collection.backend.as_ref();
            if let Some(terms) = backend
                .and_then(|backend| backend.recruits())
                .map(|recruits| recruits.terms(&payment.currency))
            {
                let (total, label) = (cost.with(&terms.fees), terms.fees.label());
                let _ = write!(text, "\n    {total} {} with the fees of {label}", cost.currency);
            }
            if let Some(waiting) = cost.parts.iter().find(|part| part.purpose == CostPurpose::Waiting) {
                let _ = write!(
                    text,
                    "\n    of that {} {} if {} wait as long as they may, and the call comes before others do",
                    waiting.pay(),
                    cost.currency,
                    counted(waiting.payments, "rater")
                );
            }
            if let Some(passing) = profile.passing.filter(|_| disqualified > 0) {
                let _ = write!(
                    text,
                    "\n    of that {} {currency} to {} expected to fail the qualification, if raters are right on {:.0} % \
                     of its trials",
                    payment.base.times(disqualified),
                    counted(disqualified, "rater"),
                    100.0 * passing.accuracy,
                    currency = cost.currency
                );
            }
        }
    }
    for line in shown {
        let _ = write!(text, "\n  {line}");
    }
    for fact in &study.card().protocol {
        let value = plain(&fact.value, study.stimuli().kind());
        let _ = write!(text, "\n  {}: {value}", fact.label);
    }
    let _ = write!(text, "\n  digest {}", study.digest().short());
    text
}

/// A value as plain text: its entries in order, without JSON punctuation. Their names say the kind of media in place of `image`.
fn plain(value: &Value, kind: MediaKind) -> String {
    match value {
        Value::Null => "none".into(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => items.iter().map(|item| plain(item, kind)).collect::<Vec<_>>().join(", "),
        Value::Object(entries) => {
            let named = |key: &str| key.replace("image", &kind.to_string());
            let entries = entries.iter().map(|(key, value)| format!("{} {}", named(key), plain(value, kind)));
            entries.collect::<Vec<_>>().join(", ")
        }
    }
}
