//! The public page: one file without scripts, in the style of reports. It shows what `board.json` has, and nothing else.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hype_core::words::counted;
use hype_report::numbers::{count, fixed, p_text};
use hype_report::{frame, markup};
use hype_stats::link::LEAST_ANCHORS;

use crate::names::PRIVATE;
use crate::results::{BoardLevel, BoardMeasure, BoardModel, BoardResults, BoardStep};

/// Rows whose history is drawn; those after them are in the table alone.
const DRAWN: usize = 12;
/// Rows of the table of differences.
const COMPARED: usize = 12;

/// The page of a board.
pub(crate) fn page(board: &BoardResults) -> String {
    let mut out = String::new();
    head(&mut out, board);
    for (place, measure) in board.measures.iter().enumerate() {
        ranking(&mut out, board, measure, place);
    }
    if let Some(score) = board.measures.first() {
        levels(&mut out, score);
        history(&mut out, score);
        compare(&mut out, score);
        links(&mut out, board, score);
    }
    makers(&mut out, board);
    methods(&mut out, board);
    journal(&mut out, board);
    let has_levels = board.measures.first().is_some_and(|score| !score.levels.is_empty());
    let levels = has_levels.then_some(("levels", "Facets"));
    let contents: Vec<(&str, &str)> = [("ranking-1", "Ranking")]
        .into_iter()
        .chain(levels)
        .chain([
            ("history", "History"),
            ("compare", "Compare"),
            ("waves", "Waves"),
            ("makers", "Makers"),
            ("methods", "Methods"),
            ("changes", "Changes"),
        ])
        .collect();
    frame(&board.name, &contents, &out, &board.software)
}

// Writing to a string cannot fail, here and below.

fn head(out: &mut String, board: &BoardResults) {
    out.push_str("<header>\n<p class=\"facts\">");
    if board.simulated {
        out.push_str("<span class=\"chip\">SIMULATED: no people</span>");
    }
    let raters: u64 = board.waves.iter().map(|wave| wave.raters).sum();
    let score = board.measures.first();
    let answers: u64 = score.map_or(0, |score| score.links.iter().map(|step| step.answers).sum());
    let _ = writeln!(
        out,
        "{} waves · {} raters · {} answers · {}</p>",
        board.waves.len(),
        count(raters),
        count(answers),
        markup(&board.date)
    );
    let headline = score.map_or_else(|| NOTHING.to_owned(), headline);
    let _ = writeln!(out, "<h1 dir=\"auto\">{}</h1>", markup(&headline));
    if let Some(first) = score.and_then(|score| score.first_place.as_ref()) {
        let part = |number: Option<u64>, of: u64, what: &str| match number {
            Some(number) => {
                format!(
                    "{} of {} {what} ({} %)",
                    count(number),
                    count(of),
                    fixed(100.0 * number as f64 / of as f64, 2)
                )
            }
            None => format!("more {what} than there are"),
        };
        let _ = writeln!(
            out,
            "<p class=\"lead\" dir=\"auto\">{} would be first in place of {} without {}, or without {}.</p>",
            markup(&first.second),
            markup(&first.first),
            part(first.answers, first.of_answers, "answers"),
            part(first.raters, first.of_raters, "raters"),
        );
    }
    out.push_str("</header>\n");
}

const NOTHING: &str = "Nothing is ranked yet";

/// The models that may be first, also where they are private.
fn headline(score: &BoardMeasure) -> String {
    let shown = score.models.iter().filter(|one| one.best_rank == 1).map(|one| one.name.clone());
    let hidden = (0..score.private_first).map(|_| PRIVATE.to_owned());
    let leaders: Vec<String> = shown.chain(hidden).collect();
    match &leaders[..] {
        [] => NOTHING.to_owned(),
        [one] if one == PRIVATE => "A private model is first".to_owned(),
        [one] => format!("{one} is first"),
        [rest @ .., last] if leaders.len() <= 3 && score.private_first < 2 => {
            format!("{} and {last} are not told apart", rest.join(", "))
        }
        _ => format!("{} models may be first", leaders.len()),
    }
}

fn section(out: &mut String, id: &str, title: &str) {
    let _ = writeln!(out, "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>", markup(title));
}

