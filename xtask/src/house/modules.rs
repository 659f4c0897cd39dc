//! The modules of each crate, with their definitions and imports.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::files::{Package, Workspace};
use super::tokens::{Token, outside_tests, tokens};

/// A library or a program with its modules.
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) is_library: bool,
    /// The modules: the root first, and each module before those inside it.
    pub(crate) modules: Vec<Module>,
}

/// A module: a file, or a block in one.
pub(crate) struct Module {
    /// Its name after the names of the modules that contain it; empty for the root.
    pub(crate) path: Vec<String>,
    pub(crate) file: PathBuf,
    pub(crate) parent: Option<usize>,
    pub(crate) is_public: bool,
    pub(crate) children: HashMap<String, usize>,
    pub(crate) definitions: Vec<Definition>,
    /// Names for items that are defined elsewhere.
    pub(crate) imports: Vec<Import>,
    /// Every path in the module, including imports.
    pub(crate) mentions: Vec<Mention>,
}

/// An item that a module defines.
pub(crate) struct Definition {
    pub(crate) name: String,
    /// The keyword: `struct`, `fn`, ….
    pub(crate) kind: &'static str,
    pub(crate) is_public: bool,
    pub(crate) line: usize,
}

/// A name that `use` brings into a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    /// The name here; `*` for all names.
    pub(crate) name: String,
    pub(crate) path: Vec<String>,
    pub(crate) is_public: bool,
}

/// A path and its line.
pub(crate) struct Mention {
    pub(crate) path: Vec<String>,
    pub(crate) line: usize,
}

/// The target of a path: a module, or a name in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target<'a> {
    pub(crate) module: usize,
    pub(crate) name: Option<&'a str>,
}

/// Keywords that begin the definition of a named item.
const KINDS: [&str; 8] = ["struct", "enum", "union", "trait", "fn", "const", "static", "type"];

/// The limit on the re-exports that a path is followed through.
const MOST_STEPS: usize = 16;

/// Reads the libraries and programs of the workspace.
pub(crate) fn crates(workspace: &Workspace) -> Result<Vec<Crate>, String> {
    let mut crates = Vec::new();
    for Package { name, folder } in &workspace.packages {
        for (file, is_library) in [("src/lib.rs", true), ("src/main.rs", false)] {
            let file = folder.join(file);
            if workspace.file(&file).is_some() {
                let name = if is_library { name.clone() } else { format!("{name} (program)") };
                crates.push(Crate::read(name, is_library, &file, |path| {
                    workspace.file(path).map(|file| file.text.as_str())
                })?);
            }
        }
    }
    Ok(crates)
}

impl Crate {
    /// Reads the file of the root and follows its modules.
    pub(crate) fn read<'a>(
        name: String,
        is_library: bool,
        root: &Path,
        text_of: impl Fn(&Path) -> Option<&'a str>,
    ) -> Result<Self, String> {
        let mut modules = vec![Module::new(Vec::new(), root.to_owned(), None, true)];
        // Modules whose files have not been read.
        let mut open = vec![0];
        while let Some(index) = open.pop() {
            let file = modules[index].file.clone();
            let text = text_of(&file).ok_or_else(|| format!("{name}: {} is missing", file.display()))?;
            let all = outside_tests(&tokens(text));
            Reader {
                all: &all,
                modules: &mut modules,
                open: &mut open,
                text_of: &|path: &Path| text_of(path).is_some(),
            }
            .read(index, 0);
        }
        Ok(Self { name, is_library, modules })
    }

    /// The target within this crate of a path in a module.
    pub(crate) fn resolve<'a>(&'a self, from: usize, path: &'a [String]) -> Option<Target<'a>> {
        self.resolve_within(from, path, MOST_STEPS)
    }

    fn resolve_within<'a>(&'a self, from: usize, path: &'a [String], steps: usize) -> Option<Target<'a>> {
        let steps = steps.checked_sub(1)?;
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => 0,
            "self" => from,
            "super" => self.modules[from].parent?,
            _ => {
                rest = path;
                from
            }
        };
        while let Some((segment, after)) = rest.split_first() {
            if segment == "super" {
                at = self.modules[at].parent?;
            } else if let Some(&child) = self.modules[at].children.get(segment) {
                at = child;
            } else {
                let found = self.named(at, segment, steps)?;
                match found.name {
                    // Items inside an item belong to its module.
                    Some(_) => return Some(found),
                    None => at = found.module,
                }
            }
            rest = after;
        }
        Some(Target { module: at, name: None })
    }

    /// The target of a name that is not a child module.
    fn named<'a>(&'a self, at: usize, name: &'a str, steps: usize) -> Option<Target<'a>> {
        let module = &self.modules[at];
        if module.definitions.iter().any(|definition| definition.name == name) {
            return Some(Target { module: at, name: Some(name) });
        }
        if let Some(import) = module.imports.iter().find(|import| import.name == name) {
            return self.resolve_within(at, &import.path, steps);
        }
        module.imports.iter().filter(|import| import.name == "*").find_map(|import| {
            let globbed = self.resolve_within(at, &import.path, steps)?;
            let inside = &self.modules[globbed.module];
            match inside.children.get(name) {
                Some(&child) => Some(Target { module: child, name: None }),
                None => self.named(globbed.module, name, steps.checked_sub(1)?),
            }
        })
    }

    /// The path of a module in source form.
    pub(crate) fn path(&self, module: usize) -> String {
        if module == 0 { "crate".to_owned() } else { self.modules[module].path.join("::") }
    }
}

