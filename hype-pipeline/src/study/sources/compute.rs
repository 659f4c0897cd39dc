//! Computing the rows of one source: by an extractor from its pictures, or by a metric from each output.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hype_core::model::stimulus::Stimuli;
use hype_core::plugin::extractor::{
    ExtractedLayer, ExtractorError, ExtractorReads, OpenExtractor, ToExtract, ToExtractContent,
};
use hype_core::plugin::metric::{MetricFault, MetricSpec, MetricUnit, Observed};
use hype_core::{Digest, MediaKind, StimulusId};
use hype_images::{Decoding, Picture, decode};
use rayon::prelude::*;

use super::{Maker, OpenedExtractor, Source, Wanted, prompt};
use crate::cache::Row;
use crate::frames::{FFMPEG, LumaFrames};
use crate::metrics::pairs::unlike;
use crate::study::samples::Member;
use crate::study::{MetricProgress, Shard, StudyMetricsError};
use crate::values::pixels;

/// Units that a metric measures between two writes to the disk.
const MEASURED: usize = 16;
/// Images that are decoded at once for an extractor: enough work for the threads, in bounded memory.
const DECODED: usize = 32;

/// The row of a unit without a value. Metrics give no number that is not one.
const UNDEFINED: [f64; 1] = [f64::NAN];

impl Source {
    pub(super) fn compute(
        &mut self,
        extractors: &mut [OpenedExtractor],
        stimuli: &Stimuli,
        folder: &Path,
        shard: Shard,
        progress: &dyn MetricProgress,
    ) -> Result<(), StudyMetricsError> {
        let batch = match self.maker {
            Maker::Features(number) => extractors[number].open.batch().max(1),
            Maker::Pixels(_) => MEASURED,
            Maker::Layers(..) => 1,
        };
        // The same batches whatever is known already: no row depends on interruptions or shards.
        let all: Vec<(Digest, Wanted)> =
            self.wanted.iter().map(|(content, wanted)| (*content, *wanted)).collect();
        let lacks = |part: &[(Digest, Wanted)]| part.iter().any(|(content, _)| !self.cache.knows(content));
        let open: Vec<&[(Digest, Wanted)]> = all
            .chunks(batch)
            .enumerate()
            .filter(|&(number, part)| shard.has(number) && lacks(part))
            .map(|(_, part)| part)
            .collect();
        let total = all.len();
        let mut done = all.iter().filter(|(content, _)| self.cache.knows(content)).count();
        progress.reached(&self.name, done, total);
        for group in open.chunks((DECODED / batch).max(1)) {
            let mut rows = Vec::new();
            match &self.maker {
                Maker::Features(number) => {
                    let open = &mut *extractors[*number].open;
                    for (part, pictures) in group.iter().zip(self.pictures(group, open, stimuli, folder)?) {
                        rows.extend(extracted(open, part, &pictures, stimuli)?);
                    }
                }
                Maker::Pixels(metric) => {
                    let units: Vec<&(Digest, Wanted)> = group.iter().flat_map(|part| part.iter()).collect();
                    rows = units
                        .par_iter()
                        .map(|(content, wanted)| {
                            let row = measured(&**metric, wanted, stimuli, folder)?;
                            Ok((*content, Row::Double(row)))
                        })
                        .collect::<Result<_, StudyMetricsError>>()?;
                }
                Maker::Layers(metric, number) => {
                    let open = &mut *extractors[*number].open;
                    for (content, wanted) in group.iter().flat_map(|part| part.iter()) {
                        let row = of_layers(&**metric, open, wanted, stimuli, folder)?;
                        rows.push((*content, Row::Double(row)));
                    }
                }
            }
            done += rows.iter().filter(|(content, _)| !self.cache.knows(content)).count();
            self.cache.append(rows, &shard.name())?;
            progress.reached(&self.name, done, total);
        }
        Ok(())
    }

    /// The pictures of batches, decoded by all threads; none where the extractor reads names or texts.
    fn pictures(
        &self,
        group: &[&[(Digest, Wanted)]],
        open: &dyn OpenExtractor,
        stimuli: &Stimuli,
        folder: &Path,
    ) -> Result<Vec<Vec<Option<Picture>>>, StudyMetricsError> {
        let reads_pixels = open.reads() == ExtractorReads::Pixels;
        group
            .iter()
            .map(|part| {
                part.par_iter()
                    .map(|(_, wanted)| match wanted {
                        Wanted::Member(member) if reads_pixels => {
                            picture(stimuli, member.output, folder).map(Some)
                        }
                        _ => Ok(None),
                    })
                    .collect()
            })
            .collect()
    }
}

