//! t
use hype_images::sample::{self, Process};
#[test]
fn sheet() {
    for (n, p) in Process::ALL.into_iter().enumerate() {
        let mut out = image::RgbImage::new(8 * 132, 4 * 132);
        for i in 0..32u64 {
            let im = sample::draw(p, i, 7, 64);
            let im = image::imageops::resize(&im, 128, 128, image::imageops::FilterType::Nearest);
            image::imageops::replace(&mut out, &im, ((i % 8) * 132) as i64, ((i / 8) * 132) as i64);
        }
        out.save(format!("/tmp/sheet/{n}.png")).unwrap();
        let d = std::path::PathBuf::from(format!("/tmp/sheet/set{n}"));
        sample::write_set(&d, p, 60, 7, 64, &|_| {}).unwrap();
        let mut l: Vec<u64> = std::fs::read_dir(&d).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).collect();
        l.sort();
        println!("{p:?}: min {} q1 {} med {} q3 {} max {}", l[0], l[15], l[30], l[45], l[59]);
    }
}