impl Module {
    fn new(path: Vec<String>, file: PathBuf, parent: Option<usize>, is_public: bool) -> Self {
        Self {
            path,
            file,
            parent,
            is_public,
            children: HashMap::new(),
            definitions: Vec::new(),
            imports: Vec::new(),
            mentions: Vec::new(),
        }
    }
}

/// Reads the tokens of one file into its module and those inside it.
struct Reader<'a, 'b> {
    all: &'a [Token<'b>],
    modules: &'a mut Vec<Module>,
    open: &'a mut Vec<usize>,
    text_of: &'a dyn Fn(&Path) -> bool,
}

impl Reader<'_, '_> {
    /// Reads from `at` to the end of the block or file, and returns that position.
    fn read(&mut self, module: usize, mut at: usize) -> usize {
        let mut depth = 0_usize;
        while at < self.all.len() {
            match self.word(at) {
                "{" => depth += 1,
                "}" if depth == 0 => return at,
                "}" => depth -= 1,
                "mod" if self.is_name(at + 1) && matches!(self.word(at + 2), ";" | "{") => {
                    at = self.module(module, at);
                    continue;
                }
                "use" if self.word(at + 1) != "<" => {
                    let is_public = at > 0 && self.word(at - 1) == "pub";
                    at = self.import(module, at + 1, is_public);
                    continue;
                }
                "macro_rules" if self.word(at + 1) == "!" => {
                    let is_public = self.is_exported_macro(at);
                    self.define(module, at + 2, "macro", is_public);
                }
                word if depth == 0 => {
                    if let Some(&kind) = KINDS.iter().find(|kind| **kind == word)
                        && self.is_name(at + 1)
                    {
                        let is_public = self.is_public(at);
                        self.define(module, at + 1, kind, is_public);
                    }
                }
                _ => {}
            }
            at = self.mention(module, at);
        }
        at
    }

    fn word(&self, at: usize) -> &str {
        self.all.get(at).map_or("", |token| token.text)
    }

    fn is_name(&self, at: usize) -> bool {
        let begins = self.word(at).chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
        begins
            && !KINDS.contains(&self.word(at))
            && !matches!(self.word(at), "_" | "unsafe" | "extern" | "mut")
    }

    /// Whether the item whose keyword is here follows `pub` without a restriction.
    fn is_public(&self, keyword: usize) -> bool {
        let mut before = keyword;
        while before > 0 {
            before -= 1;
            let word = self.word(before);
            if !matches!(word, "const" | "async" | "unsafe" | "extern") && !word.starts_with('"') {
                return word == "pub";
            }
        }
        false
    }

