//! Stateful fakes of the platforms on which raters are recruited, on loopback, for tests and examples.
//!
//! A fake keeps what its platform keeps: listings, submissions, pools and money. It refuses what the platform refuses, has a
//! [clock](clock::FakeClock) that tests set, and breaks as platforms and networks break, by a [plan](faults::FaultPlan). It
//! decides nothing by chance or by real time: equal calls give equal answers.
//!
//! People can take part as well: a fake has a page for browsers at its address.
//!
//! A fake is used over loopback ([`serve`]) or, where thousands of exchanges are needed, without a socket ([`serve::exchange`]).

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests may panic"))]

pub mod clock;
mod desk;
pub mod faults;
pub mod mturk;
pub mod prolific;
pub mod serve;
