//! Arrays of numpy: the format `.npy`, versions 1 to 3.

use hype_core::plugin::metric::{MetricRows, RowValues};

use super::NamedRows;

/// An array of numbers, the last dimension fastest.
#[derive(Debug)]
pub(super) struct Array {
    shape: Vec<usize>,
    values: RowValues,
}

impl Array {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.get(..6) != Some(b"\x93NUMPY") {
            return Err("this is not an array of numpy: it does not begin with its mark".to_owned());
        }
        let short = || "the file ends within its header".to_owned();
        let (length, begin) = match bytes.get(6).ok_or_else(short)? {
            1 => (u32::from(u16::from_le_bytes(fixed(bytes, 8).ok_or_else(short)?)), 10),
            2 | 3 => (u32::from_le_bytes(fixed(bytes, 8).ok_or_else(short)?), 12),
            other => return Err(format!("version {other} of the format is not known")),
        };
        let end = begin + length as usize;
        let header = bytes.get(begin..end).ok_or_else(short)?;
        let header = std::str::from_utf8(header).map_err(|_| "the header is not text".to_owned())?;
        let kind = quoted(header, "'descr'").ok_or("the header names no type of numbers")?;
        let shape = shape(header).ok_or("the header names no shape")?;
        let count = shape
            .iter()
            .try_fold(1_usize, |count, &extent| count.checked_mul(extent))
            .ok_or("the shape is too large")?;
        let values = values(kind, &bytes[end..], count)?;
        let by_columns = header.contains("'fortran_order': True");
        let values = if by_columns && shape.len() > 1 { transposed(values, &shape) } else { values };
        Ok(Self { shape, values })
    }

    /// The rows along the first dimension.
    pub(super) fn into_rows(self) -> Result<NamedRows, String> {
        let Some((_, rest)) = self.shape.split_first() else {
            return Err("the array is a single number; rows are needed".to_owned());
        };
        let width = rest.iter().product();
        let rows = MetricRows::of_width(self.values, width).map_err(|error| error.to_string())?;
        Ok(NamedRows { rows, names: Vec::new(), columns: Vec::new() })
    }

    pub(super) fn into_doubles(self) -> Vec<f64> {
        match self.values {
            RowValues::Single(values) => values.into_iter().map(f64::from).collect(),
            RowValues::Double(values) => values,
        }
    }
}

fn fixed<const N: usize>(bytes: &[u8], from: usize) -> Option<[u8; N]> {
    bytes.get(from..from + N)?.try_into().ok()
}

/// The quoted text after a key of the header.
fn quoted<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let after = header.split_once(key)?.1.split_once(':')?.1.trim_start();
    after.strip_prefix('\'')?.split('\'').next()
}

fn shape(header: &str) -> Option<Vec<usize>> {
    let inner = header.split_once("'shape'")?.1.split_once('(')?.1.split_once(')')?.0;
    inner.split(',').map(str::trim).filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect()
}

/// Reads numbers of a type such as `<f4`: half and single precision as single, everything else as double.
fn values(kind: &str, body: &[u8], count: usize) -> Result<RowValues, String> {
    let is_big = kind.starts_with('>');
    macro_rules! read {
        ($type:ty, $variant:ident, $convert:expr) => {{
            const SIZE: usize = size_of::<$type>();
            let needed = count.checked_mul(SIZE).ok_or("the shape is too large")?;
            if body.len() != needed {
                return Err(format!(
                    "the shape needs {needed} bytes of numbers, and there are {}",
                    body.len()
                ));
            }
            let number = |chunk: &[u8; SIZE]| {
                if is_big { <$type>::from_be_bytes(*chunk) } else { <$type>::from_le_bytes(*chunk) }
            };
            RowValues::$variant(
                body.as_chunks::<SIZE>().0.iter().map(|chunk| $convert(number(chunk))).collect(),
            )
        }};
    }
    Ok(match kind.trim_start_matches(['<', '>', '=', '|']) {
        "f2" => read!(u16, Single, half),
        "f4" => read!(f32, Single, |value: f32| value),
        "f8" => read!(f64, Double, |value: f64| value),
        "i1" => read!(i8, Double, f64::from),
        "u1" | "b1" => read!(u8, Double, f64::from),
        "i2" => read!(i16, Double, f64::from),
        "u2" => read!(u16, Double, f64::from),
        "i4" => read!(i32, Double, f64::from),
        "u4" => read!(u32, Double, f64::from),
        "i8" => read!(i64, Double, |value: i64| value as f64),
        "u8" => read!(u64, Double, |value: u64| value as f64),
        _ => {
            return Err(format!(
                "numbers of the type {kind} are not read: save the array as float32 or float64"
            ));
        }
    })
}

