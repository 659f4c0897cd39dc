//! Aggregators: from scores to findings. [`by_model`](crate::by_model) stands by itself.
