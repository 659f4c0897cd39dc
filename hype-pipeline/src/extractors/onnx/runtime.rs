//! The ONNX runtime, which is found when it is needed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hype_core::model::bounds::Bounded;
use hype_core::plugin::extractor::{
    ExtractedLayer, ExtractorError, ExtractorReads, OpenExtractor, ToExtract, ToExtractContent,
};
use hype_core::{Digest, Fact};
use ort::environment::Environment;
use ort::session::Session;
use ort::value::{Tensor, ValueType};
use rayon::prelude::*;
use serde_json::json;

use super::preparation::{Input, Preparation, TensorLayout};
use super::{OnnxModel, yolo};

/// Images that a model is given at once by default.
const BATCH: u32 = 8;
/// The variable that names the library of the runtime.
const LIBRARY: &str = "ORT_DYLIB_PATH";

/// The environment of the process; there can be only one.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// A model that is ready to run.
pub(super) struct OnnxSession {
    settings: OnnxModel,
    preparation: Preparation,
    session: Session,
    name: Arc<str>,
    weights: Digest,
    outputs: Vec<String>,
    runtime: String,
}

impl OnnxSession {
    pub(super) fn open(
        settings: &OnnxModel,
        preparation: Preparation,
        folder: &Path,
    ) -> Result<Self, ExtractorError> {
        let path = folder.join(&settings.model);
        let about = |reason: String| ExtractorError::File { path: path.display().to_string(), reason };
        let bytes = fs::read(&path).map_err(|error| about(error.to_string()))?;
        let weights = Digest::of(&bytes);
        if let Some(wanted) = settings.sha256
            && wanted != weights
        {
            return Err(about(format!("its SHA-256 is {weights}, and `sha256` says {wanted}")));
        }
        let (environment, runtime) = environment(settings.runtime.as_deref().map(|path| folder.join(path)))?;
        let session = session(&environment, &path, settings.threads)
            .map_err(|reason| about(format!("the runtime does not accept the model: {reason}")))?;
        let known: Vec<&str> = session.outputs().iter().map(|output| output.name()).collect();
        if let Some(missing) = settings.outputs.iter().find(|output| !known.contains(&&***output)) {
            return Err(about(format!("it has no output `{missing}`; its outputs are {}", known.join(", "))));
        }
        let outputs = if settings.outputs.is_empty() {
            known.into_iter().map(str::to_owned).collect()
        } else {
            settings.outputs.clone()
        };
        check_input(&session, settings, &preparation).map_err(about)?;
        let stem = || path.file_stem().unwrap_or_default().to_string_lossy().into();
        let name = settings.name.clone().unwrap_or_else(stem);
        Ok(Self { settings: settings.clone(), preparation, session, name, weights, outputs, runtime })
    }

    fn run(
        &mut self,
        inputs: Vec<Input>,
        batch: &[ToExtract<'_>],
    ) -> Result<Vec<Vec<ExtractedLayer>>, ExtractorError> {
        let fault = |reason: String| ExtractorError::Stimulus {
            stimulus: batch.first().map_or_else(|| Arc::from(""), |first| first.path.into()),
            reason,
        };
        let count = inputs.len();
        let Some(first) = inputs.first() else { return Ok(Vec::new()) };
        let (width, height) = (first.width, first.height);
        if let Some(other) = inputs.iter().position(|one| (one.width, one.height) != (width, height)) {
            return Err(ExtractorError::Stimulus {
                stimulus: batch[other].path.into(),
                reason: format!(
                    "its size {} × {} is not {width} × {height}, that of others: declare `size`, or `batch: 1`",
                    inputs[other].width, inputs[other].height
                ),
            });
        }
        let shape = match self.preparation.layout {
            TensorLayout::Nchw => [count, 3, height, width],
            TensorLayout::Nhwc => [count, height, width, 3],
        };
        let values: Vec<f32> = inputs.into_iter().flat_map(|input| input.values).collect();
        let tensor = Tensor::from_array((shape, values)).map_err(|error| fault(error.to_string()))?;
        let found = self.session.run(ort::inputs![tensor]).map_err(|error| fault(error.to_string()))?;
        let mut layers: Vec<Vec<ExtractedLayer>> = vec![Vec::new(); count];
        for output in &self.outputs {
            let value =
                found.get(output).ok_or_else(|| fault(format!("the model gave no output `{output}`")))?;
            let (shape, values) = value
                .try_extract_tensor::<f32>()
                .map_err(|error| fault(format!("output `{output}`: {error}")))?;
            let extents: Vec<usize> = shape.iter().map(|&extent| extent as usize).collect();
            if extents.first() != Some(&count) {
                return Err(fault(format!("output `{output}` is {extents:?} for {count} images")));
            }
            let length = values.len() / count;
            for (layers, values) in layers.iter_mut().zip(values.chunks_exact(length.max(1))) {
                layers.push(ExtractedLayer { shape: extents[1..].to_vec(), values: values.to_vec() });
            }
        }
        if self.settings.yolo == Some(true) {
            for layers in &mut layers {
                let Some(first) = layers.first_mut() else { continue };
                let objects = yolo::objects(first).map_err(fault)?;
                *first = ExtractedLayer { shape: vec![objects.len()], values: objects };
            }
        }
        Ok(layers)
    }
}

impl OpenExtractor for OnnxSession {
    fn name(&self) -> &str {
        &self.name
    }

