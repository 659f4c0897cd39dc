//! Lists the files of the rater page, which are embedded in the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=page/assets");
    let (Some(root), Some(out)) = (env::var_os("CARGO_MANIFEST_DIR"), env::var_os("OUT_DIR")) else {
        return Err(io::Error::other("cargo has not set CARGO_MANIFEST_DIR and OUT_DIR"));
    };
    let assets = PathBuf::from(root).join("page").join("assets");
    let mut files = Vec::new();
    if env::var_os("CARGO_FEATURE_WEB").is_some() {
        list(&assets, &mut files)?;
        files.sort();
    }
    let mut text = String::from("static ASSETS: &[Asset] = &[\n");
    for file in files {
        let name = file.strip_prefix(&assets).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let kind = match file.extension().and_then(|extension| extension.to_str()) {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("json") => "application/json",
            Some("svg") => "image/svg+xml",
            _ => {
                return Err(io::Error::other(format!(
                    "{name}: unknown kind of file, expected a module, a style sheet, a locale or an icon"
                )));
            }
        };
        let _ = writeln!(
            text,
            "    Asset {{ name: {name:?}, kind: {kind:?}, bytes: include_bytes!({file:?}) }},"
        );
    }
    text.push_str("];\n");
    fs::write(PathBuf::from(out).join("assets.rs"), text)
}

fn list(folder: &Path, into: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { list(&path, into)? } else { into.push(path) }
    }
    Ok(())
}
