//! Sentences of figures on data that make the obvious wording false: pairs against the order, ties, missing values, many models.

use hype_core::model::findings::{CheckFindings, Earnings};
use hype_core::{Amount, Consequence, Direction, Estimate, Findings, Measure, Row, ScoreTable};
use hype_report::{
    FigureFormats, Records, ReportLanguage, ReportSource, figures, methods, references, report_in,
};

use crate::findings::{card, figure_of, findings, names, of_errors, of_ratings, of_votes, records, source};
use crate::typeset;

/// The description of a figure about these findings.
fn said(findings: &Findings, id: &str) -> String {
    let records = records(findings);
    figure_of(&source(findings, &records), id).description
}

#[test]
fn a_pair_against_the_order_of_estimates_is_no_lead() {
    let mut two = findings(&["a", "b"], 12);
    two.measures[0].comparisons[0].difference = -0.1;
    assert!(said(&two, "f1").ends_with(
        "; raters who judged both put b before it by 10.0 percentage points, which is not separable from zero (p = .234)."
    ));
    two.measures[0].comparisons[0].p = Some(0.012);
    assert!(
        said(&two, "f1").ends_with("by 10.0 percentage points, which is separable from zero (p = .012).")
    );
    two.measures[0].comparisons[0].p = None;
    assert!(said(&two, "f1").ends_with(
        "; the study does not test its lead over b, while raters who judged both put b before it."
    ));

    let mut three = findings(&["a", "b", "c"], 12);
    for pair in &mut three.measures[0].comparisons {
        pair.p = Some(0.001);
    }
    three.measures[0].comparisons[0].difference = -0.1;
    assert!(said(&three, "f1").ends_with(
        "; only its lead over c is separable from zero, while raters who judged both put b before it."
    ));
}

#[test]
fn a_lead_is_in_the_direction_that_is_better() {
    // The model with the lowest value is the best: its differences from others are negative.
    let mut lower = findings(&["a", "b"], 12);
    let found = &mut lower.measures[0];
    found.measure.direction = Direction::Lower;
    found.estimates.reverse();
    assert!(said(&lower, "f1").contains("b comes first"));
    assert!(said(&lower, "f1").contains("its lead over a of 40.0 percentage points is not separable"));
    lower.measures[0].comparisons[0].difference = -0.1;
    assert!(said(&lower, "f1").contains("raters who judged both put a before it by 10.0 percentage points"));
}

#[test]
fn a_pair_against_the_order_is_said_in_every_language() {
    let mut found = findings(&["a", "b", "c"], 12);
    found.measures[0].comparisons[0].difference = -0.1;
    let mut two = findings(&["a", "b"], 12);
    two.measures[0].comparisons[0].difference = -0.1;
    for findings in [found, two] {
        let records = records(&findings);
        for language in ReportLanguage::ALL {
            let files = report_in(&source(&findings, &records), language, FigureFormats::Drawn).unwrap();
            let answer = files[0].text.split("<p class=\"answer\">").nth(1).unwrap();
            let answer = answer.split("</p>").next().unwrap();
            assert!(!answer.contains("<span"), "{answer}");
        }
    }
}

#[test]
fn the_interval_of_one_model_is_not_that_of_all_that_come_first() {
    let mut tied = findings(&["a", "b"], 12);
    tied.measures[0].estimates[1].value = tied.measures[0].estimates[0].value;
    assert_eq!(said(&tied, "f1"), "a and b come first by \"judged wrong\", with the same estimate: 90.0 %.");
}

/// A model with so many images: two raters take the first half of them for real, and the others for fakes.
fn of_equal_images(images: u32) -> (Findings, Records) {
    let (findings, _) = of_errors(9);
    let mut records = Records::default();
    for rater in ["first", "second"] {
        let mut table = ScoreTable::default();
        for image in 0..images {
            let item = format!("images/good/{image:02}.png");
            let value = if image < images / 2 { 1.0 } else { 0.0 };
            table.push(&Row { item: &item, ..Row::new(rater, "good", "fakes_error", value) });
        }
        records.add_scores(table.rows());
    }
    (findings, records)
}

