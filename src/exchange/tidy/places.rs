//! Where a table has its names and values.

use std::borrow::Cow;
use std::collections::BTreeSet;

use hype_core::model::score::PREFERENCE;
use hype_core::words::{counted, cut};
use hype_tables::{RowCells, RowMeasure, number_of};

use super::{ColumnNames, MaybeColumn};
use crate::exchange::fault::{ImportError, ImportFault};
use crate::exchange::layout::FACTS;
use crate::exchange::lists::option_name;
use crate::exchange::pattern::{About, NamePattern, Named, Unfit};
use crate::exchange::table::Table;

/// The measure of columns that name none.
const VALUE: &str = "value";
/// The separator when cells of several columns form one name.
const JOINT: &str = "-";

impl MaybeColumn {
    /// The place of a single column.
    pub(in crate::exchange) fn place(&self, table: &Table) -> Result<Option<usize>, ImportError> {
        match self {
            Self::IfThere(name) if !table.has(name) => Ok(None),
            Self::IfThere(name) | Self::Named(name) => table.column(name).map(Some),
            Self::None | Self::Joined(_) | Self::Same(_) => Ok(None),
        }
    }
}

/// The cells of a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NameCells {
    /// None; something else may name it.
    Absent,
    One(usize),
    /// Of several columns, joined.
    Joined(Vec<usize>),
    /// The same in all rows.
    Same(String),
}

impl NameCells {
    fn find(column: &MaybeColumn, table: &Table, option: &str) -> Result<Self, ImportError> {
        Ok(match column {
            MaybeColumn::None => Self::Absent,
            MaybeColumn::IfThere(name) if !table.has(name) => Self::Absent,
            MaybeColumn::IfThere(name) | MaybeColumn::Named(name) => {
                Self::One(table.column_by(name, option)?)
            }
            MaybeColumn::Joined(names) => Self::Joined(
                names.iter().map(|name| table.column_by(name, option)).collect::<Result<_, _>>()?,
            ),
            MaybeColumn::Same(name) => Self::Same(name.clone()),
        })
    }

    pub(super) fn is_absent(&self) -> bool {
        *self == Self::Absent
    }

    const fn one(&self) -> Option<usize> {
        match self {
            Self::One(place) => Some(*place),
            _ => None,
        }
    }

    fn text<'t>(&'t self, table: &'t Table) -> Option<Cow<'t, str>> {
        match self {
            Self::Absent => None,
            Self::One(place) => Some(table.cell(*place).into()),
            Self::Joined(places) => {
                let cells: Vec<&str> = places.iter().map(|&place| table.cell(place)).collect();
                let is_empty = cells.iter().all(|cell| cell.is_empty());
                Some(if is_empty { "".into() } else { cells.join(JOINT).into() })
            }
            Self::Same(name) => Some(name.as_str().into()),
        }
    }
}

/// A column of values.
pub(super) struct ValueCells {
    pub(super) column: String,
    /// The column, or one for each option of a single choice, with the options.
    at: Vec<(usize, Option<String>)>,
    /// The parts of the column's name.
    pub(super) about: About,
    pub(super) is_winner: bool,
}

impl ValueCells {
    fn one(column: &str, place: usize) -> Self {
        let at = vec![(place, None)];
        Self { column: column.to_owned(), at, about: About::default(), is_winner: false }
    }

    /// The column of a name, or those of its options, which Potato writes as `NAME:::OPTION`.
    fn find(table: &Table, name: &str, option: &str) -> Result<Self, ImportError> {
        let of_option = |header: &str| {
            let label = header.strip_prefix(name)?.strip_prefix(":::")?;
            Some(option_name(label).to_owned())
        };
        let headers = table.headers().iter().enumerate();
        let at: Vec<_> =
            headers.filter_map(|(place, header)| Some((place, Some(of_option(header)?)))).collect();
        if at.is_empty() || table.has(name) {
            return Ok(Self::one(name, table.column_by(name, option)?));
        }
        Ok(Self { column: name.to_owned(), at, about: About::default(), is_winner: false })
    }

    /// The column that says who won, or those of the first model, the second one and perhaps of ties, separated by `|`.
    fn winner(table: &Table, name: &str) -> Result<Self, ImportError> {
        let columns: Vec<&str> = name.split('|').collect();
        if table.has(name) || !(2..=3).contains(&columns.len()) {
            return Ok(Self { is_winner: true, ..Self::find(table, name, "--winner")? });
        }
        let place = |(column, label): (&&str, &str)| {
            Ok((table.column_by(column, "--winner")?, Some(label.to_owned())))
        };
        let at = columns.iter().zip(["a", "b", "tie"]).map(place).collect::<Result<_, ImportError>>()?;
        Ok(Self { column: name.to_owned(), at, about: About::default(), is_winner: true })
    }

