//! Every registered metric behaves as metrics must.

use std::collections::BTreeSet;
use std::sync::Arc;

use hype_core::plugin::metric::{Metric, MetricRows, RowOrigin};
use hype_core::{Registry, SpecPart, Streams};
use hype_pipeline::metrics::{
    Accuracy, Aesthetic, Blackout, ClassOutputKind, ClipScore, ConditionalInception, DetectionAccuracy,
    DetectionQuestion, Fractal, Gender, Inception, InferenceSeconds, LinkedVersions, Lpips, LpipsDiversity,
    Mae, MsSsim, Mse, Nsfw, Nudity, Psnr, Rejection, SkinTone, Ssim, SsimWindow, TextRetrieval, Watermark,
};
use hype_sim::metric_conformance;

/// Rows of numbers from 0 to 1, made by `row`.
fn rows(of: usize, row: impl Fn(usize, &mut dyn FnMut() -> f64) -> Vec<f64>) -> MetricRows {
    let mut found = MetricRows::double();
    for place in 0..of {
        let mut stream = Streams::new(7).child("row", place as u64).stream("values");
        found.push(row(place, &mut || stream.unit_f64()));
    }
    found
}

fn levelled(of: usize, levels: impl Fn(usize) -> Vec<(&'static str, String)>) -> Vec<RowOrigin> {
    (0..of)
        .map(|place| RowOrigin {
            item: place as u32,
            levels: levels(place).into_iter().map(|(facet, level)| (facet.into(), level.into())).collect(),
        })
        .collect()
}

fn probabilities() -> MetricRows {
    rows(24, |_, draw| {
        let raw: Vec<f64> = (0..4).map(|_| 0.01 + draw()).collect();
        let total: f64 = raw.iter().sum();
        raw.into_iter().map(|value| value / total).collect()
    })
}

/// A dog on the left of a cat in every output, and a second cat in some.
fn detections() -> MetricRows {
    rows(24, |place, draw| {
        let mut found = vec![0.0, 0.9, 5.0, 20.0, 30.0 + draw(), 80.0, 1.0, 0.8, 60.0, 20.0, 90.0, 80.0];
        if place % 3 == 0 {
            found.extend([1.0, 0.7, 40.0, 20.0, 55.0, 80.0]);
        }
        found
    })
}

fn wanted(count: &'static str) -> Vec<RowOrigin> {
    levelled(24, |_| {
        [("object", "dog"), ("count", count), ("relation", "left"), ("other", "cat")]
            .map(|(facet, level)| (facet, level.to_owned()))
            .to_vec()
    })
}

fn detector(asks: DetectionQuestion) -> DetectionAccuracy {
    DetectionAccuracy { asks, classes: vec!["dog".into(), "cat".into()], ..DetectionAccuracy::default() }
}

fn classifier(k: u32) -> Accuracy {
    let classes: Vec<Arc<str>> = ["a", "b", "c", "d"].map(Arc::from).to_vec();
    Accuracy { classes, k: k.into(), ..Accuracy::default() }
}

fn classes() -> Vec<RowOrigin> {
    levelled(24, |place| vec![("class", ["a", "b", "c", "d"][place % 4].to_owned())])
}

metric_conformance!(mse, metric = Mse::default());
metric_conformance!(mae, metric = Mae::default());
metric_conformance!(psnr, metric = Psnr::default());
metric_conformance!(ssim, metric = Ssim::default());
metric_conformance!(ssim_uniform, metric = Ssim { window: SsimWindow::Uniform7, ..Ssim::default() });
metric_conformance!(ms_ssim, metric = MsSsim::default());
metric_conformance!(blackout, metric = Blackout::default());
metric_conformance!(fractal, metric = Fractal::default());
metric_conformance!(skin_tone, metric = SkinTone::default());
metric_conformance!(inception, metric = Inception::default());
metric_conformance!(
    inception_of_probabilities,
    metric = Inception { output: ClassOutputKind::Probabilities, ..Inception::default() },
    rows = probabilities(),
);
metric_conformance!(conditional_inception, metric = ConditionalInception::default());
metric_conformance!(accuracy, metric = classifier(1), rows = probabilities(), origins = classes());
metric_conformance!(accuracy_of_two, metric = classifier(2), rows = probabilities(), origins = classes());
metric_conformance!(clip_score, metric = ClipScore::default());
metric_conformance!(retrieval, metric = TextRetrieval { k: 5.into(), ..TextRetrieval::default() });
metric_conformance!(
    aesthetic,
    metric = Aesthetic { weights: vec![1.0, -0.5, 0.25, 0.0, 2.0], bias: 5.0, ..Aesthetic::default() }
);
metric_conformance!(lpips, metric = Lpips::default());
metric_conformance!(lpips_diversity, metric = LpipsDiversity::default());
metric_conformance!(watermark, metric = Watermark::default());
metric_conformance!(nsfw, metric = Nsfw::default());
metric_conformance!(rejection, metric = Rejection::default());
metric_conformance!(gender, metric = Gender::default());
metric_conformance!(inference_time, metric = InferenceSeconds::default());
metric_conformance!(nudity, metric = Nudity { classes: vec![1], ..Nudity::default() }, rows = detections());
metric_conformance!(
    detected_objects,
    metric = detector(DetectionQuestion::Object),
    rows = detections(),
    origins = wanted("1"),
);
metric_conformance!(
    detected_counts,
    metric = detector(DetectionQuestion::Count),
    rows = detections(),
    origins = wanted("1"),
);
metric_conformance!(
    detected_relations,
    metric = detector(DetectionQuestion::Spatial),
    rows = detections(),
    origins = wanted("1"),
);
metric_conformance!(
    linked_difference,
    metric = LinkedVersions { metric: Box::new(Watermark::default()), original: "original".into() },
    rows = rows(24, |_, draw| vec![draw()]),
    origins = levelled(24, |place| vec![
        ("link", (place / 2).to_string()),
        ("version", if place % 2 == 0 { "original" } else { "typos" }.to_owned()),
    ]),
);

#[cfg(feature = "linalg")]
mod distances {
    use hype_pipeline::metrics::{DensityAndCoverage, Fid, FidInfinity, Kid, Prd, Prdc, PrecisionAndRecall};
    use hype_sim::metric_conformance;

    metric_conformance!(fid, metric = Fid { interval_subsets: Some(20.into()), ..Fid::default() });
    metric_conformance!(fid_infinity, metric = FidInfinity::default());
    metric_conformance!(kid, metric = Kid { interval_subsets: Some(20.into()), ..Kid::default() });
    metric_conformance!(
        precision_recall,
        metric = PrecisionAndRecall { interval_subsets: Some(20.into()), ..PrecisionAndRecall::default() }
    );
    metric_conformance!(
        density_coverage,
        metric = DensityAndCoverage { interval_subsets: Some(20.into()), ..DensityAndCoverage::default() }
    );
    metric_conformance!(prdc, metric = Prdc { interval_subsets: Some(0.into()), ..Prdc::default() });
    metric_conformance!(prd, metric = Prd::default());
}

/// A metric that is added needs a module above.
#[test]
fn every_registered_metric_is_tested() {
    let registered: BTreeSet<&str> =
        Registry::linked().unwrap().of(SpecPart::Metric).map(|entry| entry.kind).collect();
    let text = include_str!("metrics_conform.rs");
    let tested = text.matches("metric_conformance!(").count();
    assert!(tested > registered.len(), "{tested} modules for {} metrics", registered.len());
    let all = [
        "accuracy",
        "aesthetic",
        "blackout",
        "clip_score",
        "conditional_inception_score",
        "density_coverage",
        "detection",
        "fid",
        "fid_infinity",
        "fractal",
        "gender_balance",
        "inception_score",
        "inference_time",
        "kid",
        "linked_difference",
        "lpips",
        "lpips_diversity",
        "mae",
        "ms_ssim",
        "mse",
        "nsfw",
        "nudity",
        "prd",
        "prdc",
        "precision_recall",
        "psnr",
        "rejection",
        "retrieval",
        "skin_tone",
        "ssim",
        "watermark",
    ];
    assert_eq!(registered.into_iter().collect::<Vec<_>>(), all);
}

/// Values that are given by hand.
#[test]
fn values_match_the_functions_behind_them() {
    let chance = Streams::new(1);
    let detected = detections();
    let origins = wanted("1");
    let sample = |rows| hype_core::MetricSample { rows, beside: None, origins: &origins };
    let share = |metric: &dyn Fn() -> DetectionAccuracy| {
        metric().compute(&sample(&detected), &chance).unwrap()[0].value
    };
    // The dog has the greatest score and is there once; where there are two cats, no relation to one of them holds.
    assert_eq!(share(&|| detector(DetectionQuestion::Object)), Some(1.0));
    assert_eq!(share(&|| detector(DetectionQuestion::Count)), Some(1.0));
    assert_eq!(share(&|| detector(DetectionQuestion::Spatial)), Some(2.0 / 3.0));
    let missing = detector(DetectionQuestion::Object);
    let missing = DetectionAccuracy { classes: vec!["cat".into()], ..missing };
    let error = missing.compute(&sample(&detected), &chance).unwrap_err().to_string();
    assert_eq!(error, "the detector has no class `dog`");
}
