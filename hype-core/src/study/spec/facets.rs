//! The `facets` section: attributes of stimulus sets, whose levels are folder names, of items, whose levels are cells of their
//! table, and of raters, whose levels are cells of a table that may come after the answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::{Diagnostics, nearest};
use crate::model::facet::{Facet, FacetScale, Levels, LevelsByName, level_number};
use crate::model::stimulus::{Role, Stimuli, StimulusSet, Use};
use crate::protocol::raters::{RaterDesign, Raters};
use crate::study::spec::Named;
use crate::words::{counted, listed};

/// One facet. The pattern of a set has its name in braces where its levels are, as in `images/real/{class}/*.png`; the tables of
/// items and of raters have a column of its name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FacetSpec {
    /// The kind of object that has the levels: `sets` (default), `items` or `raters`.
    #[serde(skip_serializing_if = "FacetOf::is_sets")]
    pub of: FacetOf,
    /// For a facet of raters: a CSV file with a row for each rater, whose name is in the column `rater`. The path is relative to
    /// the spec's folder. The file may be written after the answers, and may change: `hype run` reads it each time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<Arc<str>>,
    /// The column of that table with the levels (default: the facet's name).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<Arc<str>>,
    /// For a table that a panel exported: its column with the ids of the panel's participants, such as `Participant id`, which it
    /// has instead of the column `rater`. `hype run` finds out in the study's folder which raters they are; the ids are not copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub participants: Option<Arc<str>>,
    /// For a facet of raters: the key of a question of the study's surveys, whose answer is the level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Arc<str>>,
    /// For raters with numbers, such as ages: where one band of numbers ends and the next begins. `[30, 50]` makes the
    /// levels `under 30`, `30 to under 50` and `50 and over`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bands: Vec<f64>,
    /// `category` (default) or `number`.
    pub kind: FacetKind,
    /// The levels of a category in their order (default: in alphabetical order). No others are allowed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<Arc<str>>,
    /// The scale of a number: `linear` (default) or `log`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<FacetScale>,
}

/// The kind of object to which a facet's levels belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FacetOf {
    /// Sets of stimuli: a model at each of its levels is a cell, which is judged by raters of its own unless `raters.cells` says
    /// that raters judge all levels.
    #[default]
    Sets,
    /// Items: the same raters judge items of several levels.
    Items,
    /// Raters: other people have other levels.
    Raters,
}

impl FacetOf {
    fn is_sets(&self) -> bool {
        *self == Self::Sets
    }
}

/// The kind of a facet's levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FacetKind {
    /// Names.
    #[default]
    Category,
    /// Numbers.
    Number,
}

/// The facets by name, in the order of the spec.
pub type FacetSpecs = Named<FacetSpec>;

impl FacetSpec {
    /// The scale of levels that are numbers; `None` for categories.
    #[must_use]
    pub fn number_scale(&self) -> Option<FacetScale> {
        (self.kind == FacetKind::Number).then(|| self.scale.unwrap_or_default())
    }

    /// The band of a number, by its name.
    #[must_use]
    pub fn band(&self, number: f64) -> Option<Arc<str>> {
        let above = self.bands.iter().filter(|&&bound| number >= bound).count();
        self.band_names().into_iter().nth(above)
    }

    /// The names of all bands in their order; none without bands.
    fn band_names(&self) -> Vec<Arc<str>> {
        let [Some(first), Some(last)] = [self.bands.first(), self.bands.last()] else { return Vec::new() };
        let between = self.bands.windows(2).map(|pair| format!("{} to under {}", pair[0], pair[1]));
        let all = std::iter::once(format!("under {first}")).chain(between);
        all.chain([format!("{last} and over")]).map(Into::into).collect()
    }

    /// The levels that it can have, in their order; `None` if any are possible.
    #[must_use]
    pub fn declared_levels(&self) -> Option<Vec<Arc<str>>> {
        let bands = self.band_names();
        let declared = if bands.is_empty() { self.order.clone() } else { bands };
        (!declared.is_empty()).then_some(declared)
    }

    /// Puts levels in order: as declared, as numbers, or else by name. Repeats are removed.
    pub fn sort(&self, levels: &mut Vec<Arc<str>>) {
        let bands = self.band_names();
        let order = if bands.is_empty() { &self.order } else { &bands };
        let declared = |level: &Arc<str>| order.iter().position(|known| known == level);
        let number = |level: &Arc<str>| level_number(level).unwrap_or(f64::INFINITY);
        levels.sort_by(|a, b| match self.kind {
            FacetKind::Number => number(a).total_cmp(&number(b)).then_with(|| a.cmp(b)),
            FacetKind::Category if order.is_empty() => a.cmp(b),
            FacetKind::Category => declared(a).cmp(&declared(b)).then_with(|| a.cmp(b)),
        });
        levels.dedup();
    }

