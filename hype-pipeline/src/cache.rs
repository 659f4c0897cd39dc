//! Rows that were computed before, by the content that they are of.
//!
//! Each source of rows has a file of its own, `DIGEST.rows`, which is written when all rows are known, sorted by content: the
//! same rows give the same bytes, whoever computed them. Until then each process appends to a file `DIGEST.NAME.part`. A record
//! that was cut off when a process was killed is recognized by its checksum and computed again.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Crc;
use hype_core::{Digest, MetricRows};

/// The first bytes of every file, with the version of the layout.
const MARK: &[u8] = b"hype rows 1\n";
const COMPLETE: &str = "rows";
const PART: &str = "part";

/// A row in the precision in which it was computed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Row {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Row {
    pub(crate) fn push_to(&self, rows: &mut MetricRows) {
        match self {
            Self::Single(values) => rows.push_single(values),
            Self::Double(values) => rows.push(values.iter().copied()),
        }
    }
}

/// The rows of one source.
pub(crate) struct RowCache {
    /// Where they are kept; `None` for rows that are in files already.
    folder: Option<PathBuf>,
    source: Digest,
    known: HashMap<Digest, Row>,
    /// Files of other processes or earlier runs, whose rows are known now.
    parts: Vec<PathBuf>,
    part: Option<(PathBuf, File)>,
    /// Whether rows are known that the complete file does not have.
    is_longer: bool,
}

impl RowCache {
    /// Reads what is known of a source. Damaged files lose their damaged end and nothing else.
    pub(crate) fn open(folder: &Path, source: Digest) -> io::Result<Self> {
        let mut cache = Self { folder: Some(folder.to_owned()), ..Self::in_memory(source) };
        cache.read(folder)?;
        Ok(cache)
    }

    /// A cache that keeps nothing, for rows that are in files already.
    pub(crate) fn in_memory(source: Digest) -> Self {
        Self { folder: None, source, known: HashMap::new(), parts: Vec::new(), part: None, is_longer: false }
    }

    /// Adds what another folder knows of the source, such as that of a shard.
    pub(crate) fn read(&mut self, folder: &Path) -> io::Result<()> {
        let prefix = self.source.to_string();
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(|error| about(folder, &error))?,
        };
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in entries {
            paths.push(entry.map_err(|error| about(folder, &error))?.path());
        }
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(rest) = name.strip_prefix(&prefix).and_then(|rest| rest.strip_prefix('.')) else {
                continue;
            };
            let is_part = rest.strip_suffix(PART).is_some_and(|rest| rest.ends_with('.'));
            if rest != COMPLETE && !is_part {
                continue;
            }
            let bytes = fs::read(&path).map_err(|error| about(&path, &error))?;
            let before = self.known.len();
            parse(&bytes, &mut self.known);
            let is_own = self.folder.as_deref() == Some(folder);
            self.is_longer |= self.known.len() > before && (is_part || !is_own);
            if is_part && is_own {
                self.parts.push(path);
            }
        }
        Ok(())
    }

    /// What identifies the source.
    pub(crate) const fn source(&self) -> Digest {
        self.source
    }

    pub(crate) fn get(&self, content: &Digest) -> Option<&Row> {
        self.known.get(content)
    }

    pub(crate) fn knows(&self, content: &Digest) -> bool {
        self.known.contains_key(content)
    }

    /// Adds rows, and stores those that are kept, so that they outlive the process. `name` is that of the file they are appended
    /// to.
    pub(crate) fn append(&mut self, rows: Vec<(Digest, Row)>, name: &str) -> io::Result<()> {
        let Some(folder) = &self.folder else {
            self.known.extend(rows);
            return Ok(());
        };
        let mut bytes = Vec::new();
        for (content, row) in &rows {
            record(content, row, &mut bytes);
        }
        let (path, file) = match &mut self.part {
            Some(part) => part,
            none => {
                let path = folder.join(format!("{}.{name}.{PART}", self.source));
                fs::create_dir_all(folder).map_err(|error| about(folder, &error))?;
                // An earlier process of the same number may have left a file with a cut record at its end.
                let mut file = OpenOptions::new()
                    .create(true)
                    .write(true)
                    .truncate(true)
                    .open(&path)
                    .map_err(|error| about(&path, &error))?;
                file.write_all(MARK).map_err(|error| about(&path, &error))?;
                none.insert((path, file))
            }
        };
        file.write_all(&bytes).and_then(|()| file.sync_data()).map_err(|error| about(path, &error))?;
        self.is_longer = true;
        self.known.extend(rows);
        Ok(())
    }

    /// Writes the complete file, in whole or not at all, and removes the parts that it holds.
    pub(crate) fn complete(&mut self) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let own = self.part.take().map(|(path, _)| path);
        if self.is_longer {
            let mut contents: Vec<(&Digest, &Row)> = self.known.iter().collect();
            contents.sort_unstable_by_key(|(content, _)| **content);
            let mut bytes = MARK.to_vec();
            for (content, row) in contents {
                record(content, row, &mut bytes);
            }
            fs::create_dir_all(folder).map_err(|error| about(folder, &error))?;
            replace(&folder.join(format!("{}.{COMPLETE}", self.source)), &bytes)?;
            self.is_longer = false;
        }
        for path in self.parts.drain(..).chain(own) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(about(&path, &error)),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Writes a file in whole or not at all, and removes what killed processes left of it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!("{name}.{}.new", std::process::id()));
    for entry in path.parent().into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten()
    {
        let found = entry.file_name().to_string_lossy().into_owned();
        if found.strip_suffix(".new").is_some_and(|rest| rest.starts_with(&format!("{name}."))) {
            // One that stays only takes up space.
            drop(fs::remove_file(entry.path()));
        }
    }
    let written = fs::write(&temporary, bytes)
        .and_then(|()| File::open(&temporary)?.sync_all())
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        // An incomplete file on a full disk only takes up space.
        drop(fs::remove_file(&temporary));
        about(path, &error)
    })
}