/// The page of these findings.
fn page_of(source: &ReportSource<'_>) -> String {
    report_in(source, ReportLanguage::English, FigureFormats::Drawn).unwrap().remove(0).text
}

#[test]
fn galleries_show_images_that_differ_by_more_than_chance() {
    let (findings, records) = of_equal_images(60);
    let all = source(&findings, &records);
    let figure = figure_of(&all, "f10-good");
    let texts: Vec<&str> = figure.data.records().map(|row| row.text("text")).collect();
    assert_eq!((&texts[..6], &texts[6..]), (&["2 of 2"; 6][..], &["0 of 2"; 6][..]));
    // Four of ten answers about each image, and one more or fewer: less than coin tosses differ.
    let mut records = Records::default();
    for rater in 0..10_u32 {
        let mut table = ScoreTable::default();
        for image in 0..30_u32 {
            let item = format!("images/good/{image:02}.png");
            let real = (rater + image) % 10 < 3 + image % 3;
            let value = if real { 1.0 } else { 0.0 };
            table.push(&Row { item: &item, ..Row::new(&format!("r{rater}"), "good", "fakes_error", value) });
        }
        records.add_scores(table.rows());
    }
    let all = source(&findings, &records);
    let ids: Vec<String> = figures(&all).into_iter().map(|figure| figure.id).collect();
    assert!(!ids.iter().any(|id| id.starts_with("f10")), "{ids:?}");
    let page = page_of(&all);
    let sentence = "Images of good do not differ by more than chance (40% each).";
    assert!(page.contains(sentence), "{page}");
}

#[test]
fn synthetic_raters_earn_nothing() {
    let (mut all, records) = of_errors(9);
    all.earnings = Some(Earnings { currency: "USD".into(), total: Amount(12_000_000), raters: Vec::new() });
    let paid = |simulated| methods(&ReportSource { simulated, ..source(&all, &records) });
    assert!(paid(false).contains("Raters earned 12.00 USD in all."));
    assert!(!paid(true).contains("earned"), "{}", paid(true));
}

#[test]
fn sources_have_their_fields_and_only_those_that_were_used_are_named() {
    let (mut all, records) = of_votes();
    all.study.as_mut().unwrap().aggregator = "contrast".into();
    let text = references(&source(&all, &records));
    for expected in [
        "@article{bradley1952,",
        "  author = {Bradley, Ralph Allan and Terry, Milton E.},",
        "  title = {Rank Analysis of Incomplete Block Designs: {I}. {The} Method of Paired Comparisons},",
        "  journal = {Biometrika},",
        "  year = {1952},",
        "  doi = {10.2307/2334029},",
        "@techreport{krippendorff2011,",
    ] {
        assert!(text.contains(expected), "no {expected} in {text}");
    }
    for wrong in ["by level", "title = {Biometrika", "to be filled in", "@misc", "games1976", "boos1992"] {
        assert!(!text.contains(wrong), "{wrong} in {text}");
    }
    typeset::bibliography(&text, &["bradley1952", "krippendorff2011"]);
    let methods = methods(&source(&all, &records));
    assert!(methods.contains("Bradley and Terry (1952, @bradley1952)"), "{methods}");
}

#[test]
fn even_votes_have_no_clearest_pair() {
    let (mut findings, records) = of_votes();
    let votes = |findings: &mut Findings, counts: [(u64, u64, u64); 3]| {
        for (row, (wins, ties, losses)) in findings.measures[0].tables[0].rows.iter_mut().zip(counts) {
            (row[2], row[3], row[4]) = (wins.into(), ties.into(), losses.into());
        }
        figure_of(&source(findings, &records), "f14").description
    };
    assert_eq!(
        votes(&mut findings, [(1, 0, 1), (0, 2, 0), (3, 1, 3)]),
        "No pair has a winner: all have as many votes for either model."
    );
    assert_eq!(
        votes(&mut findings, [(1, 2, 1), (0, 2, 2), (3, 1, 3)]),
        "The clearest pair is c over b, with 75 % of votes, ties as half."
    );
    assert_eq!(
        votes(&mut findings, [(2, 0, 0), (2, 0, 0), (1, 0, 1)]),
        "2 pairs are the clearest: their winners have 100 % of votes, ties as half."
    );
}

