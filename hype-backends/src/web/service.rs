//! The service behind the rater page: what happens to a rater's request, whatever brings it. No HTTP in here.

pub(crate) mod cached_session;
pub(crate) mod fault;
pub(crate) mod keys;
pub(crate) mod people;
pub(crate) mod pictures;
pub(crate) mod prepared;
pub(crate) mod present;
pub(crate) mod rater_service;
pub(crate) mod sessions;
pub(crate) mod traffic;
