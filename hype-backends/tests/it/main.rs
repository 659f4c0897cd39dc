//! Behaviour of backends, with one module for each.

#![allow(dead_code, clippy::unwrap_used, reason = "tests")]

#[cfg(feature = "web")]
mod backends_take_turns;
mod collections_block_no_runtime;
#[cfg(feature = "crowd")]
mod copies_pay_nothing_twice;
#[cfg(feature = "web")]
mod downloads_are_estimated;
#[cfg(feature = "web")]
mod exchanges_are_current;
#[cfg(feature = "schemas")]
mod hostile_reports_change_nothing;
mod instructions_reach_raters;
#[cfg(feature = "web")]
mod large_images_are_reported;
mod local_collections;
#[cfg(feature = "crowd")]
mod money_follows_decisions;
mod money_is_paid_once;
#[cfg(feature = "crowd")]
mod money_is_paid_once_by_copies;
#[cfg(feature = "web")]
mod nothing_betrays_the_answer;
#[cfg(feature = "web")]
mod operators_act;
#[cfg(feature = "web")]
mod operators_are_alerted;
#[cfg(feature = "crowd")]
mod operators_recruit;
#[cfg(feature = "web")]
mod operators_see_counts;
#[cfg(feature = "web")]
mod operators_see_faults;
#[cfg(feature = "schemas")]
mod page_contract;
#[cfg(feature = "tls")]
mod pages_over_https;
#[cfg(feature = "web")]
mod panels_and_their_frames;
#[cfg(feature = "web")]
mod panels_and_their_people;
#[cfg(feature = "crowd")]
mod people_are_told_apart;
#[cfg(feature = "crowd")]
mod platforms_know_who_took_part;
#[cfg(all(unix, feature = "tls"))]
mod proxies_change_nothing;
#[cfg(feature = "web")]
mod raters_among_attackers;
mod raters_go_one_step_back;
#[cfg(feature = "crowd")]
mod recruiters_lose_nobody;
#[cfg(feature = "crowd")]
mod reports_of_a_panel_are_hints;
mod scripted_raters;
#[cfg(feature = "web")]
mod stopping_rules_close_the_page;
#[cfg(feature = "web")]
mod strangers_cannot_use_up_a_study;
mod strangers_get_nothing;
#[cfg(feature = "crowd")]
mod unknown_work_is_held;
#[cfg(feature = "crowd")]
mod waiting_is_paid;
#[cfg(feature = "crowd")]
mod waiting_raters_begin;
#[cfg(feature = "web")]
mod web_sessions;

#[cfg(feature = "web")]
#[path = "support/connection.rs"]
mod connection;
#[cfg(feature = "web")]
#[path = "support/counting_store.rs"]
mod counting_store;
#[cfg(feature = "crowd")]
#[path = "support/crashing_store.rs"]
mod crashing_store;
#[cfg(feature = "web")]
#[path = "support/discrimination.rs"]
mod discrimination;
#[cfg(feature = "web")]
#[path = "support/features.rs"]
mod features;
#[cfg(feature = "web")]
#[path = "support/fixture.rs"]
mod fixture;
#[cfg(feature = "crowd")]
#[path = "support/held_open.rs"]
mod held_open;
#[cfg(feature = "web")]
#[path = "support/http_client.rs"]
mod http_client;
#[path = "support/learner.rs"]
mod learner;
#[path = "support/logs.rs"]
mod logs;
#[cfg(feature = "crowd")]
#[path = "support/market.rs"]
mod market;
#[cfg(feature = "web")]
#[path = "support/originals.rs"]
mod originals;
#[path = "../../../tests/it/support/proof.rs"]
mod proof;
#[cfg(all(unix, feature = "tls"))]
#[path = "support/proxy.rs"]
mod proxy;
#[cfg(feature = "crowd")]
#[path = "support/recruited.rs"]
mod recruited;
#[cfg(feature = "web")]
#[path = "support/secrets.rs"]
mod secrets;
#[cfg(feature = "web")]
#[path = "support/served_study.rs"]
mod served_study;
#[cfg(feature = "web")]
#[path = "../../../hype-store/tests/it/support/server.rs"]
mod server;
#[path = "support/small_task.rs"]
mod small_task;
#[cfg(feature = "schemas")]
#[path = "support/typescript.rs"]
mod typescript;
