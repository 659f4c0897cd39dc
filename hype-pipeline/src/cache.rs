//! Rows that were computed before, by the content that they are of.
//!
//! Each source of rows has a file of its own, `DIGEST.rows`, which is written when all rows are known, sorted by content: the
//! same rows give the same bytes, in any process. Until then each process appends to a file `DIGEST.NAME.part`. A record
//! that was cut off when a process was killed is recognized by its checksum and computed again.
//!
//! Rows stay in their files. A cache holds where each of them is, and reads it when it is asked for.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flate2::Crc;
use hype_core::{Digest, MetricRows};
use hype_images::replace_file;

/// The first bytes of every file, with the version of the layout.
const MARK: &[u8] = b"hype rows 1\n";
const COMPLETE: &str = "rows";
const PART: &str = "part";
/// Bytes of a record before its numbers: content, precision and length.
const HEAD: usize = 37;

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

    const fn len(&self) -> usize {
        match self {
            Self::Single(values) => values.len(),
            Self::Double(values) => values.len(),
        }
    }

    const fn precision(&self) -> Precision {
        match self {
            Self::Single(_) => Precision::Single,
            Self::Double(_) => Precision::Double,
        }
    }
}

/// Where a row is kept. Studies have millions of them.
enum Kept {
    Memory(Box<Row>),
    File(Place),
}

/// The numbers of a row in a file.
#[derive(Clone, Copy)]
struct Place {
    /// The number of the file.
    file: u32,
    /// Where its numbers begin.
    begin: u64,
    /// How many there are.
    count: u32,
    precision: Precision,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Precision {
    Single,
    Double,
}

impl Precision {
    /// Bytes of a number, by which records name the precision.
    const fn bytes(self) -> u8 {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    const fn of_bytes(bytes: u8) -> Option<Self> {
        match bytes {
            4 => Some(Self::Single),
            8 => Some(Self::Double),
            _ => None,
        }
    }
}

/// A file that this process appends to.
struct Part {
    path: PathBuf,
    /// The number of the file.
    file: u32,
    length: u64,
}

/// The rows of one source.
pub(crate) struct RowCache {
    /// Where they are kept; `None` for rows that are in files already.
    folder: Option<PathBuf>,
    source: Digest,
    known: HashMap<Digest, Kept>,
    /// The open files of rows.
    files: Vec<Mutex<File>>,
    /// Files of other processes or earlier runs, whose rows are known now.
    parts: Vec<PathBuf>,
    part: Option<Part>,
    /// Whether rows are known that the complete file does not have.
    is_longer: bool,
}

impl RowCache {
    /// Finds what is known of a source. Damaged files lose their damaged end and nothing else.
    pub(crate) fn open(folder: &Path, source: Digest) -> io::Result<Self> {
        let mut cache = Self { folder: Some(folder.to_owned()), ..Self::in_memory(source) };
        cache.read(folder)?;
        Ok(cache)
    }

    /// A cache that keeps nothing, for rows that are in files already.
    pub(crate) fn in_memory(source: Digest) -> Self {
        Self {
            folder: None,
            source,
            known: HashMap::new(),
            files: Vec::new(),
            parts: Vec::new(),
            part: None,
            is_longer: false,
        }
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
            let before = self.known.len();
            self.index(&path).map_err(|error| about(&path, &error))?;
            let is_own = self.folder.as_deref() == Some(folder);
            self.is_longer |= self.known.len() > before && (is_part || !is_own);
            if is_part && is_own {
                self.parts.push(path);
            }
        }
        Ok(())
    }

    /// Notes where the rows of a file are that are not known, up to its end or to the first record that is damaged.
    fn index(&mut self, path: &Path) -> io::Result<()> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let number = self.files.len() as u32;
        let mut reader = BufReader::with_capacity(1 << 18, &file);
        let mut mark = [0; MARK.len()];
        if length < MARK.len() as u64 {
            return Ok(());
        }
        reader.read_exact(&mut mark)?;
        if mark != MARK {
            return Ok(());
        }
        let mut at = MARK.len() as u64;
        let mut record = Vec::new();
        while let Some((content, count, precision)) = next(&mut reader, length - at, &mut record)? {
            let place = Place { file: number, begin: at + HEAD as u64, count, precision };
            self.known.entry(content).or_insert(Kept::File(place));
            at += record.len() as u64 + 4;
        }
        self.files.push(Mutex::new(file));
        Ok(())
    }

    /// Returns the digest that identifies the source.
    pub(crate) const fn source(&self) -> Digest {
        self.source
    }

