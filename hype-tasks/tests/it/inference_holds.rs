//! Tests hold their level and intervals cover in the designs that people run, through the aggregators with their defaults.
//!
//! Each test simulates studies whose truth is known, aggregates them, and counts. Small versions run in `./test`; the sizes
//! of docs/measured/coverage.md are those with `HYPE_PROVE=1`, whose rows its tables repeat. Cells begin with their own seed:
//! none depends on the others.

mod against;
mod between;
mod categories;
mod cells;
mod classical;
mod clusters;
mod grades;
mod levels;
mod opinions;
mod plug_in;
mod population;
mod power;
mod rankings;
mod raters;
mod sides;
mod stopping;
mod studies;
mod thresholds;
mod unequal;
mod votes;
mod within;
