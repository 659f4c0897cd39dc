//! Two operators pay again and again, in programs of their own, while a third program recruits and pays as well.

#![cfg(all(unix, feature = "fakes", feature = "mturk"))]

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::program::hype_with;
use crate::recruiting::{Crowd, Kind, Recruiting, SPEC, cents, paid_once, reject_strangers};

/// Pays until the study is over, and returns how often that went through.
fn operate(study: &Recruiting, is_over: &AtomicBool) -> usize {
    let mut paid = 0;
    while !is_over.load(Ordering::Relaxed) {
        let output =
            hype_with(study.folder(), study.platform.variables(), &["crowd", "pay", SPEC, "--production"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code().is_some_and(|code| code <= 1), "{output:?}");
        assert!(!said.contains("panicked"), "{said}");
        paid += usize::from(output.status.success());
        // Operators who never rest take the processor from those who are paid.
        thread::sleep(Duration::from_millis(50));
    }
    paid
}

/// Ends the operators when it goes, also by a panic: the scope waits for them.
struct Work<'a>(&'a AtomicBool);

impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn at_once(kind: Kind) {
    let study = Recruiting::new(kind, 4);
    let mut running = study.run(&["--log-level", "off"]);
    let mut crowd = Crowd::new();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let operators = [(); 2].map(|()| scope.spawn(|| operate(&study, &is_over)));
        let work = Work(&is_over);
        let mut idle = 0;
        while !running.has_ended() {
            if crowd.step(&study) {
                idle = 0;
                continue;
            }
            idle += 1;
            // Before people come, there may be no study to ask about yet.
            if idle % 60 == 0 && !crowd.finished().is_empty() {
                reject_strangers(&study, &study.status(&["status"]));
            }
            thread::sleep(Duration::from_millis(10));
        }
        drop(work);
        for operator in operators {
            assert!(operator.join().unwrap() > 0);
        }
    });
    paid_once(&study, &crowd);
    assert_eq!(study.platform.objections(), Vec::<String>::new());
    let audit = study.status(&["audit"]);
    assert_eq!(
        ["ledger", "platform", "earned"].map(|side| cents(&audit[side])),
        [crowd.earned(); 3],
        "{audit}"
    );
}

#[test]
fn with_prolific() {
    at_once(Kind::Prolific);
}

#[test]
fn with_mechanical_turk() {
    at_once(Kind::MechanicalTurk);
}