    /// A row, if it is known.
    pub(crate) fn get(&self, content: &Digest) -> io::Result<Option<Row>> {
        match self.known.get(content) {
            None => Ok(None),
            Some(Kept::Memory(row)) => Ok(Some((**row).clone())),
            Some(Kept::File(place)) => self.row_at(*place).map(Some),
        }
    }

    /// The numbers of a row, if it is known.
    pub(crate) fn width(&self, content: &Digest) -> Option<usize> {
        self.known.get(content).map(|kept| match kept {
            Kept::Memory(row) => row.len(),
            Kept::File(place) => place.count as usize,
        })
    }

    fn row_at(&self, place: Place) -> io::Result<Row> {
        let Some(file) = self.files.get(place.file as usize) else {
            return Err(io::Error::other("a file of rows was closed"));
        };
        let mut bytes = vec![0; place.count as usize * usize::from(place.precision.bytes())];
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(place.begin))?;
        file.read_exact(&mut bytes)?;
        let four = || bytes.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
        let eight = || bytes.as_chunks::<8>().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect();
        Ok(match place.precision {
            Precision::Single => Row::Single(four()),
            Precision::Double => Row::Double(eight()),
        })
    }

    pub(crate) fn knows(&self, content: &Digest) -> bool {
        self.known.contains_key(content)
    }

    /// Adds rows, and stores those that are to outlive the process. `name` is that of the file they are appended
    /// to.
    pub(crate) fn append(&mut self, rows: Vec<(Digest, Row)>, name: &str) -> io::Result<()> {
        let Some(folder) = &self.folder else {
            self.known.extend(rows.into_iter().map(|(content, row)| (content, Kept::Memory(Box::new(row)))));
            return Ok(());
        };
        let part = match &mut self.part {
            Some(part) => part,
            none => {
                fs::create_dir_all(folder).map_err(|error| about(folder, &error))?;
                let (path, file) = new_part(folder, self.source, name)?;
                self.files.push(Mutex::new(file));
                let file = self.files.len() as u32 - 1;
                none.insert(Part { path, file, length: MARK.len() as u64 })
            }
        };
        let mut bytes = Vec::new();
        let mut places = Vec::with_capacity(rows.len());
        for (content, row) in &rows {
            let begin = part.length + (bytes.len() + HEAD) as u64;
            let (count, precision) = (row.len() as u32, row.precision());
            places.push((*content, Place { file: part.file, begin, count, precision }));
            record(content, row, &mut bytes);
        }
        let mut file = self.files[part.file as usize].lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(part.length))
            .and_then(|_| file.write_all(&bytes))
            .and_then(|()| file.sync_data())
            .map_err(|error| about(&part.path, &error))?;
        drop(file);
        part.length += bytes.len() as u64;
        self.is_longer = true;
        for (content, place) in places {
            self.known.insert(content, Kept::File(place));
        }
        Ok(())
    }

    /// Writes the complete file, in whole or not at all, and removes the parts that it holds.
    pub(crate) fn complete(&mut self) -> io::Result<()> {
        let Some(folder) = self.folder.clone() else { return Ok(()) };
        if self.is_longer {
            fs::create_dir_all(&folder).map_err(|error| about(&folder, &error))?;
            let path = folder.join(format!("{}.{COMPLETE}", self.source));
            replace(&path, |to| self.write(to))?;
            // Whatever was known is in this file.
            self.known.clear();
            self.files.clear();
            self.index(&path).map_err(|error| about(&path, &error))?;
            self.is_longer = false;
        }
        let own = self.part.take().map(|part| part.path);
        for path in self.parts.drain(..).chain(own) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(about(&path, &error)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes all rows, sorted by content.
    fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut contents: Vec<&Digest> = self.known.keys().collect();
        contents.sort_unstable();
        to.write_all(MARK)?;
        let mut bytes = Vec::new();
        for content in contents {
            let Some(row) = self.get(content)? else { continue };
            bytes.clear();
            record(content, &row, &mut bytes);
            to.write_all(&bytes)?;
        }
        Ok(())
    }
}

/// A new file of rows to append to. Its number in the name tells it from that of an earlier process of the same name, whose
/// rows are read from there.
fn new_part(folder: &Path, source: Digest, name: &str) -> io::Result<(PathBuf, File)> {
    for number in 0_u64.. {
        let path = folder.join(if number == 0 {
            format!("{source}.{name}.{PART}")
        } else {
            format!("{source}.{name}-{number}.{PART}")
        });
        match OpenOptions::new().create_new(true).read(true).write(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => {
                let mut file = opened.map_err(|error| about(&path, &error))?;
                file.write_all(MARK).map_err(|error| about(&path, &error))?;
                return Ok((path, file));
            }
        }
    }
    Err(io::Error::other("no name is left for a file of rows"))
}

