//! `hype aggregate`: the statistics alone, over any tidy CSV.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hype::exchange::export::TableRaters;
use hype::exchange::layout::{FACTS, RATERS};
use hype::exchange::{
    ColumnNames, Format, LevelColumns, MaybeColumn, Metrics, RowWriter, TableFacets, TableFormat, TidyReader,
    levels, output_facts, spellings,
};
use hype_analyses::aggregators::by_model::{ByModel, IntervalMethod, Pairs};
use hype_analyses::aggregators::{Bootstrap, DeclaredMargin};
use hype_core::model::findings::{FORMAT, Findings, GeneralizeTo, MeasureFindings, Note};
use hype_core::model::output_facts::OutputFacts;
use hype_core::model::score::{Direction, Measure, PREFERENCE, ScoreTable};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::study::analysis::Aggregating;
use hype_core::study::spec::check_bounds;
use hype_core::words::listed;
use hype_core::yaml::{Document, to_json};
use hype_core::{Aggregated, AggregatorSpec, Diagnostics, Limit, MeasureScale, Streams, study::analysis};
use hype_core::{Levels, RaterDesign};
use hype_report::{Records, ReportLanguage, ReportSource};
use serde_json::json;

use self::design::JudgedModels;
use super::args::{
    AggregateArguments, Better, DesignKind, GeneralizeKind, IntervalKind, PairsKind, Resample, ScaleKind,
};
use super::failure::Failure;
use super::import::table_format;
use super::output::{begin, finish, print_json};
use super::report;
use super::tables::Told;
use super::terminal;

mod design;

/// How many rows are collected before they are passed to the aggregator.
const CHUNK: usize = 1 << 13;

pub(crate) fn run(arguments: &AggregateArguments) -> Result<(), Failure> {
    let computed = compute(arguments, arguments.figures.is_some(), &|| false)?;
    for assumed in &computed.assumptions {
        terminal::report(format_args!("note: {assumed}"));
    }
    if let (Some(path), Some(raters)) = (&arguments.raters, &computed.raters) {
        let mut out = RowWriter::begin(begin(Some(path))?, Format::Csv, RATERS.columns)?;
        raters.write(&mut out)?;
        finish(out.finish()?)?;
    }
    tell(arguments, &computed)
}

/// The findings of a table.
pub(crate) struct Computed {
    pub(crate) findings: Findings,
    /// The raters' records, if figures are asked for.
    pub(crate) records: Option<Records>,
    /// How raters answered, if it is asked for.
    raters: Option<TableRaters>,
    /// Assumptions about the file and its cells.
    pub(crate) assumptions: Vec<String>,
}

/// Computes the findings of a table, up to a chunk of rows before which `stopped` is true.
pub(crate) fn compute(
    arguments: &AggregateArguments,
    with_records: bool,
    stopped: &dyn Fn() -> bool,
) -> Result<Computed, Failure> {
    let (mut binary, mut design) = (Binary::Assumed, None);
    loop {
        let what = match aggregate(arguments, binary, design, with_records, stopped)? {
            Outcome::Done(computed) => return Ok(*computed),
            Outcome::OtherValues(name) => {
                binary = Binary::NotAssumed;
                format!(
                    "the first {CHUNK} values of `{name}` are 0 or 1, and others are not: say what they are with --unit, such as \
                     --unit points"
                )
            }
            Outcome::WithinRaters => {
                design = Some(RaterDesign::Within);
                format!(
                    "raters judged several models, as the first {CHUNK} values do not show: add --design within, or --design \
                     between"
                )
            }
        };
        // What was assumed did not hold: a file is read again.
        if arguments.source().is_stream() {
            return Err(Failure::Message(what));
        }
    }
}

/// Whether values that begin with 0 and 1 alone count as proportions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binary {
    Assumed,
    NotAssumed,
}

/// How an aggregation ends.
enum Outcome {
    Done(Box<Computed>),
    /// Values of this measure are neither 0 nor 1, although its first ones are.
    OtherValues(String),
    /// Raters judged several models, although the first rows do not show it.
    WithinRaters,
}

