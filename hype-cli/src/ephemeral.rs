//! Refuses to keep people's answers where they would be gone with a container.

use std::fs;
use std::path::Path;

use super::failure::Failure;

/// The variable that the image sets: without it, the program is in no container of its own.
const CONTAINER: &str = "HYPE_CONTAINER";

/// The variable by which an operator accepts that answers are lost.
const ACCEPTED: &str = "HYPE_EPHEMERAL";

/// File systems that are gone with their container.
const EPHEMERAL: [&str; 3] = ["overlay", "tmpfs", "ramfs"];

/// Refuses the folder of a study of people if the container that runs this program loses it when it ends.
pub(crate) fn refuse(folder: &Path) -> Result<(), Failure> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !is_set(CONTAINER) || is_set(ACCEPTED) {
        return Ok(());
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let folder = std::path::absolute(folder)?;
    match file_system(&mounts, &folder) {
        Some(kind) if EPHEMERAL.contains(&kind) => Err(Failure::Message(format!(
            "people's answers in {} would be gone with this container, whose folders are a file system of the kind {kind}: mount a \
             volume at /data, or set {ACCEPTED}=yes to lose them",
            folder.display()
        ))),
        _ => Ok(()),
    }
}

/// The kind of the file system of a folder, by the system's list of mounts.
fn file_system<'a>(mounts: &'a str, folder: &Path) -> Option<&'a str> {
    let mount = |line: &'a str| {
        let (before, after) = line.split_once(" - ")?;
        let place = before.split(' ').nth(4)?;
        folder.starts_with(place).then_some((place.len(), after.split(' ').next()?))
    };
    // Of two at one place, the later one covers the other.
    mounts.lines().filter_map(mount).max_by_key(|(length, _)| *length).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mount_says_what_a_folder_is() {
        let mounts = "22 1 0:21 / / rw,relatime - overlay overlay rw\n23 22 8:1 /v /data rw - ext4 /dev/sda1 rw\n\
                      24 22 0:5 / /tmp rw - tmpfs tmpfs rw\n";
        let kind = |folder: &str| file_system(mounts, Path::new(folder));
        assert_eq!(kind("/data/study.study"), Some("ext4"));
        assert_eq!(kind("/database"), Some("overlay"));
        assert_eq!(kind("/tmp/x"), Some("tmpfs"));
        assert_eq!(file_system("", Path::new("/data")), None);
    }
}
