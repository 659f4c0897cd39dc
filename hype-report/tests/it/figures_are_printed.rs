//! Figures as PDF and PNG.

use hype_report::{Printer, figures};

use crate::findings::{findings, over_facets, records, source};

#[test]
fn every_figure_is_a_page_and_a_picture() {
    let findings = findings(&["stylegan", "biggan", "dcgan"], 8);
    let records = records(&findings);
    let source = source(&findings, &records);
    let printer = Printer::default();
    let printed = printer.figures(&source).unwrap();
    assert_eq!(printer.figures(&source).unwrap(), printed);
    assert_eq!(printed.len(), 2 * figures(&source).len());
    for (pdf, png) in printed.iter().zip(&printed[1..]).step_by(2) {
        assert!(pdf.path.ends_with(".pdf") && png.path.ends_with(".png"));
        assert!(pdf.bytes.starts_with(b"%PDF-") && holds(&pdf.bytes, "/FontFile2"));
        // Three pixels for each unit, of which a figure has 760 in its width.
        let picture = png::Decoder::new(std::io::Cursor::new(&png.bytes)).read_info().unwrap();
        assert_eq!(picture.info().width, 2_280, "{}", png.path);
    }
}

#[test]
fn a_title_is_that_of_the_document() {
    let findings = over_facets();
    let records = records(&findings);
    let source = source(&findings, &records);
    let figure = &figures(&source)[0];
    let pdf = Printer::default().pdf(figure, source.caution()).unwrap();
    assert!(holds(&pdf, &figure.title), "{}", figure.title);
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}
