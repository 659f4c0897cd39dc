//! FID, KID, precision, recall, density, coverage, PRD and IS of given features equal independent implementations.

use hype_metrics::Features;
use hype_metrics::frechet::{FeatureStatistics, frechet_distance, frechet_from_statistics};
use hype_metrics::inception_score::{ClassOutput, inception_score};
use hype_metrics::kernel::kernel_distance;
use hype_metrics::neighbours::{BallSettings, Surface, density_coverage, precision_recall};
use hype_metrics::prd::PrdCurve;
use serde_json::Value;

use crate::support::{Array, Reference, close, reference};

/// The cases whose features are stored, each with its features.
fn stored(reference: &Reference) -> Vec<(String, Value, [Array; 2])> {
    let all = reference.json("features_expected.json");
    let cases: Vec<_> = all["features"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case.get("real").is_some_and(Value::is_string))
        .map(|case| {
            let sets = ["real", "fake"].map(|side| reference.array(case[side].as_str().unwrap()));
            (case["name"].as_str().unwrap().to_owned(), case["expected"].clone(), sets)
        })
        .collect();
    assert!(cases.len() >= 13);
    cases
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn frechet_distances_are_as_stated() {
    let Some(reference) = reference() else { return };
    for (name, expected, [real, fake]) in stored(&reference) {
        let found = frechet_distance(&real.features(), &fake.features()).unwrap();
        close(&name, found.distance, number(&expected["fid"]).max(0.0), 1e-9, 1e-12);
        assert!(found.distance >= 0.0, "{name}");
        let parts = &expected["fid_parts"];
        close(&name, found.mean_part, number(&parts["mean_sq"]), 1e-9, 1e-12);
        close(&name, found.traces[0], number(&parts["tr_real"]), 1e-9, 1e-12);
        close(&name, found.traces[1], number(&parts["tr_fake"]), 1e-9, 1e-12);
        close(&name, found.trace_of_root, number(&parts["tr_sqrt"]), 1e-9, 1e-12);
    }
}

/// From a covariance, a standard deviation that is 0 comes out as the root of rounding: 10⁻⁸ of the greatest, for each.
#[test]
fn frechet_distances_from_statistics_are_as_stated() {
    let Some(reference) = reference() else { return };
    for (name, expected, [real, fake]) in stored(&reference) {
        let [real, fake] = [real, fake].map(|set| {
            let mut moments = hype_metrics::FeatureMoments::of(&set.features()).unwrap();
            (moments.mean().to_vec(), moments.covariance().unwrap())
        });
        let [left, right] = [&real, &fake].map(|(mean, covariance)| FeatureStatistics { mean, covariance });
        let found = frechet_from_statistics(&left, &right).unwrap();
        let scale = found.traces[0] + found.traces[1];
        let is_singular =
            ["rankdef", "constcol", "collapse", "minimal"].iter().any(|part| name.starts_with(part));
        let absolute = if is_singular { 1e-6 * scale } else { 1e-12 * scale };
        close(&name, found.distance, number(&expected["fid"]).max(0.0), 1e-9, absolute);
    }
}

#[test]
fn kernel_distances_are_as_stated() {
    let Some(reference) = reference() else { return };
    for (name, expected, [real, fake]) in stored(&reference) {
        let tolerance = if name.starts_with("offset") { 1e-6 } else { 1e-9 };
        // Where a distance is much less than the kernels that it is a difference of, rounding is that of the kernels.
        let found = kernel_distance(&real.features(), &fake.features()).unwrap();
        close(&name, found.distance, number(&expected["kid_full_unbiased"]), tolerance, 1e-15 * found.across);
        let subsets = &expected["kid_subsets"];
        let rows = ["real", "fake"]
            .map(|side| reference.array(&format!("feats/{name}__kid_idx_{side}.npy")).integers);
        let size = subsets["subset_size"].as_u64().unwrap() as usize;
        let values: Vec<f64> = subsets["values"].as_array().unwrap().iter().map(number).collect();
        for (index, want) in values.iter().enumerate() {
            let range = index * size..(index + 1) * size;
            let [one, other] = [real.select(&rows[0][range.clone()]), fake.select(&rows[1][range])];
            let width = real.columns;
            let (one, other) = (Features::new(&one, width).unwrap(), Features::new(&other, width).unwrap());
            let found = kernel_distance(&one, &other).unwrap();
            close(&name, found.distance, *want, tolerance, 1e-14 * found.across.abs());
        }
    }
}

#[test]
fn neighbours_are_counted_as_stated() {
    let Some(reference) = reference() else { return };
    let mut compared = 0;
    for (name, expected, [real, fake]) in stored(&reference) {
        let (real, fake) = (real.features(), fake.features());
        for neighbour in [3, 5] {
            let open = BallSettings { neighbour, surface: Surface::Open };
            let Some(want) = expected.get(format!("prdc_k{neighbour}_strict")) else { continue };
            let exact = 1e-12;
            let found = precision_recall(&real, &fake, open).unwrap();
            close(&name, found.precision, number(&want["precision"]), 0.0, exact);
            close(&name, found.recall, number(&want["recall"]), 0.0, exact);
            let found = density_coverage(&real, &fake, open).unwrap();
            close(&name, found.density, number(&want["density"]), 0.0, exact);
            close(&name, found.coverage, number(&want["coverage"]), 0.0, exact);
            compared += 1;
        }
        if let Some(want) = expected.get("peer_ipr_k3_le_torch_fidelity_f64") {
            let found = precision_recall(&real, &fake, BallSettings::PRECISION_RECALL).unwrap();
            close(&name, found.precision, number(&want["precision"]), 0.0, 0.5 / fake.rows() as f64);
            close(&name, found.recall, number(&want["recall"]), 0.0, 0.5 / real.rows() as f64);
        }
    }
    assert!(compared >= 24);
}

#[test]
fn precision_and_recall_of_distributions_are_as_stated() {
    let Some(reference) = reference() else { return };
    let all = reference.json("features_expected.json");
    let (mut curves, mut labelled) = (0, 0);
    for case in all["prd"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let numbers =
            |field: &str| -> Vec<f64> { case[field].as_array().unwrap().iter().map(number).collect() };
        let (generated, real) = (numbers("eval_dist"), numbers("ref_dist"));
        let angles = case["num_angles"].as_u64().unwrap() as usize;
        let mut found = vec![PrdCurve::new(&generated, &real, angles).unwrap()];
        if let Some(labels) = case.get("labels").and_then(Value::as_str) {
            let labels =
                reference.array(labels).integers.iter().map(|&label| label as u32).collect::<Vec<u32>>();
            let (generated, real) = labels.split_at(labels.len() / 2);
            found.push(PrdCurve::of_labels(generated, real, angles).unwrap());
            labelled += 1;
        }
        for curve in found {
            close(name, curve.f_score(8.0), number(&case["F8"]), 1e-9, 1e-12);
            close(name, curve.f_score(0.125), number(&case["F1_8"]), 1e-9, 1e-12);
            for (field, values) in [("precision", &curve.precision), ("recall", &curve.recall)] {
                let places = case["curve_idx"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|place| place.as_u64().unwrap() as usize);
                for (place, want) in places.zip(numbers(field)) {
                    // At the last angle, the tangent is a quotient by 1e-10, from which π/2 leaves 10 digits or less.
                    let tolerance = if want < 1e-9 { 1e-5 } else { 1e-9 };
                    close(name, values[place], want, tolerance, 0.0);
                }
            }
            curves += 1;
        }
    }
    assert!(curves >= 10 && labelled >= 2);
}

#[test]
fn inception_scores_are_as_stated() {
    let Some(reference) = reference() else { return };
    let all = reference.json("features_expected.json");
    let cases = all["inception_score"].as_array().unwrap();
    assert!(cases.len() >= 6);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let logits = reference.array(case["logits"].as_str().unwrap());
        let expected = &case["expected"];
        for splits in [1, 2, 10] {
            let want = &expected[format!("splits{splits}_noshuffle")];
            let found = inception_score(&logits.features(), ClassOutput::Logits, splits).unwrap();
            close(name, found.mean, number(&want["mean"]), 1e-9, 0.0);
            close(name, found.standard_deviation, number(&want["std_pop"]), 1e-9, 1e-12);
            assert_eq!(found.splits.len(), splits);
        }
        let order =
            reference.array(&case["logits"].as_str().unwrap().replace(".npy", "__perm2020.npy")).integers;
        let shuffled = logits.select(&order);
        let shuffled = Features::new(&shuffled, logits.columns).unwrap();
        let want = &expected["torch_fidelity_default_shuffle2020_splits10"];
        let found = inception_score(&shuffled, ClassOutput::Logits, 10).unwrap();
        close(name, found.mean, number(&want["mean"]), 1e-9, 0.0);
        close(name, found.standard_deviation, number(&want["std_pop"]), 1e-9, 1e-12);
    }
}
