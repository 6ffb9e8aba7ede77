//! Encapsulated keys and public keys that must be refused, by the family of the KEM.

use pqseal_hpke::KemInfo;

/// Invalid bytes, their description, and their flag.
pub(crate) type Malformed = (Vec<u8>, &'static str, &'static str);

const X25519: usize = 32;
const P: u8 = 0x7f;

/// The curve of a KEM, if it has one: the offset and the length of the point in a key or a
/// ciphertext.
enum Curve {
    Montgomery(usize, usize),
    Nist(usize, usize),
    None,
}

fn curve(kem: &KemInfo, len: usize) -> Curve {
    match kem.id {
        0x20 => Curve::Montgomery(0, X25519),
        0x21 => Curve::Montgomery(0, 56),
        0x10..=0x12 => Curve::Nist(0, len),
        0x50 => Curve::Nist(len - 65, 65),
        0x51 => Curve::Nist(len - 97, 97),
        0x30 => Curve::Montgomery(0, X25519),
        0x647a | 0xff21..=0xff26 => Curve::Montgomery(len - X25519, X25519),
        _ => Curve::None,
    }
}

/// Returns the malformed points of a public key or an encapsulated key.
pub(crate) fn points(kem: &KemInfo, valid: &[u8]) -> Vec<Malformed> {
    match curve(kem, valid.len()) {
        Curve::Montgomery(at, len) => low_order(len)
            .into_iter()
            .map(|point| {
                (
                    replaced(valid, at, &point),
                    "point of low order",
                    "LowOrder",
                )
            })
            .collect(),
        Curve::Nist(at, len) => nist(&valid[at..at + len])
            .into_iter()
            .map(|(point, comment)| (replaced(valid, at, &point), comment, "InvalidPoint"))
            .collect(),
        Curve::None => Vec::new(),
    }
}

/// Returns keys of wrong lengths.
pub(crate) fn lengths(valid: &[u8]) -> Vec<Malformed> {
    let cut = valid[..valid.len() - 1].to_vec();
    let longer = [valid, &[0]].concat();
    vec![
        (Vec::new(), "empty", "InvalidLength"),
        (cut, "last byte missing", "InvalidLength"),
        (longer, "a byte appended", "InvalidLength"),
    ]
}

/// Returns an ML-KEM key whose first coefficient is the modulus, 3329.
pub(crate) fn coefficient(kem: &KemInfo, valid: &[u8]) -> Vec<Malformed> {
    let at = match kem.id {
        0x40..=0x42 | 0x50 | 0x51 | 0x647a => 0,
        0x30 => X25519,
        _ => return Vec::new(),
    };
    let mut bytes = valid.to_vec();
    bytes[at] = 0x01;
    bytes[at + 1] = bytes[at + 1] & 0xf0 | 0x0d;
    vec![(
        bytes,
        "coefficient equal to the modulus",
        "InvalidCoefficient",
    )]
}

fn replaced(valid: &[u8], at: usize, point: &[u8]) -> Vec<u8> {
    let mut bytes = valid[..at].to_vec();
    bytes.extend_from_slice(point);
    bytes.extend_from_slice(valid.get(at + point.len()..).unwrap_or_default());
    bytes
}

/// Returns points whose order divides the cofactor, as u-coordinates in little-endian order: 0,
/// 1, p - 1, p and p + 1.
fn low_order(len: usize) -> Vec<Vec<u8>> {
    let small = |first: u8| {
        let mut u = vec![0; len];
        u[0] = first;
        u
    };
    let near_p = |difference: i8| {
        let mut u = vec![0xff; len];
        if len == X25519 {
            u[0] = 0xed_u8.wrapping_add_signed(difference);
            u[len - 1] = P;
        } else if difference < 0 {
            // p = 2^448 - 2^224 - 1
            u[28] = 0xfe;
            u[0] = 0xfe;
        } else if difference == 0 {
            u[28] = 0xfe;
        } else {
            u[..28].fill(0);
        }
        u
    };
    vec![small(0), small(1), near_p(-1), near_p(0), near_p(1)]
}

/// Returns encodings of points that HPKE does not accept. `valid` is an uncompressed point.
fn nist(valid: &[u8]) -> Vec<(Vec<u8>, &'static str)> {
    let coordinate = (valid.len() - 1) / 2;
    let odd = valid[valid.len() - 1] & 1;
    let mut off_curve = valid.to_vec();
    off_curve[2 * coordinate] ^= 1;
    let mut too_large = valid.to_vec();
    too_large[1..=coordinate].fill(0xff);
    let hybrid = [&[6 | odd][..], &valid[1..]].concat();
    let compressed = [&[2 | odd][..], &valid[1..=coordinate]].concat();
    let mut padded = compressed;
    padded.resize(valid.len(), 0);
    vec![
        (vec![0; valid.len()], "zeros"),
        ([&[4][..], &vec![0; 2 * coordinate]].concat(), "x = y = 0"),
        (off_curve, "point that is not on the curve"),
        (too_large, "x-coordinate beyond the field"),
        (hybrid, "hybrid encoding of the point"),
        (padded, "compressed encoding of the point, padded"),
    ]
}
