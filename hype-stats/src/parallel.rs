//! Work that is divided among threads.
//!
//! rayon's iterators compile their splitting again for each closure, which made up almost half of this crate's code.
//! Here it is compiled once and called through a `dyn` for each piece of work, so pieces have to be large, some
//! microseconds at least.

use std::sync::{Mutex, PoisonError};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

/// Calls `work` with each number under `count`, in any order and on any thread of the current pool.
pub(crate) fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    if count < 2 {
        (0..count).for_each(work);
    } else {
        (0..count).into_par_iter().for_each(work);
    }
}

/// The size of chunks into which `count` rows are divided, at least `least`: four for each thread of the current pool, so
/// that none waits long for another, and one chunk for a single thread.
pub(crate) fn chunk_of(count: usize, least: usize) -> usize {
    match rayon::current_num_threads() {
        1 => count.max(least),
        threads => count.div_ceil(4 * threads).max(least),
    }
}

/// The results of `work` for each number under `count`, in order.
pub(crate) fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    for_each_of(results.iter_mut(), |index, result| *result = Some(work(index)));
    results.into_iter().flatten().collect()
}

/// Calls `work` with each item and its number, such as the parts of a slice to be filled.
pub(crate) fn for_each_of<T: Send>(items: impl Iterator<Item = T>, work: impl Fn(usize, T) + Sync) {
    let items: Vec<Mutex<Option<T>>> = items.map(|item| Mutex::new(Some(item))).collect();
    for_each(items.len(), &|index| {
        // Every number occurs once, so no other thread has the item, and it has not been taken.
        let item = items[index].lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(item) = item {
            work(index, item);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_items_come_once() {
        for count in [0, 1, 2, 1_000] {
            assert_eq!(map(count, |index| 3 * index), (0..count).map(|index| 3 * index).collect::<Vec<_>>());
            let mut values = vec![0; count];
            for_each_of(values.chunks_mut(7), |index, chunk| {
                chunk.iter_mut().for_each(|value| *value += index)
            });
            assert_eq!(values, (0..count).map(|index| index / 7).collect::<Vec<_>>());
        }
    }
}
