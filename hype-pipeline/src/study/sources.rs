//! Where rows come from, and which are needed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hype_core::model::findings::Fact;
use hype_core::model::item::ConditionKind;
use hype_core::model::stimulus::Stimuli;
use hype_core::plugin::extractor::{ExtractorError, ExtractorReads, ExtractorSpec, OpenExtractor, ToExtract};
use hype_core::plugin::metric::{MetricBeside, MetricFault, MetricReads, MetricSpec, StoredRows as _};
use hype_core::study::spec::MetricSpecs;
use hype_core::{Digest, MediaKind, StimulusId};
use serde_json::json;

use super::rows::{Beside, CachedRows, check_widths};
use super::samples::{Member, ModelSample};
use super::{MetricProgress, Shard, StudyMetricsError};
use crate::cache::RowCache;
use crate::files::{FeatureFile, SetStatistics, digest_of};
use crate::values::{CLIP_DECODER, DECODER, software};

mod compute;

pub(in crate::study) use self::compute::reason;
use self::compute::to_extract;

/// The subject of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// A stimulus, or two.
    Member(Member),
    /// The prompt of the item of a stimulus.
    Prompt(StimulusId),
}

/// All sources of a study's metrics.
pub(super) struct Sources<'a> {
    specs: &'a MetricSpecs,
    extractors: Vec<OpenedExtractor>,
    sources: Vec<Source>,
    /// Published statistics, by the path in the spec, with what a reader has to know of them.
    statistics: BTreeMap<String, (SetStatistics, Fact)>,
    kept: PathBuf,
}

struct OpenedExtractor {
    /// Its settings, by which equal ones are opened once.
    settings: serde_json::Value,
    open: Box<dyn OpenExtractor>,
}

/// One source with what is wanted of it, by content.
struct Source {
    name: String,
    maker: Maker,
    wanted: BTreeMap<Digest, Wanted>,
    cache: RowCache,
}

/// The maker of rows.
enum Maker {
    /// An extractor, by its number.
    Features(usize),
    /// The first step of a metric, of pixels.
    Pixels(Box<dyn MetricSpec>),
    /// The first step of a metric, of the layers of an extractor.
    Layers(Box<dyn MetricSpec>, usize),
}

impl<'a> Sources<'a> {
    /// Opens the extractors of all metrics.
    pub(super) fn open(
        specs: &'a MetricSpecs,
        folder: &Path,
        kept: &Path,
    ) -> Result<Self, StudyMetricsError> {
        let mut found = Self {
            specs,
            extractors: Vec::new(),
            sources: Vec::new(),
            statistics: BTreeMap::new(),
            kept: kept.to_owned(),
        };
        for metric in &specs.metrics {
            let inputs = metric.inputs();
            let mut asked: Vec<&dyn ExtractorSpec> = Vec::new();
            if let MetricReads::Features(own) | MetricReads::Layers(own) = inputs.reads {
                asked.extend(specs.of_images(own));
            }
            if let MetricBeside::Prompt(own) = inputs.beside {
                asked.extend(specs.of_texts(own));
            }
            if let MetricBeside::Statistics(file) = inputs.beside {
                found.statistics.insert(file.to_owned(), published(folder, file)?);
            }
            for extractor in asked {
                let settings = json!(extractor);
                if !found.extractors.iter().any(|known| known.settings == settings) {
                    found.extractors.push(OpenedExtractor { settings, open: extractor.open(folder)? });
                }
            }
            found.check_towers(&**metric)?;
        }
        Ok(found)
    }

    /// Refuses extractors of images and of prompts that cannot belong together.
    fn check_towers(&self, metric: &dyn MetricSpec) -> Result<(), StudyMetricsError> {
        let inputs = metric.inputs();
        let open = |extractor| self.extractor(extractor).map(|number| &*self.extractors[number].open);
        let refused =
            |reason: String| StudyMetricsError::Extractors { metric: metric.typetag_name().into(), reason };
        let images = match inputs.reads {
            MetricReads::Features(own) | MetricReads::Layers(own) => open(self.specs.of_images(own)),
            _ => None,
        };
        if let Some(open) = images.filter(|open| open.reads() == ExtractorReads::Text) {
            let reason = format!(
                "{} reads texts, and the features of images are needed: name a model of images with `extractor`",
                open.name()
            );
            return Err(refused(reason));
        }
        let MetricBeside::Prompt(own) = inputs.beside else { return Ok(()) };
        let texts = open(self.specs.of_texts(own));
        if let Some(open) = texts.filter(|open| open.reads() == ExtractorReads::Pixels) {
            let reason = format!(
                "{} reads images, and the embeddings of prompts are needed: name a text tower in the section `text_extractor`",
                open.name()
            );
            return Err(refused(reason));
        }
        let widths = [images, texts].map(|open| open.and_then(OpenExtractor::width));
        check_widths(metric, widths)
    }

