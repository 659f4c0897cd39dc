//! The page in each language: its frame is translated, what is not translated is marked as English, and numbers are not localized.

use hype_core::MediaKind;
use hype_core::model::findings::StudyCard;
use hype_report::{FigureFormats, ReportLanguage, ReportSource, report, report_in};

use crate::findings::{card, findings, headline, names, of_errors, over_facets, records, source};
use crate::key_figures_fit::of_criteria;
use crate::tasks_have_figures::of_staircases;

/// The text outside elements that are marked as English, and outside the style.
fn own_text(page: &str) -> String {
    let body = page.split_once("</head>").unwrap().1;
    let (mut text, mut open, mut english) = (String::new(), Vec::new(), 0_usize);
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('<') {
        if english == 0 {
            text.push_str(before);
        }
        let (tag, after) = after.split_once('>').unwrap();
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            if let Some((opened, is_english)) = open.pop() {
                assert_eq!(opened, name, "elements are closed in order");
                english -= usize::from(is_english);
            }
        } else if !tag.ends_with('/') && !["meta", "link", "br"].contains(&tag.split(' ').next().unwrap()) {
            let is_english = tag.contains("lang=\"en\"");
            english += usize::from(is_english);
            open.push((tag.split(' ').next().unwrap(), is_english));
        }
    }
    text
}

#[test]
fn the_frame_is_in_the_language_and_the_rest_is_marked() {
    let found = findings(&["a", "b", "c"], 8);
    let records = records(&found);
    let source = source(&found, &records);
    for (language, direction, result, simulated) in [
        (ReportLanguage::German, "ltr", "Ergebnis", "SIMULIERT: keine Menschen"),
        (ReportLanguage::Spanish, "ltr", "Resultado", "SIMULADO: sin personas"),
        (ReportLanguage::Chinese, "ltr", "结果", "模拟：无真人"),
        (ReportLanguage::Arabic, "rtl", "النتيجة", "محاكاة: بلا أشخاص"),
    ] {
        let files = report_in(&source, language, FigureFormats::Drawn).unwrap();
        let page = &files[0].text;
        let tag = language.tag();
        assert!(page.contains(&format!("<html lang=\"{tag}\" dir=\"{direction}\">")), "{tag}");
        assert!(page.contains(&format!("<a href=\"#f1\">{result}</a>")), "{tag}");
        assert!(page.contains(&format!("<span class=\"chip\">{simulated}</span>")), "{tag}");
        let own = own_text(page);
        for english in [
            "does not say",
            "Checklist (",
            "Methods",
            "Which model",
            "hardest",
            "told apart",
            "Dots",
            "Differences",
            "Raters",
        ] {
            let around = own.split(english).take(2).map(|part| part.lines().last().unwrap_or_default());
            assert!(!own.contains(english), "{tag}: {english} after {:?}", around.collect::<Vec<_>>());
        }
        // The estimate of the best model, and its lead with the ends of its interval.
        for number in ["90", "53.3", "46.3", "60.3"] {
            assert!(own.contains(number), "{tag}: {number}");
        }
    }
}

#[test]
fn only_the_page_depends_on_the_language() {
    let found = findings(&["a", "b", "c"], 8);
    let records = records(&found);
    let source = source(&found, &records);
    let english = report(&source);
    let german = report_in(&source, ReportLanguage::German, FigureFormats::Drawn).unwrap();
    assert_eq!(english[1..], german[1..]);
    assert_eq!(report_in(&source, ReportLanguage::English, FigureFormats::Drawn).unwrap(), english);
    assert!(
        english[0].text.contains("<html lang=\"en\" dir=\"ltr\">") && !english[0].text.contains("<span lang")
    );
}

#[test]
fn every_question_of_a_figure_is_translated() {
    let found = findings(&["a", "b", "c"], 8);
    let records = records(&found);
    let source = source(&found, &records);
    let figures = hype_report::figures(&source);
    for language in ReportLanguage::ALL.into_iter().skip(1) {
        let page = report_in(&source, language, FigureFormats::Drawn).unwrap().remove(0).text;
        let own = own_text(&page);
        for figure in figures.iter().skip(1) {
            let question = &figure.reading.question;
            assert!(!own.contains(question), "{}: {}", language.tag(), figure.id);
            let english = format!("<h2 id=\"{}\"><span lang=\"en\"", figure.id);
            assert!(!page.contains(&english), "{}: {question} has no translation", language.tag());
        }
    }
}

/// Checks that the sections of figures about scores have no English sentence, and returns how many there are.
fn assert_translated(source: &ReportSource<'_>) -> usize {
    let mut count = 0;
    for language in ReportLanguage::ALL.into_iter().skip(1) {
        let page = report_in(source, language, FigureFormats::Drawn).unwrap().remove(0).text;
        for section in page.split("<section ").skip(1) {
            let id = section.split("id").nth(1).unwrap().split('"').nth(1).unwrap();
            if ["f1", "f1-also", "f2", "f4", "f8", "f9", "f17", "f19"].contains(&id) {
                assert!(!section.contains("<span lang=\"en\""), "{}: {section}", language.tag());
                count += 1;
            }
        }
    }
    count
}

#[test]
fn every_sentence_about_scores_is_translated() {
    let mut count = 0;
    let names = names(14);
    let many: Vec<&str> = names.iter().map(String::as_str).collect();
    for (models, raters) in
        [(&["a", "b", "c"][..], 12), (&["a", "b"], 100), (&["a", "b", "c", "d"], 400), (&many, 12)]
    {
        let mut all = findings(models, raters);
        all.notes.clear();
        count += assert_translated(&source(&all, &records(&all)));
    }
    let (study, times, of_times) = of_staircases();
    let (errors, of_errors) = of_errors(9);
    let (criteria, of_criteria) = of_criteria(&["a", "b", "c"], 12);
    let facets = over_facets();
    let of_facets = records(&facets);
    for (mut all, records) in
        [(times, of_times), (errors, of_errors), (criteria, of_criteria), (facets, of_facets)]
    {
        all.notes.clear();
        count += assert_translated(&ReportSource { study: Some(&study), ..source(&all, &records) });
    }
    assert!(count > 4 * 15, "{count} sections");
}

#[test]
fn reports_of_clips_and_texts_say_nothing_of_images() {
    let (mut all, records) = of_errors(9);
    all.notes.clear();
    all.measures[0].comparisons[0].p = Some(0.001);
    for (media, words) in [
        (MediaKind::Image, ["images", "Bilder", "imágenes", "图像", "الصور"]),
        (MediaKind::Video, ["clips", "Videos", "vídeos", "视频", "المقاطع"]),
        (MediaKind::Text, ["texts", "Texte", "textos", "文本", "النصوص"]),
    ] {
        all.study = Some(StudyCard { media, ..card("hype_infinity") });
        let source = source(&all, &records);
        for (language, word) in ReportLanguage::ALL.into_iter().zip(words) {
            let page = report_in(&source, language, FigureFormats::Drawn).unwrap().remove(0).text;
            assert!(headline(&page).contains(word), "{}: {}", language.tag(), headline(&page));
            let gallery = page.split("id=\"f10-").nth(1).unwrap();
            assert!(gallery.contains(word), "{}: {gallery}", language.tag());
            for other in ["images", "Bilder", "imágenes", "图像", "الصور"] {
                assert!(media.is_image() || !page.contains(other), "{} in {media}: {other}", language.tag());
            }
        }
    }
}
