//! What a process takes of the machine.

use std::fs;

/// Memory and time of a process, as Linux tells them; zeros elsewhere.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    /// Memory that is resident, in KiB.
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
        // After the program's name, which may have spaces, the 12th and 13th fields are times in hundredths.
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
        let hundredths = fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
        Self { resident: resident.unwrap_or(0), processor: hundredths.sum::<f64>() / 100.0 }
    }
}
