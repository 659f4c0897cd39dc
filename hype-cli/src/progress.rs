//! Progress: bars for people, JSON lines for programs.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hype_core::Watch;
use hype_core::plugin::backend::{Addresses, Live};
use indicatif::{ProgressBar, ProgressStyle as BarStyle};

use super::args::ProgressStyle;

mod live;

/// Redraws a bar at most this often by itself.
const TICK: Duration = Duration::from_millis(120);

fn bar(total: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    // The templates are literals of this file, proved by their use in tests.
    if let Ok(style) = BarStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.enable_steady_tick(TICK);
    bar
}

/// A bar over the images of a study.
pub(crate) struct ReadingBar {
    bar: Mutex<Option<(String, ProgressBar)>>,
    shown: bool,
}

impl ReadingBar {
    pub(crate) fn new(shown: bool) -> Self {
        Self { bar: Mutex::new(None), shown }
    }

    pub(crate) fn finish(&self) {
        if let Ok(mut bar) = self.bar.lock()
            && let Some((_, bar)) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

impl hype::Progress for ReadingBar {
    fn images(&self, set: &str, done: usize, total: usize) {
        if !self.shown {
            return;
        }
        let Ok(mut current) = self.bar.lock() else { return };
        let new = current.as_ref().is_none_or(|(name, _)| name != set);
        if new {
            if let Some((_, bar)) = current.take() {
                bar.finish_and_clear();
            }
            let bar = bar(total as u64, "reading {msg} [{bar:40}] {pos}/{len} {eta}");
            bar.set_message(set.to_owned());
            *current = Some((set.to_owned(), bar));
        }
        if let Some((_, bar)) = current.as_ref() {
            bar.set_position(bar.position().max(done as u64));
        }
    }
}

/// A bar over rounds of anything.
pub(crate) fn counting_bar(total: u64, what: &str) -> ProgressBar {
    let bar = bar(total, "{msg} [{bar:40}] {pos}/{len} {eta}");
    bar.set_message(what.to_owned());
    bar
}

/// A bar over the images, and then one over the masks, that are prepared for raters.
#[derive(Default)]
pub(crate) struct PreparingBars {
    current: Mutex<Option<(String, ProgressBar)>>,
}

impl PreparingBars {
    pub(crate) fn tell(&self, what: &str, done: usize, all: usize) {
        let Ok(mut current) = self.current.lock() else { return };
        if current.as_ref().is_none_or(|(name, _)| name != what) {
            if let Some((_, bar)) = current.take() {
                bar.finish_and_clear();
            }
            *current = Some((what.to_owned(), counting_bar(all as u64, &format!("preparing {what}"))));
        }
        if let Some((_, bar)) = current.as_ref() {
            bar.set_position(bar.position().max(done as u64));
            if done == all {
                bar.finish_and_clear();
            }
        }
    }

    pub(crate) fn finish(&self) {
        if let Ok(mut current) = self.current.lock()
            && let Some((_, bar)) = current.take()
        {
            bar.finish_and_clear();
        }
    }
}

/// Tells of a collection as it goes.
pub(crate) struct CollectionWatch {
    style: ProgressStyle,
    bar: Option<ProgressBar>,
    preparing: PreparingBars,
    stop: Arc<AtomicBool>,
}

impl CollectionWatch {
    pub(crate) fn new(style: ProgressStyle, places: u32) -> Self {
        let bar = (style == ProgressStyle::Bar)
            .then(|| bar(u64::from(places), "sessions [{bar:40}] {pos}/{len} {eta}{msg}"));
        Self { style, bar, preparing: PreparingBars::default(), stop: Arc::default() }
    }

    /// The same, and the collection ends when `stop` becomes true.
    #[cfg(feature = "web")]
    pub(crate) fn stopped_by(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Tells people something that stays above the bar.
    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) if !bar.is_hidden() => bar.println(text),
            _ => {
                let _ = writeln!(std::io::stderr().lock(), "{text}");
            }
        }
    }

    /// Writes a line at once, so that whoever reads it knows what is durable. A reader that has gone away is no
    /// reason to stop collecting.
    fn line(&self, value: &serde_json::Value) {
        if self.style == ProgressStyle::Json {
            let mut err = std::io::stderr().lock();
            let _ = writeln!(err, "{value}");
        }
    }
}

impl Watch for CollectionWatch {
    fn acknowledged(&self, session: &str, events: u64) {
        self.line(&serde_json::json!({ "session": session, "events": events }));
    }

    fn prepared(&self, what: &str, done: usize, all: usize) {
        if self.style == ProgressStyle::Bar {
            self.preparing.tell(what, done, all);
        }
    }

    fn opened(&self, addresses: &Addresses) {
        self.line(&serde_json::json!({ "raters": addresses.raters, "operator": addresses.operator }));
        if self.style != ProgressStyle::Json {
            self.say(&format!("raters:   {}\noperator: {}", addresses.raters, addresses.operator));
        }
    }

    fn follows(&self) -> bool {
        self.bar.as_ref().is_some_and(|bar| !bar.is_hidden())
    }

    fn live(&self, live: &Live) {
        if let Some(bar) = &self.bar {
            bar.set_message(live::lines(live));
        }
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn settled(&self, place: u32, completed: bool) {
        self.line(&serde_json::json!({ "place": place, "completed": completed }));
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }
}
