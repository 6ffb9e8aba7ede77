//! One point in integers: three rounds of products per step.
//!
//! | lane | 0 | 1 | 2 | 3 |
//! |---|---|---|---|---|
//! | between steps | C | D | A | B |
//! | first products | DA | CB | PP | QQ |
//! | squares of | DA + CB | DA - CB | S = PP + QQ | E = PP - QQ |
//! | last products | a part of z3 | the rest | a part of z2 | the rest |
//!
//! P and Q are A and B, or C and D if that point is doubled. The double is x2 = S^2 - E^2 and z2 =
//! E (2 S + 486662 E), both four times the values of RFC 7748, section 5, so the point is the same.
//!
//! A last product uses two lanes: one takes limbs 0 to 2 of the second factor, the other limbs 3
//! and 4, with 2^153 times the first factor, which is a rotation of its limbs. So it takes 15
//! products of limbs instead of 25.
//!
//! Sums and differences of products are computed on their columns, before carrying.

use core::hint::black_box;

use crate::{
    field::{
        A24, BITS, Limbs, Table,
        integers::{
            ABOVE_COLUMNS, carried,
            columns::{product, product_of_three, square},
            multiple_of_p, plus_multiple,
        },
        kernels::align_frame,
        load, low_bits, store, sum, unrolled,
    },
    ladder::swap,
    lanes::{MulAdd52, Permute},
};

/// Masks of lanes: the second of each pair, and the upper pair.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    odd: u8,
    upper: u8,
}

impl Places {
    pub(crate) const KNOWN: Self = Self {
        odd: 0b1010,
        upper: 0b1100,
    };
}

/// Implements [`OnePoint::ladder`](super::OnePoint::ladder) on lanes.
#[inline(always)]
pub(crate) fn ladder<L: Permute + MulAdd52<4>>(
    scalar: &[u8; 32],
    x1: &Table<4>,
    last: &mut Table<4>,
) {
    align_frame();
    let places = black_box(Places::KNOWN);
    let x1 = load(x1);
    let (left, mut points) = (left_of_x1(x1), start::<L>(x1));
    for position in (0..255).rev() {
        points = step(points, left, L::splat(swap(scalar, position)), places);
    }
    store(last, points);
}

/// Computes the lanes for x2 = 1, z2 = 0, x3 = x1 and z3 = 1.
#[inline(always)]
pub(crate) fn start<L: Permute + MulAdd52<4>>(x1: Limbs<L>) -> Limbs<L> {
    let mut points = x1;
    unrolled!(I in [0 1 2 3 4] {
        let one = if I == 0 { 1 } else { 0 };
        let minus_one = multiple_of_p(I, 0) - one;
        let ones = L::load(&[one, minus_one, one, one]);
        points[I] = x1[I].replace::<0b1100>(L::splat(0)).add(ones);
    });
    carried(points)
}

/// Returns 2^153 x1 and x1, in lanes 0 and 1: the first factors of the last products for z3.
#[inline(always)]
pub(crate) fn left_of_x1<L: Permute + MulAdd52<4>>(x1: Limbs<L>) -> Limbs<L> {
    let mut left = rotated(x1);
    unrolled!(I in [0 1 2 3 4] { left[I] = left[I].replace::<0b0010>(x1[I]); });
    left
}

/// Processes one bit. C and D belong to the point that is doubled if `swap` is all ones.
#[inline(always)]
pub(crate) fn step<L: Permute + MulAdd52<4>>(
    points: Limbs<L>,
    left: Limbs<L>,
    swap: L,
    places: Places,
) -> Limbs<L> {
    let sums = first(points, swap, places);
    let squares = square(sums, start_of_squares());
    last(sums, squares, left, places)
}