    /// The number of an extractor.
    fn extractor(&self, extractor: Option<&dyn ExtractorSpec>) -> Option<usize> {
        let settings = json!(extractor?);
        self.extractors.iter().position(|known| known.settings == settings)
    }

    /// Returns the maker of the rows of a metric, with the digest and name that identify them.
    fn maker(&self, metric: &dyn MetricSpec) -> Option<(Maker, Digest, String)> {
        match metric.inputs().reads {
            MetricReads::Features(own) => self.features(self.specs.of_images(own)),
            MetricReads::Pixels => {
                let digest = Digest::of_json(&json!([metric, software(), DECODER]));
                Some((Maker::Pixels(metric.boxed_clone()), digest, metric.typetag_name().to_owned()))
            }
            MetricReads::Layers(own) => {
                let number = self.extractor(self.specs.of_images(own))?;
                let of_extractor = self.extractors[number].open.digest().to_string();
                let digest = Digest::of_json(&json!([metric, of_extractor, software(), DECODER]));
                Some((Maker::Layers(metric.boxed_clone(), number), digest, metric.typetag_name().to_owned()))
            }
            _ => None,
        }
    }

    fn features(&self, extractor: Option<&dyn ExtractorSpec>) -> Option<(Maker, Digest, String)> {
        let number = self.extractor(extractor)?;
        let open = &self.extractors[number].open;
        Some((Maker::Features(number), open.digest(), open.name().to_owned()))
    }

    /// Asks for the rows of a sample.
    pub(super) fn ask(
        &mut self,
        stimuli: &Stimuli,
        metric: &dyn MetricSpec,
        sample: &ModelSample,
    ) -> Result<(), StudyMetricsError> {
        let Some(maker) = self.maker(metric) else { return Ok(()) };
        let reads_name = self.reads_name(&maker.0);
        let source = self.source(maker)?;
        for &member in &sample.members {
            let content = content(stimuli, Wanted::Member(member), reads_name);
            self.sources[source].wanted.insert(content, Wanted::Member(member));
        }
        for &output in &sample.reference {
            let member = Member { output, other: None };
            let content = content(stimuli, Wanted::Member(member), reads_name);
            self.sources[source].wanted.insert(content, Wanted::Member(member));
        }
        if let MetricBeside::Prompt(own) = metric.inputs().beside
            && let Some(maker) = self.features(self.specs.of_texts(own))
        {
            let reads_name = self.reads_name(&maker.0);
            let source = self.source(maker)?;
            for member in &sample.members {
                let wanted = Wanted::Prompt(member.output);
                let content = content(stimuli, wanted, reads_name);
                self.sources[source].wanted.insert(content, wanted);
            }
        }
        Ok(())
    }

    fn reads_name(&self, maker: &Maker) -> bool {
        matches!(maker, Maker::Features(number) if self.extractors[*number].open.reads() == ExtractorReads::Name)
    }

    /// The number of a source, which is opened if it is new.
    fn source(&mut self, (maker, digest, name): (Maker, Digest, String)) -> Result<usize, StudyMetricsError> {
        if let Some(known) = self.sources.iter().position(|known| known.cache.source() == digest) {
            return Ok(known);
        }
        let cache = if self.reads_name(&maker) {
            RowCache::in_memory(digest)
        } else {
            RowCache::open(&self.kept, digest)?
        };
        self.sources.push(Source { name, maker, wanted: BTreeMap::new(), cache });
        Ok(self.sources.len() - 1)
    }

