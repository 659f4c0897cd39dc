//! What goes over the wire between the page and the server, as `docs/PAGE.md` has it.

pub mod request;
pub mod screen;
