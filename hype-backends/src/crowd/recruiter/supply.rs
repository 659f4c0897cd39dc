//! How many places a study has to offer at the platform: a pure function of its places, listings and submissions.

use std::collections::BTreeMap;

use hype_core::protocol::ledger::Listing;

use super::work::Work;
use crate::crowd::platform::{PlatformLimits, SubmissionState};

/// A change of what is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    /// A listing offers this many places, with those that are taken.
    Resize { listing: u32, places: u32 },
    /// A new listing does.
    Create { listing: u32, places: u32 },
}

/// The places that may still be filled through the listings: those not taken yet, and those of people who are at work.
pub(super) fn supply(limits: PlatformLimits, listings: &BTreeMap<u32, Listing>, work: &[Work]) -> u32 {
    let open = listings.iter().filter(|(_, listing)| !listing.is_closed);
    let free =
        |(number, listing): (&u32, &Listing)| listing.places.saturating_sub(taken(limits, *number, work));
    let free: u32 = open.map(free).sum();
    let at_work = work.iter().filter(|work| {
        let is_busy = work.submission.as_ref().is_some_and(|one| match one.state {
            SubmissionState::Working | SubmissionState::Unknown => true,
            SubmissionState::ToReview => work.session.is_some(),
            _ => false,
        });
        let is_over = work.session.as_ref().is_some_and(|session| session.ending.is_some());
        is_busy && !is_over
    });
    free.saturating_add(u32::try_from(at_work.count()).unwrap_or(u32::MAX))
}

/// The places of a listing that are taken.
pub(super) fn taken(limits: PlatformLimits, listing: u32, work: &[Work]) -> u32 {
    let holds = |state: SubmissionState| match state {
        SubmissionState::Rejected => !limits.reopens_rejected,
        state => !state.is_gone(),
    };
    let taken = work.iter().filter(|work| {
        let holds = work.submission.as_ref().is_some_and(|one| holds(one.state));
        work.listing == Some(listing) && holds
    });
    u32::try_from(taken.count()).unwrap_or(u32::MAX)
}

/// How `more` places are offered: by the listings that have room, then by new ones.
pub(super) fn offers(listings: &BTreeMap<u32, Listing>, mut more: u32, at_most: u32) -> Vec<Offer> {
    let mut offers = Vec::new();
    for (&listing, known) in listings.iter().filter(|(_, known)| !known.is_closed) {
        let added = at_most.saturating_sub(known.places).min(more);
        if added > 0 {
            offers.push(Offer::Resize { listing, places: known.places + added });
            more -= added;
        }
    }
    let mut listing = listings.last_key_value().map_or(0, |(last, _)| last + 1);
    while more > 0 {
        let places = at_most.min(more);
        offers.push(Offer::Create { listing, places });
        more -= places;
        listing += 1;
    }
    offers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listings(places: &[(u32, bool)]) -> BTreeMap<u32, Listing> {
        let listing = |&(places, is_closed): &(u32, bool)| Listing {
            mark: "mark".into(),
            id: Some("id".into()),
            places,
            is_closed,
        };
        (0..).zip(places.iter().map(listing)).collect()
    }

    #[test]
    fn places_are_offered_by_listings_with_room_and_then_by_new_ones() {
        use Offer::{Create, Resize};
        assert_eq!(
            offers(&listings(&[(9, false), (7, false), (3, true)]), 12, 9),
            [
                Resize { listing: 1, places: 9 },
                Create { listing: 3, places: 9 },
                Create { listing: 4, places: 1 }
            ]
        );
        assert_eq!(offers(&listings(&[]), 60, u32::MAX), [Create { listing: 0, places: 60 }]);
        assert_eq!(offers(&listings(&[(60, false)]), 3, u32::MAX), [Resize { listing: 0, places: 63 }]);
        assert_eq!(offers(&listings(&[(9, false)]), 0, 9), []);
    }
}
