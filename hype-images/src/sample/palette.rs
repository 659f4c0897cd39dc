//! Few colours for each picture, so that files are small and of one kind.

/// Colours in a finished picture.
pub(super) const COLOURS: usize = 128;

/// Replaces the colours of a picture by at most [`COLOURS`] and returns nothing else.
///
/// # Method
/// Median cut (Heckbert 1982, Color image quantization for frame buffer display): the box with the
/// greatest spread, weighted by its population, is cut at the median of its longest side. Integers
/// only, ties broken by order, so that every machine picks the same colours.
pub(super) fn reduce(pixels: &mut [[u8; 3]]) {
    let mut counted: Vec<[u8; 3]> = pixels.to_vec();
    counted.sort_unstable();
    let mut tally: Vec<([u8; 3], u64)> = Vec::new();
    for colour in counted {
        match tally.last_mut() {
            Some((last, count)) if *last == colour => *count += 1,
            _ => tally.push((colour, 1)),
        }
    }
    let mut boxes = vec![tally];
    while boxes.len() < COLOURS {
        let widest = boxes
            .iter()
            .enumerate()
            .map(|(at, members)| {
                let (axis, spread) = longest(members);
                let population: u64 = members.iter().map(|member| member.1).sum();
                (spread * spread * population, at, axis)
            })
            .max_by_key(|&(weight, at, _)| (weight, std::cmp::Reverse(at)));
        let Some((weight, at, axis)) = widest else {
            break;
        };
        if weight == 0 {
            break;
        }
        let mut members = boxes.swap_remove(at);
        members.sort_unstable_by_key(|&(colour, _)| (colour[axis], colour));
        let total: u64 = members.iter().map(|member| member.1).sum();
        let mut before = 0;
        let mut cut = 1;
        for (place, member) in members.iter().enumerate() {
            before += member.1;
            if before * 2 >= total {
                cut = (place + 1).clamp(1, members.len() - 1);
                break;
            }
        }
        let upper = members.split_off(cut);
        boxes.push(members);
        boxes.push(upper);
    }
    let mut table: Vec<([u8; 3], [u8; 3])> = Vec::new();
    for members in boxes {
        let colour = mean(&members);
        table.extend(members.iter().map(|member| (member.0, colour)));
    }
    table.sort_unstable();
    for pixel in pixels {
        if let Ok(found) = table.binary_search_by_key(pixel, |entry| entry.0) {
            *pixel = table[found].1;
        }
    }
}

/// The axis with the greatest spread, and that spread; green counts most, as the eye has it.
fn longest(members: &[([u8; 3], u64)]) -> (usize, u64) {
    let mut best = (0, 0);
    for (axis, weight) in [(1, 4), (0, 3), (2, 2)] {
        let levels = || members.iter().map(|member| member.0[axis]);
        let spread = match (levels().min(), levels().max()) {
            (Some(low), Some(high)) => u64::from(high - low) * weight,
            _ => 0,
        };
        if spread > best.1 {
            best = (axis, spread);
        }
    }
    best
}

fn mean(members: &[([u8; 3], u64)]) -> [u8; 3] {
    let total: u64 = members.iter().map(|member| member.1).sum();
    [0, 1, 2].map(|axis| {
        let sum: u64 = members.iter().map(|&(colour, count)| u64::from(colour[axis]) * count).sum();
        // A mean of bytes is a byte, and a box is never empty.
        u8::try_from((sum + total / 2) / total.max(1)).unwrap_or(u8::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_stay_and_many_become_few() {
        let mut few: Vec<[u8; 3]> = (0..40).map(|i| [i * 5, 255 - i, i]).collect();
        let before = few.clone();
        reduce(&mut few);
        assert_eq!(few, before);

        let mut many: Vec<[u8; 3]> = (0..=255).map(|i| [i, i / 2, 255 - i]).collect();
        let before = many.clone();
        reduce(&mut many);
        let mut distinct = many.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), COLOURS);
        for (old, new) in before.iter().zip(&many) {
            assert!(old[0].abs_diff(new[0]) <= 4, "{old:?} became {new:?}");
        }
    }
}
