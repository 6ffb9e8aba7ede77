//! The test vectors of RFC 7748, and x25519-dalek on random and on extreme inputs, in WebAssembly.
//! With the feature `relaxed`, in an engine that has relaxed SIMD, they test the module of
//! x25519-relaxed, whose path the variable `X25519_RELAXED` has (`crates/x25519-relaxed/build.sh`).

#![cfg(target_arch = "wasm32")]

use getrandom::fill;
use wasm_bindgen_test::wasm_bindgen_test;

fn x25519(k: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
    #[cfg(feature = "relaxed")]
    x25519_simd128::set_relaxed_module(include_bytes!(env!(
        "X25519_RELAXED",
        "set it to the path that crates/x25519-relaxed/build.sh prints"
    )));
    x25519_simd128::x25519(k, u)
}

fn hex(text: &str) -> [u8; 32] {
    core::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
}

fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    fill(&mut bytes).unwrap();
    bytes
}

#[wasm_bindgen_test]
fn rfc_7748_section_5_2() {
    let vectors = [
        [
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        ],
        [
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
        ],
    ];
    for [k, u, expected] in vectors {
        assert_eq!(x25519(&hex(k), &hex(u)), hex(expected));
    }
}

#[wasm_bindgen_test]
fn rfc_7748_a_thousand_times() {
    let mut k = hex("0900000000000000000000000000000000000000000000000000000000000000");
    let mut u = k;
    for _ in 0..1000 {
        (k, u) = (x25519(&k, &u), k);
    }
    assert_eq!(
        k,
        hex("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")
    );
}

#[wasm_bindgen_test]
fn as_dalek_on_random_inputs() {
    for _ in 0..2000 {
        let (k, u) = (random(), random());
        assert_eq!(
            x25519(&k, &u),
            x25519_dalek::x25519(k, u),
            "{k:02x?} {u:02x?}"
        );
    }
}

/// Limbs of 13 and of 51 bits at their ends and in the middle, where the sign of what stays in them
/// changes.
#[wasm_bindgen_test]
fn as_dalek_on_extreme_limbs() {
    for (n, width) in [13, 51].into_iter().cycle().enumerate().take(2000) {
        let (half, choices) = (1_u64 << (width - 1), random());
        let limbs = [0, 1, half - 1, half, half + 1, 2 * half - 2, 2 * half - 1];
        let mut u = [0; 32];
        for bit in 0..255 {
            let limb = limbs[usize::from(choices[bit / width]) % limbs.len()];
            u[bit / 8] |= ((limb >> (bit % width) & 1) as u8) << (bit % 8);
        }
        // A scalar of all ones hardly ever swaps the points.
        let k = if n % 16 == 0 { [0xff; 32] } else { random() };
        assert_eq!(
            x25519(&k, &u),
            x25519_dalek::x25519(k, u),
            "{k:02x?} {u:02x?}"
        );
    }
}

/// Prints the implementation in use, which `wasm/test.sh` compares with the expected one. Only an
/// engine that validates a function with one `f64x2.relaxed_madd` can use relaxed SIMD, and only if
/// it rounds once.
#[cfg(feature = "relaxed")]
#[wasm_bindgen_test]
fn relaxed_simd_gives_the_same_or_is_not_taken() {
    let module = *b"\0asm\x01\0\0\0\x01\x08\x01\x60\x03\x7b\x7b\x7b\x01\x7b\x03\x02\x01\0\x0a\x0d\x01\x0b\0\x20\0\x20\x01\x20\x02\xfd\x87\x02\x0b";
    x25519(&[0; 32], &[0; 32]);
    let has = js_sys::WebAssembly::validate(&js_sys::Uint8Array::from(&module[..])).unwrap();
    wasm_bindgen_test::console_log!("relaxed SIMD: {}", x25519_simd128::is_relaxed());
    assert!(has || !x25519_simd128::is_relaxed());
    for _ in 0..500 {
        let (k, u) = (random(), random());
        assert_eq!(
            x25519(&k, &u),
            x25519_simd128::parts::without_relaxed_simd(&k, &u)
        );
    }
}

/// Points of low order, numbers around p and 2^255, limbs of all ones, each under scalars of all
/// zeros and all ones.
#[wasm_bindgen_test]
fn as_dalek_on_extreme_inputs() {
    let low_order = [
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    ];
    let filled = |first: u8, middle: u8, last: u8| {
        let mut point = [middle; 32];
        (point[0], point[31]) = (first, last);
        point
    };
    let near = (0..=255).flat_map(|first| {
        [(0, 0), (0xff, 0x7f), (0xff, 0xff), (0, 0x80)].map(|(m, l)| filled(first, m, l))
    });
    for u in near.chain(low_order.map(hex)) {
        for k in [[0; 32], [0xff; 32], [0x55; 32]] {
            assert_eq!(x25519(&k, &u), x25519_dalek::x25519(k, u), "{u:02x?}");
        }
    }
    assert_eq!(x25519(&[0x55; 32], &hex(low_order[0])), [0; 32]);
}