/// The rows of a batch of an extractor.
fn extracted(
    open: &mut dyn OpenExtractor,
    part: &[(Digest, Wanted)],
    pictures: &[Option<Picture>],
    stimuli: &Stimuli,
) -> Result<Vec<(Digest, Row)>, StudyMetricsError> {
    let batch: Vec<ToExtract<'_>> = part
        .iter()
        .zip(pictures)
        .map(|((_, wanted), picture)| to_extract(stimuli, wanted, picture.as_ref()))
        .collect();
    let outputs = open.extract(&batch)?;
    let mut rows = Vec::with_capacity(part.len());
    for (((content, _), layers), wanted) in part.iter().zip(outputs).zip(&batch) {
        let first = layers.into_iter().next().map(|layer| layer.values).unwrap_or_default();
        if let Some(place) = first.iter().position(|value| !value.is_finite()) {
            return Err(StudyMetricsError::Extractor(ExtractorError::Stimulus {
                stimulus: wanted.path.into(),
                reason: format!("feature {place} is {}; features must be finite", first[place]),
            }));
        }
        rows.push((*content, Row::Single(first)));
    }
    Ok(rows)
}

pub(super) fn to_extract<'s>(
    stimuli: &'s Stimuli,
    wanted: &Wanted,
    picture: Option<&'s Picture>,
) -> ToExtract<'s> {
    match *wanted {
        Wanted::Prompt(output) => {
            let (key, text) = prompt(stimuli, output);
            ToExtract { set: "", place: 0, of: 0, path: key, content: ToExtractContent::Text(text) }
        }
        Wanted::Member(Member { output, .. }) => {
            let set = stimuli.get(output).map(|stimulus| stimulus.set);
            let members = set.map_or(&[][..], |set| stimuli.members(set));
            ToExtract {
                set: stimuli.set_of(output).map_or("", |set| &*set.name),
                place: members.binary_search(&output).unwrap_or(0),
                of: members.len(),
                path: stimuli.get(output).map_or("", |stimulus| &*stimulus.path),
                content: picture
                    .map_or(ToExtractContent::Unread, |picture| ToExtractContent::Pixels(pixels(picture))),
            }
        }
    }
}

/// The row of a unit by a metric of pixels.
fn measured(
    metric: &dyn MetricSpec,
    wanted: &Wanted,
    stimuli: &Stimuli,
    folder: &Path,
) -> Result<Vec<f64>, StudyMetricsError> {
    let Wanted::Member(member) = *wanted else { return Ok(Vec::new()) };
    row_or_none(of_pixels(metric, member, stimuli, folder)?, metric, member, stimuli)
}

/// The row of a unit by a metric of pixels, or why it has none.
fn of_pixels(
    metric: &dyn MetricSpec,
    member: Member,
    stimuli: &Stimuli,
    folder: &Path,
) -> Result<Result<Vec<f64>, MetricFault>, StudyMetricsError> {
    if let Some(other) = member.other
        && stimuli.kind() == MediaKind::Video
    {
        return over_frames(metric, [member.output, other], stimuli, folder);
    }
    let output = picture(stimuli, member.output, folder)?;
    let other = member.other.map(|other| picture(stimuli, other, folder)).transpose()?;
    let unit = MetricUnit {
        output: Observed::Pixels(pixels(&output)),
        other: other.as_ref().map(|other| Observed::Pixels(pixels(other))),
    };
    Ok(metric.row(&unit))
}

/// The mean over the frames of two clips, which are paired by their numbers.
fn over_frames(
    metric: &dyn MetricSpec,
    ids: [StimulusId; 2],
    stimuli: &Stimuli,
    folder: &Path,
) -> Result<Result<Vec<f64>, MetricFault>, StudyMetricsError> {
    if let [Some(own), Some(other)] = ids.map(|id| stimuli.get(id).map(|one| one.media))
        && let Some(reason) = unlike(own, other)
    {
        return Ok(Err(MetricFault::Data(format!("it {reason}"))));
    }
    let broken = |id: StimulusId| {
        let path = stimuli.get(id).map_or_else(|| Arc::from(""), |one| Arc::clone(&one.path));
        move |reason: String| StudyMetricsError::Clip { path, reason }
    };
    let open = |id: StimulusId| -> Result<LumaFrames, StudyMetricsError> {
        let (file, _) = content(stimuli, id, folder)?;
        LumaFrames::open(FFMPEG.as_ref(), &file).map_err(broken(id))
    };
    let (mut own, mut other) = (open(ids[0])?, open(ids[1])?);
    let (mut sums, mut frames) = (Vec::new(), 0_u32);
    loop {
        let pair = (own.next().map_err(broken(ids[0]))?, other.next().map_err(broken(ids[1]))?);
        let (output, other) = match pair {
            (Some(output), Some(other)) => (Observed::Luma(output), Some(Observed::Luma(other))),
            (None, None) => break,
            _ => return Ok(Err(MetricFault::data("one of the two has more frames than the other"))),
        };
        match metric.row(&MetricUnit { output, other }) {
            Err(fault) => return Ok(Err(fault)),
            Ok(row) if frames == 0 => sums = row,
            Ok(row) => sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value),
        }
        frames += 1;
    }
    Ok(Ok(sums.into_iter().map(|sum| sum / f64::from(frames)).collect()))
}