#[test]
fn counts_of_votes_are_written_where_there_is_room() {
    let (mut findings, records) = of_votes();
    let how = |findings: &Findings| figure_of(&source(findings, &records), "f14").reading.how;
    assert!(how(&findings).contains("won, tied, lost"));
    for number in 0..8 {
        findings.measures[0].add(Estimate::new(&format!("m{number}"), 0.1, 2, 20));
    }
    assert!(
        !how(&findings).contains("won, tied, lost") && how(&findings).contains("Counts are in the table.")
    );
}

#[test]
fn equal_errors_lean_to_neither_side() {
    let (mut findings, records) = of_errors(9);
    let said = |findings: &Findings| figure_of(&source(findings, &records), "f9").description;
    assert_eq!(
        said(&findings),
        "By the larger of the two errors, answers lean towards \"real\" for good and weak."
    );
    findings.measures[2].estimates[0].value = 0.6;
    assert_eq!(
        said(&findings),
        "By the larger of the two errors, answers lean towards \"real\" for weak. Both errors are equal for good."
    );
    for number in 0..8 {
        for measure in 1..3 {
            let value = if measure == 1 { 0.1 } else { 0.2 };
            findings.measures[measure].add(Estimate::new(&format!("m{number}"), value, 9, 90));
        }
    }
    assert_eq!(
        said(&findings),
        "By the larger of the two errors, answers lean towards \"real\" for weak, and towards \"fake\" for m0, m1, m2, m3 and 4 \
         more. Both errors are equal for good."
    );
    let how = figure_of(&source(&findings, &records), "f9").reading.how;
    assert!(how.starts_with("Dots are models; values of raters are in the table."), "{how}");
}

#[test]
fn sensitivity_and_criterion_are_in_the_table_of_errors() {
    let (mut findings, records) = of_errors(9);
    for (name, value) in [("d_prime", 0.75), ("criterion", -0.25)] {
        let measure = Measure::new(name, name, "", Direction::Neither);
        let mut found = hype_core::model::findings::MeasureFindings::new(measure);
        found.add(Estimate::new("good", value, 9, 90));
        findings.measures.push(found);
    }
    let data = figure_of(&source(&findings, &records), "f9").data;
    let good = data.part("model").find(|row| row.text("model") == "good").unwrap();
    assert_eq!((good.number("d_prime"), good.number("criterion")), (Some(0.75), Some(-0.25)));
}

#[test]
fn highest_values_are_those_that_were_given() {
    let (findings, records) = of_ratings();
    let figure = figure_of(&source(&findings, &records), "f12-sc-pq");
    assert_eq!(
        figure.description,
        "Both have the highest values that were given in 50 % of the answers about a."
    );
    // Nobody gave 0 for perceptual quality.
    assert!(
        figure
            .reading
            .how
            .ends_with("The overall score is the root of the product, so that it is 0 in the first column.")
    );
    let mut table = ScoreTable::default();
    for (item, sc, pq) in [("w", 0.5, 1.0), ("x", 1.0, 0.5)] {
        for (measure, value) in [("PQ", pq), ("SC", sc)] {
            table.push(&Row { item, ..Row::new("secret", "a", measure, value) });
        }
    }
    let mut records = Records::default();
    records.add_scores(table.rows());
    let figure = figure_of(&source(&findings, &records), "f12-sc-pq");
    assert_eq!(figure.description, "No answer has the highest values that were given of both.");
    assert!(figure.reading.how.ends_with("The overall score is the root of the product."));
}

#[test]
fn values_of_all_models_are_not_those_about_a_model() {
    let names = names(10);
    let models: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut all = findings(&models, 3);
    all.study = Some(card("rating"));
    let mut table = ScoreTable::default();
    for model in models {
        for (measure, value) in [("PQ", 1.0), ("SC", 1.0)] {
            table.push(&Row { item: "w", ..Row::new("secret", model, measure, value) });
        }
    }
    let mut records = Records::default();
    records.add_scores(table.rows());
    let figure = figure_of(&source(&all, &records), "f12-sc-pq");
    assert_eq!(
        figure.description,
        "Both have the highest values that were given in 100 % of the answers about all models."
    );
    assert!(figure.reading.how.contains("the more of the answers."));
}

