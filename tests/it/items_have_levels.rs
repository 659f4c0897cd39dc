//! Facets of items: their table's columns become levels, and findings have a part for each.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program;

/// A folder with six items of two categories, four raters of each image, and a spec that ends in these lines.
fn folder(columns: &str, further: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/quickstart/images");
    let mut table = format!("item,prompt{columns}\n");
    for number in 1..=6 {
        for model in ["good", "weak"] {
            let name = format!("{model}/{number:04}.png");
            fs::create_dir_all(folder.path().join(model)).unwrap();
            fs::copy(images.join(&name), folder.path().join(&name)).unwrap();
        }
        let category = ["animals", "objects"][number % 2];
        let cells = if columns.is_empty() { String::new() } else { format!(",{category}") };
        writeln!(table, "{number:04},A thing{cells}").unwrap();
    }
    fs::write(folder.path().join("items.csv"), table).unwrap();
    let spec = format!(
        "name: categories\nseed: 3\nstimuli:\n  good: {{ role: generated, images: \"good/*.png\" }}\n  weak: {{ role: generated, \
         images: \"weak/*.png\" }}\nitems: {{ table: items.csv }}\ntask: {{ kind: rating, conditions: [prompt], per_session: 12 }}\n\
         rubric: {{ kind: heim.image, aspects: [alignment] }}\nraters: {{ per_item: 4 }}\nsimulate:\n  kind: synthetic\n  observers: \
         {{ good: {{ quality: 0.8 }}, weak: {{ quality: 0.3 }} }}\n{further}"
    );
    fs::write(folder.path().join("study.yaml"), spec).unwrap();
    folder
}

const BY_CATEGORY: &str = "facets: { category: { of: items, order: [objects, animals] } }\naggregate: { kind: by_facet, within: \
                           category, generalize_to: raters }\n";

#[test]
fn results_have_a_part_for_each_category_of_items() {
    let folder = folder(",category", BY_CATEGORY);
    let said =
        program::succeeds(folder.path(), &["run", "study.yaml", "--simulate", "--study", "kept", "--full"]);
    assert!(said.contains("objects") && said.contains("animals"), "{said}");
    let read = || fs::read_to_string(folder.path().join("kept/findings.json")).unwrap();
    let findings: Value = serde_json::from_str(&read()).unwrap();
    let score = &findings["measures"][0];
    let levels = score["facets"].as_array().unwrap();
    let names: Vec<&str> = levels.iter().map(|level| level["level"].as_str().unwrap()).collect();
    assert_eq!(names, ["objects", "animals"]);
    let of = |part: &Value, model: &str, field: &str| {
        let all = part["estimates"].as_array().unwrap();
        all.iter().find(|one| one["model"] == model).unwrap()[field].as_f64().unwrap()
    };
    for model in ["good", "weak"] {
        let counts: Vec<f64> = levels.iter().map(|level| of(level, model, "responses")).collect();
        assert_eq!(counts, [12.0, 12.0], "three items of each category, four raters of each");
        assert_eq!(of(score, model, "responses"), 24.0);
    }
    assert_eq!(score["comparisons"].as_array().unwrap().len(), 1, "models are compared over all items too");
    let figures = fs::read_dir(folder.path().join("kept/report/figures")).unwrap();
    assert!(figures.flatten().any(|file| file.file_name() == "f17.svg"));
    let before = read();
    program::succeeds(folder.path(), &["score", "kept"]);
    assert_eq!(read(), before);
}

/// Synthetic raters who value a model differently at a level of a facet.
#[test]
fn models_may_be_worth_something_else_at_a_level() {
    let with = |levels: &str| {
        let folder = folder(",category", BY_CATEGORY);
        let path = folder.path().join("study.yaml");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(
            &path,
            text.replace("weak: { quality: 0.3 }", &format!("weak: {{ quality: 0.3, levels: {levels} }}")),
        )
        .unwrap();
        folder
    };
    let shifted = with("{ category: { animals: 0.7 } }");
    let found = program::json(shifted.path(), &["simulate", "study.yaml", "--json"]);
    let of_weak = |level: usize| {
        let all = found["measures"][0]["facets"][level]["estimates"].as_array().unwrap();
        all.iter().find(|one| one["model"] == "weak").unwrap()["value"].as_f64().unwrap()
    };
    // Objects come first, and animals are worth the whole scale.
    assert!(of_weak(1) > of_weak(0) + 1.5, "{} {}", of_weak(0), of_weak(1));
    for (levels, says) in [
        ("{ category: { animal: 0.2 } }", "no item has the level `animal` of category"),
        ("{ categori: { animals: 0.2 } }", "the levels of items are: none"),
        ("{ category: { animals: 2 } }", "use a number from -1 to 1, such as -0.2"),
    ] {
        let said = program::fails(with(levels).path(), &["check", "study.yaml"]);
        assert!(said.contains(says), "{levels}: {said}");
    }
}

#[test]
fn columns_and_facets_that_do_not_match_are_refused() {
    let without = folder(",category", "");
    let said = program::says(without.path(), &["check", "study.yaml"]);
    assert!(
        said.contains("not read: category") && said.contains("facets: { category: { of: items } }"),
        "{said}"
    );

    let missing = folder("", BY_CATEGORY);
    let said = program::fails(missing.path(), &["check", "study.yaml"]);
    assert!(said.contains("no item has a level of category"), "{said}");
    assert!(said.contains("add the column `category` to the table of items"), "{said}");

    let misspelt = folder(",category", &BY_CATEGORY.replace("animals", "animal"));
    let said = program::fails(misspelt.path(), &["check", "study.yaml"]);
    assert!(said.contains("`animals` is not in the `order` of category"), "{said}");
    assert!(said.contains("animal"), "{said}");
}
