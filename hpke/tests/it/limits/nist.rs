//! P-256, P-384 and P-521: which bytes are a point, and which a private key.

use pqseal_hpke::{Error, Kem, P256HkdfSha256, P384HkdfSha384, P521HkdfSha512};

/// The group orders (SEC 2, sections 2.4.2, 2.5.1, 2.6.1), in hexadecimal.
const ORDERS: [&str; 3] = [
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
];

/// The field primes.
const PRIMES: [&str; 3] = [
    "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
    "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

/// The number one higher or lower; both numbers end in a byte that neither carries nor borrows.
fn plus(number: &[u8], difference: i8) -> Vec<u8> {
    let mut number = number.to_vec();
    let last = number.last_mut().unwrap();
    *last = last.checked_add_signed(difference).unwrap();
    number
}

fn private_keys<K: Kem>(kem: &K, order: &str) {
    let order = bytes(order);
    let (zero, mut one) = (vec![0; order.len()], vec![0; order.len()]);
    *one.last_mut().unwrap() = 1;
    for good in [&one, &plus(&order, -1)] {
        assert!(kem.deserialize_private_key(good).is_ok(), "{good:02x?}");
    }
    let shorter = &one[1..];
    let longer = [&[0], &one[..]].concat();
    for bad in [
        &zero,
        &order,
        &plus(&order, 1),
        &vec![0xff; order.len()],
        shorter,
        &longer,
    ] {
        assert_eq!(
            kem.deserialize_private_key(bad).err(),
            Some(Error::Deserialize),
            "{bad:02x?}"
        );
    }
}

#[test]
fn a_private_key_is_from_one_to_the_order_less_one() {
    private_keys(&P256HkdfSha256, ORDERS[0]);
    private_keys(&P384HkdfSha384, ORDERS[1]);
    private_keys(&P521HkdfSha512, ORDERS[2]);
}

/// Lists every encoding of SEC 1 except the uncompressed one, and bytes that are not points.
fn bad_points(pk: &[u8], prime: &str, foreign: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let half = pk.len() / 2;
    let (x, y) = pk[1..].split_at(half);
    let prime = bytes(prime);
    let join = |parts: &[&[u8]]| parts.concat();
    let compressed = [2 | (y[half - 1] & 1)];
    vec![
        ("the identity", vec![0]),
        ("the identity, padded", vec![0; pk.len()]),
        ("zero coordinates", join(&[&[4], &vec![0; 2 * half]])),
        ("off the curve", join(&[&[4], x, &plus_one_bit(y)])),
        ("swapped coordinates", join(&[&[4], y, x])),
        ("x = p", join(&[&[4], &prime, y])),
        ("y = p", join(&[&[4], x, &prime])),
        ("coordinates of ones", join(&[&[4], &vec![0xff; 2 * half]])),
        ("compressed", join(&[&compressed, x])),
        (
            "compressed, padded",
            join(&[&compressed, x, &vec![0; half]]),
        ),
        ("compact", join(&[&[5], x, y])),
        ("hybrid, even", join(&[&[6], x, y])),
        ("hybrid, odd", join(&[&[7], x, y])),
        ("no form", join(&[&[1], x, y])),
        ("of another curve", foreign.to_vec()),
        ("too long", join(&[pk, &[0]])),
        ("nothing", vec![]),
    ]
}

fn plus_one_bit(y: &[u8]) -> Vec<u8> {
    let mut y = y.to_vec();
    y[0] ^= 1;
    y
}

/// Checks points as public key and as `enc`.
fn points<K: Kem>(kem: &K, prime: &str, foreign: &[u8]) {
    let (sk, pk) = kem.derive_key_pair(&[1; 66]).unwrap();
    for (what, bad) in bad_points(pk.as_ref(), prime, foreign) {
        assert_eq!(
            kem.deserialize_public_key(&bad).err(),
            Some(Error::Deserialize),
            "{what}"
        );
        assert_eq!(
            kem.decap(&bad, &sk).unwrap_err(),
            Error::Deserialize,
            "{what}"
        );
        assert_eq!(
            kem.auth_decap(&bad, &sk, &pk).unwrap_err(),
            Error::Deserialize,
            "{what}"
        );
    }
}

#[test]
fn a_point_is_uncompressed_and_on_the_curve() {
    let p256 = P256HkdfSha256.derive_key_pair(&[1; 66]).unwrap().1;
    let p384 = P384HkdfSha384.derive_key_pair(&[1; 66]).unwrap().1;
    points(&P256HkdfSha256, PRIMES[0], p384.as_ref());
    points(&P384HkdfSha384, PRIMES[1], p256.as_ref());
    points(&P521HkdfSha512, PRIMES[2], p256.as_ref());
}

/// secp256k1's base point has the length of a P-256 point and lies on another curve.
#[test]
fn a_point_of_secp256k1_is_not_on_p256() {
    let point = bytes(
        "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798\
         483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
    );
    assert_eq!(
        P256HkdfSha256.deserialize_public_key(&point).err(),
        Some(Error::Deserialize)
    );
}

/// A whole encapsulation with the private key at either end of its range.
#[test]
fn the_first_and_the_last_private_key_decapsulate() {
    let mut one = [0; 32];
    one[31] = 1;
    for bytes in [one.to_vec(), plus(&bytes(ORDERS[0]), -1)] {
        let sk = P256HkdfSha256.deserialize_private_key(&bytes).unwrap();
        let (sent, enc) = P256HkdfSha256
            .encap(&P256HkdfSha256.public_key(&sk).unwrap(), &[2; 32])
            .unwrap();
        assert_eq!(P256HkdfSha256.decap(enc.as_ref(), &sk).unwrap(), sent);
    }
}
