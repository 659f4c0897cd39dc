//! `hype import`: converts ratings collected elsewhere into the tidy table that `aggregate` reads.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser as _;
use hype::Pseudonyms;
use hype::exchange::layout::ExportColumn;
use hype::exchange::{
    CodedFields, CodedQuestion, ColumnNames, Count, ExportError, Facts, Format, ImagenHubOptions,
    ImportError, ImportReport, MaybeColumn, ModelOf, Output, RankingFields, RowWriter, Sink, TableFormat,
    VoteOptions, Winner, coded_jsonl, export, imagenhub, import_tables, layout, mturk, ranking_json,
    recognize, votes,
};
use hype_core::Row;
use hype_core::words::counted;
use hype_tasks::questionnaires::heim::Aspect;

use super::args::{
    Arguments, Command, CsvArguments, HeimArguments, ImagenHubArguments, ImportArguments, ImportFormat,
    MTurkArguments, ModelArguments, Quotes, RankingArguments, RaterBy, TableArguments, VotesArguments,
};
use super::failure::Failure;
use super::output::{begin, finish};
use super::terminal;

pub(crate) fn run(arguments: &ImportArguments) -> Result<(), Failure> {
    let format = if arguments.raw { Format::RawCsv } else { Format::Csv };
    let mut out = Some(begin(arguments.output.as_deref())?);
    let mut table = None;
    let mut sink = |row: &Row<'_>, facts: Option<Facts>| {
        if let Some(out) = out.take() {
            table = Some(begin_table(out, format, facts.is_some()).map_err(disk)?);
        }
        let mut cells = export::score_row(row).to_vec();
        cells.extend(facts.into_iter().flat_map(Facts::cells).map(Into::into));
        table.as_mut().map_or(Ok(()), |table| table.write(&cells)).map_err(disk)
    };
    let report = read(arguments, &mut sink)?;
    // A table without rows has its header all the same.
    let table = match out {
        Some(out) => Some(begin_table(out, format, false)?),
        None => table,
    };
    if let Some(table) = table {
        finish(table.finish()?)?;
    }
    print_report(&report);
    Ok(())
}

/// Begins a table of scores, whose rows state facts or not.
fn begin_table(out: Output, format: Format, with_facts: bool) -> Result<RowWriter<Output>, ExportError> {
    let facts: &[ExportColumn] = if with_facts { &layout::FACTS } else { &[] };
    RowWriter::begin(out, format, &[layout::SCORES.columns, facts].concat())
}

fn disk(error: ExportError) -> std::io::Error {
    match error {
        ExportError::Disk(error) => error,
        other => std::io::Error::other(other),
    }
}

/// The format of a file, by its content. Says what it is and the command that imports it again.
///
/// # Errors
/// If the file is not a table of ratings, or leaves something open that only its author knows.
fn recognized(file: &Path, arguments: &ImportArguments) -> Result<ImportFormat, Failure> {
    let found = recognize(file)?;
    let output =
        arguments.output.iter().map(|output| format!(" -o {}", shown(&output.display().to_string())));
    let again: String = ["hype".to_owned(), "import".to_owned()]
        .into_iter()
        .chain(found.words.iter().map(|word| shown(word)))
        .collect::<Vec<_>>()
        .join(" ");
    let again = again + &output.collect::<String>();
    if !found.open.is_empty() {
        let open: String = found.open.iter().map(|question| format!("\n  {question}")).collect();
        return Err(Failure::Message(format!(
            "{} is {}, and does not say:{open}\ncomplete the command: {again}",
            file.display(),
            found.what
        )));
    }
    terminal::report(format_args!("{} is {}\nthe same again: {again}", file.display(), found.what));
    let words = ["hype", "import"].map(str::to_owned).into_iter().chain(found.words);
    let parsed = Arguments::try_parse_from(words).map_err(|error| Failure::Message(error.to_string()))?;
    match parsed.command {
        Command::Import(ImportArguments { format: Some(format), .. }) => Ok(format),
        _ => Err(Failure::Message(format!("{again} is not an import"))),
    }
}