    fn is_exported_macro(&self, keyword: usize) -> bool {
        // Other attributes may follow, so all attributes of the item are checked.
        let begin = (0..keyword).rev().find(|&at| matches!(self.word(at), ";" | "}"));
        (begin.map_or(0, |at| at + 1)..keyword).any(|at| self.word(at) == "macro_export")
    }

    fn define(&mut self, module: usize, name: usize, kind: &'static str, is_public: bool) {
        let definition = Definition {
            name: self.word(name).to_owned(),
            kind,
            is_public,
            line: self.all.get(name).map_or(0, |token| token.line),
        };
        self.modules[module].definitions.push(definition);
    }

    /// Adds the module that is declared here, and returns the end of its declaration.
    fn module(&mut self, parent: usize, at: usize) -> usize {
        let name = self.word(at + 1).to_owned();
        let is_block = self.word(at + 2) == "{";
        let is_public = self.is_public(at);
        let mut path = self.modules[parent].path.clone();
        path.push(name.clone());
        let file = if is_block { self.modules[parent].file.clone() } else { self.file_of(parent, &name, at) };
        let index = self.modules.len();
        self.modules.push(Module::new(path, file, Some(parent), is_public));
        self.modules[parent].children.insert(name, index);
        if is_block {
            return self.read(index, at + 3) + 1;
        }
        self.open.push(index);
        at + 3
    }

    /// The file of a module, from its `path` attribute or its name.
    fn file_of(&self, parent: usize, name: &str, at: usize) -> PathBuf {
        let Module { file, path, .. } = &self.modules[parent];
        let folder = file.parent().unwrap_or(Path::new(""));
        let keyword = if at > 0 && self.word(at - 1) == "pub" { at - 1 } else { at };
        if keyword >= 6 && self.word(keyword - 4) == "path" && self.word(keyword - 3) == "=" {
            return folder.join(self.word(keyword - 2).trim_matches('"'));
        }
        let stem = file.file_stem().unwrap_or_default();
        let mut inside = folder.to_owned();
        if stem != "lib" && stem != "main" && stem != "mod" {
            inside.push(stem);
        }
        // A block in a file has its own folder.
        let of_file =
            self.modules.iter().filter(|module| module.file == *file).map(|module| module.path.len());
        let depth = of_file.min().unwrap_or(0);
        inside.extend(&path[depth.min(path.len())..]);
        let plain = inside.join(format!("{name}.rs"));
        let nested = inside.join(name).join("mod.rs");
        if !(self.text_of)(&plain) && (self.text_of)(&nested) { nested } else { plain }
    }

    /// Reads the tree of an import, and returns its end.
    fn import(&mut self, module: usize, begin: usize, is_public: bool) -> usize {
        let end = (begin..self.all.len()).find(|&at| self.word(at) == ";").unwrap_or(self.all.len());
        let line = self.all.get(begin).map_or(0, |token| token.line);
        let words: Vec<&str> = self.all[begin..end].iter().map(|token| token.text).collect();
        let mut imports = Vec::new();
        tree(&words, &[], is_public, &mut imports);
        let module = &mut self.modules[module];
        module.mentions.extend(imports.iter().map(|import| Mention { path: import.path.clone(), line }));
        module.imports.extend(imports);
        end + 1
    }

    /// Reads the path that begins here, if any, and returns its end.
    fn mention(&mut self, module: usize, at: usize) -> usize {
        let begins = self.is_name(at) && self.word(at + 1) == "::" && (at == 0 || self.word(at - 1) != "::");
        if !begins {
            return at + 1;
        }
        let mut path = vec![self.word(at).to_owned()];
        let mut end = at + 1;
        while self.word(end) == "::" && self.is_name(end + 1) {
            path.push(self.word(end + 1).to_owned());
            end += 2;
        }
        let line = self.all[at].line;
        self.modules[module].mentions.push(Mention { path, line });
        end
    }
}

