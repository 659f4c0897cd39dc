//! Figures that crates bring to reports.

use crate::figure::Figure;
use crate::source::ReportSource;
use crate::text::slug;

/// Figures of a crate, which it registers with [`register_figure!`](crate::register_figure).
#[derive(Debug, Clone, Copy)]
pub struct FigureEntry {
    /// Makes the figures that the findings and the records allow; none for studies that they are not about.
    pub make: fn(&ReportSource<'_>) -> Vec<Figure>,
    /// The name of the function.
    pub name: &'static str,
    /// The crate that registers it.
    pub crate_name: &'static str,
}

inventory::collect!(FigureEntry);

/// Registers a function from a [`ReportSource`] to [`Figure`]s, which reports have after their own figures of the task.
///
/// # Examples
/// ```
/// use hype_report::{Figure, ReportSource, register_figure};
///
/// fn medians(source: &ReportSource<'_>) -> Vec<Figure> {
///     let _found = source.findings.measures.first();
///     Vec::new()
/// }
///
/// register_figure!(medians);
/// ```
#[macro_export]
macro_rules! register_figure {
    ($make:ident $(,)?) => {
        $crate::__private::inventory::submit! {
            $crate::FigureEntry {
                make: $make,
                name: stringify!($make),
                crate_name: env!("CARGO_PKG_NAME"),
            }
        }
    };
}

/// The figures of linked crates, in the order of crates and functions. A key becomes one that can name a file.
pub(crate) fn registered(source: &ReportSource<'_>) -> Vec<Figure> {
    let mut entries: Vec<&FigureEntry> = inventory::iter::<FigureEntry>.into_iter().collect();
    entries.sort_by_key(|entry| (entry.crate_name, entry.name));
    let named = |entry: &FigureEntry, figure: Figure| {
        let id = slug(&figure.id);
        let id = if id.is_empty() { slug(entry.name) } else { id };
        Figure { id, ..figure }
    };
    entries
        .into_iter()
        .flat_map(|entry| (entry.make)(source).into_iter().map(move |figure| named(entry, figure)))
        .collect()
}

/// Appends a number to keys that other figures have already.
pub(crate) fn make_keys_unique(figures: &mut [Figure]) {
    for place in 1..figures.len() {
        let (before, rest) = figures.split_at_mut(place);
        let is_taken = |id: &str| before.iter().any(|one| one.id == id);
        let figure = &mut rest[0];
        if is_taken(&figure.id) {
            let mut ids = (2..).map(|number| format!("{}-{number}", figure.id));
            if let Some(id) = ids.find(|id| !is_taken(id)) {
                figure.id = id;
            }
        }
    }
}
