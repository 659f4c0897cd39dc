//! Bayesian.
