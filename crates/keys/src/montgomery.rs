//! X25519 and X448 public keys that no private key has.
//!
//! RFC 7748, section 5, accepts any bytes as a point: it ignores bit 255 of an X25519 public key
//! and reduces values that are not below p. HPKE and [`KeyId`](crate::KeyId) hash the bytes as they
//! are. A message sealed to such bytes never opens, since the owner's public key has other bytes.
//! Zero and the other points of low order have no owner at all, and HPKE refuses to seal to them
//! (RFC 9180, section 7.1.4). The readers refuse these keys before anything is sealed.

use super::KeyError;

/// The prime of a curve and its u-coordinates of low order, all little-endian.
struct Curve {
    name: &'static str,
    p: &'static [u8],
    /// The points of low order on the curve and on its twist.
    low_order: &'static [&'static [u8]],
}

/// KEMs, the curve of each, and the end of its public keys at which the point is.
const KEMS: &[(u16, &Curve, KeyEnd)] = &[
    (0x0020, &X25519, KeyEnd::Last),
    (0x0021, &X448, KeyEnd::Last),
    // X25519Kyber768Draft00, MLKEM768-X25519, X25519+BIKE.
    (0x0030, &X25519, KeyEnd::First),
    (0x647a, &X25519, KeyEnd::Last),
    (0xff21, &X25519, KeyEnd::Last),
    (0xff23, &X25519, KeyEnd::Last),
    (0xff25, &X25519, KeyEnd::Last),
];

enum KeyEnd {
    First,
    Last,
}

/// Refuses a public key of this KEM if no private key has its curve point.
pub(super) fn check(kem: u16, public: &[u8]) -> Result<(), KeyError> {
    let Some((_, curve, end)) = KEMS.iter().find(|(id, ..)| *id == kem) else {
        return Ok(());
    };
    let len = curve.p.len().min(public.len());
    let point = match end {
        KeyEnd::First => &public[..len],
        KeyEnd::Last => &public[public.len() - len..],
    };
    // Little-endian: the most significant byte is the last.
    if point.iter().rev().ge(curve.p.iter().rev()) {
        Err(KeyError::NotCanonical(curve.name))
    } else if curve.low_order.contains(&point) {
        Err(KeyError::LowOrder(curve.name))
    } else {
        Ok(())
    }
}

const X25519: Curve = Curve {
    name: "X25519",
    p: &P25519,
    low_order: &[
        &number::<32>(0),
        &number::<32>(1),
        &minus_one(P25519),
        // The two points of order 8.
        &[
            0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f,
            0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16,
            0x5f, 0x49, 0xb8, 0x00,
        ],
        &[
            0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83,
            0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd,
            0xd0, 0x9f, 0x11, 0x57,
        ],
    ],
};

const X448: Curve = Curve {
    name: "X448",
    p: &P448,
    low_order: &[&number::<56>(0), &number::<56>(1), &minus_one(P448)],
};

/// 2^255 - 19.
const P25519: [u8; 32] = {
    let mut p = [0xff; 32];
    (p[0], p[31]) = (0xed, 0x7f);
    p
};

/// 2^448 - 2^224 - 1.
const P448: [u8; 56] = {
    let mut p = [0xff; 56];
    p[28] = 0xfe;
    p
};

const fn number<const N: usize>(n: u8) -> [u8; N] {
    let mut bytes = [0; N];
    bytes[0] = n;
    bytes
}

/// Computes `p - 1`. There is no borrow: the first byte of either p is not zero.
const fn minus_one<const N: usize>(mut p: [u8; N]) -> [u8; N] {
    p[0] -= 1;
    p
}
