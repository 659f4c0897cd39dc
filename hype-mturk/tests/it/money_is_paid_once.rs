use hype_backends::crowd::platform::*;
use hype_core::Amount;

use crate::bench::{Bench, CENT, HOUR_MS, worker};

#[tokio::test]
async fn a_token_pays_once_within_a_day() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 1).await;
    bench.hand_in(&hit, &worker(0));
    let order = bench.order(&bench.submission(&hit, &worker(0)).await, "token", 150);
    let orders = [order.clone()];
    bench.market.pay(&hit, &orders).await.unwrap();
    bench.clock.advance(24 * HOUR_MS - 1);
    bench.market.pay(&hit, &orders).await.unwrap();
    assert_eq!(bench.fake.paid().bonuses.len(), 1);
    // Then the service forgets the token. Asking before sending reveals that it was paid.
    bench.clock.advance(1);
    assert_eq!(bench.market.settle(&hit, std::slice::from_ref(&order)).await, Ok(vec![Settlement::Made]));
    bench.market.pay(&hit, &orders).await.unwrap();
    assert_eq!(bench.fake.paid().bonuses.len(), 2);
    bench.passes();
}

/// Two copies of a study name their sessions in the same way, and with them the tokens of payments.
#[tokio::test]
async fn tokens_of_other_payments_prove_no_payment() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 2).await;
    bench.hand_in(&hit, &worker(0));
    bench.hand_in(&hit, &worker(1));
    let first = bench.order(&bench.submission(&hit, &worker(0)).await, "token", 150);
    let second = bench.order(&bench.submission(&hit, &worker(1)).await, "token", 150);
    bench.market.pay(&hit, &[first]).await.unwrap();
    let refused = bench.market.pay(&hit, std::slice::from_ref(&second)).await.unwrap_err();
    assert!(matches!(refused, PlatformError::Refused { .. }), "{refused}");
    bench.clock.advance(24 * HOUR_MS);
    bench.market.pay(&hit, &[second]).await.unwrap();
    assert_eq!(bench.fake.paid().bonuses.len(), 2);
    bench.passes();
}

/// For a day a repetition has no effect if the earlier request is still carried out; later no request is on its way.
#[tokio::test]
async fn unlisted_payments_were_not_made_however_long_ago_they_were_sent() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 1).await;
    bench.hand_in(&hit, &worker(0));
    let order = bench.order(&bench.submission(&hit, &worker(0)).await, "token", 150);
    for pause in [0, 23 * HOUR_MS, 2 * HOUR_MS, 40 * HOUR_MS] {
        bench.clock.advance(pause);
        assert_eq!(
            bench.market.settle(&hit, std::slice::from_ref(&order)).await,
            Ok(vec![Settlement::NotMade])
        );
    }
    bench.market.pay(&hit, std::slice::from_ref(&order)).await.unwrap();
    assert_eq!(bench.market.settle(&hit, std::slice::from_ref(&order)).await, Ok(vec![Settlement::Made]));
    assert_eq!(bench.fake.paid().bonuses.len(), 1);
    bench.passes();
}

#[tokio::test]
async fn bonuses_are_told_apart_by_their_marks_and_amounts() {
    let bench = Bench::new().await;
    bench.fake.limit_pages(2);
    let hit = bench.create("mark", 1).await;
    bench.hand_in(&hit, &worker(0));
    let submission = bench.submission(&hit, &worker(0)).await;
    for number in 0..7 {
        let order = bench.order(&submission, &format!("token {number}"), 100);
        assert_eq!(
            bench.market.settle(&hit, std::slice::from_ref(&order)).await,
            Ok(vec![Settlement::NotMade])
        );
        bench.market.pay(&hit, std::slice::from_ref(&order)).await.unwrap();
        assert_eq!(bench.market.settle(&hit, std::slice::from_ref(&order)).await, Ok(vec![Settlement::Made]));
    }
    let made = MadePayment { submission: submission.id.clone(), amount: Amount(100 * CENT) };
    assert_eq!(bench.market.payments(&hit).await, Ok(vec![made; 7]));
    let mut order = bench.order(&submission, "token 3", 101);
    assert_eq!(
        bench.market.settle(&hit, std::slice::from_ref(&order)).await,
        Ok(vec![Settlement::Unexplained]),
        "another amount"
    );
    order = bench.order(&submission, "token 7", 100);
    order.sent_unix_ms = order.sent_unix_ms.map(|sent| sent + 1);
    assert_eq!(
        bench.market.settle(&hit, std::slice::from_ref(&order)).await,
        Ok(vec![Settlement::Unknown]),
        "sent in the future"
    );
    let reasons: Vec<_> = bench.fake.paid().bonuses.into_iter().map(|bonus| bonus.reason).collect();
    assert!(
        reasons.iter().all(|reason| reason.starts_with("For your right answers. Thank you! (reference "))
    );
    bench.passes();
}

#[tokio::test]
async fn payments_that_the_service_does_not_make_are_refused() {
    let bench = Bench::new().await;
    let hit = bench.create("mark", 2).await;
    bench.hand_in(&hit, &worker(0));
    let submission = bench.submission(&hit, &worker(0)).await;
    let refused = async |order: PaymentOrder| {
        let refused = bench.market.pay(&hit, &[order]).await.unwrap_err();
        assert!(matches!(refused, PlatformError::Refused { .. }), "{refused}");
        refused.to_string()
    };
    let order = || bench.order(&submission, "token", 150);
    assert!(refused(PaymentOrder { amount: Amount(15_000), ..order() }).await.contains("whole cents"));
    assert!(refused(PaymentOrder { amount: Amount(0), ..order() }).await.contains("whole cents"));
    let of_another = refused(PaymentOrder { participant: worker(1).into(), ..order() }).await;
    assert!(of_another.contains("AWS.MechanicalTurk.AssignmentDoesNotExist"), "{of_another}");
    assert!(!of_another.contains(&worker(1)) && !of_another.contains(&*submission.id), "{of_another}");
    // A bonus of 1.50 costs 1.80.
    bench.fake.set_balance(179);
    assert!(refused(order()).await.contains("AWS.MechanicalTurk.InsufficientFunds"));
    bench.fake.set_balance(180);
    bench.market.pay(&hit, &[order()]).await.unwrap();
    assert_eq!(bench.fake.paid().balance, 0);
    assert_eq!(bench.market.pay(&hit, &[]).await, Ok(()));
    let two = bench.market.pay(&hit, &[order(), order()]).await.unwrap_err();
    assert!(matches!(two, PlatformError::Refused { .. }), "{two}");
    bench.passes();
}