fn aggregate(
    arguments: &AggregateArguments,
    binary: Binary,
    found: Option<RaterDesign>,
    with_records: bool,
    stopped: &dyn Fn() -> bool,
) -> Result<Outcome, Failure> {
    let metrics = arguments.metrics.as_deref().map(Metrics::read).transpose()?;
    let mut reader = open(arguments)?;
    // Values of several measures in one column must not be treated as one measure.
    if !reader.is_long() && reader.has_column("measure") {
        return Err(Failure::Message(
            "the table has a column `measure`, so its rows are of several measures: leave --value out".into(),
        ));
    }
    let mut scores = ScoreTable::default();
    let (mut measures, mut is_made_up) = measures_in(&mut reader, &mut scores, arguments)?;
    let mut more = reader.read(&mut scores, CHUNK)?;
    let binary =
        if binary == Binary::Assumed { take_for_proportions(&mut measures, &scores) } else { Vec::new() };
    is_made_up |= reader.has_made_up_raters();
    let mut judged = JudgedModels::default();
    judged.add(&scores);
    let stated = stated_design(arguments, is_made_up);
    let design = stated.or(found).unwrap_or_else(|| judged.design());
    let aggregators = aggregators(arguments, &measures, &reader)?;
    let facets = facets(arguments, &aggregators)?;
    let generalize_to = arguments.generalize_to.map_or(GeneralizeTo::Raters, GeneralizeKind::meant);
    let context = Aggregation::new(measures, design)
        .generalizing_to(generalize_to)
        .with_facets(facets.facets, Vec::new())
        .with_item_levels(facets.items)
        .with_rater_levels(facets.raters);
    let context = context.with_item_clusters(clusters(arguments, &reader));
    let context = context.with_facts(covariates(arguments, &aggregators)?);
    if is_made_up && arguments.raters.is_some() {
        return Err(Failure::Message(
            "--raters needs a table that names its raters: here they are places in lists".into(),
        ));
    }
    let context = if is_made_up { about_items(context, arguments, &aggregators)? } else { context };
    let context = arguments.real.iter().fold(context, |context, model| context.with_real(model));
    let mut sums = Aggregating::begin(&aggregators, &context);
    let mut records = with_records.then(Records::default);
    let mut raters = arguments.raters.is_some().then(TableRaters::default);
    loop {
        if stopped() {
            return Err(Failure::Message("stopped".into()));
        }
        if let Some(name) = binary.iter().find(|name| !is_binary(&scores, name)) {
            return Ok(Outcome::OtherValues(name.clone()));
        }
        sums.add(&scores)?;
        if let Some(records) = &mut records {
            records.add_scores(scores.rows());
        }
        if let Some(raters) = &mut raters {
            raters.add(scores.rows());
        }
        scores.clear_rows();
        if !more {
            break;
        }
        more = reader.read(&mut scores, CHUNK)?;
        if stated.is_none() {
            judged.add(&scores);
        }
    }
    if design == RaterDesign::Between && stated.is_none() && judged.design() == RaterDesign::Within {
        return Ok(Outcome::WithinRaters);
    }
    let mut notes = notes_of(&reader, &binary, &scores);
    if design == RaterDesign::Within && stated.is_none() {
        notes.push(Note::setting("within-raters", judged.note()));
    }
    let found = sums.findings(&[], &Streams::new(arguments.seed))?;
    let findings = findings(arguments, found, notes, metrics);
    Ok(Outcome::Done(Box::new(Computed { findings, records, raters, assumptions: reader.assumptions() })))
}

/// The design that the arguments state. Pairs of independent raters are those of a design between raters, and made-up raters have
/// none.
fn stated_design(arguments: &AggregateArguments, is_made_up: bool) -> Option<RaterDesign> {
    let is_between = is_made_up || !matches!(arguments.pairs, PairsKind::Auto | PairsKind::Wilcoxon);
    match arguments.design {
        Some(DesignKind::Between) => Some(RaterDesign::Between),
        Some(DesignKind::Within) => Some(RaterDesign::Within),
        None => is_between.then_some(RaterDesign::Between),
    }
}

