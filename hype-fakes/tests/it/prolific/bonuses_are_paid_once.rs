//! Bonuses are paid in requests of 200, each of them sent once.

use hype_backends::crowd::platform::{PaymentOrder, Platform as _, Settlement};
use hype_fakes::faults::InjectedFault;
use hype_fakes::prolific::{BegunWork, ProlificSetup};

use super::support::{Lab, TOKEN, kind, market, order};

#[tokio::test]
async fn bonuses_of_201_people_take_two_requests() {
    let lab = Lab::new().await;
    let study = lab.study(201).await;
    let people = lab.finished(&study, 201);
    let orders: Vec<PaymentOrder> = people.iter().map(|person| order(person, 1_500_000)).collect();
    assert_eq!(kind(&lab.market.pay(&study, &orders).await.unwrap_err()), "refused");
    let sent = || lab.fake.requests().iter().filter(|label| label.contains("bonus")).count();
    assert_eq!(sent(), 0, "nothing was sent");
    for batch in orders.chunks(200) {
        lab.market.pay(&study, batch).await.unwrap();
    }
    assert_eq!(sent(), 4, "two set-ups, and a payment of each");
    let paid = lab.fake.paid();
    assert_eq!(paid.len(), 201);
    assert!(paid.values().all(|paid| paid.bonuses == [150]));
    assert_eq!(lab.market.payments(&study).await.unwrap().len(), 201);
}

#[tokio::test]
async fn simultaneous_payments_are_sent_one_after_the_other() {
    let lab = Lab::new().await;
    let study = lab.study(4).await;
    let orders: Vec<PaymentOrder> =
        lab.finished(&study, 4).iter().map(|person| order(person, 10_000)).collect();
    let pay = |index: usize| lab.market.pay(&study, &orders[index..=index]);
    let results = tokio::join!(pay(0), pay(1), pay(2), pay(3));
    assert_eq!(results, (Ok(()), Ok(()), Ok(()), Ok(())));
    let requests = lab.fake.requests();
    let bonuses: Vec<&str> =
        requests.iter().map(String::as_str).filter(|label| label.contains("bonus")).collect();
    let pair = ["POST submissions/bonus-payments/", "POST bulk-bonus-payments/{id}/pay/"];
    assert_eq!(bonuses, [pair; 4].concat());
}

#[tokio::test]
async fn a_payment_is_known_when_prolific_has_made_it() {
    let lab = Lab::with(ProlificSetup { bonus_delay_ms: 120_000, ..ProlificSetup::default() }).await;
    let study = lab.study(1).await;
    let person = lab.finished(&study, 1).remove(0);
    let order = order(&person, 750_000);
    lab.market.pay(&study, std::slice::from_ref(&order)).await.unwrap();
    assert_eq!(lab.market.settle(&study, std::slice::from_ref(&order)).await, Ok(vec![Settlement::Unknown]));
    lab.fake.clock().advance(120_000);
    assert_eq!(lab.market.settle(&study, std::slice::from_ref(&order)).await, Ok(vec![Settlement::Made]));
    let another = PaymentOrder { amount: hype_core::Amount(740_000), ..order };
    assert_eq!(
        lab.market.settle(&study, std::slice::from_ref(&another)).await,
        Ok(vec![Settlement::Unexplained]),
        "the amount decides"
    );
}

/// A bonus that no submission lists yet was paid if the study has cost exactly that much more than its submissions list.
#[tokio::test]
async fn the_cost_of_a_study_settles_what_is_unclear() {
    let setup = ProlificSetup { bonus_delay_ms: 120_000, costs_pending: true, ..ProlificSetup::default() };
    let lab = Lab::with(setup).await;
    let study = lab.study(3).await;
    let orders: Vec<PaymentOrder> =
        lab.finished(&study, 3).iter().map(|person| order(person, 500_000)).collect();
    lab.market.pay(&study, &orders[..1]).await.unwrap();
    lab.fake.clock().advance(120_000);
    lab.fake.faults().on("POST bulk-bonus-payments/{id}/pay/", InjectedFault::DroppedAfter);
    assert_eq!(kind(&lab.market.pay(&study, &orders[1..]).await.unwrap_err()), "unclear");
    assert_eq!(lab.market.settle(&study, &orders).await, Ok(vec![Settlement::Made; 3]));
    // One of two that were sent together would not account for the cost.
    assert_eq!(
        lab.market.settle(&study, &orders[..2]).await,
        Ok(vec![Settlement::Made, Settlement::Unknown])
    );
}

