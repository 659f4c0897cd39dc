//! Models that the ONNX runtime runs, which is found when it is needed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hype_core::plugin::extractor::{ExtractedLayer, ExtractorError};
use hype_core::words::listed;
use hype_core::{Digest, Fact};
use ort::environment::Environment;
use ort::session::{Session, SessionInputs};
use ort::value::{Outlet, TensorElementType, ValueType};

/// Stimuli that a model is given at once if it takes any number.
pub(super) const BATCH: usize = 8;
/// The variable that names the library of the runtime.
const LIBRARY: &str = "ORT_DYLIB_PATH";

/// The environment of the process; there can be only one.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// A model and how it is run, as settings name them.
pub(super) struct ModelFile<'a> {
    /// The path relative to the folder of the study.
    pub(super) model: &'a str,
    /// The outputs that are read, by their names; all if empty.
    pub(super) outputs: &'a [String],
    /// The library of the runtime, if it is named.
    pub(super) runtime: Option<&'a str>,
}

/// A model that is ready to run.
pub(super) struct LoadedModel {
    session: Session,
    path: PathBuf,
    weights: Digest,
    outputs: Vec<String>,
    runtime: String,
}

impl LoadedModel {
    pub(super) fn open(file: &ModelFile<'_>, folder: &Path) -> Result<Self, ExtractorError> {
        let path = folder.join(file.model);
        let about = |reason: String| ExtractorError::File { path: path.display().to_string(), reason };
        let bytes = fs::read(&path).map_err(|error| about(error.to_string()))?;
        let weights = Digest::of(&bytes);
        let (environment, runtime) = environment(file.runtime.map(|path| folder.join(path)))?;
        let session = session(&environment, &path)
            .map_err(|reason| about(format!("the runtime does not accept the model: {reason}")))?;
        let known: Vec<&str> = session.outputs().iter().map(Outlet::name).collect();
        if let Some(missing) = file.outputs.iter().find(|output| !known.contains(&&***output)) {
            return Err(about(format!("it has no output `{missing}`; its outputs are {}", listed(&known))));
        }
        let outputs = if file.outputs.is_empty() {
            known.into_iter().map(str::to_owned).collect()
        } else {
            file.outputs.to_vec()
        };
        Ok(Self { session, path, weights, outputs, runtime })
    }

    /// Reads no outputs but the first.
    pub(super) fn read_one_output(&mut self) {
        self.outputs.truncate(1);
    }

    /// Returns an error that says what is wrong with the model.
    pub(super) fn fault(&self, reason: String) -> ExtractorError {
        ExtractorError::File { path: self.path.display().to_string(), reason }
    }

    /// The name of the file without its extension.
    pub(super) fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The SHA-256 of the file.
    pub(super) const fn weights(&self) -> Digest {
        self.weights
    }

    pub(super) fn inputs(&self) -> &[Outlet] {
        self.session.inputs()
    }

    /// The name of the first output that is read, and its extents without the batch; negative where they are not declared.
    pub(super) fn first_output(&self) -> Option<(&str, Vec<i64>)> {
        let name = self.outputs.first()?;
        let output = self.session.outputs().iter().find(|output| output.name() == name)?;
        let (_, extents) = tensor(output)?;
        Some((name, extents.get(1..).unwrap_or_default().to_vec()))
    }

    /// Returns facts about the model for readers. `of` stands before the names of the facts, to tell models apart.
    pub(super) fn facts(&self, of: &str, model: &str) -> [Fact; 3] {
        let fact = |name: &str, value: String| {
            Fact::new(&format!("{of}{name}"), &format!("{of}{name}").replace('_', " "), value)
        };
        [
            fact("model", format!("{model}, SHA-256 {}", self.weights)),
            fact("output", self.outputs.join(", ")),
            Fact::new("runtime", "runtime", &*self.runtime),
        ]
    }