/// A word as a shell reads it.
fn shown(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./=:,+@%".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Reads ratings of the format that is named, or recognized, whose rows go to the sink.
pub(crate) fn read(arguments: &ImportArguments, sink: &mut Sink<'_>) -> Result<ImportReport, Failure> {
    match (&arguments.format, &arguments.file) {
        (Some(format), None) => read_format(format, sink),
        (Some(_), Some(file)) => {
            let file = file.display();
            Err(Failure::Message(format!("name {file} after its format, or leave the format out")))
        }
        (None, Some(file)) => read_format(&recognized(file, arguments)?, sink),
        (None, None) => Err(Failure::Message("name a file".into())),
    }
}

fn read_format(format: &ImportFormat, sink: &mut Sink<'_>) -> Result<ImportReport, Failure> {
    Ok(match format {
        ImportFormat::Csv(arguments) => {
            let format =
                TableFormat { no_header: arguments.no_header, ..table_format(&arguments.table_format) };
            import_tables(tables(arguments)?, format, sink)?
        }
        ImportFormat::Votes(arguments) => votes(&arguments.table, &votes_of(arguments), sink)?,
        ImportFormat::Imagenhub(ImagenHubArguments { files, any_values }) => {
            imagenhub(&tables_in(files)?, ImagenHubOptions { any_values: *any_values }, sink)?
        }
        ImportFormat::MturkCsv(arguments) => mturk::mturk_csv(&arguments.files, &batch(arguments)?, sink)?,
        ImportFormat::HeimJsonl(arguments) => {
            coded_jsonl(&questions(arguments)?, &released(arguments), sink)?
        }
        ImportFormat::RankingJson(arguments) => ranking_json(&arguments.file, &ranking(arguments), sink)?,
    })
}

/// Reports on standard error what was read and what was left out.
fn print_report(report: &ImportReport) {
    terminal::report(format_args!(
        "read {} in {}",
        counted(report.rows, report.what),
        counted(report.files, "file")
    ));
    terminal::report(format_args!(
        "{} of {}, {} and {}",
        counted(report.values, "value"),
        counted(report.raters, "rater"),
        counted(report.models, "model"),
        counted(report.items, "item")
    ));
    for (reason, count) in &report.left_out {
        terminal::report(format_args!("left out: {reason}: {count}"));
    }
    for note in &report.notes {
        terminal::report(format_args!("note: {note}"));
    }
}

/// How the cells of a table are separated.
pub(crate) fn table_format(arguments: &TableArguments) -> TableFormat {
    TableFormat {
        delimiter: arguments.delimiter,
        quotes: arguments.quotes.map(|quotes| quotes == Quotes::Yes),
        decimal_comma: arguments.decimal_comma,
        no_header: false,
    }
}

/// The tables, each with the names of its columns.
fn tables(arguments: &CsvArguments) -> Result<Vec<(PathBuf, ColumnNames)>, Failure> {
    let of_file = |path: &PathBuf| {
        let mut columns = columns(arguments);
        if let Some(by) = arguments.rater_by {
            let name = match by {
                RaterBy::File => path.file_stem().map(ToOwned::to_owned),
                RaterBy::Folder => {
                    fs::canonicalize(path).ok().and_then(|path| Some(path.parent()?.file_name()?.to_owned()))
                }
            };
            let name = name.ok_or_else(|| {
                Failure::Message(format!("{}: no file or folder names the rater", path.display()))
            })?;
            columns.rater = MaybeColumn::Same(name.to_string_lossy().into_owned());
        }
        Ok((path.clone(), columns))
    };
    arguments.tables.iter().map(of_file).collect()
}

fn columns(arguments: &CsvArguments) -> ColumnNames {
    let named = |columns: &[String]| match columns {
        [] => MaybeColumn::None,
        [only] => MaybeColumn::Named(only.clone()),
        several => MaybeColumn::Joined(several.to_vec()),
    };
    let winner = arguments.winner.as_deref().map(|column| {
        let mut winner = Winner::new(column);
        winner.first.clone_from(&arguments.first);
        winner.second.clone_from(&arguments.second);
        winner.tie.clone_from(&arguments.tie);
        winner
    });
    ColumnNames {
        rater: named(&arguments.rater),
        model: arguments.model_name.clone().map_or_else(|| named(&arguments.model), MaybeColumn::Same),
        against: named(&arguments.against),
        values: arguments.value.clone(),
        measure: named(arguments.measure.as_slice()),
        item: named(&arguments.item),
        block: named(arguments.block.as_slice()),
        winner,
        options: arguments.options.clone(),
        columns: arguments.columns.clone(),
        parts: arguments.parts.clone(),
        only: arguments.only.clone(),
        has_lists: arguments.lists,
    }
}

fn votes_of(arguments: &VotesArguments) -> VoteOptions {
    let count = match arguments.compare.clone() {
        Some((first, second)) => Count::Comparison { first, second, tie: arguments.tie.clone() },
        None => Count::Codes { model: arguments.model.clone(), labels: arguments.labels.clone() },
    };
    let mut options = VoteOptions::new(&arguments.decisions, arguments.item.as_deref(), count);
    options.confident = arguments.confident;
    options.format = table_format(&arguments.table_format);
    options
}

/// The named files, and the tables in the named folders.
fn tables_in(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let about = |error: std::io::Error| Failure::about(path, &error);
        let entries = std::fs::read_dir(path).map_err(about)?;
        let mut tables = Vec::new();
        for entry in entries {
            let found = entry.map_err(about)?.path();
            if found.extension().is_some_and(|kind| kind == "tsv") {
                tables.push(found);
            }
        }
        if tables.is_empty() {
            return Err(Failure::Message(format!("{} has no .tsv files", path.display())));
        }
        tables.sort();
        files.append(&mut tables);
    }
    Ok(files)
}

