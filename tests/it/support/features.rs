//! Files of features as numpy writes them, and values of metrics as the program prints them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// An array of numpy in double precision.
pub fn npy(path: &Path, columns: usize, values: &[f64]) {
    let shape = format!("({}, {columns})", values.len() / columns);
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    fs::write(path, bytes).unwrap();
}

/// The values of one model, by the names of measures.
pub fn values(metrics: &Value, model: &str) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    for metric in metrics.as_array().unwrap() {
        let of_model = metric["values"].as_array().unwrap().iter().find(|one| one["model"] == model);
        if let Some(value) = of_model.and_then(|one| one["value"].as_f64()) {
            found.insert(metric["measure"]["name"].as_str().unwrap().to_owned(), value);
        }
    }
    found
}

#[track_caller]
pub fn close(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance * (1.0 + want.abs()), "got {got}, want {want}");
}

/// Mean and sample covariance of rows of two columns.
pub fn moments(values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let rows: Vec<&[f64]> = values.chunks(2).collect();
    let count = rows.len() as f64;
    let mean: Vec<f64> =
        (0..2).map(|column| rows.iter().map(|row| row[column]).sum::<f64>() / count).collect();
    let entry = |one: usize, other: usize| {
        let products = rows.iter().map(|row| (row[one] - mean[one]) * (row[other] - mean[other]));
        products.sum::<f64>() / (count - 1.0)
    };
    let covariance = vec![entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)];
    (mean, covariance)
}

/// An archive without compression, as numpy's `savez` writes it.
pub fn archive(arrays: &[(&str, &[usize], &[f64])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, shape, values) in arrays {
        let shape: Vec<String> = shape.iter().map(|extent| format!("{extent},")).collect();
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}\n", shape.concat());
        let mut body = b"\x93NUMPY\x01\x00".to_vec();
        body.extend((header.len() as u16).to_le_bytes());
        body.extend(header.as_bytes());
        body.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let name = format!("{name}.npy");
        let offset = bytes.len() as u32;
        let mut about = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        about.extend(crc(&body).to_le_bytes());
        about.extend((body.len() as u32).to_le_bytes());
        about.extend((body.len() as u32).to_le_bytes());
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&about);
        bytes.extend(name.as_bytes());
        bytes.extend(&body);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&about);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (count, begin) = (arrays.len() as u16, bytes.len() as u32);
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\x00\x00\x00\x00");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(begin.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

/// The checksum of ZIP, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
    };
    !bytes.iter().fold(!0, step)
}
