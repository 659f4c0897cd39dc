//! Which ranks models may have.

use hype_core::model::findings::MeasureFindings;

use super::ends_of;
use crate::data::{Cell, Data};
use crate::figure::{
    Beside, BesideText, Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone, Width,
};
use crate::source::estimate_of;
use crate::text::{fixed, percent};

/// The ranks that models may have.
pub(super) fn ranks(found: &MeasureFindings) -> Option<Figure> {
    let ranks = found.ranks.as_ref().filter(|ranks| ranks.models.len() > 2)?;
    let mut data = Data::new(["model", "rank", "best", "worst", "resampled_lead", "text"]);
    let resampled = found.resampled_orders.as_ref();
    let mut single = 0;
    for (place, model) in ranks.models.iter().enumerate() {
        let (best, worst) = (model.simultaneous.best, model.simultaneous.worst);
        single += usize::from(best == worst);
        let known = estimate_of(found, &model.model).is_some();
        let rank = if known { Cell::from(place as u64 + 1) } else { Cell::Empty };
        let lead = resampled.and_then(|all| all.lead.iter().find(|lead| lead.model == model.model));
        data.push(
            "ranks",
            [
                (&model.model).into(),
                rank,
                best.into(),
                worst.into(),
                lead.map(|lead| lead.share).into(),
                lead.map(|lead| format!("{} %", fixed(lead.share * 100.0, 0))).into(),
            ],
        );
    }
    let names: Vec<String> = ranks.models.iter().map(|model| model.model.to_string()).collect();
    let (names, gap) = ends_of(&names);
    let lead = resampled.map(|_| Beside {
        heading: "first in resamples".to_owned(),
        part: "ranks",
        at: "model",
        text: BesideText::Column("text"),
    });
    let panel = FigurePanel {
        beside: lead.into_iter().collect(),
        ..FigurePanel::new(
            PanelAxis::whole("rank").including(&[1.0, ranks.models.len() as f64]),
            PanelAxis::Categories { names, gap },
            vec![
                Mark::interval("ranks", "model", ["best", "worst"], Width::Bold, Tone::Accent),
                Mark::dots("ranks", ["rank", "model"], Dot::Large, Tone::Accent),
            ],
        )
    };
    let resampling = resampled.map_or_else(String::new, |resampled| {
        format!(
            " Beside them: the share of {} resamples of {} in which the model came first.",
            resampled.resamples, resampled.units
        )
    });
    Some(Figure {
        id: "f15-ranks".to_owned(),
        title: "Possible ranks".to_owned(),
        reading: Explanation {
            question: "Which ranks are compatible with the study?".to_owned(),
            how: format!(
                "Dots are the places in the order of estimates, bars the ranks of a set that covers those of all models \
                 together with {} % confidence ({}).{resampling}",
                percent(ranks.level),
                ranks.method
            ),
            not: "Ranks say nothing about how far models are apart, and shares of resamples are not probabilities of being \
                  best."
                .to_owned(),
        },
        description: format!(
            "{single} of {} models {} a single possible rank.",
            ranks.models.len(),
            if single == 1 { "has" } else { "have" }
        ),
        data,
        chart: panel.alone(),
    })
}
