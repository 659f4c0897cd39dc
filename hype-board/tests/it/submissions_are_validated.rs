//! A submission has one image for each item, and shares none with another model.

use std::fs;

use hype_board::{NewModel, Visibility};

use super::support::{Bench, Draws, HONEST, close, public};

#[test]
fn faults_are_named_and_leave_nothing() {
    let mut bench = Bench::new(&[]);
    bench.add("first", "a");
    let before = bench.board.submissions().unwrap();
    let good = bench.images("second");
    let fault = |bench: &Bench, says: &str| {
        let error = bench.board.add(&good, &public("second", "b")).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(bench.board.submissions().unwrap(), before);
        let left = fs::read_dir(bench.root().join("submissions")).unwrap().count();
        assert_eq!(left, 1, "{says}");
    };
    let image = fs::read(good.join("0002.png")).unwrap();
    fs::remove_file(good.join("0002.png")).unwrap();
    fault(&bench, "1 of 2 items have no image, the first 0002");
    fs::write(good.join("0002.png"), &image[..image.len() / 2]).unwrap();
    fault(&bench, "0002.png");
    fs::copy(good.join("0001.png"), good.join("0002.png")).unwrap();
    fault(&bench, "it is the same image as 0001.png");
    let other = bench.root().join("submissions/first/images/0002.png");
    fs::copy(other, good.join("0002.png")).unwrap();
    fault(&bench, "it is the image 0002.png of first");
    fs::write(good.join("0002.png"), &image).unwrap();
    fs::write(good.join("0003.png"), &image).unwrap();
    fault(&bench, "no item has the key \"0003\"");
    fs::rename(good.join("0003.png"), good.join("0002.webp")).unwrap();
    fault(&bench, "item 0002 has two images");
    fs::remove_file(good.join("0002.webp")).unwrap();
    bench.board.add(&good, &public("second", "b")).unwrap();
    assert!(bench.board.add(&good, &public("second", "b")).unwrap_err().to_string().contains("taken"));
    assert!(bench.board.add(&good, &public("../x", "b")).unwrap_err().to_string().contains("are allowed"));
    // Folders and pages of some systems do not tell them apart.
    let other = bench.images("third");
    let error = bench.board.add(&other, &public("Second", "b")).unwrap_err().to_string();
    assert!(error.contains("second is taken"), "{error}");
}

#[test]
fn waves_have_all_items_and_codenames_a_future() {
    let names = ["a1", "a2", "a3", "a4", "a5"];
    let mut bench = Bench::new(&names);
    for anchor in names {
        bench.add(anchor, "lab");
    }
    let begun = |bench: &Bench, models: &[String]| bench.board.begin_wave(models, "2026-01-01");
    let path = bench.root().join("items.csv");
    let rows = fs::read_to_string(&path).unwrap();
    for (rows, says) in [
        (rows.clone() + "0003,c\n", "a1 has no image of item 0003"),
        (rows.replace("0002,b\n", ""), "a1 has an image of 0002, which items.csv does not have"),
    ] {
        fs::write(&path, rows).unwrap();
        let error = begun(&bench, &[]).unwrap_err().to_string();
        assert!(error.contains(says) && bench.board.waves().unwrap().is_empty(), "{error}");
    }
    fs::write(&path, rows).unwrap();
    begun(&bench, &[]).unwrap();
    close(&bench.board, &|_| 0.0, &HONEST, &mut Draws(1));
    let error = begun(&bench, &["a2".into()]).unwrap_err().to_string();
    assert!(error.contains("every wave rates its anchors, a2"), "{error}");
    let late = Visibility::Codename { codename: "owl".into(), until: 1 };
    let source = bench.images("late");
    let error = bench.board.add(&source, &NewModel { visibility: late, ..public("late", "b") }).unwrap_err();
    assert!(error.to_string().contains("wave 1 has closed"), "{error}");
}

#[test]
fn private_names_are_in_no_spec() {
    let mut bench = Bench::new(&["a1", "a2", "a3", "a4", "a5"]);
    for anchor in ["a1", "a2", "a3", "a4", "a5"] {
        bench.add(anchor, "lab");
    }
    let source = bench.images("hidden");
    let hidden = NewModel { visibility: Visibility::Private, ..public("hidden-model", "maker") };
    assert_eq!(bench.board.add(&source, &hidden).unwrap().alias, "private-006");
    let source = bench.images("coded");
    let coded = Visibility::Codename { codename: "owl".into(), until: 2 };
    bench.board.add(&source, &NewModel { visibility: coded, ..public("coded-model", "maker") }).unwrap();
    let design = bench.board.begin_wave(&[], "2026-01-01").unwrap();
    assert_eq!(design.record.new, ["owl", "private-006"]);
    let spec = fs::read_to_string(&design.spec).unwrap();
    let sets: Vec<&str> = spec.lines().filter(|line| line.ends_with("model:")).collect();
    assert!(sets.is_empty(), "{spec}");
    assert!(bench.board.begin_wave(&[], "2026-01-01").unwrap_err().to_string().contains("wave 1 is open"));
}
