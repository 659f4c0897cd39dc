//! The study that a wave's raters saw, compared with the spec that was written for it.

use std::collections::{BTreeMap, BTreeSet};

use hype_core::Digest;
use serde_json::{Map, Value};

use crate::error::BoardError;
use crate::folder::Board;
use crate::settings::differences;
use crate::submission::Submitted;
use crate::wave::{WaveRecord, spec};

/// The sections of a spec that make a wave comparable with others: the images, the models, and what raters are asked.
const FIXED: [&str; 9] =
    ["beside", "facets", "items", "masks", "playback", "rubric", "seed", "stimuli", "task"];
/// Whether a setting is a rule of the wave, and not its synthetic cohort, or where and how the page is served.
fn is_rule(name: &str) -> bool {
    let is_in = |section: &str| name.starts_with(section);
    !(is_in("simulate.") || is_in("store.") || is_in("backend.") && !name.ends_with(".kind"))
}

/// A study of a wave.
#[derive(Debug, Clone)]
pub struct WaveStudy {
    /// The sections of its spec, with all defaults.
    pub spec: Map<String, Value>,
    /// The digests of the images in each set.
    pub images: BTreeMap<String, BTreeSet<Digest>>,
}

impl Board {
    /// The text of the spec that [`begin_wave`](Self::begin_wave) wrote for the open wave, whatever its file says now.
    ///
    /// # Errors
    /// If the journal or a model cannot be read.
    pub fn written_spec(&self, wave: &WaveRecord) -> Result<String, BoardError> {
        let all = self.submissions()?;
        let of = |aliases: &[String]| -> Vec<&Submitted> {
            aliases.iter().filter_map(|alias| all.iter().find(|model| model.alias == *alias)).collect()
        };
        let settings = self.last_settings()?;
        let written = spec(&settings, wave.number, &of(&wave.anchors), &of(&wave.new));
        serde_yaml::to_string(&written)
            .map_err(|error| BoardError::damaged(&self.path("journal.json"), &error))
    }

    /// Compares a study with what was written for the open wave, also with all defaults, and with the images that were added.
    /// Returns the rules that differ, such as raters for each item.
    ///
    /// # Errors
    /// If images, models or what raters are asked differ.
    pub fn check_study(
        &self,
        wave: &WaveRecord,
        written: Map<String, Value>,
        study: WaveStudy,
    ) -> Result<Vec<String>, BoardError> {
        let section = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        let all = differences(written, study.spec).into_iter();
        let (mut wrong, rules): (Vec<_>, Vec<_>) = all
            .filter(|(name, _)| is_rule(name))
            .map(|(name, change)| (section(&name), format!("{name}: {change}")))
            .partition(|(section, _)| FIXED.contains(&&**section));
        for model in self.submissions()?.iter().filter(|model| wave.rates(&model.alias)) {
            let Some(found) = study.images.get(&model.alias) else { continue };
            let is_other = |(_, digest): &(&String, &Digest)| !found.contains(*digest);
            if let Some((file, _)) = model.files.iter().find(is_other) {
                let other = format!("{file} of {} is not the image that was added", model.alias);
                wrong.push(("stimuli".to_owned(), other));
            }
        }
        if wrong.is_empty() {
            return Ok(rules.into_iter().map(|(_, change)| change).collect());
        }
        let wrong: Vec<String> = wrong.into_iter().map(|(_, difference)| difference).collect();
        Err(BoardError::Refused(format!(
            "wave {} is not rated as it was written: {}; put this back in {}. Answers to anything else are of no wave: move their \
             study away, then `hype board wave cancel` and `hype board wave new`",
            wave.number,
            wrong.join("; "),
            self.wave_folder(wave.number).join("spec.yaml").display()
        )))
    }
}