    /// Checks the levels that a set has, at the path of its pattern.
    pub fn check_levels(&self, name: &str, levels: &[Arc<str>], at: &mut Diagnostics) {
        for level in levels {
            match (self.kind, self.number_scale()) {
                (FacetKind::Category, _) if !self.order.is_empty() && !self.order.contains(level) => {
                    at.error("unknown-level", format!("`{level}` is not in the `order` of {name}"))
                        .help("add it to the order, or move the folder away")
                        .suggest(nearest(level, self.order.iter().map(|known| &**known)));
                }
                (FacetKind::Number, Some(scale)) => match level_number(level) {
                    None => {
                        at.error("not-a-number", format!("{name} is a number, which `{level}` is not"))
                            .help("rename the folder, such as 9000 for 9k, or write `kind: category`");
                    }
                    Some(number) if scale == FacetScale::Log && number <= 0.0 => {
                        at.error(
                            "not-positive",
                            format!("{name} has the level {level} on a logarithmic scale"),
                        )
                        .help("write `scale: linear`, or leave the level out");
                    }
                    Some(_) => {}
                },
                _ => {}
            }
        }
        for pair in levels.windows(2) {
            let [one, other] = [&pair[0], &pair[1]].map(|level| level_number(level));
            if self.kind == FacetKind::Number && one.is_some() && one == other {
                at.error("same-level", format!("`{}` and `{}` are the same number", pair[0], pair[1]))
                    .help("write a number in one way");
            }
        }
    }

    /// Checks the rules across fields, at the path of the facet.
    fn check(&self, name: &str, at: &mut Diagnostics) {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if name.is_empty() || !name.bytes().all(is_plain) {
            at.error("bad-name", format!("{name:?} cannot name a facet"))
                .help("use letters, digits, `_` and `-`, as in `class`");
        }
        if self.of == FacetOf::Raters && self.table.is_none() && self.asked.is_none() {
            at.error("no-table", format!("nothing says which raters have which {name}")).help(
                "write `table: raters.csv`, a file with the columns `rater` and the facet's name, or `asked:` and the key of a \
                 question of `before` or `after`",
            );
        }
        if self.asked.is_some() && self.table.is_some() {
            at.field("asked")
                .error("two-sources", format!("levels of {name} come from a table or from answers"))
                .help("leave out `table` or `asked`");
        }
        let fields = [
            ("table", &self.table),
            ("column", &self.column),
            ("participants", &self.participants),
            ("asked", &self.asked),
        ];
        for (field, _) in
            fields.into_iter().filter(|(_, value)| self.of != FacetOf::Raters && value.is_some())
        {
            at.field(field)
                .error(
                    "not-of-raters",
                    format!(
                        "only facets of raters have {} of their own",
                        if field == "asked" { "answers" } else { "tables" }
                    ),
                )
                .help(format!("write `of: raters`, or leave out `{field}`"));
        }
        if !self.bands.is_empty() {
            self.check_bands(at);
        }
        if self.kind == FacetKind::Number && !self.order.is_empty() {
            at.field("order")
                .error("not-a-category", "numbers are in the order of their size")
                .help("leave out `order`, or write `kind: category`");
        }
        if self.kind == FacetKind::Category && self.scale.is_some() {
            at.field("scale")
                .error("not-a-number", "categories have no scale")
                .help("write `kind: number`, or leave out `scale`");
        }
        for (place, level) in self.order.iter().enumerate() {
            if self.order[..place].contains(level) {
                at.field("order").error("repeated-level", format!("`{level}` is listed twice"));
            }
        }
    }
}

impl FacetSpec {
    fn check_bands(&self, at: &mut Diagnostics) {
        let at = &mut at.field("bands");
        if self.of != FacetOf::Raters {
            at.error("not-of-raters", "only facets of raters have bands")
                .help("write `of: raters`, or leave out `bands`");
        }
        if self.kind == FacetKind::Number || !self.order.is_empty() {
            at.error("bands-are-levels", "bands are categories in the order of their numbers")
                .help("leave out `kind` and `order`, or `bands`");
        }
        let is_finite = self.bands.iter().all(|bound| bound.is_finite());
        if !is_finite || !self.bands.is_sorted_by(|lower, upper| lower < upper) {
            at.error("unordered-bands", "each number has to be above the one before")
                .help("write them in order, as in `[30, 50]`");
        }
    }
}

/// The facets of a study with the levels that its models, items or raters have.
#[must_use]
pub fn facets_of(specs: &FacetSpecs, stimuli: &Stimuli, raters: &LevelsByName) -> Vec<Facet> {
    let found = specs.iter().map(|(name, spec)| {
        let mut levels: Vec<Arc<str>> = match spec.of {
            FacetOf::Sets => stimuli.cells().filter_map(|cell| cell.levels.get(name).cloned()).collect(),
            FacetOf::Items => {
                stimuli.items().iter().filter_map(|item| item.levels.get(name).cloned()).collect()
            }
            FacetOf::Raters => raters.values().filter_map(|levels| levels.get(name).cloned()).collect(),
        };
        spec.sort(&mut levels);
        Facet { name: name.into(), levels, scale: spec.number_scale() }
    });
    found.collect()
}

