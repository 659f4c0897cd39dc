//! `hype demo`: a study that needs no file, from its images to its report.

use std::fs;

use clap::Parser as _;

use super::args::{Arguments, Command, DemoArguments, NewTask};
use super::failure::Failure;
use super::new;
use super::run;
use super::terminal;

/// Images of each set, and the width and height of one in pixels.
const IMAGES: u32 = 24;
const SIZE: u32 = 96;

/// How many synthetic raters judge each pair of models on each image, one after the other: as many as take some seconds to a minute.
const RATERS: u32 = 20;

pub(crate) fn run(arguments: &DemoArguments) -> Result<(), Failure> {
    let spec = new::draw(&arguments.folder, NewTask::Contrast, IMAGES, SIZE)?;
    let text = fs::read_to_string(&spec).map_err(|error| Failure::about(&spec, &error))?;
    // Another study may be served at the usual address.
    let text = text.replace("127.0.0.1:7850", "127.0.0.1:0");
    fs::write(&spec, text).map_err(|error| Failure::about(&spec, &error))?;
    terminal::report(format_args!(
        "{} compares three models by images that this program drew. Synthetic raters answer through the page; open the address of \
         the operator to watch them, or the address for raters to see what people see.",
        spec.display()
    ));
    let spec = spec.display().to_string();
    let raters = format!("--simulate={RATERS}");
    match Arguments::parse_from(["hype", "run", &*spec, &*raters, "--threads=1"]).command {
        Command::Run(arguments) => run::run(&arguments),
        _ => Ok(()),
    }
}
