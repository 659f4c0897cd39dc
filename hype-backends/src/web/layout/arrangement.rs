//! Where images stand: the judged ones in columns, and those of conditions at their side or above them. `arrangement.js`
//! has the same rules.

use super::{Area, LAYOUT, LINE};

/// How often an interval of scales is halved.
const HALVINGS: u32 = 14;

/// Where images of conditions stand, the preferred place first.
const PLACES: [Place; 3] = [Place::Line, Place::Column, Place::Above];

/// Where images of conditions stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a line at the side of the judged images.
    Line,
    /// One above the other at their side.
    Column,
    /// In a line above them.
    Above,
}

/// Images that are shown at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pictures<'a> {
    pub(super) judged: &'a [Area],
    /// Sources, which judged images are compared with and which therefore have their scale.
    pub(super) sources: &'a [Area],
    /// Images of other conditions, which may be smaller.
    pub(super) others: &'a [Area],
    /// The height of a caption of the conditions, with what else stands there.
    pub(super) caption: f64,
}

impl Pictures<'_> {
    /// The largest scale of the judged images over all arrangements in a room of this width and height.
    pub(super) fn scale(self, room: (f64, f64)) -> f64 {
        let whole = self.largest(room, 1.0);
        if self.others.is_empty() {
            return whole;
        }
        // The page has more room than is estimated, and therefore may not make conditions smaller.
        whole.max(self.largest(room, LAYOUT.lesser) / LAYOUT.preference)
    }

    /// The largest scale with other conditions at a share of it. They are made smaller only where nothing is enlarged.
    fn largest(self, room: (f64, f64), share: f64) -> f64 {
        let full = || self.judged.iter().chain(self.sources);
        let longest = full().map(|image| image.width.max(image.height)).max().unwrap_or(1).max(1);
        let shortest = full().map(|image| image.width.min(image.height)).min().unwrap_or(1).max(1);
        let fits = |scale: f64| {
            PLACES.iter().any(|&place| {
                columns(self.judged.len()).any(|columns| {
                    let (width, height) = self.extent(scale, share, place, columns);
                    width <= room.0 && height <= room.1
                })
            })
        };
        let mut whole =
            if share < 1.0 { 1.0 } else { (LAYOUT.largest / f64::from(longest)).floor().max(1.0) };
        while whole >= 1.0 {
            if fits(whole) {
                return whole;
            }
            whole -= 1.0;
        }
        let (mut low, mut high) = ((LAYOUT.smallest / f64::from(shortest)).min(1.0), 1.0);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if fits(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The width and height of all images.
    fn extent(self, scale: f64, share: f64, place: Place, columns: usize) -> (f64, f64) {
        let figure = |image: &Area, scale: f64, caption: f64| {
            let width = (f64::from(image.width) * scale).max(LAYOUT.figure) + LAYOUT.frame;
            (width, f64::from(image.height) * scale + LAYOUT.frame + caption)
        };
        let cell = largest(self.judged.iter().map(|image| figure(image, scale, LAYOUT.caption)));
        let rows = self.judged.len().div_ceil(columns.max(1));
        let judged = (along(columns, cell.0), along(rows, cell.1));
        let sources = self.sources.iter().map(|image| figure(image, scale, self.caption));
        // Captions of smaller images take another line.
        let caption = self.caption + if share < 1.0 { LINE } else { 0.0 };
        let others = self.others.iter().map(|image| figure(image, scale * share, caption));
        let conditions: Vec<(f64, f64)> = sources.chain(others).collect();
        if conditions.is_empty() {
            return judged;
        }
        let most = largest(conditions.iter().copied());
        let gaps = LAYOUT.space * (conditions.len() - 1) as f64;
        let beside = match place {
            Place::Column => (most.0, conditions.iter().map(|one| one.1).sum::<f64>() + gaps),
            Place::Line | Place::Above => (conditions.iter().map(|one| one.0).sum::<f64>() + gaps, most.1),
        };
        if place == Place::Above {
            (judged.0.max(beside.0), judged.1 + LAYOUT.space + beside.1)
        } else {
            (judged.0 + LAYOUT.space + beside.0, judged.1.max(beside.1))
        }
    }
}

/// The numbers of columns in which images may stand, the preferred one first. Few images never leave a gap, which would
/// set one of them apart.
pub(super) fn columns(images: usize) -> impl Iterator<Item = usize> {
    (1..=images.max(1)).rev().filter(move |&columns| images > 4 || images.is_multiple_of(columns))
}

/// The length of equal cells with the gaps between them.
fn along(cells: usize, cell: f64) -> f64 {
    cell * cells as f64 + LAYOUT.space * cells.saturating_sub(1) as f64
}

fn largest(sizes: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    sizes.fold((0.0, 0.0), |most, one| (most.0.max(one.0), most.1.max(one.1)))
}