fn begin_table(out: &mut String, label: &str, headings: &[(&str, bool)]) {
    let _ = write!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">\n<table>\n<thead><tr>",
        markup(label)
    );
    for (heading, is_number) in headings {
        let class = if *is_number { " class=\"n\"" } else { "" };
        // A column without a name has no header, which would be read as an empty one.
        let [begin, end] = if heading.is_empty() { ["td", "td"] } else { ["th scope=\"col\"", "th"] };
        let _ = write!(out, "<{begin}{class}>{}</{end}>", markup(heading));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
}

const END_TABLE: &str = "</tbody>\n</table>\n</div>\n";

/// How the values of a measure are written: two digits of the narrowest half-width.
fn decimals(measure: &BoardMeasure) -> usize {
    let halves = measure.models.iter().map(|one| (one.high - one.low) / 2.0).filter(|half| *half > 0.0);
    let half = halves.fold(f64::INFINITY, f64::min);
    if half.is_finite() { (1.0 - half.log10().floor()).clamp(0.0, 4.0) as usize } else { 2 }
}

fn signed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    if value > 0.0 { format!("+{text}") } else { text }
}

fn interval(low: f64, high: f64, decimals: usize) -> String {
    format!("[{}, {}]", fixed(low, decimals), fixed(high, decimals))
}

fn ranks(model: &BoardModel) -> String {
    if model.best_rank == model.worst_rank {
        model.best_rank.to_string()
    } else {
        format!("{}–{}", model.best_rank, model.worst_rank)
    }
}

fn ranking(out: &mut String, board: &BoardResults, measure: &BoardMeasure, place: usize) {
    let title = if place == 0 { "Ranking".to_owned() } else { format!("By {}", measure.name) };
    section(out, &format!("ranking-{}", place + 1), &title);
    let unit = if measure.unit.is_empty() { String::new() } else { format!(", in {}", measure.unit) };
    let better = if measure.higher_is_better { "Higher is better" } else { "Lower is better" };
    let _ = writeln!(
        out,
        "<p>Values of {}{unit}, less the mean of the first wave's models and on its scale, with simultaneous {} % intervals. {better}. \
         Ranks are sets: all of them together hold the true ranks of all models with the same confidence.</p>",
        markup(&measure.name),
        fixed(100.0 * board.level, 0),
    );
    begin_table(
        out,
        &title,
        &[
            ("Rank", true),
            ("Model", false),
            ("Maker", false),
            ("Value", true),
            ("Interval", true),
            ("", false),
            ("Answers", true),
            ("Waves", true),
        ],
    );
    let decimals = decimals(measure);
    let low = measure.models.iter().map(|one| one.low).fold(f64::INFINITY, f64::min);
    let high = measure.models.iter().map(|one| one.high).fold(f64::NEG_INFINITY, f64::max);
    for model in &measure.models {
        let waves = match (&model.waves[..], model.waves.last()) {
            ([only], _) => only.to_string(),
            (all, Some(last)) => format!("{}, last {last}", all.len()),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "<tr><td class=\"n\">{}</td><td dir=\"auto\">{}</td><td dir=\"auto\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td>{}</td><td class=\"n\">{}</td><td class=\"n\">{waves}</td></tr>",
            ranks(model),
            markup(&model.name),
            markup(model.maker.as_deref().unwrap_or("–")),
            signed(model.value, decimals),
            interval(model.low, model.high, decimals),
            bar(model, low, high),
            count(model.answers),
        );
    }
    out.push_str(END_TABLE);
    favours(out, measure);
    within_wave(out, measure);
    out.push_str("</section>\n");
}

/// The models that no linked wave rated.
fn within_wave(out: &mut String, measure: &BoardMeasure) {
    if measure.within_wave.is_empty() {
        return;
    }
    let decimals = decimals(measure);
    out.push_str("<h3>Ranked within their wave only</h3>\n");
    for step in measure.links.iter().filter(|step| !step.linked) {
        let _ = writeln!(out, "<p>Wave {} is apart: {}.</p>", step.wave, markup(&step.why_apart()));
    }
    begin_table(
        out,
        "Within waves",
        &[("Wave", true), ("Rank there", true), ("Model", false), ("Value there", true), ("Interval", true)],
    );
    for model in &measure.within_wave {
        let _ = writeln!(
            out,
            "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td dir=\"auto\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            model.waves.first().copied().unwrap_or_default(),
            ranks(model),
            markup(&model.name),
            signed(model.value, decimals),
            interval(model.low, model.high, decimals)
        );
    }
    out.push_str(END_TABLE);
}