/// Prolific's quote for bonuses is compared with the plan before anything is paid.
#[tokio::test]
async fn bonuses_that_cost_something_else_are_not_paid() {
    for (fee_per_mille, what) in [(428, "the fee of another kind of customer"), (0, "no fee")] {
        let lab = Lab::with(ProlificSetup { fee_per_mille, ..ProlificSetup::default() }).await;
        let study = lab.study(2).await;
        let orders: Vec<PaymentOrder> =
            lab.finished(&study, 2).iter().map(|person| order(person, 1_500_000)).collect();
        let error = lab.market.pay(&study, &orders).await.unwrap_err();
        assert_eq!(kind(&error), "refused", "{what}: {error}");
        assert!(error.to_string().contains("`platform.customer`"), "{what}: {error}");
        assert!(lab.fake.paid().is_empty(), "{what}");
        assert!(!lab.fake.requests().iter().any(|label| label.ends_with("/pay/")), "{what}");
    }
}

/// A copy of a study, or a person, has paid before: whatever the amount, it is not a payment of this study.
#[tokio::test]
async fn a_bonus_that_was_never_sent_is_unexplained() {
    for lists_bonuses in [true, false] {
        let lab = Lab::with(ProlificSetup { lists_bonuses, ..ProlificSetup::default() }).await;
        let study = lab.study(3).await;
        let people = lab.finished(&study, 3);
        let never = |person: &BegunWork| PaymentOrder { sent_unix_ms: None, ..order(person, 500_000) };
        let orders: Vec<PaymentOrder> = people.iter().map(never).collect();
        lab.market.pay(&study, &orders[..1]).await.unwrap();
        lab.market
            .pay(&study, &[PaymentOrder { amount: hype_core::Amount(10_000), ..orders[1].clone() }])
            .await
            .unwrap();
        use Settlement::{Unexplained, Unknown};
        let said = lab.market.settle(&study, &orders).await;
        assert_eq!(said, Ok(vec![Unexplained, Unexplained, Unknown]));
        for (order, said) in orders.iter().zip(said.unwrap()) {
            let alone = lab.market.settle(&study, std::slice::from_ref(order)).await;
            assert_eq!(alone, Ok(vec![said]));
        }
    }
}

/// Between the last question about bonuses and the request that pays them is one request. In this window a copy of the study can pay
/// the same bonuses unseen; before it, it is seen.
#[tokio::test]
async fn a_copy_is_unseen_in_the_window_of_one_request() {
    const SET_UP: &str = "POST submissions/bonus-payments/";
    const PAY: &str = "POST bulk-bonus-payments/{id}/pay/";
    let lab = Lab::new().await;
    let study = lab.study(2).await;
    let never = |person: &BegunWork| PaymentOrder { sent_unix_ms: None, ..order(person, 500_000) };
    let orders: Vec<PaymentOrder> = lab.finished(&study, 2).iter().map(never).collect();
    let url = lab.served.as_ref().unwrap().url();
    let copy = market(&url, TOKEN, lab.transport(), &lab.waiting);
    let free = Ok(vec![Settlement::Unknown; 2]);
    assert_eq!(lab.market.settle(&study, &orders).await, free);
    let before = lab.fake.requests().len();
    lab.market.pay(&study, &orders).await.unwrap();
    assert_eq!(lab.fake.requests()[before..], [SET_UP, PAY]);
    assert_eq!(copy.settle(&study, &orders).await, Ok(vec![Settlement::Unexplained; 2]), "it is seen");

    let lab = Lab::new().await;
    let study = lab.study(2).await;
    let orders: Vec<PaymentOrder> = lab.finished(&study, 2).iter().map(never).collect();
    let url = lab.served.as_ref().unwrap().url();
    let copy = market(&url, TOKEN, lab.transport(), &lab.waiting);
    assert_eq!(lab.market.settle(&study, &orders).await, free);
    assert_eq!(copy.settle(&study, &orders).await, free);
    for one in [&lab.market, &copy] {
        one.pay(&study, &orders).await.unwrap();
    }
    assert!(lab.fake.paid().values().all(|paid| paid.bonuses == [50, 50]), "Prolific pays each request");
}

#[tokio::test]
async fn people_who_took_no_part_get_nothing() {
    let lab = Lab::new().await;
    let study = lab.study(1).await;
    let person = lab.finished(&study, 1).remove(0);
    let stranger = PaymentOrder { submission: "5f3a00000000000000000000".into(), ..order(&person, 10_000) };
    let error = lab.market.pay(&study, &[order(&person, 10_000), stranger]).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Prolific refused to set up bonuses: status 400 (Bad request: These ids took no part: …)"
    );
    assert!(lab.fake.paid().is_empty(), "all of them are paid or none");
}
