//! HTTP in front of the services: routes, the page's files, TLS, the operator's page, and synthetic visitors.

mod assets;
mod body;
mod client;
pub(crate) mod companion;
mod connections;
pub(crate) mod operator;
mod origin;
mod policy;
pub(crate) mod serve;
pub(crate) mod server;
mod source;
mod streamed;
pub(crate) mod tls;
pub(crate) mod visitor;
