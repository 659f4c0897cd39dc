//! Reading of reference values and textures.

use hype_images::texture::{Lags, Matrix, Plane};
use serde_json::Value;

use super::reference::reference;

/// The textures of the reference folder, all of 256 x 256 pixels.
pub(crate) const TEXTURES: [&str; 6] = ["text", "metal", "checkerboard", "nuts", "reptil_skin", "sawtooth"];

/// Reference values of masks.
pub(crate) fn masks(name: &str) -> Option<Value> {
    let text = std::fs::read_to_string(reference(&format!("masks/{name}"))?).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

/// A reference texture, 0 to 255.
pub(crate) fn texture(name: &str) -> Option<Plane> {
    let bytes = std::fs::read(reference(&format!("textures/{name}.pgm"))?).unwrap();
    let pixels = &bytes[bytes.len() - 65_536..];
    Some(Plane::new(256, 256, pixels.iter().map(|&pixel| f64::from(pixel)).collect()).unwrap())
}

/// The numbers of nested lists, in order; NaN for null.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        Value::Null => vec![f64::NAN],
        number => vec![number.as_f64().unwrap()],
    }
}

/// The numbers of an entry with `values`, or of nested lists.
pub(crate) fn values(entry: &Value) -> Vec<f64> {
    numbers(entry.get("values").unwrap_or(entry))
}

/// The entry's rows as a plane.
pub(crate) fn plane(entry: &Value) -> Plane {
    let rows = entry.get("values").unwrap_or(entry).as_array().unwrap();
    Plane::new(rows[0].as_array().unwrap().len(), rows.len(), values(entry)).unwrap()
}

/// The entry's rows as a matrix.
pub(crate) fn matrix(entry: &Value) -> Matrix {
    let rows = entry.get("values").unwrap_or(entry).as_array().unwrap();
    let (count, columns, numbers) = (rows.len(), rows[0].as_array().unwrap().len(), values(entry));
    Matrix::of(count, columns, |i, j| numbers[i * columns + j])
}

/// The entry's columns.
pub(crate) fn columns(entry: &Value) -> Vec<Vec<f64>> {
    let matrix = matrix(entry);
    (0..matrix.columns()).map(|j| (0..matrix.rows()).map(|i| matrix.at(i, j)).collect()).collect()
}

/// A square of lags.
pub(crate) fn lags(entry: &Value) -> Lags {
    let numbers = values(entry);
    Lags::new(numbers.len().isqrt() / 2, numbers).unwrap()
}

/// Fails unless every number is within a distance of the expected one. NaN is a failure.
#[track_caller]
pub(crate) fn close(what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}: count");
    for (at, (got, want)) in got.iter().zip(want).enumerate() {
        assert!(want.is_nan() || (got - want).abs() <= tolerance, "{what}[{at}]: {got} for {want}");
    }
}

/// As [`close`], with the tolerance relative to the greatest expected magnitude; values that vanish
/// by symmetry are rounding errors.
#[track_caller]
pub(crate) fn close_in_group(what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    let largest = want.iter().filter(|value| !value.is_nan()).fold(0.0, |a: f64, b| a.max(b.abs()));
    close(what, got, want, (tolerance * largest).max(1e-9));
}
