//! The number of division steps in `inverse` suffices for every number below p.
//!
//! The proof is Wuille's (libsecp256k1, "safegcd implementation explained") by convex hulls. A step
//! is linear in (f, g), up to a choice. For each delta there is a convex polygon that contains all
//! (f, g) reachable by any choices, whatever the bits; the next polygons are the hulls of their
//! images. Once |g| is below 1 in a whole polygon, g is 0 there, since it is an integer. When this
//! holds in all of them, no more steps are needed.
//!
//! Numbers are divided by 2^255 here, and are doubles. Polygons are rounded outwards to a grid, on
//! which hulls are exact.

use std::{collections::BTreeMap, println, vec, vec::Vec};

use x25519_proofs::random_bytes;

use crate::division::{self, BATCHES, STEPS, ZETA};

/// One half of the corners of a symmetric polygon: the others are their opposites.
struct Polygon(Vec<[f64; 2]>);

impl Polygon {
    fn has_g_below(&self, limit: f64) -> bool {
        self.0.iter().all(|[_, g]| g.abs() < limit)
    }
}

/// Bounds of f and of g.
type Corner = [[f64; 2]; 2];

/// Maps a step from delta, which is `twice_delta / 2`, to the next deltas.
fn images(twice_delta: i32, [f, g]: [f64; 2]) -> [(i32, Corner); 2] {
    let even = (twice_delta + 2, [[f; 2], [g / 2.0; 2]]);
    let odd = match twice_delta > 0 {
        true => (2 - twice_delta, [[g; 2], half(g - f)]),
        false => (twice_delta + 2, [[f; 2], half(g + f)]),
    };
    [even, odd]
}

/// Returns bounds of half of a number that was rounded.
fn half(number: f64) -> [f64; 2] {
    [number.next_down() / 2.0, number.next_up() / 2.0]
}

fn step(polygons: &BTreeMap<i32, Polygon>) -> BTreeMap<i32, Polygon> {
    let mut corners = BTreeMap::<i32, Vec<Corner>>::new();
    for (twice_delta, Polygon(polygon)) in polygons {
        for corner in polygon {
            for (twice_delta, image) in images(*twice_delta, *corner) {
                corners.entry(twice_delta).or_default().push(image);
            }
        }
    }
    let hulls = corners
        .iter()
        .map(|(delta, corners)| (*delta, hull(corners)));
    hulls.collect()
}

/// The binary logarithm of the grid's resolution: on each axis a polygon covers 2^LINES to 2^(LINES
/// + 1) grid lines in each direction. More lines would give more corners and hardly fewer steps.
const LINES: i32 = 10;

/// Computes the hull, on a grid, of all of these and their opposites.
fn hull(corners: &[Corner]) -> Polygon {
    let lines = [0, 1].map(|axis| {
        let ends = corners.iter().flat_map(|corner| corner[axis]);
        let most = ends.fold(f64::MIN_POSITIVE, |most, end| most.max(end.abs()));
        #[expect(clippy::cast_possible_truncation, reason = "an exponent")]
        2_f64.powi(most.log2().floor() as i32 - LINES)
    });
    let mut grid = vec![];
    for corner in corners {
        let [f, g] = [0, 1].map(|axis| {
            let [least, most] = corner[axis].map(|end| end / lines[axis]);
            #[expect(clippy::cast_possible_truncation, reason = "whole, with few bits")]
            [least.floor() as i64, most.ceil() as i64]
        });
        for f in f {
            for g in g {
                grid.extend([[f, g], [-f, -g]]);
            }
        }
    }
    grid.sort_unstable();
    grid.dedup();
    #[expect(clippy::cast_precision_loss, reason = "whole, with few bits")]
    let corners = half_hull(&grid)
        .into_iter()
        .map(|[f, g]| [f as f64 * lines[0], g as f64 * lines[1]]);
    Polygon(corners.collect())
}

/// Computes one side (Andrew's monotone chain), without its last corner.
fn half_hull(grid: &[[i64; 2]]) -> Vec<[i64; 2]> {
    let mut side: Vec<[i64; 2]> = vec![];
    for corner in grid {
        while let [.., a, b] = side[..]
            && !turns_left(a, b, *corner)
        {
            side.pop();
        }
        side.push(*corner);
    }
    side.pop();
    side
}

fn turns_left(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> bool {
    let [[bx, by], [cx, cy]] = [b, c].map(|end| [end[0] - a[0], end[1] - a[1]]);
    bx * cy - by * cx > 0
}

#[test]
fn as_many_steps_suffice() {
    // f is p and g is from 0 to p: half of a polygon.
    let start = [[[1.0; 2], [0.0, 1.0]]];
    let twice_delta = i32::try_from(-2 * ZETA - 1).unwrap();
    let mut polygons = BTreeMap::from([(twice_delta, hull(&start))]);
    let one = 2_f64.powi(-255);
    let mut steps = 0;
    while !polygons.is_empty() {
        assert!(steps < BATCHES * STEPS, "more steps than `inverse` takes");
        polygons = step(&polygons);
        polygons.retain(|_, polygon| !polygon.has_g_below(one));
        steps += 1;
    }
    println!("{steps} steps suffice");
}

/// Tests on numbers that a batch's matrix has the same effect on f and g as its steps, one by one.
/// The numbers of a row sum to at most 2^30.
#[test]
fn a_matrix_is_its_steps() {
    let mut state = 62;
    for _ in 0..10_000 {
        let words = random_bytes(&mut state);
        let [f, g, delta, _] = [0, 8, 16, 24].map(|i| {
            let word = words[i..].first_chunk().unwrap();
            i64::from_le_bytes(*word) >> 2
        });
        let (f, mut zeta) = (f | 1, delta % 40);
        let (mut twice_delta, mut next) = (-2 * zeta - 1, [f, g]);
        for _ in 0..STEPS {
            let [f, g] = next;
            (twice_delta, next) = match (g & 1 == 1, twice_delta > 0) {
                (true, true) => (2 - twice_delta, [g, (g - f) >> 1]),
                (true, false) => (twice_delta + 2, [f, (g + f) >> 1]),
                (false, _) => (twice_delta + 2, [f, g >> 1]),
            };
        }
        let [low_f, low_g] = [f, g].map(|number| number & ((1 << STEPS) - 1));
        let matrix = division::steps(&mut zeta, low_f, low_g);
        for ([u, v], next) in matrix.into_iter().zip(next) {
            assert!(u.abs() + v.abs() <= 1 << STEPS);
            let [u, v, f, g, next] = [u, v, f, g, next].map(i128::from);
            assert_eq!(u * f + v * g, next << STEPS);
        }
        assert_eq!(-2 * zeta - 1, twice_delta);
    }
}
