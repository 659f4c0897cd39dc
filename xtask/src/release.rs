//! `cargo xtask release`: programs that are handed out, as archives with completions and manual pages, their digests and a bill of
//! materials. Two builds of one commit give the same bytes.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The folder of a release.
const FOLDER: &str = "target/release-files";

const SHELLS: [&str; 3] = ["bash", "fish", "zsh"];

/// Builds for the processors that are named, or for x86-64.
pub(crate) fn run(root: &Path, arguments: &mut dyn Iterator<Item = String>) -> Result<(), String> {
    let mut processors: Vec<String> = arguments.collect();
    if processors.is_empty() {
        processors.push("x86_64".to_owned());
    }
    let folder = root.join(FOLDER);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let native = printed(root, "scripts/build-program", &["x86_64"])?;
    for processor in &processors {
        let program = printed(root, "scripts/build-program", &[processor])?;
        archive(root, &folder, processor, &program, &native)?;
    }
    let version = env!("CARGO_PKG_VERSION");
    let bill = bill_of_materials(version, &printed(root, "cargo", &TREE)?);
    write(&folder.join(format!("hype-{version}.cdx.json")), &bill)?;
    fs::copy(root.join("scripts/install"), folder.join("install"))
        .map_err(|error| format!("scripts/install: {error}"))?;
    let mut names: Vec<String> = fs::read_dir(&folder)
        .map_err(|error| error.to_string())?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let sums = printed(&folder, "sha256sum", &names)?;
    write(&folder.join("SHA256SUMS"), &format!("{sums}\n"))?;
    println!("{sums}");
    Ok(())
}

/// The parts of the program, one crate a line.
const TREE: [&str; 11] = [
    "tree",
    "--locked",
    "--package=hype-cli",
    "--features=dist",
    "--edges=normal",
    "--target=x86_64-unknown-linux-musl",
    "--prefix=none",
    "--no-dedupe",
    "--color=never",
    "--format",
    "{p}|{l}",
];

/// Packs a program with its completions and manual pages, which the program of this machine prints.
fn archive(root: &Path, folder: &Path, processor: &str, program: &str, native: &str) -> Result<(), String> {
    let name = format!("hype-{}-{processor}-linux", env!("CARGO_PKG_VERSION"));
    let inside = folder.join(&name);
    for part in ["completions", "man/man1"] {
        fs::create_dir_all(inside.join(part)).map_err(|error| format!("{name}/{part}: {error}"))?;
    }
    for (from, to) in [(Path::new(program), "hype"), (&root.join("README.md"), "README.md")] {
        fs::copy(from, inside.join(to)).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root.join(licence), inside.join(licence)).map_err(|error| format!("{licence}: {error}"))?;
    }
    for shell in SHELLS {
        let script = printed(root, native, &["completions", shell])?;
        write(&inside.join("completions").join(format!("hype.{shell}")), &format!("{script}\n"))?;
    }
    let help = printed(root, native, &["--help"])?;
    let commands = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let commands = commands.take_while(|line| line.starts_with("  ")).filter_map(|line| {
        let name = line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?;
        name.split(' ').next().filter(|name| *name != "help")
    });
    write(&inside.join("man/man1/hype.1"), &printed(root, native, &["man"])?)?;
    for command in commands {
        let page = printed(root, native, &["man", command])?;
        write(&inside.join(format!("man/man1/hype-{command}.1")), &page)?;
    }
    // No time, no owner and no order of this machine.
    let tar = format!(
        "tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -cf - {name} | gzip -9n > {name}.tar.gz"
    );
    printed(folder, "sh", &["-c", &tar])?;
    fs::remove_dir_all(&inside).map_err(|error| format!("{name}: {error}"))
}

/// A bill of materials in CycloneDX 1.5: the crates in the program, with versions, licences and where they are from. It names no
/// folder and no time.
fn bill_of_materials(version: &str, tree: &str) -> String {
    let mut crates: Vec<&str> = tree.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    crates.sort_unstable();
    crates.dedup();
    let mut known = Vec::new();
    let mut text = format!(
        "{{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n  \"metadata\": {{ \"component\": \
         {{ \"type\": \"application\", \"name\": \"hype\", \"version\": \"{version}\", \"bom-ref\": \"hype\" }} }},\n  \
         \"components\": ["
    );
    for line in crates {
        let (named, licence) = line.split_once('|').unwrap_or((line, ""));
        let mut words = named.split(' ');
        let (Some(name), Some(version)) = (words.next(), words.next()) else { continue };
        let version = version.trim_start_matches('v');
        if known.contains(&(name, version)) {
            continue;
        }
        let comma = if known.is_empty() { "" } else { "," };
        known.push((name, version));
        let is_own = named.contains("(/") || named.contains('\\');
        let address = format!("pkg:cargo/{name}@{version}");
        let licence = licence.replace('/', " OR ").replace("  ", " ");
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{comma}\n    {{ \"type\": \"library\", \"name\": \"{name}\", \"version\": \"{version}\", \"bom-ref\": \"{address}\"{}{} }}",
            if is_own { String::new() } else { format!(", \"purl\": \"{address}\"") },
            match licence.trim() {
                "" => String::new(),
                licence => format!(", \"licenses\": [{{ \"expression\": \"{licence}\" }}]"),
            }
        );
    }
    text.push_str("\n  ]\n}\n");
    text
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the output of a program, without the end of its last line.
fn printed(folder: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let program = if program.starts_with("scripts/") { folder.join(program) } else { program.into() };
    let shown = program.display();
    let output = Command::new(&program)
        .args(arguments)
        .current_dir(folder)
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| format!("{shown}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{shown} {} failed", arguments.join(" ")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_of_materials_names_each_crate_once_and_no_folder() {
        let tree = "hype-cli v0.1.0 (/home/me/hype/hype-cli)|MIT OR Apache-2.0\nserde v1.0.2|MIT/Apache-2.0\nserde v1.0.2|MIT/Apache-2.0\n";
        let bill = bill_of_materials("0.1.0", tree);
        assert!(!bill.contains("/home"), "{bill}");
        assert_eq!(bill.matches("\"purl\": \"pkg:cargo/serde@1.0.2\"").count(), 1, "{bill}");
        assert!(
            bill.contains("MIT OR Apache-2.0") && !bill.contains("pkg:cargo/hype-cli@0.1.0\", \"purl"),
            "{bill}"
        );
        assert_eq!(bill.matches('{').count(), bill.matches('}').count());
    }
}
