//! Temporary.
/// E
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// S
    #[error("size")]
    Size {
        /// s
        size: u32,
        /// l
        least: u32,
        /// m
        most: u32,
    },
    /// W
    #[error("w {path}")]
    Write {
        /// p
        path: String,
        /// s
        source: std::io::Error,
    },
}
