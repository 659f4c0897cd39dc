//! Mean and covariance of a million rows of 2048 columns, streamed. One run, alone in its process, whose memory it prints.

use hype_metrics::{FeatureMoments, Features};

mod support;

use support::{WIDTH, features, print_peak_memory, print_time};

/// Rows that are generated once and streamed again and again.
const PART: usize = 1_000;
const PARTS: usize = 1_000;

fn main() {
    let part = features(3, PART);
    let part = Features::new(&part, WIDTH).expect("finite features");
    print_peak_memory("before the first row");
    let what = format!("mean and covariance of {} × {WIDTH}", PART * PARTS);
    print_time(&what, || {
        let mut moments = FeatureMoments::new(WIDTH).expect("columns");
        for _ in 0..PARTS {
            moments.push(&part).expect("features of one width");
        }
        moments.covariance()
    })
    .expect("enough rows");
    print_peak_memory("after the last row (constant: at most 120 MB more, whatever the number of rows)");
}
