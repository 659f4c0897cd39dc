//! A bar on standard error that is redrawn in place.

use std::fmt::Write as _;
use std::io::{Write as _, stderr};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::terminal::{self, columns, escaped, escaped_lines, live_width};

/// The minimum interval between two redraws.
const PAUSE: Duration = Duration::from_millis(120);

/// The width of the bar itself, in columns.
const CELLS: u64 = 40;

/// The bar that was created last, if it is drawn.
static SHOWN: Mutex<Weak<Mutex<State>>> = Mutex::new(Weak::new());

/// A bar that counts to a total. Does nothing without a terminal.
pub(crate) struct Bar {
    state: Arc<Mutex<State>>,
    shown: bool,
}

struct State {
    label: String,
    total: u64,
    done: u64,
    /// The lines below the bar.
    below: String,
    begun: Instant,
    drawn: Option<Instant>,
    /// The number of lines now on the terminal.
    lines: usize,
}

impl Bar {
    /// Creates a bar at 0, which is drawn if standard error is a terminal.
    pub(crate) fn new(label: &str, total: u64) -> Self {
        let state = State {
            label: label.to_owned(),
            total,
            done: 0,
            below: String::new(),
            begun: Instant::now(),
            drawn: None,
            lines: 0,
        };
        let (state, shown) = (Arc::new(Mutex::new(state)), live_width().is_some());
        if shown {
            *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&state);
        }
        Self { state, shown }
    }

    /// Whether the bar is drawn.
    pub(crate) const fn is_shown(&self) -> bool {
        self.shown
    }

    /// Moves the bar forward to a count.
    pub(crate) fn reach(&self, done: u64) {
        self.change(|state| state.done = state.done.max(done));
    }

    /// Adds one to the count.
    pub(crate) fn step(&self) {
        self.change(|state| state.done += 1);
    }

    /// Replaces the lines below the bar.
    pub(crate) fn set_below(&self, text: String) {
        self.change(|state| state.below = text);
    }

    /// Prints a text above the bar.
    pub(crate) fn say(&self, text: &str) {
        if !self.shown {
            return terminal::report(format_args!("{text}"));
        }
        let mut state = self.lock();
        state.say(text);
        state.draw();
    }

    /// Removes the bar from the terminal.
    pub(crate) fn clear(&self) {
        if self.shown {
            put(&self.lock().erased());
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        if !self.shown {
            return;
        }
        let mut state = self.lock();
        change(&mut state);
        if state.drawn.is_none_or(|drawn| drawn.elapsed() >= PAUSE) {
            state.draw();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Prints a text above the bar, if there is one, from any thread.
#[cfg(feature = "web")]
pub(crate) fn say_above(text: &str) {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
    match shown {
        Some(state) => {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            let is_drawn = state.lines > 0;
            state.say(text);
            if is_drawn {
                state.draw();
            }
        }
        None => terminal::report(format_args!("{text}")),
    }
}

impl State {
    /// Prints a text in place of the bar.
    fn say(&mut self, text: &str) {
        put(&format!("{}{}\n", self.erased(), escaped_lines(text)));
    }

    fn draw(&mut self) {
        let Some(width) = live_width() else { return };
        let text = self.text(width, self.begun.elapsed());
        let erased = self.erased();
        self.lines = text.lines().count();
        self.drawn = Some(Instant::now());
        put(&format!("{erased}{text}"));
    }

    /// The control sequence that removes the lines drawn last.
    fn erased(&mut self) -> String {
        match std::mem::take(&mut self.lines) {
            0 => String::new(),
            1 => "\r\u{1b}[J".into(),
            lines => format!("\r\u{1b}[{}A\u{1b}[J", lines - 1),
        }
    }

    /// The bar and the lines below it, all cut to the width of the terminal to avoid wrapping.
    fn text(&self, width: usize, elapsed: Duration) -> String {
        let filled = CELLS.saturating_mul(self.done).checked_div(self.total).unwrap_or(CELLS);
        let filled = filled.min(CELLS) as usize;
        let mut bar = "=".repeat(filled);
        if filled < CELLS as usize {
            bar.push('>');
        }
        let cells = CELLS as usize;
        let mut line = format!("{} [{bar:cells$}] {}/{}", self.label, self.done, self.total);
        if let Some(left) = self.left(elapsed) {
            // Writing to a string cannot fail.
            let _ = write!(line, " {}", shown(left));
        }
        let lines = std::iter::once(line.as_str()).chain(self.below.lines());
        lines.map(|line| cut(&escaped(line), width - 1)).collect::<Vec<_>>().join("\n")
    }

    /// The remaining time at the average pace so far.
    fn left(&self, elapsed: Duration) -> Option<Duration> {
        let rest = self.total.checked_sub(self.done)?;
        (self.done > 0).then(|| elapsed.mul_f64(rest as f64 / self.done as f64))
    }
}

fn shown(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3_600 => format!("{}m", seconds.div_ceil(60)),
        seconds => format!("{}h {}m", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// Cuts a line to a width.
fn cut(line: &str, width: usize) -> String {
    let mut cut = String::new();
    for character in line.chars() {
        cut.push(character);
        if columns(&cut) > width {
            cut.pop();
            break;
        }
    }
    cut
}

/// Writes immediately. Errors are ignored, as there is nowhere to report them.
fn put(text: &str) {
    let mut err = stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(done: u64, below: &str) -> State {
        State {
            label: "sessions".into(),
            total: 8,
            done,
            below: below.into(),
            begun: Instant::now(),
            drawn: None,
            lines: 3,
        }
    }

    #[test]
    fn a_bar_says_how_much_is_done_and_how_long_the_rest_takes() {
        let text = |done| state(done, "").text(100, Duration::from_secs(60));
        assert_eq!(text(0), "sessions [>                                       ] 0/8");
        assert_eq!(text(2), "sessions [==========>                             ] 2/8 3m");
        assert_eq!(text(8), "sessions [========================================] 8/8 0s");
    }

    #[test]
    fn lines_are_cut_to_the_terminal_and_command_nothing() {
        let text = state(1, "a name with \u{1b}[2J in it and more\n图图图图图图").text(12, Duration::ZERO);
        assert_eq!(text, "sessions [=\na name with\n图图图图图");
    }

    #[test]
    fn as_many_lines_are_removed_as_were_drawn() {
        let mut state = state(1, "");
        assert_eq!(state.erased(), "\r\u{1b}[2A\u{1b}[J");
        assert_eq!(state.erased(), "");
    }
}