/// Returns notes on what is assumed about a table and left out of it.
fn notes_of(reader: &TidyReader, binary: &[String], scores: &ScoreTable) -> Vec<Note> {
    let mut notes: Vec<Note> = reader
        .empty_values()
        .map(|empty| Note::meaning("empty-values", format!("{empty}: left out as missing")))
        .collect();
    notes.extend(reader.remarks().into_iter().map(|(code, text)| Note::meaning(code, text)));
    for (kind, names) in [("raters", &scores.raters), ("models", &scores.models)] {
        let alike = spellings(kind, names.all().iter().map(|name| &**name));
        notes.extend(alike.map(|text| Note::meaning("similar-names", text)));
    }
    notes.extend(binary.iter().map(|name| {
        Note::setting("binary", "all values are 0 or 1, and count as proportions; --unit says otherwise")
            .about(name)
    }));
    notes
}

/// A note that items count as fixed, if nothing was said of them.
fn fixed_items(arguments: &AggregateArguments, measures: &[MeasureFindings]) -> Option<Note> {
    let score = measures.first().filter(|score| score.items > 1)?;
    let is_fixed = score.generalize_to == Some(GeneralizeTo::Raters) && arguments.generalize_to.is_none();
    is_fixed.then(|| {
        let text = format!(
            "{} items count as fixed: results are about other raters (--generalize-to raters-and-items)",
            score.items
        );
        Note::precision("fixed-items", text).about(&score.measure.name)
    })
}

/// The findings of no study, with their notes and what metrics say of them.
fn findings(
    arguments: &AggregateArguments,
    found: Aggregated,
    mut notes: Vec<Note>,
    metrics: Option<Metrics>,
) -> Findings {
    notes.extend(found.notes);
    notes.extend(fixed_items(arguments, &found.measures));
    let mut findings = Findings {
        format: FORMAT,
        software: analysis::software(),
        study: None,
        collected: None,
        stopping: None,
        measures: found.measures,
        metrics: Vec::new(),
        correlations: Vec::new(),
        timing: None,
        exclusions: Vec::new(),
        surveys: Vec::new(),
        checks: Vec::new(),
        earnings: None,
        models: std::collections::BTreeMap::new(),
        notes: Vec::new(),
    };
    findings.add_notes(notes);
    if let Some(metrics) = metrics {
        let chance = Streams::new(arguments.seed);
        metrics.correlate(&mut findings, &|_, _| Vec::new(), arguments.resamples, arguments.level, &chance);
    }
    findings
}

/// Prints findings, and writes their report if it is asked for.
fn tell(arguments: &AggregateArguments, computed: &Computed) -> Result<(), Failure> {
    let findings = &computed.findings;
    let page = match (&arguments.figures, &computed.records) {
        (Some(folder), Some(records)) => {
            let source = ReportSource { findings, records, study: None, simulated: false, pictures: None };
            Some(report::write(&source, folder, ReportLanguage::default())?)
        }
        _ => None,
    };
    if arguments.report.json {
        return print_json(findings);
    }
    let files = match &page {
        Some(page) => vec![format!("report  {}", page.display())],
        None => vec!["figures and tables: --figures FOLDER".to_owned()],
    };
    Told {
        findings,
        study: None,
        table: Some(arguments.source().to_string()),
        assumptions: Vec::new(),
        files,
        report: page,
    }
    .print(&arguments.report)
}

/// Gives measures without a unit whose values in these rows are 0 and 1 alone that of proportions; returns their names.
fn take_for_proportions(measures: &mut [Measure], scores: &ScoreTable) -> Vec<String> {
    let is_of = |measure: &Measure| {
        let values: Vec<f64> =
            scores.rows().filter(|row| *row.measure == *measure.name).map(|row| row.value).collect();
        let has_both = values.contains(&0.0) && values.contains(&1.0);
        let is_compared = scores.rows().any(|row| !row.against.is_empty());
        has_both && !is_compared && is_binary(scores, &measure.name)
    };
    let mut names = Vec::new();
    for measure in measures.iter_mut().filter(|measure| measure.unit.is_empty() && measure.scale.is_none()) {
        if is_of(measure) {
            measure.unit = "proportion".into();
            names.push(measure.name.to_string());
        }
    }
    names
}

/// Whether all values of a measure are 0 or 1.
fn is_binary(scores: &ScoreTable, measure: &str) -> bool {
    scores.rows().filter(|row| row.measure == measure).all(|row| [0.0, 1.0].contains(&row.value))
}

