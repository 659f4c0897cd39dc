//! hype
