//! Markdown for people who read exported files.

use serde_json::Value;

/// A Markdown text, written line by line.
#[derive(Default)]
pub(super) struct Markdown(String);

impl Markdown {
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.0.push_str(text.as_ref());
        self.0.push('\n');
    }

    pub(super) fn heading(&mut self, text: impl AsRef<str>) {
        self.line(format!("\n{}\n", text.as_ref()));
    }

    pub(super) fn row(&mut self, cells: &[&str]) {
        let cells: Vec<String> =
            cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
        self.line(format!("| {} |", cells.join(" | ")));
    }

    pub(super) fn header(&mut self, cells: &[&str]) {
        self.row(cells);
        self.row(&vec!["---"; cells.len()]);
    }

    pub(super) fn json(&mut self, value: &Value) {
        self.line(format!("```json\n{value:#}\n```"));
    }

    /// Everything that was written.
    pub(super) fn text(self) -> String {
        self.0
    }
}