/// The raters who favour a maker, as the packages name them.
fn favours(out: &mut String, measure: &BoardMeasure) {
    for favour in &measure.favours {
        let share = |part: f64| fixed(100.0 * part, 0);
        let raters = favour.raters.iter();
        let raters: Vec<String> =
            raters.map(|(wave, names)| format!("wave {wave}: {}", names.join(", "))).collect();
        let _ = writeln!(
            out,
            "<h3 dir=\"auto\">Raters who favour {maker}</h3>\n<p dir=\"auto\">Its models won {} % of {} of {}, where the votes \
             of all let expect {} % ({}). These votes count here. In the packages, the raters are: {}.</p>",
            share(favour.won),
            counted(favour.votes, "vote"),
            counted(favour.people, "rater"),
            share(favour.expected),
            p_text(favour.p),
            markup(&raters.join("; ")),
            maker = markup(&favour.maker),
        );
    }
}

/// A value and its interval as a drawing, with its numbers next to it.
fn bar(model: &BoardModel, low: f64, high: f64) -> String {
    let at = |value: f64| 4.0 + 112.0 * (value - low) / (high - low).max(f64::MIN_POSITIVE);
    format!(
        "<svg width=\"120\" height=\"14\" viewBox=\"0 0 120 14\" aria-hidden=\"true\"><line x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"0\" \
         y2=\"14\" stroke=\"currentColor\" stroke-opacity=\".3\"/><line x1=\"{1:.1}\" x2=\"{2:.1}\" y1=\"7\" y2=\"7\" \
         stroke=\"currentColor\" stroke-width=\"2\"/><circle cx=\"{3:.1}\" cy=\"7\" r=\"3.5\" fill=\"currentColor\"/></svg>",
        at(0.0_f64.clamp(low, high)),
        at(model.low),
        at(model.high),
        at(model.value)
    )
}

/// The sets of ranks and the values of the first models for each level of the facets of items.
fn levels(out: &mut String, measure: &BoardMeasure) {
    if measure.levels.is_empty() {
        return;
    }
    section(out, "levels", "Facets");
    out.push_str(
        "<p>Ranks and values among the items of each level alone. Sets of ranks hold for all models of all levels together.</p>\n",
    );
    let decimals = decimals(measure);
    let facets: BTreeSet<&str> = measure.levels.iter().map(|level| &*level.facet).collect();
    for facet in facets {
        let levels: Vec<&BoardLevel> = measure.levels.iter().filter(|level| level.facet == facet).collect();
        let headings: Vec<String> = levels
            .iter()
            .map(|level| format!("{} ({} answers)", level.level, count(level.answers)))
            .collect();
        let mut columns = vec![("Model", false)];
        columns.extend(headings.iter().map(|heading| (heading.as_str(), true)));
        begin_table(out, facet, &columns);
        for model in measure.models.iter().take(COMPARED) {
            let _ = write!(out, "<tr><td dir=\"auto\">{}</td>", markup(&model.name));
            for level in &levels {
                let found = level.models.iter().find(|one| one.name == model.name);
                let cell = found.map_or("–".to_owned(), |one| {
                    format!("{} ({})", ranks(one), signed(one.value, decimals))
                });
                let _ = write!(out, "<td class=\"n\">{cell}</td>");
            }
            out.push_str("</tr>\n");
        }
        out.push_str(END_TABLE);
    }
    out.push_str("</section>\n");
}