    /// The first column, for messages.
    pub(super) fn place(&self) -> usize {
        self.at.first().map_or(0, |(place, _)| *place)
    }

    /// The answer in a row: the cell, or the option that is chosen.
    pub(super) fn text<'t>(&'t self, table: &'t Table) -> Result<&'t str, ImportFault> {
        let mut chosen = None;
        for (place, option) in &self.at {
            let cell = table.cell(*place);
            match option {
                None => return Ok(cell),
                Some(_) if cell.is_empty() || cell.eq_ignore_ascii_case("false") => {}
                Some(_) if self.is_winner && number_of(cell) == Some(0.0) => {}
                Some(option) if chosen.is_none() => chosen = Some(option.as_str()),
                Some(_) => {
                    let reason = "a second option of the same question is chosen";
                    return Err(table.fault(Some(*place), reason, "choose one option"));
                }
            }
        }
        Ok(chosen.unwrap_or_default())
    }
}

/// A column whose model and item no other column names, while others are about several items and models, and their models.
fn alone(values: &[ValueCells]) -> Option<(&str, String)> {
    let named = |value: &'_ ValueCells, what: Named| value.about.get(what).map(str::to_owned);
    let count = |what: Named, name: &Option<String>| {
        values.iter().filter(|value| named(value, what) == *name).count()
    };
    let is_alone = |value: &&ValueCells| {
        let [model, item] = [Named::Model, Named::Item].map(|what| (what, named(value, what)));
        [model, item].iter().all(|(what, name)| name.is_some() && count(*what, name) == 1)
    };
    let (lone, others): (Vec<&ValueCells>, Vec<&ValueCells>) = values.iter().partition(is_alone);
    let models: BTreeSet<&str> = others.iter().filter_map(|value| value.about.get(Named::Model)).collect();
    let first = lone.first().filter(|_| models.len() > 1)?;
    Some((&first.column, models.into_iter().collect::<Vec<_>>().join("|")))
}

/// Where a table has its names and values.
pub(super) struct Places {
    pub(super) rater: NameCells,
    model: NameCells,
    pub(super) against: NameCells,
    pub(super) item: NameCells,
    pub(super) values: Vec<ValueCells>,
    pub(super) measure: Option<usize>,
    pub(super) block: Option<usize>,
    /// Of [`FACTS`].
    pub(super) facts: [Option<usize>; 2],
    /// Columns whose cells name several things.
    parts: Vec<(usize, NamePattern)>,
    /// The pattern of the names of columns with values.
    pattern: Option<NamePattern>,
}

/// The names in a row.
#[derive(Default, Clone)]
pub(super) struct RowNames<'t> {
    pub(super) rater: Option<Cow<'t, str>>,
    /// The number of an answer that names no rater.
    pub(super) vote: Option<Cow<'t, str>>,
    pub(super) model: Cow<'t, str>,
    pub(super) against: Cow<'t, str>,
    pub(super) item: Cow<'t, str>,
    pub(super) measure: Option<Cow<'t, str>>,
}

impl<'t> RowNames<'t> {
    /// The names of one value, with what its column says.
    pub(super) fn with(&self, about: &'t About) -> Self {
        let mut names = self.clone();
        let said = |what: Named| about.get(what).map(Cow::from);
        names.rater = said(Named::Rater).or(names.rater);
        names.vote = said(Named::Vote).or(names.vote);
        names.measure = said(Named::Measure).or(names.measure);
        names.model = said(Named::Model).unwrap_or(names.model);
        names.against = said(Named::Against).unwrap_or(names.against);
        names.item = said(Named::Item).unwrap_or(names.item);
        names
    }

    /// Whether a model is compared with itself.
    pub(super) fn compares_itself(&self) -> bool {
        !self.against.is_empty() && self.against == self.model
    }
}

