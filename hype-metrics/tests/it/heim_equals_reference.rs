//! Fractal dimension, tone of skin and blackout equal those of HEIM's code.

use hype_metrics::heim::{
    IDEAL_DIMENSION, ToneRule, blackout_share, fractal_coefficients, fractal_dimension, is_blacked_out,
    skin_colour, skin_tone_balance,
};
use serde_json::Value;

use crate::support::{close, reference};

#[test]
fn every_image_is_as_stated() {
    let Some(reference) = reference() else { return };
    let all = reference.json("heim_expected.json");
    let cases = all["images"].as_array().unwrap();
    assert!(cases.len() >= 22);
    let images: Vec<_> = cases.iter().map(|case| reference.png(case["path"].as_str().unwrap())).collect();
    let mut tones = Vec::new();
    for (case, image) in cases.iter().zip(&images) {
        let (id, expected, image) = (case["id"].as_str().unwrap(), &case["expected"], image.view());
        let dimension = fractal_dimension(&image);
        assert_eq!(dimension.is_some(), expected["fractal_dimension"].is_f64(), "{id}");
        if let Some(dimension) = dimension {
            close(id, dimension, expected["fractal_dimension"].as_f64().unwrap(), 0.0, 1e-6);
            let want = expected["fractal_loss_abs_minus_1.4"].as_f64().unwrap();
            close(id, (dimension - IDEAL_DIMENSION).abs(), want, 0.0, 1e-6);
        }
        let skin = skin_colour(&image).unwrap();
        assert_eq!(skin.map(|skin| u64::from(skin.tone)), expected["monk_index_1_10"].as_u64(), "{id}");
        if let Some(skin) = skin {
            for (got, want) in skin.mean.iter().zip(expected["mean_skin_rgb"].as_array().unwrap()) {
                close(id, *got, want.as_f64().unwrap(), 0.0, 1e-6);
            }
        }
        assert_eq!(Some(is_blacked_out(&image)), expected["blacked_out"].as_bool(), "{id}");
        if !is_blacked_out(&image) {
            tones.push(skin.map(|skin| skin.tone));
        }
    }
    let set = &all["set_level"];
    let want: Vec<Option<u8>> = set["tones_of_nonblack"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tone| tone.as_u64().map(|tone| tone as u8))
        .collect();
    assert_eq!(tones, want);
    for (rule, field) in [
        (ToneRule::Paper, "paper_L1_not_divided"),
        (ToneRule::Helm, "heim_code_skin_tone_imbalance(L1/10; unknown in denominator)"),
    ] {
        let found = skin_tone_balance(&tones, rule).unwrap();
        close(field, found.imbalance, set[field].as_f64().unwrap(), 1e-12, 0.0);
        assert_eq!(found.unknown, tones.iter().filter(|tone| tone.is_none()).count());
    }
    let views: Vec<_> = images.iter().map(|image| image.view()).collect();
    let black = cases.iter().filter(|case| case["expected"]["blacked_out"] == Value::Bool(true)).count();
    assert_eq!(blackout_share(&views).unwrap().hits, black);
    let found = fractal_coefficients(&views, 7).unwrap();
    let left_out = cases.iter().filter(|case| case["expected"]["fractal_dimension"].is_null()).count();
    assert_eq!(found.summary.count, cases.len() - left_out);
    assert_eq!(found.summary.warnings, [hype_metrics::SampleWarning::LeftOut { count: left_out }]);
}
