//! The tables of `opinion`.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::model::findings::{Column, Table};
use hype_stats::StatError;
use hype_stats::opinion::{StimulusScore, sos_hypothesis};
use serde_json::{Value, json};

use super::part::Analysed;
use super::{AdjustmentRule, OpinionScores};
use crate::aggregators::rated::Rated;

/// The scores of each stimulus, by model and item.
pub(super) fn stimuli_table(settings: &OpinionScores, rated: &Rated, parts: &[Analysed]) -> Table {
    let level = settings.level();
    let mut rows: Vec<((usize, usize), Vec<Value>)> = Vec::new();
    for part in parts {
        let opinion = part.opinion.as_ref().ok();
        let scores: HashMap<usize, &StimulusScore> =
            opinion.iter().flat_map(|found| *found).map(|one| (one.stimulus, one)).collect();
        let projection = part.counted_projection().as_ref().ok();
        let certain = projection.is_some_and(|found| found.vanishing.is_empty());
        let qualities: HashMap<usize, _> =
            projection.iter().flat_map(|found| &found.stimuli).map(|one| (one.stimulus, one)).collect();
        for (place, &(model, item)) in part.part.stimuli.iter().enumerate() {
            let score = scores.get(&place);
            let interval = score.and_then(|score| score.student_interval(level).ok());
            let quality = qualities.get(&place);
            let range = quality.filter(|_| certain).and_then(|quality| quality.interval(level).ok());
            rows.push((
                (model, item),
                vec![
                    json!(rated.models[model]),
                    json!(rated.items[item]),
                    json!(score.map_or(0, |score| score.count)),
                    json!(score.map(|score| score.mos)),
                    json!(score.and_then(|score| score.sos)),
                    json!(interval.map(|interval| interval.lower)),
                    json!(interval.map(|interval| interval.upper)),
                    json!(quality.map(|quality| quality.quality)),
                    json!(range.map(|range| range.lower)),
                    json!(range.map(|range| range.upper)),
                ],
            ));
        }
    }
    rows.sort_by_key(|(stimulus, _)| *stimulus);
    let scores = match settings.adjust {
        AdjustmentRule::None => "Stimuli: mean opinion scores",
        AdjustmentRule::BiasRemoved => "Stimuli: mean opinion scores, raters' biases removed (P.913)",
        AdjustmentRule::ZScores => "Stimuli: mean z scores",
    };
    let range = |end: &str, of: &str| format!("{:.4} % {end} ({of})", 100.0 * level).replace(".0000", "");
    Table {
        name: "stimuli".into(),
        label: scores.into(),
        columns: vec![
            Column::new("model", "model", ""),
            Column::new("item", "item", ""),
            Column::new("scores", "scores", ""),
            Column::new("mos", "MOS", ""),
            Column::new("sos", "SOS", ""),
            Column::new("low", &range("low", "Student's t"), ""),
            Column::new("high", &range("high", "Student's t"), ""),
            Column::new("psi", "quality (P.910)", ""),
            Column::new("psi_low", &range("low", "P.910"), ""),
            Column::new("psi_high", &range("high", "P.910"), ""),
        ],
        rows: rows.into_iter().map(|(_, row)| row).collect(),
    }
}

/// The statistics of each rater who is not excluded, including those that BT.500 rejects.
pub(super) fn raters_table(rated: &Rated, parts: &[Analysed]) -> Table {
    let mut rows: Vec<(usize, Vec<Value>)> = Vec::new();
    for part in parts {
        let projection = part.projection.as_ref().ok();
        let models: HashMap<usize, _> =
            projection.iter().flat_map(|found| &found.subjects).map(|one| (one.subject, one)).collect();
        let screened = part.screened.as_ref().ok();
        let screening: HashMap<usize, _> =
            screened.iter().flat_map(|found| &found.subjects).map(|one| (one.subject, one)).collect();
        let mut counts: HashMap<usize, u64> = HashMap::new();
        for (_, rating) in &part.part.rows {
            *counts.entry(rating.rater).or_default() += 1;
        }
        for &rater in part.part.given.subjects() {
            let model = models.get(&rater);
            let screened = screening.get(&rater);
            rows.push((
                rater,
                vec![
                    json!(rated.raters[rater]),
                    json!(counts.get(&rater)),
                    json!(model.map(|model| model.bias)),
                    json!(model.map(|model| model.inconsistency)),
                    json!(part.biases.get(&rater)),
                    json!(screened.map(|found| found.above)),
                    json!(screened.map(|found| found.below)),
                    json!(screened.map(|found| found.extreme_share)),
                    json!(screened.and_then(|found| found.imbalance)),
                    json!(screened.map(|found| if found.rejected { "yes" } else { "no" })),
                ],
            ));
        }
    }
    rows.sort_by_key(|(rater, _)| *rater);
    Table {
        name: "opinion_raters".into(),
        label: "Raters, with BT.500 by standard deviations (n - 1)".into(),
        columns: vec![
            Column::new("rater", "rater", ""),
            Column::new("scores", "scores", ""),
            Column::new("bias", "bias (P.910)", ""),
            Column::new("inconsistency", "inconsistency (P.910)", ""),
            Column::new("p913_bias", "bias (P.913)", ""),
            Column::new("above", "P: extreme scores above", ""),
            Column::new("below", "Q: extreme scores below", ""),
            Column::new("extreme_share", "(P + Q) / presentations", ""),
            Column::new("imbalance", "|P - Q| / (P + Q)", ""),
            Column::new("rejected", "rejected by BT.500", ""),
        ],
        rows: rows.into_iter().map(|(_, row)| row).collect(),
    }
}

/// The SOS hypothesis for all stimuli and for each model, from the unadjusted scores.
pub(super) fn sos_table(settings: &OpinionScores, rated: &Rated, parts: &[Analysed]) -> Table {
    let mut scores: Vec<(usize, StimulusScore)> = Vec::new();
    for part in parts {
        let found = part.plain.as_ref().ok();
        let of_part = found.iter().flat_map(|found| *found);
        scores.extend(of_part.map(|one| (part.part.stimuli[one.stimulus].0, *one)));
    }
    let row = |model: Option<usize>| {
        let wanted = scores.iter().filter(|(of, _)| model.is_none_or(|model| model == *of));
        let stimuli: Vec<StimulusScore> = wanted.map(|(_, score)| *score).collect();
        let [low, high] = settings.scale;
        let found = sos_hypothesis(&stimuli, (low, high)).map_err(|error: StatError| match error {
            StatError::Parameter { .. } => format!("{error}, from {low} to {high}; see `scale`"),
            other => other.to_string(),
        });
        let fit = found.as_ref().ok();
        vec![
            json!(model.map(|model| Arc::clone(&rated.models[model]))),
            json!(fit.map(|fit| fit.a)),
            json!(fit.map(|fit| fit.residual)),
            json!(fit.map(|fit| fit.stimuli)),
            json!(found.as_ref().err()),
        ]
    };
    let mut models: Vec<usize> = parts.iter().flat_map(Analysed::models).collect();
    models.sort_unstable();
    let each = models.iter().map(|&model| row(Some(model)));
    Table {
        name: "sos_hypothesis".into(),
        label: "SOS hypothesis: SOS² = a (MOS - low)(high - MOS)".into(),
        columns: vec![
            Column::new("model", "model (none: all)", ""),
            Column::new("a", "a", ""),
            Column::new("residual", "root mean square residual", ""),
            Column::new("stimuli", "stimuli", ""),
            Column::new("undefined", "undefined because", ""),
        ],
        rows: std::iter::once(row(None)).chain(each).collect(),
    }
}
