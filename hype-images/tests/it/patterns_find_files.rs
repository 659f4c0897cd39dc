//! Patterns resolve into files in a fixed order, and obstacles are reported.

use std::fs;
use std::path::Path;

use hype_images::{Found, ImageError, Nearest, find};
use tempfile::TempDir;

fn folder(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    folder
}

fn names(found: &Found) -> Vec<&str> {
    found.images.iter().map(|file| &*file.relative).collect()
}

fn check(base: &Path, patterns: &[&str], want: &[&str]) {
    let found = find(base, patterns).unwrap();
    assert_eq!(names(&found), want, "{patterns:?}");
    for file in &found.images {
        assert!(file.path.is_file());
    }
}

fn message(base: &Path, pattern: &str) -> String {
    let text = find(base, &[pattern]).unwrap_err().to_string();
    text.replace(&base.display().to_string(), "BASE")
}

#[test]
fn patterns_resolve_in_byte_order_without_repeats() {
    let study = folder(&[
        "real/10.png",
        "real/9.png",
        "real/a.JPG",
        "real/.hidden.png",
        "real/sub/1.webp",
        "real/sub/.secret/2.png",
        "real-more/1.jpeg",
        "Real.png",
        "top.png",
        "real/notes.txt",
    ]);
    fs::create_dir(study.path().join("real/folder.png")).unwrap();
    let base = study.path();
    check(base, &["real/*.png"], &["real/10.png", "real/9.png"]);
    check(base, &["real/*"], &["real/10.png", "real/9.png", "real/a.JPG"]);
    check(base, &["./real//9.png", "real/9.*"], &["real/9.png"]);
    check(base, &["real/?.png", "real/[0-9]*.png"], &["real/10.png", "real/9.png"]);
    check(base, &["**/*.png"], &["Real.png", "real/10.png", "real/9.png", "top.png"]);
    // `-` sorts before `/`, whatever the folders' order.
    check(
        base,
        &["**"],
        &[
            "Real.png",
            "real-more/1.jpeg",
            "real/10.png",
            "real/9.png",
            "real/a.JPG",
            "real/sub/1.webp",
            "top.png",
        ],
    );
    check(base, &["real/**/1.webp", "real/**/**/sub/*"], &["real/sub/1.webp"]);
    check(base, &["real/sub/.secret/*"], &["real/sub/.secret/2.png"]);
    check(&base.join("real"), &["../top.png"], &["../top.png"]);
    check(&base.join("real"), &["*.png"], &["10.png", "9.png"]);
}

#[test]
fn files_of_other_kinds_are_listed_apart() {
    let study = folder(&["a/1.png", "a/2.gif", "a/README", "b/1.gif", "b/2.gif", "b/3"]);
    let found = find(study.path(), &["a/*"]).unwrap();
    assert_eq!(names(&found), ["a/1.png"]);
    let others: Vec<_> = found.others.iter().map(|file| &*file.relative).collect();
    assert_eq!(others, ["a/2.gif", "a/README"]);
    assert_eq!(
        message(study.path(), "b/*"),
        "the pattern `b/*` matches 3 files, none of them png, jpg, jpeg or webp: *.gif (2), no extension (1)"
    );
}

#[test]
fn a_pattern_without_a_match_tells_the_nearest_thing() {
    let study = folder(&["images/real/1.jpg", "images/real/2.jpg", "images/fake/x/1.png", "spec.yaml"]);
    fs::create_dir(study.path().join("empty")).unwrap();
    for (pattern, want) in [
        (
            "images/real/*.png",
            "the pattern `images/real/*.png` matches no file in images/real: images/real holds 2 files, *.jpg",
        ),
        (
            "images/reel/deep/*.png",
            "the pattern `images/reel/deep/*.png` matches no file in images/reel/deep: images/reel does not exist; images holds fake, real",
        ),
        (
            "images/*.png",
            "the pattern `images/*.png` matches no file in images: images holds only folders: fake, real",
        ),
        ("empty/**/*.png", "the pattern `empty/**/*.png` matches no file in empty: empty is empty"),
        (
            "*.png",
            "the pattern `*.png` matches no file in BASE: BASE holds 1 file, *.yaml, and the folders empty, images",
        ),
        (
            "spec.yaml/1.png",
            "the pattern `spec.yaml/1.png` matches no file in spec.yaml: spec.yaml does not exist; BASE holds empty, images, spec.yaml",
        ),
    ] {
        assert_eq!(message(study.path(), pattern), want);
    }
    let gone = study.path().join("nowhere/at/all");
    let Err(ImageError::NoMatch { nearest, .. }) = find(&gone, &["*.png"]) else {
        panic!("a missing base has no files");
    };
    let Nearest::NoFolder { existing, .. } = *nearest else {
        panic!("a missing base is missing");
    };
    assert_eq!(existing, study.path().display().to_string());
}