    /// Reads what other folders know.
    pub(super) fn read(&mut self, others: &[PathBuf]) -> Result<(), StudyMetricsError> {
        for source in &mut self.sources {
            for folder in others {
                source.cache.read(folder)?;
            }
        }
        Ok(())
    }

    /// Computes the rows of a shard that are not known.
    pub(super) fn compute(
        &mut self,
        stimuli: &Stimuli,
        folder: &Path,
        shard: Shard,
        progress: &dyn MetricProgress,
    ) -> Result<(), StudyMetricsError> {
        for source in &mut self.sources {
            source.compute(&mut self.extractors, stimuli, folder, shard, progress)?;
        }
        Ok(())
    }

    /// Checks that all rows are known, and stores them together.
    pub(super) fn complete(&mut self) -> Result<(), StudyMetricsError> {
        for source in &self.sources {
            let missing = source.wanted.keys().filter(|content| !source.cache.knows(content)).count();
            if missing > 0 {
                return Err(StudyMetricsError::Incomplete {
                    source_name: source.name.clone(),
                    missing,
                    total: source.wanted.len(),
                });
            }
        }
        self.sources.iter_mut().try_for_each(|source| Ok(source.cache.complete()?))
    }

    /// The rows of units, which are all known.
    pub(super) fn rows(
        &self,
        stimuli: &Stimuli,
        metric: &dyn MetricSpec,
        members: &[Member],
    ) -> CachedRows<'_> {
        let single = matches!(metric.inputs().reads, MetricReads::Features(_));
        let wanted = members.iter().map(|&member| Wanted::Member(member));
        self.features_of(stimuli, self.maker(metric), wanted).of_precision(single)
    }

    /// For each unit whether it has a value by the first step of a metric.
    pub(super) fn are_defined(
        &self,
        stimuli: &Stimuli,
        metric: &dyn MetricSpec,
        members: &[Member],
    ) -> Result<Vec<bool>, MetricFault> {
        if matches!(metric.inputs().reads, MetricReads::Features(_)) {
            return Ok(vec![true; members.len()]);
        }
        let rows = self.rows(stimuli, metric, members);
        let rows = rows.read(&(0..rows.len()).collect::<Vec<usize>>())?;
        Ok((0..rows.len()).map(|row| !rows.row(row).iter().any(|value| value.is_nan())).collect())
    }

    fn features_of(
        &self,
        stimuli: &Stimuli,
        maker: Option<(Maker, Digest, String)>,
        wanted: impl Iterator<Item = Wanted>,
    ) -> CachedRows<'_> {
        let found = maker.and_then(|(maker, digest, _)| {
            let source = self.sources.iter().find(|known| known.cache.source() == digest)?;
            Some((source, self.reads_name(&maker)))
        });
        let Some((source, reads_name)) = found else {
            return CachedRows::none();
        };
        let contents = wanted.map(|one| content(stimuli, one, reads_name)).collect();
        CachedRows::features(&source.cache, contents)
    }

    /// The rows that a sample is compared with, if they are not part of its own.
    pub(super) fn beside(
        &self,
        stimuli: &Stimuli,
        metric: &dyn MetricSpec,
        sample: &ModelSample,
    ) -> Option<Beside<'_>> {
        match metric.inputs().beside {
            MetricBeside::Statistics(file) => {
                self.statistics.get(file).map(|(statistics, _)| Beside::Statistics(statistics))
            }
            MetricBeside::Reference(_) => {
                let wanted =
                    sample.reference.iter().map(|&output| Wanted::Member(Member { output, other: None }));
                Some(Beside::Rows(self.features_of(stimuli, self.maker(metric), wanted)))
            }
            MetricBeside::Prompt(own) => {
                let wanted = sample.members.iter().map(|member| Wanted::Prompt(member.output));
                Some(Beside::Rows(self.features_of(stimuli, self.features(self.specs.of_texts(own)), wanted)))
            }
            _ => None,
        }
    }

    /// Why the values of a sample may mislead, by what extractors say of its prompts.
    pub(super) fn cautions(
        &self,
        stimuli: &Stimuli,
        metric: &dyn MetricSpec,
        sample: &ModelSample,
    ) -> Vec<String> {
        let MetricBeside::Prompt(own) = metric.inputs().beside else { return Vec::new() };
        let Some(number) = self.extractor(self.specs.of_texts(own)) else { return Vec::new() };
        let mut texts: BTreeMap<&str, ToExtract<'_>> = BTreeMap::new();
        for member in &sample.members {
            let wanted = to_extract(stimuli, &Wanted::Prompt(member.output), None);
            texts.insert(prompt(stimuli, member.output).1, wanted);
        }
        let texts: Vec<ToExtract<'_>> = texts.into_values().collect();
        self.extractors[number].open.cautions(&texts)
    }

    /// The name of the extractor behind a metric, if there is one, and what a reader has to know to get the same values.
    pub(super) fn described(&self, metric: &dyn MetricSpec, kind: MediaKind) -> (Option<String>, Vec<Fact>) {
        let inputs = metric.inputs();
        let mut facts = Vec::new();
        let mut name = None;
        if let MetricReads::Features(own) | MetricReads::Layers(own) = inputs.reads
            && let Some(number) = self.extractor(self.specs.of_images(own))
        {
            let open = &self.extractors[number].open;
            name = Some(open.name().to_owned());
            if open.reads() == ExtractorReads::Pixels {
                facts.push(Fact::new("decoder", "decoder", DECODER));
            }
            facts.extend(open.pipeline());
        } else {
            let decoder = if kind == MediaKind::Video { CLIP_DECODER } else { DECODER };
            facts.push(Fact::new("decoder", "decoder", decoder));
        }
        if let MetricBeside::Prompt(own) = inputs.beside
            && let Some(number) = self.extractor(self.specs.of_texts(own))
        {
            let further = self.extractors[number].open.pipeline();
            let is_new = |fact: &Fact| !facts.contains(fact);
            facts.extend(further.into_iter().filter(is_new).collect::<Vec<Fact>>());
        }
        if let MetricBeside::Statistics(file) = inputs.beside
            && let Some((_, fact)) = self.statistics.get(file)
        {
            facts.push(fact.clone());
        }
        facts.push(Fact::new("software", "software", software()));
        (name, facts)
    }
}