/// Adds the path of a file to an error.
fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Writes content, precision, length, numbers and a checksum.
fn record(content: &Digest, row: &Row, bytes: &mut Vec<u8>) {
    let begin = bytes.len();
    bytes.extend(content.0);
    match row {
        Row::Single(values) => {
            bytes.push(4);
            bytes.extend((values.len() as u32).to_le_bytes());
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
        Row::Double(values) => {
            bytes.push(8);
            bytes.extend((values.len() as u32).to_le_bytes());
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
    }
    let sum = sum(&bytes[begin..]);
    bytes.extend(sum.to_le_bytes());
}

fn sum(bytes: &[u8]) -> u32 {
    let mut sum = Crc::new();
    sum.update(bytes);
    sum.sum()
}

/// Reads records up to the end, or to the first that is damaged.
fn parse(bytes: &[u8], known: &mut HashMap<Digest, Row>) {
    let Some(mut rest) = bytes.strip_prefix(MARK) else { return };
    while let Some((content, row, after)) = next(rest) {
        known.entry(content).or_insert(row);
        rest = after;
    }
}

fn next(bytes: &[u8]) -> Option<(Digest, Row, &[u8])> {
    let (content, rest) = bytes.split_first_chunk::<32>()?;
    let (&[size], rest) = rest.split_first_chunk::<1>()?;
    let (count, rest) = rest.split_first_chunk::<4>()?;
    let length = (u32::from_le_bytes(*count) as usize).checked_mul(usize::from(size))?;
    let values = rest.get(..length)?;
    let (found, after) = rest[length..].split_first_chunk::<4>()?;
    if sum(&bytes[..37 + length]) != u32::from_le_bytes(*found) {
        return None;
    }
    let row = match size {
        4 => Row::Single(values.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()),
        8 => Row::Double(values.as_chunks::<8>().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect()),
        _ => return None,
    };
    Some((Digest(*content), row, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u8) -> (Digest, Row) {
        let row = if number.is_multiple_of(2) {
            Row::Single(vec![f32::from(number), -0.5])
        } else {
            Row::Double(vec![f64::from(number); usize::from(number % 4)])
        };
        (Digest::of(&[number]), row)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn parts_in_any_order_complete_to_the_same_bytes() {
        let source = Digest::of(b"source");
        let written = |parts: &[&[u8]]| {
            let folder = tempfile::tempdir().unwrap();
            for (number, part) in parts.iter().enumerate() {
                let mut cache = RowCache::open(folder.path(), source).unwrap();
                cache.append(part.iter().copied().map(row).collect(), &number.to_string()).unwrap();
            }
            let mut cache = RowCache::open(folder.path(), source).unwrap();
            cache.complete().unwrap();
            assert_eq!(names(folder.path()), [format!("{source}.rows")]);
            fs::read(folder.path().join(format!("{source}.rows"))).unwrap()
        };
        let whole = written(&[&[1, 2, 3, 4, 5, 6]]);
        assert_eq!(written(&[&[6], &[2, 1], &[5, 3, 4]]), whole);
        let mut known = HashMap::new();
        parse(&whole, &mut known);
        assert_eq!(known, (1..=6).map(row).collect());
    }

    #[test]
    fn what_was_cut_off_is_not_known_and_the_rest_is() {
        let source = Digest::of(b"source");
        let folder = tempfile::tempdir().unwrap();
        let mut cache = RowCache::open(folder.path(), source).unwrap();
        cache.append((1..=6).map(row).collect(), "a").unwrap();
        drop(cache);
        let path = folder.path().join(format!("{source}.a.part"));
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let cache = RowCache::open(folder.path(), source).unwrap();
            let count = (1..=6).filter(|&number| cache.get(&row(number).0) == Some(&row(number).1)).count();
            assert_eq!(cache.known.len(), count, "{length}");
            assert!(count < 6);
        }
        let mut damaged = whole.clone();
        let middle = whole.len() / 2;
        damaged[middle] ^= 1;
        fs::write(&path, &damaged).unwrap();
        let cache = RowCache::open(folder.path(), source).unwrap();
        assert!(!cache.known.is_empty() && cache.known.len() < 6);
        // Another source's files are not read.
        assert!(RowCache::open(folder.path(), Digest::of(b"other")).unwrap().known.is_empty());
    }
}
