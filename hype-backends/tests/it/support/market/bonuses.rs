//! Bonuses of the platform in memory: made, listed, and watched for those that are made twice.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hype_backends::crowd::platform::*;
use hype_core::Amount;

use super::{DAY_MS, Fault, Kind, Late, TestMarket, Venue};

/// A bonus that was made.
#[derive(Debug)]
pub(super) struct Bonus {
    pub(super) submission: Arc<str>,
    pub(super) amount: Amount,
    pub(super) token: Arc<str>,
    /// When it was made: the time, and the number of the request.
    pub(super) made_ms: u64,
    pub(super) request: u32,
}

/// A bonus for work that had one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Double {
    pub(crate) submission: Arc<str>,
    /// Whether its client could see the other one when it asked for bonuses last.
    pub(crate) was_seen: bool,
}

/// The bonuses that tests watch, and the settings by which they let the platform treat them.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// How long after it was made a bonus is listed, in milliseconds.
    listed_after_ms: u64,
    /// The number of the latest request by which each client has asked for bonuses, and how many it has made since.
    asked: BTreeMap<u32, u32>,
    since_asked: BTreeMap<u32, u32>,
    /// The most requests between asking and paying.
    widest: u32,
    /// How many requests for bonuses are under way, and how many came while another one was.
    paying: u32,
    overlaps: u32,
    /// Bonuses for work that had one.
    doubles: Vec<Double>,
    /// The faults of the next requests that change something.
    pub(super) script: VecDeque<Fault>,
    /// Whether requests of several clients are mixed.
    is_mixed: bool,
    /// Whether each request pays one bonus.
    pub(super) pays_singly: bool,
}

impl TestMarket {
    /// Another client of the platform, such as a copy of a study.
    pub(crate) fn client(&self, client: u32) -> Self {
        Self { venue: Arc::clone(&self.venue), client }
    }

    /// Mixes the requests of several clients from now on.
    pub(crate) fn mix(&self) {
        self.venue().watched.is_mixed = true;
    }

    /// Lets these things happen to the next requests that change something, in this order.
    pub(crate) fn script(&self, faults: impl IntoIterator<Item = Fault>) {
        self.venue().watched.script.extend(faults);
    }

    /// Takes one bonus in each request.
    pub(crate) fn pay_singly(&self) {
        self.venue().watched.pays_singly = true;
    }

    /// Bonuses are listed so long after they were made.
    pub(crate) fn list_after(&self, ms: u64) {
        self.venue().watched.listed_after_ms = ms;
    }

    /// Bonuses for work that had one.
    pub(crate) fn doubles(&self) -> Vec<Double> {
        self.venue().watched.doubles.clone()
    }

    /// How many requests for bonuses came while another one was under way.
    pub(crate) fn overlaps(&self) -> u32 {
        self.venue().watched.overlaps
    }

    /// The most requests that a client has made after it asked for bonuses and before it paid some.
    pub(crate) fn widest_window(&self) -> u32 {
        self.venue().watched.widest
    }

    /// A request arrives; before it, those of other clients may.
    pub(super) async fn arrive(&self) {
        let is_mixed = {
            let watched = &mut self.venue().watched;
            *watched.since_asked.entry(self.client).or_default() += 1;
            watched.is_mixed
        };
        if is_mixed {
            tokio::task::yield_now().await;
        }
    }

    /// Reads bonuses.
    pub(super) async fn ask<T>(&self, read: impl FnOnce(&Venue) -> T) -> Result<T, PlatformError> {
        let asked = self.read(read).await?;
        let mut platform = self.venue();
        let request = platform.requests;
        platform.watched.asked.insert(self.client, request);
        platform.watched.since_asked.insert(self.client, 0);
        Ok(asked)
    }

    /// Pays bonuses: the request arrives, and is carried out some time later.
    pub(super) async fn pay_bonuses(&self, orders: &[PaymentOrder]) -> Result<(), PlatformError> {
        let asked = {
            let mut platform = self.venue();
            let since = platform.watched.since_asked.get(&self.client).copied().unwrap_or(u32::MAX);
            platform.watched.widest = platform.watched.widest.max(since);
            platform.watched.overlaps += u32::from(platform.watched.paying > 0);
            platform.watched.paying += 1;
            platform.watched.asked.get(&self.client).copied().unwrap_or_default()
        };
        self.arrive().await;
        let paid = self.changed("pay a bonus", Late::Pay(orders.to_vec(), asked));
        self.venue().watched.paying -= 1;
        paid
    }
}

impl Venue {
    pub(super) fn pay(&mut self, order: &PaymentOrder, asked: u32) {
        let (token, submission) = (Arc::clone(&order.token), Arc::clone(&order.submission));
        let is_used = |at: &u64| self.now - at < DAY_MS;
        if self.kind == Kind::Tokens && self.tokens.get(&token).is_some_and(is_used) {
            return;
        }
        let mut others = self.bonuses.iter().filter(|bonus| bonus.submission == submission).peekable();
        if others.peek().is_some() {
            let was_seen = others.any(|other| other.request <= asked && self.lists(other));
            self.watched.doubles.push(Double { submission: Arc::clone(&submission), was_seen });
        }
        self.tokens.insert(Arc::clone(&token), self.now);
        self.reasons.insert(Arc::clone(&submission), Arc::clone(&order.reason));
        let (made_ms, request) = (self.now, self.requests);
        self.bonuses.push(Bonus { submission, amount: order.amount, token, made_ms, request });
    }

    /// Settles an order by the lists of bonuses.
    pub(super) fn settlement(&self, order: &PaymentOrder) -> Settlement {
        let listed: Vec<&Bonus> =
            self.listed().filter(|bonus| bonus.submission == order.submission).collect();
        let is_there = |is_it: &dyn Fn(&Bonus) -> bool| {
            listed.iter().any(|bonus| is_it(bonus) && bonus.amount == order.amount)
        };
        let is_marked = |bonus: &Bonus| bonus.token == order.token;
        match self.kind {
            Kind::Tokens if is_there(&is_marked) => Settlement::Made,
            Kind::Tokens if listed.iter().any(|bonus| is_marked(bonus)) => Settlement::Unexplained,
            Kind::Tokens => Settlement::NotMade,
            Kind::Blind if listed.is_empty() => Settlement::Unknown,
            Kind::Blind if order.sent_unix_ms.is_some() && is_there(&|_| true) => Settlement::Made,
            Kind::Blind => Settlement::Unexplained,
        }
    }

    /// Whether a bonus is listed by now.
    fn lists(&self, bonus: &Bonus) -> bool {
        self.now >= bonus.made_ms + self.watched.listed_after_ms
    }

    pub(super) fn listed(&self) -> impl Iterator<Item = &Bonus> {
        self.bonuses.iter().filter(|bonus| self.lists(bonus))
    }
}
