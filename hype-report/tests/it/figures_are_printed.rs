//! Figures as PDF and PNG, and exports for papers.

use hype_report::{Export, FigureFormat, Printer, Sheet, export, figures, paper};

use crate::findings::{findings, over_facets, records, source};

#[test]
fn every_figure_is_printed_for_a_column_a_page_and_a_screen() {
    let findings = findings(&["stylegan", "biggan", "dcgan"], 8);
    let records = records(&findings);
    let source = source(&findings, &records);
    let printer = Printer::default();
    let printed = printer.figures(&source).unwrap();
    assert_eq!(printer.figures(&source).unwrap(), printed);
    assert_eq!(printed.len(), 3 * figures(&source).len());
    for three in printed.chunks(3) {
        let [column, page, png] = three else { panic!("{}", three.len()) };
        for (file, width) in [(column, 234.0), (page, 486.0)] {
            assert!(file.bytes.starts_with(b"%PDF-") && holds(&file.bytes, "/FontFile2"), "{}", file.path);
            assert!((page_width(&file.bytes) - width).abs() < 1.0, "{}", file.path);
        }
        // Three pixels for each of a page's column.
        let picture = png::Decoder::new(std::io::Cursor::new(&png.bytes)).read_info().unwrap();
        assert_eq!(picture.info().width, 2_208, "{}", png.path);
    }
}

#[test]
fn exports_have_the_width_that_was_asked_for() {
    let findings = findings(&["stylegan", "biggan", "dcgan"], 8);
    let records = records(&findings);
    let source = source(&findings, &records);
    let formats = [FigureFormat::Pdf, FigureFormat::Svg, FigureFormat::Png];
    let asked = |only: &[String], sheet| {
        export(&source, &Export { only, sheet, formats: &formats, dpi: 300 }, &Printer::default())
    };
    let sheet = paper("cvpr").unwrap();
    let files = asked(&["f1".to_owned()], sheet).unwrap();
    assert_eq!(asked(&["f1".to_owned()], sheet).unwrap(), files, "two exports are the same bytes");
    let paths: Vec<&str> = files.iter().map(|file| &*file.path).collect();
    assert!(paths.starts_with(&[
        "f1.pdf",
        "f1.svg",
        "f1.png",
        "f1.csv",
        "figures.csv",
        "captions.tex",
        "t1.tex"
    ]));
    assert!((page_width(&files[0].bytes) - 234.0).abs() < 1.0);
    let drawn = std::str::from_utf8(&files[1].bytes).unwrap();
    assert!(drawn.contains("width=\"234pt\"") && !drawn.contains("class="), "{drawn}");
    for size in drawn.split("font-size=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        let size: f64 = size.parse().unwrap();
        assert!((7.0..=9.0).contains(&size), "{size}");
    }
    let picture = png::Decoder::new(std::io::Cursor::new(&files[2].bytes)).read_info().unwrap();
    assert_eq!(picture.info().width, 975, "3.25 inches of 300 pixels");
    let captions = std::str::from_utf8(&files[5].bytes).unwrap();
    assert!(captions.starts_with("\\newcommand{\\captionFone}{"), "{captions}");
    let error = asked(&["f99".to_owned()], Sheet::PAGE).unwrap_err().to_string();
    assert!(error.starts_with("there is no figure f99; this study has f1"), "{error}");
}

#[test]
fn titles_come_from_the_document() {
    let findings = over_facets();
    let records = records(&findings);
    let source = source(&findings, &records);
    let figure = &figures(&source)[0];
    let pdf = Printer::default().pdf(figure, Sheet::PAGE).unwrap();
    assert!(holds(&pdf, &figure.title), "{}", figure.title);
}

/// The width of the first page of a PDF, in points.
fn page_width(pdf: &[u8]) -> f64 {
    let text = String::from_utf8_lossy(pdf);
    let media = text.split("/MediaBox").nth(1).unwrap();
    let inside = media.split('[').nth(1).unwrap().split(']').next().unwrap();
    inside.split_whitespace().nth(2).unwrap().parse().unwrap()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}
