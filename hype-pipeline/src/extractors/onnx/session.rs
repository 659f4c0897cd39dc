//! Models of images.

use std::path::Path;
use std::sync::Arc;

use hype_core::plugin::extractor::{
    ExtractedLayer, ExtractorError, ExtractorReads, OpenExtractor, ToExtract, ToExtractContent,
};
use hype_core::words::listed;
use hype_core::{Digest, Fact};
use ort::session::SessionInputs;
use ort::value::Tensor;
use rayon::prelude::*;
use serde_json::json;

use super::super::runtime::{BATCH, LoadedModel, ModelFile, batch_size, fits, shown, tensor};
use super::preparation::{Input, Preparation, TensorLayout};
use super::{OnnxModel, yolo};

/// A model of images that is ready to run.
pub(super) struct OnnxSession {
    settings: OnnxModel,
    preparation: Preparation,
    model: LoadedModel,
    name: Arc<str>,
    batch: usize,
}

impl OnnxSession {
    pub(super) fn open(
        settings: &OnnxModel,
        mut preparation: Preparation,
        folder: &Path,
    ) -> Result<Self, ExtractorError> {
        let file = ModelFile {
            model: &settings.model,
            outputs: &settings.outputs,
            runtime: settings.runtime.as_deref(),
        };
        let model = LoadedModel::open(&file, folder)?;
        let (layout, batch) = input(&model, settings).map_err(|reason| model.fault(reason))?;
        preparation.layout = layout;
        let name = settings.name.clone().unwrap_or_else(|| model.stem().into());
        Ok(Self { settings: settings.clone(), preparation, model, name, batch })
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
                    "its size {} × {} is not {width} × {height}, that of others: declare `size`",
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
        let mut layers = self.model.run(SessionInputs::from(ort::inputs![tensor]), count).map_err(fault)?;
        if self.preparation.yolo {
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
        facts.extend(self.model.facts("", &self.settings.model));
        facts
    }

    fn digest(&self) -> Digest {
        // Threads share the work and change no number; names of files say nothing about their content.
        let settings = OnnxModel { model: String::new(), name: None, runtime: None, ..self.settings.clone() };
        let weights = self.model.weights().to_string();
        Digest::of_json(&json!(["onnx", settings, weights, env!("CARGO_PKG_VERSION")]))
    }

    fn reads(&self) -> ExtractorReads {
        ExtractorReads::Pixels
    }

    fn width(&self) -> Option<usize> {
        if self.preparation.yolo {
            return None;
        }
        let (_, extents) = self.model.first_output()?;
        let mut known = extents.iter().map(|&extent| usize::try_from(extent).ok());
        known.try_fold(1, |product: usize, extent| product.checked_mul(extent?))
    }

    fn batch(&self) -> usize {
        self.batch
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

/// The layout of the model's input and the images that it is given at once; refuses one that does not fit what is declared.
fn input(model: &LoadedModel, settings: &OnnxModel) -> Result<(TensorLayout, usize), String> {
    let [input] = model.inputs() else {
        let names: Vec<&str> = model.inputs().iter().map(|input| input.name()).collect();
        return Err(format!("it has the inputs {}, and a model of images has one", listed(&names)));
    };
    let Some((_, found)) = tensor(input) else {
        return Err(format!("its input `{}` is not a tensor", input.name()));
    };
    let [width, height] = settings.size.map_or([-1, -1], |size| size.map(i64::from));
    let layouts =
        [(TensorLayout::Nchw, [-1, 3, height, width]), (TensorLayout::Nhwc, [-1, height, width, 3])];
    let Some((layout, _)) = layouts.into_iter().find(|(_, declared)| fits(&found, declared)) else {
        return Err(format!(
            "its input `{}` is {}, and images with the `size` that is declared are {} or {}",
            input.name(),
            shown(&found),
            shown(&layouts[0].1),
            shown(&layouts[1].1)
        ));
    };
    // Images that stay as they are may differ in size.
    let usual = if settings.size.is_some() { BATCH } else { 1 };
    Ok((layout, batch_size(&found, usual)))
}
