//! Faults of a study of ratings are reported before it begins, with their place and what to write instead.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use crate::ratings::with_set;
use hype_core::ConditionKind::{self, Instruction, Prompt, Source};
use hype_core::{Item, ItemId, Role, Severity, Spec, Stimuli, Use};
use hype_sim::fixtures;
use hype_tasks as _;

/// The diagnostics of a study in YAML, as `severity[code] path: message`.
fn found(task: &str, rubric: &str, raters: &str, stimuli: &Stimuli) -> Vec<String> {
    let text = format!(
        "stimuli: {{ m: {{ role: generated, images: m/*.png }} }}\ntask: {{ kind: rating{task} }}\n\
         rubric: {{ kind: {rubric} }}\nraters: {{ {raters} }}\n"
    );
    let draft = Spec::draft(text.as_bytes()).unwrap();
    let mut all = draft.found.clone();
    all.extend(draft.check(stimuli, None, &draft.found));
    assert!(
        all.iter().all(|one| one.severity == Severity::Note || one.help.is_some() || one.code == "one-rater")
    );
    all.iter().map(|one| format!("{}[{}] {}: {}", one.severity, one.code, one.path, one.message)).collect()
}

#[track_caller]
fn tells(task: &str, rubric: &str, raters: &str, stimuli: &Stimuli, expected: &[&str]) {
    let found = found(task, rubric, raters, stimuli);
    let matches = found.len() == expected.len()
        && expected.iter().all(|wanted| found.iter().any(|told| told.contains(wanted)));
    assert!(matches, "\nfound {found:#?}\nexpected {expected:#?}");
}

fn items(count: u32, kinds: &[ConditionKind]) -> Stimuli {
    fixtures::items(count, &["m"], kinds)
}

#[test]
fn sound_studies_are_told_nothing() {
    let prompts = items(100, &[Prompt]);
    tells("", "opinion", "", &prompts, &[]);
    tells("", "heim.image", "per_item: 5", &prompts, &[]);
    tells(", per_session: 20, repeats: { per_session: 3 }", "heim.alignment", "per_item: 5", &prompts, &[]);
    tells("", "imagenhub.text_guided_generation", "", &prompts, &[]);
    tells(", reference: beside", "opinion, method: ccr", "", &items(10, &[Source]), &[]);
}

#[test]
fn missing_conditions_are_told_with_their_names() {
    let none =
        "rubric: the rubric heim.alignment needs `prompt`, which 100 of 100 images of m lack, such as 000000";
    tells("", "heim.alignment", "per_item: 5", &items(100, &[Source]), &[none]);
    let paths = "needs `prompt`, which 100 of 100 images of m lack, such as m/000000.png";
    tells("", "heim.originality", "per_item: 5", &fixtures::stimuli(1, &[("m", 100)]), &[paths]);
    tells(
        "",
        "imagenhub.text_guided_editing",
        "",
        &items(9, &[Prompt]),
        &["needs `instruction` and `source`"],
    );
    tells("", "imagenhub.mask_guided_editing", "", &items(9, &[Instruction, Source]), &["needs `mask`"]);
    tells("", "imagenhub.multi_concept_composition", "", &items(9, &[Prompt]), &["needs `subjects`"]);
    tells("", "imagenhub.control_guided_generation", "", &items(9, &[Prompt]), &["needs `control`"]);
    tells("", "opinion, method: dcr", "", &items(9, &[Prompt]), &["needs `source`"]);
    tells(", reference: beside", "opinion, method: ccr", "", &items(9, &[Prompt]), &["needs `source`"]);
    let hidden = ", conditions: [source]";
    tells(hidden, "heim.alignment", "per_item: 5", &items(100, &[Prompt]), &["needs `prompt`"]);
}

#[test]
fn one_item_without_its_prompt_is_found() {
    let all = items(9, &[Prompt]);
    let mut given: Vec<Item> = all.items().to_vec();
    given[4].conditions.clear();
    let stimuli = Stimuli::with_items(all.sets().to_vec(), all.all().to_vec(), given).unwrap();
    let told = "needs `prompt`, which 1 of 9 images of m lack, such as 000004";
    tells("", "imagenhub.text_guided_generation", "", &stimuli, &[told]);
}

