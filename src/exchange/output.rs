//! Files that are written completely or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A file, or standard output, that receives its content only when it is complete.
///
/// Everything goes to a temporary file first: next to the final file or, for standard output and for devices, in the
/// system's folder for temporary files. Dropping this value removes the temporary file.
#[derive(Debug)]
pub struct Output {
    file: BufWriter<File>,
    temporary: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    File(PathBuf),
    Stream(Option<PathBuf>),
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl Output {
    /// Begins a file, or standard output if `path` is `None`.
    ///
    /// # Errors
    /// If the temporary file cannot be created. Like all errors of this type, it names the file.
    pub fn begin(path: Option<&Path>) -> io::Result<Self> {
        let unique = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let target = match path {
            None => Target::Stream(None),
            // The target of a link is replaced, not the link. Devices and pipes are written to directly.
            Some(path) => match fs::metadata(path) {
                Ok(found) if found.is_dir() => return Err(about(path)(io::ErrorKind::IsADirectory.into())),
                Ok(found) if !found.is_file() => Target::Stream(Some(path.to_owned())),
                Ok(_) => Target::File(fs::canonicalize(path).map_err(about(path))?),
                Err(_) => Target::File(path.to_owned()),
            },
        };
        let temporary = match &target {
            Target::Stream(_) => std::env::temp_dir().join(format!("hype-{unique}")),
            Target::File(path) => {
                let mut name = path.file_name().unwrap_or_default().to_owned();
                name.push(format!(".{unique}.new"));
                path.with_file_name(name)
            }
        };
        let mut options = OpenOptions::new();
        let file =
            options.read(true).write(true).create_new(true).open(&temporary).map_err(about(&temporary))?;
        Ok(Self { file: BufWriter::new(file), temporary, target })
    }

    /// Renames the temporary file to the final file, or copies it to standard output.
    ///
    /// # Errors
    /// If the disk fails. The final file is then unchanged.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        match &self.target {
            Target::File(path) => {
                self.file.get_ref().sync_all().map_err(about(&self.temporary))?;
                fs::rename(&self.temporary, path).map_err(about(path))
            }
            Target::Stream(path) => {
                let file = self.file.get_mut();
                file.rewind().map_err(about(&self.temporary))?;
                let name = path.as_deref().unwrap_or(Path::new("standard output"));
                let mut out: Box<dyn Write> = match path {
                    Some(path) => Box::new(OpenOptions::new().write(true).open(path).map_err(about(path))?),
                    None => Box::new(io::stdout().lock()),
                };
                io::copy(file, &mut out).and_then(|_| out.flush()).map_err(about(name))
            }
        }
    }
}

/// Adds the path of the file to an error.
fn about(path: &Path) -> impl FnOnce(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(about(&self.temporary))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(about(&self.temporary))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        let _ = fs::remove_file(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_is_written_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scores.csv");
        fs::write(&path, "before").unwrap();
        let mut out = Output::begin(Some(&path)).unwrap();
        out.write_all(b"half").unwrap();
        drop(out);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        let mut out = Output::begin(Some(&path)).unwrap();
        out.write_all(b"whole").unwrap();
        out.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(names(folder.path()), ["scores.csv"]);
        assert!(Output::begin(Some(folder.path())).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "before").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for path in [link.as_path(), Path::new("/dev/null")] {
            let mut out = Output::begin(Some(path)).unwrap();
            out.write_all(b"whole").unwrap();
            out.finish().unwrap();
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "whole");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
