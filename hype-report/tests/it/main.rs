//! Reports of findings made by hand, from which every number is known.

#![allow(clippy::unwrap_used, clippy::float_cmp, missing_docs, reason = "tests")]

mod crates_bring_figures;
mod degraded_studies_have_reports;
mod displays_are_shown_by_screen;
mod facets_have_figures_and_a_table;
mod figures_are_drawn_as_before;
#[cfg(feature = "figures")]
mod figures_are_printed;
mod findings;
mod key_figures_fit;
mod latex;
mod numbers_are_those_of_the_findings;
mod pages_are_in_five_languages;
mod sentences_are_true_of_the_data;
mod studies;
mod tasks_have_figures;

#[path = "../../../tests/it/support/proof.rs"]
mod proof;
#[path = "../../../tests/it/support/typeset.rs"]
#[expect(clippy::disallowed_methods, reason = "LaTeX is another program, which reads files")]
mod typeset;

#[path = "../../src/draw/measure.rs"]
mod measure;
