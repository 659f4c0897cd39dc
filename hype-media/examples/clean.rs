//! Rewrites folders of clips, one for each model, without what tells where they come from, and says what still differs.
//!
//! `cargo run -p hype-media --example clean -- clean/ gan/ diffusion/` writes `clean/gan/0001.mp4` and so on.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use hype_media::video::{ClipFacts, ClipSet, Rewriting, buckets, compare, probe, rewrite};

/// Clips with the paths of their originals.
type Clips = Vec<(PathBuf, Vec<u8>)>;

/// Rewrites the clips of a folder, in the order of their names.
fn rewritten(folder: &Path) -> Result<Clips, Box<dyn Error>> {
    let mut paths =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.sort();
    let clean = |path: PathBuf| {
        let bytes = fs::read(&path)?;
        let clip = rewrite(&path.display().to_string(), &bytes, Rewriting::default())?;
        Ok((path, clip))
    };
    paths.into_iter().map(clean).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [to, from @ ..] = &folders[..] else {
        return Err("name the folder to write, and those of the models".into());
    };
    let sets = from.iter().map(|folder| rewritten(folder)).collect::<Result<Vec<_>, _>>()?;
    // The length of a file is visible to all who load it: there are few lengths, which all models have in common.
    let lengths: Vec<u64> = sets.iter().flatten().map(|(_, clip)| clip.len() as u64).collect();
    let mut padded = buckets(&lengths).into_iter();
    let mut facts: Vec<Vec<ClipFacts>> = Vec::new();
    for (folder, clips) in from.iter().zip(&sets) {
        let name = folder.file_name().ok_or("a folder has a name")?;
        fs::create_dir_all(to.join(name))?;
        let mut of_set = Vec::new();
        for (path, clip) in clips {
            let shown = path.display().to_string();
            let options = Rewriting { pad_to: padded.next(), ..Rewriting::default() };
            let clip = rewrite(&shown, clip, options)?;
            of_set.push(probe(&shown, &clip)?);
            let file = path.with_extension("mp4");
            fs::write(to.join(name).join(file.file_name().ok_or("a clip has a name")?), clip)?;
        }
        facts.push(of_set);
    }
    let names: Vec<String> = from.iter().map(|folder| folder.display().to_string()).collect();
    let all: Vec<ClipSet<'_>> =
        names.iter().zip(&facts).map(|(name, clips)| ClipSet { name, clips }).collect();
    for (at, first) in all.iter().enumerate() {
        for difference in compare(*first, &all[at + 1..]) {
            let [one, other] = &difference.sets;
            let right = difference.accuracy * 100.0;
            println!(
                "{:?} tells {one} from {other} in {right:.0}% of the cases: {:?}",
                difference.feature, difference.values
            );
        }
    }
    Ok(())
}
