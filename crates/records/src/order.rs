//! Sorting that takes little code, since the page loads it: that of the standard library is compiled
//! for each type.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Sorts by keys. Values with the same key keep their order. Values that are sorted, the usual case,
/// are not touched.
///
/// ```
/// use pqseal_records::order::sort_by_key;
///
/// let mut all = [(2, 'a'), (1, 'b'), (2, 'c'), (0, 'd')];
/// sort_by_key(&mut all, |(key, _)| (*key, 0));
/// assert_eq!(all, [(0, 'd'), (1, 'b'), (2, 'a'), (2, 'c')]);
/// ```
pub fn sort_by_key<T>(all: &mut [T], key: impl Fn(&T) -> (usize, usize)) {
    if all.is_sorted_by_key(&key) {
        return;
    }
    let mut order = order(all.len(), &|one, other| {
        key(&all[one]).cmp(&key(&all[other]))
    });
    // Each cycle of the permutation is followed once.
    for start in 0..all.len() {
        let mut at = start;
        loop {
            let next = core::mem::replace(&mut order[at], at);
            if next == start || next == at {
                break;
            }
            all.swap(at, next);
            at = next;
        }
    }
}

/// Returns the indexes of so many values in the order that `compare` gives them. Equal ones keep
/// their order.
pub fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<_> = (0..count).collect();
    let mut width = 1;
    while width < count {
        let mut merged = Vec::with_capacity(count);
        for pair in order.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let ([one, ..], [other, ..]) = (left, right) {
                let side = match compare(*one, *other) {
                    Ordering::Greater => &mut right,
                    Ordering::Less | Ordering::Equal => &mut left,
                };
                merged.push(side[0]);
                *side = &side[1..];
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        (order, width) = (merged, 2 * width);
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(
            mut all in prop::collection::vec((0_usize..9, 0_usize..3, any::<u8>()), 0..40),
        ) {
            let mut expected = all.clone();
            expected.sort_by_key(|(a, b, _)| (*a, *b));
            sort_by_key(&mut all, |(a, b, _)| (*a, *b));
            prop_assert_eq!(all, expected);
        }
    }
}
