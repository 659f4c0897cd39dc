//! Parts that all analyses of preferences by level share: estimates and pairs at each level, one family of pairs over all of
//! them, and whether models fare otherwise at single levels.

use std::collections::BTreeSet;
use std::sync::Arc;

use hype_core::Facet;
use hype_core::model::findings::{
    FacetInteraction, FacetLevelFindings, MeasureFindings, Note, NoteClass, Test,
};
use hype_core::words::first_few;

use super::facets::{FacetLevels, RowPart};
use super::inference::family_of_levels;

mod interaction;

pub(super) use self::interaction::{LevelComparison, interaction};

/// The words of findings for what is compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    /// The comparisons.
    pub(super) many: &'static str,
    /// The quantity observed in a model's comparisons: the name of a column, its label, and its unit.
    pub(super) observed: [&'static str; 3],
    /// The quantity tested, within `interaction of FACET and model (...)`.
    pub(super) tested: &'static str,
    /// The quantity in the table of departures, as it stands before `at each level of FACET, beside what ...`.
    pub(super) shown: &'static str,
}

/// The levels of a facet that have comparisons, and those that have none.
pub(super) struct ByLevel<'f> {
    levels: &'f FacetLevels,
    with: BTreeSet<usize>,
    /// The number of families of pairs at each level, as by several criteria.
    criteria: usize,
}

impl<'f> ByLevel<'f> {
    pub(super) fn new(levels: &'f FacetLevels, with: BTreeSet<usize>, criteria: usize) -> Self {
        Self { levels, with, criteria }
    }

    pub(super) fn facet(&self) -> &'f Facet {
        self.levels.facet()
    }

    /// The number of families of pairs that are compared together.
    pub(super) fn families(&self) -> usize {
        self.with.len() * self.criteria
    }

    /// The levels with comparisons: the number of each, its name, and its name after that of its facet.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, &'f Arc<str>, String)> + '_ {
        let facet = self.facet();
        self.with.iter().map(move |&number| {
            let level = &facet.levels[number];
            (number, level, format!("{} {level}", facet.name))
        })
    }

    /// A remark on levels without comparisons.
    pub(super) fn missing(&self, measure: &str, words: &Words) -> Option<Note> {
        let without =
            |(number, level): (usize, &'f Arc<str>)| (!self.with.contains(&number)).then_some(&**level);
        let missing: Vec<&str> = self.facet().levels.iter().enumerate().filter_map(without).collect();
        // Levels of raters may be those of people who did not take part.
        (self.levels.part() != Some(RowPart::Rater) && !missing.is_empty()).then(|| {
            let (many, facet, missing) = (words.many, &self.facet().name, first_few(&missing));
            Note::setting("missing-levels", format!("there are no {many} at levels of {facet}: {missing}"))
                .about(measure)
        })
    }

    /// Returns the findings of a measure at a level.
    pub(super) fn at(&self, level: &Arc<str>, found: MeasureFindings) -> FacetLevelFindings {
        FacetLevelFindings {
            facet: Arc::clone(&self.facet().name),
            level: Arc::clone(level),
            raters: found.raters,
            estimates: found.estimates,
            // Pairs at all levels are one family; a test of each level would be another.
            tests: Vec::new(),
            comparisons: found.comparisons,
            family: None,
        }
    }

    /// Adds what is found at the levels to the findings of a measure over all of them.
    pub(super) fn add(&self, at: Vec<FacetLevelFindings>, test: Option<Test>, into: &mut MeasureFindings) {
        let by = match self.criteria {
            1 => String::new(),
            criteria => format!(", by each of {criteria} criteria"),
        };
        into.interactions.push(FacetInteraction {
            facet: Arc::clone(&self.facet().name),
            levels: self.each().map(|(_, level, _)| Arc::clone(level)).collect(),
            test,
            macro_means: Vec::new(),
            weighted: None,
            family: family_of_levels(&at, self.facet(), &by),
        });
        into.facets.extend(at);
    }
}

/// The notes on what is found at a level. What a fit estimates besides strengths is said of all levels alone.
pub(super) fn notes_at(level: &str, notes: Vec<Note>) -> impl Iterator<Item = Note> {
    notes.into_iter().filter(|note| note.class != NoteClass::Setting).map(move |mut note| {
        note.text = format!("{level}: {}", note.text).into();
        note
    })
}
