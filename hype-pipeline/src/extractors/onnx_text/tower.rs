//! Models of texts.

use std::borrow::Cow;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use hype_core::model::bounds::Bounded;
use hype_core::plugin::extractor::{
    ExtractedLayer, ExtractorError, ExtractorReads, OpenExtractor, ToExtract, ToExtractContent,
};
use hype_core::words::listed;
use hype_core::{Digest, Fact};
use ort::session::{SessionInputValue, SessionInputs};
use ort::value::{Tensor, TensorElementType};
use rayon::prelude::*;
use serde_json::json;

use super::super::runtime::{BATCH, LoadedModel, ModelFile, batch_size, fits, shown, tensor};
use super::OnnxTextModel;
use super::tokens::{TokenReader, Tokens};

/// Tokens that CLIP reads of a text.
const LENGTH: usize = 77;

/// A text tower that is ready to run.
pub(super) struct TextTower {
    settings: OnnxTextModel,
    model: LoadedModel,
    reader: TokenReader,
    name: Arc<str>,
    length: usize,
    inputs: Vec<TokenInput>,
    batch: usize,
}

/// An input of the model.
struct TokenInput {
    name: String,
    holds: Holds,
    numbers: WholeNumbers,
}

/// The property of each token that an input holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Ids,
    Mask,
}

/// The numbers that an input takes.
#[derive(Clone, Copy)]
enum WholeNumbers {
    Int32,
    Int64,
}

impl TextTower {
    /// Opens completed settings.
    pub(super) fn open(settings: OnnxTextModel, folder: &Path) -> Result<Self, ExtractorError> {
        let length = settings.length.map_or(LENGTH, |length| Bounded::get(length) as usize);
        let reader = TokenReader::open(&folder.join(&settings.tokenizer), length)?;
        let file = ModelFile {
            model: &settings.model,
            outputs: settings.output.as_slice(),
            runtime: settings.runtime.as_deref(),
        };
        let mut model = LoadedModel::open(&file, folder)?;
        model.read_one_output();
        let (inputs, batch) = inputs(&model, length).map_err(|reason| model.fault(reason))?;
        check_output(&model).map_err(|reason| model.fault(reason))?;
        let name = settings.name.clone().unwrap_or_else(|| model.stem().into());
        Ok(Self { settings, model, reader, name, length, inputs, batch })
    }

    /// The numbers of an input for all texts, filled up to the length.
    fn values(&self, holds: Holds, texts: &[Tokens]) -> Vec<u32> {
        let padding = match holds {
            Holds::Ids => self.settings.padding.unwrap_or_default(),
            Holds::Mask => 0,
        };
        let mut values = Vec::with_capacity(texts.len() * self.length);
        for text in texts {
            match holds {
                Holds::Ids => values.extend(&text.ids),
                Holds::Mask => values.extend(text.ids.iter().map(|_| 1)),
            }
            values.extend((text.ids.len()..self.length).map(|_| padding));
        }
        values
    }
}

impl OpenExtractor for TextTower {
    fn name(&self) -> &str {
        &self.name
    }

    fn pipeline(&self) -> Vec<Fact> {
        let padding = self.settings.padding.unwrap_or_default();
        let input = format!("{} tokens, filled up with {padding}", self.length);
        let tokenizer = format!("{}, SHA-256 {}", self.settings.tokenizer, self.reader.digest());
        let mut facts = vec![
            Fact::new("text_input", "text input", input),
            Fact::new("tokenizer", "tokenizer", tokenizer),
        ];
        facts.extend(self.model.facts("text_", &self.settings.model));
        facts
    }

    fn digest(&self) -> Digest {
        // Threads share the work and change no number; names of files say nothing about their content.
        let settings = OnnxTextModel {
            model: String::new(),
            tokenizer: String::new(),
            name: None,
            runtime: None,
            ..self.settings.clone()
        };
        let files = [self.model.weights(), self.reader.digest()].map(|digest| digest.to_string());
        Digest::of_json(&json!(["onnx_text", settings, files, env!("CARGO_PKG_VERSION")]))
    }

    fn reads(&self) -> ExtractorReads {
        ExtractorReads::Text
    }

    fn width(&self) -> Option<usize> {
        let (_, extents) = self.model.first_output()?;
        usize::try_from(*extents.first()?).ok()
    }

    fn batch(&self) -> usize {
        self.batch
    }

