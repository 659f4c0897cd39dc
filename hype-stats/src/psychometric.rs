//! Psychometric functions.
