//! Sentences of figures on data that make the obvious wording false: pairs against the order, ties, missing values, many models.

use hype_core::model::findings::{CheckFindings, Earnings, Interval, ResampledLead, ResampledOrders};
use hype_core::{Amount, Consequence, Direction, Estimate, Findings, Measure, Row, ScoreTable};
use hype_report::{
    Figure, FigureFormats, Records, ReportLanguage, ReportSource, figures, methods, references, report_in,
};

use crate::findings::{card, figure_of, findings, names, of_errors, of_ratings, of_votes, records, source};
use crate::typeset;

/// The description of a figure about these findings.
fn said(findings: &Findings, id: &str) -> String {
    let records = records(findings);
    figure_of(&source(findings, &records), id).description
}

/// Turns the first pair of models against the order of their estimates.
fn turn(findings: &mut Findings, p: Option<f64>) {
    let pair = &mut findings.measures[0].comparisons[0];
    (pair.difference, pair.p) = (-0.1, p);
    pair.interval = Some(Interval::new(-0.17, -0.03, 0.95, "Tukey-Kramer"));
}

#[test]
fn pairs_against_the_order_of_estimates_are_not_leads() {
    let mut two = findings(&["a", "b"], 12);
    turn(&mut two, Some(0.2345));
    assert_eq!(
        said(&two, "f1"),
        "The models are not told apart by judged wrong: a 90%, b 50%. The difference of −10.0 points [−17.0, −3.0] (p = 0.23) \
         does not show that they are equal."
    );
    turn(&mut two, Some(0.012));
    let behind = "Raters who judged both put b (10.0 points [3.0, 17.0]) before it";
    assert!(said(&two, "f1").ends_with(&format!("wrong. {behind} (p = 0.012).")), "{}", said(&two, "f1"));
    turn(&mut two, None);
    assert!(said(&two, "f1").ends_with(" wrong. Differences between models were not tested."));

    let mut three = findings(&["a", "b", "c"], 12);
    for pair in &mut three.measures[0].comparisons {
        pair.p = Some(0.001);
    }
    turn(&mut three, Some(0.001));
    let leads = "wrong. It leads c by 53.3 points [46.3, 60.3]; all three differ (p ≤ 0.0010).";
    let said = said(&three, "f1");
    assert!(said.ends_with(&format!("{leads} {behind} (p = 0.0010).")), "{said}");
}

#[test]
fn all_models_differ_if_every_pair_does() {
    let mut three = findings(&["a", "b", "c"], 12);
    for (pair, p) in three.measures[0].comparisons.iter_mut().zip([0.001, 0.002, 0.012]) {
        pair.p = Some(p);
    }
    let leads = "It leads b by 26.7 points [19.7, 33.7] and c by 53.3 points [46.3, 60.3]";
    assert!(said(&three, "f1").ends_with(&format!(" {leads}; all three differ (p ≤ 0.012).")));
    // The pair of the two others is not separable from zero.
    three.measures[0].comparisons[2].p = Some(0.2);
    assert!(said(&three, "f1").ends_with(&format!(" {leads} (p ≤ 0.0020).")));
}

#[test]
fn a_lead_is_in_the_direction_that_is_better() {
    // The model with the lowest value is the best: its differences from others are negative.
    let mut lower = findings(&["a", "b"], 12);
    let found = &mut lower.measures[0];
    found.measure.direction = Direction::Lower;
    found.estimates.reverse();
    assert_eq!(
        said(&lower, "f1"),
        "The models are not told apart by judged wrong: b 50%, a 90%. The difference of 40.0 points [33.0, 47.0] (p = 0.23) does \
         not show that they are equal."
    );
    lower.measures[0].comparisons[0].p = Some(0.001);
    assert!(said(&lower, "f1").starts_with("b is the hardest"));
    assert!(said(&lower, "f1").ends_with("It leads a by 40.0 points [33.0, 47.0] (p = 0.0010)."));
    turn(&mut lower, Some(0.001));
    assert!(
        said(&lower, "f1")
            .ends_with("Raters who judged both put a (10.0 points [3.0, 17.0]) before it (p = 0.0010).")
    );
}

