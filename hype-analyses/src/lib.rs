//! From scores to findings: aggregators, and the stopping rules of collections.
//!
//! | kind | part | source |
//! |---|---|---|
//! | `by_model` | aggregator | estimates, intervals and tests for each model |
//! | `grades` | aggregator | Scheffé 1952; ITU-T P.910: how much better one of two is |
//! | `contrast`, `elo` | aggregators | Bradley & Terry 1952, Davidson 1970; Elo 1978: votes between pairs |
//! | `ranking` | aggregator | Plackett 1975, Luce 1959: orders of models |
//! | `imagenhub` | aggregator | Ku et al. 2023: the paper's table |
//! | `agreement` | aggregator | Krippendorff, Fleiss, Cohen, ICC, Kendall: agreement of raters |
//! | `components` | aggregator | variance of raters, items and the rest; means with both random |
//! | `consensus` | aggregator | Dawid & Skene 1979, GLAD, MACE: one label for each item |
//! | `opinion` | aggregator | ITU-T P.800, P.910, P.913, ITU-R BT.500: opinion scores and the raters behind them |
//! | `spending` | stopping rule | Lan & DeMets 1983: a group-sequential test at declared looks |
//! | `width`, `betting` | stopping rules | Waudby-Smith et al. 2024; Waudby-Smith & Ramdas 2024: confidence sequences |
//!
//! This crate knows no task: it reads tables of scores, and recognizes some measures by name. It reads no clock, environment
//! variable, file or ambient randomness.

pub mod aggregators;
mod missing;
mod names;
mod numbers;
mod score_rows;
pub mod stopping;
