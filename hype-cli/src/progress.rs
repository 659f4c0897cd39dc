//! Progress: bars for people, JSON lines for programs.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hype_core::Watch;
use hype_core::study::backend::{Addresses, Downloads, LiveFigures, LiveStatus};

use super::args::ProgressStyle;
use super::terminal;

mod bar;
mod live;

pub(crate) use self::bar::Bar;
#[cfg(feature = "web")]
pub(crate) use self::bar::say_above;

/// The time between two lines about a part without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Bars for consecutive parts of a task, such as the image sets of a study. Without a terminal, a line every few seconds.
pub(crate) struct PartBars {
    verb: &'static str,
    shown: bool,
    current: Mutex<Option<Part>>,
}

struct Part {
    name: String,
    bar: Bar,
    /// When the latest line was written, or the part began.
    said: Instant,
}

impl PartBars {
    /// Creates bars labelled with a verb and the part's name, such as `reading wgan`. Without `shown` there are no
    /// bars.
    pub(crate) fn new(verb: &'static str, shown: bool) -> Self {
        Self { verb, shown, current: Mutex::new(None) }
    }

    /// Moves the bar of a part. It replaces the bar of the previous part.
    pub(crate) fn reach(&self, part: &str, done: usize, total: usize) {
        if !self.shown {
            return;
        }
        let Ok(mut current) = self.current.lock() else { return };
        if current.as_ref().is_none_or(|current| current.name != part) {
            // The old bar is removed before the new one is drawn.
            *current = None;
            let bar = Bar::new(&format!("{} {part}", self.verb), total as u64);
            *current = Some(Part { name: part.to_owned(), bar, said: Instant::now() });
        }
        let Some(Part { bar, said, .. }) = current.as_mut() else { return };
        bar.reach(done as u64);
        if done == total {
            bar.clear();
        } else if !bar.is_shown() && said.elapsed() >= LINE_EVERY {
            *said = Instant::now();
            terminal::report(format_args!("{} {part}: {done} of {total}", self.verb));
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Ok(mut current) = self.current.lock() {
            *current = None;
        }
    }
}

impl hype::StimulusProgress for PartBars {
    fn read(&self, set: &str, done: usize, total: usize) {
        self.reach(set, done, total);
    }
}

/// Shows the progress of a collection.
pub(crate) struct CollectionWatch {
    style: ProgressStyle,
    bar: Option<Bar>,
    preparing: PartBars,
    stop: Arc<AtomicBool>,
    downloads: Option<Arc<dyn Downloads>>,
    figures: Option<Arc<dyn LiveFigures>>,
}

impl CollectionWatch {
    pub(crate) fn new(style: ProgressStyle, places: u32) -> Self {
        let bars = style == ProgressStyle::Bar;
        Self {
            style,
            bar: bars.then(|| Bar::new("sessions", u64::from(places))),
            preparing: PartBars::new("preparing", bars),
            stop: Arc::default(),
            downloads: None,
            figures: None,
        }
    }

    /// Lets operators download files.
    pub(crate) fn offering(self, downloads: impl Downloads + 'static) -> Self {
        Self { downloads: Some(Arc::new(downloads)), ..self }
    }

    /// Draws the answers so far for operators.
    pub(crate) fn drawing(self, figures: impl LiveFigures + 'static) -> Self {
        Self { figures: Some(Arc::new(figures)), ..self }
    }

    /// Stops the collection when `stop` becomes true.
    #[cfg(feature = "web")]
    pub(crate) fn stopped_by(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.clear();
        }
    }

    /// Prints text that stays above the bar.
    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.say(text),
            None => terminal::report(format_args!("{text}")),
        }
    }

    /// Writes a line immediately, to tell readers what is durable. The collection continues even if the output is
    /// no longer read.
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
        self.preparing.reach(what, done, all);
    }

    fn opened(&self, addresses: &Addresses) {
        #[cfg(feature = "web")]
        super::signals::finish_first();
        let Addresses { raters, operator, reader } = addresses;
        self.line(&serde_json::json!({ "raters": raters, "operator": operator, "reader": reader }));
        if self.style != ProgressStyle::Json {
            self.say(&format!("raters:   {raters}\noperator: {operator}\nto look:  {reader}"));
        }
    }

    fn follows(&self) -> bool {
        self.bar.as_ref().is_some_and(Bar::is_shown)
    }

    fn live(&self, live: &LiveStatus) {
        if let Some(bar) = &self.bar {
            bar.set_below(live::lines(live));
        }
    }

    fn downloads(&self) -> Option<Arc<dyn Downloads>> {
        self.downloads.clone()
    }

    fn figures(&self) -> Option<Arc<dyn LiveFigures>> {
        self.figures.clone()
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn settled(&self, place: u32, completed: bool) {
        self.line(&serde_json::json!({ "place": place, "completed": completed }));
        if let Some(bar) = &self.bar {
            bar.step();
        }
    }
}
