//! Where to find the name of a model.

/// Where to find the name of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelOf {
    /// In this column or field.
    Value(String),
    /// In this column or field, which contains a path or URL whose folder is named after the model.
    Folder(String),
    /// Not in the file: all ratings are about this model.
    Named(String),
}

impl ModelOf {
    /// The column or field to read.
    #[must_use]
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::Value(column) | Self::Folder(column) => Some(column),
            Self::Named(_) => None,
        }
    }

    /// The model that a cell names; empty if it does not name one.
    #[must_use]
    pub fn name<'a>(&'a self, cell: &'a str) -> &'a str {
        match self {
            Self::Value(_) => cell.trim(),
            Self::Folder(_) => folder(cell),
            Self::Named(name) => name,
        }
    }
}

/// The name of the last folder in a path or URL.
fn folder(path: &str) -> &str {
    let address = path.contains("://");
    let path = if address { path.split(['?', '#']).next().unwrap_or_default() } else { path };
    path.trim().rsplit(['/', '\\']).nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_found_in_paths_and_addresses() {
        for (path, want) in [
            ("images/dalle/1.png", "dalle"),
            ("https://host/a/sd%202/x.png?key=a/b#c", "sd%202"),
            (r"C:\images\sd\1.png", "sd"),
            ("1.png", ""),
            ("", ""),
        ] {
            assert_eq!(ModelOf::Folder("image".into()).name(path), want);
        }
    }
}