/// Steps over the waves, one row of drawing for each of the first models.
fn history(out: &mut String, measure: &BoardMeasure) {
    section(out, "history", "History");
    out.push_str("<p>Where each model was after each wave, with intervals of its own.</p>\n");
    let decimals = decimals(measure);
    let drawn = measure.models.iter().take(DRAWN);
    let points = || drawn.clone().flat_map(|model| &model.history);
    let low = points().map(|point| point[2]).fold(f64::INFINITY, f64::min);
    let high = points().map(|point| point[3]).fold(f64::NEG_INFINITY, f64::max);
    let last = points().map(|point| point[0]).fold(1.0, f64::max);
    begin_table(
        out,
        "History",
        &[("Model", false), ("Waves 1 to the last", false), ("After each wave", false)],
    );
    for model in drawn {
        let values: Vec<String> = model
            .history
            .iter()
            .map(|[wave, value, from, to]| {
                format!("{wave}: {} {}", signed(*value, decimals), interval(*from, *to, decimals))
            })
            .collect();
        let _ = writeln!(
            out,
            "<tr><td dir=\"auto\">{}</td><td>{}</td><td>{}</td></tr>",
            markup(&model.name),
            steps(&model.history, low, high, last),
            values.join("<br>")
        );
    }
    out.push_str(END_TABLE);
    if measure.models.len() > DRAWN {
        let _ = writeln!(
            out,
            "<p>The first {DRAWN} of {} models; <a href=\"board.json\">board.json</a> has all.</p>",
            measure.models.len()
        );
    }
    out.push_str("</section>\n");
}

fn steps(history: &[[f64; 4]], low: f64, high: f64, last: f64) -> String {
    let (width, height) = (200.0, 48.0);
    let x = |wave: f64| (wave - 1.0) / last * width;
    let y = |value: f64| 2.0 + (height - 4.0) * (high - value) / (high - low).max(f64::MIN_POSITIVE);
    let mut text = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\">"
    );
    let mut line = String::new();
    for (place, [wave, value, from, to]) in history.iter().enumerate() {
        let end = history.get(place + 1).map_or(last + 1.0, |next| next[0]);
        let _ = write!(
            text,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"currentColor\" fill-opacity=\".15\"/>",
            x(*wave),
            y(*to),
            x(end) - x(*wave),
            (y(*from) - y(*to)).max(0.5)
        );
        let begin = if place == 0 { 'M' } else { 'L' };
        let _ = write!(line, "{begin}{:.1} {:.1}H{:.1}", x(*wave), y(*value), x(end));
    }
    let _ =
        write!(text, "<path d=\"{line}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.6\"/></svg>");
    text
}

