//! The services behind the rater page. They handle requests and know nothing of HTTP.
//!
//! The five services are [`entry`], [`trial`], [`images`], [`operator`] and [`panel`]. They share the [`context`], the
//! [`running`] study with its [`places`], and one cache of [`sessions`].

pub(crate) mod cached_session;
pub(crate) mod census;
pub(crate) mod context;
pub(crate) mod entries;
pub(crate) mod entry;
pub(crate) mod fault;
pub(crate) mod haste;
pub(crate) mod health;
pub(crate) mod image_source;
pub(crate) mod images;
pub(crate) mod keys;
pub(crate) mod observed_store;
pub(crate) mod operator;
pub(crate) mod panel;
pub(crate) mod panel_ids;
pub(crate) mod panel_rules;
pub(crate) mod participants;
pub(crate) mod places;
pub(crate) mod prepared;
pub(crate) mod present;
pub(crate) mod recruiting_control;
pub(crate) mod rests;
pub(crate) mod roster;
pub(crate) mod running;
pub(crate) mod services;
pub(crate) mod sessions;
pub(crate) mod traffic;
pub(crate) mod trial;
pub(crate) mod vacancies;
pub(crate) mod wording;
