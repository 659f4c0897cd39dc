//! Core of hype.