/// Writes a file in whole or not at all, and removes what killed processes left of it.
pub(crate) fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for entry in path.parent().into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten()
    {
        let found = entry.file_name().to_string_lossy().into_owned();
        if found.strip_suffix(".new").is_some_and(|rest| rest.starts_with(&format!("{name}."))) {
            // One that stays only takes up space.
            drop(fs::remove_file(entry.path()));
        }
    }
    let written = replace_file(path, |file| {
        let mut buffered = BufWriter::with_capacity(1 << 18, file);
        write(&mut buffered)?;
        buffered.flush()?;
        file.sync_all()
    });
    written.map_err(|error| about(path, &error))
}

/// Adds the path of a file to an error.
fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Writes content, precision, length, numbers and a checksum.
fn record(content: &Digest, row: &Row, bytes: &mut Vec<u8>) {
    let begin = bytes.len();
    bytes.extend(content.0);
    bytes.push(row.precision().bytes());
    bytes.extend((row.len() as u32).to_le_bytes());
    match row {
        Row::Single(values) => bytes.extend(values.iter().flat_map(|value| value.to_le_bytes())),
        Row::Double(values) => bytes.extend(values.iter().flat_map(|value| value.to_le_bytes())),
    }
    let sum = sum(&bytes[begin..]);
    bytes.extend(sum.to_le_bytes());
}

fn sum(bytes: &[u8]) -> u32 {
    let mut sum = Crc::new();
    sum.update(bytes);
    sum.sum()
}

/// Reads the next of at most `left` bytes into `record`, without its checksum: its content, and how many numbers it has in which
/// precision. `None` at the end, and where a record is damaged.
fn next(
    reader: &mut impl io::Read,
    left: u64,
    record: &mut Vec<u8>,
) -> io::Result<Option<(Digest, u32, Precision)>> {
    if left < HEAD as u64 {
        return Ok(None);
    }
    record.resize(HEAD, 0);
    reader.read_exact(record)?;
    let Some((content, [size, count @ ..])) = record.split_first_chunk::<32>() else { return Ok(None) };
    let Ok(count) = <[u8; 4]>::try_from(count) else { return Ok(None) };
    let (content, count) = (Digest(*content), u32::from_le_bytes(count));
    let Some(precision) = Precision::of_bytes(*size) else { return Ok(None) };
    let length = u64::from(count) * u64::from(precision.bytes());
    if left < HEAD as u64 + length + 4 {
        return Ok(None);
    }
    record.resize(HEAD + length as usize, 0);
    reader.read_exact(&mut record[HEAD..])?;
    let mut found = [0; 4];
    reader.read_exact(&mut found)?;
    Ok((sum(record) == u32::from_le_bytes(found)).then_some((content, count, precision)))
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
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(format!("{source}.rows")), whole).unwrap();
        let cache = RowCache::open(folder.path(), source).unwrap();
        assert_eq!(cache.known.len(), 6);
        for (content, row) in (1..=6).map(row) {
            assert_eq!(cache.width(&content), Some(row.len()));
            assert_eq!(cache.get(&content).unwrap(), Some(row));
        }
    }

    /// Rows are read again from wherever they are: the file of an earlier process of the same name, the own file while more is
    /// appended, and the complete file.
    #[test]
    fn rows_are_found_wherever_they_are() {
        let source = Digest::of(b"source");
        let folder = tempfile::tempdir().unwrap();
        let mut earlier = RowCache::open(folder.path(), source).unwrap();
        earlier.append((1..=3).map(row).collect(), "same").unwrap();
        let mut cache = RowCache::open(folder.path(), source).unwrap();
        let agrees = |cache: &RowCache, last: u8| {
            (1..=last).map(row).all(|(content, row)| cache.get(&content).unwrap() == Some(row))
        };
        cache.append(vec![row(4)], "same").unwrap();
        assert!(agrees(&cache, 4));
        cache.append(vec![row(5), row(6)], "same").unwrap();
        assert!(agrees(&cache, 6) && cache.get(&row(7).0).unwrap().is_none());
        assert_eq!(names(folder.path()), [format!("{source}.same-1.part"), format!("{source}.same.part")]);
        cache.complete().unwrap();
        assert!(agrees(&cache, 6));
        assert_eq!(names(folder.path()), [format!("{source}.rows")]);
        let mut memory = RowCache::in_memory(source);
        memory.append((1..=6).map(row).collect(), "none").unwrap();
        assert!(agrees(&memory, 6));
    }

    #[test]
    fn truncated_rows_are_unknown_and_the_rest_is_kept() {
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
            let is_known = |&number: &u8| cache.get(&row(number).0).unwrap() == Some(row(number).1);
            let count = (1..=6).filter(is_known).count();
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
