//! Times the masks of a whole study, from image files to masks in a folder: 64 of 256 x 256 pixels at 25 iterations, aim
//! 30 seconds on two cores in grey. Each count runs once in a separate process, where peak memory
//! is measured separately.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use hype_images::sample::{Process, draw};
use hype_images::{
    Encoding, MaskKind, MaskOrder, Original, Picture, PrepareRule, encode, inspect, make_masks, prepare,
};

const SIDE: u32 = 256;
const ITERATIONS: u32 = 25;

/// The argument by which the benchmark starts itself for one case.
const CASE: &str = "--case";

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [first, colours, count] if first == CASE => one(colours, count),
        _ => all(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn all() -> Result<(), Failure> {
    println!("masks of {SIDE} x {SIDE} pixels, {ITERATIONS} iterations, two threads");
    for (colours, counts) in [("grey", [16, 64].as_slice()), ("colour", &[16])] {
        for count in counts {
            let case = [CASE, colours, &count.to_string()].map(str::to_owned);
            let status =
                Command::new(std::env::current_exe()?).args(case).env("RAYON_NUM_THREADS", "2").status()?;
            if !status.success() {
                return Err("a case failed".into());
            }
        }
    }
    Ok(())
}

fn one(colours: &str, count: &str) -> Result<(), Failure> {
    let count: u64 = count.parse()?;
    let folder = tempfile::tempdir()?;
    let mut originals = Vec::new();
    for index in 0..count {
        let path = folder.path().join(format!("{index:04}.png"));
        let picture = draw(Process::Real, index, 7, SIDE)?;
        let picture = if colours == "grey" { grey(&picture) } else { picture };
        std::fs::write(&path, encode(&picture, Encoding::Png))?;
        let digest = inspect(&path)?.digest;
        originals.push(Original { name: format!("{index:04}.png").into(), path, digest });
    }
    let quiet = |_: usize| {};
    let sources = prepare(&originals, &PrepareRule::default(), &folder.path().join("prepared"), &quiet)?;
    let orders: Vec<MaskOrder<'_>> =
        sources.iter().zip(0..).map(|(source, seed)| MaskOrder { source, seed }).collect();
    let before = peak();
    let begun = Instant::now();
    let masks = make_masks(
        &orders,
        MaskKind::PortillaSimoncelli { iterations: ITERATIONS },
        Encoding::Png,
        &folder.path().join("masks"),
        &quiet,
    )?;
    let took = begun.elapsed().as_secs_f64();
    println!(
        "{colours}: {} masks in {took:.1} s, {:.0} ms each; peak {} MiB, {} before",
        masks.len(),
        1e3 * took / masks.len() as f64,
        peak(),
        before
    );
    Ok(())
}

/// The mean of each pixel's levels.
fn grey(picture: &Picture) -> Picture {
    let (pixels, _) = picture.pixels().as_chunks::<3>();
    let width = picture.width();
    Picture::from_fn(picture.size(), |x, y| {
        let sum: u32 = pixels[(y * width + x) as usize].iter().map(|&level| u32::from(level)).sum();
        [(sum / 3) as u8; 3]
    })
}

/// The peak resident memory of this process, in MiB; 0 if the system does not report it.
fn peak() -> u64 {
    let status = std::fs::read_to_string(Path::new("/proc/self/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib =
        line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|kib| kib.trim().parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
