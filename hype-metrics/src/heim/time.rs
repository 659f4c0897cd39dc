//! Inference time.

use std::collections::BTreeMap;

use crate::summary::check_values;
use crate::{MetricError, SampleMean};

/// The time that one request took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimedRequest {
    /// The prompt, or whatever is requested repeatedly.
    pub prompt: u32,
    /// Duration in seconds.
    pub seconds: f64,
}

/// Inference time in seconds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InferenceTime {
    /// Mean over all requests.
    pub raw: SampleMean,
    /// Mean over prompts of the least time, which leaves out what queues and other users add (Narayanan et al. 2023).
    pub denoised: SampleMean,
}

/// Summarizes the times of requests.
///
/// # Errors
///
/// [`MetricError::TooFew`] for no requests, [`MetricError::NotFiniteValue`] for NaN or infinity, [`MetricError::Parameter`] for a
/// negative time.
///
/// # Examples
///
/// ```
/// use hype_metrics::heim::{TimedRequest, inference_time};
/// let requests = [(0, 2.0), (0, 3.0), (1, 4.0), (1, 9.0)].map(|(prompt, seconds)| TimedRequest { prompt, seconds });
/// let found = inference_time(&requests, 7)?;
/// assert_eq!((found.raw.mean, found.denoised.mean), (4.5, 3.0));
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
pub fn inference_time(requests: &[TimedRequest], seed: u64) -> Result<InferenceTime, MetricError> {
    const NAME: &str = "inference time";
    let seconds: Vec<f64> = requests.iter().map(|request| request.seconds).collect();
    check_values(NAME, &seconds)?;
    if let Some(&got) = seconds.iter().find(|&&seconds| seconds < 0.0) {
        return Err(MetricError::Parameter { parameter: NAME, expected: "at least 0 seconds", got });
    }
    let mut least: BTreeMap<u32, f64> = BTreeMap::new();
    for request in requests {
        let seconds = least.entry(request.prompt).or_insert(request.seconds);
        *seconds = seconds.min(request.seconds);
    }
    let least: Vec<f64> = least.into_values().collect();
    Ok(InferenceTime {
        raw: SampleMean::of(NAME, &seconds, seed)?,
        denoised: SampleMean::of(NAME, &least, seed)?,
    })
}
