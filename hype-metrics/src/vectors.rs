//! Loops in the widest vector instructions that the processor has.

/// Runs a loop, whose functions have to be inlined into it.
#[cfg(feature = "linalg")]
#[inline]
pub(crate) fn vectorized<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// Runs a loop with the instructions that every processor of its kind has.
#[cfg(not(feature = "linalg"))]
#[inline]
pub(crate) fn vectorized<R>(work: impl FnOnce() -> R) -> R {
    work()
}
