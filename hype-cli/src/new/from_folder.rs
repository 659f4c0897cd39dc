//! A spec for existing images: the model of each, the items that they were made from, and the task that fits.

use std::fs;
use std::path::{Path, PathBuf};

use hype::{OpenError, Opening};
use hype_core::plugin::surroundings::Purpose;
use hype_core::study::spec::ItemSpec;
use hype_core::words::{counted, listed};
use hype_core::{MediaKind, Severity};
use serde_json::Value;

use self::aside::Aside;
use self::kind::Kind;
use self::layout::{FoundSet, Layout};
use self::prompts::PromptTable;
use self::tree::{CLIPS, Folder, IMAGES, Others, TEXTS};
use super::sections::Sections;
use super::{FEWEST, Protocol, SPEC, name_of, say_what_follows};
use crate::args::{NewArguments, NewTask};
use crate::failure::Failure;
use crate::output;

mod answers;
mod aside;
mod kind;
mod layout;
mod prompts;
mod tree;

/// The table of items that is written where there is none that fits.
const TABLE: &str = "evaluation_items.csv";
/// The names in a message.
const NAMED: usize = 3;
/// Qualification trials below which guessing passes too often.
const QUALIFYING: u32 = 16;

/// Writes the spec that fits a folder into it.
pub(super) fn run(folder: &Path, arguments: &NewArguments) -> Result<(), Failure> {
    if let Some(texts) = answers::written(folder, arguments.dry_run)? {
        return run(&texts.folder, arguments);
    }
    let spec = folder.join(SPEC);
    if spec.exists() && !arguments.dry_run {
        let shown = spec.display();
        return Err(Failure::Message(format!("{shown} exists: move it away, or edit it")));
    }
    let name = name_of(&whole(folder));
    let found = Found::look(folder, &name)?;
    let (task, why) = match arguments.task {
        Some(task) => (task, "as asked".to_owned()),
        None => found.task(),
    };
    let table = prompts::written(found.table.as_ref(), &found.layout);
    let table = table.filter(|_| !counts_by_model(task));
    found.print(task, &why)?;
    let mut page = PageFit::default();
    let text = found.spec(task, &name, arguments.seed, table.is_some(), &page)?;
    if arguments.dry_run {
        output::print(format_args!("\n{text}"))?;
        return output::print(format_args!("nothing was written, and no {} was read", found.kind));
    }
    write(&spec, &text)?;
    if let Some(table) = &table {
        write(&folder.join(TABLE), table)?;
    }
    let faults = page.fit(&spec, task);
    if page != PageFit::default() {
        write(&spec, &found.spec(task, &name, arguments.seed, table.is_some(), &page)?)?;
    }
    let sets = found.layout.judged().count();
    let images: u32 = found.layout.judged().map(FoundSet::count).sum();
    let with_table = if table.is_some() { format!(" and {TABLE}") } else { String::new() };
    output::print(format_args!(
        "wrote {}{with_table} for {images} {} of {}",
        spec.display(),
        found.kind.plural(),
        counted(sets, "set")
    ))?;
    for fault in faults.iter().take(NAMED) {
        output::print(format_args!("to mend: {fault}"))?;
    }
    say_what_follows(&spec)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure::about(path, &error))
}

