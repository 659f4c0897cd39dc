//! A study's scores as a table and a script of R, which fits mixed models to them.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use hype_core::model::facet::{Facet, FacetCell};
use hype_core::model::findings::GeneralizeTo;
use hype_core::plugin::aggregator::Aggregation;
use hype_core::study::analysis::{aggregation, with_asked_levels};
use hype_core::{Row, Store, Study};
use serde_json::json;

use self::facts::Facts;
use self::fits::{Fit, Target};
use super::each_score;
use crate::exchange::building::Building;
use crate::exchange::error::ExportError;
use crate::exchange::rows::as_cell;

mod facts;
mod fits;
mod script;

/// The models that were written for R.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RModels {
    /// The rows of the table.
    pub rows: u64,
    /// The measures that the script fits models to.
    pub fitted: Vec<Arc<str>>,
    /// The other measures, with the reasons.
    pub left_out: Vec<(Arc<str>, String)>,
}

/// Writes a folder with the scores of the raters who count, or of all raters, as `answers.csv`, and `analysis.R`, which fits the
/// mixed models that match the study's design.
///
/// # Errors
/// If the folder is not empty, the disk or the store fails, a session cannot be scored, or no model fits any measure.
pub fn r(study: &Study, store: &dyn Store, everybody: bool, folder: &Path) -> Result<RModels, ExportError> {
    let study = crate::block_on(with_asked_levels(study.clone(), store))?;
    let context = aggregation(&study);
    let building = Building::of(folder)?;
    let mut table = Table::begin(&building.path().join("answers.csv"), &context)?;
    each_score(&study, store, everybody, |record, scores| {
        let place = record.header.place.number;
        let mut rows = scores.rows();
        rows.try_for_each(|row| table.add(place, &row))?;
        table.facts.iter_mut().for_each(Facts::end_session);
        Ok(())
    })?;
    table.out.flush()?;
    let target = target(&study, &context, &table);
    let mut models = RModels { rows: table.rows, fitted: Vec::new(), left_out: Vec::new() };
    let mut fitted: Vec<Fit> = Vec::new();
    for (measure, facts) in context.measures.iter().zip(&table.facts) {
        match fits::of(measure, facts, &target) {
            Ok(found) => {
                models.fitted.push(Arc::clone(&measure.name));
                fitted.extend(found);
            }
            Err(reason) => models.left_out.push((Arc::clone(&measure.name), reason)),
        }
    }
    if fitted.is_empty() {
        let reasons = models.left_out.iter().map(|(name, reason)| format!("{name}: {reason}"));
        return Err(ExportError::NoModel(reasons.collect::<Vec<_>>().join("; ")));
    }
    let text = script::of(&study, &context, &target, &fitted, &models.left_out);
    fs::write(building.path().join("analysis.R"), text)?;
    building.become_folder(folder)?;
    Ok(models)
}

/// Returns the facts of the design that fits need.
fn target(study: &Study, context: &Aggregation, table: &Table<'_>) -> Target {
    let aggregators = &study.spec().analysis.aggregate.0;
    let used = |facet: &Facet| {
        let mut names =
            aggregators.iter().filter_map(|one| one.used_facet().map(|used| used.name.to_owned()));
        names.any(|name| *name == *facet.name)
    };
    let columns = |of_models: bool| {
        let facets = context.facets.iter().filter(move |facet| table.is_of_models(facet) == of_models);
        facets.filter(move |facet| of_models || used(facet)).map(column).collect()
    };
    let said = aggregators.iter().find_map(|one| one.generalizes_to());
    Target {
        about_items: said.unwrap_or(context.generalize_to) != GeneralizeTo::Raters,
        clusters: !context.item_clusters.is_empty(),
        of_models: columns(true),
        others: columns(false),
        order: script::models(context),
    }
}

/// The column of a facet, which R can use as a name.
fn column(facet: &Facet) -> String {
    format!("facet.{}", facet.name.replace('-', "."))
}

/// The table while it is written.
struct Table<'a> {
    out: csv::Writer<BufWriter<File>>,
    context: &'a Aggregation,
    columns: Vec<String>,
    /// The facts of each measure.
    facts: Vec<Facts>,
    rows: u64,
}

impl<'a> Table<'a> {
    fn begin(path: &Path, context: &'a Aggregation) -> Result<Self, ExportError> {
        let mut out = csv::Writer::from_writer(BufWriter::new(File::create(path)?));
        let columns: Vec<String> = context.facets.iter().map(column).collect();
        let fixed = ["rater", "session_place", "position", "model", "against", "item", "prompt"];
        let ends = ["block", "measure", "value"];
        out.write_record(fixed.into_iter().chain(columns.iter().map(String::as_str)).chain(ends))?;
        let facts = context.measures.iter().map(|_| Facts::default()).collect();
        Ok(Self { out, context, columns, facts, rows: 0 })
    }

    fn is_of_models(&self, facet: &Facet) -> bool {
        self.context.cells.iter().any(|cell| cell.levels.contains_key(&facet.name))
    }

    /// Writes a row. The model at levels of facets becomes the model and its levels, unless the row compares two.
    fn add(&mut self, place: u32, row: &Row<'_>) -> Result<(), ExportError> {
        let context = self.context;
        let Some(at) = context.measures.iter().position(|measure| *measure.name == *row.measure) else {
            return Ok(());
        };
        let cell: Option<&FacetCell> = context.cells.iter().find(|cell| *cell.name == *row.model);
        let cell = cell.filter(|_| row.against.is_empty());
        let level = |facet: &Facet| {
            let levels = [
                cell.map(|cell| &cell.levels),
                context.item_levels.get(row.item),
                context.rater_levels.get(row.rater),
            ];
            levels.into_iter().flatten().find_map(|levels| levels.get(&facet.name))
        };
        let levels: Vec<&str> =
            context.facets.iter().map(|facet| level(facet).map_or("", |level| &**level)).collect();
        let row = Row { model: cell.map_or(row.model, |cell| &*cell.model), ..*row };
        let prompt = context.item_clusters.get(row.item).map_or("", |cluster| &**cluster);
        let seen = self.columns.iter().map(String::as_str).zip(levels.iter().copied());
        let position = self.facts[at].add(&row, seen);
        let numbers = [place.to_string(), position.to_string(), row.block.to_string()];
        let value = as_cell(&json!(row.value));
        let fixed = [row.rater, &numbers[0], &numbers[1], row.model, row.against, row.item, prompt];
        let ends = [numbers[2].as_str(), row.measure, &value];
        self.out.write_record(fixed.into_iter().chain(levels).chain(ends))?;
        self.rows += 1;
        Ok(())
    }
}