/// A number of half precision (IEEE 754 binary16) in single precision.
fn half(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let (exponent, fraction) = (u32::from(bits >> 10) & 0x1f, u32::from(bits) & 0x3ff);
    match (exponent, fraction) {
        (0, _) => {
            let magnitude = fraction as f32 * f32::from_bits(0x3380_0000);
            f32::from_bits(magnitude.to_bits() | sign)
        }
        (0x1f, _) => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// Values that were written with the first dimension fastest, with the last one fastest.
fn transposed(values: RowValues, shape: &[usize]) -> RowValues {
    fn moved<T: Copy>(values: &[T], shape: &[usize]) -> Vec<T> {
        let mut strides = Vec::with_capacity(shape.len());
        let mut stride = 1;
        for &extent in shape {
            strides.push(stride);
            stride *= extent;
        }
        let mut places = vec![0; shape.len()];
        let mut result = Vec::with_capacity(values.len());
        for _ in 0..values.len() {
            result.push(
                values[places.iter().zip(&strides).map(|(place, stride)| place * stride).sum::<usize>()],
            );
            for dimension in (0..shape.len()).rev() {
                places[dimension] += 1;
                if places[dimension] < shape[dimension] {
                    break;
                }
                places[dimension] = 0;
            }
        }
        result
    }
    match values {
        RowValues::Single(values) => RowValues::Single(moved(&values, shape)),
        RowValues::Double(values) => RowValues::Double(moved(&values, shape)),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An array as numpy writes it.
    pub(in super::super) fn written(kind: &str, by_columns: bool, shape: &str, body: &[u8]) -> Vec<u8> {
        let order = if by_columns { "True" } else { "False" };
        let header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(body);
        bytes
    }

    fn doubles(kind: &str, by_columns: bool, shape: &str, body: &[u8]) -> Vec<f64> {
        Array::parse(&written(kind, by_columns, shape, body)).unwrap().into_doubles()
    }

    #[test]
    fn numbers_of_all_types_are_read() {
        let singles: Vec<u8> = [1.5_f32, -2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(doubles("<f4", false, "(2,)", &singles), [1.5, -2.0]);
        let big: Vec<u8> = [1.5_f64, -2.0].iter().flat_map(|value| value.to_be_bytes()).collect();
        assert_eq!(doubles(">f8", false, "(1, 2)", &big), [1.5, -2.0]);
        // 1, 2⁻²⁴ (the least), 65504 (the greatest), -2.
        let halves: Vec<u8> =
            [0x3c00_u16, 0x0001, 0x7bff, 0xc000].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(doubles("<f2", false, "(4,)", &halves), [1.0, 2f64.powi(-24), 65504.0, -2.0]);
        assert_eq!(doubles("|u1", false, "(2, 1)", &[7, 255]), [7.0, 255.0]);
        assert_eq!(doubles("<i8", false, "(1,)", &(-3_i64).to_le_bytes()), [-3.0]);
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }

    #[test]
    fn dimensions_after_the_first_are_a_row_in_either_order() {
        let body = [0, 1, 2, 3, 4, 5];
        assert_eq!(doubles("|u1", true, "(2, 3)", &body), [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
        let rows = Array::parse(&written("|u1", false, "(2, 3, 1)", &body)).unwrap().into_rows().unwrap();
        assert_eq!((rows.rows.len(), rows.rows.width(), rows.rows.row(1)), (2, Some(3), vec![3.0, 4.0, 5.0]));
    }

    #[test]
    fn damaged_arrays_are_refused() {
        let fault = |bytes: &[u8]| Array::parse(bytes).unwrap_err();
        assert!(fault(b"PK").contains("does not begin with its mark"));
        assert!(fault(b"\x93NUMPY\x09\x00").contains("version 9"));
        assert!(fault(b"\x93NUMPY\x01\x00\xff\xff").contains("ends within its header"));
        assert_eq!(
            fault(&written("<f4", false, "(2,)", &[0; 7])),
            "the shape needs 8 bytes of numbers, and there are 7"
        );
        assert!(fault(&written("<c8", false, "(1,)", &[0; 8])).contains("float32"));
        assert!(fault(&written("<f8", false, "(99999999999, 99999999999)", &[])).contains("too large"));
        let single = Array::parse(&written("|u1", false, "()", &[1])).unwrap().into_rows().unwrap_err();
        assert!(single.contains("single number"));
    }
}