#[test]
fn a_band_of_widths_is_explained() {
    let names = names(7);
    let models: Vec<&str> = names.iter().map(String::as_str).collect();
    let how = |models: &[&str]| {
        let all = findings(models, 12);
        figure_of(&source(&all, &records(&all)), "f4").reading.how
    };
    assert!(how(&models).contains("within a band from the narrowest to the widest"));
    assert!(!how(&models[..6]).contains("band"));
}

#[test]
fn pairs_are_read_as_they_are_drawn() {
    let not = |count: u32| {
        let names = names(count);
        let models: Vec<&str> = names.iter().map(String::as_str).collect();
        let all = findings(&models, 12);
        // Without records, two models have no figure of their own.
        figure_of(&source(&all, &Records::default()), "f2").reading.not
    };
    let hidden = "Pairs without the best model are in the table.";
    assert!(not(3).ends_with(hidden) && not(3).contains(": the interval says"));
    assert!(!not(2).contains(hidden));
    assert!(!not(21).contains(hidden), "a matrix has all pairs");
    assert!(not(21).contains(": the intervals, which are in the table, say"));
}

#[test]
fn all_methods_of_comparison_are_named() {
    let mut all = findings(&["a", "b", "c"], 12);
    all.measures[0].comparisons[2].method = "Welch's t".into();
    assert!(said(&all, "f2").ends_with("pairs of models is separable (Tukey-Kramer and Welch's t)."));
    let records = records(&all);
    assert!(methods(&source(&all, &records)).contains("were compared by Tukey-Kramer and Welch's t,"));
}

#[test]
fn intervals_are_not_spoken_of_where_there_are_none() {
    let mut all = findings(&["a", "b", "c"], 12);
    let not = |all: &Findings| figure_of(&source(all, &records(all)), "f1").reading.not;
    assert!(not(&all).contains("Intervals are about"));
    all.measures[0].estimates.iter_mut().for_each(|one| one.interval = None);
    assert!(!not(&all).contains("Intervals are about"));
}

#[test]
fn checks_are_named_before_their_counts() {
    let mut all = findings(&["a", "b"], 12);
    all.checks.push(CheckFindings {
        name: "catch".into(),
        consequence: Consequence::Flag,
        passed: 3,
        failed: 2,
        unclear: 0,
        flagged: Vec::new(),
        shares: Vec::new(),
    });
    let how = figure_of(&source(&all, &records(&all)), "f3").reading.how;
    assert!(how.ends_with("Raters who failed a check, excluded or flagged: catch (2 raters)."));
}

#[test]
fn one_is_singular() {
    let mut all = findings(&["a", "b", "c"], 12);
    assert!(said(&all, "f2").starts_with("1 of 3 pairs of models is separable"));
    let collected = all.collected.as_mut().unwrap();
    (collected.completed, collected.excluded) = (2, 1);
    let text = methods(&source(&all, &records(&all)));
    assert!(text.contains("Of the completed ones, 1 was excluded by checks"));
    assert!(text.contains("1 of 60 places were filled."), "{text}");
    assert_eq!(said(&all, "f3"), "71 sessions opened → 2 completed → 1 counts.");
}

#[test]
fn printed_figures_are_linked_where_they_are_written() {
    let all = findings(&["a", "b", "c"], 12);
    let records = records(&all);
    let page = |formats| {
        report_in(&source(&all, &records), ReportLanguage::English, formats).unwrap().remove(0).text
    };
    let (drawn, printed) = (page(FigureFormats::Drawn), page(FigureFormats::Printed));
    assert!(!drawn.contains(".pdf\"") && !drawn.contains(".png\""));
    assert!(printed.contains(
        "<a href=\"figures/f1.svg\">SVG</a>, <a href=\"figures/f1.pdf\">PDF</a>, <a href=\"figures/f1.png\">PNG</a>, <a \
         href=\"figures/f1.csv\">"
    ));
}
