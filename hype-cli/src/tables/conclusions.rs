//! Conclusions from estimates, in words: differences from a reference value, equivalence, non-inferiority to real
//! stimuli, and how sure the order of models is.

use hype_core::model::findings::{
    AgainstReal, AgainstReference, MarginTest, MeasureFindings, RankFindings, ResampledOrders,
};

use super::{Page, degrees, number, p_text, percent};

/// Writes the conclusions on the study's score.
pub(super) fn score_on(page: &mut Page, found: &MeasureFindings) {
    other_on(page, found);
    if let Some(ranks) = &found.ranks {
        page.line("");
        ranks_on(page, ranks);
    }
    if let Some(orders) = &found.resampled_orders {
        page.line("");
        orders_on(page, orders);
    }
}

/// Writes the conclusions on another measure, without the order of models.
pub(super) fn other_on(page: &mut Page, found: &MeasureFindings) {
    let label = &found.measure.label;
    if let Some(against) = &found.against_reference {
        page.line("");
        reference_on(page, label, against);
    }
    if let Some(against) = &found.against_real {
        page.line("");
        real_on(page, label, against);
    }
}

fn reference_on(page: &mut Page, label: &str, against: &AgainstReference) {
    let value = number(against.reference.value);
    let reference = match &*against.reference.label {
        "" => value,
        label => format!("{value} ({label})"),
    };
    let tested: Vec<(&str, f64)> =
        against.models.iter().filter_map(|one| Some((&*one.model, one.p?))).collect();
    let alpha = 1.0 - against.level;
    let (apart, unclear): (Vec<_>, Vec<_>) = tested.iter().partition(|(_, p)| *p <= alpha);
    let named = |models: &[&(&str, f64)]| {
        list(models.iter().map(|(model, p)| format!("{model} ({})", p_text(Some(*p)))))
    };
    let mut parts = Vec::new();
    if !apart.is_empty() {
        parts.push(format!("differs from {reference}: {}", named(&apart)));
    }
    if !unclear.is_empty() {
        parts.push(format!("not shown to differ from {reference}: {}", named(&unclear)));
    }
    parts.extend(
        against
            .models
            .iter()
            .filter_map(|one| Some(format!("{}: not known: {}", one.model, one.undefined.as_ref()?))),
    );
    page.line(format_args!("{label}: {}", parts.join("; ")));
    let margins: Vec<_> =
        against.models.iter().map(|one| (&*one.model, one.within_margin, one.smallest_margin)).collect();
    margins_on(page, "equal", &reference, against.margin, &margins);
    let methods = against.models.iter().filter_map(|one| one.interval.as_ref());
    let mut names: Vec<String> = Vec::new();
    for interval in methods {
        let name = format!("{}, {} df", interval.method, df(&interval.df));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        page.line(format_args!(
            "by {}{}; margins one-sided at {} %",
            names.join(" or "),
            adjusted(against.family.as_deref()),
            percent(alpha)
        ));
    }
}

fn real_on(page: &mut Page, label: &str, against: &AgainstReal) {
    let margins: Vec<_> =
        against.models.iter().map(|one| (&*one.model, one.within_margin, one.smallest_margin)).collect();
    let mut real: Vec<&str> = against.models.iter().map(|one| &*one.real).collect();
    real.dedup();
    let real = real.join(" and ");
    page.line(format_args!("{label}: models compared with real stimuli, {real}"));
    margins_on(page, "be no worse than", &real, against.margin, &margins);
    for one in &against.models {
        if let Some(why) = &one.undefined {
            page.line(format_args!("{} compared with {}: not known: {why}", one.model, one.real));
        }
    }
    if let Some(one) = against.models.iter().find(|one| !one.df.is_empty()) {
        page.line(format_args!(
            "by {}, {} df{}; one-sided at {} %",
            against.method,
            df(&one.df),
            adjusted(against.family.as_deref()),
            percent(1.0 - against.level)
        ));
    }
}

/// Writes which models are shown to lie within a declared margin, and the smallest margins of all.
fn margins_on(
    page: &mut Page,
    verb: &str,
    reference: &str,
    margin: Option<f64>,
    models: &[(&str, Option<MarginTest>, Option<f64>)],
) {
    if let Some(margin) = margin {
        let of = |is_shown: bool| {
            let own = models.iter().filter_map(|(model, test, _)| Some((model, (*test)?)));
            list(
                own.filter(|(_, test)| test.shown == is_shown)
                    .map(|(model, test)| format!("{model} ({})", p_text(Some(test.p)))),
            )
        };
        let (shown, open) = (of(true), of(false));
        let within = format!("{verb} {reference} within the declared margin of {}", number(margin));
        if !shown.is_empty() {
            page.line(format_args!("shown to {within}: {shown}"));
        }
        if !open.is_empty() {
            page.line(format_args!("not shown to {within}: {open}"));
        }
    }
    let smallest =
        models.iter().filter_map(|(model, _, smallest)| Some(format!("{model} {}", number((*smallest)?))));
    let smallest = list(smallest);
    if !smallest.is_empty() {
        let declared = if margin.is_none() { ", as none was declared" } else { "" };
        page.line(format_args!("smallest margin that the data support{declared}: {smallest}"));
    }
}

fn ranks_on(page: &mut Page, found: &RankFindings) {
    let ranks = found.models.iter().map(|one| {
        let own = one.simultaneous;
        if own.best == own.worst {
            format!("{} {}", one.model, own.best)
        } else {
            format!("{} {} to {}", one.model, own.best, own.worst)
        }
    });
    page.line(format_args!(
        "ranks, all together at {} %: {}\nby {}",
        percent(found.level),
        list(ranks),
        found.method
    ));
}

fn orders_on(page: &mut Page, found: &ResampledOrders) {
    let lead = found.lead.iter().filter(|one| one.share > 0.0);
    let lead = list(lead.map(|one| format!("{} led in {}", one.model, share(one.share))));
    let orders = found.orders.iter().map(|one| {
        let groups: Vec<String> = one.order.iter().map(|group| group.join(" = ")).collect();
        format!("{} in {}", groups.join(" > "), share(one.share))
    });
    page.line(format_args!("among {} resamples of {}, {lead}", found.resamples, found.units));
    page.line(format_args!("orders: {}", list(orders)));
    page.line(format_args!(
        "these shares are not probabilities: of two equal models, one leads in 90 % of resamples in a fifth of studies or more"
    ));
}

fn share(share: f64) -> String {
    let rounded = (share * 1e3).round() / 10.0;
    if rounded <= 0.0 { "< 0.1 %".into() } else { format!("{rounded} %") }
}

fn df(df: &[f64]) -> String {
    df.iter().map(|&df| degrees(df)).collect::<Vec<_>>().join(" and ")
}

fn adjusted(family: Option<&str>) -> String {
    family.map(|family| format!("; Bonferroni over {family}")).unwrap_or_default()
}

fn list(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