/// The measures of the table, and whether rows that were read for them have made-up raters. Rows that cannot be read twice are
/// left in `scores`.
fn measures_in(
    reader: &mut TidyReader,
    scores: &mut ScoreTable,
    arguments: &AggregateArguments,
) -> Result<(Vec<Measure>, bool), Failure> {
    if !reader.is_long() && !reader.states_facts() {
        return Ok((reader.value_names().map(|name| measure(name, reader, arguments)).collect(), false));
    }
    if arguments.source().is_stream() {
        // Standard input can be read only once: its rows stay in memory.
        while reader.read(scores, CHUNK)? {}
        return Ok((measures_of(scores, reader, arguments), false));
    }
    let mut before = open(arguments)?;
    while before.read(scores, CHUNK)? {
        scores.clear_rows();
    }
    let measures = measures_of(&std::mem::take(scores), &before, arguments);
    Ok((measures, before.has_made_up_raters()))
}

/// Limits results to other items, as the table's raters are places in lists of answers.
fn about_items(
    context: Aggregation,
    arguments: &AggregateArguments,
    aggregators: &[Box<dyn AggregatorSpec>],
) -> Result<Aggregation, Failure> {
    let limit = Limit::MadeUpRaters;
    let asked = arguments.generalize_to.map(GeneralizeKind::meant);
    let asked = asked.into_iter().chain(aggregators.iter().filter_map(|one| one.generalizes_to()));
    match asked.into_iter().find(|asked| *asked != limit.target()) {
        None => Ok(context.limited_by(limit)),
        Some(asked) => Err(Failure::Message(format!(
            "results cannot be about {}: the table names no raters, and its column `{}` says that a \"rater\" is a place in \
             a list of answers; use --generalize-to items, or leave out what asks for other raters (--generalize-to, \
             --resample, a bootstrap)",
            asked.words(),
            FACTS[0].name
        ))),
    }
}

/// The facets that the arguments name, among which those of the aggregators have to be. They must be known before the first value is
/// added; a table that has them is read once more.
fn facets(
    arguments: &AggregateArguments,
    aggregators: &[Box<dyn AggregatorSpec>],
) -> Result<TableFacets, Failure> {
    let used = aggregators.iter().filter_map(|one| one.used_facet());
    if let Some(unknown) =
        used.map(|used| used.name).find(|&used| !arguments.facet.iter().any(|facet| facet == used))
    {
        return Err(Failure::Message(format!(
            "no column is the facet `{unknown}`: name it with --facet {unknown}"
        )));
    }
    if arguments.facet.is_empty() {
        return Ok(TableFacets::default());
    }
    let facets = arguments.facet.clone();
    if let Some(items) = &arguments.items {
        let item = MaybeColumn::Named(arguments.items_by.clone().unwrap_or_else(|| "item".into()));
        let columns = LevelColumns { facets, item, rater: MaybeColumn::None };
        return Ok(levels(items, &columns, TableFormat::default())?);
    }
    if arguments.source().is_stream() {
        return Err(Failure::Message(
            "standard input can be read once only, and levels have to be known beforehand: write the table to a file, or name a \
             table of items with --items"
                .into(),
        ));
    }
    let item = or_if_there(&arguments.item, "item");
    let columns = LevelColumns { facets, item, rater: MaybeColumn::Named(arguments.rater.clone()) };
    Ok(levels(arguments.source(), &columns, table_format(&arguments.table_format))?)
}

/// The covariates of outputs that the aggregators use.
fn covariates(
    arguments: &AggregateArguments,
    aggregators: &[Box<dyn AggregatorSpec>],
) -> Result<OutputFacts, Failure> {
    let used: BTreeSet<&String> = aggregators.iter().flat_map(|one| one.covariates()).collect();
    let names: Vec<String> = used.into_iter().cloned().collect();
    match &arguments.outputs {
        Some(_) if names.is_empty() => Err(Failure::Message(
            "--outputs has covariates, and no aggregator in --with uses any: write --with '{ kind: contrast, covariates: [words] }'"
                .into(),
        )),
        Some(path) => Ok(output_facts(path, &names, TableFormat::default())?),
        None if names.is_empty() => Ok(OutputFacts::default()),
        None => Err(Failure::Message(format!(
            "covariates need a table of outputs with the columns `model`, `item` and {}: name it with --outputs",
            listed(&names)
        ))),
    }
}

