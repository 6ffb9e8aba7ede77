//! The transforms and the products on a basis, against FIPS 203's definitions.

use crate::{
    product::{self, Plain, Table},
    tables::{Q, power},
    tests::model::Model,
    transform::{self, Poly},
    words::Words,
};

const Q32: i32 = Q as i32;

/// Returns the place of coefficient `n` of polynomial `lane`, in time and transformed.
fn in_time(n: usize, lane: usize) -> (usize, usize) {
    (4 * (n / 16) + n % 4, 4 * (n / 4 % 4) + lane)
}
fn transformed(n: usize, lane: usize) -> (usize, usize) {
    (16 * (n / 64) + n % 16, 4 * (n / 16 % 4) + lane)
}

fn residue(p: &Poly, (vector, word): (usize, usize)) -> i32 {
    i32::from(p[vector].0[word]).rem_euclid(Q32)
}

/// Returns zeta^(2 BitRev7(i) + 1), the root of pair i: the pair is the remainder modulo X^2 minus
/// it.
fn root(i: usize) -> i32 {
    let i = u32::try_from(i).unwrap();
    power(17, 2 * (i.reverse_bits() >> 25) + 1)
}

/// Returns the transform of X^n, by the definition.
fn transform_of_power(n: usize) -> [i32; 256] {
    std::array::from_fn(|i| match i % 2 == n % 2 {
        true => power(root(i / 2), u32::try_from(n / 2).unwrap()),
        false => 0,
    })
}

/// Returns X^n times 1, 2, 3 and 4 in the four polynomials.
fn powers(n: usize) -> Poly {
    let mut p = [Words::ZERO; 64];
    for (lane, factor) in (0..4).zip(1..) {
        let (vector, word) = in_time(n, lane);
        p[vector].0[word] = factor;
    }
    p
}

#[test]
fn the_transform_is_fips_203s_on_each_power() {
    for n in 0..256 {
        let mut p = powers(n);
        transform::forward::<Model>(&mut p);
        let expected = transform_of_power(n);
        for (lane, factor) in (0..4).zip(1..) {
            for (i, expected) in expected.iter().enumerate() {
                let found = residue(&p, transformed(i, lane));
                assert_eq!(found, factor * expected % Q32, "X^{n}, {i}");
            }
        }
    }
}

/// Returns X^n as a transformed polynomial, with its numbers in the order of FIPS 203.
fn plain(n: usize) -> Plain {
    transform_of_power(n).map(|number| i16::try_from(number).unwrap())
}

const NOTHING: Plain = [0; 256];

/// Returns the table of X^n in one polynomial.
fn table(n: usize, lane: usize) -> Table {
    let (mut polys, power) = ([&NOTHING; 4], plain(n));
    polys[lane] = &power;
    let mut table = [Words::ZERO; 128];
    product::table::<Model>(polys, &mut table);
    table
}

/// Returns the transforms of all powers, in all four polynomials.
fn all_powers() -> Vec<Poly> {
    (0..256)
        .map(|n| {
            let mut p = powers(n);
            transform::forward::<Model>(&mut p);
            p
        })
        .collect()
}

/// Asserts that polynomial `lane` is `factor` X^(a + b) modulo X^256 + 1.
fn assert_power(p: &Poly, lane: usize, exponent: usize, factor: i32) {
    for n in 0..256 {
        let expected = match (n == exponent % 256, exponent < 256) {
            (false, _) => 0,
            (true, true) => factor,
            (true, false) => -factor,
        };
        let found = residue(p, in_time(n, lane));
        assert_eq!(found, expected.rem_euclid(Q32), "X^{exponent}, {n}");
    }
}

/// Multiplies each of u's polynomials on its own. After the inverse transform, v's words hold the
/// product of the two polynomials.
#[test]
fn products_with_the_secret_are_those_of_powers() {
    let powers = all_powers();
    for a in 0..256 {
        let lane = 1 + a % 3;
        let table = table(a, lane);
        for (b, u) in powers.iter().enumerate() {
            let mut p = [Words::ZERO; 64];
            product::secret_product::<Model>(&table, u, &mut p);
            transform::inverse::<Model>(&mut p);
            assert_power(&p, 0, a + b, i32::try_from(lane + 1).unwrap());
        }
    }
}

/// Multiplies entry j of y by entry (j, lane) of the matrix, which gives polynomial `lane` only.
#[test]
fn products_with_the_matrix_are_those_of_powers() {
    let powers = all_powers();
    for a in 0..256 {
        let (lane, j) = (a % 4, a / 4 % 3);
        let mut tables = [[Words::ZERO; 128]; 3];
        tables[j] = table(a, lane);
        for (b, y) in powers.iter().enumerate() {
            let mut p = [Words::ZERO; 64];
            product::matrix_product::<Model>(&tables, y, &mut p);
            transform::inverse::<Model>(&mut p);
            for other in 0..4 {
                let factor = if other == lane { j + 2 } else { 0 };
                assert_power(&p, other, a + b, i32::try_from(factor).unwrap());
            }
        }
    }
}

/// Compares the product of two powers with the transform of their product: t = A s stays
/// transformed.
#[test]
fn products_of_key_generation_are_those_of_powers() {
    let powers = all_powers();
    let transforms: Vec<_> = (0..256).map(transform_of_power).collect();
    for a in 0..256 {
        let (lane, j) = (1 + a % 3, a / 3 % 3);
        let mut tables = [[Words::ZERO; 128]; 3];
        tables[j] = table(a, lane);
        for (b, s) in powers.iter().enumerate() {
            let mut t = [Words::ZERO; 64];
            product::key_product::<Model>(&tables, s, &mut t);
            let factor = i32::try_from(lane + 1).unwrap() * if a + b < 256 { 1 } else { -1 };
            for (n, transform) in transforms[(a + b) % 256].iter().enumerate() {
                for other in 0..3 {
                    let expected = if other == j { factor * transform } else { 0 };
                    let found = residue(&t, transformed(n, 1 + other));
                    assert_eq!(found, expected.rem_euclid(Q32), "X^{a} X^{b}");
                }
            }
        }
    }
}

/// Checks that each number of a key sets exactly two words of its table.
#[test]
fn every_word_of_a_table_is_of_one_number() {
    for lane in 0..4 {
        for n in 0..256 {
            let mut one = NOTHING;
            one[n] = 1;
            let mut polys = [&NOTHING; 4];
            polys[lane] = &one;
            let mut table = [Words::ZERO; 128];
            product::table::<Model>(polys, &mut table);
            let used = table.iter().flat_map(|words| words.0);
            assert_eq!(used.filter(|word| *word != 0).count(), 2);
        }
    }
}