/// Checks the section, at the path of the spec.
pub(super) fn check(specs: &FacetSpecs, raters: &Raters, stimuli: &Stimuli, at: &mut Diagnostics) {
    if raters.cells == RaterDesign::Within && stimuli.cells().next().is_none() {
        at.within("raters", |at| {
            at.field("cells")
                .warning("no-cells", "no set of stimuli has levels, and raters judge the same as without it")
                .help("leave `cells` out, or declare `facets` and write their names in braces in `images`");
        });
    }
    if specs.is_empty() {
        return;
    }
    at.within("facets", |at| {
        for (name, spec) in specs.iter() {
            at.within(name, |at| spec.check(name, at));
            let is_used = || stimuli.models().any(|model| levels(stimuli.set(model)).contains_key(name));
            match spec.of {
                FacetOf::Items => at.within(name, |at| check_items(name, spec, stimuli, at)),
                FacetOf::Sets if !is_used() => {
                    at.field(name).error("unused-facet", format!("no model has levels of {name}")).help(
                        format!(
                            "write `{{{name}}}` for its folder in `images`, as in `gan/{{{name}}}/*.png`"
                        ),
                    );
                }
                FacetOf::Sets | FacetOf::Raters => {}
            }
        }
    });
    if specs.iter().all(|(_, spec)| spec.of != FacetOf::Sets) {
        return;
    }
    if raters.per_item.is_some() && raters.cells == RaterDesign::Between {
        at.within("raters", |at| {
            at.field("per_item")
                .error("not-between", "raters who are counted by item judge stimuli of all levels")
                .help("write `cells: within`, or declare a facet of items with `of: items`");
        });
    }
    check_reals(stimuli, at);
    check_crossing(specs, stimuli, at);
}

/// Checks the levels that items have, at the path of their facet.
fn check_items(name: &str, spec: &FacetSpec, stimuli: &Stimuli, at: &mut Diagnostics) {
    let items = stimuli.items();
    let mut levels: Vec<Arc<str>> = items.iter().filter_map(|item| item.levels.get(name).cloned()).collect();
    let without = items.len() - levels.len();
    if levels.is_empty() {
        at.error("unused-facet", format!("no item has a level of {name}"))
            .help(format!("add the column `{name}` to the table of items, or leave out `of: items`"));
        return;
    }
    spec.sort(&mut levels);
    spec.check_levels(name, &levels, at);
    if without > 0 {
        let text = format!("{} of {} have no level of {name}", without, counted(items.len(), "item"));
        at.warning("missing-levels", text).help("results by level leave them out");
    }
}

fn levels(set: Option<&StimulusSet>) -> &Levels {
    static NONE: Levels = BTreeMap::new();
    set.map_or(&NONE, |set| &set.levels)
}

/// Checks that every cell has real stimuli, if there are any.
fn check_reals(stimuli: &Stimuli, at: &mut Diagnostics) {
    if stimuli.sets_with(Role::Real, Use::Main).next().is_none() {
        return;
    }
    for set in stimuli.models().filter(|&model| stimuli.real_sets(&[model]).next().is_none()) {
        let Some(set) = stimuli.set(set) else { continue };
        let levels: Vec<String> =
            set.levels.iter().map(|(facet, level)| format!("{facet} {level}")).collect();
        at.within("stimuli", |at| {
            at.within(set.declared_name(), |at| {
                at.field("images")
                    .error(
                        "no-reals",
                        format!("there are no real stimuli for {} ({})", set.name, listed(&levels)),
                    )
                    .help("add real ones of these levels, or real ones without levels for all cells");
            });
        });
    }
}

/// Warns of models that lack levels that others have: tests over all levels leave such cells out.
fn check_crossing(specs: &FacetSpecs, stimuli: &Stimuli, at: &mut Diagnostics) {
    let sets = || stimuli.models().filter_map(|model| stimuli.set(model));
    let mut models: Vec<&str> = sets().map(StimulusSet::declared_name).collect();
    models.dedup();
    for facet in facets_of(specs, stimuli, &LevelsByName::new()) {
        for &model in &models {
            let own: Vec<_> = sets().filter(|set| set.declared_name() == model).collect();
            let has = |level: &Arc<str>| own.iter().any(|set| set.levels.get(&facet.name) == Some(level));
            let missing: Vec<&str> =
                facet.levels.iter().filter(|level| !has(level)).map(|level| &**level).collect();
            if !missing.is_empty() && missing.len() < facet.levels.len() {
                at.within("stimuli", |at| {
                    at.field(model).warning(
                        "missing-levels",
                        format!(
                            "{model} has no stimuli of {} {}, which others have",
                            facet.name,
                            listed(&missing)
                        ),
                    );
                });
            }
        }
    }
}
