//! Joins the files of the rater's and the operator's page, which are embedded in the program: the modules of a page into one,
//! each in its own function, and its style sheets into one. Comments that fill lines are left out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The pages, each with its first module.
const PAGES: [(&str, &str); 2] = [("index.html", "main.js"), ("operator.html", "operator.js")];

/// Files that a page asks for by their own names.
const ALONE: [(&str, &str); 7] = [
    ("icon.svg", "image/svg+xml"),
    ("ticker.js", "text/javascript; charset=utf-8"),
    ("locale/ar.json", "application/json"),
    ("locale/de.json", "application/json"),
    ("locale/en.json", "application/json"),
    ("locale/es.json", "application/json"),
    ("locale/zh.json", "application/json"),
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=page/assets");
    println!("cargo::rerun-if-changed=page/index.html");
    println!("cargo::rerun-if-changed=page/operator.html");
    let (Some(root), Some(out)) = (env::var_os("CARGO_MANIFEST_DIR"), env::var_os("OUT_DIR")) else {
        return Err(io::Error::other("cargo has not set CARGO_MANIFEST_DIR and OUT_DIR"));
    };
    if env::var_os("CARGO_FEATURE_WEB").is_none() {
        return Ok(());
    }
    let (page, out) = (PathBuf::from(root).join("page"), PathBuf::from(out));
    for (html, first) in PAGES {
        let html = fs::read_to_string(page.join(html))?;
        let mut styles = String::new();
        for line in
            html.lines().filter_map(|line| line.trim().strip_prefix("<link rel=\"stylesheet\" href=\""))
        {
            let name = line.trim_end_matches("\">");
            styles.push_str(&without_comments(&fs::read_to_string(page.join(name))?));
        }
        let mut modules = Modules { folder: page.join("assets"), ..Modules::default() };
        modules.add(first, true)?;
        let stem = first.trim_end_matches(".js");
        fs::write(out.join(format!("{stem}.css")), styles)?;
        fs::write(out.join(format!("{stem}.js")), modules.text)?;
    }
    let start = without_comments(&fs::read_to_string(page.join("assets/start.js"))?);
    fs::write(out.join("start.js"), start)?;
    let mut text = String::from("&[\n");
    for (name, kind) in ALONE {
        let file = page.join("assets").join(name);
        let _ = writeln!(text, "    ({name:?}, {kind:?}, include_bytes!({file:?})),");
    }
    text.push_str("]\n");
    fs::write(out.join("alone.rs"), text)
}

/// A text without the lines that belong to comments alone.
fn without_comments(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in text.lines() {
        let bare = line.trim();
        if inside || bare.starts_with("/*") && bare.find("*/").is_none_or(|end| end + 2 == bare.len()) {
            inside = !bare.ends_with("*/");
        } else if !bare.is_empty() && !bare.starts_with("//") {
            kept.push_str(bare);
            kept.push('\n');
        }
    }
    kept
}

/// Modules, joined in the order in which they need each other.
#[derive(Default)]
struct Modules {
    folder: PathBuf,
    /// The number of each module, none while those that it imports are added.
    numbers: BTreeMap<PathBuf, Option<usize>>,
    text: String,
}

impl Modules {
    /// Adds a module after those that it imports. Returns its number.
    ///
    /// # Errors
    /// If a file cannot be read, modules import each other in a circle, or an import or export has a form that cannot be joined.
    fn add(&mut self, name: &str, is_first: bool) -> io::Result<usize> {
        let path = PathBuf::from(name);
        match self.numbers.get(&path) {
            Some(Some(number)) => return Ok(*number),
            Some(None) => return Err(io::Error::other(format!("{name} imports itself through others"))),
            None => self.numbers.insert(path.clone(), None),
        };
        let code = without_comments(&fs::read_to_string(self.folder.join(&path))?);
        let (mut body, mut exported) = (String::new(), Vec::new());
        let mut rest = &*code;
        while let Some(import) = rest.strip_prefix("import {") {
            let unknown =
                || io::Error::other(format!("{name}: expected `import {{ names }} from './module.js';`"));
            let (names, after) = import.split_once("} from '").ok_or_else(unknown)?;
            let (from, after) = after.split_once("';\n").ok_or_else(unknown)?;
            let number = self.add(&beside(&path, from), false)?;
            let _ = writeln!(body, "const {{{}}} = m{number};", names.replace('\n', " "));
            rest = after;
        }
        for line in rest.lines() {
            let declared = line.strip_prefix("export ");
            if let Some(declared) = declared {
                let words = declared.trim_start_matches("async ").split_once(' ');
                let name = words
                    .filter(|(kind, _)| ["class", "const", "function"].contains(kind))
                    .and_then(|(_, rest)| {
                        rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
                    })
                    .ok_or_else(|| io::Error::other(format!("{name}: cannot join `{line}`")))?;
                exported.push(name);
            }
            body.push_str(declared.unwrap_or(line));
            body.push('\n');
        }
        let number = self.numbers.values().flatten().count();
        if is_first {
            self.text.push_str(&body);
        } else {
            let exported = exported.join(", ");
            let _ =
                writeln!(self.text, "const m{number} = (() => {{\n{body}return {{ {exported} }};\n}})();");
        }
        self.numbers.insert(path, Some(number));
        Ok(number)
    }
}

/// The path of a module that another one imports by `./name` or `../name`.
fn beside(module: &Path, from: &str) -> String {
    let folder = module.parent().unwrap_or(Path::new(""));
    let path = match from.strip_prefix("../") {
        Some(above) => folder.parent().unwrap_or(Path::new("")).join(above),
        None => folder.join(from.trim_start_matches("./")),
    };
    path.to_string_lossy().replace('\\', "/")
}
