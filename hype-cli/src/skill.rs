//! `hype skill`: a short file that teaches coding agents to use this program.

use super::failure::Failure;
use super::output::print_bytes;

pub(crate) fn run() -> Result<(), Failure> {
    print_bytes(include_str!("skill.md").as_bytes())
}