    fn pipeline(&self) -> Vec<Fact> {
        let mut facts = self.preparation.facts();
        facts.push(Fact::new("model", "model", format!("{}, SHA-256 {}", self.settings.model, self.weights)));
        facts.push(Fact::new("output", "output", self.outputs.join(", ")));
        facts.push(Fact::new("runtime", "runtime", &*self.runtime));
        facts
    }

    fn digest(&self) -> Digest {
        // Threads share the work and change no number; names of files say nothing about their content.
        let settings = OnnxModel {
            model: String::new(),
            name: None,
            runtime: None,
            threads: None,
            ..self.settings.clone()
        };
        Digest::of_json(&json!(["onnx", settings, self.weights.to_string(), env!("CARGO_PKG_VERSION")]))
    }

    fn reads(&self) -> ExtractorReads {
        ExtractorReads::Pixels
    }

    fn batch(&self) -> usize {
        self.settings.batch.map_or(BATCH, Bounded::get) as usize
    }

    fn extract(&mut self, batch: &[ToExtract<'_>]) -> Result<Vec<Vec<ExtractedLayer>>, ExtractorError> {
        let preparation = &self.preparation;
        let inputs: Vec<Input> = batch
            .par_iter()
            .map(|wanted| {
                let fault =
                    |reason: String| ExtractorError::Stimulus { stimulus: wanted.path.into(), reason };
                let ToExtractContent::Pixels(pixels) = wanted.content else {
                    return Err(fault("this model reads images, not texts".to_owned()));
                };
                preparation.input(&pixels).map_err(|error| fault(error.to_string()))
            })
            .collect::<Result<_, ExtractorError>>()?;
        self.run(inputs, batch)
    }
}

/// Refuses a model whose input does not fit what is declared.
fn check_input(session: &Session, settings: &OnnxModel, preparation: &Preparation) -> Result<(), String> {
    let [input] = session.inputs() else {
        let names: Vec<&str> = session.inputs().iter().map(|input| input.name()).collect();
        return Err(format!("it has the inputs {}, and a model of images has one", names.join(", ")));
    };
    let ValueType::Tensor { shape, .. } = input.dtype() else {
        return Err(format!("its input `{}` is not a tensor", input.name()));
    };
    let found: Vec<i64> = shape.iter().copied().collect();
    let [width, height] = settings.size.map_or([-1, -1], |size| size.map(i64::from));
    let declared = match preparation.layout {
        TensorLayout::Nchw => [-1, 3, height, width],
        TensorLayout::Nhwc => [-1, height, width, 3],
    };
    let fits = |(&found, &declared): (&i64, &i64)| found < 0 || declared < 0 || found == declared;
    if found.len() != 4 || !found.iter().zip(&declared).all(fits) {
        let shown = |extents: &[i64]| {
            let texts: Vec<String> =
                extents.iter().map(|&one| if one < 0 { "any".to_owned() } else { one.to_string() }).collect();
            texts.join(" × ")
        };
        return Err(format!(
            "its input `{}` is {}, and `layout` and `size` declare {}",
            input.name(),
            shown(&found),
            shown(&declared)
        ));
    }
    if found[0] > 0 && settings.batch.map_or(BATCH, Bounded::get) as i64 != found[0] {
        return Err(format!("it takes {} images at once: declare `batch: {}`", found[0], found[0]));
    }
    Ok(())
}

fn session(
    environment: &Environment,
    path: &Path,
    threads: Option<Bounded<1, 1024>>,
) -> Result<Session, String> {
    let threads = threads.map_or_else(rayon::current_num_threads, |threads| threads.get() as usize);
    Session::builder(environment)
        .map_err(|error| error.to_string())?
        .with_intra_threads(threads)
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