/// Computes DA + CB, DA - CB, S and E.
#[inline(always)]
fn first<L: Permute + MulAdd52<4>>(points: Limbs<L>, swap: L, places: Places) -> Limbs<L> {
    let left_places = swap.select(L::load(&[1, 0, 0, 1]), L::load(&[1, 0, 2, 3]));
    let right_places = swap.select(L::load(&[2, 3, 0, 1]), L::load(&[2, 3, 2, 3]));
    // D, C, P, Q times A, B, P, Q.
    let (mut f, mut g) = (points, points);
    unrolled!(I in [4 3 2 1 0] {
        f[I] = points[I].permuted(left_places);
        g[I] = points[I].permuted(right_places);
    });
    // DA, CB, PP, QQ.
    let columns = product(f, g);
    // Each combined with its neighbour: DA + CB, DA - CB, S = PP + QQ, E = PP - QQ.
    let mut sums = columns;
    unrolled!(I in [4 3 2 1 0] {
        let above = L::splat(multiple_of_p(I, ABOVE_COLUMNS));
        let signed = columns[I].replace_difference(places.odd, above, columns[I]);
        sums[I] = signed.add(columns[I].swap_pairs());
    });
    carried(sums)
}

/// Returns the start of the squares, which keeps x3 and S^2 above the values subtracted from them.
#[inline(always)]
fn start_of_squares<L: Permute + MulAdd52<4>>() -> Limbs<L> {
    let mut start = [L::splat(0); 5];
    unrolled!(I in [0 1 2 3 4] {
        let above = multiple_of_p(I, ABOVE_COLUMNS + 1);
        start[I] = L::load(&[above, 0, above, 0]);
    });
    start
}

/// Computes C, D, A and B from the first sums and the columns of their squares.
#[inline(always)]
fn last<L: Permute + MulAdd52<4>>(
    sums: Limbs<L>,
    squares: Limbs<L>,
    left: Limbs<L>,
    places: Places,
) -> Limbs<L> {
    // x3, x3, x2, x2; plus and minus z3, z3, z2, z2.
    let parts = last_products(sums, squares, left);
    let mut points = parts;
    unrolled!(I in [4 3 2 1 0] {
        let others = squares[I].swap_pairs();
        let x = squares[I].replace::<0b1010>(others);
        let less = others.replace::<0b1010>(squares[I]);
        let x = x.replace_difference(places.upper, x, less);
        let z = parts[I].add(parts[I].swap_pairs());
        points[I] = x.add(z).replace_difference(places.odd, x, z);
    });
    carried(points)
}

/// Computes the parts of z3 in lanes 0 and 1, and of z2 in lanes 2 and 3, as columns.
#[inline(always)]
fn last_products<L: Permute + MulAdd52<4>>(
    sums: Limbs<L>,
    squares: Limbs<L>,
    left: Limbs<L>,
) -> Limbs<L> {
    // In lanes 2 and 3 the first factor is E.
    let turned = rotated(sums);
    let mut first = left;
    unrolled!(I in [0 1 2 3 4] {
        first[I] = left[I].replace::<0b1100>(odds(turned[I], sums[I]));
    });

    // The second factor is (DA - CB)^2 in lane 1, and 2 S + 486662 E in lane 3. Its limbs 3 and 4
    // are moved to the neighbouring lanes.
    let mut twice = sums;
    unrolled!(I in [0 1 2 3 4] { twice[I] = sums[I].swap_pairs(); });
    // 2 S + (4 a24 + 2) E, where a24 = 121665 and 4 a24 + 2 = 486662.
    let sums_of_both = plus_multiple(sum(twice, twice), sums, 4 * A24 + 2);
    let mut second = squares;
    unrolled!(I in [0 1 2 3 4] { second[I] = squares[I].replace::<0b1000>(sums_of_both[I]); });
    let second = carried(second);
    let second = [
        odds(second[3], second[0]),
        odds(second[4], second[1]),
        odds(L::splat(0), second[2]),
    ];
    product_of_three(first, second)
}

/// Moves lanes 1 and 3 of `f` to lanes 0 and 2, and takes lanes 1 and 3 of `g`.
#[inline(always)]
fn odds<L: Permute>(f: L, g: L) -> L {
    f.swap_pairs().replace::<0b1010>(g)
}

/// Multiplies carried limbs by 2^153. The results are factors, with the upper two limbs not
/// carried.
#[inline(always)]
fn rotated<L: MulAdd52<N>, const N: usize>(f: Limbs<L>) -> Limbs<L> {
    let [a, b, c] = [f[2].times_19(), f[3].times_19(), f[4].times_19()];
    [
        low_bits(a, BITS),
        low_bits(b, BITS).add(a.shift_right::<BITS>()),
        low_bits(c, BITS).add(b.shift_right::<BITS>()),
        f[0].add(c.shift_right::<BITS>()),
        f[1],
    ]
}