/// The folder with a name, as `.` has none.
fn whole(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

const fn counts_by_model(task: NewTask) -> bool {
    matches!(task, NewTask::HypeTime | NewTask::HypeInfinity)
}

/// The facts that only the pixels of images tell.
#[derive(Debug, Default, PartialEq, Eq)]
struct PageFit {
    /// The width and height within which images fit the screen.
    resize: Option<[u32; 2]>,
    /// Whether real images are left out, as their size or format tells them from others.
    without_reals: bool,
}

impl PageFit {
    /// Opens the spec that was written. Returns what is wrong with its images.
    fn fit(&mut self, spec: &Path, task: NewTask) -> Vec<String> {
        let opened = match Opening::of(spec).to(Purpose::Collect).open(|_| {}) {
            Ok(opened) => opened,
            Err(OpenError::Faults { diagnostics, .. }) => {
                let errors = diagnostics.iter().filter(|one| one.severity == Severity::Error);
                return errors.map(|one| one.message.clone()).collect();
            }
            Err(other) => return vec![other.to_string()],
        };
        let has_shortcut = opened.warnings.iter().any(|one| one.code == "shortcut");
        self.without_reals = has_shortcut && !counts_by_model(task);
        #[cfg(feature = "web")]
        {
            use hype::backends::web::{Page, fitting_size};
            let backend = opened.study.spec().collection.backend.as_deref();
            let page = backend.and_then(|backend| hype_core::study::backend::view::<Page>(backend));
            self.resize = page.and_then(|page| fitting_size(&opened.study, &page));
        }
        Vec::new()
    }
}

/// The contents of a folder of images, clips or texts.
struct Found {
    kind: MediaKind,
    layout: Layout,
    table: Option<PromptTable>,
    /// The tables of prompts that are not used, and why.
    unused: Vec<String>,
    others: Others,
}

impl Found {
    fn look(folder: &Path, name: &str) -> Result<Self, Failure> {
        let (kind, mut root, mut others) = Folder::look(folder)?;
        let aside = match kind {
            MediaKind::Text => Aside::of_texts(&mut root),
            _ => Aside::of_others(folder, &mut others),
        };
        let mut layout = Layout::of(&root, name);
        if layout.of_kind(Kind::Generated).all(|set| set.images.is_empty()) {
            let unread = others.unread(kind).into_iter().map(|line| format!("; {line}")).collect::<String>();
            return Err(Failure::Message(format!(
                "{} has no folder of generated images, clips or texts: put those of each model into a folder of its name ({}), or name a \
                 table with the answers of models{unread}",
                folder.display(),
                [&IMAGES[..], &CLIPS, &TEXTS].concat().join(", ")
            )));
        }
        if kind == MediaKind::Text {
            aside.narrow(&mut layout);
            aside::tell_people(&mut layout);
        }
        for set in &layout.sets {
            let wild = |letter: char| ['?', '[', ']', '{', '}', '\\'].contains(&letter);
            if set.name.contains(|letter| wild(letter) || letter == '*') {
                return Err(Failure::Message(format!(
                    "{} cannot be named in a pattern of files: rename the folder to letters, digits, `-` and `_`",
                    folder.join(&set.name).display()
                )));
            }
        }
        let of_texts = PromptTable::of_texts(folder, &aside.prompts, &others, &layout);
        if let Some(found) = &of_texts {
            others.texts.retain(|path| *path != folder.join(&found.name));
        }
        let (table, mut unused) = PromptTable::find(folder, &others, &layout);
        let is_read = |first: &String| of_texts.as_ref().is_some_and(|found| found.name.starts_with(first));
        if let Some(first) = aside.prompts.first().filter(|first| !is_read(first)) {
            let count = counted(aside.prompts.len(), "file");
            unused.push(format!(
                "{count} of prompts, such as {first}: name them after the items of the outputs"
            ));
        }
        if let (Some(table), Some(found)) = (&table, &of_texts) {
            unused.push(format!("{}: {} is used", found.name, table.name));
        }
        let table = table.or(of_texts);
        if let Some(table) = &table {
            let named: Vec<&str> = table.items.iter().flat_map(ItemSpec::images).collect();
            aside::tell_conditions(&mut layout, &named);
        }
        unused.extend(others.left.take());
        if let Some(first) = aside.notes.first() {
            unused.push(format!("{}, such as {first}", counted(aside.notes.len(), "note")));
        }
        Ok(Self { kind, layout, table, unused, others })
    }

    /// The task that fits, and why: comparisons of models with outputs for the same items, real or fake together with real images,
    /// and else ratings.
    fn task(&self) -> (NewTask, String) {
        let layout = &self.layout;
        let models = layout.of_kind(Kind::Generated).count();
        let missing = layout.missing();
        let lacks = |missing: &Vec<(&str, Vec<&str>)>| missing.iter().any(|(_, lacking)| !lacking.is_empty());
        match &missing {
            Some(missing) if models > 1 && !lacks(missing) => {
                (NewTask::Contrast, "as each model has an output for each item".to_owned())
            }
            Some(_) if models > 1 => (
                NewTask::Rating,
                "as outputs are missing, and comparisons need those of all models".to_owned(),
            ),
            _ if layout.of_kind(Kind::Real).next().is_some() && layout.fewest() >= FEWEST => {
                (NewTask::HypeInfinity, "as there are real images".to_owned())
            }
            None => match layout.lost_zeros() {
                Some((one, other, file)) => {
                    let (path, ending) = file.rsplit_once('.').unwrap_or((file, ""));
                    let to = path.strip_suffix(one).unwrap_or_default();
                    let how =
                        format!("rename those of one model, as by `mv \"{file}\" \"{to}{other}.{ending}\"`");
                    (NewTask::Rating, format!("as names differ by zeros, such as {one} and {other}: {how}"))
                }
                None => (NewTask::Rating, "as names do not say which outputs belong together".to_owned()),
            },
            _ => (NewTask::Rating, "as there is one model".to_owned()),
        }
    }

    /// Says what was found, what is missing, and which task was chosen.
    fn print(&self, task: NewTask, why: &str) -> Result<(), Failure> {
        let layout = &self.layout;
        let names = |kind: Kind| listed(layout.of_kind(kind).map(|set| set.name.as_str()));
        let (noun, of) = if layout.missing().is_some() { ("item", "") } else { ("name", " of outputs") };
        output::print(format_args!(
            "models: {}; {}{of}",
            names(Kind::Generated),
            counted(layout.items().len(), noun)
        ))?;
        for note in &layout.notes {
            output::print(format_args!("  {note}"))?;
        }
        if let Some((prompts, seeds, first)) = self.seeds(task) {
            output::print(format_args!(
                "  names such as {first} are taken for {} with {} each (`match: seed`)",
                counted(prompts, "prompt"),
                counted(seeds, "seed")
            ))?;
        }
        for (kind, what) in
            [(Kind::Real, "real images"), (Kind::Conditions, "conditions, which are not judged")]
        {
            if layout.of_kind(kind).next().is_some() {
                output::print(format_args!("{what}: {}", names(kind)))?;
            }
        }
        if let Some(table) = &self.table {
            let what = if table.has_prompts() { "prompts" } else { "items" };
            output::print(format_args!("{what}: {}", table.name))?;
            for note in &table.notes {
                output::print(format_args!("  {note}"))?;
            }
        }
        for unused in &self.unused {
            output::print(format_args!("not used: {unused}"))?;
        }
        for (model, lacking) in
            layout.missing().into_iter().flatten().filter(|(_, lacking)| !lacking.is_empty())
        {
            output::print(format_args!("missing: {model} has no {}", listed(&lacking)))?;
        }
        if layout.left_out > 0 {
            output::print(format_args!("not used: {} of no model", counted(layout.left_out, "image")))?;
        }
        for unread in self.others.unread(self.kind) {
            output::print(format_args!("not read: {unread}"))?;
        }
        output::print(format_args!("task: {}, {why}", task_name(task)))
    }

    fn spec(
        &self,
        task: NewTask,
        name: &str,
        seed: u64,
        writes_table: bool,
        page: &PageFit,
    ) -> Result<String, Failure> {
        let layout = &self.layout;
        let mut protocol = if counts_by_model(task) {
            let fewest = layout.fewest();
            if layout.of_kind(Kind::Real).next().is_none() || fewest < FEWEST {
                return Err(Failure::Message(format!(
                    "this task needs a folder `real` and at least {FEWEST} images in each, but the smallest has {fewest}"
                )));
            }
            Protocol::within(task, Some(fewest))?
        } else {
            Protocol::within(task, None)?
        };
        if protocol.qualification < QUALIFYING {
            protocol.qualification = 0;
        }
        if matches!(task, NewTask::Rating | NewTask::VideoAcr) {
            let rated: u32 = layout.of_kind(Kind::Generated).map(FoundSet::count).sum();
            protocol.size = protocol.size.min(rated);
        }
        protocol.kind = self.kind;
        protocol.has_reals = layout.of_kind(Kind::Real).next().is_some() && !page.without_reals;
        protocol.has_prompts = self.table.as_ref().is_some_and(PromptTable::has_prompts);
        let mut sections: Sections = protocol.sections(task).of(self.kind);
        sections.items = self.items(task, writes_table);
        sections.resize = page.resize;
        let threshold_ms = if self.kind == MediaKind::Text { "3000" } else { "300" };
        sections.simulate = "\
  # Nothing is known about these models: they are assumed to be equal. To assume otherwise:
  # observers: { NAME: { threshold_ms: 300, quality: 0.7 } }
"
        .replace("300", threshold_ms);
        Ok(sections.spec(name, seed, &self.stimuli(page)))
    }

    /// The numbers of prompts and of seeds, and the first name, where names of files alone tell them.
    fn seeds(&self, task: NewTask) -> Option<(usize, usize, &str)> {
        let Self { layout, table, .. } = self;
        let names_tell = table.is_none() && !layout.has_classes && layout.missing().is_some();
        layout.seeds().filter(|_| names_tell && !counts_by_model(task))
    }

    /// The section of items, and of their facets.
    fn items(&self, task: NewTask, writes_table: bool) -> String {
        let layout = &self.layout;
        let written = self.table.as_ref().filter(|table| !table.is_in_texts);
        let (mut table, mut by) = (written.map(|table| table.name.as_str()), "name");
        if self.table.as_ref().is_some_and(|table| table.has_seeds) || self.seeds(task).is_some() {
            by = "seed";
        } else if layout.by_pattern {
            by = "pattern";
        }
        if writes_table {
            table = Some(TABLE);
        }
        let mut matched = if by == "name" { String::new() } else { format!(", match: {by}") };
        if layout.has_seed_folders && layout.has_classes {
            matched += ", cluster: class";
        }
        match table {
            Some(table) => {
                let table = Value::from(table).to_string();
                let table = if table.contains(' ') { table } else { table.trim_matches('"').to_owned() };
                let facets = if writes_table && layout.has_classes {
                    "\n# Results by class.\nfacets: { class: { of: items } }\n"
                } else {
                    ""
                };
                format!(
                    "\n# What the models were given, shown beside their outputs. Columns: item, prompt, instruction, source and others.\n\
                     items: {{ table: {table}{matched} }}\n{facets}"
                )
            }
            None if counts_by_model(task) || layout.missing().is_none() => String::new(),
            None if by == "name" => super::sections::ITEMS.to_owned(),
            None if by == "seed" => "\n\
                # Names of files are those of prompts and a seed. `items: { table: prompts.csv, match: seed }` shows prompts \
                beside outputs.\nitems: { match: seed }\n"
                .to_owned(),
            None => format!(
                "\n# What the wildcards of `images` stand for names the item. `items: {{ table: items.csv, match: pattern }}` shows prompts \
                 beside outputs.\nitems: {{ match: {by} }}\n"
            ),
        }
    }

    /// The section of stimuli.
    fn stimuli(&self, page: &PageFit) -> String {
        let (plural, field) = (self.kind.plural(), self.kind.field());
        let mut text = format!("# Sets of {plural}. A generated set is named after its model.\nstimuli:\n");
        for one in self.layout.judged() {
            let role = if one.kind == Kind::Real { "real" } else { "generated" };
            let name = Value::from(one.name.as_str());
            let images = match &one.patterns[..] {
                [only] => Value::from(only.as_str()),
                several => Value::from(several.to_vec()),
            };
            if page.without_reals && one.kind == Kind::Real {
                text += &format!(
                    "  # Left out, as size or format alone tells them from the others: save all in the same way, and remove the mark.\n  \
                     # {name}: {{ role: {role}, {field}: {images} }}\n"
                );
            } else {
                text += &format!("  {name}: {{ role: {role}, {field}: {images} }}\n");
            }
        }
        for one in self.layout.of_kind(Kind::Conditions) {
            text += &format!(
                "# The {} {plural} of {} are not judged: name them in a column of a table of items, such as `source`.\n",
                one.count(),
                one.name
            );
        }
        for path in self.others.texts.iter().filter(|_| self.table.is_none()).take(1) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            text += &format!(
                "# Which line of {name} belongs to which output is not known: write a table with the columns `item` and `prompt`.\n"
            );
        }
        text
    }
}

const fn task_name(task: NewTask) -> &'static str {
    match task {
        NewTask::HypeTime => "hype-time",
        NewTask::HypeInfinity => "hype-infinity",
        NewTask::Contrast => "contrast",
        NewTask::Rating => "rating",
        NewTask::Ranking => "ranking",
        NewTask::BestOf => "best-of",
        NewTask::VideoPair => "video-pair",
        NewTask::VideoAcr => "video-acr",
        NewTask::TextPair => "text-pair",
    }
}