#[test]
fn heim_asks_for_raters_and_images() {
    let few = ["warning[few-raters] raters.per_item", "warning[few-images] rubric: 99 images of m"];
    tells("", "heim.aesthetics", "", &items(99, &[]), &few);
    tells("", "heim.photorealism", "per_item: 5", &items(100, &[]), &["warning[no-real-images] rubric"]);
    let both = "heim.image, aspects: [alignment, photorealism]";
    let told = ["warning[photorealism-with-prompt] rubric.aspects[1]"];
    tells("", both, "per_item: 5", &items(100, &[Prompt]), &told);
    tells("", "heim.image, aspects: [photorealism]", "per_item: 5", &items(100, &[]), &[]);
}

#[test]
fn raters_are_counted_by_image() {
    let stimuli = items(9, &[]);
    tells("", "opinion", "per_model: 4", &stimuli, &["error[not-by-model] raters.per_model"]);
    tells("", "opinion", "design: between", &stimuli, &["error[not-between] raters.design"]);
    let qualification = "qualification: { trials: 10 }";
    tells("", "opinion", qualification, &stimuli, &["error[no-qualification] raters.qualification"]);
}

#[test]
fn sizes_have_to_fit() {
    let stimuli = items(9, &[]);
    tells(", per_session: 0", "opinion", "", &stimuli, &["error[out-of-range] task.per_session"]);
    tells(
        ", per_session: 10",
        "opinion",
        "",
        &stimuli,
        &["warning[short-sessions] task.per_session: sessions have 9"],
    );
    let repeats = ", repeats: { per_session: 5, apart: 5 }";
    tells(
        repeats,
        "opinion",
        "",
        &stimuli,
        &["error[too-few-images] task.repeats: 5 repeats, 5 images apart"],
    );
    let odd = ", repeats: { per_session: 1, apart: 0, min_agreement: 2 }, rest_every: 0, rest_s: 3601";
    let ranges = ["task.repeats.apart", "task.repeats.min_agreement", "task.rest_every", "task.rest_s"];
    tells(odd, "opinion", "", &stimuli, &ranges);
    let once = ", one_output_per_item: true";
    let two = fixtures::items(9, &["m", "n"], &[]);
    tells(&format!("{once}, per_session: 10"), "opinion", "", &two, &["warning[short-sessions]"]);
    let alone = fixtures::stimuli(1, &[("m", 9)]);
    tells(once, "opinion", "", &alone, &["error[no-items] task.one_output_per_item"]);
}

#[test]
fn gold_images_need_sets_and_answers_that_are_answers() {
    let main = items(9, &[]);
    let gold = |answers: &[(&str, &[&str])]| with_set(&main, "catch", Role::Real, Use::Gold, 3, answers);
    let asked = ", gold: { per_session: 3 }";
    tells(asked, "opinion", "", &gold(&[("opinion", &["4", "5"])]), &[]);
    tells(asked, "opinion", "", &main, &["error[no-gold] task.gold"]);
    tells("", "opinion", "", &gold(&[("opinion", &["5"])]), &["warning[unused-gold] task"]);
    let more = ", gold: { per_session: 4 }";
    tells(
        more,
        "opinion",
        "",
        &gold(&[("opinion", &["5"])]),
        &["error[too-few-images] task.gold.per_session"],
    );
    let zero = ", gold: { per_session: 0, pass: 1.5 }";
    tells(zero, "opinion", "", &gold(&[("opinion", &["5"])]), &["task.gold.per_session", "task.gold.pass"]);
    tells(asked, "opinion", "", &gold(&[]), &["error[no-gold-answers] stimuli.catch: gold stimuli"]);
    tells(
        asked,
        "opinion",
        "",
        &gold(&[("alignment", &["5"])]),
        &["error[unknown-question] stimuli.catch.answers.alignment: the rubric asks no question `alignment`"],
    );
    tells(
        asked,
        "opinion",
        "",
        &gold(&[("opinion", &["5", "excellent"])]),
        &[
            "error[unknown-answer] stimuli.catch.answers.opinion[1]: `excellent` is not an answer to `opinion`",
        ],
    );
    let slider =
        "likert, questions: [{ id: p, text: How real?, number: { minimum: 0, maximum: 10, whole: true } }]";
    tells(asked, slider, "", &gold(&[("p", &["9", "10"])]), &[]);
    tells(asked, slider, "", &gold(&[("p", &["9.5", "11"])]), &["answers.p[0]", "answers.p[1]"]);
}