#[test]
fn malformed_patterns_are_refused() {
    let study = folder(&["1.png"]);
    for (pattern, reason) in [
        ("", "names no file"),
        ("./", "names no file"),
        ("C:/x/*.png", "relative"),
        ("a\\*.png", "write /"),
        ("*.{png,jpg}", "several patterns"),
        ("a**/x.png", "recursive wildcards"),
        ("[a.png", "range"),
        ("a\0.png", "zero byte"),
    ] {
        let error = find(study.path(), &[pattern]).unwrap_err();
        assert!(matches!(error, ImageError::Pattern { .. }), "{pattern}: {error}");
        assert!(error.to_string().contains(reason), "{pattern}: {error}");
    }
}

#[test]
fn absolute_patterns_are_found_wherever_the_study_is() {
    let images = folder(&["real/1.png", "real/2.png"]);
    let root = images.path().canonicalize().unwrap();
    let pattern = format!("{}/real/*.png", root.display());
    let found = find("elsewhere".as_ref(), &[&pattern]).unwrap();
    let expected = ["1.png", "2.png"].map(|name| root.join("real").join(name));
    assert_eq!(found.images.iter().map(|file| file.path.clone()).collect::<Vec<_>>(), expected);
    assert_eq!(&*found.images[0].relative, expected[0].to_str().unwrap());
    let missing = format!("{}/fake/*.png", root.display());
    let said = find("elsewhere".as_ref(), &[&missing]).unwrap_err().to_string();
    assert!(said.contains("holds real"), "{said}");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn links_are_followed_but_not_round_in_circles() {
        let study = folder(&["real/1.png", "store/2.png"]);
        let base = study.path();
        symlink("..", base.join("real/up")).unwrap();
        symlink("../store/2.png", base.join("real/2.png")).unwrap();
        symlink("store", base.join("linked")).unwrap();
        check(base, &["**/*.png"], &["real/1.png", "real/2.png", "store/2.png"]);
        check(base, &["linked/*.png"], &["linked/2.png"]);
        check(base, &["l*/*.png"], &["linked/2.png"]);
    }

    #[test]
    fn broken_links_and_circles_of_links_are_faults() {
        let study = folder(&["real/1.png"]);
        let base = study.path();
        symlink("nothing.png", base.join("real/2.png")).unwrap();
        for pattern in ["real/*.png", "real/2.png", "**/*.png"] {
            let error = find(base, &[pattern]).unwrap_err();
            assert!(matches!(&error, ImageError::BrokenLink { path } if path == "real/2.png"), "{error}");
        }
        check(base, &["real/1*"], &["real/1.png"]);
        symlink("loop.png", base.join("loop.png")).unwrap();
        let error = find(base, &["*.png"]).unwrap_err();
        assert!(matches!(error, ImageError::Unreadable { .. }), "{error}");
    }

    #[test]
    fn names_that_are_not_utf8_are_faults_where_they_match() {
        let study = folder(&["1.png"]);
        let name = std::ffi::OsStr::from_bytes(b"\xff.png");
        if fs::write(study.path().join(name), "x").is_err() {
            println!("skipped: this file system refuses such names");
            return;
        }
        let error = find(study.path(), &["*.png"]).unwrap_err();
        assert!(matches!(error, ImageError::NotUtf8 { .. }), "{error}");
        check(study.path(), &["1*"], &["1.png"]);
    }

    #[test]
    fn folders_that_cannot_be_read_are_faults() {
        let study = folder(&["locked/1.png"]);
        let locked = study.path().join("locked");
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
        let all_powerful = fs::read_dir(&locked).is_ok();
        let outcome = find(study.path(), &["locked/*.png"]);
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
        if all_powerful {
            println!("skipped: this user reads everything");
            return;
        }
        assert!(matches!(outcome, Err(ImageError::Unreadable { path, .. }) if path == "locked"));
    }
}
