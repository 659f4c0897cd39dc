//! A study whose classes differ in every respect in which files can differ: format, size, metadata, names, and how
//! well they compress.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hype_backends::web::settings::{ImageFit, Resize};
use hype_backends::web::{ImageSource, Page, PreparedImages};
use hype_core::{
    Digest, Media, Role, SetId, Spec, Stimuli, Stimulus, StimulusId, StimulusSet, Study, TaskSpec, Use,
};
use hype_images::{Decoding, Encoding, PADDING_BYTES, decode, encode, pad};
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use tempfile::TempDir;

/// The number of images of each class, and the side that they are resized to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Amount {
    pub(crate) each: u32,
    pub(crate) side: u32,
}

/// Words that occur in no page, setting or header: any occurrence is a leak.
const REAL: &str = "quokka-photographs";
const MODEL: &str = "axolotl-diffusion-v7";
const WORDS: [&str; 9] = [
    REAL,
    MODEL,
    // Folders and stems of files.
    "wombat-archive",
    "numbat-outputs",
    "platypus",
    "bandicoot",
    // In metadata: the camera, the profile, the prompt.
    "kookaburra optics",
    "dugong rgb",
    "a thylacine at noon",
];

pub(crate) struct Originals {
    pub(crate) folder: TempDir,
    pub(crate) study: Study,
    pub(crate) page: Page,
}

impl Originals {
    /// Writes the files, and opens a study of them.
    pub(crate) fn new(amount: Amount, task: Box<dyn TaskSpec>, change: impl FnOnce(&mut Spec)) -> Self {
        let Amount { each, side } = amount;
        let folder = tempfile::tempdir().unwrap();
        let mut all = Vec::new();
        for (set, name, write) in [
            (SetId(0), "wombat-archive/platypus", photograph as fn(u64, u32, &str) -> Image),
            (SetId(1), "numbat-outputs/bandicoot", output as fn(u64, u32, &str) -> Image),
        ] {
            for number in 0..each {
                let stem = format!("{name}{number:04}");
                let Image { bytes, extension, size: (width, height) } = write(all.len() as u64, side, &stem);
                let path = format!("{stem}.{extension}");
                let file = folder.path().join(&path);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, &bytes).unwrap();
                let digest = Digest::of(&bytes);
                all.push(Stimulus::new(set, digest, path, Media::Image { width, height }));
            }
        }
        let sets = vec![
            StimulusSet::new(REAL, Role::Real, Use::Main),
            StimulusSet::new(MODEL, Role::Generated, Use::Main),
        ];
        let mut spec = Spec::new("images", 7, task);
        spec.collection.raters.per_model = 10;
        spec.protocol.qualification = None;
        change(&mut spec);
        let study = Study::new(spec, Stimuli::new(sets, all).unwrap()).unwrap();
        let resize = Some(Resize { fit: ImageFit::Cover, width: side, height: side });
        Self { study: study.in_folder(folder.path()), folder, page: Page { resize, ..Page::default() } }
    }

    /// The images as the server prepares them.
    pub(crate) fn prepare(&self) -> PreparedImages {
        let folder = self.study.folder().join(".hype-page");
        PreparedImages::prepare(&self.study, &self.page, &folder, &|_, _, _| {}).unwrap()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = StimulusId> {
        (0..self.study.stimuli().all().len() as u32).map(StimulusId)
    }

    pub(crate) fn role(&self, id: StimulusId) -> Role {
        self.study.stimuli().set_of(id).unwrap().role
    }

    /// Everything that identifies a class or a file: names, paths, and prefixes of digests, as text and as bytes.
    pub(crate) fn secrets(&self, pictures: &PreparedImages) -> BTreeSet<Vec<u8>> {
        let mut secrets: BTreeSet<Vec<u8>> = WORDS.iter().map(|word| word.as_bytes().to_vec()).collect();
        secrets.insert(self.folder.path().to_str().unwrap().to_lowercase().into_bytes());
        secrets.insert(b".hype-page".to_vec());
        let originals = self.study.stimuli().all().iter().map(|stimulus| stimulus.digest.0);
        let made = pictures.stimuli().iter().chain(pictures.masks());
        for digest in originals.chain(made.map(|prepared| prepared.digest.0)) {
            secrets.insert(digest[..8].to_vec());
            secrets.insert(Digest(digest).to_string().as_bytes()[..12].to_vec());
        }
        secrets
    }
}

struct Image {
    bytes: Vec<u8>,
    extension: &'static str,
    size: (u32, u32),
}

/// A photograph: a JPEG larger than shown, with a profile and Exif data that include a thumbnail.
fn photograph(seed: u64, side: u32, stem: &str) -> Image {
    let size = (side * 3 / 2, side * 5 / 4);
    let mut bytes = jpeg(&grain(seed, size, 60), size);
    let thumbnail = jpeg(&grain(seed, (8, 8), 60), (8, 8));
    let profile = [b"ICC_PROFILE\0\x01\x01".as_slice(), &[0; 120], b"desc Dugong RGB"].concat();
    let segments = [segment(0xe1, &exif(stem, &thumbnail)), segment(0xe2, &profile)].concat();
    // After the segment of the file format, which comes first.
    let after = 4 + usize::from(u16::from_be_bytes([bytes[4], bytes[5]]));
    bytes.splice(after..after, segments);
    Image { bytes, extension: "jpg", size }
}

