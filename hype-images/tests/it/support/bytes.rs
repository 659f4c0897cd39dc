//! Files of known content, made byte by byte.

use hype_images::Picture;

/// A PNG chunk with its check sum.
pub(crate) fn chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let mut bytes = (content.len() as u32).to_be_bytes().to_vec();
    bytes.extend(kind);
    bytes.extend(content);
    bytes.extend(crc32fast::hash(&bytes[4..]).to_be_bytes());
    bytes
}

/// A PNG of any kind with further chunks after its header.
pub(crate) fn png_of(
    (width, height): (u32, u32),
    colour: png::ColorType,
    depth: png::BitDepth,
    data: &[u8],
    extra: &[Vec<u8>],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(data).unwrap();
    writer.finish().unwrap();
    bytes.splice(33..33, extra.concat());
    bytes
}

/// A PNG of a picture with further chunks after its header.
pub(crate) fn png_with(picture: &Picture, extra: &[Vec<u8>]) -> Vec<u8> {
    let size = (picture.width(), picture.height());
    png_of(size, png::ColorType::Rgb, png::BitDepth::Eight, picture.pixels(), extra)
}

/// Exif data with an orientation.
pub(crate) fn exif(orientation: u8) -> Vec<u8> {
    let mut bytes = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    bytes.extend([orientation, 0, 0, 0, 0, 0, 0]);
    bytes
}
