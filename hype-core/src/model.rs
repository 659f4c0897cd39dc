//! The data of studies: what is shown, what was answered and what was found. No decisions are made here.

pub mod action;
pub mod answer;
pub mod bounds;
pub mod check;
pub mod digest;
pub mod event;
pub mod facet;
pub mod findings;
pub mod guidance;
pub mod hex;
pub mod ids;
pub mod inspection;
pub mod item;
pub mod labels;
pub mod ledger;
pub mod media;
mod names;
pub mod note;
pub mod output_facts;
pub mod played;
pub mod record;
pub mod score;
pub mod stimulus;
pub mod time;
pub mod trial;
pub mod units;
