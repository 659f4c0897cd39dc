//! The service behind the rater page. It handles raters' requests and knows nothing of HTTP.

pub(crate) mod cached_session;
pub(crate) mod census;
pub(crate) mod entries;
pub(crate) mod fault;
pub(crate) mod health;
pub(crate) mod image_source;
pub(crate) mod keys;
pub(crate) mod observed_store;
pub(crate) mod panel;
pub(crate) mod panel_rules;
pub(crate) mod participants;
pub(crate) mod prepared;
pub(crate) mod present;
pub(crate) mod rater_service;
pub(crate) mod recruiting_control;
pub(crate) mod roster;
pub(crate) mod sessions;
pub(crate) mod traffic;
pub(crate) mod wording;