/// Published statistics in the folder of the study, and what a reader has to know of them.
fn published(folder: &Path, file: &str) -> Result<(SetStatistics, Fact), ExtractorError> {
    let path = folder.join(file);
    let about = |reason: String| ExtractorError::File { path: path.display().to_string(), reason };
    let FeatureFile::Statistics(found) = FeatureFile::read(&path)? else {
        let reason = "it holds rows, and statistics are the arrays `mu` and `sigma`: name the set of these rows with `reference`";
        return Err(about(reason.to_owned()));
    };
    let value = format!("{file}, SHA-256 {}", digest_of(&path)?);
    Ok((found, Fact::new("statistics", "reference statistics", value)))
}

/// Returns the digest that identifies the content of a row's subject.
fn content(stimuli: &Stimuli, wanted: Wanted, reads_name: bool) -> Digest {
    let digest = |id: StimulusId| stimuli.get(id).map_or(Digest([0; 32]), |stimulus| stimulus.digest);
    match wanted {
        Wanted::Member(Member { output, other: None }) if reads_name => {
            let path = stimuli.get(output).map_or("", |stimulus| &*stimulus.path);
            let set = stimuli.set_of(output).map_or("", |set| &*set.name);
            Digest::of_json(&json!(["name", set, path]))
        }
        Wanted::Member(Member { output, other: None }) => digest(output),
        Wanted::Member(Member { output, other: Some(other) }) => {
            let (one, other) = (digest(output), digest(other));
            Digest::of(&[one.0, other.0].concat())
        }
        Wanted::Prompt(output) if reads_name => Digest::of_json(&json!(["text", prompt(stimuli, output)])),
        Wanted::Prompt(output) => Digest::of(prompt(stimuli, output).1.as_bytes()),
    }
}

/// The key of the item of an output, and the text that it was generated from.
fn prompt(stimuli: &Stimuli, output: StimulusId) -> (&str, &str) {
    let item = stimuli.item_of(output);
    let text = item.and_then(|item| item.text(ConditionKind::Prompt));
    (item.map_or("", |item| &*item.id), text.map_or("", |text| &**text))
}
