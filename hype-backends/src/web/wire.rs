//! The messages between the page and the server, as `docs/reference/protocol.md` describes them.
//!
//! The page's types (`page/contract.d.ts`) are generated from these by their JSON Schemas.

pub mod crowd;
pub mod operator;
pub mod refusal;
pub mod request;
pub mod screen;
pub mod status;