fn model_of(arguments: &ModelArguments) -> Option<ModelOf> {
    let ModelArguments { model, model_folder, model_name } = arguments;
    let value = model.clone().map(ModelOf::Value);
    value.or(model_folder.clone().map(ModelOf::Folder)).or(model_name.clone().map(ModelOf::Named))
}

fn aspect(name: &str) -> Result<Aspect, Failure> {
    Aspect::named(name).ok_or_else(|| {
        let known: Vec<&str> = Aspect::ALL.map(Aspect::id).into();
        Failure::Message(format!("HEIM has no aspect `{name}`; the aspects are {}", known.join(", ")))
    })
}

fn batch(arguments: &MTurkArguments) -> Result<mturk::MTurk, Failure> {
    let model = model_of(&arguments.model).ok_or_else(|| {
        Failure::Message("name the model with --model, --model-folder or --model-name".into())
    })?;
    let split = |text: &str| match text.split_once('=') {
        Some((name, other)) => (name.trim().to_owned(), Some(other.trim().to_owned())),
        None => (text.trim().to_owned(), None),
    };
    let mut answers = Vec::new();
    for text in &arguments.heim {
        let (name, column) = split(text);
        let aspect = aspect(&name)?;
        let options = aspect.answers().iter().map(|&option| option.to_owned()).collect();
        let column = column.as_deref().unwrap_or(aspect.column());
        answers.push(mturk::AnswerField::options(column, aspect.id(), options));
    }
    for text in &arguments.answer {
        let (name, measure) = split(text);
        answers.push(mturk::AnswerField::number(&name, measure.as_deref().unwrap_or(&name)));
    }
    for text in &arguments.options {
        let (name, texts) = split(text);
        let known = answers.iter_mut().find(|answer: &&mut mturk::AnswerField| answer.name == name);
        let (Some(answer), Some(texts)) = (known, texts) else {
            return Err(Failure::Message(format!(
                "--options {text}: write NAME=TEXT|TEXT…, where NAME is one of --answer"
            )));
        };
        answer.options = texts.split('|').map(|option| option.trim().to_owned()).collect();
    }
    let mut options = mturk::MTurk::new(model, answers);
    options.item.clone_from(&arguments.item);
    options.pseudonyms = arguments.pseudonyms.as_deref().map(Pseudonyms::kept_in).transpose()?;
    Ok(options)
}

/// The files in HEIM's released format, each with the question that it is about.
fn questions(arguments: &HeimArguments) -> Result<Vec<(PathBuf, CodedQuestion)>, Failure> {
    let named = arguments.heim.as_deref().map(aspect).transpose()?;
    let question = |path: &PathBuf| {
        let of_file = || Aspect::of_file(path.file_name()?.to_str()?);
        let aspect = named.or_else(of_file).ok_or_else(|| {
            let name = path.display();
            Failure::Message(format!("{name} is not named after one of HEIM's aspects: name one with --heim"))
        })?;
        Ok((path.clone(), CodedQuestion { measure: aspect.id(), options: aspect.answers().len() }))
    };
    arguments.files.iter().map(question).collect()
}

fn released(arguments: &HeimArguments) -> CodedFields {
    // Only the folder of an image names its model.
    let model = model_of(&arguments.model).unwrap_or_else(|| ModelOf::Folder("image_path".into()));
    CodedFields {
        answers: arguments.answers.clone(),
        raters: arguments.raters.clone(),
        item: arguments.item.clone(),
        model,
        mean: "mean_score".into(),
    }
}

fn ranking(arguments: &RankingArguments) -> RankingFields {
    let mut fields = RankingFields::default();
    fields.item.clone_from(&arguments.item);
    fields.candidates.clone_from(&arguments.candidates);
    fields.ranks.clone_from(&arguments.ranks);
    fields.rater.clone_from(&arguments.rater);
    let column = arguments.candidates.clone();
    fields.model = if arguments.model_folder { ModelOf::Folder(column) } else { ModelOf::Value(column) };
    fields
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        let text = error.to_string();
        Self::Message(match error {
            ImportError::Faults { .. } => format!("{text}\nnothing was written"),
            _ => text,
        })
    }
}