/// The row of a unit by a metric of layers.
fn of_layers(
    metric: &dyn MetricSpec,
    open: &mut dyn OpenExtractor,
    wanted: &Wanted,
    stimuli: &Stimuli,
    folder: &Path,
) -> Result<Vec<f64>, StudyMetricsError> {
    let Wanted::Member(member) = *wanted else { return Ok(Vec::new()) };
    let mut layers = |id: StimulusId| -> Result<Vec<ExtractedLayer>, StudyMetricsError> {
        let alone = Wanted::Member(Member { output: id, other: None });
        let picture = picture(stimuli, id, folder)?;
        let mut found = open.extract(&[to_extract(stimuli, &alone, Some(&picture))])?;
        Ok(found.pop().unwrap_or_default())
    };
    let output = layers(member.output)?;
    let other = member.other.map(layers).transpose()?;
    let unit =
        MetricUnit { output: Observed::Layers(&output), other: other.as_deref().map(Observed::Layers) };
    row_or_none(metric.row(&unit), metric, member, stimuli)
}

/// The row of a unit, or one that says that it has no value.
fn row_or_none(
    row: Result<Vec<f64>, MetricFault>,
    metric: &dyn MetricSpec,
    member: Member,
    stimuli: &Stimuli,
) -> Result<Vec<f64>, StudyMetricsError> {
    match row {
        Err(MetricFault::Data(_)) => Ok(UNDEFINED.to_vec()),
        found => found.map_err(|fault| unit_fault(metric, member, stimuli, fault)),
    }
}

/// Why a unit has no value by a metric of pixels, if it has none.
pub(in crate::study) fn reason(
    metric: &dyn MetricSpec,
    member: Member,
    stimuli: &Stimuli,
    folder: &Path,
) -> Result<Option<String>, StudyMetricsError> {
    Ok(of_pixels(metric, member, stimuli, folder)?.err().map(|fault| fault.to_string()))
}

fn unit_fault(
    metric: &dyn MetricSpec,
    member: Member,
    stimuli: &Stimuli,
    fault: MetricFault,
) -> StudyMetricsError {
    let path = |id: StimulusId| stimuli.get(id).map_or("", |stimulus| &*stimulus.path);
    let unit = match member.other {
        None => path(member.output).to_owned(),
        Some(other) => format!("{} against {}", path(member.output), path(other)),
    };
    StudyMetricsError::Unit { metric: metric.typetag_name().into(), unit, fault }
}

/// Decodes a picture.
fn picture(stimuli: &Stimuli, id: StimulusId, folder: &Path) -> Result<Picture, StudyMetricsError> {
    let (file, bytes) = content(stimuli, id, folder)?;
    let path = stimuli.get(id).map_or_else(|| file.to_string_lossy(), |stimulus| (&*stimulus.path).into());
    Ok(decode(&path, &bytes, &Decoding::default())?.picture)
}

/// Reads a stimulus, which has to be the one that the study was opened with.
fn content(
    stimuli: &Stimuli,
    id: StimulusId,
    folder: &Path,
) -> Result<(PathBuf, Vec<u8>), StudyMetricsError> {
    let Some(stimulus) = stimuli.get(id) else {
        return Err(StudyMetricsError::Changed { path: Arc::from(format!("stimulus {}", id.0)) });
    };
    let file = folder.join(&*stimulus.path);
    let bytes = std::fs::read(&file)
        .map_err(|error| std::io::Error::new(error.kind(), format!("{}: {error}", file.display())))?;
    if Digest::of(&bytes) != stimulus.digest {
        return Err(StudyMetricsError::Changed { path: Arc::clone(&stimulus.path) });
    }
    Ok((file, bytes))
}
