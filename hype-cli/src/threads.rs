//! The option `--threads`.

use std::num::NonZeroUsize;

use super::failure::Failure;

pub(crate) fn threads(wanted: Option<usize>) -> Result<Option<NonZeroUsize>, Failure> {
    wanted
        .map(|threads| {
            NonZeroUsize::new(threads).ok_or_else(|| Failure::Message("--threads must be at least 1".into()))
        })
        .transpose()
}