#[test]
fn real_images_must_not_be_told_by_their_conditions() {
    let real = ", real: true";
    let alone = with_set(&items(9, &[Prompt]), "photos", Role::Real, Use::Main, 0, &[]);
    tells(real, "opinion", "", &items(9, &[]), &["error[no-reals] task.real"]);
    let mut all = alone.all().to_vec();
    let set = alone.set_named("photos").unwrap();
    let photo = hype_core::Stimulus::new(set, hype_core::Digest::of(b"p"), "p/1.png", all[0].media);
    all.push(photo);
    let stimuli = Stimuli::with_items(alone.sets().to_vec(), all.clone(), alone.items().to_vec()).unwrap();
    tells(real, "opinion", "", &stimuli, &["warning[conditions-tell] task.real: a `prompt` is shown"]);
    tells(", real: true, conditions: []", "opinion", "", &stimuli, &[]);
    all.last_mut().unwrap().item = Some(ItemId(0));
    let matched = Stimuli::with_items(alone.sets().to_vec(), all, alone.items().to_vec()).unwrap();
    tells(real, "opinion", "", &matched, &[]);
}

#[test]
fn rubrics_and_tasks_have_to_go_together() {
    let stimuli = items(9, &[Source]);
    tells(
        "",
        "hype_infinity",
        "",
        &stimuli,
        &[
            "error[no-questions] rubric: the rubric hype_infinity asks no questions",
            "error[wrong-rubric] rubric",
        ],
    );
    tells("", "opinion, method: ccr", "", &stimuli, &["error[no-pairs] rubric.method"]);
    tells("", "opinion, method: acr-hr", "", &stimuli, &["error[no-reference] rubric.method"]);
    tells(", reference: beside", "opinion", "", &stimuli, &["error[pairs] rubric.method"]);
    for rubric in ["heim.image", "imagenhub.subject_driven_generation", "opinion", "likert, questions: []"] {
        let text = format!(
            "stimuli: {{ m: {{ role: generated, images: m/*.png }} }}\ntask: {{ kind: hype_infinity }}\n\
             rubric: {{ kind: {rubric} }}\n"
        );
        let spec = Spec::read(text.as_bytes()).unwrap().spec;
        let told = spec.check(&fixtures::stimuli(120, &[("m", 120)]));
        assert!(
            told.iter().any(|one| one.code == "wrong-rubric" && one.path == "rubric"),
            "{rubric}: {told}"
        );
    }
}

#[test]
fn likert_questions_have_to_be_askable() {
    let stimuli = items(9, &[]);
    let tell = |questions: &str, expected: &[&str]| {
        tells("", &format!("likert, questions: [{questions}]"), "", &stimuli, expected);
    };
    tell("", &["error[no-questions] rubric", "error[empty] rubric.questions"]);
    tell("{ id: a, text: A? }", &["error[bad-question] rubric", "error[no-options] rubric.questions[0]"]);
    tell(
        "{ id: a, text: '', options: [x] }",
        &["rubric.questions[0].text", "[too-few-options] rubric.questions[0].options"],
    );
    tell("{ id: consistency, text: A?, options: [x, y] }", &["error[bad-key] rubric.questions[0].id"]);
    let range = "number: { minimum: 5, maximum: 5 }";
    tell(&format!("{{ id: a, text: A?, {range} }}"), &["error[out-of-range] rubric.questions[0].number"]);
    tell(&format!("{{ id: a, text: A?, options: [x, y], {range} }}"), &["error[two-forms]"]);
    let twice = "{ id: a, text: A?, options: [x, y] }, { id: a, text: B?, options: [x, y] }";
    tell(twice, &["error[bad-question]", "error[duplicate] rubric.questions[1].id"]);
    let told = "warning[score-unlike-label] rubric.questions[0].options[0]: the option `0` scores 1";
    tell("{ id: a, text: A?, options: ['0', { label: '1', score: 1 }] }", &[told]);
    tell("{ id: a, text: A?, options: ['1', '2'] }", &[]);
    let same = "{ id: a, text: A?, options: [{ label: x, value: '2' }, { label: y }] }";
    tell(same, &["error[duplicate] rubric.questions[0].options[1]"]);
}

#[test]
fn yaml_faults_point_at_the_option() {
    let text = "stimuli: { m: { role: generated, images: m/*.png } }\ntask: { kind: rating }\nrubric:\n  kind: likert\n  \
                questions:\n    - id: a\n      text: A?\n      options:\n        - Bad\n        - { label: Good, \
                scor: 2 }\n";
    let found = Spec::read(text.as_bytes()).unwrap_err();
    let fault = found.iter().next().unwrap();
    assert_eq!((fault.code, fault.line), ("unknown-field", Some(10)), "{found}");
}