    fn extract(&mut self, batch: &[ToExtract<'_>]) -> Result<Vec<Vec<ExtractedLayer>>, ExtractorError> {
        let Some(first) = batch.first() else { return Ok(Vec::new()) };
        let fault =
            |stimulus: &str, reason: String| ExtractorError::Stimulus { stimulus: stimulus.into(), reason };
        let mut texts = Vec::with_capacity(batch.len());
        for wanted in batch {
            let ToExtractContent::Text(text) = wanted.content else {
                return Err(fault(wanted.path, "this model reads texts, not images".to_owned()));
            };
            texts.push(self.reader.tokens(text).map_err(|reason| fault(wanted.path, reason))?);
        }
        let shape = [batch.len(), self.length];
        let inputs: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = self
            .inputs
            .iter()
            .map(|input| {
                let values = self.values(input.holds, &texts);
                Ok((Cow::Borrowed(&*input.name), input.numbers.tensor(shape, &values)?))
            })
            .collect::<Result<_, String>>()
            .map_err(|reason| fault(first.path, reason))?;
        self.model
            .run(SessionInputs::<0>::from(inputs), batch.len())
            .map_err(|reason| fault(first.path, reason))
    }

    fn cautions(&self, stimuli: &[ToExtract<'_>]) -> Vec<String> {
        let reader = &self.reader;
        let is_cut = |one: &&ToExtract<'_>| matches!(one.content, ToExtractContent::Text(text) if reader.tokens(text).is_ok_and(|found| found.is_cut));
        let cut = stimuli.par_iter().filter(is_cut).count();
        let all = stimuli.len();
        let said = || {
            format!(
                "{cut} of {all} prompts have more than the {} tokens that {} reads, and were cut",
                self.length, self.name
            )
        };
        (cut > 0).then(said).into_iter().collect()
    }
}

impl WholeNumbers {
    fn tensor(self, shape: [usize; 2], values: &[u32]) -> Result<SessionInputValue<'static>, String> {
        /// The numbers in the type of the input.
        fn of<T: TryFrom<u32, Error: Debug>>(values: &[u32]) -> Result<Vec<T>, String> {
            let convert = |&value: &u32| {
                T::try_from(value).map_err(|_| format!("token {value} is too large for the model's input"))
            };
            values.iter().map(convert).collect()
        }
        match self {
            Self::Int32 => Tensor::from_array((shape, of::<i32>(values)?)).map(SessionInputValue::from),
            Self::Int64 => Tensor::from_array((shape, of::<i64>(values)?)).map(SessionInputValue::from),
        }
        .map_err(|error| error.to_string())
    }
}

/// The inputs of the model and the texts that it is given at once; refuses one whose inputs do not fit what is declared.
fn inputs(model: &LoadedModel, length: usize) -> Result<(Vec<TokenInput>, usize), String> {
    let (mut found, mut batch) = (Vec::new(), BATCH);
    for input in model.inputs() {
        let name = input.name();
        let holds = if name.contains("mask") { Holds::Mask } else { Holds::Ids };
        let numbers = match tensor(input) {
            Some((TensorElementType::Int64, _)) => WholeNumbers::Int64,
            Some((TensorElementType::Int32, _)) => WholeNumbers::Int32,
            Some((other, _)) => {
                return Err(format!("its input `{name}` takes {other}, and tokens are int64 or int32"));
            }
            None => return Err(format!("its input `{name}` is not a tensor")),
        };
        let extents = tensor(input).map(|(_, extents)| extents).unwrap_or_default();
        let declared = [-1, length as i64];
        if !fits(&extents, &declared) {
            return Err(format!(
                "its input `{name}` is {}, and `length` declares {}",
                shown(&extents),
                shown(&declared)
            ));
        }
        batch = batch_size(&extents, BATCH);
        found.push(TokenInput { name: name.to_owned(), holds, numbers });
    }
    let of = |holds: Holds| found.iter().filter(|input| input.holds == holds).count();
    if of(Holds::Ids) != 1 || of(Holds::Mask) > 1 {
        let names: Vec<&str> = found.iter().map(|input| &*input.name).collect();
        return Err(format!(
            "it has the inputs {}, and a text tower has one for tokens and, where it needs one, one with `mask` in its name: a \
             model of images and texts together has to be split",
            listed(&names)
        ));
    }
    Ok((found, batch))
}

/// Refuses an output that is not a row for each text.
fn check_output(model: &LoadedModel) -> Result<(), String> {
    match model.first_output() {
        // Shapes of outputs need not be declared.
        None => Ok(()),
        Some((_, extents)) if extents.len() == 1 => Ok(()),
        Some((name, extents)) => Err(format!(
            "its output `{name}` is {} for each text, and an embedding is one row: name the pooled output with `output`",
            shown(&extents)
        )),
    }
}
