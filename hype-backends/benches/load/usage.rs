//! The memory and processor time of a process.

use std::fs;

/// Memory and processor time of a process as Linux reports them; zeros on other systems.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    /// Resident memory, in KiB.
    pub(crate) resident: u64,
    /// Processor time of all threads, in seconds.
    pub(crate) processor: f64,
}

impl Usage {
    pub(crate) fn of(process: u32) -> Self {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident = resident.and_then(|text| text.trim().strip_suffix(" kB")?.parse().ok());
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // After the program's name, which may contain spaces, the 12th and 13th fields are times in hundredths of a
        // second.
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
        let hundredths = fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
        Self { resident: resident.unwrap_or(0), processor: hundredths.sum::<f64>() / 100.0 }
    }
}