/// Each two of the first models.
fn compare(out: &mut String, measure: &BoardMeasure) {
    section(out, "compare", "Compare two");
    out.push_str(
        "<p>The sign of the difference of the row's model and the column's: + where the row's ranks are all better, − where they are \
         all worse, and a dot where the sets of ranks meet.</p>\n",
    );
    let models: Vec<&BoardModel> = measure.models.iter().take(COMPARED).collect();
    let mut headings = vec![("Model", false)];
    headings.extend(models.iter().map(|model| (&*model.name, false)));
    begin_table(out, "Compare two", &headings);
    for row in &models {
        let _ = write!(out, "<tr><td dir=\"auto\">{}</td>", markup(&row.name));
        for column in &models {
            let sign = if row.worst_rank < column.best_rank {
                "+"
            } else if row.best_rank > column.worst_rank {
                "−"
            } else if row.name == column.name {
                ""
            } else {
                "·"
            };
            let _ = write!(out, "<td>{sign}</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str(END_TABLE);
    out.push_str("</section>\n");
}

fn links(out: &mut String, board: &BoardResults, measure: &BoardMeasure) {
    section(out, "waves", "Waves");
    begin_table(
        out,
        "Waves",
        &[
            ("Wave", true),
            ("Closed", false),
            ("Raters", true),
            ("Answers", true),
            ("Anchors", true),
            ("Slope", true),
            ("Drift", true),
            ("Anchors agree with earlier waves", false),
            ("New models", false),
        ],
    );
    for wave in &board.waves {
        let step = measure.links.iter().find(|step| step.wave == wave.number);
        let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| fixed(value, 2));
        let _ = writeln!(
            out,
            "<tr><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td dir=\"auto\">{}</td><td dir=\"auto\">{}</td></tr>",
            wave.number,
            markup(&wave.date),
            count(wave.raters),
            count(step.map_or(0, |step| step.answers)),
            step.map_or(0, |step| step.anchors),
            number(step.and_then(|step| step.slope)),
            number(step.and_then(|step| step.drift)),
            markup(&step.map_or("not asked".to_owned(), agreement)),
            markup(&wave.new.join(", ")),
        );
    }
    out.push_str(END_TABLE);
    out.push_str("</section>\n");
}

impl BoardStep {
    /// Why the wave is not linked, as a clause.
    #[must_use]
    pub fn why_apart(&self) -> String {
        match &self.farthest {
            _ if self.anchors < LEAST_ANCHORS as u64 => {
                format!(
                    "it has {} in common with linked waves, fewer than {LEAST_ANCHORS}",
                    counted(self.anchors as usize, "model")
                )
            }
            Some(far) => format!("its anchors disagree with earlier waves; {} departs most", far.model),
            None => "its anchors determine no line".to_owned(),
        }
    }
}

/// How a wave's anchors agree, in words.
fn agreement(step: &BoardStep) -> String {
    let Some(p) = step.p else {
        return if step.linked { "the first".to_owned() } else { format!("not asked: {}", step.why_apart()) };
    };
    if step.linked {
        return p_text(p);
    }
    let far = step.farthest.as_ref().map_or_else(String::new, |far| {
        format!(
            "; {} is {} from where the others put it ({})",
            far.model,
            signed(far.shift, 2),
            p_text(far.p)
        )
    });
    format!("no, {}: ranked within it only{far}", p_text(p))
}

fn makers(out: &mut String, board: &BoardResults) {
    section(out, "makers", "Makers");
    out.push_str(
        "<p>Who enters many models has the better chance that one of them looks good. Private models are counted as well.</p>\n",
    );
    begin_table(out, "Makers", &[("Maker", false), ("Models", true), ("Rated", true), ("Private", true)]);
    for maker in &board.makers {
        let _ = writeln!(
            out,
            "<tr><td dir=\"auto\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            markup(&maker.maker),
            maker.models,
            maker.rated,
            maker.private
        );
    }
    out.push_str(END_TABLE);
    out.push_str("</section>\n");
}

fn methods(out: &mut String, board: &BoardResults) {
    section(out, "methods", "Methods");
    out.push_str(
        "<p>Each wave is a study of its own, whose package holds its answers, its protocol and its findings. Models are estimated within \
         waves, with raters as clusters: strengths of Bradley and Terry's model by votes, with a small penalty where a \
         model won or lost all of its votes, and means over raters otherwise, of models with three raters or more. Waves are linked by \
         the models that they share, with an offset and a slope for each wave and a drift of each model in each wave, whose variance is \
         averaged over what all anchors leave possible. Votes of different waves are never pooled. A wave whose anchors disagree with \
         earlier waves at the 1 % level is not linked, nor one whose slope is negative with a probability above 10 %. Ranks are those \
         of Mogstad and others (2024), by Holm's method; simultaneous intervals are Bonferroni's. Raters are said to favour a maker \
         where at most a tenth of them prefer its models more than the votes and tastes of all let expect, at the 1 % level (Berk and \
         Jones 1979)",
    );
    if board.measures.len() > 1 {
        let _ = write!(out, ", over {} measures as well", board.measures.len());
    }
    out.push_str(".</p>\n");
    if !board.rules.is_empty() {
        out.push_str("<ul>\n");
        for rule in &board.rules {
            let _ = writeln!(out, "<li dir=\"auto\">{}</li>", markup(rule));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("<p><a href=\"board.json\">board.json</a> has every number of this page, and <a href=\"feed.xml\">a feed</a> says when it changes.</p>\n</section>\n");
}

fn journal(out: &mut String, board: &BoardResults) {
    section(out, "changes", "Changes");
    if board.journal.is_empty() {
        out.push_str("<p>The rules are those of the first wave.</p>\n");
    } else {
        out.push_str("<dl class=\"reading\">\n");
        for entry in &board.journal {
            let _ = writeln!(out, "<dt>{}, before wave {}</dt>", markup(&entry.date), entry.wave);
            for change in &entry.changes {
                let _ = writeln!(out, "<dd dir=\"auto\">{}</dd>", markup(change));
            }
        }
        out.push_str("</dl>\n");
    }
    out.push_str("</section>\n");
}