/// The prompts of items, by which results about other items are about other prompts; none without a column of prompts, where an item
/// has several, or where the table cannot be read twice.
fn clusters(arguments: &AggregateArguments, reader: &TidyReader) -> BTreeMap<Arc<str>, Arc<str>> {
    let prompt = "prompt";
    if arguments.source().is_stream() || !reader.has_column(prompt) {
        return BTreeMap::new();
    }
    let item = or_if_there(&arguments.item, "item");
    let columns = LevelColumns { facets: vec![prompt.into()], item, rater: MaybeColumn::None };
    let Ok(found) = levels(arguments.source(), &columns, table_format(&arguments.table_format)) else {
        return BTreeMap::new();
    };
    let of_item = |(item, mut levels): (Arc<str>, Levels)| Some((item, levels.remove(prompt)?));
    found.items.into_iter().filter_map(of_item).collect()
}

/// A column that is given, or that of this name if the table has it.
fn or_if_there(given: &Option<String>, name: &str) -> MaybeColumn {
    match given {
        Some(column) => MaybeColumn::Named(column.clone()),
        None => MaybeColumn::IfThere(name.to_owned()),
    }
}

fn open(arguments: &AggregateArguments) -> Result<TidyReader, Failure> {
    let columns = ColumnNames {
        rater: MaybeColumn::Named(arguments.rater.clone()),
        model: MaybeColumn::Named(arguments.model.clone()),
        against: or_if_there(&arguments.against, "against"),
        values: match (&arguments.winner, arguments.value.is_empty()) {
            (Some(_), _) => Vec::new(),
            (None, true) => vec!["value".into()],
            (None, false) => arguments.value.clone(),
        },
        measure: if arguments.value.is_empty() && arguments.winner.is_none() {
            or_if_there(&arguments.measure, "measure")
        } else {
            MaybeColumn::None
        },
        item: or_if_there(&arguments.item, "item"),
        block: MaybeColumn::IfThere("block".into()),
        winner: arguments.winner.clone(),
        options: arguments.options.clone(),
        ..ColumnNames::default()
    };
    let reader = TidyReader::open(arguments.source(), columns, table_format(&arguments.table_format))?;
    // The rows of one ranking share their block; no other table needs it.
    Ok(if reader.is_long() { reader } else { reader.without_blocks() })
}

/// The measures that the rows of a long table name. They must be known before the first value is added, and a file is
/// read twice, each time in constant memory.
fn measures_of(scores: &ScoreTable, reader: &TidyReader, arguments: &AggregateArguments) -> Vec<Measure> {
    scores.measures.all().iter().map(|name| measure(name, reader, arguments)).collect()
}

fn measure(name: &str, reader: &TidyReader, arguments: &AggregateArguments) -> Measure {
    let direction = match arguments.better {
        Some(Better::Higher) => Direction::Higher,
        Some(Better::Lower) => Direction::Lower,
        Some(Better::Neither) => Direction::Neither,
        None if name.eq_ignore_ascii_case("rank") => Direction::Lower,
        None => Direction::Higher,
    };
    let scale = arguments.scale.map(ScaleKind::meant).or(reader.scale(name));
    let measure = Measure::new(name, name, &arguments.unit, direction);
    let measure = match scale {
        // Codes of categories have no better direction.
        Some(MeasureScale::Nominal) => {
            Measure { direction: Direction::Neither, ..measure }.on_scale(MeasureScale::Nominal)
        }
        Some(scale) => measure.on_scale(scale),
        None => measure,
    };
    match arguments.reference {
        Some(value) => measure.with_reference(value, ""),
        None => measure,
    }
}

