//! From pixels to the input of a model.

use hype_core::diagnostics::Diagnostics;
use hype_core::model::findings::Fact;
use hype_core::plugin::extractor::RgbPixels;
use hype_images::{Filter, FloatPlane, Picture, PictureError, Region, Size};

use super::{InputFit, OnnxModel, OnnxPreset, ResizeFilter};

/// The order of the dimensions of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TensorLayout {
    /// Images, channels, rows, columns.
    Nchw,
    /// Images, rows, columns, channels.
    Nhwc,
}

/// How images are prepared.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Preparation {
    size: Option<[u32; 2]>,
    resize: Option<u32>,
    fit: InputFit,
    filter: ResizeFilter,
    /// Whether resized levels stay numbers with fractions ("clean" FID) instead of being rounded to whole levels.
    fractions: bool,
    /// Whether channels are blue, green and red; mean and standard deviation are in the same order.
    blue_first: bool,
    /// Whether the output are the boxes of a YOLO detector of version 8, from which the objects found are taken.
    pub(super) yolo: bool,
    /// The divisor of levels from 0 to 255, applied first.
    divide_by: f32,
    /// That of the model's input, once the model is open.
    pub(super) layout: TensorLayout,
    mean: [f32; 3],
    sd: [f32; 3],
}

/// The numbers of one image, with its width and height.
pub(super) struct Input {
    pub(super) values: Vec<f32>,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Preparation {
    pub(super) fn of(settings: &OnnxModel) -> Self {
        let (divide_by, fractions) = match settings.preset {
            Some(OnnxPreset::Inception2015 | OnnxPreset::Inception2015PytorchFid) => (1.0, true),
            Some(OnnxPreset::OpenNsfw) => (1.0, false),
            Some(OnnxPreset::Lpips) => (127.5, false),
            _ => (255.0, false),
        };
        Self {
            size: settings.size,
            resize: settings.resize,
            fit: settings.fit.unwrap_or_default(),
            filter: settings.filter.unwrap_or_default(),
            fractions,
            blue_first: settings.preset == Some(OnnxPreset::OpenNsfw),
            yolo: settings.preset == Some(OnnxPreset::NudeNet320n),
            divide_by,
            layout: TensorLayout::Nchw,
            mean: settings.mean.unwrap_or([0.0; 3]),
            sd: settings.sd.unwrap_or([1.0; 3]),
        }
    }

    pub(super) fn check(&self, at: &mut Diagnostics) {
        if let Some(size) = self.size
            && Size::new(size[0], size[1]).is_err()
        {
            at.field("size")
                .error("out-of-range", format!("{} × {} is not a size of images", size[0], size[1]));
        }
        if let (Some(resize), Some([width, height])) = (self.resize, self.size)
            && resize < width.max(height)
        {
            at.field("resize")
                .error(
                    "out-of-range",
                    format!("{resize} is less than the input, whose size cannot be cut from its centre"),
                )
                .help("resize to at least the size of the input, or leave `resize` out");
        }
        if self.resize.is_some() && self.size.is_none() {
            at.field("resize").error("missing-field", "images are resized, but the input has no `size`");
        }
        if let Some(sd) = self.sd.iter().find(|sd| !(**sd > 0.0 && sd.is_finite())) {
            at.field("sd").error("out-of-range", format!("channels cannot be divided by {sd}"));
        }
    }

    /// Returns the facts that a reader needs to prepare images the same way.
    pub(super) fn facts(&self) -> Vec<Fact> {
        let size = self
            .size
            .map_or_else(|| "as they are".to_owned(), |[width, height]| format!("{width} × {height}"));
        let fit = match (self.fit, self.resize) {
            (InputFit::Stretch, None) => "stretched".to_owned(),
            (InputFit::Stretch, Some(resize)) => format!("stretched to {resize} × {resize}, centre"),
            (InputFit::Shorter, None) => "shorter side, centre".to_owned(),
            (InputFit::Shorter, Some(resize)) => format!("shorter side to {resize}, centre"),
            (InputFit::Pad, _) => "padded to a square with black".to_owned(),
        };
        let rounding = if self.fractions { "not rounded" } else { "rounded to levels" };
        let name = format!("{:?}", self.filter).to_lowercase();
        let filter = match self.filter {
            ResizeFilter::Interpolate => "bilinear without antialiasing as torch's".to_owned(),
            _ => format!("{name} as Pillow's"),
        };
        let channels = if self.blue_first { "bgr" } else { "rgb" };
        let values = format!(
            "(level / {} - {:?}) / {:?}, {channels}, {:?}, single precision",
            self.divide_by, self.mean, self.sd, self.layout
        );
        vec![
            Fact::new("resize", "resize", format!("{size}, {fit}, {filter}, {rounding}")),
            Fact::new("input", "input", values.to_lowercase()),
        ]
    }

    /// Prepares an image.
    pub(super) fn input(&self, pixels: &RgbPixels<'_>) -> Result<Input, PictureError> {
        let size = Size::new(pixels.width, pixels.height)?;
        let picture = Picture::new(size, pixels.samples.to_vec())?;
        let picture = if self.fit == InputFit::Pad { padded(&picture)? } else { picture };
        let Some([width, height]) = self.size else {
            let levels: Vec<f32> = picture.pixels().iter().copied().map(f32::from).collect();
            return Ok(self.normalized(&levels, picture.size()));
        };
        let target = Size::new(width, height)?;
        let resized = self.resized(picture.size(), target)?;
        let part = Region {
            left: (resized.width() - width) / 2,
            top: (resized.height() - height) / 2,
            size: target,
        };
        let levels: Vec<f32> = match self.filter() {
            Some(filter) if !self.fractions => {
                let cut = picture.resample(resized, filter).cut(part)?;
                cut.pixels().iter().copied().map(f32::from).collect()
            }
            filter => {
                let planes = picture.planes().map(|plane| match filter {
                    Some(filter) => plane.resample(resized, filter),
                    None => plane.interpolate(resized),
                });
                let levels = interleaved(&planes, part).into_iter();
                // Bicubic overshoots at edges.
                let levels = levels.map(|level| level.clamp(0.0, 255.0));
                levels.map(|level| if self.fractions { level } else { level.round() }).collect()
            }
        };
        Ok(self.normalized(&levels, target))
    }

    /// The size before the centre is cut out.
    fn resized(&self, from: Size, target: Size) -> Result<Size, PictureError> {
        match (self.fit, self.resize) {
            (InputFit::Shorter, resize) => {
                let short = resize.unwrap_or_else(|| target.width().max(target.height()));
                // Rounded down, as torchvision does.
                let other = |long: u32, short_side: u32| {
                    (u64::from(short) * u64::from(long) / u64::from(short_side)) as u32
                };
                if from.width() <= from.height() {
                    Size::new(short, other(from.height(), from.width()))
                } else {
                    Size::new(other(from.width(), from.height()), short)
                }
            }
            (InputFit::Stretch, Some(resize)) => Size::new(resize, resize),
            _ => Ok(target),
        }
    }

    /// Pillow's filter; `None` for torch's interpolation.
    const fn filter(&self) -> Option<Filter> {
        match self.filter {
            ResizeFilter::Box => Some(Filter::Box),
            ResizeFilter::Bilinear => Some(Filter::Bilinear),
            ResizeFilter::Bicubic => Some(Filter::Bicubic),
            ResizeFilter::Lanczos => Some(Filter::Lanczos),
            ResizeFilter::Interpolate => None,
        }
    }

    /// Levels of red, green and blue side by side, as the input expects them.
    fn normalized(&self, levels: &[f32], size: Size) -> Input {
        let places = levels.len() / 3;
        let mut values = vec![0.0; levels.len()];
        for (place, pixel) in levels.chunks_exact(3).enumerate() {
            for channel in 0..3 {
                let level = pixel[if self.blue_first { 2 - channel } else { channel }];
                let value = (level / self.divide_by - self.mean[channel]) / self.sd[channel];
                let to = match self.layout {
                    TensorLayout::Nchw => channel * places + place,
                    TensorLayout::Nhwc => 3 * place + channel,
                };
                values[to] = value;
            }
        }
        Input { values, width: size.width() as usize, height: size.height() as usize }
    }
}

/// A square with the picture at its top left and black elsewhere.
fn padded(picture: &Picture) -> Result<Picture, PictureError> {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let side = width.max(height);
    let mut pixels = vec![0; side * side * 3];
    for (row, from) in picture.pixels().chunks_exact(3 * width).enumerate() {
        pixels[3 * side * row..3 * side * row + from.len()].copy_from_slice(from);
    }
    Picture::new(Size::new(side as u32, side as u32)?, pixels)
}

/// A part of three planes, their values side by side.
fn interleaved(planes: &[FloatPlane; 3], part: Region) -> Vec<f32> {
    let width = planes[0].size().width() as usize;
    let (left, top) = (part.left as usize, part.top as usize);
    let mut values = Vec::with_capacity(3 * part.size.pixels());
    for row in top..top + part.size.height() as usize {
        for column in left..left + part.size.width() as usize {
            values.extend(planes.iter().map(|plane| plane.values()[row * width + column]));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(settings: &OnnxModel, width: u32, height: u32, samples: &[u8]) -> Input {
        Preparation::of(&settings.completed()).input(&RgbPixels { width, height, samples }).unwrap()
    }

    #[test]
    fn channels_and_layouts_are_those_of_the_network() {
        let samples = [10, 20, 30, 40, 50, 60];
        let raw = |blue_first, layout| {
            let (mean, sd) = (Some([1.0, 2.0, 3.0]), Some([1.0, 2.0, 1.0]));
            let usual = Preparation::of(&OnnxModel { mean, sd, ..OnnxModel::default() });
            let pixels = RgbPixels { width: 2, height: 1, samples: &samples };
            Preparation { divide_by: 1.0, blue_first, layout, ..usual }.input(&pixels).unwrap().values
        };
        assert_eq!(raw(false, TensorLayout::Nchw), [9.0, 39.0, 9.0, 24.0, 27.0, 57.0]);
        assert_eq!(raw(true, TensorLayout::Nhwc), [29.0, 9.0, 7.0, 59.0, 24.0, 37.0]);
    }

    /// Mean, mean square and some values of the inputs of two images, as clean-fid 0.1.35 and pytorch-fid 0.3.0 make them. Levels
    /// jump from 255 to 0 many times, where bicubic overshoots.
    #[test]
    fn inputs_of_inception_are_those_of_the_packages_for_python() {
        type Moments = [f64; 2];
        let (clean, torch) = (OnnxPreset::Inception2015, OnnxPreset::Inception2015PytorchFid);
        let cases: [(OnnxPreset, [u32; 2], Moments, [f32; 7]); 4] = [
            (
                clean,
                [23, 17],
                [-0.004_211_457_352_690_461, 0.201_026_845_125_380_38],
                [-1.0, 0.520_277_4, -0.577_16, 0.307_892_9, -0.545_219_4, -0.554_398_5, -0.157_851_4],
            ),
            (
                clean,
                [700, 350],
                [-0.005_046_648_884_256_231_5, 0.078_238_458_779_482_48],
                [-0.696_541_1, -0.280_510_5, 0.172_393_8, 0.258_886_6, 0.181_569_3, 0.013_412_1, 0.172_447_6],
            ),
            (
                torch,
                [23, 17],
                [-0.000_391_531_428_540_925_7, 0.130_208_393_233_645_66],
                [-1.0, 0.336_342_2, -0.511_442_9, 0.249_615_8, -0.350_408_3, -0.490_252_3, -0.062_663_1],
            ),
            (
                torch,
                [700, 350],
                [-0.000_699_240_327_299_607_5, 0.147_679_790_279_710_65],
                [
                    -0.741_394_3,
                    -0.635_330_1,
                    0.005_598_2,
                    0.767_663_1,
                    0.241_743_4,
                    0.033_787_8,
                    -0.083_420_8,
                ],
            ),
        ];
        for (preset, [width, height], [mean, square], some) in cases {
            let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
            let level =
                |(x, y): (u32, u32), channel: u32| ((37 * x + 91 * y + 53 * channel + 7 * x * y) % 256) as u8;
            let samples: Vec<u8> =
                places.flat_map(|at| [0, 1, 2].map(|channel| level(at, channel))).collect();
            let settings = OnnxModel { preset: Some(preset), ..OnnxModel::default() };
            let found = prepared(&settings, width, height, &samples).values;
            let about =
                |power| found.iter().map(|value| f64::from(*value).powi(power)).sum::<f64>() / 268_203.0;
            assert!(
                (about(1) - mean).abs() < 1e-6 && (about(2) - square).abs() < 1e-6,
                "{preset:?}, {width}"
            );
            for (found, wanted) in found.iter().step_by(38_327).zip(some) {
                assert!((found - wanted).abs() < 2e-6, "{preset:?}, {width}: {found}, not {wanted}");
            }
        }
    }

    #[test]
    fn images_get_the_size_of_the_input() {
        let samples = vec![128; 30 * 20 * 3];
        for preset in
            [OnnxPreset::OpenNsfw, OnnxPreset::ClipImage, OnnxPreset::DinoV2, OnnxPreset::MobileNetV2]
        {
            let found =
                prepared(&OnnxModel { preset: Some(preset), ..OnnxModel::default() }, 30, 20, &samples);
            assert_eq!((found.width, found.height, found.values.len()), (224, 224, 224 * 224 * 3));
        }
        let found = prepared(
            &OnnxModel { preset: Some(OnnxPreset::Inception2015), ..OnnxModel::default() },
            30,
            20,
            &samples,
        );
        assert!(
            (found.width, found.height) == (299, 299) && found.values.iter().all(|value| value.abs() < 1e-6)
        );
        // Padded below: the lower third of a square of 30 is black.
        let found = prepared(
            &OnnxModel { preset: Some(OnnxPreset::NudeNet320n), ..OnnxModel::default() },
            30,
            20,
            &samples,
        );
        assert_eq!((found.values[0], found.values[320 * 319]), (128.0 / 255.0, 0.0));
        let found = prepared(
            &OnnxModel { preset: Some(OnnxPreset::Lpips), ..OnnxModel::default() },
            30,
            20,
            &samples,
        );
        assert_eq!((found.width, found.height), (30, 20));
        let wanted = (128.0 / 127.5 - 1.0 + 0.030) / 0.458;
        assert!((found.values[0] - wanted).abs() < 1e-6);
    }
}