/// Adds all names of a tree of imports.
fn tree(words: &[&str], before: &[String], is_public: bool, imports: &mut Vec<Import>) {
    let mut path = before.to_vec();
    let mut name = None;
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        match word {
            "::" => {}
            "as" => {
                name = words.get(at + 1).map(|alias| (*alias).to_owned());
                at += 1;
            }
            "{" => {
                let inside = &words[at + 1..words.len().saturating_sub(1)];
                for branch in branches(inside) {
                    tree(branch, &path, is_public, imports);
                }
                return;
            }
            "self" if !before.is_empty() => {}
            "*" => name = Some("*".to_owned()),
            _ => path.push(word.to_owned()),
        }
        at += 1;
    }
    if let Some(name) = name.or_else(|| path.last().cloned()) {
        imports.push(Import { name, path, is_public });
    }
}

/// The parts between the commas outside inner braces.
fn branches<'a, 'b>(words: &'a [&'b str]) -> Vec<&'a [&'b str]> {
    let mut depth = 0_usize;
    let parts = words.split(|word| {
        match *word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *word == ","
    });
    parts.filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A library with the given files.
    pub(crate) fn library(name: &str, files: &[(&str, &str)]) -> Crate {
        let text_of =
            |path: &Path| files.iter().find(|(file, _)| path == Path::new(file)).map(|(_, text)| *text);
        Crate::read(name.to_owned(), true, Path::new("lib.rs"), text_of).unwrap()
    }

    fn words(path: &str) -> Vec<String> {
        path.split("::").map(str::to_owned).collect()
    }

    #[test]
    fn modules_are_found_in_files_blocks_and_named_places() {
        let found = library(
            "a",
            &[
                (
                    "lib.rs",
                    "mod b; pub mod c { pub mod d; } #[path = \"other.rs\"] mod e; #[cfg(test)] mod t;",
                ),
                ("b.rs", "mod f;"),
                ("b/f.rs", ""),
                ("c/d.rs", ""),
                ("other.rs", ""),
            ],
        );
        let mut paths: Vec<String> = (0..found.modules.len()).map(|module| found.path(module)).collect();
        paths.sort();
        assert_eq!(paths, ["b", "b::f", "c", "c::d", "crate", "e"]);
    }

    #[test]
    fn trees_of_imports_are_split() {
        let mut imports = Vec::new();
        let source = tokens("a::{self, b::{C, D as E}, f::*}");
        let texts: Vec<&str> = source.iter().map(|token| token.text).collect();
        tree(&texts, &[], false, &mut imports);
        let texts: Vec<String> =
            imports.iter().map(|import| format!("{} {}", import.name, import.path.join("::"))).collect();
        assert_eq!(texts, ["a a", "C a::b::C", "E a::b::D", "* a::f"]);
    }

    #[test]
    fn paths_are_followed_through_exports_to_the_definition() {
        let found = library(
            "a",
            &[
                ("lib.rs", "mod b; mod c; pub use b::*; pub use c::d::Thing as Other;"),
                ("b.rs", "pub use inner::Item; mod inner;"),
                ("b/inner.rs", "pub struct Item;"),
                ("c.rs", "pub mod d;"),
                ("c/d.rs", "pub(crate) enum Thing {}"),
            ],
        );
        let path = |path: &str, from: &str| {
            let from = (0..found.modules.len()).find(|module| found.path(*module) == from).unwrap();
            let path = words(path);
            found.resolve(from, &path).map(|target| found.path(target.module))
        };
        assert_eq!(path("crate::Item", "c").as_deref(), Some("b::inner"));
        assert_eq!(path("crate::Other::variant", "c").as_deref(), Some("c::d"));
        assert_eq!(path("super::super::b", "c::d").as_deref(), Some("b"));
        assert_eq!(path("std::fmt", "c"), None);
    }

    #[test]
    fn definitions_belong_to_the_module_itself() {
        let found = library(
            "a",
            &[(
                "lib.rs",
                "pub struct A { pub a: u8 } impl A { pub fn no(&self) {} } pub const fn f() {} pub(crate) fn g() {}
                 #[macro_export] macro_rules! m { () => {} } const _: () = ();",
            )],
        );
        let texts: Vec<String> = found.modules[0]
            .definitions
            .iter()
            .map(|found| format!("{} {} {}", found.kind, found.name, found.is_public))
            .collect();
        assert_eq!(texts, ["struct A true", "fn f true", "fn g false", "macro m true"]);
    }
}
