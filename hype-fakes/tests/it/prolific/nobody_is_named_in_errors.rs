//! Neither people nor secrets are named in errors or in what is printed for debugging.

use hype_backends::crowd::platform::{Platform as _, PlatformError};
use hype_fakes::faults::InjectedFault;

use super::support::{Lab, TOKEN, order, reason};

#[tokio::test]
async fn errors_have_no_ids_and_no_token() {
    let lab = Lab::new().await;
    let study = lab.study(2).await;
    let people = lab.finished(&study, 2);
    let submission = lab.submission(&study, &people[0]).await;
    let mut errors: Vec<PlatformError> = Vec::new();
    for fault in InjectedFault::ALL {
        lab.fake.faults().at_random(7, 1.0, 1_000, &[fault]);
        errors.extend(lab.market.approve(&submission).await.err());
        errors.extend(lab.market.reject(&submission, &reason()).await.err());
        errors.extend(lab.market.request_return(&submission, "Please return it.").await.err());
        errors.extend(lab.market.pay(&study, &[order(&people[1], 10_000)]).await.err());
        errors.extend(lab.market.settle(&study, &[order(&people[1], 10_000)]).await.err());
        errors.extend(lab.market.add_to_pool("pool", &[&people[0].participant]).await.err());
        lab.fake.faults().end();
        // The platform's own messages name submissions.
        errors.extend(lab.market.reject(&submission, &reason()).await.err());
    }
    assert!(errors.len() > 40);
    for error in &errors {
        for text in [error.to_string(), format!("{error:?}")] {
            for person in &people {
                assert!(!text.contains(&person.participant) && !text.contains(&person.submission), "{text}");
            }
            assert!(!text.contains(TOKEN), "{text}");
        }
    }
    assert!(!format!("{:?}", lab.market).contains(TOKEN));
}
