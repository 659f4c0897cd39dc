//! The configuration of VP9, which WebM need not have and MP4 must: from the header of the first picture.

use mp4_atom::VpcC;

use super::error::Flaw;

/// Reads bits, the highest first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: usize) -> Result<u8, Flaw> {
        let mut value = 0;
        for bit in self.at..self.at + count {
            let byte =
                self.bytes.get(bit / 8).ok_or_else(|| Flaw::corrupt("its first picture is cut off"))?;
            value = value << 1 | (byte >> (7 - bit % 8) & 1);
        }
        self.at += count;
        Ok(value)
    }
}

/// Reads the header of a picture at which decoding can start: VP9 bitstream specification, 6.2 and 6.2.2. The frame
/// rate is in millionths of a frame per second.
pub(crate) fn config(picture: &[u8], width: u16, height: u16, rate: u64) -> Result<VpcC, Flaw> {
    let mut bits = Bits { bytes: picture, at: 0 };
    let wrong = || Flaw::corrupt("its first picture is not one of VP9 at which decoding can start");
    if bits.take(2)? != 2 {
        return Err(wrong());
    }
    let profile = bits.take(1)? | bits.take(1)? << 1;
    if profile == 3 {
        bits.take(1)?;
    }
    let (repeated, inter) = (bits.take(1)?, bits.take(1)?);
    bits.take(2)?;
    let sync = [bits.take(8)?, bits.take(8)?, bits.take(8)?];
    if repeated == 1 || inter == 1 || sync != [0x49, 0x83, 0x42] {
        return Err(wrong());
    }
    let bit_depth = if profile >= 2 { 10 + 2 * bits.take(1)? } else { 8 };
    let space = bits.take(3)?;
    let rgb = space == 7;
    let (full, chroma) = if rgb {
        (true, 3)
    } else {
        let full = bits.take(1)? == 1;
        let halved = if profile & 1 == 1 { (bits.take(1)?, bits.take(1)?) } else { (1, 1) };
        let chroma = match halved {
            (1, 1) => 1,
            (1, 0) => 2,
            (0, 0) => 3,
            _ => return Err(Flaw::encode("has VP9 pictures in 4:4:0")),
        };
        (full, chroma)
    };
    // Numbers of ITU-T H.273 for the colour spaces of VP9; 2 is "unspecified".
    let (primaries, transfer, matrix) = match space {
        1 => (6, 6, 6),
        2 => (1, 1, 1),
        3 => (6, 6, 6),
        4 => (7, 7, 7),
        5 => (9, 14, 9),
        7 => (1, 13, 0),
        _ => (2, 2, 2),
    };
    Ok(VpcC {
        profile,
        level: level(width, height, rate),
        bit_depth,
        chroma_subsampling: chroma,
        video_full_range_flag: full,
        color_primaries: primaries,
        transfer_characteristics: transfer,
        matrix_coefficients: matrix,
        codec_initialization_data: Vec::new(),
    })
}

/// The lowest level that allows the size and the rate of pictures: "VP9 Levels" of the WebM project.
pub(crate) fn level(width: u16, height: u16, rate: u64) -> u8 {
    // Pixels per second, pixels of a picture, level.
    const LEVELS: [(u64, u64, u8); 14] = [
        (829_440, 36_864, 10),
        (2_764_800, 73_728, 11),
        (4_608_000, 122_880, 20),
        (9_216_000, 245_760, 21),
        (20_736_000, 552_960, 30),
        (36_864_000, 983_040, 31),
        (83_558_400, 2_228_224, 40),
        (160_432_128, 2_228_224, 41),
        (311_951_360, 8_912_896, 50),
        (588_251_136, 8_912_896, 51),
        (1_176_502_272, 8_912_896, 52),
        (1_176_502_272, 35_651_584, 60),
        (2_353_004_544, 35_651_584, 61),
        (4_706_009_088, 35_651_584, 62),
    ];
    let pixels = u64::from(width) * u64::from(height);
    let speed = u64::try_from(u128::from(pixels) * u128::from(rate) / 1_000_000).unwrap_or(u64::MAX);
    let allows =
        |&&(most_speed, most_pixels, _): &&(u64, u64, u8)| speed <= most_speed && pixels <= most_pixels;
    LEVELS.iter().find(allows).map_or(62, |&(_, _, level)| level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_pictures_tell_the_configuration() {
        // Profile 0, key picture, BT.709, limited range.
        let plain = [0x82, 0x49, 0x83, 0x42, 0x40, 0];
        let found = config(&plain, 1920, 1080, 30_000_000).unwrap();
        assert_eq!((found.profile, found.bit_depth, found.chroma_subsampling, found.level), (0, 8, 1, 40));
        assert_eq!((found.color_primaries, found.video_full_range_flag), (1, false));
        // Profile 3 of 12 bits in RGB.
        let wide = [0b1011_0001, 0x24, 0xc1, 0xa1, 0b0111_1000, 0];
        let found = config(&wide, 64, 64, 1_000_000);
        assert!(
            found.is_ok_and(|found| (found.profile, found.bit_depth, found.chroma_subsampling) == (3, 12, 3))
        );
        for broken in [&plain[..3], &[0x86, 0x49, 0x83, 0x42, 0x40], &[0; 6], &[]] {
            config(broken, 64, 64, 1).unwrap_err();
        }
    }
}
