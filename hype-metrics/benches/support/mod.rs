//! Features of the size that the limits are for, and what the process used.

#![allow(clippy::disallowed_methods, reason = "the kernel says in /proc what the process used")]
#![allow(dead_code, reason = "each bench uses some of it")]

use std::time::{Duration, Instant};

use criterion::Bencher;
use hype_chance::Streams;

/// Columns of Inception's last pooling layer.
pub(crate) const WIDTH: usize = 2048;

/// Features as a rectifier leaves them: a shared part, and half of the values zero.
pub(crate) fn features(seed: u64, rows: usize) -> Vec<f32> {
    let mut stream = Streams::new(seed).stream("features");
    let mut values = Vec::with_capacity(rows * WIDTH);
    for _ in 0..rows {
        let mut before = 0.0;
        values.extend((0..WIDTH).map(|_| {
            let uniform = f64::from(stream.next_u32()) / f64::from(u32::MAX) - 0.5;
            before = 0.5 * before + uniform;
            f64::max(before, 0.0) as f32
        }));
    }
    values
}

/// Measures the processor time of all threads in place of the time that passed.
pub(crate) fn processor_time<T>(bencher: &mut Bencher<'_>, mut work: impl FnMut() -> T) {
    bencher.iter_custom(|iterations| {
        let (start, before) = (Instant::now(), used());
        for _ in 0..iterations {
            std::hint::black_box(work());
        }
        match (before, used()) {
            (Some(before), Some(after)) => after - before,
            _ => start.elapsed(),
        }
    });
}

/// Processor time of this process, in steps of 10 ms; `None` where there is no `/proc`.
fn used() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Fields 14 and 15, user and system time; the second field, in brackets, may contain spaces.
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(10 * ticks))
}

/// Prints how long one run of something takes.
pub(crate) fn print_time<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    println!("{what}: {:.1} s", start.elapsed().as_secs_f64());
    done
}

/// Prints the greatest memory that the process has held.
pub(crate) fn print_peak_memory(what: &str) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(line) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("peak memory, {what}: {}", line.trim_start_matches("VmHWM:").trim());
    }
}
