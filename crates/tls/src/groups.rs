//! The groups, and functions that find one by its name or code point.

use std::fmt;

use pqseal_hpke::{
    Status,
    dhkem::{P256, P384, X25519},
};
#[cfg(feature = "bike")]
use {
    crate::half::BikeLevel,
    pqseal_hpke::dhkem::{P521, X448},
    pqseal_kem_pq::bike::params,
};

use crate::{
    group::HybridGroup,
    half::{Dh, Kyber768, ML_KEM_512, ML_KEM_768, ML_KEM_1024},
};

/// X25519MLKEM768 (RFC 10024): shares of 1,216 and 1,120 bytes, ML-KEM first.
pub static X25519MLKEM768: HybridGroup = HybridGroup {
    id: 0x11ec,
    name: "X25519MLKEM768",
    status: Status::Standard,
    halves: &[&ML_KEM_768, &DH_X25519],
};

/// SecP256r1MLKEM768 (RFC 10024): shares of 1,249 and 1,153 bytes, P-256 first.
pub static SECP256R1MLKEM768: HybridGroup = HybridGroup {
    id: 0x11eb,
    name: "SecP256r1MLKEM768",
    status: Status::Standard,
    halves: &[&DH_P256, &ML_KEM_768],
};

/// SecP384r1MLKEM1024 (RFC 10024): shares of 1,665 bytes each, P-384 first.
pub static SECP384R1MLKEM1024: HybridGroup = HybridGroup {
    id: 0x11ed,
    name: "SecP384r1MLKEM1024",
    status: Status::Standard,
    halves: &[&DH_P384, &ML_KEM_1024],
};

/// ML-KEM-1024 without a curve (draft-ietf-tls-mlkem): shares of 1,568 bytes each.
pub static MLKEM1024: HybridGroup = HybridGroup {
    id: 0x0202,
    name: "MLKEM1024",
    status: TLS_MLKEM,
    halves: &[&ML_KEM_1024],
};

/// ML-KEM-768 without a curve (draft-ietf-tls-mlkem): shares of 1,184 and 1,088 bytes.
pub static MLKEM768: HybridGroup = HybridGroup {
    id: 0x0201,
    name: "MLKEM768",
    status: TLS_MLKEM,
    halves: &[&ML_KEM_768],
};

/// ML-KEM-512 without a curve (draft-ietf-tls-mlkem): shares of 800 and 768 bytes.
pub static MLKEM512: HybridGroup = HybridGroup {
    id: 0x0200,
    name: "MLKEM512",
    status: TLS_MLKEM,
    halves: &[&ML_KEM_512],
};

/// X25519Kyber768Draft00 (draft-tls-westerbaan-xyber768d00, expired): shares of 1,216 and 1,120
/// bytes, X25519 first. Intended for peers from before ML-KEM. [`pqseal_hpke::Policy::draft`] does
/// not allow it either.
pub static X25519KYBER768DRAFT00: HybridGroup = HybridGroup {
    id: 0x6399,
    name: "X25519Kyber768Draft00",
    status: Status::Experimental,
    halves: &[&DH_X25519, &KYBER_768],
};

/// X25519 and BIKE-L1, experimental: shares of 1,573 and 1,605 bytes, X25519 first.
#[cfg(feature = "bike")]
pub static X25519_BIKEL1: HybridGroup = bike(0xfe12, "x25519_bikel1", &[&DH_X25519, &BIKE_L1]);
/// P-256 and BIKE-L1, experimental: shares of 1,606 and 1,638 bytes, P-256 first.
#[cfg(feature = "bike")]
pub static P256_BIKEL1: HybridGroup = bike(0xfe11, "p256_bikel1", &[&DH_P256, &BIKE_L1]);
/// BIKE-L1 without a curve, experimental: shares of 1,541 and 1,573 bytes.
#[cfg(feature = "bike")]
pub static BIKEL1: HybridGroup = bike(0xfe10, "bikel1", &[&BIKE_L1]);
/// X448 and BIKE-L3, experimental: shares of 3,139 and 3,171 bytes, X448 first.
#[cfg(feature = "bike")]
pub static X448_BIKEL3: HybridGroup = bike(0xfe15, "x448_bikel3", &[&DH_X448, &BIKE_L3]);
/// P-384 and BIKE-L3, experimental: shares of 3,180 and 3,212 bytes, P-384 first.
#[cfg(feature = "bike")]
pub static P384_BIKEL3: HybridGroup = bike(0xfe14, "p384_bikel3", &[&DH_P384, &BIKE_L3]);
/// BIKE-L3 without a curve, experimental: shares of 3,083 and 3,115 bytes.
#[cfg(feature = "bike")]
pub static BIKEL3: HybridGroup = bike(0xfe13, "bikel3", &[&BIKE_L3]);
/// P-521 and BIKE-L5, experimental: shares of 5,255 and 5,287 bytes, P-521 first.
#[cfg(feature = "bike")]
pub static P521_BIKEL5: HybridGroup = bike(0xfe17, "p521_bikel5", &[&DH_P521, &BIKE_L5]);
/// BIKE-L5 without a curve, experimental: shares of 5,122 and 5,154 bytes.
#[cfg(feature = "bike")]
pub static BIKEL5: HybridGroup = bike(0xfe16, "bikel5", &[&BIKE_L5]);