#[test]
fn answers_are_said_in_every_language() {
    let models = ["a", "b", "c"];
    let mut turned = findings(&models, 12);
    turn(&mut turned, Some(0.001));
    let mut apart = findings(&models, 12);
    apart.measures[0].comparisons.iter_mut().for_each(|pair| pair.p = Some(0.001));
    apart.measures[0].resampled_orders = Some(ResampledOrders {
        resamples: 1_000,
        undefined: 0,
        units: "raters".into(),
        lead: vec![ResampledLead { model: "a".into(), share: 0.96 }],
        orders: Vec::new(),
    });
    let mut near = findings(&models, 12);
    near.measures[0].comparisons.iter_mut().for_each(|pair| pair.p = Some(0.3));
    let mut untested = findings(&models, 12);
    untested.measures[0].comparisons.iter_mut().for_each(|pair| pair.p = None);
    let mut partly = findings(&models, 12);
    partly.measures[0].comparisons[1].p = None;
    let mut tied = findings(&models, 12);
    tied.measures[0].estimates[1].value = tied.measures[0].estimates[0].value;
    let (two, none) = (findings(&["a", "b"], 12), findings(&[], 0));
    let all = [turned, apart, near, untested, partly, tied, two, none, findings(&models, 12)];
    for findings in all {
        let records = records(&findings);
        let source = source(&findings, &records);
        let english =
            report_in(&source, ReportLanguage::English, FigureFormats::Drawn).unwrap().remove(0).text;
        for language in ReportLanguage::ALL.into_iter().skip(1) {
            let page = report_in(&source, language, FigureFormats::Drawn).unwrap().remove(0).text;
            let head =
                |page: &str| page.split("<h1>").nth(1).unwrap().split("</header>").next().unwrap().to_owned();
            let (said, english) = (head(&page), head(&english));
            assert!(!said.contains("lang=\"en\"") && said != english, "{said}");
            // Numbers are those of the English page, in any order.
            let numbers = |text: &str| {
                let is_number = |part: &&str| part.bytes().any(|byte| byte.is_ascii_digit());
                let mut all: Vec<String> = text
                    .split(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
                    .filter(is_number)
                    .map(|part| part.trim_matches('.').to_owned())
                    .collect();
                all.sort();
                all
            };
            assert_eq!(numbers(&said), numbers(&english), "{said}");
            for word in ["points", "leads", " by ", "raters", "differ", "told apart", "tested"] {
                assert!(!said.replace("by judged wrong", "").contains(word), "{word} in {said}");
            }
        }
    }
}

#[test]
fn models_that_come_first_together_have_no_lead() {
    let mut tied = findings(&["a", "b", "c"], 12);
    tied.measures[0].estimates[1].value = tied.measures[0].estimates[0].value;
    assert_eq!(said(&tied, "f1"), "a and b come first by judged wrong, with the same estimate: 90%.");
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
        "The clearest pair is c over b, with 75% of votes, ties as half."
    );
    assert_eq!(
        votes(&mut findings, [(2, 0, 0), (2, 0, 0), (1, 0, 1)]),
        "2 pairs are the clearest: their winners have 100% of votes, ties as half."
    );
}