/// The requested aggregators, checked against what the table measures.
fn aggregators(
    arguments: &AggregateArguments,
    measures: &[Measure],
    reader: &TidyReader,
) -> Result<Vec<Box<dyn AggregatorSpec>>, Failure> {
    if arguments.with.is_empty() {
        let aggregator = by_model(arguments, measures);
        let mut at = Diagnostics::new();
        aggregator.check(measures, &mut at);
        // Votes are refused by what reads them.
        return match at.iter().find(|fault| fault.code != "wrong-aggregator") {
            None => Ok(vec![aggregator]),
            Some(fault) => {
                // Without an option, the unit is that of values of 0 and 1.
                let is_binary = arguments.unit.is_empty() && measures.iter().any(|one| !one.unit.is_empty());
                let unit = if is_binary { "; give --unit if these are not proportions" } else { "" };
                let help = fault.help.as_deref().unwrap_or_default();
                Err(Failure::Message(format!("{}: {help}{unit}", fault.message)))
            }
        };
    }
    // In a wide table the column of values is the measure, and votes have a measure of their own.
    let votes_lack_a_name = reader.compares()
        && !reader.is_long()
        && !measures.iter().any(|measure| &*measure.name == PREFERENCE);
    let remedy = if votes_lack_a_name {
        format!(
            "\nthe table compares models: name its column of votes `{PREFERENCE}` and add --value {PREFERENCE} (1 if \
             `model` was preferred, 0.5 for a tie, 0 if the other was)"
        )
    } else {
        String::new()
    };
    let read = |text: &String| read_aggregator(text, measures).map_err(|fault| format!("{fault}{remedy}"));
    arguments.with.iter().map(read).collect::<Result<_, _>>().map_err(Failure::Message)
}

/// Reads an aggregator that is given by its kind or as YAML.
fn read_aggregator(text: &str, measures: &[Measure]) -> Result<Box<dyn AggregatorSpec>, String> {
    let yaml = if text.contains(':') { text.to_owned() } else { format!("{{ kind: {text} }}") };
    let at_fault = |what: String| format!("--with {text}: {what}");
    let document = Document::parse(&yaml).map_err(|faults| at_fault(faults.to_string()))?;
    let mut at = Diagnostics::new();
    check_bounds(&json!({ "aggregate": to_json(document.root()) }), &mut at);
    let aggregator: Option<Box<dyn AggregatorSpec>> = document.root().read_collecting(&mut at);
    if let Some(aggregator) = &aggregator {
        aggregator.check(measures, &mut at);
    }
    match aggregator {
        Some(aggregator) if !at.has_errors() => Ok(aggregator),
        _ => Err(at_fault(at.to_string())),
    }
}

fn by_model(arguments: &AggregateArguments, measures: &[Measure]) -> Box<dyn AggregatorSpec> {
    // All values of a table have one unit, and a margin is about all of them.
    let all = || Some(measures.iter().map(|measure| measure.name.to_string()).collect());
    let declared = |margin: Option<f64>| margin.map(|margin| DeclaredMargin { margin, measures: all() });
    let interval = match arguments.interval {
        None => arguments.resample.map(|_| IntervalMethod::Percentile),
        Some(IntervalKind::T) => Some(IntervalMethod::T),
        Some(IntervalKind::BootstrapT) => Some(IntervalMethod::BootstrapT),
        Some(IntervalKind::Percentile) => Some(IntervalMethod::Percentile),
        Some(IntervalKind::Bca) => Some(IntervalMethod::Bca),
    };
    let bootstrap = interval
        .filter(|interval| *interval != IntervalMethod::T)
        .map(|_| Bootstrap { resamples: Some(arguments.resamples.into()) });
    Box::new(ByModel {
        generalize_to: match arguments.resample {
            None => arguments.generalize_to.map(GeneralizeKind::meant),
            Some(Resample::Rater) => Some(GeneralizeTo::Raters),
            Some(Resample::RaterItem) => Some(GeneralizeTo::RatersAndItems),
        },
        interval,
        level: Some(arguments.level),
        bootstrap,
        pairs: match arguments.pairs {
            PairsKind::Auto => Pairs::Auto,
            PairsKind::TukeyKramer => Pairs::TukeyKramer,
            PairsKind::GamesHowell => Pairs::GamesHowell,
            PairsKind::Welch => Pairs::Welch,
            PairsKind::Student => Pairs::Student,
            PairsKind::Wilcoxon => Pairs::Wilcoxon,
        },
        equivalence: declared(arguments.equivalence_margin),
        non_inferiority: declared(arguments.non_inferiority_margin),
        ..ByModel::default()
    })
}