/// All groups, in the order in which [`crate::kx_groups`] offers those that a policy allows.
pub static ALL: &[&HybridGroup] = &[
    &X25519MLKEM768,
    &SECP256R1MLKEM768,
    &SECP384R1MLKEM1024,
    &MLKEM1024,
    &MLKEM768,
    &MLKEM512,
    &X25519KYBER768DRAFT00,
    #[cfg(feature = "bike")]
    &X25519_BIKEL1,
    #[cfg(feature = "bike")]
    &P256_BIKEL1,
    #[cfg(feature = "bike")]
    &BIKEL1,
    #[cfg(feature = "bike")]
    &X448_BIKEL3,
    #[cfg(feature = "bike")]
    &P384_BIKEL3,
    #[cfg(feature = "bike")]
    &BIKEL3,
    #[cfg(feature = "bike")]
    &P521_BIKEL5,
    #[cfg(feature = "bike")]
    &BIKEL5,
];

/// The classical groups, by code point and by name in the registry of TLS Supported Groups.
pub const CLASSICAL: &[(u16, &str)] = &[
    (0x001d, "x25519"),
    (0x0017, "secp256r1"),
    (0x0018, "secp384r1"),
    (0x0019, "secp521r1"),
    (0x001e, "x448"),
    (0x0100, "ffdhe2048"),
    (0x0101, "ffdhe3072"),
    (0x0102, "ffdhe4096"),
    (0x0103, "ffdhe6144"),
    (0x0104, "ffdhe8192"),
];

/// The reason why no group has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownGroup {
    /// SIKE, which an attacker breaks within minutes on one core (Castryck and Decru, 2022).
    Sike(String),
    /// A BIKE group, which requires the feature `bike`.
    NeedsBike(String),
    /// A name that is unknown to this crate.
    Other(String),
}

/// Returns the group with this name. Upper and lower case are not distinguished.
///
/// # Errors
/// [`UnknownGroup`], with a specific reason for SIKE and for BIKE.
pub fn by_name(name: &str) -> Result<&'static HybridGroup, UnknownGroup> {
    let mut all = ALL.iter().copied();
    all.find(|group| group.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| match name.to_ascii_lowercase() {
            lower if lower.contains("sike") => UnknownGroup::Sike(name.into()),
            lower if lower.contains("bikel") => UnknownGroup::NeedsBike(name.into()),
            _ => UnknownGroup::Other(name.into()),
        })
}

/// Returns the name of the group with this code point, one of [`ALL`] or of [`CLASSICAL`].
pub fn name(id: u16) -> Option<&'static str> {
    let classical = CLASSICAL.iter().find(|(classical, _)| *classical == id);
    by_id(id)
        .map(HybridGroup::name)
        .or(classical.map(|(_, name)| *name))
}

/// Returns the group with this code point.
pub fn by_id(id: u16) -> Option<&'static HybridGroup> {
    ALL.iter().copied().find(|group| group.id == id)
}

static KYBER_768: Kyber768 = Kyber768;
static DH_X25519: Dh<X25519> = Dh::new(0x001d);
static DH_P256: Dh<P256> = Dh::new(0x0017);
static DH_P384: Dh<P384> = Dh::new(0x0018);
#[cfg(feature = "bike")]
static DH_P521: Dh<P521> = Dh::new(0x0019);
#[cfg(feature = "bike")]
static DH_X448: Dh<X448> = Dh::new(0x001e);
#[cfg(feature = "bike")]
static BIKE_L1: BikeLevel = BikeLevel(&params::L1);
#[cfg(feature = "bike")]
static BIKE_L3: BikeLevel = BikeLevel(&params::L3);
#[cfg(feature = "bike")]
static BIKE_L5: BikeLevel = BikeLevel(&params::L5);

const TLS_MLKEM: Status = Status::Draft("draft-ietf-tls-mlkem-11");

/// Returns a group of BIKE v5.1 with the private code point that Open Quantum Safe's provider uses.
#[cfg(feature = "bike")]
const fn bike(
    id: u16,
    name: &'static str,
    halves: &'static [&'static dyn crate::half::Half],
) -> HybridGroup {
    HybridGroup {
        id,
        name,
        status: Status::Experimental,
        halves,
    }
}

impl fmt::Display for UnknownGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sike(name) => write!(
                f,
                "{name} is not supported: SIKE is broken (2022); use X25519MLKEM768"
            ),
            Self::NeedsBike(name) => {
                write!(
                    f,
                    "{name} is not in this build: it needs the feature `bike`"
                )
            }
            Self::Other(name) => write!(f, "no group is named {name}"),
        }
    }
}

impl std::error::Error for UnknownGroup {}