impl Places {
    pub(super) fn find(table: &Table, columns: &ColumnNames) -> Result<Self, ImportError> {
        let without_rater = "--rater COLUMN; a table without raters is read by `hype import csv` without --rater, where --rater is";
        let rater = NameCells::find(&columns.rater, table, without_rater)?;
        let model = NameCells::find(&columns.model, table, "--model")?;
        let against = NameCells::find(&columns.against, table, "--against")?;
        let mut values = columns
            .values
            .iter()
            .map(|name| ValueCells::find(table, name, "--value"))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(winner) = &columns.winner {
            values.push(ValueCells::winner(table, &winner.column)?);
        }
        let fact = |name: &str| table.has(name).then(|| table.column(name)).transpose();
        let optional = |column: &MaybeColumn| NameCells::find(column, table, "--measure").map(|it| it.one());
        let mut found = Self {
            rater,
            model,
            against,
            item: NameCells::find(&columns.item, table, "--item")?,
            values,
            measure: optional(&columns.measure)?,
            block: NameCells::find(&columns.block, table, "--block")?.one(),
            facts: [fact(FACTS[0].name)?, fact(FACTS[1].name)?],
            parts: columns
                .parts
                .iter()
                .map(|(name, pattern)| Ok((table.column_by(name, "--parts")?, pattern.clone())))
                .collect::<Result<_, ImportError>>()?,
            pattern: columns.columns.clone(),
        };
        if !found.is_named(&found.model, Named::Model) {
            return Err(ImportError::Options(format!(
                "{}: nothing names the model: write --model COLUMN, or --model-name NAME if all rows are about one. The columns are {}",
                table.name(),
                table.listed_headers()
            )));
        }
        if let Some(pattern) = &columns.columns {
            found.values = found.of_pattern(table, pattern)?;
        }
        Ok(found)
    }

    /// The columns of values whose names fit a pattern, and which are not read otherwise.
    fn of_pattern(&self, table: &Table, pattern: &NamePattern) -> Result<Vec<ValueCells>, ImportError> {
        let mut values = Vec::new();
        for (place, header) in table.headers().iter().enumerate().filter(|&(place, _)| !self.reads(place)) {
            match pattern.of_header(header) {
                Err(Unfit::Never) => {}
                Ok(about) => values.push(ValueCells { about, ..ValueCells::one(header, place) }),
                Err(Unfit::Often(ways)) => {
                    return Err(ImportError::Options(format!(
                        "{}, column `{header}`: `{}` reads it in {ways} ways: name the models, as in {{model:FIRST|SECOND}}",
                        table.name(),
                        pattern.text(),
                    )));
                }
            }
        }
        if values.is_empty() {
            return Err(ImportError::Options(format!(
                "{}: no column is named `{}`. The columns are {}",
                table.name(),
                pattern.text(),
                table.listed_headers()
            )));
        }
        match alone(&values) {
            Some((column, others)) => Err(ImportError::Options(format!(
                "{}: `{}` also reads column `{column}`, as the only answer about its model and its item: name the models, as in `{}`",
                table.name(),
                pattern.text(),
                pattern.text().replace("{model}", &format!("{{model:{others}}}")),
            ))),
            None => Ok(values),
        }
    }

    /// Returns a note on the columns that fit the pattern.
    pub(super) fn note(&self, table: &Table) -> Option<String> {
        self.pattern.as_ref()?;
        let first = self.values.first()?;
        let is_value = |place: usize| self.values.iter().any(|value| value.place() == place);
        let headers = table.headers().iter().enumerate();
        let others: Vec<&str> = headers
            .filter(|&(place, _)| !is_value(place) && !self.reads(place))
            .map(|(_, header)| header.as_str())
            .collect();
        let not_read = match &others[..] {
            [] => String::new(),
            some => format!("; not read: {}", cut(some, 5, ", ")),
        };
        let kinds = [
            (Named::Model, "model"),
            (Named::Item, "item"),
            (Named::Rater, "rater"),
            (Named::Measure, "measure"),
        ];
        let about = kinds
            .into_iter()
            .filter_map(|(what, kind)| first.about.get(what).map(|name| format!("the {kind} `{name}`")));
        let about = match &about.collect::<Vec<_>>()[..] {
            [] => String::new(),
            some => format!(" of {}", some.join(" and ")),
        };
        let answers = counted(self.values.len(), "column");
        Some(format!("{answers} are answers, such as `{}`{about}{not_read}", first.column))
    }

    /// Whether a column has names.
    fn reads(&self, place: usize) -> bool {
        let has = |cells: &NameCells| match cells {
            NameCells::One(one) => *one == place,
            NameCells::Joined(several) => several.contains(&place),
            _ => false,
        };
        [&self.rater, &self.model, &self.against, &self.item].into_iter().any(has)
            || self.parts.iter().any(|(one, _)| *one == place)
            || [self.measure, self.block].contains(&Some(place))
    }