    /// Runs the model on `count` stimuli.
    pub(super) fn run<const N: usize>(
        &mut self,
        inputs: SessionInputs<'_, '_, N>,
        count: usize,
    ) -> Result<Vec<Vec<ExtractedLayer>>, String> {
        let found = self.session.run(inputs).map_err(|error| error.to_string())?;
        let mut layers: Vec<Vec<ExtractedLayer>> = vec![Vec::new(); count];
        for output in &self.outputs {
            let value = found.get(output).ok_or_else(|| format!("the model gave no output `{output}`"))?;
            let (shape, values) =
                value.try_extract_tensor::<f32>().map_err(|error| format!("output `{output}`: {error}"))?;
            let extents: Vec<usize> = shape.iter().map(|&extent| extent as usize).collect();
            if extents.first() != Some(&count) {
                return Err(format!("output `{output}` is {extents:?} for a batch of {count}"));
            }
            let length = values.len() / count;
            for (layers, values) in layers.iter_mut().zip(values.chunks_exact(length.max(1))) {
                layers.push(ExtractedLayer { shape: extents[1..].to_vec(), values: values.to_vec() });
            }
        }
        Ok(layers)
    }
}

/// The type and the extents of what a model reads or gives, if it is a tensor. Extents that may be any are negative.
pub(super) fn tensor(outlet: &Outlet) -> Option<(TensorElementType, Vec<i64>)> {
    match outlet.dtype() {
        ValueType::Tensor { ty, shape, .. } => Some((*ty, shape.iter().copied().collect())),
        _ => None,
    }
}

/// Whether extents are those declared; negative ones may be any.
pub(super) fn fits(found: &[i64], declared: &[i64]) -> bool {
    found.len() == declared.len()
        && found
            .iter()
            .zip(declared)
            .all(|(&found, &declared)| found < 0 || declared < 0 || found == declared)
}

/// Extents for messages.
pub(super) fn shown(extents: &[i64]) -> String {
    let texts: Vec<String> =
        extents.iter().map(|&one| if one < 0 { "any".to_owned() } else { one.to_string() }).collect();
    texts.join(" × ")
}

/// Stimuli that are given at once to an input of these extents; `usual` if it takes any number.
pub(super) fn batch_size(extents: &[i64], usual: usize) -> usize {
    extents.first().and_then(|&taken| usize::try_from(taken).ok()).filter(|&taken| taken > 0).unwrap_or(usual)
}

fn session(environment: &Environment, path: &Path) -> Result<Session, String> {
    Session::builder(environment)
        .map_err(|error| error.to_string())?
        .with_intra_threads(rayon::current_num_threads())
        .map_err(|error| error.to_string())?
        .with_deterministic_compute(true)
        .map_err(|error| error.to_string())?
        .commit_from_file(path)
        .map_err(|error| error.to_string())
}

/// The environment of the process, and what the runtime says of itself.
fn environment(named: Option<PathBuf>) -> Result<(Environment, String), ExtractorError> {
    let mut held = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    let library = named.unwrap_or_else(library);
    if held.is_none() {
        let opened = ort::init_from(&library)
            .map_err(|error| error.to_string())
            .and_then(|builder| builder.with_telemetry(false).build().map_err(|error| error.to_string()));
        *held = Some(opened.map_err(|reason| {
            ExtractorError::Unavailable(format!(
                "the ONNX runtime, with which models are run, is not found: {reason}. Install it, version 1.{} or later, for \
                 example by `pip install onnxruntime`, and name its library in the environment variable {LIBRARY}: \
                 the file libonnxruntime.so (or .dylib, or onnxruntime.dll) in the package's folder `capi`",
                ort::MINOR_VERSION
            ))
        })?);
    }
    let Some(environment) = &*held else {
        return Err(ExtractorError::Unavailable("the ONNX runtime is not loaded".to_owned()));
    };
    // Links without a version point to files with one.
    let file = fs::canonicalize(&library).unwrap_or(library);
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((environment.clone(), format!("ONNX runtime, {name}, CPU, single precision")))
}

/// The library of the runtime: the one that the environment names, or one where the system looks for libraries.
fn library() -> PathBuf {
    let named = env::var_os(LIBRARY).filter(|path| !path.is_empty());
    named.map_or_else(
        || {
            PathBuf::from(if cfg!(target_os = "windows") {
                "onnxruntime.dll"
            } else if cfg!(target_os = "macos") {
                "libonnxruntime.dylib"
            } else {
                "libonnxruntime.so"
            })
        },
        PathBuf::from,
    )
}
