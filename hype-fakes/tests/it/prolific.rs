//! The client of Prolific against its fake.

mod addresses_are_signed;
mod bonuses_are_paid_once;
mod every_call_does_what_markets_do;
mod faults_say_what_may_have_happened;
mod listings_follow_the_documents;
mod lists_are_read_whole;
mod nobody_is_named_in_errors;
mod random_faults_change_no_outcome;
mod requests_follow_the_document;
mod studies_are_created_once;
mod support;
mod webhooks_are_hints;