#[test]
fn counts_of_votes_are_written_where_there_is_room() {
    let (mut findings, records) = of_votes();
    let how = |findings: &Findings| figure_of(&source(findings, &records), "f14").reading.how;
    assert!(how(&findings).starts_with("Cells: shares of votes of the model on the left"));
    for number in 0..8 {
        findings.measures[0].add(Estimate::new(&format!("m{number}"), 0.1, 2, 20));
    }
    assert!(
        !how(&findings).contains("shares of votes") && how(&findings).ends_with("Counts are in the table.")
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
        "Both have the highest values that were given in 50% of the answers about a."
    );
    // No rater gave 0 for perceptual quality.
    assert!(
        figure
            .reading
            .how
            .ends_with("The overall score is the root of the product, and is 0 in the first column.")
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
        "Both have the highest values that were given in 100% of the answers about all models."
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
    let of = |count: u32| {
        let names = names(count);
        let models: Vec<&str> = names.iter().map(String::as_str).collect();
        let all = findings(&models, 12);
        figures(&source(&all, &records(&all)))
    };
    // The key figure has the differences from the best model, and a matrix all pairs of more models than it draws.
    let has = |figures: &[Figure], id: &str| figures.iter().any(|figure| figure.id == id);
    for (count, has_matrix) in [(2, false), (12, false), (13, true), (21, true)] {
        let figures = of(count);
        assert!(
            figures[0]
                .reading
                .how
                .contains(" Differences: from the best model (Tukey-Kramer, adjusted among ")
        );
        assert_eq!(has(&figures, "f2"), has_matrix, "{count}");
    }
    assert!(!of(1)[0].reading.how.contains("Differences"));
    let matrix = of(13).into_iter().find(|figure| figure.id == "f2").unwrap();
    assert_eq!(matrix.reading.not, "That a pair is not told apart does not show that its models are equal.");
    assert_eq!(matrix.description, "66 of 78 pairs of models differ.");
}

#[test]
fn all_methods_of_comparison_are_named() {
    let mut all = findings(&["a", "b", "c"], 12);
    all.measures[0].comparisons[2].method = "Welch's t".into();
    let records = records(&all);
    let caption = figure_of(&source(&all, &records), "f1").reading.how;
    assert!(caption.contains("(Tukey-Kramer and Welch's t, adjusted among 3 pairs of models)"), "{caption}");
    assert!(methods(&source(&all, &records)).contains("were compared by Tukey-Kramer and Welch's t,"));
}

#[test]
fn captions_say_what_is_drawn() {
    let all = findings(&["a", "b", "c"], 12);
    assert_eq!(
        figure_of(&source(&all, &records(&all)), "f1").reading.how,
        "n = 12 raters per model. Dots: raters. Marks and bars: estimates with 95% CIs (Student's t over raters). Thin ticks: with \
         excluded raters. Differences: from the best model (Tukey-Kramer, adjusted among 3 pairs of models). Models without a \
         common letter differ at p < 0.05. Simulated raters."
    );
    let mut bare = findings(&["a", "b"], 12);
    let found = &mut bare.measures[0];
    found.comparisons.clear();
    found.estimates[1].raters = 9;
    for one in &mut found.estimates {
        (one.interval, one.with_excluded) = (None, None);
    }
    let none = Records::default();
    let source = ReportSource { simulated: false, ..source(&bare, &none) };
    assert_eq!(
        figure_of(&source, "f1").reading.how,
        "n = 9 to 12 raters per model. Marks: estimates, without intervals."
    );
}

#[test]
fn texts_mention_intervals_only_where_they_exist() {
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
    let names = names(13);
    let mut many = findings(&names.iter().map(String::as_str).collect::<Vec<_>>(), 12);
    many.measures[0].comparisons.iter_mut().for_each(|pair| pair.p = Some(0.5));
    many.measures[0].comparisons[0].p = Some(0.001);
    assert_eq!(said(&many, "f2"), "1 of 78 pairs of models differs.");
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
    assert!(drawn.contains("<a href=\"figures/f1.svg\">SVG</a><a href=\"figures/f1.csv\">CSV</a></p>"));
    assert!(printed.contains(
        "<a href=\"figures/f1-3.25in.pdf\">PDF 3.25 in</a><a href=\"figures/f1-6.75in.pdf\">PDF 6.75 in</a><a \
         href=\"figures/f1.svg\">SVG</a><a href=\"figures/f1.png\">PNG</a><a href=\"figures/f1.csv\">CSV</a></p>"
    ));
}