    /// Whether a column, a cell's part or the names of the columns of values name something.
    fn is_named(&self, cells: &NameCells, what: Named) -> bool {
        let patterns = self.parts.iter().map(|(_, pattern)| pattern).chain(&self.pattern);
        !cells.is_absent() || patterns.into_iter().any(|pattern| pattern.names(what))
    }

    pub(super) fn compares(&self) -> bool {
        self.is_named(&self.against, Named::Against)
    }

    pub(super) fn names_items(&self) -> bool {
        self.is_named(&self.item, Named::Item)
    }

    /// Whether each row is a rater without a name: columns of values name items.
    pub(super) fn rows_are_raters(&self) -> bool {
        let of_items = self.pattern.as_ref().is_some_and(|pattern| {
            pattern.names(Named::Item) && !pattern.names(Named::Rater) && !pattern.names(Named::Vote)
        });
        of_items && !self.is_named(&self.rater, Named::Rater)
    }

    /// Whether each row is an item without a name: columns of values name raters, or nothing does.
    pub(super) fn rows_are_items(&self) -> bool {
        let of_raters = self
            .pattern
            .as_ref()
            .is_some_and(|pattern| pattern.names(Named::Rater) || pattern.names(Named::Vote));
        (of_raters || self.makes_up_raters()) && !self.names_items()
    }

    /// Whether raters are places in lists of answers, and not persons.
    pub(super) fn makes_up_raters(&self) -> bool {
        !self.is_named(&self.rater, Named::Rater) && !self.rows_are_raters()
    }

    /// The names in the record in view. Names that do not fit their pattern are faults.
    pub(super) fn names<'t>(&'t self, table: &'t Table, faults: &mut Vec<ImportFault>) -> RowNames<'t> {
        let mut about = About::default();
        for (place, pattern) in &self.parts {
            let (cell, text) = (table.cell(*place), pattern.text());
            match pattern.of_cell(cell) {
                Ok(said) => about.add(said),
                Err(Unfit::Never) => faults.push(table.fault(
                    Some(*place),
                    &format!("{cell:?} is not written as `{text}`"),
                    "write another pattern, or select rows with --where",
                )),
                Err(Unfit::Often(ways)) => faults.push(table.fault(
                    Some(*place),
                    &format!("`{text}` reads {cell:?} in {ways} ways"),
                    "write more of the text, or name the models, as in {model:FIRST|SECOND}",
                )),
            }
        }
        let part = |what: Named| about.get(what).map(|name| Cow::Owned(name.to_owned()));
        RowNames {
            rater: self.rater.text(table).or_else(|| part(Named::Rater)),
            vote: part(Named::Vote),
            model: self.model.text(table).or_else(|| part(Named::Model)).unwrap_or_default(),
            against: self.against.text(table).or_else(|| part(Named::Against)).unwrap_or_default(),
            item: self.item.text(table).or_else(|| part(Named::Item)).unwrap_or_default(),
            measure: part(Named::Measure),
        }
    }

    /// The measure of a value that no cell and no name states.
    pub(super) fn usual_measure<'t>(&self, value: &'t ValueCells) -> &'t str {
        match (value.is_winner, &self.pattern) {
            (true, _) => PREFERENCE,
            (false, Some(_)) => VALUE,
            (false, None) => &value.column,
        }
    }

    /// The place of a column, for faults of its names.
    pub(super) fn place_of(&self, kind: &str) -> Option<usize> {
        match kind {
            "rater" => self.rater.one(),
            "item" => self.item.one(),
            _ => self.model.one(),
        }
    }

    /// The cells of a row with one value and nothing else about it.
    pub(super) fn plain(&self, columns: usize) -> Option<RowCells> {
        let [value] = &self.values[..] else { return None };
        let is_plain = self.pattern.is_none()
            && self.parts.is_empty()
            && self.block.is_none()
            && self.facts == [None, None]
            && !value.is_winner
            && matches!(value.at[..], [(_, None)])
            && [&self.against, &self.item]
                .into_iter()
                .all(|cells| cells.is_absent() || cells.one().is_some());
        is_plain.then_some(())?;
        Some(RowCells {
            cells: columns,
            rater: self.rater.one()?,
            model: self.model.one()?,
            against: self.against.one(),
            item: self.item.one(),
            measure: self.measure.map_or_else(|| RowMeasure::Named(value.column.clone()), RowMeasure::InCell),
            value: value.place(),
        })
    }
}