/// A model's output: a square PNG that contains its prompt, smoother than a photograph.
fn output(seed: u64, side: u32, stem: &str) -> Image {
    let size = (side * 5 / 4, side * 5 / 4);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size.0, size.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.add_text_chunk("Software".into(), MODEL.into()).unwrap();
    encoder.add_ztxt_chunk("parameters".into(), format!("a thylacine at noon, file {stem}")).unwrap();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&grain(seed, size, 6)).unwrap();
    writer.finish().unwrap();
    Image { bytes, extension: "png", size }
}

/// White noise around grey.
fn grain(seed: u64, (width, height): (u32, u32), amplitude: u8) -> Vec<u8> {
    // SplitMix64.
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33
    };
    let range = u64::from(amplitude) * 2 + 1;
    (0..width * height * 3).map(|_| 128 - amplitude + (next() % range) as u8).collect()
}

fn jpeg(pixels: &[u8], (width, height): (u32, u32)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut bytes, 90);
    encoder.encode(pixels, width, height, ExtendedColorType::Rgb8).unwrap();
    bytes
}

fn segment(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u16 + 2).to_be_bytes();
    [&[0xff, kind], &length[..], content].concat()
}

/// Exif data: a description, the camera's maker, and a second directory with a thumbnail.
fn exif(description: &str, thumbnail: &[u8]) -> Vec<u8> {
    let (description, maker) = (format!("{description}\0"), "Kookaburra Optics\0");
    // Two directories of two entries each after the header, then the data that they point to.
    let second = 8 + 2 + 2 * 12 + 4;
    let texts = second + 2 + 2 * 12 + 4;
    let (maker_at, thumbnail_at) = (texts + description.len(), texts + description.len() + maker.len());
    let entry = |tag: u16, kind: u16, count: usize, value: usize| {
        let mut bytes = [tag.to_be_bytes(), kind.to_be_bytes()].concat();
        bytes.extend((count as u32).to_be_bytes());
        bytes.extend((value as u32).to_be_bytes());
        bytes
    };
    let directory = |entries: [Vec<u8>; 2], next: usize| {
        [&[0, 2], &entries.concat()[..], &(next as u32).to_be_bytes()].concat()
    };
    [
        b"Exif\0\0MM\0*\0\0\0\x08".to_vec(),
        directory(
            [entry(0x010e, 2, description.len(), texts), entry(0x010f, 2, maker.len(), maker_at)],
            second,
        ),
        directory([entry(0x0201, 4, 1, thumbnail_at), entry(0x0202, 4, 1, thumbnail.len())], 0),
        description.into_bytes(),
        maker.as_bytes().to_vec(),
        thumbnail.to_vec(),
    ]
    .concat()
}

/// A server's mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mistake {
    /// It sends the original files, and instead of a mask the file that the mask was made from.
    OriginalFiles,
    /// It prepares images but does not pad them to one length.
    OwnLengths,
    /// It encodes the images of each set in the format that makes them smaller.
    OwnFormats,
    /// It takes longer to find a generated image.
    OwnTime,
}

/// Images of a server that makes a mistake.
pub(crate) struct Wrong {
    pub(crate) mistake: Mistake,
    pub(crate) study: Study,
    pub(crate) prepared: Arc<PreparedImages>,
}

impl Wrong {
    fn send(
        &self,
        of: StimulusId,
        prepared: &Path,
        right: std::io::Result<Vec<u8>>,
    ) -> std::io::Result<Vec<u8>> {
        let stimuli = self.study.stimuli();
        match self.mistake {
            Mistake::OriginalFiles => fs::read(self.study.folder().join(&*stimuli.get(of).unwrap().path)),
            Mistake::OwnLengths => fs::read(prepared),
            Mistake::OwnFormats => {
                let right = right?;
                let real = stimuli.set_of(of).unwrap().role == Role::Real;
                let other = if real { Encoding::Png } else { Encoding::Webp };
                let picture = decode("image", &right, &Decoding::default()).unwrap().picture;
                let file = encode(&picture, other);
                let length = (right.len() + 4_096).max(file.len() + PADDING_BYTES).next_multiple_of(4_096);
                Ok(pad(file, length).unwrap())
            }
            Mistake::OwnTime => {
                if stimuli.set_of(of).unwrap().role == Role::Generated {
                    // Longer than other processes on a busy machine delay most requests.
                    std::thread::sleep(Duration::from_millis(30));
                }
                right
            }
        }
    }
}

impl ImageSource for Wrong {
    fn media_type(&self) -> &'static str {
        self.prepared.media_type()
    }

    fn stimulus(&self, id: StimulusId) -> std::io::Result<Vec<u8>> {
        let prepared = &self.prepared.stimuli()[id.0 as usize];
        self.send(id, &prepared.path, self.prepared.stimulus(id))
    }

    fn size(&self, id: StimulusId) -> (u32, u32) {
        self.prepared.size(id)
    }

    fn masks(&self, id: StimulusId) -> Range<u32> {
        ImageSource::masks(&*self.prepared, id)
    }

    fn mask(&self, number: u32) -> std::io::Result<Vec<u8>> {
        let prepared = &self.prepared.masks()[number as usize];
        // One mask was made from each image.
        self.send(StimulusId(number), &prepared.path, self.prepared.mask(number))
    }
}
